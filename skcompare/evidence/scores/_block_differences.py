"""Score differences by block of a block-regularized cross-validation."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.design import Design, as_design
from skcompare._core.satterthwaite import degrees_of_freedom
from skcompare._core.validation import check_same_length, group_codes
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._storage import Storable
from skcompare.evidence.scores._scores import checked_scores, correct_of
from skcompare.predictions import PairedPredictions

LEAST_REPEATS = 2
ROUNDING = 1e-12
"""Differences of less than this share of the scores are rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockDifferences(Storable):
    """Score differences by block of an M × 2 block-regularized cross-validation.

    Each of B blocks of records is tested once in each of M repetitions, by classifiers that
    were trained on the half without it. So the table of mean differences, repetitions by
    blocks, separates the effect of a block as test data from that as training data.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_blocks)
        Mean difference of the records of each block in each repetition, challenger minus
        champion on a greater-is-better scale. NaN where the score is undefined.
    sides : array-like of int of shape (n_repeats, n_blocks)
        1 for the blocks that one half of a repetition consists of, and -1 for those of the
        other: two-level columns that are balanced, and balanced on each other.
    sizes : array-like of int of shape (n_blocks,)
        Number of records in each block.
    own : array-like of shape (n_repeats, n_repeats)
        Covariance of the repetitions' means that is due to the deviations of records from
        others of their block and class. Groups take the place of records where these are
        grouped.
    variance : float
        Variance of the mean difference due to the sampling of tested records only: that
        of the units' mean differences over their number. NaN where it is unknown.
    df : float
        Degrees of freedom of `variance`, from how unequal the units' deviations are.
    champion, challenger : float, optional
        The scores themselves, the mean over all tests of a record.
    design : Design or str, default="bcv"
        How the records were split.
    flags : tuple of str
        Caveats about how the scores were obtained.
    score : str, default="score"
        Name of the score.
    greater_is_better : bool, default=True
        False for a loss, whose differences are gains.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is infinite, a variance negative, or the sides are
        not those of an orthogonal array.

    See Also
    --------
    from_records : From the differences of all records in all repetitions.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import BlockDifferences
    >>> in_first = [[1, 1, 0, 0, 1, 1, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]]
    >>> differences = [[1, 0, 0, 1, 1, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 1]]
    >>> blocks = BlockDifferences.from_records(differences, in_first)
    >>> print(f"{blocks.mean:.3f} of {blocks.n_records} records")
    0.375 of 8 records
    """

    values: FloatArray
    sides: IntArray
    sizes: IntArray
    own: FloatArray
    variance: float
    df: float
    champion: float | None = None
    challenger: float | None = None
    design: Design = None  # type: ignore[assignment]
    flags: tuple[str, ...] = ()
    score: str = "score"
    greater_is_better: bool = True

    required: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        values, own = (
            checked_scores(name, getattr(self, name)) for name in ("values", "own")
        )
        sides, sizes = (_whole(name, getattr(self, name)) for name in ("sides", "sizes"))
        if values.ndim != 2 or sides.shape != values.shape:
            raise ValueError(
                "`values` and `sides` must have one shape, (n_repeats, n_blocks). Got "
                f"{values.shape} and {sides.shape}."
            )
        n_repeats, n_blocks = values.shape
        if sizes.shape != (n_blocks,) or own.shape != (n_repeats, n_repeats):
            raise ValueError(
                f"`sizes` must have shape ({n_blocks},) and `own` ({n_repeats}, "
                f"{n_repeats}), as `values` are. Got {sizes.shape} and {own.shape}."
            )
        _check_array(sides)
        if (sizes < 1).any():
            raise ValueError(f"Each block must hold a record. Got sizes {sizes.tolist()}.")
        if self.variance < 0 or (np.diag(own) < 0).any():
            raise ValueError("Variances must not be negative. Got one that is.")
        design = Design("bcv") if self.design is None else as_design(self.design)
        design = replace(design, n_repeats=n_repeats, n_folds=2)
        self._set(values=values, sides=sides, sizes=sizes, own=own)
        self._set(design=design, flags=tuple(self.flags))

    @classmethod
    def from_records(
        cls,
        differences: ArrayLike,
        in_first: ArrayLike,
        *,
        strata: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **settings: Any,
    ) -> "BlockDifferences":
        """Construct from the differences of all records in all repetitions.

        Parameters
        ----------
        differences : array-like of shape (n_repeats, n_records)
            Contribution of each record to the difference in each repetition: the
            difference of its scores where the score is a mean over records, and otherwise
            the difference on its test set plus the record's influence on it.
        in_first : array-like of bool of shape (n_repeats, n_records)
            Whether a record is tested with the first half of a repetition. The blocks are
            the records that are tested together in all repetitions.
        strata : array-like of shape (n_records,), optional
            Strata that were spread evenly over the blocks, such as the class of each
            record. Not for groups.
        groups : array-like of shape (n_records,), optional
            Group of each record (patient, user). Each lies in one block.
        **settings
            `champion`, `challenger`, `flags`, `score` and `greater_is_better`, as for the
            class.
        """
        d, first = np.array(differences, dtype=np.float64), np.asarray(in_first, dtype=bool)
        if d.ndim != 2 or d.shape != first.shape:
            raise ValueError(
                "`differences` and `in_first` must have one shape, (n_repeats, n_records). "
                f"Got {d.shape} and {first.shape}."
            )
        roles = settings.get("champion"), settings.get("challenger")
        d = _without_rounding(d, roles)
        block, first_of_block = (
            np.zeros(d.shape[1], dtype=np.intp),
            np.zeros(1, dtype=np.intp),
        )
        for half in first:
            # Half by half, which is faster than sorting whole columns.
            finer = 2 * block + half
            _, first_of_block, block = np.unique(
                finer, return_index=True, return_inverse=True
            )
        sides = np.where(first[:, first_of_block], 1, -1)
        _check_array(sides)
        units = np.arange(d.shape[1]) if groups is None else _units(groups, block)
        cells = block
        if strata is not None and groups is None:
            # Strata are spread evenly, so blocks differ by the records within strata only.
            cells = block + len(first_of_block) * group_codes(strata)
        sizes = np.bincount(block)
        variance, df = _variance_of_mean(d.mean(axis=0), units)
        return cls(
            np.array([np.bincount(block, row) for row in d]) / sizes,
            sides,
            sizes,
            _own_covariance(d, cells, units),
            variance,
            df,
            design=Design("bcv", grouped=groups is not None),
            **settings,
        )

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "BlockDifferences":
        """Construct from accuracies (see also `skcompare.metrics.block_differences`)."""
        predictions = pair.predictions
        correct = correct_of(pair)
        in_first, order = halves_of(pair)
        return cls.from_records(
            (correct[1] - correct[0])[order],
            in_first,
            strata=predictions.y,
            groups=predictions.groups,
            champion=float(correct[0].mean()),
            challenger=float(correct[1].mean()),
            score="accuracy",
        )

    @property
    def n_records(self) -> int:
        """Number of records, each tested once in every repetition."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """Mean of the defined differences over all records and repetitions."""
        weights = np.isfinite(self.values) * self.sizes
        if not weights.any():
            return float("nan")
        return float((np.nan_to_num(self.values) * weights).sum() / weights.sum())

    @property
    def means(self) -> tuple[float, float]:
        """Mean score of champion and challenger; NaN if unknown."""
        roles = (self.champion, self.challenger)
        return tuple(np.nan if role is None else role for role in roles)  # type: ignore

    @property
    def n_undefined(self) -> int:
        """Number of undefined differences, over blocks and repetitions."""
        return int(np.isnan(self.values).sum())

    def swap(self) -> "BlockDifferences":
        """Return the differences with the roles exchanged."""
        return replace(
            self,
            values=0.0 - self.values,
            champion=self.challenger,
            challenger=self.champion,
        )


_ARRAYS = ("values", "sides", "sizes", "own")


def halves_of(pair: PairedPredictions) -> tuple[NDArray[np.bool_], IntArray]:
    """Return the halves of a block-regularized cross-validation, by record.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for all test sets, repetition after repetition.

    Returns
    -------
    in_first : ndarray of bool of shape (n_repeats, n_records)
        Whether a record is tested in the first split of a repetition.
    place : ndarray of int of shape (n_repeats, n_records)
        Position of its prediction among those of all splits.
    """
    predictions = pair.predictions
    n, n_splits = predictions.n_records, predictions.n_splits
    records = predictions.records
    if records is None or n_splits % 2 or len(records) != n * n_splits // 2:
        raise ValueError(_NOT_HALVES)
    shape = n_splits // 2, n
    repeat = np.repeat(np.arange(n_splits) // 2, predictions.n_test)
    in_first, place = np.zeros(shape, dtype=bool), np.full(shape, -1)
    place[repeat, records] = np.arange(len(records))
    if (place < 0).any():
        raise ValueError(_NOT_HALVES)
    split = np.repeat(np.arange(n_splits), predictions.n_test)
    in_first[repeat, records] = split % 2 == 0
    return in_first, place


_NOT_HALVES = (
    "The splits must come in halves, each of which is tested by classifiers that were "
    "trained on the other. Got others. Split with BlockRegularized5x2CV."
)


def _check_array(sides: IntArray) -> None:
    """Raise an error unless sides are balanced, individually and pairwise."""
    n_repeats, n_blocks = sides.shape
    balanced = np.array_equal(sides @ sides.T, n_blocks * np.eye(n_repeats, dtype=int))
    if n_repeats < LEAST_REPEATS or not balanced or sides.sum(axis=1).any():
        raise ValueError(
            "The halves must be those of at least 2 repetitions of a block-regularized "
            "cross-validation, of which each two share half of their blocks. Got "
            f"{n_repeats} repetitions of {n_blocks} blocks. Split with "
            "BlockRegularized5x2CV."
        )


def _units(groups: ArrayLike, block: IntArray) -> IntArray:
    """Encode the groups, and check that each group lies in one block."""
    units = group_codes(groups)
    check_same_length({"block": block}, {"groups": units})
    if len(np.unique(np.stack([units, block]), axis=1).T) > len(np.unique(units)):
        raise ValueError(
            "The records of a group must be tested together. Got a group in several "
            "blocks. Pass the groups to the splitter too."
        )
    return units


def _own_covariance(d: FloatArray, cells: IntArray, units: IntArray) -> FloatArray:
    """Covariance of the repetitions' means from the units' deviations within cells."""
    sizes = np.bincount(cells)
    means = np.array([np.bincount(cells, row) for row in d]) / np.maximum(sizes, 1)
    deviations = d - means[:, cells]
    sums = np.array([np.bincount(units, row) for row in deviations])
    free = sums.shape[1] - np.count_nonzero(sizes)
    # A cell of one unit does not show how others would deviate.
    factor = sums.shape[1] / free if free > 0 else 0.0
    return factor * (sums @ sums.T) / d.shape[1] ** 2


def _variance_of_mean(means: FloatArray, units: IntArray) -> tuple[float, float]:
    """Variance of the mean over units, and its degrees of freedom.

    Those are ``2 v² / var(v)``, with the variance of v from the fourth moments.
    """
    squares = np.bincount(units, means - means.mean()) ** 2
    n = len(squares)
    total, fourth = float(squares.sum()), float((squares**2).sum())
    variance = total * n / (n - 1) / len(means) ** 2
    return variance, degrees_of_freedom(total, fourth, n)


def _without_rounding(d: FloatArray, scores: tuple[float | None, ...]) -> FloatArray:
    """Set differences within rounding error to 0."""
    sizes = [abs(score) for score in scores if score is not None]
    size = max(sizes) if sizes else max(1.0, float(np.fmax.reduce(np.abs(d), axis=None)))
    return np.where(np.abs(d) <= ROUNDING * size, 0.0, d)


def _whole(name: str, values: Any) -> IntArray:
    array = np.array(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"`{name}` must hold whole numbers. Got {array.dtype}.")
    return array.astype(np.int64)
