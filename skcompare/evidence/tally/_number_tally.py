"""Tallies of numbers: sums of losses of two regressors, and what is asked of them.

A loss is the expression of columns by which arrays compute it, so that the sums are those
of the records. Losses relative to the variance of the target, and roots of mean losses, are
functions of such sums.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayOperations, slices_of
from skcompare._registry.metrics import of_each, record_losses
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._counting import groups_of, located
from skcompare.evidence.core._named_losses import LARGEST, forecasts_for, named_loss
from skcompare.evidence.tally._tally import (
    RELATIVE,
    ROOTS,
    Cells,
    Derived,
    Tally,
    TallyPlan,
    TallyRequest,
    cells_of_codes,
    merged,
)
from skcompare.predictions import EstimatorPredictions, Predictions

LossOptions = tuple[tuple[str, Any], ...]

CHUNK = 1 << 13
"""Records whose losses are computed at a time: few enough for the cache."""

POWERS = (1, 1), *((k, p - k) for p in (3, 4) for k in range(p + 1))
"""Powers of gain and challenger's loss whose sums, with those of their squares, give the
moments of a (gain) + b (loss), whatever the factors: those of a difference of two roots."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberPlan(TallyPlan):
    """Plan of a tally of numbers, with all defaults resolved.

    Attributes
    ----------
    options : tuple of (str, tuple)
        Names and values of the options of each loss that has any.
    scores : tuple of str
        Roots of mean losses whose sums are kept.
    centre : float
        Number that is subtracted from the target before it is squared, near its mean.
    levels : tuple of float
        Levels of the predicted quantiles, if there are any.
    """

    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    options: tuple[tuple[str, LossOptions], ...] = ()
    scores: tuple[str, ...] = ()
    centre: float = 0.0
    levels: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        requested: TallyRequest,
        grouped: bool,
        centre: float = 0.0,
        levels: tuple[float, ...] = (),
    ) -> "NumberPlan":
        """Return the plan of a request."""
        options = tuple(
            (name, tuple(sorted(own.items())))
            for name, own in sorted(requested.loss_options.items())
            if own
        )
        return cls(
            labels=False,
            losses=tuple(dict.fromkeys(requested.losses)),
            grouped=grouped,
            options=options,
            scores=tuple(dict.fromkeys(requested.scores)),
            centre=centre,
            levels=levels,
        )

    @property
    def needs_proba(self) -> bool:
        """Whether probabilities are needed: never."""
        return False

    @property
    def summed(self) -> tuple[str, ...]:
        """Losses whose sums are kept."""
        losses = [RELATIVE.get(name, name) for name in self.losses]
        return tuple(dict.fromkeys([*losses, *(ROOTS[name] for name in self.scores)]))

    def options_of(self, loss: str) -> dict[str, Any]:
        """Return the options of a loss."""
        return dict(dict(self.options).get(loss, ()))

    def recentred(self, tables: list[Cells], plan: Any) -> list[Cells]:
        """Return tables whose target is summed about the centre of another plan."""
        step = self.centre - plan.centre
        return [_moved(cells, step) if step else cells for cells in tables]


def _moved(cells: Cells, step: float) -> Cells:
    """Add a number to all targets."""
    sums = dict(cells.sums)
    if "target" in sums:
        first, square, n = sums["target"], sums["target_squares"], cells.counts
        sums["target"] = first + n * step
        sums["target_squares"] = square + step * (2 * first + n * step)
    return replace(cells, sums=sums)


def number_terms(
    ops: Any, plan: NumberPlan, y: Any, roles: Sequence[EstimatorPredictions]
) -> Derived:
    """Compute the sums and maxima of a plan.

    Parameters
    ----------
    ops : operations
        See :mod:`skcompare.evidence.tally._tally`, with `checked` for what has no loss.
    plan : NumberPlan
        Plan of what is summed.
    y : column
        True numbers.
    roles : pair of EstimatorPredictions
        Predictions of champion and challenger, each a column, or for quantiles a list.
    """
    sums: dict[str, Any] = {}
    maxima: dict[str, Any] = {}
    for name in plan.summed:
        options = plan.options_of(name)
        expression: Any = record_losses()[name].expression
        text, _ = named_loss(name, **options)
        losses = [
            of_each(ops, y, expression(ops, y, *forecast, **options))
            for forecast in forecasts_for(name, roles)
        ]
        losses = [_finite(ops, text, *ops.let(loss)) for loss in losses]
        champion, challenger = ops.let(*losses)
        (gain,) = ops.let(champion - challenger)
        terms = {
            "champion": champion,
            "challenger": challenger,
            "gain": gain,
            "champion_squares": champion * champion,
            "challenger_squares": challenger * challenger,
            "gain_squares": gain * gain,
        }
        if name in {ROOTS[score] for score in plan.scores}:
            terms |= _powers(ops, gain, challenger)
            first, second = (cast(Any, role.values) for role in roles)
            terms["differing"] = ops.flag((first < second) | (first > second))
        sums |= {f"{name}.{part}": value for part, value in terms.items()}
        maxima |= {f"{name}.high": gain, f"{name}.low": 0.0 - gain}
    if not RELATIVE.keys().isdisjoint(plan.losses):
        (distance,) = ops.let(y - plan.centre)
        sums |= {"target": distance, "target_squares": distance * distance}
    return Derived({}, {}, sums, maxima)


def _finite(ops: Any, name: str, loss: Any) -> Any:
    """Check that a loss and its square are finite."""
    return ops.checked(
        loss,
        (loss >= -LARGEST) & (loss <= LARGEST),
        f"The loss {name!r} must be finite, and at most {LARGEST:g}",
        "Choose a greater unit of the numbers, or a loss that grows less.",
    )


def _powers(ops: Any, gain: Any, loss: Any) -> dict[str, Any]:
    """Compute the products of powers of gain and loss."""
    squares = ops.let(gain * gain, gain * loss, loss * loss)
    powers: dict[tuple[int, int], Any] = {(1, 0): gain, (0, 1): loss}
    powers |= dict(zip(((2, 0), (1, 1), (0, 2)), squares, strict=True))
    for k, m in POWERS:
        if (k, m) not in powers:
            half = min(k, 2), min(m, 2 - min(k, 2))
            powers[k, m] = powers[half] * powers[k - half[0], m - half[1]]
    return {f"power_{k}_{m}": powers[k, m] for k, m in POWERS}


# Sums of arrays.


def tally_numbers(
    predictions: Predictions, requested: TallyRequest, groups: np.ndarray | None = None
) -> Tally:
    """Sum the losses of two regressors, a few records at a time.

    Parameters
    ----------
    predictions : Predictions
        Predicted numbers for a hold-out set.
    requested : TallyRequest
        The request.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    """
    y, record_groups = predictions.y_predicted(), groups_of(predictions)
    levels = predictions.estimators[0].levels
    plan = NumberPlan.of(requested, record_groups is not None, centre_of(y), levels)
    pending: list[Cells] = []
    for rows in slices_of(len(y), CHUNK):
        with located(lambda: _cells(plan, predictions, y, slice(None), None)):
            pending.append(_cells(plan, predictions, y, rows, record_groups))
    labels = groups
    if record_groups is not None and labels is None:
        labels = np.unique(record_groups)
    return Tally(plan, (merged(pending),), labels, predictions.names)


def centre_of(y: FloatArray) -> float:
    """Mean of the first true numbers, or 0 if there is none."""
    first = y[:CHUNK]
    return float(first.mean()) if len(first) else 0.0


def _cells(
    plan: NumberPlan, predictions: Predictions, y: FloatArray, rows: slice, groups: Any
) -> Cells:
    roles = [_of_columns(role.part(rows)) for role in predictions.estimators]
    # What is not finite is refused by the name of the loss.
    with np.errstate(all="ignore"):
        made = number_terms(ArrayOperations(), plan, y[rows], roles)
    raw = {} if groups is None else {"group": groups[rows]}
    return cells_of_codes({}, raw, made.sums, len(y[rows]), made.maxima)


def _of_columns(role: EstimatorPredictions) -> Any:
    """Return predictions with a list of columns of quantiles."""
    if role.quantiles is None:
        return role
    return replace(role, quantiles=[*role.quantiles.T])  # type: ignore[arg-type]


# What is made of the sums.


@dataclass(frozen=True, slots=True)
class LossSums:
    """Sums of a loss over the parts of a tally.

    Attributes
    ----------
    loss : str
        Name of the loss, with its options.
    counts : ndarray of shape (n_parts,)
        Records of each part.
    sums : dict of str to ndarray of shape (n_parts,)
        Sums, as for :meth:`PairedLosses.from_sums`.
    extremes : pair of float
        Smallest and largest difference of a record.
    groups : ndarray of shape (n_parts,) or None
        Group of each part.
    """

    loss: str
    counts: IntArray
    sums: dict[str, FloatArray]
    extremes: tuple[float, float]
    groups: NDArray[Any] | None


def sums_of_loss(tally: Tally, loss: str) -> LossSums:
    """Return the sums of a loss of numbers."""
    plan: Any = tally.plan
    name = RELATIVE.get(loss, loss)
    (cells,) = tally.tables
    sums = {part: cells.sums[f"{name}.{part}"] for part in _MOMENTS}
    low, high = -cells.maxima[f"{name}.low"].max(), cells.maxima[f"{name}.high"].max()
    unit = 1.0 if name == loss else _target_variance(cells)
    sums = {
        part: value / unit / unit if part.endswith("squares") else value / unit
        for part, value in sums.items()
    }
    squares = sums["champion_squares"] + sums["challenger_squares"]
    sums["products"] = (squares - sums["gain_squares"]) / 2
    groups = None if tally.groups is None else tally.groups[cells.keys["group"]]
    text, _ = named_loss(loss, **plan.options_of(loss))
    extremes = float(low / unit), float(high / unit)
    return LossSums(text, cells.counts, sums, extremes, groups)


_MOMENTS = ("champion", "challenger", "gain") + tuple(
    f"{part}_squares" for part in ("champion", "challenger", "gain")
)


def _target_variance(cells: Cells) -> float:
    """Variance of the target, with divisor n."""
    n = float(cells.counts.sum())
    mean, square = (float(cells.sums[s].sum()) / n for s in ("target", "target_squares"))
    variance = square - mean * mean
    if not variance > _ROUNDING * square:
        raise ValueError(
            "R² compares with the best constant prediction, which is right for targets "
            "that are all equal. Collect targets that differ, or choose "
            "'neg_mean_squared_error' or 'neg_mean_absolute_error'."
        )
    return variance


_ROUNDING = 1e-13
"""Variance of the target up to this share of its mean square is rounding error."""


Check = Callable[[Any, str, str], None]


class Checking:
    """Operations of an engine that note conditions of records, and compute on.

    Parameters
    ----------
    program : Program
        The operations.
    note : callable
        `note(condition, expected, advice)` notes a condition that all records must meet.
    """

    def __init__(self, program: Any, note: Check) -> None:
        self._program, self._note = program, note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def checked(self, values: Any, condition: Any, expected: str, advice: str) -> Any:
        """Return the values, with 1 where a condition fails, and note the condition."""
        self._note(condition, expected, advice)
        # Engines refuse logarithms and roots of negative numbers.
        return self._program.where(condition, values, 1.0)
