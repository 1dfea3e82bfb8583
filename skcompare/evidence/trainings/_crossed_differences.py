"""Losses or scores of every record by every training of two models."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of, as_read_only
from skcompare._core.design import (
    PAIRED_TRAININGS,
    TRAININGS,
    Design,
    as_design,
    design_of_trainings,
)
from skcompare._core.validation import as_array, check_numbers
from skcompare._registry.metrics import keywords_of, options_of_losses, record_losses
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence.core._named_losses import LARGEST
from skcompare.evidence.core._storage import Mergeable, joined
from skcompare.evidence.losses._paired_losses import PairedLosses
from skcompare.evidence.losses._record_losses import check_name
from skcompare.predictions import (
    SCORES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
)

ROUNDING = 2.0**-44
"""Variation relative to the largest size up to which it is a rounding error."""


def _as_values(name: str, values: Any) -> FloatArray:
    """Check the values of all records by each training."""
    array = as_array(values)
    if array.ndim != 2 or not array.size:
        raise ValueError(
            f"`{name}` must have the shape (n_trainings, n_samples), with one row per "
            f"training. Got {array.shape}. Stack the arrays of the trainings."
        )
    numbers = check_numbers(name, array.reshape(-1)).reshape(array.shape)
    size = float(np.abs(numbers).max())
    if size > LARGEST:
        raise ValueError(
            f"`{name}` must be of a size of at most {LARGEST:g}. Got {size:g}. Divide all "
            "values by one number."
        )
    return as_read_only(name, numbers)


_SAME_MEASURE = "Only values of one measure can be merged."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossedDifferences(Mergeable):
    """Values of a measure of every record by every training of champion and challenger.

    Records and trainings are crossed: every training predicts the same records. Made by
    :meth:`from_losses` from losses, or, for scores that are not means over records (AUC,
    F1), by :meth:`from_influences`. Shards of records add up, if they are of the same
    trainings in the same order.

    Parameters
    ----------
    champion : array-like of shape (n_champion, n_samples)
        Loss of each record by each training of the champion; or its score, of which the
        mean over the records is that of the training.
    challenger : array-like of shape (n_challenger, n_samples)
        The same of the challenger. Of paired trainings rows of one position are a pair.
    measure : str, default="losses"
        Name of the measure.
    greater_is_better : bool, default=False
        False where the measure is a loss.
    by_influence : bool, default=False
        Whether values are those of a score by the influences of the records, whose shards
        cannot be merged.
    design : Design or str, default="paired trainings"
        "paired trainings", "separate trainings", of which the numbers may be unequal, or
        "fixed trainings", which are taken as they are.

    Examples
    --------
    >>> from skcompare.evidence import CrossedDifferences
    >>> champion = [[1.0, 0.5, 2.0], [1.5, 0.5, 1.0]]
    >>> challenger = [[0.5, 0.5, 1.0], [1.0, 0.0, 1.5]]
    >>> CrossedDifferences.from_losses(champion, challenger)
    CrossedDifferences(n=3, n_trainings=(2, 2), measure='losses', champion=1.083,
    challenger=0.75, design='paired trainings')
    """

    champion: FloatArray = field(
        metadata=array_of(_as_values, "n_champion", "n_samples")
        | {"merge": partial(joined, axis=1), "swap": "challenger"}
    )
    challenger: FloatArray = field(
        metadata=array_of(_as_values, "n_challenger", "n_samples")
        | {"merge": partial(joined, axis=1), "swap": "champion"}
    )
    measure: str = field(default="losses", metadata={"merge": _SAME_MEASURE})
    greater_is_better: bool = False
    by_influence: bool = False
    design: Design = field(default=PAIRED_TRAININGS, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    takes_values: ClassVar[bool] = True
    least_records: ClassVar[int] = 2

    @classmethod
    def from_losses(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        paired: bool | None = None,
        loss: str = "losses",
    ) -> Self:
        """Construct from the loss of each record by each training, where lower is better.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_trainings, n_samples)
            Losses; the numbers of trainings may differ unless they are paired.
        paired : bool, optional
            Whether trainings of one position are a pair, such as those of one seed. By
            default they are if their numbers are equal.
        loss : str, default="losses"
            Name of the loss.
        """
        check_name(loss)
        values = _as_values("champion", champion), _as_values("challenger", challenger)
        design = design_of_trainings([len(own) for own in values], paired)
        return cls(values[0], values[1], measure=loss, design=design)

    @classmethod
    def from_influences(
        cls,
        champion: tuple[ArrayLike, ArrayLike],
        challenger: tuple[ArrayLike, ArrayLike],
        *,
        measure: str,
        greater_is_better: bool = True,
        design: Design | str = PAIRED_TRAININGS,
    ) -> Self:
        """Construct from the score of each training and the influences of the records.

        A smooth score is about its value plus the influences of the records, which add up
        to 0, so that its variance over records is that of a mean.

        Parameters
        ----------
        champion, challenger : pair of array-like
            Score of each training, of shape (n_trainings,), and the derivative of each by
            the weight of each record, of shape (n_trainings, n_samples): for a mean the
            record's distance from it over n, for an AUC the placement values' over the
            records of the class.
        measure : str
            Name of the score.
        greater_is_better : bool, default=True
            False where the score is a loss.
        design : Design or str, default="paired trainings"
            As for the class.
        """
        values: list[FloatArray] = []
        for scores, influences in (champion, challenger):
            own = _as_values("influences", influences)
            level = check_numbers("scores", scores)[:, np.newaxis]
            centred = own - own.mean(axis=1, keepdims=True)
            values.append(level + own.shape[1] * centred)
        return cls(
            values[0],
            values[1],
            measure=measure,
            greater_is_better=greater_is_better,
            by_influence=True,
            design=as_design(design),
        )

    @classmethod
    def from_pair(cls, pair: PairedPredictions, **options: Any) -> Self:
        """Compute the losses of the predictions of all trainings.

        The options are those of :meth:`PairedLosses.from_pair`, such as `loss`.

        Raises
        ------
        ValueError
            If there are not several test sets of the same records, one for each training.
        """
        losses = PairedLosses.from_pair(pair, **options)
        order = by_training(pair.predictions)
        both = losses.champion, losses.challenger
        values = [
            own[order][: trainings_of(role, pair.predictions)]
            for role, own in zip(pair.roles, both, strict=True)
        ]
        return cls(values[0], values[1], measure=losses.loss, design=pair.design)

    @staticmethod
    def more_options() -> tuple[str, ...]:
        """Names of the options of :class:`PairedLosses`, which the constructor takes."""
        own = keywords_of(PairedLosses.from_predictions)
        kept = (name for name in own if name not in ("keep_values", "groups"))
        return (*kept, *options_of_losses())

    def _check_together(self) -> None:
        equal = len(self.champion) == len(self.challenger)
        if self.design.kind == PAIRED_TRAININGS.kind and not equal:
            raise ValueError(
                "Paired trainings must be equal in number for champion and challenger. Got "
                f"{len(self.champion)} and {len(self.challenger)}. Pass paired=False."
            )

    def __repr__(self) -> str:
        champion, challenger = self.means
        return (
            f"CrossedDifferences(n={self.n}, n_trainings={self.n_trainings}, "
            f"measure={self.measure!r}, champion={champion:.4g}, "
            f"challenger={challenger:.4g}, design={self.design.name!r})"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.champion.shape[1])

    @property
    def n_trainings(self) -> tuple[int, int]:
        """Numbers of trainings of champion and challenger."""
        return len(self.champion), len(self.challenger)

    @property
    def paired(self) -> bool:
        """Whether trainings are in pairs."""
        return self.design.kind == PAIRED_TRAININGS.kind

    @property
    def means(self) -> tuple[float, float]:
        """Measure of champion and challenger, the mean over trainings and records."""
        return float(self.champion.mean()), float(self.challenger.mean())

    @property
    def sign(self) -> int:
        """1 for a score, and -1 for a loss, whose difference is a gain."""
        return 1 if self.greater_is_better else -1

    @property
    def gains(self) -> FloatArray:
        """Difference of each record in each pair of trainings, of shape (n_pairs, n).

        Positive favours the challenger; rounding errors are 0.
        """
        difference = self.sign * (self.challenger - self.champion)
        return without_rounding(difference, self._size)

    @property
    def mean_gains(self) -> FloatArray:
        """Difference of each record between the means over trainings, of shape (n,)."""
        if self.paired:
            return np.asarray(self.gains.mean(axis=0))
        difference = self.challenger.mean(axis=0) - self.champion.mean(axis=0)
        return without_rounding(self.sign * difference, self._size)

    @property
    def estimate(self) -> float:
        """Mean difference over records and trainings; positive favours the challenger."""
        return float(self.mean_gains.mean())

    @property
    def difference_bound(self) -> float | None:
        """Largest possible difference of one record; None if unknown."""
        if self.measure == "accuracy":
            return 1.0
        loss = record_losses().get(self.measure)
        return None if loss is None or self.by_influence else loss.bound

    @property
    def _size(self) -> float:
        ends = [(own.max(), -own.min()) for own in (self.champion, self.challenger)]
        return float(np.max(ends))

    def _merged(self, other: Self) -> Self:
        if self.by_influence or other.by_influence:
            raise ValueError(
                f"{self.measure!r} is not a mean over records, so that its influences "
                "depend on all of them. Got two shards. Merge the predictions instead."
            )
        return super(CrossedDifferences, self)._merged(other)


def without_rounding(values: FloatArray, size: float) -> FloatArray:
    """Return values with those within the rounding errors of numbers of a size as 0."""
    within = np.abs(values) <= ROUNDING * size
    return np.where(within, 0.0, values) if within.any() else values


def trainings_of(role: EstimatorPredictions, predictions: Predictions) -> int:
    """Return the number of trainings of a role."""
    return role.n_trainings or predictions.n_splits


def by_training(predictions: Predictions) -> np.ndarray:
    """Positions of the predictions of each training, of shape (n_trainings, n_samples).

    The records have one order in all trainings.

    Raises
    ------
    ValueError
        If the test sets are not of the same records.
    """
    slices, records = list(predictions.slices()), predictions.records
    if records is None:
        if predictions.design.kind in TRAININGS:
            return np.arange(predictions.n_records)[np.newaxis]
        records = np.arange(predictions.n_records)
    order = [np.argsort(records[part], kind="stable") for part in slices]
    tested = [records[part][own] for part, own in zip(slices, order, strict=True)]
    if len(slices) < 2 or not all(np.array_equal(tested[0], other) for other in tested[1:]):
        raise ValueError(
            "Trainings are compared on one test set, which all of them predict. Got "
            f"{predictions.design} with {len(slices)} test sets. Use compare_seeds, or "
            "PairedComparator(n_trainings=...)."
        )
    return np.stack([part.start + own for part, own in zip(slices, order, strict=True)])
