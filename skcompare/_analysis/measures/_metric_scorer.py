"""Scorers of registered metrics, which pass on the classes of the scored classifier."""

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, update_wrapper
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names

from skcompare._core.sklearn_private import scorer_told_classes
from skcompare._core.validation import positive_class
from skcompare._registry.metrics import MetricEntry, UndefinedRateError, metrics
from skcompare._registry.scorer_names import CHAMPION_SCORERS, PREFIX

WEIGHT = "sample_weight"
"""Keyword of metrics that is passed as metadata."""

NO_CLASSES = object()
"""Stands for the classes where the caller of a metric is not a scorer of this package."""


def entry_of(name: str) -> MetricEntry | None:
    """Return the metric of a name, with or without negation or our prefix, or None."""
    plain = name.removeprefix(PREFIX)
    if plain in metrics():
        return metrics()[plain]
    entry = metrics().get(plain.removeprefix("neg_"))
    return None if entry is None or entry.greater_is_better else entry


def scorer_names() -> set[str]:
    """Names of the scorers of all registered metrics, and of those against a champion."""
    # A list, because another thread may register a metric at the same time.
    entries = list(metrics().values())
    return {*(entry.scorer_name for entry in entries), *CHAMPION_SCORERS}


def known_names() -> set[str]:
    """Names of all scorers of this package and of scikit-learn."""
    theirs = {name.removeprefix(PREFIX) for name in get_sklearn_scorer_names()}
    return theirs | scorer_names()


def scorer_of(entry: MetricEntry, options: Mapping[str, Any]) -> Any:
    """Return a scorer of a metric on a greater-is-better scale.

    It is one of scikit-learn's own scorers if the classes can be passed to that, and
    otherwise one that uses public names only.
    """
    metric, sign = ClassMetric(entry), 1 if entry.greater_is_better else -1
    scorer = scorer_told_classes(metric, entry.response_method, sign, options)
    return DirectScorer(metric, sign, options) if scorer is None else scorer


signature_of = lru_cache(maxsize=1024)(inspect.signature)


class ClassMetric:
    """Registered metric that receives the classes of the scored classifier.

    A test set may lack a class and then look like another problem, so the classes of the
    classifier count. The signature has no `labels`, because callers who find it there
    would pass other ones, or none.

    Parameters
    ----------
    entry : MetricEntry
        The metric.
    """

    def __init__(self, entry: MetricEntry) -> None:
        update_wrapper(self, entry.function)
        # scikit-learn prints it, and a callable object has none.
        self.__name__ = entry.name
        self.entry = entry
        signature = signature_of(entry.function)
        takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
        self.takes_labels = takes_any or "labels" in signature.parameters
        kept = [p for name, p in signature.parameters.items() if name != "labels"]
        self.__signature__ = signature.replace(parameters=kept)

    def __repr__(self) -> str:
        return self.entry.name

    def __reduce__(self) -> tuple[type, tuple[MetricEntry]]:
        return ClassMetric, (self.entry,)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of options other than labels, predictions, classes and weights."""
        parameters = list(self.__signature__.parameters.values())[2:]
        by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return tuple(p.name for p in parameters if p.kind in by_name and p.name != WEIGHT)

    @property
    def of_probabilities(self) -> bool:
        """Whether the metric scores probabilities rather than labels."""
        return self.entry.response_method == "predict_proba"

    def __call__(
        self,
        y_true: Any,
        predictions: Any,
        *,
        told_classes: Any = NO_CLASSES,
        **options: Any,
    ) -> float:
        """Compute the metric of labels, or of probabilities with one column per class."""
        if told_classes is NO_CLASSES:
            return self._at_threshold(y_true, predictions, options)
        return self.entry.function(
            y_true, predictions, **self._with_classes(told_classes, options)
        )

    def _with_classes(self, classes: Any, options: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords of the metric, including those for the classes."""
        if self.of_probabilities:
            return {"labels": classes, **options} if self.takes_labels else options
        if classes is None or "pos_label" not in self.__signature__.parameters:
            return options
        positive = positive_class(np.asarray(classes), options.get("pos_label"))
        return {**options, "pos_label": positive}

    def _at_threshold(self, y_true: Any, labels: Any, options: dict[str, Any]) -> float:
        """Compute the metric for callers outside a scorer, such as threshold tuning."""
        if self.of_probabilities:
            raise ValueError(
                f"{self.entry.scorer_name} scores probabilities. Got labels, as those that "
                "TunedThresholdClassifierCV makes by each threshold. Choose a metric of "
                "labels, such as 'balanced_accuracy'."
            )
        try:
            return self.entry.function(y_true, labels, **options)
        except UndefinedRateError as error:
            # The outermost thresholds give all records one label; the others still count.
            warnings.warn(f"{error} It counts as 0.", UndefinedMetricWarning, stacklevel=3)
            return 0.0


@dataclass(frozen=True)
class DirectScorer:
    """Scorer of a registered metric that uses only the public API of scikit-learn.

    It scores stored predictions, and all estimators where the classes cannot be passed to
    scikit-learn's own scorers.
    """

    metric: ClassMetric
    sign: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        options = dict(self.options, told_classes=getattr(estimator, "classes_", None))
        if sample_weight is not None:
            options[WEIGHT] = sample_weight
        predictions = getattr(estimator, self.metric.entry.response_method)(X)
        return self.sign * self.metric(y, predictions, **options)

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this on each of several scorers, with routing off.
        return WEIGHT in inspect.signature(self.metric).parameters
