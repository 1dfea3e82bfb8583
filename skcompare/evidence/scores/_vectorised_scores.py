"""Scores as functions of the weights of records, vectorised or looped."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import UndefinedMetricWarning

from skcompare._typing import FloatArray, IntArray

Bounds = tuple[float, float]
Outcome = tuple[float, str]
"""A score and "", or NaN and the reason why it is undefined."""


class PreparedScore(Protocol):
    """Score of some records as a function of their weights."""

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights; NaN if undefined."""

    def slopes(self, weights: IntArray) -> FloatArray | None:
        """Return derivatives by each weight for each row of weights, or None if unknown."""


class PairScore(Protocol):
    """Score of one classifier's predictions."""

    @property
    def name(self) -> str:
        """Name of the score."""

    @property
    def bounds(self) -> Bounds:
        """Least and greatest possible value."""

    @property
    def looped(self) -> bool:
        """Whether the score is computed in a loop over weightings, which is slow."""

    @property
    def studentised(self) -> bool:
        """Whether the standard error is known, and changes with exchanged predictions."""

    def on_one_scale(self, predictions: np.ndarray) -> np.ndarray:
        """Transform predictions to a scale that is common to both classifiers."""

    def prepared(
        self, y: IntArray, predictions: np.ndarray, rows: IntArray
    ) -> PreparedScore:
        """Return the score of these records as a function of their weights."""


@dataclass(frozen=True, slots=True)
class RecordMean:
    """Mean of one value per record, such as 1 for a correct prediction, or a loss."""

    name: str = "accuracy"
    bounds: Bounds = (0.0, 1.0)

    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = False

    def on_one_scale(self, predictions: FloatArray) -> FloatArray:
        """Return the values unchanged."""
        return predictions

    def prepared(self, y: IntArray, predictions: FloatArray, rows: IntArray) -> "_Mean":
        """Return the score of these records as a function of their weights."""
        return _Mean(predictions)


@dataclass(frozen=True, slots=True)
class _Mean:
    records: FloatArray

    def values(self, weights: IntArray) -> FloatArray:
        """Return the weighted mean for each row of weights."""
        return np.einsum("ij,j->i", weights, self.records) / weights.sum(axis=1)

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return the derivatives of the mean by each weight."""
        total = weights.sum(axis=1, keepdims=True)
        return (self.records - self.values(weights)[:, np.newaxis]) / total


@dataclass(frozen=True)
class LoopedScore:
    """Score computed in a loop over weightings, from repeated records."""

    name: str
    bounds: Bounds = (-np.inf, np.inf)

    looped: ClassVar[bool] = True
    studentised: ClassVar[bool] = False

    def outcome(self, y: IntArray, predictions: np.ndarray, rows: IntArray) -> Outcome:
        """Return the score of some records and "", or NaN and the reason if undefined."""
        raise NotImplementedError

    def on_one_scale(self, predictions: np.ndarray) -> np.ndarray:
        """Return the predictions unchanged, because their meaning is unknown."""
        return predictions

    def prepared(self, y: IntArray, predictions: np.ndarray, rows: IntArray) -> "_Loop":
        """Return the score of these records as a function of their weights."""
        # In their original order: a function may depend on the order of equal scores.
        order = np.argsort(rows, kind="stable")
        return _Loop(self, y[order], predictions[order], rows[order], order)


@dataclass(frozen=True, slots=True)
class _Loop:
    score: LoopedScore
    y: IntArray
    predictions: np.ndarray
    rows: IntArray
    order: IntArray

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score of the records repeated by each row of weights."""
        return np.array([self._value(row) for row in weights], dtype=np.float64)

    def _value(self, weights: IntArray) -> float:
        taken = np.repeat(np.arange(len(weights)), weights.take(self.order))
        if not len(taken):
            return float("nan")
        records = self.y[taken], self.predictions[taken], self.rows[taken]
        return self.score.outcome(*records)[0]

    def why_undefined(self) -> str:
        """Return the reason why the score is undefined, or an empty string."""
        return self.score.outcome(self.y, self.predictions, self.rows)[1]

    def slopes(self, weights: IntArray) -> None:
        """Return None, because the derivatives are unknown."""
        return


@dataclass(frozen=True)
class FunctionScore(LoopedScore):
    """User-defined `function(y_true, predictions)` as a score."""

    function: Callable[..., Any] = max
    classes: np.ndarray | None = None

    def outcome(self, y: IntArray, predictions: np.ndarray, rows: IntArray) -> Outcome:
        """Return the score of some records and "", or NaN and the reason if undefined."""
        truth = y if self.classes is None else self.classes[y]
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                value = number_of(self.name, self.function(truth, predictions))
            except ValueError as error:
                return float("nan"), str(error)
        # scikit-learn warns and returns 0 where a score is 0 / 0.
        for warning in caught:
            if issubclass(warning.category, UndefinedMetricWarning):
                return float("nan"), str(warning.message)
        return value, ""


def number_of(name: str, value: Any) -> float:
    """Convert a score to a float; as in scikit-learn, arrays of one element are valid."""
    if hasattr(value, "item"):
        with suppress(ValueError):
            value = value.item()
    if isinstance(value, Real):
        return float(value)
    raise TypeError(
        f"scoring {name!r} must give one number. Got {type(value).__name__}. Pass a dict "
        "of scorers for several."
    )


SLACK = 1e-12
"""A rate this close below the requested one reaches it."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Positive and negative records, sorted by decreasing score.

    Attributes
    ----------
    positive, negative : ndarray of shape (n_positive,), (n_negative,)
        Positions of the records.
    above, level : ndarray of shape (n_positive,)
        For each positive record the number of negative ones with greater scores, and
        with scores at least as great.
    above_negative, level_negative : ndarray of shape (n_negative,)
        The same of the positive records, for each negative one.
    """

    positive: IntArray
    negative: IntArray
    above: IntArray
    level: IntArray
    above_negative: IntArray
    level_negative: IntArray

    @classmethod
    def from_scores(cls, positive: np.ndarray, scores: FloatArray) -> "Ranking":
        """Rank records; `positive` marks the positive ones."""
        order = np.argsort(-scores, kind="stable")
        first, second = order[positive[order]], order[~positive[order]]
        up, down = -scores[first], -scores[second]
        return cls(
            first,
            second,
            np.searchsorted(down, up, side="left"),
            np.searchsorted(down, up, side="right"),
            np.searchsorted(up, down, side="left"),
            np.searchsorted(up, down, side="right"),
        )

    @property
    def tied(self) -> bool:
        """Whether a positive and a negative record have equal scores."""
        return not np.array_equal(self.above, self.level)

    def by_record(self, of_positive: FloatArray, of_negative: FloatArray) -> FloatArray:
        """Join columns of positive and negative records, in the order of the records."""
        n = len(self.positive) + len(self.negative)
        every = np.empty((len(of_positive), n))
        every[:, self.positive], every[:, self.negative] = of_positive, of_negative
        return every

    def sums(self, weights: IntArray) -> tuple[IntArray, IntArray]:
        """Return cumulative weights of the ranked positive and negative records."""
        return _sums(weights, self.positive), _sums(weights, self.negative)


def _sums(weights: IntArray, position: IntArray) -> IntArray:
    """Return cumulative sums along the positions, starting with 0."""
    sums = np.zeros((len(weights), len(position) + 1), dtype=weights.dtype)
    np.cumsum(weights.take(position, axis=1), axis=1, out=sums[:, 1:])
    return sums


class RankingScore:
    """Score of the positive class by its ranks, between 0 and 1."""

    __slots__ = ()

    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = True

    def on_one_scale(self, predictions: FloatArray) -> FloatArray:
        """Return ranks, so that scores of two classifiers can be exchanged."""
        return rankdata(predictions).astype(np.float64)


@dataclass(frozen=True, slots=True)
class AreaUnderCurve(RankingScore):
    """Area under the ROC curve; a tie counts half."""

    name: str = "roc_auc"

    def prepared(self, y: IntArray, predictions: FloatArray, rows: IntArray) -> "_Area":
        """Return the score of these records as a function of their weights."""
        return _Area(Ranking.from_scores(y == 1, predictions))


@dataclass(frozen=True, slots=True)
class _Area:
    ranking: Ranking

    def values(self, weights: IntArray) -> FloatArray:
        """Return the area for each row of weights; NaN if a class has no weight."""
        r = self.ranking
        below = _sums(weights, r.negative)
        total = below[:, -1:]
        of_positive = weights.take(r.positive, axis=1)
        # Twice the weight of negative records below a positive one, so that a tie counts
        # as a whole number; sums of products are exact below 2**53.
        won = 2 * total - below.take(r.above, axis=1)
        won -= below.take(r.level if r.tied else r.above, axis=1)
        product = np.einsum("ij,ij->i", of_positive, won, dtype=np.float64)
        pairs = 2.0 * total[:, 0] * of_positive.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return product / pairs

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return the derivatives of the area by each weight (DeLong's placement values)."""
        r = self.ranking
        positive, negative = r.sums(weights)
        n_positive, n_negative = positive[:, -1:], negative[:, -1:]
        area = self.values(weights)[:, np.newaxis]
        with np.errstate(invalid="ignore"):
            lost = negative.take(r.above, axis=1) + negative.take(r.level, axis=1)
            won = positive.take(r.above_negative, axis=1)
            won += positive.take(r.level_negative, axis=1)
            of_positive = (1 - area - lost / (2 * n_negative)) / n_positive
            of_negative = (won / (2 * n_positive) - area) / n_negative
        return r.by_record(of_positive, of_negative)


@dataclass(frozen=True, slots=True)
class AveragePrecision(RankingScore):
    """Mean precision over the positive records, each at its own score."""

    name: str = "average_precision"

    def prepared(
        self, y: IntArray, predictions: FloatArray, rows: IntArray
    ) -> "_Precision":
        """Return the score of these records as a function of their weights."""
        ranking = Ranking.from_scores(y == 1, predictions)
        scores = predictions[ranking.positive]
        last = np.ones(len(scores), dtype=bool)
        last[:-1] = scores[1:] != scores[:-1]
        return _Precision(ranking, np.flatnonzero(last))


@dataclass(frozen=True, slots=True)
class _Precision:
    """Average precision; `ends` has the last positive record of each score."""

    ranking: Ranking
    ends: IntArray

    def _steps(self, weights: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positive weight per score, and cumulative positive and total weights."""
        r = self.ranking
        positive, negative = r.sums(weights)
        reached = positive[:, 1:].take(self.ends, axis=1).astype(np.float64)
        everything = reached + negative.take(r.level[self.ends], axis=1)
        return np.diff(reached, axis=1, prepend=0.0), reached, everything

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights; NaN without positive records."""
        gained, reached, everything = self._steps(weights)
        if not len(self.ends):
            return np.full(len(weights), np.nan)
        gained *= reached
        with np.errstate(invalid="ignore"):
            # Nothing is gained where nothing is reached.
            np.divide(gained, everything, out=gained, where=everything > 0)
            return gained.sum(axis=1) / reached[:, -1]

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return the derivatives of the score by each weight."""
        r = self.ranking
        gained, reached, everything = self._steps(weights)
        filled = np.where(everything > 0, everything, 1.0)
        # A record counts in the precision at its own score and at all lower ones.
        shared = np.zeros((len(weights), len(self.ends) + 1))
        shared[:, :-1] = _to_the_end(gained * reached / filled**2)
        own = np.zeros_like(shared)
        own[:, :-1] = _to_the_end(gained / filled)
        at = np.searchsorted(self.ends, np.arange(len(r.positive)))
        # The first score of positive records that is no greater than a negative one's.
        before = np.searchsorted(self.ends + 1, r.above_negative, side="right")
        with np.errstate(invalid="ignore"):
            total = reached[:, -1:]
            mean = self.values(weights)[:, np.newaxis]
            positive = (reached / filled + own[:, :-1] - shared[:, :-1]).take(at, axis=1)
            of_positive = (positive - mean) / total
            of_negative = -shared.take(before, axis=1) / total
        return r.by_record(of_positive, of_negative)


def _to_the_end(steps: FloatArray) -> FloatArray:
    """Return sums from each step to the last one."""
    return np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]


@dataclass(frozen=True, slots=True)
class OperatingPoint(RankingScore):
    """Best rate within one class at thresholds that reach a rate within the other.

    Parameters
    ----------
    name : str
        Name of the score.
    at_least : float
        The rate to reach: the share of negative records that are called negative, where
        `within` is "positive", and the other way round.
    within : {"positive", "negative"}
        The class whose rate it is.
    """

    name: str
    at_least: float
    within: str = "positive"

    studentised: ClassVar[bool] = False

    def prepared(self, y: IntArray, predictions: FloatArray, rows: IntArray) -> "_Point":
        """Return the score of these records as a function of their weights."""
        if self.within == "positive":
            return _Point(Ranking.from_scores(y == 1, predictions), self.at_least)
        # The classes change places.
        return _Point(Ranking.from_scores(y != 1, -predictions), self.at_least)


@dataclass(frozen=True, slots=True)
class _Point:
    ranking: Ranking
    at_least: float

    def values(self, weights: IntArray) -> FloatArray:
        """Return the rate for each row of weights; NaN if a class has no weight."""
        r = self.ranking
        positive, negative = r.sums(weights)
        n_positive, n_negative = positive[:, -1:], negative[:, -1:]
        # A threshold at the score of a positive record calls it positive, all before it,
        # and the negative ones at or above it. One above all scores is always allowed.
        allowed = n_negative * (1 - self.at_least) + SLACK * n_negative
        fits = negative.take(r.level, axis=1) <= allowed
        # Records of equal scores are called alike, so the last of them counts.
        caught = np.where(fits, positive[:, 1:], 0).max(axis=1, initial=0)
        with np.errstate(invalid="ignore"):
            rate = caught / n_positive[:, 0].astype(np.float64)
        return np.where(n_negative[:, 0] > 0, rate, np.nan)

    def slopes(self, weights: IntArray) -> None:
        """Return None, because the rate is not a smooth function of the weights."""
        return
