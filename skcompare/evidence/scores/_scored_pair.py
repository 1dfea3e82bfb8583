"""Predictions of two classifiers with a score, for resampling and permutation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design, as_design
from skcompare._core.validation import (
    as_array,
    check_choice,
    check_labels,
    check_same_length,
    classes_of,
    group_codes,
    positive_class,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import groups_of
from skcompare.evidence.core._storage import Storable
from skcompare.evidence.scores._scores import correct_of
from skcompare.evidence.scores._vectorised_scores import (
    AreaUnderCurve,
    AveragePrecision,
    FunctionScore,
    PairScore,
    PreparedScore,
    RecordMean,
)
from skcompare.predictions import PairedPredictions

RANKING_SCORES: dict[str, PairScore] = {
    "roc_auc": AreaUnderCurve(),
    "average_precision": AveragePrecision(),
}
NAMED_SCORES = ("accuracy", *RANKING_SCORES)


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
        True classes as codes; for a score of two classes 1 is the positive one.
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
    design: Design = HOLDOUT
    greater_is_better: bool = True
    flags: tuple[str, ...] = ()
    symmetric: bool = field(init=False, default=False)

    # The score determines which predictions are needed.
    required: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
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
        self._set(symmetric=symmetric, design=as_design(self.design))

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
            True labels.
        champion, challenger : array-like of shape (n_samples,) or (n_samples, n_columns)
            Predicted labels for "accuracy"; scores of the positive class, of any scale,
            for "roc_auc" and "average_precision"; otherwise the function's arguments.
        score : {"accuracy", "roc_auc", "average_precision"} or callable
            The score: a name, or `score(y_true, predictions)` that returns a number, such
            as a function of sklearn.metrics. It is called for every resample.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user): numbers or strings.
        pos_label : label, optional
            The positive class of "roc_auc" and "average_precision"; 1 or True by default.
        greater_is_better : bool, default=True
            False where the function is a loss.
        """
        truth = check_labels("y_true", y_true)
        predictions = {"champion": as_array(champion), "challenger": as_array(challenger)}
        group_labels = {} if groups is None else {"groups": as_array(groups)}
        check_same_length({"y_true": truth}, predictions, group_labels)
        pair_score: PairScore
        if callable(score):
            classes, y = np.unique(truth, return_inverse=True)
            name = getattr(score, "__name__", "score")
            name = "score" if name == "<lambda>" else name
            pair_score = FunctionScore(name, function=score, classes=classes)
        elif check_choice("score", score, NAMED_SCORES) == "accuracy":
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
        """Construct from the pooled labels of all test sets, with the accuracy as score.

        For another score see :func:`skcompare.metrics.scored_pair`.
        """
        y = pair.predictions.y_predicted()
        return cls.of_predictions(pair, RecordMean(), y, *correct_of(pair))

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
        sizes = np.unique(self.y, return_counts=True)[1]
        return int(sizes.min()) if len(sizes) == 2 else self.n

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
        for prepared in self.prepared():
            reason = getattr(prepared, "why_undefined", str)()
            if reason:
                return str(reason)
        return ""

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
        return self.score.prepared(np.tile(self.y, 2), np.concatenate(both), rows)

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
    common = [y] if groups is None else [groups, y]
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
