"""Display of a measure by every training, and of the parts of its variance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import in_one_line
from skcompare._core.validation import check_confidence_level
from skcompare._registry.metrics import CLASSES, NUMBERS
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence import CrossedDifferences
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots._numbers_display import short
from skcompare.plots.drawing._base import PairDisplay, Place, checked_sides
from skcompare.plots.drawing._labels import records_text
from skcompare.plots.drawing._layout import Room, legend_below
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    LINE,
    SOFT,
    brief,
    dress,
)
from skcompare.plots.drawing._text import wrapped
from skcompare.predictions import predictions_of_trainings
from skcompare.stats.trainings import TrainingVariance, training_variance

LINE_CHARACTERS, LINE_HEIGHT = 66, 0.17
"""Characters of a line of the title, and its height in inches."""

CHOICES = ("as tested", "twice the records", "twice the trainings")
"""Rows of the lower panel: the variance as it is, and with more of either."""

PARTS = ("records", "both at once", "trainings")
SHADES: dict[str, dict[str, Any]] = {
    "records": {"facecolor": LINE, "edgecolor": SOFT},
    "both at once": {"facecolor": "none", "edgecolor": SOFT},
    "trainings": {"facecolor": CHALLENGER, "edgecolor": INK, "hatch": "////"},
}
"""Styles of the parts of the variance."""

MOST_DOTS = 200
"""Largest number of trainings of a role that are drawn."""


@dataclass(eq=False, repr=False)
class TrainingVarianceDisplay(
    PairDisplay,
    title="Trainings and records",
    place=Place(rank=5, needs=("CrossedDifferences",)),
):
    """Measure of two recipes by every training, and the parts of its variance.

    More seeds, or more records? The upper panel shows a dot for each training, joined to
    the other one of its pair, and a line at the mean of each recipe. The lower panel shows
    the variance of the mean difference in its parts: by the records that were tested, by
    the trainings, and by their interaction; below it what would remain of these with twice
    the records, and with twice the trainings.

    Parameters
    ----------
    champion, challenger : ndarray of shape (n_trainings,)
        Measure of each training.
    paired : bool
        Whether trainings of one position are a pair.
    parts : ndarray of shape (3, 3)
        Parts of the variance, by records, both at once, and trainings, relative to their
        sum as tested: as tested, with twice the records, and with twice the trainings.
    finding : Finding
        Difference of the means, with the interval and p-value of the test.
    measure : str
        Name of the measure.
    n : int
        Number of records.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.plan_trainings : Numbers of trainings and records that are needed.

    Notes
    -----
    The constructors take the options of the loss, as for
    :meth:`~skcompare.evidence.CrossedDifferences.from_pair`, and this one:

    confidence_level : float, default=0.95
        Level of the interval.

    The parts are the unbiased variances of two crossed effects, of which those below 0
    count as 0. Few trainings say little of theirs.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import CrossedDifferences
    >>> from skcompare.plots import TrainingVarianceDisplay
    >>> rng = np.random.default_rng(0)
    >>> champion = rng.random((5, 400)) + 0.02 * rng.normal(size=(5, 1))
    >>> challenger = rng.random((5, 400)) - 0.05 + 0.02 * rng.normal(size=(5, 1))
    >>> crossed = CrossedDifferences.from_losses(champion, challenger, loss="brier_score")
    >>> display = TrainingVarianceDisplay.of_result(crossed)
    >>> display.parts.sum(axis=1).round(2).tolist()
    [1.0, 0.89, 0.5]
    """

    champion: FloatArray
    challenger: FloatArray
    paired: bool
    parts: FloatArray
    finding: Finding
    measure: str
    n: int

    needs = CrossedDifferences
    targets = (CLASSES, NUMBERS)

    @classmethod
    def _of(cls, crossed: CrossedDifferences, *, confidence_level: float = 0.95) -> Self:
        level = check_confidence_level(confidence_level)
        tests = "crossed_t", "records_t"
        finding = finding_of(crossed, crossed.estimate, tests, level)
        values = crossed.champion.mean(axis=1), crossed.challenger.mean(axis=1)
        parts = _parts(training_variance(crossed))
        return cls(*values, crossed.paired, parts, finding, crossed.measure, crossed.n)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | None,
        champion: Any,
        challenger: Any,
        *,
        paired: bool | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        names: tuple[str, str] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot precomputed predictions of several trainings for a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels, or numbers.
        champion, challenger : array-like of shape (n_trainings, n_samples) or list
            Probabilities, or numbers, by each training.
        paired, labels, pos_label
            As for :func:`skcompare.compare_seeds`.
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        names = checked_sides(names)
        predictions = predictions_of_trainings(
            y_true,  # type: ignore[arg-type]
            dict(zip(names, (champion, challenger), strict=True)),
            paired=paired,
            labels=labels,
            pos_label=pos_label,
            target=cls._target_of(options, y_true=y_true),
        )
        return cls.from_result(predictions.pair(*names), ax=ax, **options)

    def _numbers_text(self) -> str:
        counts = len(self.champion), len(self.challenger)
        if self.paired:
            return f"{counts[0]} pairs of trainings"
        return f"{counts[0]} trainings of the champion and {counts[1]} of the challenger"

    def _parts_text(self) -> str:
        """Return text on the shares of the parts."""
        if not self.parts.any():
            return "nothing varies"
        shares = (
            f"{100 * share:.0f} % {name}"
            for name, share in zip(PARTS, self.parts[0], strict=True)
        )
        return f"Variance of the difference: {', '.join(shares)}"

    def _left_text(self) -> str:
        """Return text on what is left of the variance with more of either."""
        left = [
            f"{100 * total:.0f} % of it with {name}"
            for name, total in zip(CHOICES[1:], self.parts[1:].sum(axis=1), strict=True)
        ]
        return f"Left are {' and '.join(left)}"

    def _sentences(self) -> list[str]:
        ends = [
            f"{role} {short(own.min())} to {short(own.max())}"
            for role, own in (("champion", self.champion), ("challenger", self.challenger))
        ]
        return [
            f"{in_one_line(self.measure)} of {self._numbers_text()}, on "
            f"{records_text(self.n)}",
            f"By training: {', '.join(ends)}",
            ", ".join(self.finding.lines("Difference")),
            self._parts_text(),
            *([self._left_text()] if self.parts.any() else []),
            *self.finding.caveats,
        ]

    def _title(self) -> list[str]:
        *mean, test = self.finding.lines("Difference")
        lines = [", ".join(mean), test, self._parts_text(), *self.finding.caveats]
        return wrapped(lines, LINE_CHARACTERS)

    def _room(self) -> Room:
        height = 5.2 + LINE_HEIGHT * len(self._title())
        return Room(width=6.4, height=height, heights=(1.0, 0.9))

    def _draw(self, *axes: Any) -> None:
        self._draw_trainings(axes[0])
        self._draw_parts(axes[1])

    def _draw_trainings(self, ax: Any) -> None:
        roles = (self.champion, CHAMPION, "o"), (self.challenger, CHALLENGER, "s")
        if self.paired:
            for first, second in zip(self.champion, self.challenger, strict=True):
                ax.plot([first, second], [1, 0], color=LINE, lw=0.8, zorder=1)
        for y, (own, colour, marker) in zip((1, 0), roles, strict=True):
            drawn = own[:MOST_DOTS]
            style = {"ls": "none", "ms": 6, "zorder": 3, "markerfacecolor": "none"}
            ax.plot(drawn, np.full(len(drawn), y), marker, color=colour, **style)
            at = float(own.mean())
            ax.plot([at, at], [y - 0.25, y + 0.25], color=INK, lw=2, zorder=2)
        ax.set_yticks([1, 0], ["champion", "challenger"])
        ax.set_ylim(-0.6, 1.6)
        dress(ax, grid="x")
        ax.set_xlabel(f"{brief(self.measure)} of each training, and mean")
        ax.set_title("\n".join(self._title()), color=INK, fontsize="medium")

    def _draw_parts(self, ax: Any) -> None:
        starts = np.zeros(len(CHOICES))
        places = np.arange(len(CHOICES))[::-1]
        for name, sizes in zip(PARTS, self.parts.T, strict=True):
            bars = {"left": starts, "height": 0.6, "label": f"by {name}", "lw": 0.8}
            ax.barh(places, sizes, **bars, **SHADES[name], zorder=2)
            starts = starts + sizes
        ax.set_yticks(places, CHOICES)
        ax.set_xlim(0, max(1.0, float(starts.max())) * 1.02)
        dress(ax, grid="x")
        ax.set_xlabel("Variance of the mean difference, relative to that tested")
        legend_below(ax, ncols=3, columnspacing=1.5)

    def _columns(self) -> Mapping[str, Any]:
        rows = list(zip(CHOICES, self.parts.tolist(), strict=True))
        trainings = [
            ("training", role, k, value)
            for role, own in (("champion", self.champion), ("challenger", self.challenger))
            for k, value in enumerate(own.tolist())
        ]
        variances = [
            ("variance", choice, part, value)
            for choice, sizes in rows
            for part, value in zip(PARTS, sizes, strict=True)
        ]
        cells = [*trainings, *variances]
        return {
            "kind": [cell[0] for cell in cells],
            "of": [cell[1] for cell in cells],
            "part": [str(cell[2]) for cell in cells],
            "value": [cell[3] for cell in cells],
        }


def _parts(variance: TrainingVariance) -> FloatArray:
    """Return the parts of the variance as tested, and with more of either."""
    both = variance.interaction
    records = max(0.0, variance.records - both)
    trainings = max(0.0, variance.over_trainings - both)
    tested = np.array([records, both, trainings])
    more_records, more_trainings = np.array([0.5, 0.5, 1.0]), np.array([1.0, 0.5, 0.5])
    choices = np.stack([tested, more_records * tested, more_trainings * tested])
    total = tested.sum()
    return np.asarray(choices / total if total > 0 else np.zeros_like(choices))
