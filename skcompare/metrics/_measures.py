"""What a comparison measures: our metrics and scikit-learn's scorers alike.

A measure scores stored answers, so that nothing is fitted or predicted twice and any
scorer that only asks its estimator for answers can be compared.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names

from skcompare._registry import MetricEntry, metrics
from skcompare._validation import unknown_name
from skcompare.evidence import ScoreDifferences
from skcompare.metrics._stored import Probe, StoredAnswers
from skcompare.metrics._undefined import undefined_as_nan
from skcompare.predictions import LABELS, SCORES, Answers, PairedPredictions

__all__ = ["Measure", "resolve_scoring", "score_differences"]

Scorer = Callable[[Any, Any, Any], float]


@dataclass(frozen=True, slots=True)
class Measure:
    """A score of one classifier's answers to one test set.

    Parameters
    ----------
    name, title : str
        The key and the words in reports.
    greater_is_better : bool
        False for losses, whose differences are negated.
    wanted : frozenset of {"labels", "scores"}
        The answers that it needs.
    scorer : callable
        `scorer(estimator, X, y)`, where the estimator gives the stored answers.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    greater_is_better: bool
    wanted: frozenset[str]
    scorer: Scorer


def resolve_scoring(scoring: Any) -> tuple[Measure, ...]:
    """The measures behind a `scoring` argument; the first is the primary one.

    Parameters
    ----------
    scoring : str, callable, list of str, or dict
        Names of metrics of this package or of scikit-learn's scorers, a scorer
        `scorer(estimator, X, y)`, or a dict of names and either of them.
    """
    if isinstance(scoring, Mapping):
        named = [(str(name), value) for name, value in scoring.items()]
    elif isinstance(scoring, str) or callable(scoring):
        named = [(_name_of(scoring), scoring)]
    elif isinstance(scoring, Iterable):
        named = [(_name_of(item), item) for item in scoring]
    else:
        raise TypeError(
            "`scoring` must be a name, a scorer, a list of names or a dict. Got "
            f"{type(scoring).__name__}. Pass scoring='accuracy' for accuracy."
        )
    names = [name for name, _ in named]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"`scoring` must have at least one name, each once. Got {names}.")
    return tuple(_measure(name, value) for name, value in named)


def _name_of(scorer: Any) -> str:
    return scorer if isinstance(scorer, str) else getattr(scorer, "__name__", "score")


def _measure(name: str, value: Any) -> Measure:
    if not isinstance(value, str):
        if not callable(value):
            raise TypeError(
                f"The scorer {name!r} must be a name or callable. Got {value!r}."
            )
        return Measure(name, name, True, _asked_by(value), value)
    entry = metrics().get(value) or metrics().get(value.removeprefix("neg_"))
    if entry is not None:
        negated = value != entry.name
        scorer: Scorer = _RegisteredScorer(entry, -1 if negated else 1)
        wanted = LABELS if entry.response_method == "predict" else SCORES
        greater = entry.greater_is_better is not negated
        title = f"negated {entry.title}" if negated else entry.title
        return Measure(name, title, greater, frozenset({wanted}), scorer)
    try:
        scorer = get_sklearn_scorer(value)
    except (ValueError, KeyError):
        known = {*metrics(), *get_sklearn_scorer_names()}
        raise unknown_name("scoring", value, known) from None
    return Measure(name, name.replace("_", " "), True, _asked_by(scorer), scorer)


@dataclass(frozen=True)
class _RegisteredScorer:
    """A registered metric as a scorer of stored answers."""

    entry: MetricEntry
    sign: int

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        if self.entry.response_method == "predict":
            return self.sign * self.entry.function(y, estimator.predict(X))
        proba = estimator.predict_proba(X)
        return self.sign * self.entry.function(y, proba, labels=estimator.classes_)


def _asked_by(scorer: Scorer) -> frozenset[str]:
    """The answers that a scorer needs, found by letting it ask."""
    probe = Probe()
    try:
        with undefined_as_nan():
            scorer(probe, np.arange(4).reshape(-1, 1), np.array([0, 1, 0, 1]))
    # A scorer may dislike the probe's data; what it asked for until then counts.
    except Exception:
        return frozenset(probe.asked or {LABELS, SCORES})
    return frozenset(probe.asked or {LABELS, SCORES})


def score_differences(
    pair: PairedPredictions, measure: Measure, pos_label: Any = None
) -> ScoreDifferences:
    """Score both roles on every test set.

    A test set on which the score is undefined (one class only, for example) gives NaN;
    where it is undefined on all of them, the scorer's own error is raised.
    """
    predictions = pair.predictions
    scores = np.array(
        [_split_scores(pair, role, measure, pos_label) for role in pair.roles]
    )
    champion, challenger = scores
    sign = 1 if measure.greater_is_better else -1
    design = pair.design
    shape = (design.n_repeats, design.n_folds) if design.n_repeats > 1 else (-1,)
    n_train = np.zeros(1, dtype=int) if predictions.n_train is None else predictions.n_train
    return ScoreDifferences(
        (sign * (challenger - champion)).reshape(shape),
        n_train,
        predictions.n_test,
        champion=champion.reshape(shape),
        challenger=challenger.reshape(shape),
        design=design,
    )


def _split_scores(
    pair: PairedPredictions, answers: Answers, measure: Measure, pos_label: Any
) -> list[float]:
    classes, order = _class_order(pair.predictions.classes, pos_label)
    y_true = pair.predictions.y_answered()
    scores, errors = [], []
    for part in pair.predictions.slices():
        stored = StoredAnswers(
            classes,
            None if answers.labels is None else classes[order[answers.labels[part]]],
            None if answers.proba is None else answers.proba[part][:, order],
            _ordered_decision(answers.decision, part, order),
        )
        rows = np.arange(part.start, part.stop).reshape(-1, 1)
        try:
            with undefined_as_nan():
                score = measure.scorer(stored, rows, classes[order[y_true[part]]])
            scores.append(float(score))
        except (ValueError, UndefinedMetricWarning) as error:
            errors.append(error)
            scores.append(float("nan"))
        except AttributeError as error:
            raise ValueError(
                f"scoring {measure.name!r} needs answers that {answers.name} does not "
                f"give: {error}"
            ) from error
    if len(errors) == len(scores):
        raise ValueError(
            f"scoring {measure.name!r} is undefined on every test set: {errors[0]}"
        ) from errors[0]
    return scores


def _class_order(classes: np.ndarray, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes that scorers see and where each stored code goes among them.

    With a positive label they are 0 and 1, so that every binary scorer knows it.
    """
    if pos_label is None:
        return classes, np.arange(len(classes))
    is_positive = classes == pos_label
    if len(classes) != 2 or not is_positive.any():
        raise ValueError(
            f"`pos_label` must be one of two classes. Got {pos_label!r} and the classes "
            f"{classes.tolist()}. Leave it out for more than two classes."
        )
    return np.array([0, 1]), is_positive.astype(int)


def _ordered_decision(
    decision: np.ndarray | None, part: slice, order: np.ndarray
) -> np.ndarray | None:
    if decision is None:
        return None
    if decision.ndim == 2:
        return decision[part][:, order]
    return decision[part] if order[0] == 0 else -decision[part]
