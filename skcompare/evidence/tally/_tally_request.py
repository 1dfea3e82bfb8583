"""Requests for tallies, and their plans for the classes that occur."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import (
    check_choice,
    check_count,
    check_pos_label,
    check_switches,
    is_number,
    some_of,
    unknown_name,
)
from skcompare.evidence.calibration._bins import Bins
from skcompare.evidence.calibration._events import KINDS, resolve_kind
from skcompare.evidence.tally._tally import TallyPlan
from skcompare.evidence.tally._tally_expressions import LOSSES


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRequest:
    """Request for the counts and sums that tests need.

    Parameters
    ----------
    labels : bool, default=False
        Counts of predicted labels: JointCounts, and ClusterSums where there are groups.
    losses : sequence of str, default=()
        Losses whose moments are needed: "binary_brier_loss", "multiclass_brier_loss",
        "brier_score", "log_loss" or "spherical_loss".
    eps : float, optional
        The least probability of a true class, for the loss "log_loss".
    calibration : bool, default=False
        Bins, events and sums of probabilities: PairedCalibration.
    n_bins, edges, kind
        As for :meth:`PairedCalibration.from_predictions`. Bins have equal width unless
        `edges` are passed.
    ranking : bool, default=False
        Counts of score bins by class: PlacementValues.
    n_score_bins : int, default=512
        Number of score bins; scores with no more different values are ranked exactly.
    score_bins : ScoreBins or pair of ScoreBins, optional
        The score bins, where they are fixed in advance.
    pos_label : label, optional
        The positive one of two classes; 1 by default, else the second.
    one_scan : bool, default=False
        Whether an engine counts score bins and sums probabilities by one group-by, so
        that it scans the records once. Two group-bys, one of many and one of few groups,
        mostly take less time and memory together.
    """

    labels: bool = False
    losses: Sequence[str] = ()
    eps: float | None = None
    calibration: bool = False
    n_bins: int = 15
    edges: Any = None
    kind: str = "auto"
    ranking: bool = False
    n_score_bins: int = ScoreBins.default
    score_bins: Any = None
    pos_label: Any = None
    one_scan: bool = False

    def __post_init__(self) -> None:
        for name in self.losses:
            if name not in LOSSES:
                message = str(unknown_name("loss of sums", name, LOSSES))
                raise ValueError(
                    f"{message} Others need the records in memory: read them, and use "
                    "PairedLosses.from_predictions."
                )
        if self.eps is not None and not (is_number(self.eps) and 0 < self.eps < 0.5):
            raise ValueError(
                f"`eps` must be a number in (0, 0.5) where losses are added up. Got "
                f"{self.eps!r}. Leave it out for scikit-learn's."
            )
        check_choice("kind", self.kind, KINDS)
        check_switches(one_scan=self.one_scan)
        check_count("n_score_bins", self.n_score_bins)
        if not (self.labels or self.needs_proba or self.ranking):
            raise ValueError(
                "Ask for at least one of `labels`, `losses`, `calibration` and `ranking`."
            )

    @property
    def needs_proba(self) -> bool:
        """Whether probabilities are needed, rather than labels or scores of any scale."""
        return bool(self.losses) or self.calibration

    def check_groups(self, grouped: bool) -> None:
        """Raise an error if calibration or ranking is requested for grouped records."""
        if grouped and (self.calibration or self.ranking):
            raise ValueError(
                "Calibration and ranking of grouped records need the records themselves. "
                "Got `groups` of a frame that is only counted. Read a sample of whole "
                "groups into memory, or leave these measures out."
            )

    def fixed_score_bins(self) -> tuple[ScoreBins, ScoreBins] | None:
        """Return the score bins of champion and challenger, or None if not passed."""
        if self.score_bins is None:
            return None
        pair = (
            (self.score_bins,) * 2
            if isinstance(self.score_bins, ScoreBins)
            else self.score_bins
        )
        if len(pair) != 2 or not all(
            isinstance(score_bins, ScoreBins) for score_bins in pair
        ):
            raise ValueError(
                "`score_bins` must be ScoreBins, or a pair of them for champion and "
                f"challenger. Got {self.score_bins!r}. Make them by ScoreBins.uniform or "
                "ScoreBins.fitted."
            )
        return pair[0], pair[1]

    def plan(
        self,
        classes: NDArray[Any],
        score_bins: tuple[ScoreBins, ScoreBins] | None,
        grouped: bool,
    ) -> TallyPlan:
        """Return the plan of the tally for these classes and score bins."""
        self.check_groups(grouped)
        kind = edges = None
        if self.calibration:
            kind = resolve_kind(self.kind, len(classes))
            if kind == "classwise":
                raise ValueError(
                    "kind='classwise' needs the records in memory. Use kind='top_label', "
                    "or read them and use PairedCalibration.from_predictions."
                )
            bins = Bins(self.n_bins, "uniform", self.edges, 1)
            no_records = np.empty(0)
            edges = bins.layout(no_records, 0)[0], bins.layout(no_records, 1)[0]
        if self.ranking and len(classes) != 2:
            raise ValueError(
                f"Ranking by score bins needs two classes. Got {len(classes)}: "
                f"{some_of(classes)}. Use measures of labels or probabilities."
            )
        losses = tuple(dict.fromkeys(self.losses))
        if "binary_brier_loss" in losses and len(classes) != 2:
            raise ValueError(
                f"The loss 'binary_brier_loss' is for two classes. Got {len(classes)}. Use "
                "loss='multiclass_brier_loss', which sums over the classes."
            )
        return TallyPlan(
            classes,
            self.labels,
            losses,
            None if self.eps is None else float(self.eps),
            kind,
            edges,
            score_bins if self.ranking else None,
            *self._positive(classes),
            grouped,
            self.one_scan,
        )

    def _positive(self, classes: NDArray[Any]) -> tuple[int, int]:
        """Positions of the positive class of binary events and of the ranked class."""
        if not (self.needs_proba or self.ranking):
            return 1, 1
        positive = check_pos_label(self.pos_label, classes)
        if positive is not None:
            return positive, positive
        # Class 1 or True is positive, and otherwise the second one.
        return int(classes.tolist()[0] != 1), 1
