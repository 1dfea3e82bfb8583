"""What the picture of two ROC curves shows: of one hold-out set, or of many splits."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from skcompare._core.design import Design
from skcompare._core.validation import check_confidence_level
from skcompare._typing import FloatArray
from skcompare.evidence import PlacementValues
from skcompare.plots._tested import Finding, finding_of
from skcompare.predictions import PairedPredictions
from skcompare.stats import clustered_delong, delong, roc_difference_band
from skcompare.stats._auc_limits import role_limits
from skcompare.stats._roc_band import MOST_RATES, usual_rates
from skcompare.stats._roc_band_result import range_words
from skcompare.stats._roc_curves import RocCurve
from skcompare.stats._roc_resampling import Rows

SPLIT_RATES = 200
"""Steps of the false positive rate at which the curves of splits are averaged."""

MOST_DRAWN = 30
"""Splits whose differences are drawn one by one."""


class Numbers(NamedTuple):
    """Fields of the display, in its order."""

    fpr: FloatArray
    champion: FloatArray
    challenger: FloatArray
    bands: FloatArray | None
    aucs: tuple[tuple[float, float | None, float | None], ...]
    finding: Finding
    names: tuple[str, ...]
    counts: tuple[int, int]
    found: str
    splits: FloatArray
    n_splits: int
    n_left_out: int
    flags: tuple[str, ...]


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
        """Rank the answers to each test set by themselves."""
        whole = PlacementValues.from_pair(pair, pos_label=pos_label)
        every = [
            PlacementValues(whole.positive[some], whole.scores[:, some], whole.names)
            for some in pair.alone.slices()
        ]
        kept = tuple(one for one in every if 0 < one.n_positives < one.n)
        if not kept:
            raise ValueError(
                "The ROC curve of a split needs test records of both classes. Got one "
                f"class only in each of {len(every)} splits. Use larger test sets, "
                "stratified by class."
            )
        counts = whole.n_positives, whole.n_negatives
        return cls(kept, len(every) - len(kept), whole.design, counts)


def numbers_of(
    placements: PlacementValues,
    confidence_level: float,
    n_resamples: int | None,
    random_state: Any,
) -> Numbers:
    """Curves and bands of a hold-out set."""
    band = roc_difference_band(
        placements,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    before, at = _before_and_at(placements, band.fpr)
    half = np.array(
        [
            band.difference - band.low,
            band.high - band.difference,
            band.difference - band.simultaneous_low,
            band.simultaneous_high - band.difference,
        ]
    )
    # Just before a jump the band is as wide as it was since the jump before; the curves
    # start with no record, which is no estimate.
    earlier = np.concatenate([np.zeros((4, 1)), half[:, :-1]], axis=1)
    sides = np.concatenate([before, earlier]), np.concatenate([at, half])
    drawn = (before != at).any(axis=0)
    if len(band.fpr) > MOST_RATES:
        # Rates are so close together that the lines between them are as good as jumps.
        drawn[1:] = False
    fpr, (champion, challenger, *widths) = _interleaved(band.fpr, sides, drawn)
    low, high, far_low, far_high = widths
    difference = challenger - champion
    bands = difference + np.array([-low, high, -far_low, far_high])
    return Numbers(
        fpr,
        champion,
        challenger,
        np.clip(bands, -1.0, 1.0),
        *_tested(placements, band.confidence_level),
        placements.names,
        (placements.n_positives, placements.n_negatives),
        range_words(band.ranges),
        np.empty((0, len(fpr))),
        1,
        0,
        band.flags,
    )


def numbers_of_splits(rankings: SplitRankings) -> Numbers:
    """Curves of all splits, averaged over the sensitivities at each rate."""
    rates = usual_rates(SPLIT_RATES)
    curves = np.array([_before_and_at(one, rates)[1] for one in rankings.splits])
    # From no record on, as a curve starts.
    curves = np.concatenate([np.zeros((len(curves), 2, 1)), curves], axis=2)
    champion, challenger = curves.mean(axis=0)
    aucs = np.mean([one.aucs for one in rankings.splits], axis=0)
    apart = curves[:, 1] - curves[:, 0]
    return Numbers(
        np.append(0.0, rates),
        champion,
        challenger,
        None,
        ((float(aucs[0]), None, None), (float(aucs[1]), None, None)),
        Finding(float(aucs[1] - aucs[0]), design=str(rankings.design)),
        rankings.splits[0].names,
        rankings.counts,
        "",
        apart if len(apart) <= MOST_DRAWN else apart[:0],
        len(apart),
        rankings.n_left_out,
        (),
    )


def _before_and_at(
    placements: PlacementValues, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sensitivities of both classifiers just before each rate, and at it."""
    rows = Rows(placements.positive, placements.scores, placements.repeats, None)
    curves = [RocCurve(score, rows.positive) for score in rows.scores]
    before, at = (
        np.array(
            [curve.sensitivities(*rows.counted, rates, before=side)[0] for curve in curves]
        )
        for side in (True, False)
    )
    return before, at


def _interleaved(
    rates: FloatArray, sides: tuple[FloatArray, FloatArray], drawn: Any
) -> tuple[FloatArray, FloatArray]:
    """Rates with their values, twice where those just before are drawn too."""
    n = len(rates)
    values = np.stack(sides, axis=2).reshape(len(sides[0]), 2 * n)
    used = np.stack([drawn, np.ones(n, dtype=bool)], axis=1).reshape(-1)
    return np.repeat(rates, 2)[used], values[:, used]


def _tested(
    placements: PlacementValues, confidence_level: float
) -> tuple[tuple[tuple[float, float | None, float | None], ...], Finding]:
    """Each AUC with its interval, and what the test of their difference says."""
    level = check_confidence_level(confidence_level)
    sizes = placements.n_positives, placements.n_negatives
    aucs = placements.aucs.tolist()
    estimate = aucs[1] - aucs[0]
    if min(sizes) < 2:
        none = ((aucs[0], None, None), (aucs[1], None, None))
        return none, Finding(
            estimate, confidence_level=level, design="one record of a class"
        )
    test = delong if placements.groups is None else clustered_delong
    z = float(ndtri((1 + level) / 2))
    limits = [
        (part["auc"], *role_limits(part["auc"], part["variance"], *sizes, z))
        for part in test(placements).parts
    ]
    finding = finding_of(
        placements,
        estimate,
        ("delong", "clustered_delong"),
        confidence_level=level,
        alternative="two-sided",
    )
    return tuple(limits), finding
