"""Error rates and coverage of tests of scores of numbers that are no means of a loss.

Two regressors of one target: exchangeable ones, ones with unlike errors, and ones with
heavier tails. Differences of RMSE, R² and two correlations, and the relative reduction of
the mean squared error; and several outputs, each of which has joint p-values and intervals.
Run

    python -m benchmarks.validity.regressors.number_scores

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare import compare
from skcompare.evidence import PairedLosses, ScoredPair
from skcompare.stats import (
    adjust_pvalues,
    bootstrap_difference,
    influence_difference,
    jackknife_difference,
    relative_loss,
)

ALPHA = 0.05
RECORDS = (50, 200, 1000)
SCORES = (
    "neg_root_mean_squared_error",
    "r2",
    "pearson_correlation",
    "spearman_correlation",
)
TESTS = ("influences", "jackknife", "percentile")
METHODS = ("jackknife", "fieller")
"""Methods of the relative reduction of a loss."""
TRUTH_RECORDS, TRUTH_DRAWS = 200_000, 20
LARGEST_OF_OUTPUTS = 200
"""Largest number of records of several outputs."""


def exchangeable(n, rng):
    """Equal regressors, with a part of their errors in common."""
    signal, shared = rng.normal(size=n), 0.5 * rng.normal(size=n)
    own = 0.5 * rng.normal(size=(2, n))
    return signal + rng.normal(size=n), *(signal + shared + own)


def exchangeable_skewed(n, rng):
    """Equal regressors of a gamma target, with multiplicative errors."""
    y, shared = rng.gamma(3, size=n), rng.gamma(8, 1 / 8, size=n)
    return y, *(y * shared * rng.gamma(8, 1 / 8, size=(2, n)))


def unlike(n, rng):
    """A noisy regressor, and one that shrinks."""
    signal, shared = rng.normal(size=n), 0.3 * rng.normal(size=n)
    y = signal + 0.7 * rng.normal(size=n)
    first, second = rng.normal(size=(2, n))
    return y, signal + shared + 0.7 * first, 0.8 * signal + 0.5 * shared + 0.3 * second


def precise(n, rng):
    """Two regressors with correlations near 1."""
    signal, target, *own = rng.normal(size=(4, n))
    return signal + 0.1 * target, signal + 0.3 * own[0], signal + 0.15 * own[1]


def unlike_skewed(n, rng):
    """A gamma target, with multiplicative errors and with additive ones."""
    y = rng.gamma(3, size=n)
    second = 0.9 * y + 0.3 + 0.5 * rng.normal(size=n)
    return y, y * rng.gamma(6, 1 / 6, size=n), second


WORLDS = {
    "exchangeable": exchangeable,
    "exchangeable, skewed": exchangeable_skewed,
    "unlike": unlike,
    "precise": precise,
    "unlike, skewed": unlike_skewed,
}


def true_difference(score, world):
    """Difference of the scores of very many records."""
    if world.startswith("exchangeable"):
        return 0.0
    rng, differences = np.random.default_rng(0), []
    for _ in range(TRUTH_DRAWS):
        records = WORLDS[world](TRUTH_RECORDS, rng)
        champion, challenger = ScoredPair.from_predictions(*records, score=score).values
        differences.append(challenger - champion)
    return float(np.mean(differences))


def coverage_row(score, world, n, truth, n_resamples, n_draws, seed):
    """Shares of intervals above and below the truth, for each test."""
    rng = np.random.default_rng(seed)
    missed = np.zeros((len(TESTS), 2))
    for k in range(n_draws):
        pair = ScoredPair.from_predictions(*WORLDS[world](n, rng), score=score)
        results = (
            influence_difference(pair),
            jackknife_difference(pair),
            bootstrap_difference(pair, n_resamples=n_resamples, random_state=k),
        )
        limits = [result.confidence_interval(1 - ALPHA) for result in results]
        missed += [(truth < low, truth > high) for low, high in limits]
    return missed / n_draws


def coverage_table(args):
    """All scores; of exchangeable regressors it is 1 less the type I error."""
    sizes = list(product(SCORES, WORLDS, args.records))
    truths = {pair: true_difference(*pair) for pair in product(SCORES, WORLDS)}
    settings = [
        (score, world, n, truths[score, world], args.resamples) for score, world, n in sizes
    ]
    rows = each_row(coverage_row, settings, args, 1)
    table = Table(
        "Differences of scores of numbers: coverage of the 95 % intervals",
        ("score", "regressors", "records", "difference", *TESTS),
    )
    for (score, world, n), missed in zip(sizes, rows):
        covered = 1 - missed.sum(axis=1)
        cells = [with_error(share, args.draws) for share in covered]
        table.add(score, world, n, f"{truths[score, world]:+.3f}", *cells)
    return table


def squared_errors(records):
    """Squared errors of champion and challenger."""
    y, champion, challenger = records
    return (champion - y) ** 2, (challenger - y) ** 2


def true_reduction(world):
    """Reduction of the mean squared errors of very many records."""
    if world.startswith("exchangeable"):
        return 0.0
    rng = np.random.default_rng(0)
    drawn = (squared_errors(WORLDS[world](TRUTH_RECORDS, rng)) for _ in range(TRUTH_DRAWS))
    champion, challenger = np.mean([[a.mean(), b.mean()] for a, b in drawn], axis=0)
    return float(1 - challenger / champion)


def reduction_row(world, n, truth, n_draws, seed):
    """Shares of intervals above and below the true reduction, for each method."""
    rng = np.random.default_rng(seed)
    missed = np.zeros((len(METHODS), 2))
    for _ in range(n_draws):
        losses = PairedLosses.from_losses(
            *squared_errors(WORLDS[world](n, rng)), loss="squared_error"
        )
        results = [relative_loss(losses, method=method) for method in METHODS]
        limits = [result.confidence_interval(1 - ALPHA) for result in results]
        missed += [(truth < low, truth > high) for low, high in limits]
    return missed / n_draws


def reduction_table(args):
    """Coverage, and which side is missed: above has the truth below the interval."""
    truths = {world: true_reduction(world) for world in WORLDS}
    settings = [
        (world, n, truths[world]) for world, n in product(WORLDS, sorted(args.records))
    ]
    rows = each_row(reduction_row, settings, args, 2)
    sides = [f"{method}, {side}" for method in METHODS for side in ("above", "below")]
    table = Table(
        "Relative reduction of the mean squared error: coverage of the 95 % intervals",
        ("regressors", "records", "reduction", *METHODS, *sides),
    )
    for (world, n, truth), missed in zip(settings, rows):
        cells = [with_error(share, args.draws) for share in 1 - missed.sum(axis=1)]
        shares = (f"{share:.3f}" for share in missed.ravel())
        table.add(world, n, f"{truth:+.3f}", *cells, *shares)
    return table


OUTPUTS = 5
MEASURES = {
    "neg_mean_absolute_error": np.sqrt(2 / np.pi),
    "neg_root_mean_squared_error": 1.0,
}
"""Measures of each output, with their values for normal errors of variance 1."""
CORRELATIONS = (0.0, 0.5, 0.9)
SCALES = {"exchangeable": np.ones(OUTPUTS), "two differ": np.array([0.7, 1.3, 1, 1, 1])}
"""Deviations of the challenger's errors in each output; those of the champion are 1."""
ADJUSTMENTS = ("none", "holm", "max-t")


def errors_of_outputs(n, correlation, rng):
    """Normal errors, correlated between outputs and between both regressors."""
    shared = rng.normal(size=(2, n, 1)) * np.sqrt(correlation)
    own = rng.normal(size=(2, n, OUTPUTS)) * np.sqrt(1 - correlation)
    first, second = shared + own
    return first, 0.5 * first + np.sqrt(0.75) * second


def outputs_row(measure, correlation, scales, n, n_draws, seed):
    """Shares of data sets with a false finding, and with a joint interval that misses."""
    rng, scales = np.random.default_rng(seed), SCALES[scales]
    truth = MEASURES[measure] * (1 - scales)
    false, missed, found = np.zeros((3, len(ADJUSTMENTS)))
    y = np.zeros((n, OUTPUTS))
    options = {"scoring": f"{measure}[raw_values]", "adjust": "max-t", "alpha": ALPHA}
    for _ in range(n_draws):
        first, second = errors_of_outputs(n, correlation, rng)
        rows = compare(y, {"old": first, "new": second * scales}, **options).rows[1:]
        raw = [row.pvalue for row in rows]
        alone = [row.result.confidence_interval(1 - ALPHA) for row in rows]
        joint = [(row.low, row.high) for row in rows]
        adjusted = raw, adjust_pvalues(raw, "holm"), [row.adjusted_pvalue for row in rows]
        for k, (pvalues, limits) in enumerate(zip(adjusted, (alone, alone, joint))):
            below = np.array(pvalues) < ALPHA
            false[k] += below[truth == 0].any()
            found[k] += below[0]
            missed[k] += any(not low <= x <= high for x, (low, high) in zip(truth, limits))
    return np.stack([false, found, missed]) / n_draws


def outputs_table(args):
    """Family-wise error rate, power and joint coverage with five outputs."""
    sizes = [n for n in args.records if n <= LARGEST_OF_OUTPUTS]
    settings = list(product(MEASURES, CORRELATIONS, SCALES, sizes))
    rows = each_row(outputs_row, settings, args, 2)
    table = Table(
        f"Each of {OUTPUTS} outputs: any false finding, finding of output 0, and joint "
        "coverage of the intervals",
        ("measure", "correlation", "regressors", "records")
        + tuple(f"false, {name}" for name in ADJUSTMENTS)
        + ("found, holm", "found, max-t", "covered, none", "covered, max-t"),
    )
    for setting, (false, found, missed) in zip(settings, rows):
        covered = 1 - missed
        shares = [*false, *found[1:], covered[0], covered[2]]
        table.add(*setting, *(with_error(share, args.draws) for share in shares))
    return table


PARTS = {"scores": coverage_table, "reduction": reduction_table, "outputs": outputs_table}

if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=1000,
        records=(RECORDS, "numbers of records"),
        resamples=(499, "resamples of the bootstrap"),
    )
