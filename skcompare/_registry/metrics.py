"""Registries of metrics and of losses of each record, and what all registries share."""

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, update_wrapper, wraps
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from skcompare._core.arrays import ArrayOperations, on_host
from skcompare._core.validation import check_choice

F = TypeVar("F", bound=Callable[..., Any])


class InNumpy:
    """Callable that receives arrays of other libraries as NumPy arrays.

    Parameters
    ----------
    function : callable
        Callable that can be imported by its own name, such as a function of another
        library, or that has no name.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function

    def __reduce__(self) -> tuple[type, tuple[Callable[..., Any]]]:
        return InNumpy, (self.function,)

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        in_numpy = {name: on_host(value) for name, value in keywords.items()}
        return self.function(*map(on_host, positional), **in_numpy)


def in_numpy(function: F) -> F:
    """Wrap a function so that it receives arrays of other libraries as NumPy arrays.

    The result is a function, for a decorator that replaces the original one. A callable
    that is importable by its name already is pickled by that name.
    """
    run = InNumpy(function)
    if _is_importable(function):
        return run  # type: ignore[return-value]

    @wraps(function)
    def wrapped(*positional: Any, **keywords: Any) -> Any:
        return run(*positional, **keywords)

    return wrapped  # type: ignore[return-value]


def _is_importable(function: Callable[..., Any]) -> bool:
    """Whether a callable is importable by its name, or has no name."""
    name = getattr(function, "__qualname__", None)
    return (
        name is None
        or getattr(sys.modules.get(function.__module__), name, None) is function
    )


@lru_cache(maxsize=1024)
def keywords_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of a registry: a function with a name and a title."""

    name: str
    title: str
    function: Callable[..., Any]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments of the function."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """Question that the function answers, from the first line of its docstring."""
        line = (inspect.getdoc(self.function) or "").partition("\n")[0]
        return re.sub(r" \[\d+\]_", "", line)


def add_entry(registry: dict[str, Any], entry: Any, what: str) -> None:
    """Add an entry under a new name.

    A notebook cell that is run again defines its function again, and the new function
    replaces the old one.
    """
    registered = registry.get(entry.name)
    if registered is not None and _definition(registered.function) != _definition(
        entry.function
    ):
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def _definition(function: Any) -> tuple[str, str] | Any:
    """Module and name of a function, or the object itself for other callables."""
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", None)
    return function if name is None else (function.__module__, name)


TARGETS = CLASSES, NUMBERS = "classes", "numbers"
"""Kinds of targets: class labels, and numbers."""

FORECASTS = VALUES, STD, QUANTILES, SAMPLES = "values", "std", "quantiles", "samples"
"""Predicted numbers, standard deviations of their errors, quantiles, and draws."""


@dataclass(frozen=True, slots=True)
class LossEntry(Entry):
    """Registry entry of a loss of each record."""

    measures: tuple[str, ...]
    array_api: bool = False
    bound: float | None = None
    target: str = CLASSES
    expression: Callable[..., Any] | None = None
    needs: str = VALUES
    relative: bool = False

    @property
    def is_expression(self) -> bool:
        """Whether arrays are read by the expression too, record by record."""
        function = getattr(self.function, "__wrapped__", None)
        return self.expression is not None and function is self.expression


def by_columns(expression: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loss of arrays that an expression of columns defines."""

    @wraps(expression)
    def loss(y: Any, predicted: Any, *uncertainty: Any, **options: Any) -> Any:
        ops = ArrayOperations.of(predicted)
        columns = predicted
        if predicted.ndim == 2:
            columns = [predicted[:, k] for k in range(predicted.shape[1])]
        y = ops.floats(y)
        # What is not finite is refused afterwards, by the name of the loss.
        with np.errstate(all="ignore"):
            return of_each(ops, y, expression(ops, y, columns, *uncertainty, **options))

    return loss


def of_each(ops: Any, y: Any, loss: Any) -> Any:
    """Return the loss of each record in floats, where an expression may be one number."""
    return ops.flag(y * 0.0 + loss if isinstance(loss, int | float) else loss)


_losses: dict[str, LossEntry] = {}

_reserved: dict[str, str] = dict.fromkeys(("alternative", "null_value"), "tests")
"""Options that losses cannot have, with their owners: tests of losses, and the evidence."""


def reserve_options(owner: str, names: Iterable[str]) -> None:
    """Reserve options that are passed beside those of losses, so that no loss has them."""
    for name in names:
        for loss in _losses.values():
            _check_option(loss.name, loss.options, name, owner)
        _reserved.setdefault(name, owner)


def _check_option(loss: str, options: Iterable[str], name: str, owner: str) -> None:
    if name in options:
        raise ValueError(
            f"The loss {loss!r} cannot have an option {name!r}, because {owner} has one, "
            "and both are passed together. Rename it."
        )


def options_of_losses() -> tuple[str, ...]:
    """Names of the options of all registered losses."""
    names = (name for loss in _losses.values() for name in loss.options)
    return tuple(dict.fromkeys(names))


def record_loss(
    name: str,
    *,
    title: str | None = None,
    measures: str | tuple[str, ...] | None = None,
    array_api: bool = False,
    bound: float | None = None,
    target: str = CLASSES,
    expression: Callable[..., Any] | bool = False,
    needs: str = VALUES,
    relative: bool = False,
) -> Callable[[F], F]:
    """Register a loss of each record, whose mean the tests of losses compare.

    Parameters
    ----------
    name : str
        Name by which the loss is requested: that of its mean.
    title : str, optional
        Title for reports; the name with spaces by default.
    measures : str or tuple of str
        Names of metrics and of scikit-learn's scorers, without ``neg_``, that are the mean
        of this loss, or 1 minus the mean of a relative one; by default its own name.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it receives them as NumPy arrays.
    bound : float, optional
        Largest difference between two losses of a record, without options. Tests for
        bounded losses require it as an option if it is not known.
    target : {"classes", "numbers"}, default="classes"
        What is predicted: classes, or numbers.
    expression : callable or bool, default=False
        The loss as an expression of columns, which data frame engines evaluate where the
        records are. True if the decorated function is one: arrays of all libraries are then
        read by it as well. Its arguments are operations, the positions of the true classes
        as floats, and a list with a column of probabilities per class; it combines them by
        ``+``, ``-``, ``*``, ``/``, comparisons, ``&``, ``|`` and the operations
        ``where(condition, value, otherwise)``, ``flag(condition)`` (1.0 or 0.0), ``floor``,
        ``abs``, ``exp``, ``log``, ``sqrt``, ``let(*values)``, which computes values once,
        and ``checked(values, condition, expected, advice)``, which raises an error unless
        the condition holds for all records, or gives NaN where engines compute the loss. Of
        a target of numbers it receives the true and the predicted ones as columns.
    needs : {"values", "std", "quantiles", "samples"}, default="values"
        What the loss of a number needs: predicted numbers; or their standard deviations
        too, as a third argument; or predicted quantiles, one column per level, and as a
        third argument the levels in increasing order; or draws from the predicted
        distribution, one column per draw. A predicted interval is two quantiles.
    relative : bool, default=False
        Whether a loss is relative to the mean loss of the best constant prediction for the
        same records, as that of R² is to the variance of the target.

    Returns
    -------
    decorator : callable
        For a function of the positions of the true classes, of shape (n_samples,), and of
        probabilities with one column per class, that returns the loss of each record; or,
        of a target of numbers, of the true and the predicted ones of one output; losses of
        several outputs are averaged over these. Its keyword-only arguments are options of
        the loss, which are passed beside its name: to `PairedLosses.from_predictions`, to
        tests, and as options of tests.

    Raises
    ------
    ValueError
        If the name is taken, a mean is that of another loss, or an option is one of the
        tests of losses, such as `alternative`.
    """
    check_choice("target", target, TARGETS)
    check_choice("needs", needs, FORECASTS)
    if not (callable(expression) or isinstance(expression, bool)):
        raise TypeError(f"`expression` must be a function, or True. Got {expression!r}.")
    if needs != VALUES and target != NUMBERS:
        raise ValueError(
            f"needs={needs!r} is for losses of numbers. Got target={target!r}. Pass "
            "target='numbers'."
        )

    def register(function: F) -> F:
        means = name if measures is None else measures
        means = (means,) if isinstance(means, str) else tuple(means)
        text = title or name.replace("_", " ")
        run: Any = function if array_api else in_numpy(function)
        own: Any = expression or None
        if expression is True:
            run, own = by_columns(function), function
        for option in keywords_of(function):
            if option in _reserved:
                _check_option(name, [option], option, _reserved[option])
        for mean in means:
            other = loss_of(mean)
            if other is not None and other.name != name:
                raise ValueError(
                    f"{mean!r} is the mean of the loss {other.name!r}. Name another one in "
                    f"`measures` of {name!r}."
                )
        in_place = array_api or expression is True
        entry = LossEntry(
            name, text, run, means, in_place, bound, target, own, needs, relative
        )
        add_entry(_losses, entry, "loss")
        return run

    return register


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses of each record, by name."""
    return MappingProxyType(_losses)


def tested_loss(measure: str | None) -> LossEntry | None:
    """Registered loss by which a measure is tested, or None if there is none.

    The measure is its mean, or for a relative loss 1 minus its mean.
    """
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    losses = record_losses().values()
    return next((loss for loss in losses if name in loss.measures), None)


def loss_of(measure: str | None) -> LossEntry | None:
    """Registered loss whose mean is the measure, or None if there is none."""
    loss = tested_loss(measure)
    return None if loss is None or loss.relative else loss


class UndefinedRateError(ValueError):
    """Error raised for a rate among an empty set of records."""


UNBOUNDED = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class MetricEntry(Entry):
    """Registry entry of a metric."""

    function: Callable[..., float]
    response_method: str
    greater_is_better: bool
    instead: str = ""
    array_api: bool = False
    bounds: tuple[float, float] = UNBOUNDED
    target: str = CLASSES

    @property
    def scorer_name(self) -> str:
        """Name of the metric on a greater-is-better scale."""
        return self.name if self.greater_is_better else f"neg_{self.name}"


_metrics: dict[str, MetricEntry] = {}


_listeners: list[Callable[[MetricEntry], None]] = []


def metric(
    name: str,
    *,
    response_method: str,
    greater_is_better: bool,
    title: str | None = None,
    instead: str = "",
    array_api: bool = False,
    bounds: tuple[float, float] = UNBOUNDED,
    target: str = CLASSES,
) -> Callable[[F], F]:
    """Register a function of labels and predictions as a metric.

    Parameters
    ----------
    name : str
        Name by which the metric is requested.
    response_method : {"predict", "predict_proba"}
        Method whose result is the second argument: labels of shape (n_samples,), or
        probabilities of shape (n_samples, n_classes). A metric of probabilities receives
        the order of the classes as the keyword `labels`, if it has that keyword.
    greater_is_better : bool
        False for losses and errors.
    title : str, optional
        Title for reports; the name with spaces by default.
    instead : str, optional
        Metric whose difference is to be tested instead, if this one has a bias that
        differs between classifiers. Tests of any score are then not used for it.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it receives them as NumPy arrays.
    bounds : pair of float, default=(-inf, inf)
        Least and greatest value of the metric. A gate refuses margins beyond them, and
        displays have one axis for all metrics between 0 and 1.
    target : {"classes", "numbers"}, default="classes"
        What is predicted: classes, or numbers, which are the result of "predict".
    """
    check_choice("response_method", response_method, ("predict", "predict_proba"))
    check_choice("target", target, TARGETS)
    if target == NUMBERS and response_method != "predict":
        raise ValueError(
            f"A metric of numbers takes the result of 'predict'. Got response_method="
            f"{response_method!r}."
        )

    def register(function: F) -> F:
        text = title or name.replace("_", " ")
        run = function if array_api else in_numpy(function)
        entry = MetricEntry(
            name,
            text,
            run,
            response_method,
            greater_is_better,
            instead,
            array_api,
            bounds,
            target,
        )
        add_entry(_metrics, entry, "metric")
        for listener in _listeners:
            listener(entry)
        return run

    return register


def on_new_metric(tell: Callable[[MetricEntry], None]) -> None:
    """Register a function to be called with each new metric."""
    _listeners.append(tell)


def metrics() -> Mapping[str, MetricEntry]:
    """All registered metrics by name."""
    return MappingProxyType(_metrics)


BIASED = "its bias differs between classifiers"
"""Reason why a registered metric with another one `instead` has no valid test."""

UNTESTABLE = {
    "neg_max_error": (
        "neg_mean_absolute_error",
        "one record decides a maximum, so that no number of records shows its variation",
    )
}
"""Scorers of scikit-learn without a valid test: the measure to test instead, and why."""


def why_untestable(measure: str | None) -> str:
    """Return the reason why no test of a measure is valid, or an empty string."""
    if measure in UNTESTABLE:
        return UNTESTABLE[measure][1]
    return BIASED if tested_instead(measure) else ""


def tested_instead(measure: str | None) -> str:
    """Measure to test instead of one without valid tests, or an empty string."""
    if measure is None:
        return ""
    if measure in UNTESTABLE:
        return UNTESTABLE[measure][0]
    entries = metrics()
    entry = entries.get(measure) or entries.get(measure.removeprefix("neg_"))
    return "" if entry is None else entry.instead
