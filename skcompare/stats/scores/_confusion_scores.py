"""Scores of confusion matrices with their derivatives, and ranges of measures."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from skcompare._core.validation import (
    check_choice,
    check_pos_label,
    is_number,
    positive_class,
    some_of,
)
from skcompare._registry.metrics import loss_of, metrics
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import NUMBER_SCORES
from skcompare.stats.core._limits import UNBOUNDED

FLOAT_ROUNDING = 1e-12
"""Relative tolerance at which slopes cancel."""


@dataclass(frozen=True, slots=True)
class ClassSums:
    """Sums of a confusion matrix that determine a score, with classes along the last axis.

    Attributes
    ----------
    correct, support, predicted : ndarray of shape (..., n_classes)
        Records of the class that are predicted as it, records of the class, and records
        that are predicted as it: diagonal, row sums and column sums.
    """

    correct: FloatArray
    support: FloatArray
    predicted: FloatArray

    @classmethod
    def from_cells(
        cls, truth: IntArray, prediction: IntArray, counts: FloatArray, n_classes: int
    ) -> "ClassSums":
        """Return the sums of cell counts of shape (..., n_cells), in linear time."""
        correct = truth == prediction
        return cls(
            _sums_by(truth[correct], counts[..., correct], n_classes),
            _sums_by(truth, counts, n_classes),
            _sums_by(prediction, counts, n_classes),
        )

    def totals(self) -> "ClassSums":
        """Return the sums over all classes, as a single class."""
        parts = (self.correct, self.support, self.predicted)
        return ClassSums(*(part.sum(axis=-1, keepdims=True) for part in parts))


def _sums_by(position: IntArray, counts: FloatArray, n_classes: int) -> FloatArray:
    # On tiny tables the product with a sparse matrix is a hundred times as slow.
    sets = counts.reshape(math.prod(counts.shape[:-1]), len(position))
    where = position + n_classes * np.arange(len(sets))[:, np.newaxis]
    sums = np.bincount(where.ravel(), sets.ravel(), n_classes * len(sets))
    return sums.astype(np.float64, copy=False).reshape(*counts.shape[:-1], n_classes)


@dataclass(frozen=True, slots=True)
class Scored:
    """Score and its derivatives with respect to the sums of each class.

    `undefined` is True where a denominator is 0; there the score, or its term, is 0.
    """

    value: FloatArray
    by_correct: FloatArray
    by_support: FloatArray
    by_predicted: FloatArray
    undefined: Any


@dataclass(frozen=True, slots=True)
class Ratio:
    """Score of one class, a ratio of correct records to a weighted sum of counts.

    The parameters are the weight of the numerator, and the coefficients of the sums in
    the denominator.
    """

    weight: float
    correct: float
    support: float
    predicted: float

    def of_each_class(self, sums: ClassSums) -> Scored:
        """Return the score of every class, with 0 / 0 as 0 like in scikit-learn."""
        denominator = (
            self.correct * sums.correct
            + self.support * sums.support
            + self.predicted * sums.predicted
        )
        undefined = denominator == 0
        inverse = np.where(undefined, 0.0, 1 / np.where(undefined, 1.0, denominator))
        value = self.weight * sums.correct * inverse
        return Scored(
            value,
            (self.weight - self.correct * value) * inverse,
            -self.support * value * inverse,
            -self.predicted * value * inverse,
            undefined,
        )


PRECISION = Ratio(1, correct=0, support=0, predicted=1)
RECALL = Ratio(1, correct=0, support=1, predicted=0)
F1 = Ratio(2, correct=0, support=1, predicted=1)
JACCARD = Ratio(1, correct=-1, support=1, predicted=1)


def _micro(ratio: Ratio, sums: ClassSums) -> Scored:
    """Micro average: the ratio of the sums over all classes."""
    totals = ratio.of_each_class(sums.totals())
    correct, support, predicted = (
        np.broadcast_to(slope, sums.predicted.shape)
        for slope in (totals.by_correct, totals.by_support, totals.by_predicted)
    )
    value, undefined = totals.value[..., 0], totals.undefined[..., 0]
    return Scored(value, correct, support, predicted, undefined)


def _average(ratio: Ratio, sums: ClassSums, weights: FloatArray) -> Scored:
    """Weighted mean over classes, with weights that sum to 1."""
    by_class = ratio.of_each_class(sums)
    return Scored(
        (weights * by_class.value).sum(axis=-1),
        weights * by_class.by_correct,
        weights * by_class.by_support,
        weights * by_class.by_predicted,
        ((weights > 0) & by_class.undefined).any(axis=-1),
    )


def _macro(ratio: Ratio, sums: ClassSums) -> Scored:
    """Macro average over the true classes.

    Classes that are only predicted are left out, so that two classifiers are scored by the
    same classes.
    """
    occurs = sums.support > 0
    return _average(ratio, sums, occurs / occurs.sum(axis=-1, keepdims=True))


def _weighted(ratio: Ratio, sums: ClassSums) -> Scored:
    """Average weighted by support, including the derivatives of the weights."""
    n = sums.support.sum(axis=-1, keepdims=True)
    mean = _average(ratio, sums, sums.support / n)
    by_class = ratio.of_each_class(sums).value
    slope = (by_class - mean.value[..., np.newaxis]) / n
    return replace(mean, by_support=mean.by_support + slope)


def _matthews(sums: ClassSums) -> Scored:
    """Matthews correlation coefficient, in Gorodkin's multiclass form."""
    n = sums.support.sum(axis=-1, keepdims=True)
    # Shares instead of counts: the fourth power of a count loses precision.
    correct = sums.correct.sum(axis=-1, keepdims=True) / n
    truth, prediction = sums.support / n, sums.predicted / n
    covariance = correct - (truth * prediction).sum(axis=-1, keepdims=True)
    true_spread = 1 - (truth**2).sum(axis=-1, keepdims=True)
    predicted_spread = 1 - (prediction**2).sum(axis=-1, keepdims=True)
    undefined = _all_in_one(sums.support, n) | _all_in_one(sums.predicted, n)
    product = np.where(undefined, 1.0, true_spread * predicted_spread)
    inverse = np.where(undefined, 0.0, product**-0.5)
    value = covariance * inverse
    true_spread, predicted_spread = (
        np.where(undefined, 1.0, spread) for spread in (true_spread, predicted_spread)
    )
    # By the shares, whose total is the slope by n.
    by_correct = np.broadcast_to(inverse, truth.shape)
    by_truth = -prediction * inverse + value * truth / true_spread
    by_prediction = -truth * inverse + value * prediction / predicted_spread
    by_n = (
        correct * inverse
        + (by_truth * truth).sum(axis=-1, keepdims=True)
        + (by_prediction * prediction).sum(axis=-1, keepdims=True)
    )
    return Scored(
        value[..., 0],
        by_correct / n,
        (by_truth - by_n) / n,
        by_prediction / n,
        undefined[..., 0],
    )


def _all_in_one(sums: FloatArray, n: FloatArray) -> Any:
    return sums.max(axis=-1, keepdims=True) == n


@dataclass(frozen=True, slots=True)
class CellScores:
    """Scores of cell counts, with their derivatives.

    Attributes
    ----------
    values : ndarray of shape (...)
        Score of each set of counts.
    slopes : ndarray of shape (..., n_cells)
        Derivatives of the score by the counts.
    undefined : ndarray of bool of shape (...)
        True where a denominator is 0.
    """

    values: FloatArray
    slopes: FloatArray
    undefined: Any


@dataclass(frozen=True, slots=True)
class CountScore:
    """Score of a confusion matrix, by its scikit-learn name.

    A macro average is over the true classes of the records, whatever a classifier predicts;
    scikit-learn adds the classes that are only predicted, unless `labels` is passed.

    Parameters
    ----------
    name : str
        One of `COUNT_SCORES`.
    positive : int, default=1
        Position of the positive class, for a score of two classes.
    """

    name: str
    positive: int = 1

    rounding = FLOAT_ROUNDING

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest possible difference of two scores."""
        return (-2.0, 2.0) if self.name == "matthews_corrcoef" else (-1.0, 1.0)

    def scored(self, sums: ClassSums) -> Scored:
        """Return the score and its derivatives with respect to the sums of each class."""
        if self.name == "matthews_corrcoef":
            return _matthews(sums)
        ratio, average = COUNT_SCORES[self.name]
        if self.name in BINARY_SCORES:
            weights = np.zeros(sums.predicted.shape)
            weights[..., self.positive if average == "positive" else 1 - self.positive] = 1
            return _average(ratio, sums, weights)
        return AVERAGES[average](ratio, sums)

    def of_cells(
        self, truth: IntArray, prediction: IntArray, counts: FloatArray, n_classes: int
    ) -> CellScores:
        """Return the scores of cell counts, with slopes with respect to the counts."""
        scored = self.scored(ClassSums.from_cells(truth, prediction, counts, n_classes))
        slopes = scored.by_support[..., truth] + scored.by_predicted[..., prediction]
        correct = truth == prediction
        slopes[..., correct] += scored.by_correct[..., truth[correct]]
        return CellScores(scored.value, slopes, scored.undefined)


AVERAGES = {"macro": _macro, "micro": _micro, "weighted": _weighted}
BY_CLASS = {"f1": F1, "precision": PRECISION, "recall": RECALL, "jaccard": JACCARD}

COUNT_SCORES: Mapping[str, tuple[Ratio, str]] = MappingProxyType(
    {
        # The first scores need neither an average nor a positive class.
        "balanced_accuracy": (RECALL, "macro"),
        "matthews_corrcoef": (RECALL, "its own"),
        "accuracy": (RECALL, "micro"),
        **{
            f"{name}_{average}": (ratio, average)
            for name, ratio in BY_CLASS.items()
            for average in ("macro", "micro", "weighted")
        },
        **{name: (ratio, "positive") for name, ratio in BY_CLASS.items()},
        "sensitivity": (RECALL, "positive"),
        "specificity": (RECALL, "negative"),
    }
)
"""Scores by name: the ratio of one class, and the average over classes."""

BINARY_SCORES = frozenset(
    name
    for name, (_, average) in COUNT_SCORES.items()
    if average in ("positive", "negative")
)
"""Names of scores with a positive class."""


def count_score(name: str, classes: np.ndarray, pos_label: Any = None) -> CountScore:
    """Return a score by name, for the given classes.

    Raises
    ------
    ValueError
        If the name is unknown, if the score needs one of two classes as the positive one
        and this is unclear, or if `pos_label` is passed to a score without a positive
        class.
    """
    check_choice("score", name, tuple(COUNT_SCORES))
    if name not in BINARY_SCORES:
        if pos_label is not None:
            raise ValueError(
                f"score={name!r} has no positive class. Got pos_label={pos_label!r}. "
                "Leave it out, or choose a score of one class, such as 'f1'."
            )
        return CountScore(name)
    if len(classes) != 2:
        raise ValueError(
            f"score={name!r} needs two classes. Got {len(classes)}: {some_of(classes)}. "
            "Use an average over classes, such as 'f1_macro', or one class against the "
            "rest by `for_class(label)` of the counts."
        )
    label = positive_class(classes, pos_label)
    return CountScore(name, check_pos_label(label, classes) or 0)


STEP = 3e-5
"""Central differences change a count by this share of it.

The error of the formula is then about STEP² / 6 of the slope, and that of rounding 1e-16 /
STEP times the ratio of class size and count: together below 1e-7 unless a count is smaller
than one in 10 000 of its class.
"""


@dataclass(frozen=True, slots=True)
class OwnScore:
    """Score that is a user-defined function of a confusion matrix.

    Parameters
    ----------
    function : callable
        `function(confusion)`, with an array of floats of shape (n_classes, n_classes), one
        row per true class, returns a number.
    """

    function: Callable[[FloatArray], float]

    rounding = 1e-6
    bounds = UNBOUNDED

    @property
    def name(self) -> str:
        """Name of the function; "score" if anonymous."""
        name = getattr(self.function, "__name__", "score")
        return "score" if name == "<lambda>" else name

    def check(self, *confusions: IntArray) -> None:
        """Raise an error unless the function is finite for the observed counts."""
        for confusion in confusions:
            with np.errstate(all="ignore"):
                value: Any = self.function(confusion.astype(np.float64))
            number = value[()] if isinstance(value, np.ndarray) else value
            if not is_number(number) or not math.isfinite(number):
                raise ValueError(
                    f"The score {self.name!r} must give a finite number for a confusion "
                    f"matrix. Got {value!r} for {confusion.tolist()}. Return a number "
                    "where a denominator is 0, too."
                )

    def of_cells(
        self, truth: IntArray, prediction: IntArray, counts: FloatArray, n_classes: int
    ) -> CellScores:
        """Return the scores of cell counts, with slopes with respect to the counts.

        The slope of a cell without records is 0, because it is not used.
        """
        occurring, where = np.unique(truth * n_classes + prediction, return_inverse=True)
        sets = counts.reshape(-1, counts.shape[-1])
        values: FloatArray = np.empty(len(sets))
        slopes: FloatArray = np.empty(sets.shape)
        with np.errstate(all="ignore"):
            for k, row in enumerate(sets):
                table = np.bincount(where, row).astype(np.float64)
                values[k], cell_slopes = self._with_slopes(table, occurring, n_classes)
                slopes[k] = cell_slopes[where]
        values = values.reshape(counts.shape[:-1])
        return CellScores(values, slopes.reshape(counts.shape), ~np.isfinite(values))

    def _with_slopes(
        self, table: FloatArray, occurring: IntArray, n_classes: int
    ) -> tuple[float, FloatArray]:
        confusion = np.zeros(n_classes * n_classes)
        confusion[occurring] = table
        square = confusion.reshape(n_classes, n_classes)
        value = self.function(square.copy())
        slopes = np.zeros(len(occurring))
        for k in np.flatnonzero(table):
            position, count = occurring[k], table[k]
            changed_values = []
            for changed in (count * (1 + STEP), count * (1 - STEP)):
                confusion[position] = changed
                changed_values.append(self.function(square.copy()))
            confusion[position] = count
            slopes[k] = (changed_values[0] - changed_values[1]) / (2 * STEP * count)
        return value, slopes


Score = CountScore | OwnScore

OTHER_SHARES = frozenset(
    {f"roc_auc{pairs}" for pairs in ("", "_ovo", "_ovo_weighted", "_ovr", "_ovr_weighted")}
    | {"average_precision", "cohen_kappa"}
)
"""Scores of scikit-learn between 0 and 1 that are not scores of counts."""


def range_of(name: str | None) -> tuple[float, float]:
    """Least and greatest value of a measure; infinite where unknown.

    A squared calibration error without its bias may be a little below 0; the range is that
    of the true one.
    """
    score = (name or "").removeprefix("neg_")
    if score == "matthews_corrcoef":
        return -1.0, 1.0
    if score in COUNT_SCORES or score in OTHER_SHARES:
        return 0.0, 1.0
    if name in NUMBER_SCORES:
        return NUMBER_SCORES[name].bounds
    loss = loss_of(name)
    if loss is not None and loss.bound is not None:
        return 0.0, float(loss.bound)
    entry = metrics().get(score)
    return UNBOUNDED if entry is None else entry.bounds
