"""Score differences of two classifiers on every split, and in every block of records."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import AS_DESIGN, AS_TUPLE, array_of
from skcompare._core.design import HALVES, UNKNOWN, Design, design_of_shape
from skcompare._core.validation import check_same_length, group_codes
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._storage import Storable, negated
from skcompare.evidence.labels._contingency import labels_of
from skcompare.evidence.scores._cv_results import Complexity, scores_found
from skcompare.predictions import PairedPredictions, SplitInfo


def checked_scores(name: str, values: Any) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64) + 0.0  # no -0.0
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{name}` must hold numbers, in rows of one length. Got {values!r}."
        ) from error
    if np.isinf(array).any():
        raise ValueError(
            f"`{name}` must be finite, or NaN where undefined. Got infinite values."
        )
    return array


def _whole(name: str, values: Any) -> IntArray:
    array = np.array(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"`{name}` must hold whole numbers. Got {array.dtype}.")
    return array.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDifferences(Storable):
    """Score differences between two classifiers on every split.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_folds) or (n_splits,)
        Score of the challenger minus that of the champion on a greater-is-better scale,
        so that positive favours the challenger. NaN where the score is undefined on a
        test set.
    n_train, n_test : int or array-like of shape (n_splits,)
        Records that each split trains and tests on, repetition after repetition; 0
        training records where the classifiers were already trained.
    variances : array-like of the shape of `values`, optional
        Estimated variance of each difference within its test set: for a mean over records
        the variance of the differences of the records (divisor n_test - 1) over n_test.
        NaN where it is undefined, as for one record.
    champion, challenger : array-like of the shape of `values`, optional
        The scores themselves.
    design : Design or str, default="unknown"
        How the records were split. Splits in one row are read as pairs of halves where
        the design says that they are.
    flags : tuple of str
        Caveats about how the scores were obtained.
    score : str, default="score"
        Name of the score.
    greater_is_better : bool, default=True
        False where `champion` and `challenger` are losses; `values` is a gain then.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is infinite, a variance negative, a size is not a
        whole number, or a test set is empty.

    See Also
    --------
    from_scores : From the scores of both classifiers.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> scores = ScoreDifferences(
    ...     [0.02, 0.00, 0.04, 0.02, 0.02], n_train=80, n_test=20, design="kfold"
    ... )
    >>> print(f"{scores.mean:.3f} of {scores.n_records} records, {scores.design}")
    0.020 of 100 records, 5-fold cross-validation
    """

    values: FloatArray = field(metadata={"check": checked_scores, "swap": negated})
    n_train: IntArray
    n_test: IntArray
    variances: FloatArray | None = None
    champion: FloatArray | None = field(default=None, metadata={"swap": "challenger"})
    challenger: FloatArray | None = field(default=None, metadata={"swap": "champion"})
    design: Design = field(default=UNKNOWN, metadata=AS_DESIGN)
    flags: tuple[str, ...] = field(default=(), metadata=AS_TUPLE)
    score: str = "score"
    greater_is_better: bool = True

    required: ClassVar[frozenset[str]] = frozenset()

    def _check_together(self) -> None:
        design, values = self.design, self.values
        if values.ndim not in (1, 2) or values.size == 0:
            raise ValueError(
                "`values` must have shape (n_repeats, n_folds) or (n_splits,). Got "
                f"{values.shape}."
            )
        if values.ndim == 1 and design.kind in HALVES and values.size % 2 == 0:
            values = values.reshape(-1, 2)
        self._set(values=values, design=design_of_shape(design, values.shape))
        for name in ("variances", "champion", "challenger"):
            array = getattr(self, name)
            if array is not None:
                self._set(**{name: _of_shape(name, array, values.shape)})
        if self.variances is not None and (self.variances < 0).any():
            raise ValueError(
                f"`variances` must not be negative. Got {np.nanmin(self.variances):g}."
            )
        for name, least in (("n_train", 0), ("n_test", 1)):
            sizes = _sizes(name, getattr(self, name), values.shape, least)
            self._set(**{name: sizes})

    @classmethod
    def from_scores(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        n_train: ArrayLike,
        n_test: ArrayLike,
        *,
        design: Design | str = UNKNOWN,
        variances: ArrayLike | None = None,
        score: str = "score",
        greater_is_better: bool = True,
    ) -> "ScoreDifferences":
        """Construct from the scores of two classifiers on the same splits.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_repeats, n_folds) or (n_splits,)
            Score of each classifier on every test set, in the same order of splits.
        n_train, n_test, design, variances, score
            As for the class.
        greater_is_better : bool, default=True
            False for losses, whose differences are negated.
        """
        roles = {"champion": champion, "challenger": challenger}
        first, second = (checked_scores(*item) for item in roles.items())
        if first.shape != second.shape:
            raise ValueError(
                "`champion` and `challenger` must be scores on the same splits. Got shapes "
                f"{first.shape} and {second.shape}."
            )
        gain = second - first if greater_is_better else first - second
        return cls(
            gain,
            n_train,  # type: ignore[arg-type]
            n_test,  # type: ignore[arg-type]
            variances,  # type: ignore[arg-type]
            first,
            second,
            design,  # type: ignore[arg-type]
            score=score,
            greater_is_better=greater_is_better,
        )

    @classmethod
    def from_cv_results(
        cls,
        champion: Any,
        challenger: Any = None,
        X: Any = None,
        y: Any = None,
        *,
        search: Any = None,
        cv: Any = None,
        groups: Any = None,
        scoring: str | None = None,
        complexity: Complexity | None = None,
        n_train: ArrayLike | None = None,
        n_test: ArrayLike | None = None,
        design: Design | str | None = None,
    ) -> "ScoreDifferences":
        """Construct from results of scikit-learn's `cross_validate` or of a search.

        Both classifiers must have had the same splits. The indices that `cross_validate`
        returns with ``return_indices=True`` verify it; without them the result has the flag
        "splits-not-checked". All candidates of a search share its splits, but one that was
        chosen by its scores is favoured by them ("chosen-on-these-scores").

        Parameters
        ----------
        champion, challenger : dict, int or {"best", "runner-up", "simplest"}
            Outputs of :func:`sklearn.model_selection.cross_validate`; one alone where it
            is of a pair, scored by ``make_paired_scorer``. With `search` two of its
            candidates: the index of one, a dict of parameters that only it has, or
            "best" (`best_index_`, where there is one), "runner-up" (the highest mean score
            of the others), "simplest" (by `complexity`).
        X, y : array-like, optional
            The split data, for the sizes of training and test sets where indices are
            missing. Most splitters need `y` alone.
        search : estimator, optional
            A fitted `GridSearchCV`, `RandomizedSearchCV` or halving search.
        cv : splitter, int or iterable, optional
            The splitter; that of the search by default. Its design is the result's, and
            where it makes the same splits each time, they must be those of the indices.
            Without it, indices show a hold-out, (repeated) K-fold cross-validation, 5×2
            with random halves and a repeated hold-out.
        groups : array-like of shape (n_samples,), optional
            Group of each record; the design is then grouped.
        scoring : str, optional
            Name of the score; needed where there are several. Greater is better for all
            scorers of scikit-learn, as for "neg_log_loss".
        complexity : str, list of str or callable, optional
            Parameter that is least in the simplest candidate, or greatest where "-"
            precedes its name; None is without limit. Several in order of importance, or a
            function of a candidate's parameters. Of equally simple ones the best is taken.
        n_train, n_test : int or array-like of shape (n_splits,), optional
            Sizes of training and test sets, where neither indices nor `cv` give them.
        design : Design or str, optional
            How the records were split, where neither `cv` nor indices show it. Halves of a
            block-regularized cross-validation ("bcv") look like random ones.

        Raises
        ------
        ValueError
            If splits or scores differ, a score is missing, or sizes are not known.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from skcompare.evidence import ScoreDifferences
        >>> X, y = load_iris(return_X_y=True)
        >>> grid = {"max_depth": [1, 2, 3, None]}
        >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=10)
        >>> scores = ScoreDifferences.from_cv_results(
        ...     "simplest", "best", X, y, search=search.fit(X, y), complexity="max_depth"
        ... )
        >>> print(f"{scores.mean:.3f}, {scores.design}, {scores.flags}")
        0.293, 10-fold cross-validation, ('chosen-on-these-scores',)
        """
        request = SplitInfo(X, y, cv, groups, n_train, n_test, design)
        cv_scores = scores_found(champion, challenger, request, search, scoring, complexity)
        splits = cv_scores.splits
        shape = shape_of(splits.design)
        first, second = (np.reshape(role, shape) for role in cv_scores.roles)
        scores = cls.from_scores(
            first,
            second,
            splits.n_train,
            splits.n_test,
            design=splits.design,
            score=cv_scores.score,
            greater_is_better=cv_scores.greater_is_better,
        )
        return replace(scores, flags=cv_scores.flags)

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ScoreDifferences":
        """Construct from the accuracies of both roles on every test set."""
        predictions = pair.predictions
        correct = correct_of(pair)
        gains = correct[1] - correct[0]
        parts = list(predictions.slices())
        n_train = 0 if predictions.n_train is None else predictions.n_train
        shape = shape_of(pair.design)
        scores = [[role[part].mean() for part in parts] for role in correct]
        # As for every other score: variances of splits that share records are not used.
        variances = None
        if pair.design.kind == "kfold":
            variances = np.reshape([variance_of_mean(gains[p]) for p in parts], shape)
        champion, challenger = (np.reshape(role, shape) for role in scores)
        return cls.from_scores(
            champion,
            challenger,
            n_train,
            predictions.n_test,
            design=pair.design,
            variances=variances,
            score="accuracy",
        )

    @property
    def mean(self) -> float:
        """Mean of the defined differences; NaN if there is none."""
        return mean_defined(self.values)

    @property
    def means(self) -> tuple[float, float]:
        """Mean score of champion and challenger; NaN if unknown."""
        return mean_defined(self.champion), mean_defined(self.challenger)

    @property
    def n_undefined(self) -> int:
        """Number of splits on which the difference is undefined."""
        return int(np.isnan(self.values).sum())

    @property
    def n_records(self) -> int:
        """Number of records that were split: the largest sum of a training and a test set.

        Where the classifiers were already trained, the number tested by a repetition.
        """
        if (self.n_train > 0).all():
            return int((self.n_train + self.n_test).max())
        repeats = len(self.values) if self.values.ndim == 2 else 1
        return int(self.n_test.sum() // repeats)


def correct_of(pair: PairedPredictions) -> FloatArray:
    """Return 1 for each correct predicted label of both roles, and 0 for others."""
    y_true = pair.predictions.y_predicted()
    return np.array([labels_of(pair, role) == y_true for role in (0, 1)], dtype=np.float64)


def shape_of(design: Design) -> tuple[int, ...]:
    """Return the shape of the values of all splits, with repetitions as rows if any."""
    in_rows = design.n_repeats > 1 or design.kind in HALVES
    return (design.n_repeats, design.n_folds) if in_rows else (-1,)


def variance_of_mean(values: FloatArray) -> float:
    """Estimate the variance of the mean of the values; NaN for one record."""
    n = len(values)
    return float(values.var(ddof=1)) / n if n > 1 else float("nan")


def degrees_of_freedom(square: float, fourth: float, n: int, scale: float = 1.0) -> float:
    """Degrees of freedom of a sum of squares: twice its square over its variance.

    Parameters
    ----------
    square, fourth : float
        Sums of the second and fourth powers of the deviations of units: a few large ones
        are worth few degrees.
    n : int
        Number of units; they have n - 1 degrees at most, and 1 at least.
    scale : float, default=1.0
        The variance in use over that of the deviations, where it is larger and varies as
        much.
    """
    spread = fourth - square**2 / n
    most = max(1.0, n - 1.0)
    if spread <= ROUNDING * fourth:
        return most
    return min(max(1.0, 2 * (scale * square) ** 2 / spread), most)


def mean_defined(values: FloatArray | None) -> float:
    """Mean of the values that are not NaN; NaN if there is none."""
    if values is None:
        return float("nan")
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


def _of_shape(name: str, values: Any, shape: tuple[int, ...]) -> FloatArray:
    array = checked_scores(name, values)
    if array.size == np.prod(shape) and 1 in (array.ndim, len(shape)):
        array = array.reshape(shape)
    if array.shape != shape:
        raise ValueError(
            f"`{name}` must have the shape of `values`, {shape}. Got {array.shape}."
        )
    return array


def _sizes(name: str, values: Any, shape: tuple[int, ...], least: int) -> IntArray:
    """Check the sizes of training or test sets, and return one per split."""
    sizes, n_splits = np.asarray(values), int(np.prod(shape))
    fits = sizes.ndim == 0 or sizes.shape in ((n_splits,), shape)
    whole = sizes.dtype.kind in "iu" or (
        sizes.dtype.kind == "f" and bool((sizes == np.floor(sizes)).all())
    )
    if not whole or not fits or (sizes < least).any():
        raise ValueError(
            f"`{name}` must be a whole number of at least {least}, or one per split for "
            f"{n_splits} splits. Got {values!r}."
        )
    return np.broadcast_to(sizes.reshape(-1), n_splits).astype(np.int64)


LEAST_REPEATS = 2
ROUNDING = 1e-12
"""Differences of less than this share of the scores, or of their powers, are rounding."""


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

    values: FloatArray = field(
        metadata=array_of(checked_scores, "n_repeats", "n_blocks") | {"swap": negated}
    )
    sides: IntArray = field(metadata=array_of(_whole, "n_repeats", "n_blocks"))
    sizes: IntArray = field(metadata=array_of(_whole, "n_blocks"))
    own: FloatArray = field(metadata=array_of(checked_scores, "n_repeats", "n_repeats"))
    variance: float
    df: float
    champion: float | None = field(default=None, metadata={"swap": "challenger"})
    challenger: float | None = field(default=None, metadata={"swap": "champion"})
    design: Design = field(default=None, metadata=AS_DESIGN)  # type: ignore[assignment]
    flags: tuple[str, ...] = field(default=(), metadata=AS_TUPLE)
    score: str = "score"
    greater_is_better: bool = True

    required: ClassVar[frozenset[str]] = frozenset()

    def _check_together(self) -> None:
        _check_array(self.sides)
        if (self.sizes < 1).any():
            sizes = self.sizes.tolist()
            raise ValueError(f"Each block must hold a record. Got sizes {sizes}.")
        if self.variance < 0 or (np.diag(self.own) < 0).any():
            raise ValueError("Variances must not be negative. Got one that is.")
        design = Design("bcv") if self.design is None else self.design
        self._set(design=replace(design, n_repeats=len(self.values), n_folds=2))

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
        block = np.zeros(d.shape[1], dtype=np.intp)
        for half in first:
            # Half by half, which is faster than sorting whole columns.
            finer = 2 * block + half
            block = (np.cumsum(np.bincount(finer) > 0) - 1)[finer]
        # Any record of a block has its sides.
        one_of_block = np.zeros(int(block.max(initial=0)) + 1, dtype=np.intp)
        one_of_block[block] = np.arange(len(block))
        sides = np.where(first[:, one_of_block], 1, -1)
        _check_array(sides)
        units = np.arange(d.shape[1]) if groups is None else _units(groups, block)
        cells = block
        if strata is not None and groups is None:
            # Strata are spread evenly, so blocks differ by the records within strata only.
            cells = block + len(one_of_block) * group_codes(strata)
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
