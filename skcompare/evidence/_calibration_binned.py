"""What bins of two classifiers say, whether the records were kept or their sums."""

from typing import Any

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.evidence._calibration_errors import CalibrationBins, CalibrationCurve
from skcompare.evidence._calibration_layout import Layout, role_of


class Binned:
    """Errors and curves of each role, from records and their bins, or from cells."""

    __slots__ = ()

    proba: tuple[FloatArray, FloatArray]
    outcomes: tuple[np.ndarray, np.ndarray]
    edges: tuple[Any, Any]
    kind: str
    codes: tuple[IntArray, IntArray]
    cells: CalibrationCells | None

    @property
    def rows_per_record(self) -> int:
        """Rows of each record: the number of classes for classwise events, or 1."""
        return len(self.edges[0]) if self.kind == "classwise" else 1

    @property
    def n(self) -> int:
        """Number of records."""
        if self.cells is not None:
            return self.cells.n
        return len(self.proba[0]) // self.rows_per_record

    @property
    def n_bins(self) -> tuple[int, int]:
        """Number of bins of champion and challenger."""
        first, second = (sum(len(e) - 1 for e in self._layout(role)) for role in (0, 1))
        return first, second

    def bins(self, role: int | str) -> CalibrationBins:
        """Sums of one role over its bins."""
        which = role_of(role)
        if self.cells is not None:
            return self.cells.bins(which)
        return CalibrationBins.of(
            self.proba[which], self.outcomes[which], self.codes[which], self.n_bins[which]
        )

    def error(
        self,
        role: int | str,
        norm: str = "l1",
        *,
        squared: bool = False,
        debiased: bool = False,
    ) -> float:
        """Calibration error of one role, see :meth:`CalibrationBins.error`."""
        return self.bins(role).error(norm, squared=squared, debiased=debiased)

    def curve(self, role: int | str, confidence_level: float = 0.95) -> CalibrationCurve:
        """Observed share against mean probability of one role, with an interval a bin."""
        layout = self._layout(role_of(role))
        left = np.concatenate([edges[:-1] for edges in layout])
        right = np.concatenate([edges[1:] for edges in layout])
        return self.bins(role).curve(left, right, confidence_level)

    def _layout(self, role: int) -> Layout:
        edges = self.edges[role]
        return edges if self.kind == "classwise" else (edges,)
