"""Base class of displays of intervals, with their text."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

from skcompare._core.validation import check_alpha
from skcompare._registry.metrics import keywords_of
from skcompare.plots.drawing._base import PairDisplay, check_options
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._text import text_below
from skcompare.plots.forest._forest_rows import Found
from skcompare.plots.forest._interval_axes import (
    GOES_ON,
    Lines,
    column_widths,
    draw_lines,
    goes_on,
    names_width,
    room_of,
)
from skcompare.plots.forest._interval_rows import (
    IntervalRow,
    conflict_remarks,
    flag_remarks,
    interval_text,
    level_remarks,
    level_text,
    names_of,
    note_remarks,
    pvalue_columns,
    test_text,
)
from skcompare.plots.forest._run_tests import HOLM, OF_TESTS, refuse_options, rows_of_tests
from skcompare.predictions import LABELS, SCORES, PairedPredictions, askable


class IntervalDisplay(PairDisplay):
    """Base class of displays of intervals, in one or several panels with remarks below.

    A subclass shows estimates of one `kind`, which equal classifiers have at `null`, on a
    logarithmic axis with `log`. `not_in_frame` names fields of the rows that its frame
    leaves out, and `_panel` makes the panel of a unit by `_lines`.
    """

    rows: tuple[IntervalRow, ...]
    alpha: float
    adjust: str
    remarks: tuple[str, ...]
    sides: tuple[str, str]

    kind: ClassVar[str] = "difference"
    null: ClassVar[float] = 0.0
    log: ClassVar[bool] = False
    not_in_frame: ClassVar[tuple[str, ...]]

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, PrecisionByClass, PairedResult or others
            As for :meth:`from_result`.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            Its `frame()` needs no matplotlib.
        """
        check_options(cls, options, (*OF_TESTS, *cls._own_options()))
        test_options = {name: options.pop(name) for name in OF_TESTS if name in options}
        level = options.pop("alpha", None)
        alpha = 0.05 if level is None else check_alpha(level)
        if isinstance(result, PairedPredictions):
            rows = rows_of_tests(result, cls.kind, alpha=alpha, **test_options)
            result = Found(rows, alpha, test_options.get("adjust", HOLM))
        else:
            refuse_options(result, test_options, level)
        return cls._of(result, alpha=alpha, **options)

    @classmethod
    def _required_of(cls, *estimators: Any) -> frozenset[str]:
        # One without scores is compared by its labels.
        kinds = frozenset({LABELS, SCORES})
        return kinds.intersection(*(askable(estimator, kinds) for estimator in estimators))

    @classmethod
    def _evidence_options(cls) -> tuple[str, ...]:
        return OF_TESTS

    @classmethod
    def _own_options(cls) -> tuple[str, ...]:
        return tuple(name for name in keywords_of(cls.from_result) if name != "ax")

    @abstractmethod
    def _panel(self, names: Sequence[str], rows: Sequence[IntervalRow], unit: str) -> Lines:
        """Return the contents of the panel of a unit."""

    def _units(self) -> list[str]:
        """Return the units of the panels, from top to bottom."""
        return list(dict.fromkeys(row.unit for row in self.rows))

    def _panels(self) -> list[Lines]:
        """Return the contents of the panels, from top to bottom."""
        names, units = names_of(self.rows), self._units()
        panels = []
        for unit in units:
            places = [k for k, row in enumerate(self.rows) if row.unit == unit]
            rows = [self.rows[k] for k in places]
            panel = self._panel([names[k] for k in places], rows, unit)
            panels.append(panel if len(units) > 1 else replace(panel, title=""))
        return panels

    def _lines(
        self,
        names: Sequence[str],
        rows: Sequence[IntervalRow],
        quantity: str,
        label: str,
        columns: Mapping[str, list[str]] | None = None,
        **others: Any,
    ) -> Lines:
        """Return the contents of a panel of rows.

        `quantity` heads the estimates, and `columns` has text beside them by its header.
        """
        adjusted = any(row.adjusted_pvalue is not None for row in self.rows)
        texts = {
            f"{quantity}{level_text(rows)}": [
                interval_text(row, signed=not self.log) for row in rows
            ],
            **(columns or {}),
            **pvalue_columns(rows, self.alpha, self.adjust, adjusted),
            "test": [test_text(row) for row in rows],
        }
        left, right = self.sides
        return Lines(
            rows=rows,
            names=names,
            cells=list(zip(*texts.values(), strict=True)),
            header=list(texts),
            bold=[row.primary and len(self.rows) > 1 for row in rows],
            label=label,
            sides=(f"← {left} better", f"{right} better →"),
            null=self.null,
            log=self.log,
            **others,
        )

    def _beyond_null(self) -> tuple[list[IntervalRow], int, int]:
        """Return the rows with an interval, and the numbers of those above and below."""
        rows = [row for row in self.rows if row.has_interval]
        above = sum(row.limits[0] > self.null for row in rows)
        return rows, above, sum(row.limits[1] < self.null for row in rows)

    def _marks(self) -> list[str]:
        """Return remarks on the marks of the rows."""
        remarks = []
        if any(row.primary for row in self.rows) and len(self.rows) > 1:
            remarks.append("Bold: the primary measure, which the verdict is about.")
        claims = list(dict.fromkeys(row.claim for row in self.rows if row.claim))
        if claims:
            remarks.append(f"Hatched: must be excluded to show that {'; '.join(claims)}.")
        bands = dict.fromkeys(f"{row.band:g}" for row in self.rows if row.band is not None)
        if bands:
            remarks.append(
                f"Shaded: a difference of up to {' or '.join(bands)}, the margin."
            )
        return remarks

    def _room(self) -> Room:
        panels = self._panels()
        return room_of(panels, self._remarks(panels))

    def _draw(self, *axes: Any) -> None:
        panels = self._panels()
        widths = column_widths(panels)
        for ax, lines in zip(axes, panels, strict=True):
            draw_lines(ax, lines, widths)
        remarks = self._remarks(panels)
        text_below(axes[-1], remarks, room_of(panels, ()).width, names_width(panels))

    def _columns(self) -> Mapping[str, Any]:
        left_out = {"unit", "excluded", "short", *self.not_in_frame}
        names = [field.name for field in fields(IntervalRow) if field.name not in left_out]
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return columns | {"flags": [" ".join(flags) for flags in columns["flags"]]}

    def _remarks(self, panels: Sequence[Lines]) -> list[str]:
        """Return remarks on marks, omitted rows, intervals, notes and flags."""
        remarks = [*self.remarks, *self._marks()]
        if any(map(goes_on, panels)):
            remarks.append(GOES_ON)
        remarks += level_remarks(self.rows)
        remarks += conflict_remarks(self.rows, self.alpha, self.adjust, self.null)
        return [*remarks, *note_remarks(self.rows), *flag_remarks(self.rows)]
