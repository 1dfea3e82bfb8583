"""Calibration of two classifiers on the same records, bin by bin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.arrays import AS_DESIGN, AS_TUPLE, on_host, slices_of
from skcompare._core.design import GROUPED_HOLDOUT, HOLDOUT, Design, as_design
from skcompare._core.validation import (
    check_choice,
    check_labels,
    check_pos_label,
    check_same_length,
    check_switches,
    classes_of,
)
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence.calibration._cells import (
    CalibrationBins,
    CalibrationCells,
    CalibrationCurve,
    Rows,
    cells_of,
)
from skcompare.evidence.calibration._events import (
    Events,
    Forecasts,
    check_events,
    check_unit,
    collapse,
    collapse_predictions,
    device_forecasts,
)
from skcompare.evidence.core._bins import (
    KINDS,
    SUMS,
    Bins,
    Layout,
    check_layout,
    check_same_bins,
    coded_groups,
    codes_in,
    resolve_kind,
    role_of,
)
from skcompare.evidence.core._counting import groups_of, located
from skcompare.evidence.core._storage import Mergeable, joined_groups
from skcompare.evidence.tally._tally import Tally, TallyRequest
from skcompare.evidence.tally._tally_engine import tally_frame
from skcompare.predictions import SCORES, PairedPredictions

CHUNK = 1 << 14
"""Records that are summed at a time: few enough for the cache."""

AT_ONCE = 1 << 21
"""Records on a device whose terms are computed at once; each has dozens of them."""


def check_reducible(kind: str, groups: Any, design: Design = HOLDOUT) -> None:
    """Raise an error for classwise events or groups, which cells cannot represent."""
    if kind == "classwise":
        raise ValueError(
            "Classwise events have no sums over cells, because a record is in a bin of "
            "every class. Keep the records, or reduce kind='top_label', or kind='binary' "
            "for each class by itself."
        )
    if groups is not None or design.grouped:
        raise ValueError(
            "Groups are lost in sums over cells, so that records of one group would count "
            "as independent. Keep the records (keep_values=True), of a sample of the "
            "groups where they are too many."
        )


def reduced_rows(calibration: Any) -> CalibrationCells:
    """Sum the records of the evidence over cells."""
    fields = calibration.proba, calibration.outcomes, calibration.codes

    def part(rows: slice) -> Rows:
        proba, outcomes, codes = ((a[rows], b[rows]) for a, b in fields)
        return proba, outcomes, codes

    return cells_of(map(part, slices_of(calibration.n, CHUNK)), calibration.n_bins)


def reduced_predictions(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    bins: Bins,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Compute fields of the evidence that sums over cells of bins fixed in advance have.

    Beyond the predictions themselves, memory is needed for a few records and the cells.
    """
    kind, blocks = _forecast_blocks(y_true, predictions, options)
    check_reducible(kind, None)
    no_records = np.empty(0)
    layouts = bins.layout(no_records, 0), bins.layout(no_records, 1)

    def parts() -> Iterator[Rows]:
        for a, b in blocks:
            codes = codes_in(a.proba, layouts[0]), codes_in(b.proba, layouts[1])
            yield (a.proba, b.proba), (a.occurred, b.occurred), codes

    (first,), (second,) = layouts
    cells = cells_of(parts(), (len(first) - 1, len(second) - 1))
    return {"edges": (first, second), "kind": kind, "cells": cells}


def _forecast_blocks(
    y_true: ArrayLike, predictions: Mapping[str, ArrayLike], options: Mapping[str, Any]
) -> tuple[str, Iterator[list[Forecasts]]]:
    """Return the kind of event, and the forecasts of both roles for blocks of records."""
    on_device = device_forecasts(y_true, predictions, **options)
    if on_device is not None:
        kind, _, pair = on_device
        return kind, (
            [Forecasts(own.proba[rows], own.occurred[rows]) for own in pair]
            for rows in slices_of(pair[0].proba.shape[0], AT_ONCE)
        )
    truth = check_labels("y_true", y_true)
    arrays = {name: np.asarray(on_host(values)) for name, values in predictions.items()}
    n = check_same_length({"y_true": truth}, arrays)
    labels = [classes_of(truth[rows]) for rows in slices_of(n, CHUNK)]
    classes = np.unique(np.concatenate(labels))
    vectors = [values.ndim == 1 for values in arrays.values()]
    events = Events.of(classes, vectors, **options)

    def forecasts(rows: slice) -> list[Forecasts]:
        part = {name: values[rows] for name, values in arrays.items()}
        with located(lambda: collapse_predictions(y_true, predictions, **options)):
            return events.forecasts(truth[rows], part)

    return events.kind, map(forecasts, slices_of(n, CHUNK))


MERGED_BINS = "merged-bins"


def _proba_of(pair: PairedPredictions, role: int) -> FloatArray:
    """Return probabilities of the champion (0) or challenger (1), one column per class."""
    predictions = pair.roles[role]
    if predictions.proba is None:
        raise ValueError(
            f"The predictions of {predictions.name} have no probabilities, which "
            "calibration is about. Use a classifier with predict_proba, such as one "
            "wrapped in CalibratedClassifierCV, or pass probabilities."
        )
    return predictions.proba.astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class PairedCalibration(Mergeable):
    """Predicted probabilities of two classifiers, the outcomes of the events, and bins.

    A classifier is calibrated if seven in ten of the events that it gives probability 0.7
    happen. Binary: the event is the positive class. Top-label: the predicted class is the
    true one, so each classifier has events of its own. Classwise: every class in turn, one
    row per record and class, and as many bins for each class.

    The records of large data need not be kept: :meth:`reduced` leaves their counts and
    sums in each cell of both classifiers' bins and events, :meth:`from_cells` takes those
    computed elsewhere. Errors, curves and the tests that say so need no more.

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
        Kind of the events.
    groups : array-like of shape (n,), optional
        Group of each record.
    design : Design or str, default="holdout"
        How the records were collected.
    flags : tuple of str
        Caveats about the bins.
    cells : CalibrationCells, optional
        Counts and sums of records that were not kept. Made by :meth:`from_cells` and
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
    """

    proba: Any
    outcomes: Any
    edges: tuple[Any, Any]
    kind: str = "binary"
    groups: Any = None
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)
    flags: tuple[str, ...] = field(default=(), metadata=AS_TUPLE)
    cells: CalibrationCells | None = None
    group_labels: Any = field(init=False)
    codes: Any = field(init=False, repr=False)

    required: ClassVar[frozenset[str]] = frozenset({SCORES})
    counted: ClassVar[str] = "calibration"
    least_records: ClassVar[int] = 2

    def _check_together(self) -> None:
        check_choice("kind", self.kind, KINDS[1:])
        classwise = self.kind == "classwise"
        check = self._checked_records if self.cells is None else self._checked_cells
        layouts, attributes = check()
        edges = tuple(each if classwise else each[0] for each in layouts)
        self._set(**attributes, edges=edges)

    @property
    def rows_per_record(self) -> int:
        """Number of rows per record: the number of classes for classwise events, or 1."""
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
        """Return the sums of one role by bin."""
        index = role_of(role)
        if self.cells is not None:
            return self.cells.bins(index)
        return CalibrationBins.of(
            self.proba[index], self.outcomes[index], self.codes[index], self.n_bins[index]
        )

    def error(
        self,
        role: int | str,
        norm: str = "l1",
        *,
        squared: bool = False,
        debiased: bool = False,
    ) -> float:
        """Compute the calibration error of one role; see :meth:`CalibrationBins.error`."""
        return self.bins(role).error(norm, squared=squared, debiased=debiased)

    def curve(self, role: int | str, confidence_level: float = 0.95) -> CalibrationCurve:
        """Return the calibration curve of one role, with an interval for each bin."""
        layout = self._layout(role_of(role))
        left = np.concatenate([edges[:-1] for edges in layout])
        right = np.concatenate([edges[1:] for edges in layout])
        return self.bins(role).curve(left, right, confidence_level)

    def _layout(self, role: int) -> Layout:
        edges = self.edges[role]
        return edges if self.kind == "classwise" else (edges,)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion_proba: ArrayLike,
        challenger_proba: ArrayLike,
        *,
        n_bins: int = 15,
        strategy: str = "uniform",
        edges: Any = None,
        kind: str = "auto",
        pos_label: Any = None,
        labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        keep_values: bool = True,
    ) -> Self:
        """Bin the predictions for a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        champion_proba, challenger_proba : array-like of shape (n_samples,) or \
                (n_samples, n_classes)
            Probabilities of the positive class, or one column per class in sorted order.
        n_bins : int, default=15
            Number of bins of each classifier, and class.
        strategy : {"uniform", "equal_mass", "quantile"}, default="uniform"
            For each classifier, bins of equal width, a bin holding its lower edge and the
            last one both; of about as many records each; or with edges at quantiles. Equal
            probabilities stay together, which may leave fewer bins; this is flagged.
        edges : array-like of shape (n_bins + 1,), or a pair of such, optional
            Edges in place of `n_bins` and `strategy`: for both classifiers, or for
            champion and challenger; for classwise events an entry of the pair may hold the
            edges for each class. `edges` of another PairedCalibration are accepted.
        kind : {"auto", "binary", "top_label", "classwise"}, default="auto"
            The events; "auto" is binary for two classes, and top-label for more.
        pos_label : label, optional
            The positive one of two classes; 1 by default, else the second column.
        labels : array-like of shape (n_classes,), optional
            The classes, sorted, where `y_true` may lack some.
        groups : array-like of shape (n_samples,), optional
            Group of each record.
        keep_values : bool, default=True
            False keeps sums over cells only, see :meth:`reduced`. With uniform bins or
            `edges` they are computed a few records at a time.

        Raises
        ------
        ValueError
            If probabilities or labels are refused, or an option is unknown.
        """
        inputs = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        events = {"kind": kind, "pos_label": pos_label, "labels": labels}
        check_switches(keep_values=keep_values)
        if not keep_values:
            check_reducible(kind, groups)
        if not keep_values and (edges is not None or strategy == "uniform"):
            bins = Bins(n_bins, strategy, edges, 1)
            return cls(None, None, **reduced_predictions(y_true, inputs, bins, events))
        chosen, n_classes, forecasts = collapse_predictions(y_true, inputs, **events)
        design = HOLDOUT if groups is None else GROUPED_HOLDOUT
        columns = n_classes if chosen == "classwise" else 1
        bins = Bins(n_bins, strategy, edges, columns)
        calibration = cls._binned(forecasts, bins, chosen, groups, design)
        return calibration if keep_values else calibration.reduced()

    @classmethod
    def from_cells(
        cls,
        cells: ArrayLike,
        counts: ArrayLike,
        sums: Mapping[str, ArrayLike],
        edges: Any,
        *,
        kind: str = "binary",
        design: Design | str = HOLDOUT,
        flags: tuple[str, ...] = (),
    ) -> Self:
        """Construct from counts and sums aggregated elsewhere, such as by a group-by.

        Parameters
        ----------
        cells : array-like of shape (n_cells, 4)
            Bin of champion and challenger, counted from 0, and whether the event of
            each happened, as 0 or 1. Cells may be repeated, and are added up.
        counts : array-like of shape (n_cells,)
            Records of each cell.
        sums : mapping of str to array-like of shape (n_cells,)
            Sums over the records of each cell. Of the probabilities p_a by the champion
            and p_b by the challenger "champion_proba" and "challenger_proba";
            "champion_refuted" and "challenger_refuted", the records of probability 0 whose
            event happened or of 1 whose event did not; and, of m = (p_a + p_b) / 2 and
            d = p_b - p_a, "m{i}d{j}" of m**i * d**j for all i + j from 1 to 4, except m
            itself. Those up to 8 may be passed too, all or none, and make the degrees of
            freedom of a test exact. Without them, influences are taken as linear within
            bins: off by about 1e-6 for 100 records in 15 bins, and less for more.
        edges : array-like of shape (n_bins + 1,), or a pair of such
            Edges of the bins of both classifiers, or of champion and challenger.
        kind : {"binary", "top_label"}, default="binary"
            Kind of the events.
        design : Design or str, default="holdout"
            How the records were collected.
        flags : tuple of str
            Caveats about the bins.

        Raises
        ------
        ValueError
            If cells, counts or sums are not those of probabilities in these bins, or the
            design is grouped, because sums do not distinguish groups.
        """
        check_choice("kind", kind, KINDS[1:])
        check_reducible(kind, None, as_design(design))
        if edges is None:
            raise ValueError(
                "`edges` must be the edges of the bins that `cells` count. Got None. Of "
                "`n_bins` bins of one width they are np.arange(n_bins + 1) / n_bins."
            )
        bins = Bins(1, "uniform", edges, 1)
        layouts = bins.layout(np.empty(0), 0), bins.layout(np.empty(0), 1)
        table = CalibrationCells.of(cells, counts, sums, layouts)
        if kind == "binary" and (table.event(0) != table.event(1)).any():
            raise ValueError(
                "`cells` must have the same event for champion and challenger, because "
                "binary events are those of the positive class. Got others in some. Pass "
                "kind='top_label' for the predicted class."
            )
        pair = layouts[0][0], layouts[1][0]
        return cls(None, None, pair, kind, None, as_design(design), flags, table)

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        n_bins: int = 15,
        strategy: str = "uniform",
        edges: Any = None,
        kind: str = "auto",
        pos_label: Any = None,
    ) -> Self:
        """Bin the pooled predictions for all test sets.

        The groups are positions in the sorted labels of the predictions' groups. They mean
        the same in shards of these predictions only; shards that were collected apart are
        merged by their labels, see :meth:`from_predictions`.
        """
        predictions = pair.predictions
        chosen = resolve_kind(kind, len(predictions.classes))
        positive = check_pos_label(pos_label, predictions.classes)
        if positive is None:
            # Class 1 or True is positive, and otherwise the second one.
            positive = int(predictions.classes.tolist()[0] != 1)
        codes = predictions.y_predicted()
        forecasts = [
            collapse(codes, _proba_of(pair, role), chosen, positive) for role in (0, 1)
        ]
        columns = len(predictions.classes) if chosen == "classwise" else 1
        bins = Bins(n_bins, strategy, edges, columns)
        return cls._binned(forecasts, bins, chosen, groups_of(predictions), pair.design)

    @classmethod
    def _binned(
        cls,
        forecasts: Sequence[Forecasts],
        bins: Bins,
        kind: str,
        groups: Any,
        design: Design,
    ) -> Self:
        first, second = forecasts
        layouts = bins.layout(first.proba, 0), bins.layout(second.proba, 1)
        champion_edges, challenger_edges = (
            each if kind == "classwise" else each[0] for each in layouts
        )
        short = any(map(bins.is_short, layouts))
        return cls(
            (first.proba, second.proba),
            (first.occurred, second.occurred),
            (champion_edges, challenger_edges),
            kind,
            groups,
            design,
            (MERGED_BINS,) if short else (),
        )

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """Construct from a tally with calibration."""
        kind = tally.plan.kind or "binary"
        event_names = ["y"] if kind == "binary" else ["event_0", "event_1"]
        names = ["bin_0", "bin_1", *event_names]
        table = tally.cells(names, [f"calibration.{name}" for name in SUMS])
        if kind == "binary":
            events = [(table.keys["y"] == tally.plan.positive).astype(np.int64)] * 2
        else:
            events = [table.keys[name] for name in event_names]
        cells = np.column_stack([table.keys["bin_0"], table.keys["bin_1"], *events])
        sums = {name: table.sums[f"calibration.{name}"] for name in SUMS}
        return cls.from_cells(
            cells,
            table.counts,
            sums,
            tally.plan.edges,
            kind=kind,
            design=tally.plan.design,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        n_bins: int = 15,
        edges: Any = None,
        kind: str = "auto",
        id: str | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Bin the predictions for a hold-out set, from columns of data frames or files.

        An engine bins and adds up its own records, by one group-by after a query of the
        labels; see :doc:`/user_guide/large_data`. The records themselves are not kept.

        Parameters
        ----------
        frame, y_true, champion, challenger, id
            As for :meth:`PairedLosses.from_frame`.
        n_bins : int, default=15
            Number of bins, of equal width.
        edges, labels, pos_label
            As for :meth:`from_predictions`. Bins of equal mass are passed as `edges`.
        kind : {"auto", "binary", "top_label"}, default="auto"
            The events; "auto" is binary for two classes, and top-label for more.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PairedCalibration
        >>> frame = pd.DataFrame({
        ...     "y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.1, 0.9, 0.3]
        ... })
        >>> calibration = PairedCalibration.from_frame(frame, n_bins=2)
        >>> round(calibration.error("challenger"), 3)
        0.175
        """
        request = TallyRequest(
            calibration=True, n_bins=n_bins, edges=edges, kind=kind, pos_label=pos_label
        )
        columns = {"champion": champion, "challenger": challenger}
        return cls.from_tally(
            tally_frame(frame, y_true, columns, request, id=id, labels=labels)
        )

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
                "Classwise events need edges for each class and one row per record and "
                f"class. Got edges for {len(layouts[0])} and {len(layouts[1])} classes, "
                f"and {n_rows} rows."
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

    def _checked_cells(self) -> tuple[list[Layout], dict[str, Any]]:
        check_reducible(self.kind, self.groups, self.design)
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
        return layouts, {"group_labels": None, "codes": None}

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", n_groups={len(self.group_labels)}"
        return (
            f"PairedCalibration(n={self.n}, kind={self.kind!r}, n_bins={self.n_bins}"
            f"{groups}, design={self.design.name!r}"
            f"{'' if self.cells is None else ', sums only'})"
        )

    def _arguments(self) -> tuple[Any, ...]:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return tuple((values | {"groups": self._labelled_groups()}).values())

    def reduced(self) -> Self:
        """Return the evidence reduced to counts and sums of each cell, without records.

        Errors, curves, the tests of calibration_difference except "exchangeability", and
        `+` need no more. Sums keep 12 digits; groups and classwise events have none.
        """
        if self.cells is not None:
            return self
        check_reducible(self.kind, self.groups, self.design)
        return self._of_cells(reduced_rows(self))

    def check_kept(self, what: str) -> None:
        """Raise an error if only sums of the records were kept."""
        if self.cells is not None:
            raise ValueError(
                f"{what} needs the records, and of these only sums were kept. Keep them by "
                "keep_values=True, or pass a sample of the records."
            )

    def _of_cells(self, cells: CalibrationCells) -> Self:
        return replace(self, proba=None, outcomes=None, cells=cells)

    def swap(self) -> "PairedCalibration":
        """Return the evidence with the roles exchanged."""
        if self.cells is not None:
            return replace(self, edges=self.edges[::-1], cells=self.cells.swap())
        return replace(
            self,
            proba=self.proba[::-1],
            outcomes=self.outcomes[::-1],
            edges=self.edges[::-1],
            groups=self._labelled_groups(),
        )

    def _merged(self, other: "PairedCalibration") -> "PairedCalibration":
        check_same_bins(self, other)
        flags = tuple(dict.fromkeys(self.flags + other.flags))
        if self.cells is not None or other.cells is not None:
            first, second = self.reduced().cells, other.reduced().cells
            assert first is not None and second is not None  # `reduced` made them.
            return replace(self._of_cells(first + second), flags=flags)
        return replace(
            self,
            proba=tuple(map(np.concatenate, zip(self.proba, other.proba))),
            outcomes=tuple(map(np.concatenate, zip(self.outcomes, other.outcomes))),
            groups=joined_groups(self._labelled_groups(), other._labelled_groups()),
            flags=flags,
        )

    def _labelled_groups(self) -> Any:
        return None if self.groups is None else self.group_labels[self.groups]
