"""The gate's decisions for arrays of data sets, by the same formulas in numpy.

`skcompare.gate` takes one data set at a time. The scripts check on some data sets that
both agree.
"""

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom
from scipy.stats import t as student

from skcompare.evidence import JointCounts
from skcompare.stats.accuracy._mcnemar_methods import mcnemar_pvalues
from skcompare.stats.accuracy._unconditional import fewest_in_favour, worst
from skcompare.stats.margins import _one_sided as _sides
from skcompare.stats.margins._influence import FEW_OF_A_CLASS
from skcompare.stats.margins._one_sided import MarginTest, margin_result
from skcompare.stats.margins._skewness import FLOORS, OTHER, TIMES
from skcompare.stats.scores._confusion_scores import count_score

ALPHA = 0.05

_sides.STEPS = 1
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


def cautious(distance, error, skewness, units, name, df=None, alpha=ALPHA, reach=0.0):
    """Whether distances are shown, by the test alone and with the gate's caution.

    Parameters
    ----------
    distance : ndarray of shape (n_sets,)
        How far the estimate is beyond the boundary, towards what is to be shown.
    error, skewness : ndarray of shape (n_sets,)
        Standard error of the difference, and its skewness towards what is to be shown.
    units, name : int, str
        Of the evidence.
    reach : float
        What rare errors that are in no record could make the difference.
    """
    floor = FLOORS.get(name, OTHER)
    quantile = -ndtri(alpha) if df is None else student.isf(alpha, df)
    with np.errstate(all="ignore"):
        statistic = distance / error
        lean = np.maximum(-TIMES * skewness, floor.skewness / np.sqrt(units))
        shrunk = np.maximum(0, 1 - lean * statistic / 3)
        corrected = (1 - shrunk**3) / lean - lean / 6
    alone = (error > 0) & (statistic > quantile)
    enough = (units >= floor.units) & (distance > reach)
    return alone, alone & (corrected > quantile) & enough


def rare_reach(boundary, bound, units, alpha=ALPHA):
    """Beyond a boundary, the distance that rare errors in no record could make."""
    return (boundary + bound) * (alpha ** (-1 / units) - 1)


def spread(moves, counts=1.0):
    """Sums of squares and skewness of what units move, along the last axis."""
    square = (counts * moves**2).sum(axis=-1)
    with np.errstate(all="ignore"):
        return square, (counts * moves**3).sum(axis=-1) / square**1.5


def auc_moves(scores, positives):
    """Difference, standard error and skewness of two AUCs of each data set."""
    n = scores.shape[-1]
    negatives = n - positives
    placed = [_placements(one, positives) for one in scores]
    first, second = (late - early for early, late in zip(*placed))
    difference = first.mean(axis=1)
    first, second = first - difference[:, None], second - difference[:, None]
    of_first, _ = spread(first)
    of_second, _ = spread(second)
    m, k = positives, negatives
    variance = of_first / (m - 1) / m + of_second / (k - 1) / k
    scales = np.sqrt(m / (m - 1)) / m, np.sqrt(k / (k - 1)) / k
    third = (first**3).sum(axis=1) * scales[0] ** 3
    third += (second**3).sum(axis=1) * scales[1] ** 3
    with np.errstate(all="ignore"):
        return difference, np.sqrt(variance), third / variance**1.5


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


def mean_moves(gains):
    """The same of mean gains of records."""
    n = gains.shape[-1]
    mean = gains.mean(axis=1)
    square, skewness = spread(gains - mean[:, None])
    return mean, np.sqrt(square / (n - 1) / n), skewness


def group_moves(sums, sizes):
    """The same of mean gains of records in groups, from the sums of groups."""
    n_groups, n = len(sizes), sizes.sum()
    mean = sums.sum(axis=1) / n
    square, skewness = spread((sums - mean[:, None] * sizes) / n)
    return mean, np.sqrt(square * n_groups / (n_groups - 1)), skewness


TRUTH, FIRST, SECOND = np.array(
    [
        (truth, truth if a else 1 - truth, truth if b else 1 - truth)
        for truth in (1, 0)
        for a in (1, 0)
        for b in (1, 0)
    ]
).T
"""Class and answers of the eight cells of a label world."""


def count_moves(counts, score):
    """The same of a score of two classes, and the records with different predictions."""
    known = count_score(score, np.array([0, 1]), 1 if score == "precision" else None)
    records = counts.astype(np.float64)
    first = known.of_cells(TRUTH, FIRST, records, 2)
    second = known.of_cells(TRUTH, SECOND, records, 2)
    moves = second.slopes - first.slopes
    moves = moves - (records * moves).sum(axis=1, keepdims=True) / records.sum(
        axis=1, keepdims=True
    )
    square, skewness = spread(moves, records)
    differ = records[:, FIRST != SECOND].sum(axis=1)
    error = np.sqrt(square * differ / np.maximum(differ - 1, 1))
    if score != "precision":
        sizes = np.stack([records[:, TRUTH == code].sum(axis=1) for code in (0, 1)])
        differ = np.where(sizes.min(axis=0) < FEW_OF_A_CLASS, 0, differ)
    return second.values - first.values, error, skewness, differ


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
    from skcompare.stats.accuracy._unconditional import _scores

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
    return JointCounts.from_predictions(
        *(np.repeat(column, counts) for column in (TRUTH, FIRST, SECOND))
    )
