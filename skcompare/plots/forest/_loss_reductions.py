"""Forest plots of relative reductions of mean losses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    format_number,
    format_pvalue,
    in_one_line,
    shared_decimals,
)
from skcompare._core.validation import check_alpha
from skcompare._registry.metrics import NUMBERS, tested_loss
from skcompare.evidence import PairedLosses
from skcompare.plots.drawing._base import check_options, check_targets, comparison_behind
from skcompare.plots.drawing._layout import ROLES
from skcompare.plots.forest._forest import IntervalDisplay, Lines, interval_text, test_text
from skcompare.plots.forest._interval_rows import IntervalRow, Intervals, row_of_result
from skcompare.predictions import PairedPredictions
from skcompare.stats import PairedResult, clustered_relative_loss, relative_loss

UNIT = "relative reduction"
USUAL = ("squared_error", "absolute_error")
"""Losses of predictions without a comparison that names others."""


def _tested(losses: PairedLosses) -> PairedResult:
    """Run the test of the relative reduction of a mean loss."""
    test = relative_loss if losses.groups is None else clustered_relative_loss
    result: PairedResult = test(losses)
    return result


def _check_design(design: Any) -> None:
    if design.kind != "holdout":
        raise ValueError(
            f"Reductions of mean losses have a test on a hold-out. Got {design}. Use "
            "ForestDisplay for differences."
        )


def _results_of(result: Any) -> Mapping[str, PairedResult]:
    """Return the reductions of a result, or of its predictions, by name."""
    holder = comparison_behind(result)
    if isinstance(holder, PairedResult):
        return {"": holder}
    if isinstance(holder, Mapping):
        return {str(name): item for name, item in holder.items()}
    if isinstance(holder, list | tuple):
        return {f"result {k}": item for k, item in enumerate(holder, 1)}
    if isinstance(holder, PairedPredictions):
        _check_design(holder.design)
        losses = [PairedLosses.from_pair(holder, loss=name) for name in USUAL]
        return {f"loss {k}": _tested(item) for k, item in enumerate(losses)}
    if not hasattr(holder, "rows") or not hasattr(holder, "evidence"):
        return {"": holder}
    tested = [row.result for row in holder.rows if row.kind == "reduction" and row.result]
    if not tested:
        _check_design(holder.design)
        entries = [tested_loss(row.measure) for row in holder.rows if row.label is None]
        # The scale of a relative loss is the same for both, and cancels.
        names = dict.fromkeys(
            loss.name.removeprefix("relative_") for loss in entries if loss is not None
        )
        tested = [_tested(holder.evidence(PairedLosses, loss=name)) for name in names]
    return {f"loss {k}": item for k, item in enumerate(tested)}


def _row(name: str, result: Any, alpha: float) -> IntervalRow:
    """Return the row of the relative reduction of a mean loss."""
    if not isinstance(result, PairedResult):
        raise TypeError(
            "`result` must be a Comparison, a fitted PairedComparator, PairedPredictions, "
            "a PairedResult, or a list or dict of these results. Got "
            f"{type(result).__name__}."
        )
    prefix = "relative reduction of "
    if not result.estimate_name.startswith(prefix):
        raise ValueError(
            f"{result.test or 'This result'} estimates no reduction of a mean loss, but: "
            f"{result.estimate_name}. Use ForestDisplay for differences."
        )
    loss = result.estimate_name.removeprefix(prefix)
    shown = loss if name == "" or name.startswith(("loss ", "result ")) else name
    return replace(row_of_result(result, alpha), name=shown, measure=loss, unit=UNIT)


@dataclass(eq=False, repr=False)
class LossReductionDisplay(IntervalDisplay, title="Relative reductions of losses"):
    """Forest plot of relative reductions of mean losses from champion to challenger.

    A row is 1 minus the mean loss of the challenger over that of the champion, with its
    interval: above 0 the challenger's loss is lower, by this share. Losses in different
    units share the axis.

    It is made by its constructors.

    Parameters
    ----------
    rows : tuple of IntervalRow
        Rows of the picture, from top to bottom.
    alpha : float, default=0.05
        Level of the tests.
    adjust : str, default=""
        Method of adjustment of the p-values.
    remarks : tuple of str
        Sentences about the rows, written below the picture.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    ForestDisplay : Differences of any measure.
    skcompare.stats.relative_loss : The test of a reduction.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare
    >>> from skcompare.plots import LossReductionDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> predictions = {"old": y + rng.normal(size=300), "new": y + rng.normal(0, 0.9, 300)}
    >>> display = LossReductionDisplay.of_result(compare(y, predictions))
    >>> display.frame()[["name", "estimate", "low", "high"]].round(2)
                      name  estimate   low  high
    0   mean squared error      0.27  0.07  0.44
    1  mean absolute error      0.14  0.04  0.24
    """

    sides: tuple[str, str] = field(default=ROLES, init=False)

    kind = "difference"
    targets = (NUMBERS,)
    not_in_frame = ("primary", "claim", "band")

    @classmethod
    def from_result(
        cls, result: Any, *, alpha: float | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Plot the reductions of a result.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, PairedResult, or \
list or dict of results
            Source of the reductions. For a comparison without a test of one, the losses
            behind its measures are tested by :func:`~skcompare.stats.relative_loss`, or of
            groups by :func:`~skcompare.stats.clustered_relative_loss`; for predictions the
            squared and the absolute error.
        alpha : float, optional
            Level of the intervals; 0.05 by default. A comparison has its own.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            There are no others.

        Returns
        -------
        display : LossReductionDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there is no mean of losses to draw, or the records are not of a hold-out.
        """
        return cls.of_result(result, alpha=alpha, **options).plot(ax=ax)

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, PairedResult or others
            As for :meth:`from_result`.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : LossReductionDisplay
            Its `frame()` needs no matplotlib.
        """
        check_options(cls, options, cls._own_options())
        check_targets(cls, result, cls.targets)
        level = options.get("alpha")
        alpha = 0.05 if level is None else check_alpha(level)
        alpha = getattr(comparison_behind(result), "alpha", alpha)
        return cls._of(result, alpha=alpha)._named_by(result)

    @classmethod
    def _of(cls, result: Any, *, alpha: float = 0.05) -> Self:
        if isinstance(result, Intervals):
            return cls(result.rows, result.alpha, result.adjust, result.remarks)
        results = _results_of(result)
        if not results:
            raise ValueError(
                "There is no reduction of losses to draw: no measure of the comparison is "
                "a mean of losses. Use ForestDisplay for differences."
            )
        rows = tuple(_row(name, item, alpha) for name, item in results.items())
        return cls(rows, alpha)

    @classmethod
    def _evidence_options(cls) -> tuple[str, ...]:
        return ()

    def _sentences(self) -> list[str]:
        """Return sentences on the first row, and on the intervals above and below 0."""
        first = self.rows[0]
        intervals, above, below = self._beyond_null()
        p = "" if first.pvalue is None else f", p {format_pvalue(first.pvalue, self.alpha)}"
        count = "1 relative reduction"
        if len(self.rows) > 1:
            count = f"{len(self.rows)} relative reductions"
        return [
            f"{count} of mean losses from champion to challenger; that of "
            f"{in_one_line(first.name)} is {interval_text(first, signed=True)} "
            f"({test_text(first)}{p})",
            f"{above} of {len(intervals)} intervals above 0, where the challenger's loss "
            f"is lower, and {below} below 0",
            *explain(first.flags),
        ]

    def _panel(self, rows: Sequence[IntervalRow], unit: str) -> Lines:
        return self._lines(
            rows,
            "reduction",
            "relative reduction of the mean loss from champion to challenger",
            columns={"from → to": [_losses(row) for row in rows]},
        )


def _losses(row: IntervalRow) -> str:
    """Format the mean losses of champion and challenger."""
    if row.champion is None or row.challenger is None:
        return ""
    numbers = row.champion, row.challenger
    decimals = shared_decimals(numbers)
    champion, challenger = (format_number(number, decimals) for number in numbers)
    return f"{champion} → {challenger}"
