"""What forest plots of differences and of ratios share."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from skcompare.plots._base import PairDisplay
from skcompare.plots._interval_axes import (
    GOES_ON,
    Lines,
    column_widths,
    draw_lines,
    goes_on,
    names_width,
    room_of,
    words_below,
)
from skcompare.plots._interval_rows import IntervalRow, columns_of
from skcompare.plots._interval_words import flag_remarks, interval_remarks, note_remarks
from skcompare.plots._room import Room


class IntervalDisplay(PairDisplay):
    """Rows with their intervals in one panel or several, and remarks below.

    A subclass makes the panels of its rows. `null` is where nothing differs, and
    `in_frame` names the columns of its frame.
    """

    rows: tuple[IntervalRow, ...]
    alpha: float
    adjust: str
    remarks: tuple[str, ...]

    null: ClassVar[float] = 0.0
    in_frame: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _panels(self) -> list[Lines]:
        """What the panels show, from top to bottom."""

    def _marks(self, panels: Sequence[Lines]) -> list[str]:
        """What marks mean that not every such picture has."""
        return []

    def _room(self) -> Room:
        panels = self._panels()
        return room_of(panels, self._remarks(panels))

    def _draw(self, *axes: Any) -> None:
        panels = self._panels()
        widths = column_widths(panels)
        for ax, lines in zip(axes, panels, strict=True):
            draw_lines(ax, lines, widths)
        remarks = self._remarks(panels)
        words_below(axes[-1], remarks, room_of(panels, ()).width, names_width(panels))

    def _columns(self) -> Mapping[str, Any]:
        return columns_of(self.rows, self.in_frame)

    def _remarks(self, panels: Sequence[Lines]) -> list[str]:
        """What the marks mean, what is left out, and the words of flags."""
        remarks = [*self.remarks, *self._marks(panels)]
        if any(map(goes_on, panels)):
            remarks.append(GOES_ON)
        remarks += interval_remarks(self.rows, self.alpha, self.adjust, null=self.null)
        return [*remarks, *note_remarks(self.rows), *flag_remarks(self.rows)]
