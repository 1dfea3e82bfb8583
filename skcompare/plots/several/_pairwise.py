"""Display of the differences of all pairs of classifiers as a matrix."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._analysis import PairwiseComparison, both_ways, swapped
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_number,
    format_pvalue,
    in_one_line,
)
from skcompare._typing import FloatArray
from skcompare.plots.drawing._heatmap import DARK, MUTED, heat_table
from skcompare.plots.drawing._labels import distinct
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._text import REMARK, inches_of, remark_lines, text_below
from skcompare.plots.several._several_display import SeveralDisplay, adjusted_text, names_in

LARGE, LEAST = 9.0, 6.0
"""Font sizes of the text in cells, for few and for many classifiers."""

LONGEST = 24
"""Largest number of characters of the name of a classifier."""


@dataclass(eq=False, repr=False)
class PairwiseDisplay(SeveralDisplay, title="All pairs"):
    """Matrix of the differences of all pairs of classifiers.

    A cell is the classifier of its row minus that of its column, on a greater-is-better
    scale, and the best classifier comes first. A cell is green where the row is better and
    purple where it is worse, the darker, the larger the difference, and without colour
    where the difference is not significant. Its sign is written, and a triangle points up
    or down, so that nothing depends on colours. A star and bold text mark adjusted p-values
    below the level. With a control there is one column, that of the
    control.

    It is made by its constructors, whose options :meth:`from_predictions` lists.

    Parameters
    ----------
    several : PairwiseComparison
        The classifiers with their values, and their pairs.
    differences, adjusted_pvalues : ndarray of shape (n_classifiers, n_columns)
        Row minus column, and the p-values; NaN where there is none.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    CriticalDifferenceDisplay : Groups without significant differences.
    ForestDisplay : Differences of pairs with their intervals.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.plots import PairwiseDisplay
    >>> from skcompare.stats import pairwise_mcnemar
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3},
    ...     names=["A", "B", "C"],
    ... )
    >>> display = PairwiseDisplay.of_result(pairwise_mcnemar(patterns))
    >>> [row.name for row in display.several.classifiers]
    ['B', 'C', 'A']
    >>> display.differences.round(2).tolist()
    [[nan, 0.0, 0.08], [0.0, nan, 0.08], [-0.08, -0.08, nan]]
    """

    several: PairwiseComparison
    differences: FloatArray
    adjusted_pvalues: FloatArray

    @classmethod
    def _of(cls, several: PairwiseComparison, n_records: int | None) -> Self:
        names, columns, pairs = names_in(several), _columns_of(several), both_ways(several)
        shape = (len(names), len(columns))
        differences, pvalues = np.full(shape, np.nan), np.full(shape, np.nan)
        for i, row in enumerate(names):
            for j, column in enumerate(columns):
                pair = pairs.get((row, column))
                if pair is not None:
                    # Replace -0.0 by 0.0.
                    differences[i, j] = pair.difference + 0.0
                    if pair.adjusted_pvalue is not None:
                        pvalues[i, j] = pair.adjusted_pvalue
        return cls(several, differences, pvalues)

    @property
    def columns(self) -> tuple[str, ...]:
        """Classifiers of the columns: all, or only the control."""
        return _columns_of(self.several)

    @property
    def significant(self) -> Any:
        """Mask of the differences with an adjusted p-value below the level."""
        winners = {pair.beats(self.several.alpha) for pair in self.several.pairs}
        rows = names_in(self.several)
        differ = [[{(i, j), (j, i)} & winners for j in self.columns] for i in rows]
        return np.array(differ, dtype=bool)

    def _text(self) -> str:
        several = self.several
        defined = [pair for pair in several.pairs if not math.isnan(pair.difference)]
        count = "1 pair" if len(several.pairs) == 1 else f"{len(several.pairs)} pairs"
        text = f"{count} of {len(several.classifiers)} classifiers by {several.subject}."
        if defined:
            largest = max(defined, key=lambda pair: abs(pair.difference))
            largest = largest if largest.difference >= 0 else swapped(largest)
            gain = largest.difference
            size = format_number(gain, decimals_for(gain), signed=True)
            names = (in_one_line(largest.challenger), in_one_line(largest.champion))
            text += f" The largest difference is {size}, of {names[0]} minus {names[1]}."
        if several.test is None:
            return f"{text} Nothing was tested: {several.note}."
        differ = sum(pair.beats(several.alpha) is not None for pair in several.pairs)
        return f"{text} Pairs that differ at {several.alpha:g}: {differ}."

    def _columns(self) -> Mapping[str, Any]:
        cells = [
            (row, column, float(self.differences[i, j]), float(self.adjusted_pvalues[i, j]))
            for i, row in enumerate(names_in(self.several))
            for j, column in enumerate(self.columns)
            if row != column
        ]
        names = ("row", "column", "difference", "adjusted_pvalue")
        return dict(zip(names, zip(*cells, strict=True), strict=True))

    @property
    def _size(self) -> float:
        """Font size of the text in cells."""
        return max(LEAST, LARGE - 0.15 * max(0, len(self.several.classifiers) - 5))

    @property
    def _cell(self) -> float:
        """Width of a cell in inches, with room for text, triangle and star."""
        characters = max(len(text) for line in self._cell_texts() for text in line) + 1.2
        return max(0.42, characters * self._size * 0.68 / 72)

    def _cell_texts(self) -> list[list[str]]:
        """Format the differences, with empty text on the diagonal."""
        several, significant = self.several, self.significant
        defined = self.differences[np.isfinite(self.differences)]
        largest = float(np.abs(defined).max(initial=0.0))
        lines = []
        for i, row in enumerate(names_in(several)):
            line = []
            for j, column in enumerate(self.columns):
                text = _cell_text(float(self.differences[i, j]), largest)
                star = "*" if significant[i, j] else ""
                line.append("" if row == column else f"{text}{star}")
            lines.append(line)
        return lines

    def _room(self) -> Room:
        n, m = self.differences.shape
        names = self._names_width
        width = max(names + m * self._cell + 0.5, 4.6)
        lines = len(remark_lines(self._remarks(), width))
        above = names if self._rotated else 0.3
        return Room(width=width, height=n * self._row + above + REMARK * lines + 0.6)

    @property
    def _row(self) -> float:
        """Height of a cell in inches, with room for text below a triangle."""
        return max(0.33, 0.62 * self._cell)

    @property
    def _rotated(self) -> bool:
        """Whether the column labels are rotated, because some are wider than a cell."""
        return len(self.columns) > 1 and self._names_width > self._cell

    @property
    def _names_width(self) -> float:
        """Width of the longest name in inches."""
        return max(inches_of(name, self._size + 1) for name in self._names())

    def _names(self) -> list[str]:
        return distinct(names_in(self.several), LONGEST)

    def _draw(self, ax: Any) -> None:
        names = self._names()
        short = dict(zip(names_in(self.several), names))
        columns = [short[name] for name in self.columns]
        differences = np.nan_to_num(self.differences)
        largest = np.abs(differences).max()
        shades = differences / largest if largest > 0 else differences
        # Where nothing was tested, all sizes are shown.
        muted = ~self.significant & (self.several.test is not None)
        shades[muted] = 0.0
        # The diagonal has no shade.
        is_diagonal = [
            [row == column for column in self.columns] for row in names_in(self.several)
        ]
        shades[np.array(is_diagonal)] = np.nan
        texts = self._cell_texts()
        heat_table(
            ax, shades, texts, rows=names, columns=columns, size=self._size, muted=muted
        )
        for text, bold in zip(list(ax.texts), self.significant.ravel(), strict=False):
            text.set_fontweight("bold" if bold else "normal")
        self._triangles(ax, shades, muted)
        ax.xaxis.tick_top()
        ax.tick_params(labelsize=self._size + 1)
        if self._rotated:
            ax.tick_params(axis="x", labelrotation=90)
        width, left = self._room().width, self._names_width + 0.1
        text_below(ax, self._remarks(), width, left, under=ax.transAxes)

    def _triangles(self, ax: Any, shades: FloatArray, muted: Any) -> None:
        """Draw a triangle in each cell, pointing up if the row is better and down if worse.

        White on dark cells and grey on muted ones, like the text.
        """
        across, down = 72 * self._cell, 72 * self._row
        size = 0.6 * self._size
        signs = np.sign(np.nan_to_num(self.differences))
        for sign, marker in ((1, "^"), (-1, "v")):
            dark = np.abs(shades) >= DARK
            for cells, color in (
                (dark, "#ffffff"),
                (muted, MUTED),
                (~dark & ~muted, "#101820"),
            ):
                rows, columns = np.nonzero((signs == sign) & cells)
                x = columns - 0.5 + (0.5 * size + 2.5) / across
                y = rows - 0.5 + (0.5 * size + 2.0) / down
                ax.scatter(x, y, marker=marker, s=size**2, color=color, linewidths=0)

    def _remarks(self) -> list[str]:
        several = self.several
        sides = "each row minus the column"
        if several.control is not None:
            sides = f"each row minus the control, {in_one_line(several.control)}"
        quantity = "Difference" if several.greater_is_better else "Gain"
        remarks = [
            f"{quantity} of {several.subject}, {sides}: ▲ green, the row is better, ▼ "
            "purple, worse. The best classifier first; the darker, the larger."
        ]
        if several.test is None:
            remarks.append(f"Nothing was tested: {several.note}.")
        else:
            level, adjusted = format_pvalue(several.alpha), adjusted_text(several)
            remarks.append(
                f"* and bold: {adjusted} < {level} ({several.test}); others grey."
            )
        if any(math.isnan(pair.difference) for pair in several.pairs):
            remarks.append("Undefined: a classifier has no value, or no split has both.")
        return [*remarks, *(f"{caveat}." for caveat in explain(several.flags))]


SMALL, TINY = 0.01, 5e-4
"""Largest differences below which cells have four decimals, and an exponent."""


def _cell_text(value: float, largest: float) -> str:
    """Format a difference as the largest of all cells needs it, in few characters."""
    if 0 < largest < TINY and math.isfinite(value) and value != 0:
        return f"{value:+.1e}"
    least = 4 if 0 < largest < SMALL else 3
    decimals = min(least, decimals_for(value, least=least))
    return format_number(value, decimals, signed=True)


def _columns_of(several: PairwiseComparison) -> tuple[str, ...]:
    return names_in(several) if several.control is None else (several.control,)
