"""Measures of a comparison: registered metrics and scikit-learn's scorers.

A measure scores stored predictions, so that nothing is fitted or predicted twice and any
scorer that only calls its estimator's prediction methods can be compared.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import (
    f1_score,
    jaccard_score,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.metrics import get_scorer as get_sklearn_scorer

from skcompare._analysis.measures._metric_scorer import (
    ClassMetric,
    DirectScorer,
    entry_of,
    known_names,
)
from skcompare._analysis.measures._stored_classifier import (
    Probe,
    StoredPredictions,
    Watch,
    watched,
)
from skcompare._core.validation import some_of, unknown_name
from skcompare._registry.metrics import metrics
from skcompare._registry.scorer_names import CHAMPION_SCORERS, PREFIX
from skcompare.predictions import DECISION, LABELS, SCORES

Scorer = Callable[[Any, Any, Any], float]

OF_CLASS = re.compile(r"(\w+)\[(.+)\]", re.DOTALL)
"""Pattern of a measure of one class against the rest, such as precision[malignant]."""


PROBED = np.array([0, 1, 0, 1])
"""True labels of the records with which scorers are probed."""


@dataclass(frozen=True, slots=True)
class MacroAverage:
    """Mean of a score over the classes that occur among the true labels.

    scikit-learn adds the classes that only a classifier predicts, so that each of
    two classifiers would be scored by classes of its own.
    """

    score: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(self, y_true: Any, y_pred: Any) -> float:
        return self.score(y_true, y_pred, labels=np.unique(y_true), average="macro")


MACRO_AVERAGES = {
    "f1_macro": MacroAverage(f1_score),
    "jaccard_macro": MacroAverage(jaccard_score),
    "precision_macro": MacroAverage(precision_score),
    "recall_macro": MacroAverage(recall_score),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A score of one classifier's predictions for one test set.

    Parameters
    ----------
    name : str
        The key in reports.
    greater_is_better : bool
        False for losses, whose differences are negated.
    required : frozenset of {"labels", "scores", "decision"}
        Predictions that it needs.
    scorer : callable
        `scorer(estimator, X, y)`, where the estimator returns stored predictions.
    metric : str or None
        Name of the metric, by which its tests are found; None for a scorer without a
        known name.
    label : str or None
        The class of the measure, as text: that class is positive, and all others are the
        rest.
    """

    name: str
    greater_is_better: bool
    required: frozenset[str]
    scorer: Scorer
    metric: str | None = None
    label: str | None = None

    @property
    def subject(self) -> str:
        """Name of the measure, followed by its class in brackets if there is one."""
        return self.name if self.label is None else f"{self.name}[{self.label}]"

    def position(self, classes: np.ndarray) -> int:
        """Position of the measure's class among the classes."""
        names = [str(label) for label in classes.tolist()]
        if self.label not in names:
            raise ValueError(
                f"scoring {self.subject!r} is about a class that does not occur. "
                f"Classes: {some_of(classes)}."
            )
        return names.index(self.label)

    def check_classes(self, classes: np.ndarray) -> None:
        """Raise an error before fitting if a named scorer cannot score these classes."""
        if self.label is not None:
            self.position(classes)
            classes = np.array([0, 1])
        if self.metric is None:
            return
        try:
            self.of_right_predictions(classes, np.arange(len(classes)))
        except ValueError as error:
            raise ValueError(
                f"scoring {self.subject!r} does not suit the {len(classes)} classes "
                f"{some_of(classes)}: {error} For two string classes pass `pos_label`; "
                "for more classes choose a multi-class scorer, such as 'f1_macro'."
            ) from error

    @property
    def needs_proba(self) -> bool:
        """Whether the scorer needs probabilities and cannot use decision scores."""
        lacks = [self._needs_more(proba) for proba in (None, np.eye(2)[PROBED])]
        return SCORES in self.required and lacks == [True, False]

    def _needs_more(self, proba: np.ndarray | None) -> bool:
        """Whether the scorer needs more than labels, decision scores and `proba`."""
        stored = StoredPredictions(np.array([0, 1]), PROBED, proba, 2.0 * PROBED - 1)
        try:
            with watched():
                self.scorer(stored, np.arange(len(PROBED)).reshape(-1, 1), PROBED)
        except AttributeError:
            return True
        # It may reject the data.
        except Exception:
            return False
        return False

    def of_right_predictions(self, classes: np.ndarray, codes: np.ndarray) -> float:
        """Score correct and certain predictions for two records of each class in `codes`.

        NaN where the scorer warns, as about a class without records.
        """
        y_true = np.repeat(classes[codes], 2)
        proba = np.repeat(np.eye(len(classes))[codes], 2, axis=0)
        decision = proba[:, 1] if len(classes) == 2 else proba
        stored, watch = StoredPredictions(classes, y_true, proba, decision), Watch()
        with watched(watch):
            score = self.scorer(stored, np.arange(len(y_true)).reshape(-1, 1), y_true)
        return float("nan") if watch.undefined or watch.warned else float(score)


def resolve_scoring(scoring: Any) -> tuple[Measure, ...]:
    """Return the measures of a `scoring` argument, with the primary one first.

    Parameters
    ----------
    scoring : str, callable, list of str, or dict
        Names of metrics of this package or of scikit-learn's scorers, a scorer
        `scorer(estimator, X, y)`, or a dict of names and either of them. A name with a
        class, such as "precision[malignant]", is about that class against the rest.
    """
    measures = tuple(_measure(name, value) for name, value in named_scoring(scoring))
    subjects = [measure.subject for measure in measures]
    if len(set(subjects)) < len(subjects):
        raise ValueError(
            f"`scoring` must have each measure once. Got {subjects}, where a class in "
            "brackets belongs to the name. Choose other names in the dict."
        )
    return measures


def named_scoring(scoring: Any) -> list[tuple[str, Any]]:
    """Return the names and scorers of a `scoring` argument, with unique names."""
    if isinstance(scoring, Mapping):
        pairs = [(str(name), value) for name, value in scoring.items()]
    elif isinstance(scoring, str) or callable(scoring):
        pairs = [(_name_of(scoring), scoring)]
    elif isinstance(scoring, Iterable):
        pairs = [(_name_of(item), item) for item in scoring]
    else:
        raise TypeError(
            "`scoring` must be a name, a scorer, a list of names or a dict. Got "
            f"{type(scoring).__name__}. Pass scoring='accuracy' for accuracy."
        )
    names = [name for name, _ in pairs]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            f"`scoring` must have at least one name, each once. Got {names}. Pass a dict "
            "to name scorers."
        )
    return pairs


def _name_of(scorer: Any) -> str:
    return scorer if isinstance(scorer, str) else getattr(scorer, "__name__", "score")


def _measure(name: str, value: Any) -> Measure:
    if not isinstance(value, str):
        _check_scorer(name, value)
        return Measure(name, True, _needed_predictions(value), value)
    match = OF_CLASS.fullmatch(value)
    if match is not None:
        measured, label = match.groups()
        measure = _measure(measured if name == value else name, measured)
        return replace(measure, label=label)
    entry = entry_of(value)
    if entry is not None:
        # A loss by its own name is the loss itself.
        plain = value.removeprefix(PREFIX)
        negated = plain != entry.name
        scorer: Scorer = DirectScorer(ClassMetric(entry), -1 if negated else 1)
        kind = LABELS if entry.response_method == "predict" else SCORES
        greater = entry.greater_is_better or negated
        return Measure(name, greater, frozenset({kind}), scorer, plain)
    if value.removeprefix(PREFIX) in CHAMPION_SCORERS:
        raise ValueError(
            f"scoring={value!r} scores a classifier against a champion, for scikit-learn's "
            "functions. Here the classifiers are compared by measures, such as 'accuracy', "
            "and by tests, which `tests` names."
        )
    try:
        average = MACRO_AVERAGES.get(value)
        scorer = get_sklearn_scorer(value) if average is None else make_scorer(average)
    except (ValueError, KeyError):
        raise unknown_name("scoring", value, known_names().union(metrics())) from None
    return Measure(name, True, _needed_predictions(scorer), scorer, value)


def _check_scorer(name: str, scorer: Any) -> None:
    if not callable(scorer):
        raise TypeError(f"The scorer {name!r} must be a name or callable. Got {scorer!r}.")
    try:
        parameters = list(inspect.signature(scorer).parameters)
    except (TypeError, ValueError):
        return
    if parameters[:1] == ["y_true"]:
        raise TypeError(
            f"{name!r} is a metric of labels, and no scorer(estimator, X, y). Wrap it by "
            "sklearn.metrics.make_scorer, or pass its name."
        )


def _needed_predictions(scorer: Scorer) -> frozenset[str]:
    """Determine the kinds of predictions that a scorer needs, by probing the scorer.

    Probabilities are preferred to decision scores, so these are offered only to a scorer
    that takes nothing else.
    """
    requested: set[str] = set()
    for with_decision in (False, True):
        probe = Probe(with_decision)
        try:
            with watched():
                scorer(probe, np.arange(4).reshape(-1, 1), PROBED)
            return frozenset(probe.requested or {LABELS, SCORES})
        except AttributeError:
            # It may have called a method that this probe does not have.
            requested |= probe.requested
        # A scorer may reject the probe's data; the methods called until then count.
        except Exception:
            return frozenset(requested | probe.requested or {LABELS, SCORES})
    return frozenset(requested | {DECISION})
