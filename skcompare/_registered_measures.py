"""The registries of metrics and of losses a record.

Together with that of the tests they are `skcompare._registry`, where others import from.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from skcompare._validation import check_choice

__all__ = [
    "LossEntry",
    "MetricEntry",
    "add_entry",
    "keywords_of",
    "loss_of",
    "metric",
    "metrics",
    "on_new_metric",
    "record_loss",
    "record_losses",
    "tested_instead",
]

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

    .. versionadded:: 0.1
    """
    check_choice("response_method", response_method, ("predict", "predict_proba"))

    def register(function: F) -> F:
        words = title or name.replace("_", " ")
        entry = MetricEntry(
            name, words, function, response_method, greater_is_better, instead
        )
        add_entry(_metrics, entry, "metric")
        for tell in _told:
            tell(entry)
        return function

    return register


def record_loss(
    name: str, *, title: str | None = None, measures: str | tuple[str, ...] = ()
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
        add_entry(_losses, LossEntry(name, words, function, means), "loss")
        return function

    return register


def on_new_metric(tell: Callable[[MetricEntry], None]) -> None:
    """Call a function with each metric that is registered from now on."""
    _told.append(tell)


def metrics() -> Mapping[str, MetricEntry]:
    """All registered metrics by name."""
    return MappingProxyType(_metrics)


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses a record by name."""
    return MappingProxyType(_losses)


def loss_of(measure: str | None) -> LossEntry | None:
    """The loss a record whose mean a measure is; None where it is no such mean."""
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    return next((loss for loss in _losses.values() if name in loss.measures), None)


def tested_instead(measure: str | None) -> str:
    """The measure to test instead of a biased one; empty for all others."""
    if measure is None:
        return ""
    entry = _metrics.get(measure) or _metrics.get(measure.removeprefix("neg_"))
    return "" if entry is None else entry.instead


def keywords_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def add_entry(registry: dict[str, Any], entry: Any, what: str) -> None:
    """Add an entry under a name of its own.

    A cell of a notebook that is run again defines its function again, which takes the place
    of what it was.
    """
    known = registry.get(entry.name)
    if known is not None and _written_at(known.function) != _written_at(entry.function):
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def _written_at(function: Any) -> tuple[str, str] | Any:
    """Where a function was defined; for other callables the object itself."""
    name = getattr(function, "__qualname__", None)
    return function if name is None else (function.__module__, name)
