"""Registry of metrics, for report rows and scorers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from skcompare._core.validation import check_choice
from skcompare._registry.entries import add_entry, first_line, in_numpy, keywords_of

F = TypeVar("F", bound=Callable[..., Any])


class UndefinedRateError(ValueError):
    """Error raised for a rate among an empty set of records."""


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """Registry entry of a metric."""

    name: str
    title: str
    function: Callable[..., float]
    response_method: str
    greater_is_better: bool
    instead: str = ""
    array_api: bool = False

    @property
    def scorer_name(self) -> str:
        """Name of the metric on a greater-is-better scale."""
        return self.name if self.greater_is_better else f"neg_{self.name}"

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments of the metric."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """Description of the metric, from the first line of its docstring."""
        return first_line(self.function)


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
    """
    check_choice("response_method", response_method, ("predict", "predict_proba"))

    def register(function: F) -> F:
        text = title or name.replace("_", " ")
        wrapped = function if array_api else in_numpy(function)
        entry = MetricEntry(
            name, text, wrapped, response_method, greater_is_better, instead, array_api
        )
        add_entry(_metrics, entry, "metric")
        for listener in _listeners:
            listener(entry)
        return wrapped

    return register


def on_new_metric(tell: Callable[[MetricEntry], None]) -> None:
    """Register a function to be called with each new metric."""
    _listeners.append(tell)


def metrics() -> Mapping[str, MetricEntry]:
    """All registered metrics by name."""
    return MappingProxyType(_metrics)


def tested_instead(measure: str | None) -> str:
    """Measure to test instead of a biased one, or an empty string for other measures."""
    if measure is None:
        return ""
    entries = metrics()
    entry = entries.get(measure) or entries.get(measure.removeprefix("neg_"))
    return "" if entry is None else entry.instead
