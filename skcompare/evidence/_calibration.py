"""How well two classifiers' probabilities agree with what happened, bin by bin."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from skcompare._design import HOLDOUT, Design, as_design
from skcompare._flags import register_flag
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare._validation import check_choice, check_pos_label, check_same_length
from skcompare.evidence._calibration_errors import CalibrationBins, CalibrationCurve
from skcompare.evidence._calibration_layout import (
    Bins,
    Layout,
    check_layout,
    check_same_bins,
    coded_groups,
    codes_in,
    joined_groups,
    role_of,
)
from skcompare.evidence._calibration_outcomes import (
    KINDS,
    Forecasts,
    check_events,
    check_unit,
    collapse,
    collapse_answers,
    resolve_kind,
)
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._merge import Mergeable
from skcompare.predictions import SCORES, PairedPredictions

__all__ = ["PairedCalibration"]

MERGED_BINS = register_flag(
    "merged-bins",
    "there are fewer bins than were asked for, because equal probabilities stay in one "
    "bin or records are few",
)


@dataclass(frozen=True, slots=True, eq=False)
class PairedCalibration(Mergeable):
    """Probabilities of two classifiers, the events they are about, and their bins.

    A classifier is calibrated if of the events that it gives probability 0.7, seven in ten
    happen. Binary: the event is the positive class. Top-label: the predicted class is the
    true one, so each classifier has events of its own. Classwise: every class in turn, a
    row a record and class, and as many bins for each class.

    Parameters
    ----------
    proba : pair of array-like of shape (n_rows,)
        Probabilities by champion and challenger.
    outcomes : pair of array-like of shape (n_rows,)
        Whether the events happened.
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

    Attributes
    ----------
    n : int
        Number of records.
    rows_per_record : int
        The number of classes for classwise events, whose rows are all classes of the
        first record, then all of the second; otherwise 1.
    codes : pair of ndarray of shape (n_rows,)
        The bin of each row. For classwise events the bins of a class follow those of the
        class before it.
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

    proba: tuple[FloatArray, FloatArray]
    outcomes: tuple[np.ndarray, np.ndarray]
    edges: tuple[Any, Any]
    kind: str = "binary"
    groups: Any = None
    design: Design = HOLDOUT
    flags: tuple[str, ...] = ()
    group_labels: Any = field(init=False)
    codes: tuple[IntArray, IntArray] = field(init=False, repr=False)

    wanted: ClassVar[frozenset[str]] = frozenset({SCORES})
    least_records: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS[1:])
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
        whole = self.kind == "classwise"
        labels, groups = coded_groups(self.groups, n_rows // len(layouts[0]))
        for name, value in (
            ("proba", proba),
            ("outcomes", outcomes),
            ("edges", tuple(each if whole else each[0] for each in layouts)),
            ("groups", groups),
            ("group_labels", labels),
            ("codes", codes),
            ("design", as_design(self.design)),
            ("flags", tuple(self.flags)),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        words = "" if self.groups is None else f", n_groups={len(self.group_labels)}"
        return (
            f"PairedCalibration(n={self.n}, kind={self.kind!r}, n_bins={self.n_bins}"
            f"{words}, design={self.design.name!r})"
        )

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        values = [getattr(self, f.name) for f in fields(self) if f.init]
        values[4] = self._labelled_groups()
        return PairedCalibration, tuple(values)

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
    ) -> "PairedCalibration":
        """Bin the answers to a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        champion_proba, challenger_proba : array-like of shape (n_samples,) or \
                (n_samples, n_classes)
            Probabilities of the positive class, or a column a class in sorted order.
        n_bins : int, default=15
            Number of bins of each classifier, and class.
        strategy : {"uniform", "equal_mass", "quantile"}, default="uniform"
            Bins of equal width, or of about as many records for each classifier.
        edges : array-like of shape (n_bins + 1,), or a pair of such, optional
            Edges in place of `n_bins` and `strategy`: for both classifiers, or for
            champion and challenger; for classwise events an entry of the pair may hold the
            edges for each class. `edges` of another PairedCalibration are taken as they
            are.
        kind : {"auto", "binary", "top_label", "classwise"}, default="auto"
            The events; "auto" is binary for two classes, and top-label for more.
        pos_label : label, optional
            The positive one of two classes; 1 by default, else the second column.
        labels : array-like of shape (n_classes,), optional
            The classes, sorted, where `y_true` may lack some.
        groups : array-like of shape (n_samples,), optional
            Group of each record.

        Raises
        ------
        ValueError
            If probabilities or labels are refused, or an option is unknown.
        """
        answers = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        chosen, n_classes, forecasts = collapse_answers(
            y_true, answers, kind=kind, pos_label=pos_label, labels=labels
        )
        design = HOLDOUT if groups is None else Design("holdout", grouped=True)
        columns = n_classes if chosen == "classwise" else 1
        bins = Bins(n_bins, strategy, edges, columns)
        return cls._binned(forecasts, bins, chosen, groups, design)

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
    ) -> "PairedCalibration":
        """Bin the answers to all test sets together.

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
        codes = predictions.y_answered()
        forecasts = [
            collapse(codes, _proba_of(pair, role), chosen, positive) for role in (0, 1)
        ]
        groups = predictions.groups
        if groups is not None and predictions.records is not None:
            groups = groups[predictions.records]
        columns = len(predictions.classes) if chosen == "classwise" else 1
        bins = Bins(n_bins, strategy, edges, columns)
        return cls._binned(forecasts, bins, chosen, groups, pair.design)

    @classmethod
    def _binned(
        cls,
        forecasts: Sequence[Forecasts],
        bins: Bins,
        kind: str,
        groups: Any,
        design: Design,
    ) -> "PairedCalibration":
        first, second = forecasts
        layouts = bins.layout(first.proba, 0), bins.layout(second.proba, 1)
        one, two = (each if kind == "classwise" else each[0] for each in layouts)
        short = any(map(bins.is_short, layouts))
        return cls(
            (first.proba, second.proba),
            (first.occurred, second.occurred),
            (one, two),
            kind,
            groups,
            design,
            (MERGED_BINS,) if short else (),
        )

    @property
    def rows_per_record(self) -> int:
        """Rows of each record: the number of classes for classwise events, or 1."""
        return len(self.edges[0]) if self.kind == "classwise" else 1

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.proba[0]) // self.rows_per_record

    @property
    def n_bins(self) -> tuple[int, int]:
        """Number of bins of champion and challenger."""
        first, second = (sum(len(e) - 1 for e in self._layout(role)) for role in (0, 1))
        return first, second

    def bins(self, role: int | str) -> CalibrationBins:
        """Sums of one role over its bins."""
        which = role_of(role)
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

    def swap(self) -> "PairedCalibration":
        """The evidence with the roles exchanged."""
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
        groups = joined_groups(self._labelled_groups(), other._labelled_groups())
        return PairedCalibration(
            _each(_joined, self.proba, other.proba),
            _each(_joined, self.outcomes, other.outcomes),
            self.edges,
            self.kind,
            groups,
            self.design,
            tuple(dict.fromkeys(self.flags + other.flags)),
        )

    def _layout(self, role: int) -> Layout:
        edges = self.edges[role]
        return edges if self.kind == "classwise" else (edges,)

    def _labelled_groups(self) -> Any:
        return None if self.groups is None else self.group_labels[self.groups]


def _joined(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.concatenate([one, other])


def _each(function: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """The champion's and the challenger's of both."""
    return function(first[0], second[0]), function(first[1], second[1])


def _proba_of(pair: PairedPredictions, role: int) -> FloatArray:
    """Probabilities of champion (0) or challenger (1), a column a class."""
    answers = pair.roles[role]
    if answers.proba is None:
        raise ValueError(
            f"The predictions of {answers.name} have no probabilities, which calibration "
            "is about. Use a classifier with predict_proba, such as one wrapped in "
            "CalibratedClassifierCV, or pass probabilities."
        )
    return answers.proba.astype(np.float64, copy=False)
