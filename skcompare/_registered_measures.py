"""The registries of metrics and of losses a record.

Together with that of the tests they are `skcompare._registry`, where others import from.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import update_wrapper, wraps
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from skcompare._arrays import on_host
from skcompare._validation import check_choice

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """All that is known about a metric.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    function: Callable[..., float]
    response_method: str
    greater_is_better: bool
    instead: str = ""
    array_api: bool = False

    @property
    def scorer_name(self) -> str:
        """The metric's name on a greater-is-better scale."""
        return self.name if self.greater_is_better else f"neg_{self.name}"

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the metric takes."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """What the metric measures: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class LossEntry:
    """All that is known about a loss a record.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    function: Callable[..., Any]
    measures: tuple[str, ...]
    array_api: bool = False
    bound: float | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the loss takes."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """What the loss measures: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


_metrics: dict[str, MetricEntry] = {}
_losses: dict[str, LossEntry] = {}
_told: list[Callable[[MetricEntry], None]] = []


def metric(
    name: str,
    *,
    response_method: str,
    greater_is_better: bool,
    title: str | None = None,
    instead: str = "",
    array_api: bool = False,
) -> Callable[[F], F]:
    """Register a function of labels and answers as a metric.

    Parameters
    ----------
    name : str
        The name by which the metric is asked for.
    response_method : {"predict", "predict_proba"}
        What its second argument is: labels of shape (n_samples,), or probabilities of
        shape (n_samples, n_classes). A metric of probabilities gets the order of the
        classes as the keyword `labels`, if it takes that.
    greater_is_better : bool
        False for losses and errors.
    title : str, optional
        Words for reports; the name with spaces by default.
    instead : str, optional
        The metric whose difference is to be tested instead, where this one has a bias
        that differs between classifiers. Tests of any score then leave it alone.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it gets them as arrays of numpy.

    .. versionadded:: 0.1
    """
    check_choice("response_method", response_method, ("predict", "predict_proba"))

    def register(function: F) -> F:
        words = title or name.replace("_", " ")
        given = function if array_api else _in_numpy(function)
        entry = MetricEntry(
            name, words, given, response_method, greater_is_better, instead, array_api
        )
        add_entry(_metrics, entry, "metric", "metrics")
        for tell in _told:
            tell(entry)
        return given

    return register


class InNumpy:
    """A callable that gets arrays of other libraries as arrays of numpy.

    Parameters
    ----------
    function : callable
        One that is found by its own name, such as a function of another library, or that
        has no name.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function

    def __reduce__(self) -> tuple[type, tuple[Callable[..., Any]]]:
        return InNumpy, (self.function,)

    def __call__(self, *positional: Any, **named: Any) -> Any:
        in_numpy = {name: on_host(value) for name, value in named.items()}
        return self.function(*map(on_host, positional), **in_numpy)


def _in_numpy(function: F) -> F:
    """A function that gets arrays of other libraries as arrays of numpy.

    It is a function again, for a decorator that puts it in the place of the first one. What
    has its place already keeps it, and is pickled from there.
    """
    run = InNumpy(function)
    if _has_place(function):
        return run  # type: ignore[return-value]

    @wraps(function)
    def wrapped(*positional: Any, **named: Any) -> Any:
        return run(*positional, **named)

    return wrapped  # type: ignore[return-value]


def _has_place(function: Callable[..., Any]) -> bool:
    """Whether a callable needs no place, as an object, or is in its own already."""
    name = getattr(function, "__qualname__", None)
    return (
        name is None
        or getattr(sys.modules.get(function.__module__), name, None) is function
    )


def record_loss(
    name: str,
    *,
    title: str | None = None,
    measures: str | tuple[str, ...] = (),
    array_api: bool = False,
    bound: float | None = None,
) -> Callable[[F], F]:
    """Register a loss a record, so that every test of losses runs on its mean.

    Parameters
    ----------
    name : str
        The name by which the loss is asked for.
    title : str, optional
        Words for reports; the name with spaces by default.
    measures : str or tuple of str
        Names of metrics and of scikit-learn's scorers, without ``neg_``, that are the mean
        of this loss.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it gets them as arrays of numpy.
    bound : float, optional
        The most by which two losses of a record can differ, without options. Tests for
        bounded losses ask for it where it is not known.

    Returns
    -------
    decorator : callable
        For a function of the positions of the true classes, of shape (n_samples,), and of
        probabilities with a column a class, that returns a loss a record.

    .. versionadded:: 0.1
    """

    def register(function: F) -> F:
        means = (measures,) if isinstance(measures, str) else tuple(measures)
        words = title or name.replace("_", " ")
        given = function if array_api else _in_numpy(function)
        entry = LossEntry(name, words, given, means, array_api, bound)
        add_entry(_losses, entry, "loss", "evidence")
        return given

    return register


def on_new_metric(tell: Callable[[MetricEntry], None]) -> None:
    """Call a function with each metric that is registered from now on."""
    _told.append(tell)


def metrics() -> Mapping[str, MetricEntry]:
    """All registered metrics by name."""
    return MappingProxyType(completed(_metrics, "metrics"))


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses a record by name."""
    return MappingProxyType(completed(_losses, "evidence"))


def loss_of(measure: str | None) -> LossEntry | None:
    """The loss a record whose mean a measure is; None where it is no such mean."""
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    losses = record_losses().values()
    return next((loss for loss in losses if name in loss.measures), None)


def tested_instead(measure: str | None) -> str:
    """The measure to test instead of a biased one; empty for all others."""
    if measure is None:
        return ""
    known = metrics()
    entry = known.get(measure) or known.get(measure.removeprefix("neg_"))
    return "" if entry is None else entry.instead


def keywords_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def completed(registry: dict[str, Any], package: str) -> dict[str, Any]:
    """A registry with all that one of our packages registers when it is loaded.

    Importing what is loaded costs nothing, and waits for another thread that loads it.
    """
    import_module(f"skcompare.{package}")
    return registry


def add_entry(registry: dict[str, Any], entry: Any, what: str, package: str) -> None:
    """Add an entry under a name of its own, after those of the package that has our own.

    A cell of a notebook that is run again defines its function again, which takes the place
    of what it was.
    """
    module = str(getattr(entry.function, "__module__", ""))
    if not module.startswith(f"skcompare.{package}"):
        completed(registry, package)
    known = registry.get(entry.name)
    if known is not None and _written_at(known.function) != _written_at(entry.function):
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def _written_at(function: Any) -> tuple[str, str] | Any:
    """Where a function was defined; for other callables the object itself."""
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", None)
    return function if name is None else (function.__module__, name)
