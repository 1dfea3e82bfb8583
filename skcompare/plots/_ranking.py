"""Display of two ROC curves, and of their difference with a confidence band."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from skcompare._core.design import TIME_ORDERED_HOLDOUT, Design
from skcompare._core.formatting import decimals_for, format_interval, format_number
from skcompare._typing import FloatArray
from skcompare.evidence import PlacementValues
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots.drawing._base import (
    PairDisplay,
    Place,
    check_targets,
    comparison_behind,
)
from skcompare.plots.drawing._labels import count_text
from skcompare.plots.drawing._layout import ROLES, Room, legend_below
from skcompare.plots.drawing._style import (
    INK,
    LINE,
    ROLE_STYLES,
    SOFT,
    dress,
    line_of_zero,
    percent,
)
from skcompare.plots.drawing._text import WIDEST, wrapped
from skcompare.predictions import PairedPredictions
from skcompare.stats import clustered_delong, delong, roc_difference_band
from skcompare.stats.ranking import MOST_RATES, curves_at, range_text, role_limits

LINE_HEIGHT = 0.17
"""Height in inches of a line of a title."""

SPLIT_RATES = 200
"""Steps of the false positive rate at which the curves of splits are averaged."""

MOST_DRAWN = 30
"""Largest number of splits whose differences are drawn one by one."""


@dataclass(frozen=True, eq=False)
class SplitRankings:
    """Placement values of each test set that has both classes."""

    splits: tuple[PlacementValues, ...]
    n_left_out: int
    design: Design
    counts: tuple[int, int]

    @classmethod
    def from_pair(
        cls, pair: PairedPredictions, *, pos_label: Any = None
    ) -> "SplitRankings":
        """Compute the placement values of each test set."""
        whole = PlacementValues.from_pair(pair, pos_label=pos_label)
        placements = [
            PlacementValues(whole.positive[records], whole.scores[:, records], whole.names)
            for records in pair.alone.slices()
        ]
        kept = tuple(v for v in placements if 0 < v.n_positives < v.n)
        if not kept:
            raise ValueError(
                "The ROC curve of a split needs test records of both classes. Got one "
                f"class only in each of {len(placements)} splits. Use larger test sets, "
                "stratified by class."
            )
        counts = whole.n_positives, whole.n_negatives
        return cls(kept, len(placements) - len(kept), whole.design, counts)


def _interleaved(
    rates: FloatArray, sides: tuple[FloatArray, FloatArray], drawn: Any
) -> tuple[FloatArray, FloatArray]:
    """Interleave the values at each rate with those just before, where these are drawn."""
    n = len(rates)
    values = np.stack(sides, axis=2).reshape(len(sides[0]), 2 * n)
    is_drawn = np.stack([drawn, np.ones(n, dtype=bool)], axis=1).reshape(-1)
    return np.repeat(rates, 2)[is_drawn], values[:, is_drawn]


def _tested(
    placements: PlacementValues, level: float
) -> tuple[tuple[tuple[float, float | None, float | None], ...], Finding]:
    """Return both AUCs with their intervals, and the test of their difference."""
    sizes = placements.n_positives, placements.n_negatives
    aucs = placements.aucs.tolist()
    estimate = aucs[1] - aucs[0]
    if min(sizes) < 2:
        without_limits = ((aucs[0], None, None), (aucs[1], None, None))
        reason = "one record of a class"
        return without_limits, Finding(estimate, confidence_level=level, design=reason)
    test = delong if placements.groups is None else clustered_delong
    z = float(ndtri((1 + level) / 2))
    limits = [
        (part["auc"], *role_limits(part["auc"], part["variance"], *sizes, z))
        for part in test(placements).parts
    ]
    tests = ("delong", "clustered_delong")
    return tuple(limits), finding_of(placements, estimate, tests, level)


NO_BAND = "no band: models of the splits share training records"
ONE_SPLIT = "no band: it is unknown how models of other splits would vary"
RECORDS_IN_TIME = "no band: it assumes independent records, and these are in time order"


@dataclass(eq=False, repr=False)
class RocComparisonDisplay(
    PairDisplay,
    title="ROC curves",
    place=Place(2, ("roc_auc",), same=("roc_auc",), averaged=True),
):
    """ROC curves of two classifiers, and the difference of their sensitivities.

    The first panel shows both ROC curves, with their areas. The second has the difference
    of their sensitivities, challenger minus champion, at each false positive rate: the
    shaded band covers the true difference at all rates together with the confidence level,
    the narrower lines at a rate that was chosen beforehand
    (:func:`~skcompare.stats.roc_difference_band`). Where the band excludes zero, one
    classifier is better.

    Scores of models that were trained on different folds have no common threshold. With
    cross-validated predictions the sensitivities of the splits' curves are averaged at each
    rate, and no band is drawn: splits share training records, so that the variance of their
    mean has no simple estimate. Thin lines are the differences of up to 30 splits. Records
    in time order have no band either, because it would assume that they are independent.

    Parameters
    ----------
    fpr : ndarray of shape (n_points,)
        False positive rates; twice where a curve jumps.
    champion, challenger : ndarray of shape (n_points,)
        Sensitivities.
    bands : ndarray of shape (4, n_points) or None
        Limits of the difference: lower and upper, pointwise and simultaneous. None for
        cross-validated predictions.
    aucs : tuple of two tuples of three numbers
        AUC of each role with its limits; None where there are no limits.
    finding : Finding
        Difference of the AUCs, its interval and p-value.
    names : tuple of str
        Champion and challenger.
    counts : tuple of two int
        Positive and negative records.
    significance : str
        Text of the rates at which the simultaneous band excludes 0, or of the reason why
        there is no band.
    splits : ndarray of shape (n_drawn, n_points)
        Differences of each split.
    n_splits, n_left_out : int
        Splits of the curves, and those that lack a class and have no curve.
    flags : tuple of str
        Codes of caveats about the band.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.roc_difference_band : The numbers of the second panel.
    skcompare.stats.delong : The test of the areas.

    Notes
    -----
    The constructors take `pos_label`, the positive class, and for a hold-out set these
    options:

    confidence_level : float, default=0.95
        Level of the band and of all intervals.
    n_resamples : int, optional
        Number of resamples of the band.
    random_state : int, RandomState instance or None, default=0
        Seed of the resamples.

    With up to 500 negative records each step of the curves is drawn, with more the curves
    at 501 false positive rates. A line between two steps joins records of equal scores.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.plots import RocComparisonDisplay
    >>> placements = PlacementValues.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.3, 0.3, 0.9]
    ... )
    >>> display = RocComparisonDisplay.of_result(placements)
    >>> display.frame()[["fpr", "champion", "challenger"]]
       fpr  champion  challenger
    0  0.0       0.0         0.0
    1  0.0       0.5         0.5
    2  0.5       0.5         1.0
    3  0.5       1.0         1.0
    4  1.0       1.0         1.0
    """

    fpr: FloatArray
    champion: FloatArray
    challenger: FloatArray
    bands: FloatArray | None
    aucs: tuple[tuple[float, float | None, float | None], ...]
    finding: Finding
    names: tuple[str, ...]
    counts: tuple[int, int]
    significance: str
    splits: FloatArray
    n_splits: int
    n_left_out: int
    flags: tuple[str, ...]

    needs = PlacementValues

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, PlacementValues
            Source of the numbers.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : RocComparisonDisplay
            Its `frame()` needs no matplotlib.
        """
        check_targets(cls, result, cls.targets)
        if isinstance(result, PlacementValues) or _one_test_set(result):
            return super().of_result(result, **options)
        names = cls._evidence_options()
        evidence_options = {name: options.pop(name) for name in names if name in options}
        rankings = cls._evidence_of(result, SplitRankings, evidence_options)
        if options:
            raise ValueError(
                f"{', '.join(options)}: the curves of {rankings.design} have no band and "
                "no intervals. Leave this out, or compare trained models on a hold-out set."
            )
        return cls._of_splits(rankings)._named_by(result)

    @classmethod
    def _of(
        cls,
        evidence: PlacementValues,
        *,
        confidence_level: float = 0.95,
        n_resamples: int | None = None,
        random_state: Any = 0,
    ) -> Self:
        band = roc_difference_band(
            evidence,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        before, at = (curves_at(evidence, band.fpr, before=side) for side in (True, False))
        limits = band.low, band.high, band.simultaneous_low, band.simultaneous_high
        half = np.abs(np.array(limits) - band.difference)
        # Just before a jump the band is as wide as after the previous jump; the curves
        # start with no record, which is no estimate.
        half_before = np.concatenate([np.zeros((4, 1)), half[:, :-1]], axis=1)
        sides = np.concatenate([before, half_before]), np.concatenate([at, half])
        drawn = (before != at).any(axis=0)
        if len(band.fpr) > MOST_RATES:
            # Rates are so close together that lines between them look like jumps.
            drawn[1:] = False
        fpr, (champion, challenger, *widths) = _interleaved(band.fpr, sides, drawn)
        low, high, far_low, far_high = widths
        difference = challenger - champion
        bands = difference + np.array([-low, high, -far_low, far_high])
        aucs, finding = _tested(evidence, band.confidence_level)
        return cls(
            fpr=fpr,
            champion=champion,
            challenger=challenger,
            bands=np.clip(bands, -1.0, 1.0),
            aucs=aucs,
            finding=finding,
            names=evidence.names,
            counts=(evidence.n_positives, evidence.n_negatives),
            significance=range_text(band.ranges),
            splits=np.empty((0, len(fpr))),
            n_splits=1,
            n_left_out=0,
            flags=band.flags,
        )

    @classmethod
    def _of_splits(cls, rankings: SplitRankings) -> Self:
        """Create the display of the mean sensitivities of all splits at each rate."""
        rates = np.arange(SPLIT_RATES + 1) / SPLIT_RATES
        curves = np.array([curves_at(split, rates) for split in rankings.splits])
        # Each curve starts at 0, without any record.
        curves = np.concatenate([np.zeros((len(curves), 2, 1)), curves], axis=2)
        champion, challenger = curves.mean(axis=0)
        aucs = np.mean([split.aucs for split in rankings.splits], axis=0)
        differences = curves[:, 1] - curves[:, 0]
        why_no_band = NO_BAND if len(differences) > 1 else ONE_SPLIT
        if rankings.design.kind == TIME_ORDERED_HOLDOUT.kind:
            why_no_band = RECORDS_IN_TIME
        return cls(
            fpr=np.append(0.0, rates),
            champion=champion,
            challenger=challenger,
            bands=None,
            aucs=((float(aucs[0]), None, None), (float(aucs[1]), None, None)),
            finding=Finding(float(aucs[1] - aucs[0]), design=str(rankings.design)),
            names=rankings.splits[0].names,
            counts=rankings.counts,
            significance=why_no_band,
            splits=differences if len(differences) <= MOST_DRAWN else differences[:0],
            n_splits=len(differences),
            n_left_out=rankings.n_left_out,
            flags=(),
        )

    @property
    def difference(self) -> FloatArray:
        """Sensitivity of the challenger minus that of the champion."""
        return self.challenger - self.champion

    def _sentences(self) -> list[str]:
        """Return sentences on both AUCs, their difference and where curves differ."""
        champion, challenger = (self._auc_text(role) for role in (0, 1))
        finding = self.finding
        sentences = [
            f"ROC curves of {self._records_text}: champion {champion}, "
            f"challenger {challenger}",
            ", ".join(finding.lines("The difference of the AUCs is")),
        ]
        if self.bands is None:
            text = ", ".join(filter(None, (self._splits_text, self.significance)))
            sentences.append(text[0].upper() + text[1:])
        else:
            level = percent(finding.confidence_level)
            sentences.append(f"By the {level} band over all rates {self.significance}")
        return [*sentences, *finding.caveats]

    @property
    def _records_text(self) -> str:
        """Numbers of positive and negative records as text; for splits, of predictions."""
        positives, negatives = map(count_text, self.counts)
        if self.bands is None and self.significance != RECORDS_IN_TIME:
            return f"{positives} predictions for positive, {negatives} for negative records"
        return f"{positives} positive, {negatives} negative records"

    @property
    def _splits_text(self) -> str:
        if self.significance == RECORDS_IN_TIME:
            return ""
        text = f"Mean of the curves of {self.n_splits} splits"
        if self.n_splits == 1:
            text = "Curves of 1 split"
        if self.n_left_out:
            text += f", {self.n_left_out} without both classes left out"
        return text

    def _auc_text(self, role: int) -> str:
        auc, low, high = self.aucs[role]
        decimals = decimals_for(auc, low, high)
        text = f"AUC {format_number(auc, decimals)}"
        if low is None or high is None:
            return text
        level = percent(self.finding.confidence_level)
        return f"{text}, {level} interval {format_interval((low, high), decimals)}"

    def _room(self) -> Room:
        # Squares as wide as the page allows, with titles above and legends below.
        above = LINE_HEIGHT * max(0, len(self._title) - 3)
        return Room(width=9.0, height=6.1 + above, widths=(1.0, 1.0))

    @property
    def _title(self) -> list[str]:
        """Lines above the difference."""
        lines = [*self.finding.lines("Difference of AUCs"), *self.finding.caveats]
        if self.bands is None:
            lines.append(self.significance.capitalize())
        return wrapped(lines, WIDEST)

    def _draw(self, curves: Any, difference: Any) -> None:
        self._draw_curves(curves)
        self._draw_difference(difference)

    def _draw_curves(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=SOFT, lw=1, ls=":", label="Chance")
        rows = zip(ROLES, (self.champion, self.challenger), ROLE_STYLES)
        for i, (role, sensitivity, style) in enumerate(rows):
            label = f"{role.capitalize()}\n{self._auc_text(i)}"
            # A few marks at different places, so that those of equal curves all show.
            marks = {"ms": 4.5, "markevery": (0.06 + 0.07 * i, 0.14)}
            ax.plot(self.fpr, sensitivity, lw=1.8, label=label, **marks, **style)
        dress(ax)
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_aspect("equal")
        ax.set_xlabel("False positive rate (1 − specificity)")
        ax.set_ylabel("Sensitivity (true positive rate)")
        title = f"ROC curves\n{self._records_text}"
        if self.bands is None and self._splits_text:
            title = f"{title}\n{self._splits_text.replace(', ', chr(10))}"
        ax.set_title(title, fontsize="medium")
        legend_below(ax)

    def _draw_difference(self, ax: Any) -> None:
        finding = self.finding
        if self.bands is not None:
            level = percent(finding.confidence_level)
            low, high, far_low, far_high = self.bands
            style = {"fc": LINE, "ec": "none", "label": f"{level} band, all rates together"}
            ax.fill_between(self.fpr, far_low, far_high, **style)
            for limit, label in ((low, f"{level} limits, one rate"), (high, None)):
                ax.plot(self.fpr, limit, color=SOFT, lw=0.9, ls="-.", label=label)
        for i, difference in enumerate(self.splits):
            label = "Each split" if i == 0 else None
            ax.plot(self.fpr, difference, color=SOFT, lw=0.5, ls=":", label=label)
        label = "Difference" if self.bands is not None else "Difference of mean curves"
        ax.plot(self.fpr, self.difference, color=INK, lw=1.8, label=label)
        line_of_zero(ax, vertical=False)
        dress(ax)
        ax.set_xlim(-0.02, 1.02)
        ax.set_box_aspect(1)
        ax.set_xlabel("False positive rate (1 − specificity)")
        ax.set_ylabel(
            "Difference of sensitivities\n← champion better   challenger better →"
        )
        ax.set_title("\n".join(self._title), fontsize="medium")
        legend_below(ax)

    def _columns(self) -> Mapping[str, Any]:
        columns = {
            "fpr": self.fpr.tolist(),
            "champion": self.champion.tolist(),
            "challenger": self.challenger.tolist(),
            "difference": self.difference.tolist(),
        }
        if self.bands is not None:
            names = ("low", "high", "simultaneous_low", "simultaneous_high")
            columns |= {name: row.tolist() for name, row in zip(names, self.bands)}
        return columns


def _one_test_set(result: Any) -> bool:
    """Whether a result is of a single hold-out set; True also for invalid results."""
    holder = comparison_behind(result)
    if isinstance(holder, PairedPredictions) or hasattr(holder, "evidence"):
        design = getattr(holder, "design", None)
        return design is None or bool(design.kind == "holdout")
    return True
