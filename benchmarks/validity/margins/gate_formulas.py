"""The gate's decisions for arrays of data sets.

`skcompare.gate` takes one data set at a time. Means and AUCs of many are computed here,
and decided by the functions behind the gate; the scripts check on some data sets that both
agree.
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom
from scipy.stats import t as student

from skcompare.evidence import JointCounts
from skcompare.stats import ConstantDifferences
from skcompare.stats.accuracy import mcnemar_pvalues
from skcompare.stats.accuracy._unconditional import _scores, fewest_in_favour, worst
from skcompare.stats.margins import MarginTest, margin_result
from skcompare.stats.margins import _margin_test as sides

ALPHA = 0.05

sides.STEPS = 1
"""The interval of the level itself decides; digits of p-values would only take time."""


def is_shown(entry, evidence, boundary, direction, alpha=ALPHA, **options):
    """Whether the gate shows one data set to be beyond the boundary."""
    test = MarginTest(evidence, entry, options)
    return bool(margin_result(test, boundary, direction, alpha).pvalue < alpha)


def both_shown(entry, evidence, boundary, **options):
    """Whether the gate shows it to be above the boundary, and below."""
    test = MarginTest(evidence, entry, options)
    return [
        margin_result(test, boundary, side, ALPHA).pvalue < ALPHA
        for side in ("greater", "less")
    ]


def both_ways(at, difference, error, skewness, units, name, **words):
    """Whether data sets are shown above `at` and below: by the test alone, by the gate."""
    known = difference, error, skewness, units, name
    above, below = (beyond(at, side, *known, **words) for side in ("greater", "less"))
    return (*above, *below)


def beyond(
    at, side, difference, error, skewness, units, name, df=None, alpha=ALPHA, bound=None
):
    """Whether data sets are beyond a boundary, by the test alone and as the gate tests it.

    Parameters
    ----------
    at, side : float, {"greater", "less"}
    difference, error, skewness : ndarray of shape (n_sets,)
        Difference, its standard error and its skewness.
    units, name : int, str
        Of the evidence.
    bound : float
        What a unit can make the difference at most, where that is known.
    """
    sign = 1 if side == "greater" else -1
    distance, skewness = sign * (difference - at), sign * skewness
    quantile = -ndtri(alpha) if df is None else student.isf(alpha, df)
    with np.errstate(all="ignore"):
        alone = (error > 0) & (distance / error > quantile)
    floor = sides.FLOORS.get(name, sides.OTHER)
    passes = sides.skewness_adjusted_passes(
        distance, error, skewness, units, floor, quantile
    )
    if bound is not None:
        limit = ConstantDifferences(units, difference, bound).limit(alpha, side)
        passes &= sign * (limit - at) > 0
    return alone, alone & passes


def auc_moves(scores, positives):
    """Difference, standard error and skewness of two AUCs of each data set."""
    placed = [_placements(one, positives) for one in scores]
    change = [late - early for early, late in zip(*placed)]
    difference = change[0].mean(axis=1)
    influence = [
        (one - difference[:, None]) / np.sqrt(one.shape[1] * (one.shape[1] - 1))
        for one in change
    ]
    return difference, *_error(np.concatenate(influence, axis=1))


def _placements(scores, positives):
    """Shares of the other class that each record is on the right side of."""
    order = np.argsort(scores, axis=1)
    chosen = order < positives
    below = np.cumsum(chosen, axis=1)
    negatives = scores.shape[1] - positives
    place = np.arange(scores.shape[1])
    right = np.where(chosen, (place + 1 - below) / negatives, 1 - below / positives)
    placed = np.empty_like(right)
    np.put_along_axis(placed, order, right, axis=1)
    return placed[:, :positives], placed[:, positives:]


def mean_moves(gains, sizes=1):
    """The same of mean gains of records, or of sums of gains of groups of some sizes."""
    n_units = gains.shape[1]
    sizes = np.broadcast_to(sizes, n_units)
    mean = gains.sum(axis=1) / sizes.sum()
    scale = np.sqrt(n_units / (n_units - 1)) / sizes.sum()
    return mean, *_error(scale * (gains - mean[:, None] * sizes))


def _error(influence):
    """Standard error and skewness of the sum of what units move it."""
    square = (influence**2).sum(axis=1)
    with np.errstate(all="ignore"):
        return np.sqrt(square), (influence**3).sum(axis=1) / square**1.5


CELLS = np.array(
    [
        (truth, truth if a else 1 - truth, truth if b else 1 - truth)
        for truth in (1, 0)
        for a in (1, 0)
        for b in (1, 0)
    ]
)
"""Class and predictions of the eight cells of a label world."""


def count_moves(counts, score):
    """The same of a score of two classes, and the records with different predictions."""
    return sides.moments_of_counts(np.array([0, 1]), CELLS, counts, SCORES[score][1])


def passing_table(n, delta, method, alpha=ALPHA):
    """For each number against, the least number in favour that passes a boundary."""
    if method == "mid-p":
        return _least(n, lambda b, c: mcnemar_pvalues(b, c, "mid-p", "greater")[1] < alpha)
    if method == "exact-unconditional":
        return fewest_in_favour(n, delta, critical_score(n, delta, alpha))
    return fewest_in_favour(n, delta, float(-ndtri(alpha)) + 1e-9)


def _least(n, passes):
    """Least number in favour that passes, for each number against."""
    against = np.arange(n + 1)
    too_few, enough = np.full(n + 1, -1), n - against + 1
    while (enough - too_few > 1).any():
        middle = np.maximum((too_few + enough) // 2, 0)
        between = enough - too_few > 1
        reached = passes(against, middle)
        enough = np.where(between & reached, middle, enough)
        too_few = np.where(between & ~reached, middle, too_few)
    return enough


def critical_score(n, delta, alpha=ALPHA):
    """Tango's score from which on the unconditional exact test passes, by bisection."""
    low, high = 1.0, 4.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        fewest = fewest_in_favour(n, delta, middle)
        inside = np.flatnonzero(fewest <= n - np.arange(n + 1))
        if not inside.size:
            high = middle
            continue
        largest = max(
            worst(int(b), int(fewest[b]), n, delta, False).log_probability
            for b in _least_scores(inside, fewest, n, delta)
        )
        low, high = (low, middle) if largest < np.log(alpha) else (middle, high)
    return high


def _least_scores(inside, fewest, n, delta):
    """The number against whose fewest in favour have the least score."""
    scores = _scores(inside, fewest[inside], n, delta)
    return inside[[int(np.argmin(scores))]]


def pass_probability(n, delta, shares, fewest):
    """Probabilities of passing, at shares of discordant records that `delta` allows."""
    found = []
    for share in shares:
        against, favour = max(0.0, (share - delta) / 2), max(0.0, (share + delta) / 2)
        b = np.arange(
            int(max(0, binom.ppf(1e-14, n, against))),
            int(binom.isf(1e-14, n, against)) + 1,
        )
        of_rest = min(1.0, favour / (1 - against)) if against < 1 else 0.0
        reached = np.where(fewest[b] <= n - b, binom.sf(fewest[b] - 1, n - b, of_rest), 0.0)
        found.append(float(binom.pmf(b, n, against) @ reached))
    return np.array(found)


def discordant_shares(delta, n_points=120):
    """Shares of discordant records, with the least one that `delta` allows and 1."""
    free = 1 - abs(delta)
    even = np.sin(np.linspace(0, np.pi / 2, n_points)) ** 2
    near = np.concatenate([[0.0], np.geomspace(1e-5, 0.2, n_points // 2)])
    shares = abs(delta) + free * np.union1d(even, near)
    return np.minimum(shares[shares > 0], 1.0)


SCORES = {
    "precision": ("precision_difference", {"label": 1}),
    "balanced_accuracy": (
        "score_difference",
        {"score": "balanced_accuracy", "method": "delta"},
    ),
    "f1_macro": ("score_difference", {"score": "f1_macro", "method": "delta"}),
}


def joint(counts):
    """Counts of the eight cells as evidence."""
    return JointCounts.from_predictions(*(np.repeat(column, counts) for column in CELLS.T))
