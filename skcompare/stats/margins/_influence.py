"""Influence of each independent unit of the evidence on a difference."""

import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    ClusterSums,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoredPair,
)
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    count_score,
)
from skcompare.stats.scores._permutation import scored_cells
from skcompare.stats.scores._resampling import generator, influences

MOST_ROWS = 2_000_000
"""Number of records above which the skewness is supposed, not estimated."""

SUPPOSED = 10.0
"""Supposed skewness of differences that were not kept one by one."""


ROUNDING = 1e-9
"""Share of the largest influence below which an influence is rounding."""

UNEVEN = 2.0
"""Ratio of groups to groups of even size from which on the latter are counted."""

EVEN = "groups of even size that would tell as much"

FEW_OF_A_CLASS = 20
"""Records of a class below which nothing is concluded, if classes have equal weight."""

FEW_GROUPS = 20
"""Number of groups below which nothing is concluded, whatever their sizes."""

SCORE, LABEL, POS_LABEL = "score", "label", "pos_label"
"""Options of tests that name the score and the class."""


class InfluenceMoments(NamedTuple):
    """Standard error and skewness of a difference, from the influence of each unit.

    Attributes
    ----------
    error : float
        Standard error of the difference; NaN where the test has a better one.
    skewness : float
        Skewness of the difference, positive where its long tail favours the challenger.
    units : int
        Independent units: records, groups, or members of the rarer class.
    name : str
        Name of the units.
    observed : bool
        Whether the skewness was observed; it counts on either side where it is supposed.
    """

    error: float
    skewness: float
    units: int
    name: str
    observed: bool = True


@singledispatch
def influence_moments(evidence: Any, **options: Any) -> InfluenceMoments | None:
    """Estimate standard error and skewness of a difference from influence values.

    The influence of a unit, a record or a group, is the derivative of the difference with
    respect to its weight; the difference is about the sum of them.

    Parameters
    ----------
    evidence : object
        Losses, placement values, counts of labels, sums of groups, any score of pairs,
        calibration errors, or evidence with an attribute `influence_values`: the influence
        of each record.
    **options
        Options of the test that name the score and the class: `score`, `label` or
        `pos_label`.

    Returns
    -------
    moments : InfluenceMoments or None
        None for evidence whose influence values are unknown.

    Notes
    -----
    Records that were not kept one by one, or more than two million of them, are taken to
    have a skewness of 10, which is then not `observed`.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import influence_moments
    >>> rng = np.random.default_rng(0)
    >>> losses = PairedLosses.from_losses(*rng.exponential(size=(2, 200)))
    >>> moments = influence_moments(losses)
    >>> print(f"{moments.error:.4f}, skewness {moments.skewness:+.3f}, {moments.units}")
    0.1056, skewness -0.038, 200
    """
    values = getattr(evidence, "influence_values", None)
    return None if values is None else _spread(values, len(values), "records")


def _spread(
    influence: FloatArray, units: int, name: str, counts: Any = 1.0
) -> InfluenceMoments:
    """Moments from the influence of each unit; `counts` are numbers of identical units."""
    size = float(np.abs(influence).max(initial=0.0))
    if size == 0 or units < 2:
        return InfluenceMoments(0.0, 0.0, units, name)
    scaled = influence / size
    square = float((counts * scaled**2).sum())
    third = float((counts * scaled**3).sum())
    error = size * math.sqrt(square * units / (units - 1))
    return InfluenceMoments(error, third / square**1.5, units, name)


def _even(spread: InfluenceMoments, sizes: Any) -> InfluenceMoments:
    """Reduce the number of groups to Kish's effective number if their sizes are uneven."""
    weights = np.asarray(sizes, dtype=np.float64)
    even = float(weights.sum() ** 2 / (weights**2).sum())
    if even > spread.units / UNEVEN:
        return spread
    return spread._replace(units=max(1, int(even)), name=EVEN)


@influence_moments.register
def _of_losses(losses: PairedLosses, **_: Any) -> InfluenceMoments:
    groups = losses.groups
    if groups is not None:
        influence = (groups.gains - groups.sizes * losses.gain) / losses.n
        return _even(_spread(influence, groups.n_groups, "groups"), groups.sizes)
    deviation = losses.moments.gain_deviation
    if losses.values is None or losses.n > MOST_ROWS:
        error = deviation / math.sqrt(losses.n)
        skewness = SUPPOSED / math.sqrt(losses.n)
        return InfluenceMoments(error, skewness, losses.n, "records", observed=False)
    if deviation == 0:
        return InfluenceMoments(0.0, 0.0, losses.n, "records")
    influence = (losses.differences - losses.differences.mean()) / losses.n
    return _spread(influence, losses.n, "records")


@influence_moments.register
def _of_placements(placements: PlacementValues, **_: Any) -> InfluenceMoments:
    positive = placements.positive
    m, n = placements.n_positives, placements.n_negatives
    if placements.groups is not None:
        return _of_grouped_placements(placements)
    fewer, name = min(m, n), "records of the rarer class"
    if min(m, n) < 2:
        return InfluenceMoments(0.0, 0.0, fewer, name)
    if len(positive) > MOST_ROWS:
        variance = placements.covariance
        error = math.sqrt(max(0.0, float(np.array([-1, 1]) @ variance @ [-1, 1])))
        return InfluenceMoments(
            error, SUPPOSED / math.sqrt(fewer), fewer, name, observed=False
        )
    counts = np.ones(len(positive)) if placements.repeats is None else placements.repeats
    influence = _placement_influence(placements, counts)
    # Both classes have their own degree of freedom.
    influence *= np.where(positive, math.sqrt(m / (m - 1)), math.sqrt(n / (n - 1)))
    spread = _spread(influence, fewer, name, counts)
    return spread._replace(error=spread.error * math.sqrt((fewer - 1) / fewer))


def _placement_influence(placements: PlacementValues, counts: Any) -> FloatArray:
    """Influence of each record on the difference of two AUCs."""
    positive = placements.positive
    m, n = placements.n_positives, placements.n_negatives
    champion, challenger = placements.counts
    change = (challenger - champion) / (2.0 * m * n)
    influence: FloatArray = np.empty(len(change))
    for members, size in ((positive, m), (~positive, n)):
        mean = float((counts[members] * change[members]).sum()) / size
        influence[members] = change[members] - mean
    return influence


def _of_grouped_placements(placements: PlacementValues) -> InfluenceMoments:
    codes, positive = placements.group_codes(), placements.positive
    of_records = _placement_influence(placements, np.ones(len(positive)))
    influence = np.bincount(codes, of_records).astype(np.float64)
    fewer = min(len(np.unique(codes[positive])), len(np.unique(codes[~positive])))
    spread = _spread(influence, fewer, "groups with records of the rarer class")
    return spread if fewer < FEW_GROUPS else _even(spread, np.bincount(codes))


@influence_moments.register
def _of_clusters(sums: ClusterSums, **options: Any) -> InfluenceMoments | None:
    """Moments for groups: of accuracies by differences, of other scores by derivatives."""
    if SCORE not in options and LABEL not in options:
        sizes, total = sums.sizes, float(sums.n)
        difference = float(sums.differences.sum()) / total
        influence = (sums.differences - difference * sizes) / total
        return _even(_spread(influence, sums.n_groups, "groups"), sizes)
    if sums.cells is None or sums.groups is None:
        return None
    group, *cells = sums.cells.T
    slopes = _slopes(sums.classes, np.stack(cells, 1), sums.counts, options)
    if slopes is None:
        return None
    influence = np.zeros(sums.n_groups)
    np.add.at(influence, group, sums.counts * slopes)
    nonzero = np.abs(influence) > ROUNDING * np.abs(influence).max(initial=0.0)
    spread = _spread(influence, int(np.count_nonzero(nonzero)), "groups that differ")
    return spread if spread.units < FEW_GROUPS else _even(spread, sums.sizes)


@influence_moments.register
def _of_counts(counts: JointCounts, **options: Any) -> InfluenceMoments | None:
    """Moments of the difference of a score of counts, by its derivatives."""
    slopes = _slopes(counts.classes, counts.cells, counts.counts, options)
    if slopes is None:
        return None
    _, champion, challenger = counts.cells.T
    differ = int(counts.counts[champion != challenger].sum())
    spread = _spread(slopes, differ, "records with different predictions", counts.counts)
    if not _weighs_classes_alike(options):
        return spread
    rarest = int(_of_rarest_class(counts.cells, counts.counts))
    if rarest >= FEW_OF_A_CLASS:
        return spread
    return spread._replace(units=rarest, name="records of the rarest class")


def _weighs_classes_alike(options: Mapping[str, Any]) -> bool:
    """Whether the score gives rare and common classes equal weight."""
    name = str(options.get(SCORE, ""))
    return name == "balanced_accuracy" or name.endswith("_macro")


def _of_rarest_class(cells: IntArray, counts: Any) -> Any:
    """Number of records of the rarest class present."""
    truth, records = cells[:, 0], np.asarray(counts)
    sizes = np.stack(
        [records[..., truth == code].sum(axis=-1) for code in np.unique(truth)], axis=-1
    )
    return np.where(sizes > 0, sizes, records.sum(axis=-1, keepdims=True)).min(axis=-1)


def moments_of_counts(
    classes: Any, cells: IntArray, counts: Any, options: Mapping[str, Any]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray] | None:
    """Difference, standard error, skewness and units of a score for many sets of counts.

    No unit counts where a class is too rare for the score. The counts have the shape
    (n_sets, n_cells). None where the score is unknown.
    """
    scored = _scored(classes, cells, counts, options)
    if scored is None:
        return None
    difference, influence = scored
    _, champion, challenger = cells.T
    units = counts[:, champion != challenger].sum(axis=1).astype(np.float64)
    square = (counts * influence**2).sum(axis=1)
    third = (counts * influence**3).sum(axis=1)
    with np.errstate(all="ignore"):
        error = np.sqrt(square * units / np.maximum(units - 1, 1))
        skewness = third / square**1.5
    if _weighs_classes_alike(options):
        units = np.where(_of_rarest_class(cells, counts) < FEW_OF_A_CLASS, 0.0, units)
    return difference, error, skewness, units


def _slopes(
    classes: Any, cells: IntArray, counts: IntArray, options: Mapping[str, Any]
) -> FloatArray | None:
    """Centred influence of a record of each cell on the difference of a score."""
    scored = _scored(classes, cells, counts, options)
    return None if scored is None else scored[1]


def _scored(
    classes: Any, cells: IntArray, counts: Any, options: Mapping[str, Any]
) -> tuple[Any, FloatArray] | None:
    """Difference of a score, with the influence of a record of each cell."""
    name = options.get(SCORE, "precision")
    if not isinstance(name, str) or name not in COUNT_SCORES:
        return None
    binary = name in BINARY_SCORES
    if binary and len(classes) != 2:
        return None
    label = options.get(LABEL, options.get(POS_LABEL)) if binary else None
    if binary and label is None:
        label = classes[-1].item()
    records = np.asarray(counts, dtype=np.float64)
    champion, challenger, influence = scored_cells(
        count_score(name, classes, label), cells, records, len(classes)
    )
    return challenger.values - champion.values, influence


@influence_moments.register
def _of_scored(pair: ScoredPair, **_: Any) -> InfluenceMoments | None:
    """Moments of the difference of any score, by derivatives or by leaving parts out."""
    if pair.n > MOST_ROWS:
        return None
    influence = influences(pair, generator(0))
    units, name = pair.n_units, "records" if pair.groups is None else "groups"
    classes = np.unique(pair.y)
    if len(classes) == 2:
        units = min(len(np.unique(pair.units[pair.y == code])) for code in classes)
        name = f"{name} of the rarer class"
    return _spread(influence, units, name)


@influence_moments.register
def _of_calibration(calibration: PairedCalibration, **_: Any) -> InfluenceMoments:
    """Moments of calibration errors, with an undefined standard error and no skewness."""
    if calibration.groups is None:
        return InfluenceMoments(math.nan, 0.0, int(calibration.n), "records in bins")
    n_groups = len(np.unique(calibration.groups))
    return InfluenceMoments(math.nan, 0.0, n_groups, "groups in bins")
