"""Where evidence of calibration comes from: answers, predictions, cells."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.validation import check_choice, check_pos_label, check_switches
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence._calibration_cells import CalibrationCells
from skcompare.evidence._calibration_layout import Bins
from skcompare.evidence._calibration_outcomes import (
    KINDS,
    Forecasts,
    collapse,
    collapse_answers,
    resolve_kind,
)
from skcompare.evidence._calibration_reduction import check_reducible, reduced_answers
from skcompare.predictions import PairedPredictions

MERGED_BINS = "merged-bins"


class CalibrationSources:
    """The constructors of PairedCalibration that are named after their source."""

    __slots__ = ()

    if TYPE_CHECKING:
        # PairedCalibration is a dataclass, and has it.
        def __init__(self, *values: Any, **named: Any) -> None: ...

        def reduced(self) -> Self: ...

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
        keep_values : bool, default=True
            False keeps sums over cells only, see :meth:`reduced`. Of uniform or given bins
            they are made a few records at a time.

        Raises
        ------
        ValueError
            If probabilities or labels are refused, or an option is unknown.
        """
        answers = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        events = {"kind": kind, "pos_label": pos_label, "labels": labels}
        check_switches(keep_values=keep_values)
        if not keep_values:
            check_reducible(kind, groups)
        if not keep_values and (edges is not None or strategy == "uniform"):
            bins = Bins(n_bins, strategy, edges, 1)
            found = reduced_answers(y_true, answers, bins, events)
            one, other = (each[0] for each in found.layouts)
            return cls(None, None, (one, other), found.kind, cells=found.cells)
        chosen, n_classes, forecasts = collapse_answers(y_true, answers, **events)
        design = HOLDOUT if groups is None else Design("holdout", grouped=True)
        columns = n_classes if chosen == "classwise" else 1
        bins = Bins(n_bins, strategy, edges, columns)
        made = cls._binned(forecasts, bins, chosen, groups, design)
        return made if keep_values else made.reduced()

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
        """Take numbers and sums of records that were grouped where they are.

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
            d = p_b - p_a, "m{i}d{j}" of m**i * d**j for all i + j from 1 to 4, but for m
            itself. Those up to 8 may be given too, all or none, and make the degrees of
            freedom of a test exact. Without them these are those of influences that do not
            curve within bins: off by some 1e-6 of 100 records in 15 bins, and less of more.
        edges : array-like of shape (n_bins + 1,), or a pair of such
            Edges of the bins of both classifiers, or of champion and challenger.
        kind : {"binary", "top_label"}, default="binary"
            What the events are.
        design : Design or str, default="holdout"
            How the records were collected.
        flags : tuple of str
            Caveats about the bins.

        Raises
        ------
        ValueError
            If cells, counts or sums are not those of probabilities in these bins, or the
            design is grouped, because sums do not tell groups apart.
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
        made = CalibrationCells.of(cells, counts, sums, layouts)
        if kind == "binary" and (made.event(0) != made.event(1)).any():
            raise ValueError(
                "`cells` must have the same event for champion and challenger, because "
                "binary events are those of the positive class. Got others in some. Pass "
                "kind='top_label' for the predicted class."
            )
        pair = layouts[0][0], layouts[1][0]
        return cls(None, None, pair, kind, None, as_design(design), flags, made)

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
    ) -> Self:
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
