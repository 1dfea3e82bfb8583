"""Score differences of two classifiers on every split."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcompare._core.design import HALVES, UNKNOWN, Design, as_design, design_of_shape
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._storage import Storable
from skcompare.evidence.labels._contingency import labels_of
from skcompare.evidence.scores._cv_results import Complexity, scores_found
from skcompare.predictions import PairedPredictions, SplitInfo


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

    values: FloatArray
    n_train: IntArray
    n_test: IntArray
    variances: FloatArray | None = None
    champion: FloatArray | None = None
    challenger: FloatArray | None = None
    design: Design = UNKNOWN
    flags: tuple[str, ...] = ()
    score: str = "score"
    greater_is_better: bool = True

    def __post_init__(self) -> None:
        design = as_design(self.design)
        values = checked_scores("values", self.values)
        if values.ndim not in (1, 2) or values.size == 0:
            raise ValueError(
                "`values` must have shape (n_repeats, n_folds) or (n_splits,). Got "
                f"{values.shape}."
            )
        if values.ndim == 1 and design.kind in HALVES and values.size % 2 == 0:
            values = values.reshape(-1, 2)
        design = design_of_shape(design, values.shape)
        self._set(values=values, design=design, flags=tuple(self.flags))
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
        first, second = (
            np.reshape(role, shape_of(cv_scores.design)) for role in cv_scores.roles
        )
        splits = cv_scores.splits
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
        return cls(
            challenger - champion,
            n_train,  # type: ignore[arg-type]
            predictions.n_test,
            variances,
            champion,
            challenger,
            pair.design,
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

    def swap(self) -> "ScoreDifferences":
        """Return the differences with the roles exchanged."""
        return replace(
            self,
            values=-self.values,
            champion=self.challenger,
            challenger=self.champion,
        )


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


def mean_defined(values: FloatArray | None) -> float:
    """Mean of the values that are not NaN; NaN if there is none."""
    if values is None:
        return float("nan")
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


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
            f"`{name}` must be a whole number of at least {least}, or one a split "
            f"for {n_splits} splits. Got {values!r}."
        )
    return np.broadcast_to(sizes.reshape(-1), n_splits).astype(np.int64)
