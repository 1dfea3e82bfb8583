"""Differences of two models, in the order in which the records were observed."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of, as_read_only
from skcompare._core.design import (
    GROUPED_TIME_ORDERED,
    HOLDOUT,
    IN_TIME,
    TIME_ORDERED_HOLDOUT,
    Design,
)
from skcompare._core.times import check_times
from skcompare._core.validation import (
    check_count,
    check_groups,
    check_numbers,
    check_same_length,
)
from skcompare._registry.metrics import (
    keywords_of,
    options_of_losses,
    record_losses,
    reserve_options,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import check_whole, groups_of
from skcompare.evidence.core._named_losses import LARGEST
from skcompare.evidence.core._storage import Mergeable, added, negated, reversed_
from skcompare.evidence.losses._paired_losses import (
    PairedLosses,
    check_weights,
    weighted_name,
)
from skcompare.evidence.losses._record_losses import LossGroups, check_name
from skcompare.evidence.scores._scored_pair import ScoredPair
from skcompare.predictions import SCORES, PairedPredictions, least_horizon, why_no_series

ROUNDING = 2.0**-48
"""Difference relative to the mean losses, up to which it is a rounding error."""


def _as_times(name: str, values: Any) -> np.ndarray:
    """Check times that increase from one time point to the next."""
    times = as_read_only(name, check_times(name, values))
    if not (times[1:] > times[:-1]).all():
        raise ValueError(
            f"`{name}` must increase: one for each time point. Got others. Make the "
            "evidence of records in any order by a constructor such as `from_losses`."
        )
    return times


def _as_sums(name: str, values: Any) -> FloatArray:
    """Check sums whose squares neither overflow nor vanish."""
    sums = check_numbers(name, values)
    size = max(float(sums.max(initial=0.0)), -float(sums.min(initial=0.0)))
    if size > LARGEST or 0 < size < 1 / LARGEST:
        raise ValueError(
            f"`{name}` must be of a size of {1 / LARGEST:g} to {LARGEST:g}, or all 0. Got "
            f"{size:g} at most. Choose another unit of the losses."
        )
    return as_read_only(name, sums)


def _as_numbers(name: str, values: Any) -> FloatArray:
    return as_read_only(name, check_numbers(name, values))


def _as_counts(name: str, values: Any) -> IntArray:
    is_whole = isinstance(values, np.ndarray) and values.dtype == np.int64
    counts = values if is_whole else check_whole(name, values)
    if not len(counts) or (counts < 1).any():
        raise ValueError(
            f"`{name}` must be records of each time point, at least 1. Got "
            f"{int((counts < 1).sum())} time points without records of {len(counts)}. "
            "Leave these out."
        )
    return as_read_only(name, counts)


_HORIZON = {"check": lambda name, value: check_count(name, value)}
_SAME_HORIZON = "Only differences of one horizon can be merged."
_SAME_MEASURE = "Only differences of one measure can be merged."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderedDifferences(Mergeable):
    """Differences of a champion and a challenger in time order, summed at each time point.

    Consecutive records may be correlated, so their order matters. Made by
    :meth:`from_losses` from the loss of each record, by :meth:`from_differences` from their
    differences, by :meth:`from_predictions`, or, for scores that are not means over records
    (AUC, F1, R²), by :meth:`from_influences` and :meth:`from_scored_pair`. Records with
    equal times are one time point. Shards of losses add up: by their times, or without
    times in the order in which they are added.

    Parameters
    ----------
    sums : array-like of shape (n_times,)
        Sum of the differences of the records of each time point, where positive favours
        the challenger, in time order.
    counts : array-like of shape (n_times,)
        Records of each time point.
    totals : array-like of shape (2,) or None, default=None
        Sums of the measure of champion and challenger over all records, if they are known.
    times : array-like of shape (n_times,) or None, default=None
        Increasing times, which shards need that are not added in their order.
    horizon : int, default=1
        Number of time points by which a forecast is ahead, or by which a label is late.
        The errors of good forecasts h steps ahead depend on h - 1 earlier ones.
    measure : str, default="losses"
        Name of the measure.
    greater_is_better : bool, default=False
        False where the measure is a loss.
    by_influence : bool, default=False
        Whether the differences are those of a score by the influences of the records, whose
        shards cannot be merged.
    groups : LossGroups or None, default=None
        Sums of the differences in each series (store, sensor), where records come in
        several.
    champion_sums : array-like of shape (n_times,) or None, default=None
        Sum of the champion's losses at each time point, if they are known, which a margin
        relative to them needs (see :meth:`weighted`).
    design : Design or str, default="time-ordered holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import OrderedDifferences
    >>> champion, challenger = [1.0, 0.5, 2.0, 1.5], [0.5, 1.0, 1.0, 1.5]
    >>> OrderedDifferences.from_losses(champion, challenger, time=[1, 2, 3, 3])
    OrderedDifferences(n=4, n_times=3, horizon=1, measure='losses', champion=1.25,
    challenger=1, design='time-ordered holdout')
    """

    sums: FloatArray = field(metadata=array_of(_as_sums, "n_times") | {"swap": negated})
    counts: IntArray = field(metadata=array_of(_as_counts, "n_times"))
    totals: FloatArray | None = field(
        default=None,
        metadata=array_of(_as_sums, "n_roles") | {"merge": added, "swap": reversed_},
    )
    times: np.ndarray | None = field(default=None, metadata=array_of(_as_times, "n_times"))
    horizon: int = field(default=1, metadata=_HORIZON | {"merge": _SAME_HORIZON})
    measure: str = field(default="losses", metadata={"merge": _SAME_MEASURE})
    greater_is_better: bool = False
    by_influence: bool = False
    groups: LossGroups | None = field(
        default=None, metadata={"merge": added, "swap": LossGroups.swap}
    )
    champion_sums: FloatArray | None = field(
        default=None,
        metadata=array_of(_as_numbers, "n_times") | {"swap": "challenger_sums"},
    )
    design: Design = field(default=TIME_ORDERED_HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    takes_values: ClassVar[bool] = True
    least_records: ClassVar[int] = 8

    @classmethod
    def from_losses(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
        loss: str = "losses",
    ) -> Self:
        """Construct from the loss of each record, where lower is better.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Loss of each record.
        time : array-like of shape (n_samples,), optional
            Number or timestamp of each record; equal ones are one time point. Without it
            the records are in time order, one at a time.
        groups : array-like of shape (n_samples,), optional
            Series (store, sensor) of each record, of which each has its own order in
            `time`; the design is then grouped.
        horizon : int, default=1
            Time points by which forecasts are ahead.
        loss : str, default="losses"
            Name of the loss.
        """
        check_name(loss)
        losses = {
            "champion": check_numbers("champion", champion),
            "challenger": check_numbers("challenger", challenger),
        }
        n = check_same_length(losses)
        first, second = losses.values()
        differences = first - second
        largest = max(differences.max(), -differences.min())
        if largest <= ROUNDING * max(first.max(), second.max(), -first.min()):
            # Only then is it worth while to compute how large losses are on average.
            size = (np.abs(first).sum() + np.abs(second).sum()) / n
            differences = np.zeros(n) if largest <= ROUNDING * size else differences
        totals = np.array([first.sum(), second.sum()])
        fields = {"horizon": horizon, "measure": loss}
        return cls._of(differences, time, groups, totals, first, **fields)

    @classmethod
    def from_differences(
        cls,
        differences: ArrayLike,
        *,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
        measure: str = "losses",
    ) -> Self:
        """Construct from differences of records, where positive favours the challenger.

        The measure of each role is then unknown.

        Parameters
        ----------
        differences : array-like of shape (n_samples,)
            Champion's loss minus the challenger's.
        time, groups, horizon
            As for :meth:`from_losses`.
        measure : str, default="losses"
            Name of the measure.
        """
        values = check_numbers("differences", differences).copy()
        return cls._of(values, time, groups, None, horizon=horizon, measure=measure)

    @classmethod
    def from_influences(
        cls,
        influences: ArrayLike,
        *,
        champion: float,
        challenger: float,
        measure: str,
        greater_is_better: bool = True,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
    ) -> Self:
        """Construct from the influence of each record on the difference of two scores.

        A smooth score is about its value plus the influences of the records, which add up
        to 0, so that its dependence over time is that of the influences.

        Parameters
        ----------
        influences : array-like of shape (n_samples,)
            Derivative of the difference, where positive favours the challenger, by the
            weight of each record. For a mean it is the record's distance from the mean over
            n; for an AUC the placement values' over the records of the class.
        champion, challenger : float
            Scores of both.
        measure : str
            Name of the score.
        greater_is_better : bool, default=True
            False where the score is a loss.
        time, groups, horizon
            As for :meth:`from_losses`.
        """
        values = check_numbers("influences", influences)
        sign = 1.0 if greater_is_better else -1.0
        roles = np.array([champion, challenger], dtype=np.float64)
        estimate = sign * (roles[1] - roles[0])
        # Differences with the mean and the influences of the score.
        return cls._of(
            estimate + len(values) * (values - values.mean()),
            time,
            groups,
            len(values) * roles,
            horizon=horizon,
            measure=measure,
            greater_is_better=greater_is_better,
            by_influence=True,
        )

    @classmethod
    def from_scored_pair(
        cls,
        pair: ScoredPair,
        *,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
    ) -> Self:
        """Construct from predictions with a score whose influences are known.

        Parameters
        ----------
        pair : ScoredPair
            Predictions of both models with a score such as "accuracy", "roc_auc" or "r2".
        time, groups, horizon
            As for :meth:`from_losses`.

        Raises
        ------
        ValueError
            If the derivatives of the score by the weights of the records are unknown.
        """
        ones = np.ones((1, pair.n), dtype=np.int32)
        slopes = [role.slopes(ones) for role in pair.prepared()]
        if slopes[0] is None or slopes[1] is None:
            raise ValueError(
                f"The influence of a record on {pair.score.name!r} is unknown, and the "
                "order of the records counts by it. Take a mean loss of the records, or a "
                "score such as 'accuracy', 'roc_auc' or 'r2'."
            )
        champion, challenger = pair.values
        # The pair keeps its records in an order of its own.
        influences = pair.sign * (slopes[1] - slopes[0])[0]
        return cls.from_influences(
            influences[np.argsort(pair.rows, kind="stable")],  # type: ignore[arg-type]
            champion=champion,
            challenger=challenger,
            measure=pair.score.name,
            greater_is_better=pair.greater_is_better,
            time=time,
            groups=groups,
            horizon=horizon,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion_proba: ArrayLike,
        challenger_proba: ArrayLike,
        *,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
        **options: Any,
    ) -> Self:
        """Compute the losses of probabilities, or of numbers, on a hold-out set in order.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels, or numbers.
        champion_proba, challenger_proba : array-like of shape (n_samples, n_classes) or \
(n_samples,)
            Predictions, as for :meth:`PairedLosses.from_predictions`.
        time, groups, horizon
            As for :meth:`from_losses`. Without `time` the records are in time order.
        **options : dict
            Options of :meth:`PairedLosses.from_predictions`, such as `loss`.
        """
        losses = PairedLosses.from_predictions(
            y_true, champion_proba, challenger_proba, **options
        )
        return cls.from_paired_losses(losses, time=time, groups=groups, horizon=horizon)

    @classmethod
    def from_paired_losses(
        cls,
        losses: PairedLosses,
        *,
        time: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        horizon: int = 1,
    ) -> Self:
        """Construct from the losses of records that were kept one by one.

        Parameters
        ----------
        losses : PairedLosses
            Losses of a hold-out set.
        time, groups, horizon
            As for :meth:`from_losses`.
        """
        return cls.from_losses(
            losses.champion,
            losses.challenger,
            time=time,
            groups=groups,
            horizon=horizon,
            loss=losses.loss,
        )

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        time: ArrayLike | None = None,
        horizon: int | None = None,
        **options: Any,
    ) -> Self:
        """Compute the losses of the predictions for all test sets, in order.

        The options are those of :meth:`from_predictions`; series are the groups of the
        predictions. Time and horizon are by default those of the predictions. With a time
        the design of a hold-out is "time-ordered holdout"; without it the records are in
        the order of the predictions, and the design stays the same. Of splits in time order
        `time` is that of all records that were split, by default their positions; the
        horizon is then by default 1 more than the gap between training and test sets.
        """
        losses = PairedLosses.from_pair(pair, **options)
        order = order_of(pair, time, horizon)
        ordered = cls.from_paired_losses(losses, **order)
        timed = order["time"] is not None and pair.design.kind in (
            HOLDOUT.kind,
            TIME_ORDERED_HOLDOUT.kind,
        )
        return ordered if timed else replace(ordered, design=pair.design)

    @classmethod
    def _of(
        cls,
        differences: FloatArray,
        time: Any,
        groups: Any,
        totals: FloatArray | None,
        champion: FloatArray | None = None,
        **fields: Any,
    ) -> Self:
        n = check_same_length(differences=differences)
        if groups is not None:
            labels = check_groups(groups)
            check_same_length(differences=differences, groups=labels)
            of_groups = replace(LossGroups.of(differences, labels), codes=None)
            fields = fields | {"groups": of_groups, "design": GROUPED_TIME_ORDERED}
        # Nobody else writes to these arrays, which are then not copied.
        ones = np.ones(n, dtype=np.int64)
        for values in (differences, ones):
            values.setflags(write=False)
        if time is None:
            return cls(differences, ones, totals, champion_sums=champion, **fields)
        times = check_times("time", time)
        check_same_length(differences=differences, time=times)
        times, sums, counts, *champions = in_order(
            times, differences, ones, *([] if champion is None else [champion])
        )
        fields = fields | {"champion_sums": champions[0] if champions else None}
        if times.dtype.kind == "M":
            # A copy already, unless nobody writes to the timestamps that were passed.
            times.setflags(write=False)
        return cls(sums, counts, totals, times, **fields)

    @staticmethod
    def more_options() -> tuple[str, ...]:
        """Names of the options of :class:`PairedLosses`, which the constructors take."""
        own = keywords_of(PairedLosses.from_predictions)
        return (*(name for name in own if name != "keep_values"), *options_of_losses())

    def __repr__(self) -> str:
        means = f"difference={self.estimate:.4g}"
        if self.means is not None:
            means = "champion={:.4g}, challenger={:.4g}".format(*self.means)
        series = "" if self.groups is None else f"n_series={self.groups.n_groups}, "
        return (
            f"OrderedDifferences(n={self.n}, n_times={self.n_times}, {series}"
            f"horizon={self.horizon}, measure={self.measure!r}, {means}, "
            f"design={self.design.name!r})"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def n_times(self) -> int:
        """Number of time points."""
        return len(self.sums)

    @property
    def means(self) -> tuple[float, float] | None:
        """Measure of champion and challenger; None if only differences are known."""
        if self.totals is None:
            return None
        champion, challenger = self.totals / self.n
        return float(champion), float(challenger)

    @property
    def difference_bound(self) -> float | None:
        """Largest possible difference of one record; None if unknown."""
        if self.measure == "accuracy":
            return 1.0
        loss = record_losses().get(self.measure)
        return None if loss is None or self.by_influence else loss.bound

    @property
    def estimate(self) -> float:
        """Mean difference over the records; positive favours the challenger."""
        return float(self.sums.sum()) / self.n

    @property
    def centred(self) -> FloatArray:
        """Sum of the distances from the mean difference at each time point."""
        if self.n == self.n_times:
            return np.asarray(self.sums - self.estimate)
        return np.asarray(self.sums - self.estimate * self.counts)

    @property
    def challenger_sums(self) -> FloatArray | None:
        """Sum of the challenger's losses at each time point; None if unknown."""
        return None if self.champion_sums is None else self.champion_sums - self.sums

    def weighted(self, champion: float, challenger: float = 1.0) -> Self:
        """Multiply the losses of each role by a weight.

        A gain of weighted losses is tested where a margin is a share of the champion's
        loss, as by :meth:`PairedLosses.weighted`. Sums of series are left out.

        Parameters
        ----------
        champion, challenger : float
            The weights, above 0.

        Raises
        ------
        ValueError
            If only differences are known, as of a score by influences.

        Examples
        --------
        >>> from skcompare.evidence import OrderedDifferences
        >>> ordered = OrderedDifferences.from_losses([3.0, 5.0, 4.0], [3.1, 4.8, 4.2])
        >>> print(f"{ordered.weighted(1.02).estimate:.2f}")
        0.05
        """
        check_weights(champion, challenger)
        if self.champion_sums is None or self.totals is None:
            raise ValueError(
                "Weights need the losses of both models, and only differences are known. "
                "Make the evidence by from_losses or from_predictions."
            )
        own = champion * self.champion_sums
        return replace(
            self,
            sums=own - challenger * (self.champion_sums - self.sums),
            champion_sums=own,
            totals=self.totals * [champion, challenger],
            groups=None,
            measure=weighted_name(self.measure, champion, challenger),
        )

    def _merged(self, other: Self) -> Self:
        merged = super(OrderedDifferences, self)._merged(other)
        if self.by_influence or other.by_influence:
            raise ValueError(
                f"{self.measure!r} is not a mean over records, so that its influences "
                "depend on all of them. Got two shards. Merge the predictions instead."
            )
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("sums", "counts", "champion_sums")
            if getattr(self, name) is not None and getattr(other, name) is not None
        }
        merged = replace(merged, champion_sums=None)
        if self.times is None and other.times is None:
            return replace(merged, **columns)
        if (
            self.times is None
            or other.times is None
            or ((self.times.dtype.kind == "M") != (other.times.dtype.kind == "M"))
        ):
            raise ValueError(
                "Shards must have times of one kind. Got shards with and without times, or "
                "with numbers and timestamps. Pass `time` of one kind for each shard."
            )
        times = np.concatenate([self.times, other.times])
        times, *values = in_order(times, *columns.values())
        columns = dict(zip(columns, values))
        return replace(merged, times=times, **columns)


def order_of(
    pair: PairedPredictions, time: ArrayLike | None = None, horizon: int | None = None
) -> dict[str, Any]:
    """Time and series of each prediction, and the horizon: by default of the predictions.

    These are arguments of the constructors of :class:`OrderedDifferences`.
    """
    predictions, records = pair.predictions, pair.predictions.records
    if time is None:
        time = predictions.time
    else:
        time = check_times("time", time)
        check_same_length(
            {"time": time}, {"predictions": np.broadcast_to(0, predictions.n_records)}
        )
    if records is not None and time is not None:
        time = time[records]
    elif records is not None and pair.design.kind == IN_TIME:
        time = records
    if pair.design.kind == IN_TIME and (reason := why_no_series(predictions)):
        raise ValueError(f"In time order {reason}.")
    horizon = least_horizon(predictions) if horizon is None else horizon
    return {"time": time, "groups": groups_of(predictions), "horizon": horizon}


def in_order(times: np.ndarray, *sums: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sort sums or counts by time, and add up those of equal times."""
    if (times[1:] > times[:-1]).all():
        return times, *sums
    if (times[1:] < times[:-1]).any():
        order = np.argsort(times, kind="stable")
        times, sums = times[order], tuple(column[order] for column in sums)
    first = np.flatnonzero(np.concatenate([[True], times[1:] != times[:-1]]))
    return times[first], *(np.add.reduceat(column, first) for column in sums)


reserve_options("OrderedDifferences", ("time", "horizon"))
