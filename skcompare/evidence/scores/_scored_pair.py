"""Predictions of two classifiers with a score of weighted records, for resampling."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import UndefinedMetricWarning

from skcompare._core.arrays import AS_DESIGN
from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design
from skcompare._core.validation import (
    as_array,
    check_choice,
    check_labels,
    check_numbers,
    check_same_length,
    classes_of,
    group_codes,
    positive_class,
)
from skcompare._registry.metrics import tested_loss
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import groups_of
from skcompare.evidence.core._storage import Storable
from skcompare.evidence.scores._number_scores import (
    NUMBER_SCORES,
    SLACK,
    Bounds,
    score_of_outputs,
)
from skcompare.evidence.scores._root_errors import RootErrors
from skcompare.evidence.scores._scores import correct_of
from skcompare.predictions import PairedPredictions, weights_of

Outcome = tuple[float, str]
"""A score and "", or NaN and the reason why it is undefined."""


class PreparedScore(Protocol):
    """Score of some records as a function of their weights."""

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights; NaN if undefined."""

    def slopes(self, weights: IntArray) -> FloatArray | None:
        """Return derivatives by each weight for each row of weights, or None if unknown."""


def why_undefined(score: PreparedScore) -> str:
    """Return the reason why a score is undefined, or an empty string."""
    return str(getattr(score, "why_undefined", str)())


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

    def prepared(self, y: Any, predictions: Any, rows: IntArray) -> PreparedScore:
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


RANKING_SCORES: dict[str, PairScore] = {
    "roc_auc": AreaUnderCurve(),
    "average_precision": AveragePrecision(),
}
NAMED_SCORES = ("accuracy", *RANKING_SCORES, *NUMBER_SCORES)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPair(Storable):
    """Predictions of two classifiers for one hold-out set, with the score to compare.

    It scores any weighting of the records, and any exchange of predictions between the
    roles, as a bootstrap and a permutation test need. Records are kept in a canonical
    order, so that neither their original order nor the roles matter; a user's own
    function gets them in their original order.

    Parameters
    ----------
    score : PairScore
        The score that is compared.
    y : array-like of int of shape (n_samples,)
        True classes as codes, where for a score of two classes 1 is the positive one; or
        true numbers.
    champion, challenger : array-like of shape (n_samples,) or (n_samples, n_columns)
        Arguments of the score: one value per record, a score of the positive class, or
        the predictions that a user's own function takes.
    groups : array-like of int of shape (n_samples,), optional
        Codes of groups of records that belong together.
    rows : array-like of int of shape (n_samples,), optional
        Position of each record in its source; 0, 1, ... by default.
    design : Design or str, default="holdout"
        How the records were collected.
    greater_is_better : bool, default=True
        False for losses.
    flags : tuple of str
        Caveats about how the scores were obtained.

    Attributes
    ----------
    symmetric : bool
        Whether exchanging the roles of all records gives the same records.

    Raises
    ------
    ValueError
        If the lengths differ or there is no record.

    Examples
    --------
    >>> from skcompare.evidence import ScoredPair
    >>> pair = ScoredPair.from_predictions(
    ...     y_true=[0, 0, 1, 1],
    ...     champion=[0.1, 0.7, 0.6, 0.8],
    ...     challenger=[0.1, 0.2, 0.6, 0.9],
    ...     score="roc_auc",
    ... )
    >>> pair.values
    (0.75, 1.0)
    """

    score: PairScore
    y: IntArray
    champion: np.ndarray = field(metadata={"swap": "challenger"})
    challenger: np.ndarray = field(metadata={"swap": "champion"})
    groups: IntArray | None = None
    rows: IntArray | None = None
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)
    greater_is_better: bool = True
    flags: tuple[str, ...] = ()
    symmetric: bool = field(init=False, default=False)

    # The score determines which predictions are needed.
    required: ClassVar[frozenset[str]] = frozenset()

    def _check_together(self) -> None:
        arrays = {name: np.asarray(getattr(self, name)) for name in _ARRAYS[:3]}
        for name in _ARRAYS[3:]:
            values = getattr(self, name)
            if values is not None:
                arrays[name] = np.asarray(values)
        n = check_same_length(arrays)
        arrays.setdefault("rows", np.arange(n))
        # As ranks, a score of another scale has the same order.
        first, second = (self.score.on_one_scale(arrays[name]) for name in _ARRAYS[1:3])
        order, symmetric = _own_order(arrays["y"], first, second, arrays.get("groups"))
        self._set(**{name: array[order] for name, array in arrays.items()})
        self._set(symmetric=symmetric)

    def __repr__(self) -> str:
        grouped = "" if self.groups is None else f", n_units={self.n_units}"
        return (
            f"ScoredPair(score={self.score.name!r}, n={self.n}{grouped}, "
            f"design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        score: str | Callable[..., float] = "accuracy",
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        greater_is_better: bool = True,
    ) -> "ScoredPair":
        """Construct from the predictions of two trained classifiers for a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels, or numbers for a score of numbers.
        champion, challenger : array-like of shape (n_samples,) or (n_samples, n_columns)
            Predicted labels for "accuracy"; scores of the positive class, of any scale,
            for "roc_auc" and "average_precision"; predicted numbers for a score of
            numbers; otherwise the function's arguments.
        score : str or callable, default="accuracy"
            The score: "accuracy", "roc_auc", "average_precision", the name of a score of
            numbers such as "r2", "neg_root_mean_squared_error" or "spearman_correlation",
            or `score(y_true, predictions)` that returns a number, such as a function of
            sklearn.metrics. It is called for every resample.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user): numbers or strings.
        pos_label : label, optional
            The positive class of "roc_auc" and "average_precision"; 1 or True by default.
        greater_is_better : bool, default=True
            False where the function is a loss.
        """
        of_numbers = isinstance(score, str) and score in NUMBER_SCORES
        if not callable(score) and not of_numbers:
            _check_named(score)
        # A function may score numbers, too; with fractions they cannot be labels.
        are_numbers = of_numbers or (callable(score) and _have_fractions(y_true))
        truth = (check_numbers if are_numbers else check_labels)("y_true", y_true)
        predictions = {"champion": as_array(champion), "challenger": as_array(challenger)}
        group_labels = {} if groups is None else {"groups": as_array(groups)}
        check_same_length({"y_true": truth}, predictions, group_labels)
        pair_score: PairScore
        y: Any
        if callable(score):
            classes, y = np.unique(truth, return_inverse=True)
            name = getattr(score, "__name__", "score")
            name = "score" if name == "<lambda>" else name
            pair_score = FunctionScore(name, function=score, classes=classes)
        elif of_numbers:
            pair_score, y = NUMBER_SCORES[score], truth
            predictions = {k: check_numbers(k, values) for k, values in predictions.items()}
        elif score == "accuracy":
            pair_score = RecordMean()
            predictions = {k: check_labels(k, values) for k, values in predictions.items()}
            classes = classes_of(truth, **predictions)
            y = np.searchsorted(classes, truth)
            predictions = {
                k: (values == truth).astype(np.float64) for k, values in predictions.items()
            }
        else:
            pair_score = RANKING_SCORES[score]
            positive = positive_class(classes_of(truth), pos_label)
            y = (truth == positive).astype(np.int64)
            predictions = {k: _check_scores(k, values) for k, values in predictions.items()}
        return cls(
            pair_score,
            y.reshape(-1),
            predictions["champion"],
            predictions["challenger"],
            groups=None if groups is None else group_codes(groups),
            design=HOLDOUT if groups is None else GROUPED_HOLDOUT,
            greater_is_better=greater_is_better,
        )

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ScoredPair":
        """Construct from the pooled predictions for all test sets, scored by accuracy.

        Predicted numbers are scored by R². For another score see
        :func:`skcompare.metrics.scored_pair`.
        """
        y, weights = pair.predictions.y_predicted(), weights_of(pair.predictions)
        if pair.predictions.is_numeric:
            values: list[Any] = [role.values for role in pair.roles]
            r2 = score_of_outputs(NUMBER_SCORES["r2"], weights)
            return cls.of_predictions(pair, r2, y, *values)
        return cls.of_predictions(pair, RecordMean(), y, *correct_of(pair))

    @staticmethod
    def from_tally(tally: Any, *, score: str = "r2") -> RootErrors:
        """Construct from a tally of numbers a score that is the root of a mean loss."""
        return RootErrors.from_tally(tally, score)

    @classmethod
    def of_predictions(
        cls,
        pair: PairedPredictions,
        score: PairScore,
        y: IntArray,
        champion: np.ndarray,
        challenger: np.ndarray,
        **settings: Any,
    ) -> "ScoredPair":
        """Construct from predictions of a pair, with its design, groups and records."""
        return cls(
            score,
            y,
            champion,
            challenger,
            groups=groups_of(pair.predictions),
            rows=pair.predictions.records,
            design=pair.design,
            **settings,
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.y)

    @property
    def units(self) -> IntArray:
        """Independent unit of each record: the group, or the record itself."""
        if self.groups is None:
            return np.arange(self.n)
        return np.unique(self.groups, return_inverse=True)[1].reshape(-1)

    @property
    def n_independent(self) -> int:
        """Number of independent differences, where there are no groups."""
        codes = self.codes
        if len(codes) != 2:
            return self.n
        return min(int(np.count_nonzero(self.y == code)) for code in codes)

    @property
    def codes(self) -> np.ndarray:
        """Distinct true classes or numbers; none of several outputs."""
        return np.unique(self.y) if self.y.ndim == 1 else self.y[:0, 0]

    @property
    def difference_bound(self) -> float | None:
        """Largest possible difference of two scores; None if unknown."""
        low, high = self.score.bounds
        return high - low if np.isfinite(high - low) else None

    @property
    def n_units(self) -> int:
        """Number of groups, or of records if ungrouped."""
        return self.n if self.groups is None else len(np.unique(self.groups))

    @property
    def values(self) -> tuple[float, float]:
        """Scores of champion and challenger; NaN if undefined."""
        once = np.ones((1, self.n), dtype=np.int32)
        champion, challenger = self.prepared()
        return float(champion.values(once)[0]), float(challenger.values(once)[0])

    @property
    def why_undefined(self) -> str:
        """Reason why a user-defined score is undefined; empty if the score is defined."""
        first, second = map(why_undefined, self.prepared())
        return first or second

    @property
    def n_differing(self) -> int:
        """Number of records whose predictions differ."""
        return int(np.count_nonzero(self.differs))

    @property
    def sign(self) -> int:
        """Sign of the score: 1 if greater is better, -1 for a loss."""
        return 1 if self.greater_is_better else -1

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest possible difference."""
        low, high = self.score.bounds
        return low - high, high - low

    def prepared(self) -> tuple[PreparedScore, PreparedScore]:
        """Return the scores of both roles as functions of the records' weights."""
        champion, challenger = (
            self.score.prepared(self.y, predictions, self.rows)  # type: ignore[arg-type]
            for predictions in (self.champion, self.challenger)
        )
        return champion, challenger

    def prepared_for_exchange(self) -> PreparedScore:
        """Return the score as a function of weights of both predictions for each record.

        The first n weights are those of the champion's predictions, the others those of
        the challenger's; a record counts once where one of its two weights is 1.
        """
        both = [self.score.on_one_scale(a) for a in (self.champion, self.challenger)]
        rows = np.tile(self.rows, 2)  # type: ignore[arg-type]
        y = np.concatenate([self.y, self.y])
        return self.score.prepared(y, np.concatenate(both), rows)

    @property
    def differs(self) -> np.ndarray:
        """Mask of the records whose predictions differ, so that an exchange matters."""
        both = [self.score.on_one_scale(a) for a in (self.champion, self.challenger)]
        unequal = both[0] != both[1]
        return unequal.reshape(self.n, -1).any(axis=1)


_ARRAYS = ("y", "champion", "challenger", "groups", "rows")


def _own_order(
    y: IntArray, champion: np.ndarray, challenger: np.ndarray, groups: IntArray | None
) -> tuple[IntArray, bool]:
    """Return a canonical order of records, independent of original order and roles.

    Records are sorted by group, truth and predictions, once with those of the champion
    first and once with those of the challenger. The smaller of both sorted lists is taken;
    if they are equal, exchanging the roles leaves the records as they are.
    """
    common = _columns(y) if groups is None else [groups, *_columns(y)]
    first, second = _comparable(_columns(champion), _columns(challenger))
    keys = [*common, *first, *second], [*common, *second, *first]
    orders = [np.lexsort(key[::-1]) for key in keys]
    differs = np.zeros(len(y), dtype=bool)
    for left, right in zip(*keys, strict=True):
        differs |= left[orders[0]] != right[orders[1]]
    if not differs.any():
        return orders[0], True
    at = int(np.argmax(differs))
    records = [[column[order[at]] for column in key] for key, order in zip(keys, orders)]
    return orders[0] if records[0] < records[1] else orders[1], False


def _columns(predictions: np.ndarray) -> list[np.ndarray]:
    return list(predictions.reshape(len(predictions), -1).T)


def _comparable(
    first: list[np.ndarray], second: list[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Encode non-numeric columns as integers."""
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.dtype.kind not in "biuf" or b.dtype.kind not in "biuf":
            codes = np.unique(np.concatenate([a, b]), return_inverse=True)[1]
            first[k], second[k] = np.split(codes.reshape(-1), 2)
    return first, second


def _have_fractions(values: Any) -> bool:
    array = as_array(values)
    return array.dtype.kind == "f" and bool((array % 1 != 0).any())


def _check_named(score: Any) -> None:
    """Check the name of a score that is none of numbers, before the true values."""
    loss = tested_loss(score) if isinstance(score, str) else None
    if loss is not None and score not in NAMED_SCORES:
        raise ValueError(
            f"{score!r} is the mean of a loss of each record, which needs no score of all "
            f"of them. Got it as `score`. Use paired_t(y_true, champion, challenger, "
            f"loss={loss.name!r}), or clustered_t with `groups`."
        )
    check_choice("score", score, NAMED_SCORES)


def _check_scores(name: str, values: np.ndarray) -> FloatArray:
    """Check that scores of the positive class are finite, one per record; return them."""
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(
            f"`{name}` must be finite scores of the positive class, of shape "
            f"(n_samples,). Got shape {scores.shape}"
            f"{'' if np.isfinite(scores).all() else ' with NaN or infinity'}. Pass one "
            "column of predict_proba, or decision scores."
        )
    return scores
