"""How well two classifiers' probabilities agree with what happened, bin by bin."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.validation import check_choice, check_same_length
from skcompare.evidence._calibration_binned import Binned
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.evidence._calibration_layout import (
    Layout,
    check_layout,
    check_same_bins,
    coded_groups,
    codes_in,
    joined_groups,
)
from skcompare.evidence._calibration_outcomes import KINDS, check_events, check_unit
from skcompare.evidence._calibration_reduction import check_reducible, reduced_rows
from skcompare.evidence._calibration_sources import CalibrationSources
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._frame_losses import CalibrationFrames
from skcompare.evidence._merge import Mergeable
from skcompare.predictions import SCORES


@dataclass(frozen=True, slots=True, eq=False)
class PairedCalibration(CalibrationSources, CalibrationFrames, Binned, Mergeable):
    """Probabilities of two classifiers, the events they are about, and their bins.

    A classifier is calibrated if of the events that it gives probability 0.7, seven in ten
    happen. Binary: the event is the positive class. Top-label: the predicted class is the
    true one, so each classifier has events of its own. Classwise: every class in turn, a
    row a record and class, and as many bins for each class.

    Of large data the records need not be kept: :meth:`reduced` leaves their numbers and
    sums in each cell of both classifiers' bins and events, :meth:`from_cells` takes them
    from where the data are. Errors, curves and the tests that say so need no more.

    Parameters
    ----------
    proba : pair of array-like of shape (n_rows,)
        Probabilities by champion and challenger; None with `cells`.
    outcomes : pair of array-like of shape (n_rows,)
        Whether the events happened; None with `cells`.
    edges : pair of array-like of shape (n_bins + 1,)
        Edges of the bins of each classifier, from 0 to 1; for classwise events, a
        sequence with the edges for each class.
    kind : {"binary", "top_label", "classwise"}
        What the events are.
    groups : array-like of shape (n,), optional
        Group of each record.
    design : Design or str, default="holdout"
        How the records were collected.
    flags : tuple of str
        Caveats about the bins.
    cells : CalibrationCells, optional
        What is left of records that were not kept. Made by :meth:`from_cells` and
        :meth:`reduced`.

    Attributes
    ----------
    n : int
        Number of records.
    rows_per_record : int
        The number of classes for classwise events, whose rows are all classes of the
        first record, then all of the second; otherwise 1.
    codes : pair of ndarray of shape (n_rows,)
        The bin of each row; None with `cells`. For classwise events the bins of a class
        follow those of the class before it.
    n_bins : pair of int
        Number of bins, over all classes for classwise events.
    groups : ndarray of shape (n,) or None
        Group of each record, as a position in `group_labels`.
    group_labels : ndarray of shape (n_groups,) or None
        The labels, sorted.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1], lengths differ, or edges do not increase from 0
        to 1.

    Notes
    -----
    Shards merge by `+` where their edges are the same. Edges of bins of equal mass and of
    quantiles come from the data: pass the `edges` of one shard to the others.

    Examples
    --------
    >>> from skcompare.evidence import PairedCalibration
    >>> calibration = PairedCalibration.from_predictions(
    ...     y_true=[1, 0, 1, 0, 1, 0],
    ...     champion_proba=[0.9, 0.2, 0.7, 0.3, 0.6, 0.15],
    ...     challenger_proba=[0.75, 0.1, 0.85, 0.4, 0.8, 0.25],
    ...     n_bins=2,
    ... )
    >>> [round(calibration.error(role), 4) for role in ("champion", "challenger")]
    [0.2417, 0.225]
    >>> calibration.bins("champion").mean_outcome.tolist()
    [0.0, 1.0]

    .. versionadded:: 0.1
    """

    proba: Any
    outcomes: Any
    edges: tuple[Any, Any]
    kind: str = "binary"
    groups: Any = None
    design: Design = HOLDOUT
    flags: tuple[str, ...] = ()
    cells: CalibrationCells | None = None
    group_labels: Any = field(init=False)
    codes: Any = field(init=False, repr=False)

    wanted: ClassVar[frozenset[str]] = frozenset({SCORES})
    least_records: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS[1:])
        whole = self.kind == "classwise"
        if self.cells is None:
            layouts, found = self._checked_records()
        else:
            layouts, found = self._checked_cells(), {"group_labels": None, "codes": None}
        found |= {
            "edges": tuple(each if whole else each[0] for each in layouts),
            "design": as_design(self.design),
            "flags": tuple(self.flags),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def _checked_records(self) -> tuple[list[Layout], dict[str, Any]]:
        if len(self.proba) != 2 or len(self.outcomes) != 2 or len(self.edges) != 2:
            raise ValueError(
                "`proba`, `outcomes` and `edges` must be pairs, of champion and challenger."
            )
        proba = tuple(check_unit(values) for values in self.proba)
        outcomes = tuple(check_events(values) for values in self.outcomes)
        n_rows = check_same_length(
            {"proba[0]": proba[0], "proba[1]": proba[1]},
            {"outcomes[0]": outcomes[0], "outcomes[1]": outcomes[1]},
        )
        layouts = [check_layout(edges, self.kind) for edges in self.edges]
        if len(layouts[0]) != len(layouts[1]) or n_rows % len(layouts[0]):
            raise ValueError(
                "Classwise events need edges for each class and a row a record and class. "
                f"Got edges for {len(layouts[0])} and {len(layouts[1])} classes, and "
                f"{n_rows} rows."
            )
        codes = tuple(map(codes_in, proba, layouts))
        for array in (*proba, *outcomes, *codes):
            array.setflags(write=False)
        labels, groups = coded_groups(self.groups, n_rows // len(layouts[0]))
        return layouts, {
            "proba": proba,
            "outcomes": outcomes,
            "groups": groups,
            "group_labels": labels,
            "codes": codes,
        }

    def _checked_cells(self) -> list[Layout]:
        check_reducible(self.kind, self.groups, as_design(self.design))
        layouts = [check_layout(edges, self.kind) for edges in self.edges]
        n_bins = tuple(len(edges) - 1 for (edges,) in layouts)
        cells = self.cells
        if not isinstance(cells, CalibrationCells) or n_bins != cells.n_bins:
            raise ValueError(
                "`cells` must be those of the bins that `edges` make. Got "
                f"{getattr(cells, 'n_bins', cells)!r:.60} for {n_bins}. Use from_cells."
            )
        if self.proba is not None or self.outcomes is not None:
            raise ValueError(
                "`cells` go without `proba` and `outcomes`. Pass None for these, or use "
                "from_cells."
            )
        return layouts

    def __repr__(self) -> str:
        words = "" if self.groups is None else f", n_groups={len(self.group_labels)}"
        return (
            f"PairedCalibration(n={self.n}, kind={self.kind!r}, n_bins={self.n_bins}"
            f"{words}, design={self.design.name!r}"
            f"{'' if self.cells is None else ', sums only'})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedCalibration):
            return NotImplemented
        if self._key != other._key or (self.cells is None) != (other.cells is None):
            return False
        if self.cells is not None and other.cells is not None:
            return self.cells.same(other.cells)
        mine, theirs = (
            (*each.proba, *each.outcomes, each._labelled_groups()) for each in (self, other)
        )
        return all(map(np.array_equal, mine, theirs))

    def __hash__(self) -> int:
        return hash((self._key, self.n))

    @property
    def _key(self) -> tuple[Any, ...]:
        edges = (each.tobytes() for role in (0, 1) for each in self._layout(role))
        return self.kind, self.design, self.flags, *edges

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        values = [getattr(self, f.name) for f in fields(self) if f.init]
        values[4] = self._labelled_groups()
        return PairedCalibration, tuple(values)

    def reduced(self) -> "PairedCalibration":
        """The evidence without its records: their numbers and sums a cell.

        Errors, curves, the tests of calibration_difference but for "exchangeability", and
        `+` need no more. Sums keep 12 digits; of groups and of classwise events there are
        none.
        """
        if self.cells is not None:
            return self
        check_reducible(self.kind, self.groups, self.design)
        return self._of_cells(reduced_rows(self))

    def check_kept(self, what: str) -> None:
        """Refuse what needs the records where only their sums were kept."""
        if self.cells is not None:
            raise ValueError(
                f"{what} needs the records, and of these only sums were kept. Keep them by "
                "keep_values=True, or pass a sample of the records."
            )

    def _of_cells(self, cells: CalibrationCells) -> "PairedCalibration":
        return replace(self, proba=None, outcomes=None, cells=cells)

    def swap(self) -> "PairedCalibration":
        """The evidence with the roles exchanged."""
        if self.cells is not None:
            return replace(self, edges=self.edges[::-1], cells=self.cells.swap())
        return PairedCalibration(
            self.proba[::-1],
            self.outcomes[::-1],
            self.edges[::-1],
            self.kind,
            self._labelled_groups(),
            self.design,
            self.flags,
        )

    def __add__(self, other: object) -> "PairedCalibration":
        if not isinstance(other, PairedCalibration):
            return NotImplemented
        check_same_design(self, other)
        check_same_bins(self, other)
        flags = tuple(dict.fromkeys(self.flags + other.flags))
        if self.cells is not None or other.cells is not None:
            first, second = self.reduced().cells, other.reduced().cells
            assert first is not None and second is not None  # `reduced` made them.
            return replace(self._of_cells(first + second), flags=flags)
        groups = joined_groups(self._labelled_groups(), other._labelled_groups())
        return PairedCalibration(
            _each(_joined, self.proba, other.proba),
            _each(_joined, self.outcomes, other.outcomes),
            self.edges,
            self.kind,
            groups,
            self.design,
            flags,
        )

    def _labelled_groups(self) -> Any:
        return None if self.groups is None else self.group_labels[self.groups]


def _joined(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.concatenate([one, other])


def _each(function: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """The champion's and the challenger's of both."""
    return function(first[0], second[0]), function(first[1], second[1])
