"""Registered metrics as scorers that know the classes of the classifier they score."""

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names

from skcompare._core.sklearn_private import scorer_told_classes
from skcompare._core.validation import positive_class
from skcompare._registry.metrics import MetricEntry, metrics
from skcompare._registry.scorer_names import CHAMPION_SCORERS, PREFIX
from skcompare.metrics._labels import UndefinedRateError

WEIGHT = "sample_weight"
"""A keyword of metrics that comes by metadata."""

NOT_TOLD = object()
"""Stands for the classes where a metric is called by another than a scorer of ours."""


def entry_of(name: str) -> MetricEntry | None:
    """The metric behind a name, plain, of a negated loss, or with our prefix."""
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
    """Names of all scorers, ours and scikit-learn's, each once."""
    theirs = {name.removeprefix(PREFIX) for name in get_sklearn_scorer_names()}
    return theirs | scorer_names()


def scorer_of(entry: MetricEntry, options: Mapping[str, Any]) -> Any:
    """A metric as a scorer on a greater-is-better scale.

    It is one of scikit-learn's own scorers as far as their class lets itself be told the
    classes, and else one that uses public names only.
    """
    metric, sign = ClassMetric(entry), 1 if entry.greater_is_better else -1
    told = scorer_told_classes(metric, entry.response_method, sign, options)
    return DirectScorer(metric, sign, options) if told is None else told


class ClassMetric:
    """A registered metric, and what it has to be told of a classifier's classes.

    A test set may lack a class and then look like another problem, so that what the
    classifier knows counts. In its signature there is no `labels`, because whoever found it
    there would pass other ones, or none.

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
        given = inspect.signature(entry.function)
        any_word = any(p.kind is p.VAR_KEYWORD for p in given.parameters.values())
        self.takes_labels = any_word or "labels" in given.parameters
        kept = [p for name, p in given.parameters.items() if name != "labels"]
        self.__signature__ = given.replace(parameters=kept)

    def __repr__(self) -> str:
        return self.entry.name

    def __reduce__(self) -> tuple[type, tuple[MetricEntry]]:
        return ClassMetric, (self.entry,)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of what the metric takes beside labels, answers, classes and weights."""
        others = list(self.__signature__.parameters.values())[2:]
        by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return tuple(p.name for p in others if p.kind in by_name and p.name != WEIGHT)

    @property
    def of_probabilities(self) -> bool:
        """Whether it scores probabilities and not labels."""
        return self.entry.response_method == "predict_proba"

    def __call__(
        self, y_true: Any, answers: Any, *, told_classes: Any = NOT_TOLD, **words: Any
    ) -> float:
        """The metric of labels, or of probabilities with a column a class."""
        if told_classes is NOT_TOLD:
            return self._at_threshold(y_true, answers, words)
        return self.entry.function(y_true, answers, **self._told(told_classes, words))

    def _told(self, classes: Any, words: dict[str, Any]) -> dict[str, Any]:
        """Keywords of the metric, with those about a classifier's classes."""
        if self.of_probabilities:
            return {"labels": classes, **words} if self.takes_labels else words
        if classes is None or "pos_label" not in self.__signature__.parameters:
            return words
        positive = positive_class(np.asarray(classes), words.get("pos_label"))
        return {**words, "pos_label": positive}

    def _at_threshold(self, y_true: Any, labels: Any, words: dict[str, Any]) -> float:
        """The metric for who took it out of a scorer, to score labels by a threshold."""
        if self.of_probabilities:
            raise ValueError(
                f"{self.entry.scorer_name} scores probabilities. Got labels, as those that "
                "TunedThresholdClassifierCV makes by each threshold. Choose a metric of "
                "labels, such as 'balanced_accuracy'."
            )
        try:
            return self.entry.function(y_true, labels, **words)
        except UndefinedRateError as error:
            # The outermost thresholds give all records one label; the others still count.
            warnings.warn(f"{error} It counts as 0.", UndefinedMetricWarning, stacklevel=3)
            return 0.0


@dataclass(frozen=True)
class DirectScorer:
    """A registered metric as a scorer that uses public names of scikit-learn only.

    Stored answers are scored by it, and all estimators where scikit-learn's own scorers
    cannot be told the classes.
    """

    metric: ClassMetric
    sign: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        words = dict(self.options, told_classes=getattr(estimator, "classes_", None))
        if sample_weight is not None:
            words[WEIGHT] = sample_weight
        answers = getattr(estimator, self.metric.entry.response_method)(X)
        return self.sign * self.metric(y, answers, **words)

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer among several, with routing off.
        return WEIGHT in inspect.signature(self.metric).parameters
