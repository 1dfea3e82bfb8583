"""Error rates of Cochran's Q and of McNemar's tests of many pairs, by simulation.

Correct and incorrect predictions of several classifiers are drawn by cutting normal
variables, so that accuracies and pairwise disagreements are as required. Run

    python -m benchmarks.validity.several.several_classifiers

or with ``--help`` for the options.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from benchmarks.validity._lib.rejections import ALPHA
from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import CorrectnessPatterns
from skcompare.stats import adjust_pvalues, cochran_q, pairwise_mcnemar

RECORDS = (20, 50, 200)
DISAGREEMENTS = (0.05, 0.1, 0.3)
ACCURACY = 0.8
GAIN = 0.05
NEARLY_SAME = 0.005
"""Disagreement of classifiers that are nearly the same."""

RESAMPLES = 999
ROUNDING = 1e-9
ADJUSTMENTS = ("none", "bonferroni", "holm", "hochberg", "benjamini-hochberg")


@lru_cache
def correlation_at(disagreement):
    """Correlation of two normal variables whose signs at 0.8 differ so often."""
    cut = norm.ppf(ACCURACY)

    def excess(correlation):
        covariance = [[1, correlation], [correlation, 1]]
        both = multivariate_normal.cdf([cut, cut], [0, 0], covariance)
        return 2 * (ACCURACY - both) - disagreement

    return brentq(excess, -0.5, 1 - 1e-9)


def alike(k, disagreement):
    """Correlations of classifiers that differ from each other equally often."""
    correlations = np.full((k, k), correlation_at(disagreement))
    np.fill_diagonal(correlations, 1)
    return correlations


def nearly_same(k, disagreement):
    """The same where all but one are nearly the same."""
    correlations = alike(k, NEARLY_SAME)
    correlations[-1, :-1] = correlations[:-1, -1] = correlation_at(disagreement)
    return correlations


def draw_patterns(n, correlations, accuracies, rng):
    """Patterns of correct predictions of n records."""
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0))
    normal = rng.standard_normal((n, len(root))) @ root.T
    return CorrectnessPatterns(normal < norm.ppf(accuracies))


def omnibus_row(correlations, n, n_draws, seed):
    """Shares of rejections by Cochran's Q; NaN where the exact test is too slow."""
    rng = np.random.default_rng(seed)
    k = len(correlations)
    rejected = np.zeros(3)
    for _ in range(n_draws):
        patterns = draw_patterns(n, correlations, np.full(k, ACCURACY), rng)
        drawn = cochran_q(patterns, method="permutation", n_resamples=RESAMPLES)
        exact = cochran_q(patterns, method="exact").pvalue if k == 3 else np.nan
        pvalues = np.array([cochran_q(patterns).pvalue, exact, drawn.pvalue])
        rejected += np.where(np.isnan(pvalues), np.nan, pvalues < ALPHA)
    return rejected / n_draws


def omnibus_table(args):
    """Type I error of Cochran's Q."""
    worlds = [
        ("alike", alike, k, n, d) for k in (3, 5) for n in RECORDS for d in DISAGREEMENTS
    ]
    worlds += [("one different", nearly_same, k, 200, 0.3) for k in (3, 4, 20)]
    settings = [(make(k, d), n) for _, make, k, n, d in worlds]
    rows = each_row(omnibus_row, settings, args, 1)
    table = Table(
        f"Equally accurate classifiers: type I error of Cochran's Q at {ALPHA}",
        (
            "classifiers",
            "",
            "records",
            "disagreement",
            "asymptotic",
            "exact",
            "permutation",
        ),
    )
    for (world, _, k, n, d), rejected in zip(worlds, rows):
        shown = (
            "" if np.isnan(each) else with_error(each, args.draws) for each in rejected
        )
        table.add(k, world, n, f"{d:.2f}", *shown)
    return table


def pairwise_row(correlations, accuracies, n, n_draws, seed):
    """Error rates of the adjustments, and the share of true differences that each finds.

    Returns an array of three lines: data sets with a false rejection, share of the
    rejections that are false (0 without any), and share of the differences found; and the
    share of data sets in which the asymptotic intervals hold all true differences.
    """
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(accuracies), 1)
    equal = accuracies[first] == accuracies[second]
    truth = accuracies[second] - accuracies[first]
    sums, held = np.zeros((3, len(ADJUSTMENTS) + 1)), 0
    for _ in range(n_draws):
        patterns = draw_patterns(n, correlations, accuracies, rng)
        result = pairwise_mcnemar(patterns, adjust="max-t", n_resamples=RESAMPLES)
        adjusted = [adjust_pvalues(result.pvalue, each) for each in ADJUSTMENTS]
        rejected = np.stack([*adjusted, result.adjusted_pvalue]) < ALPHA
        false = rejected[:, equal].sum(axis=1)
        sums[0] += false > 0
        sums[1] += false / np.maximum(rejected.sum(axis=1), 1)
        sums[2] += rejected[:, ~equal].mean(axis=1) if not equal.all() else 0
        simple = pairwise_mcnemar(patterns, method="asymptotic")
        inside = (simple.low - ROUNDING <= truth) & (truth <= simple.high + ROUNDING)
        held += bool(inside.all())
    return (*sums / n_draws, held / n_draws)


def pairwise_tables(args):
    """Family-wise error and false discoveries, without and with true differences."""
    equal = [
        ("alike", alike, k, n, d) for k in (4, 8) for n in RECORDS for d in DISAGREEMENTS
    ]
    equal += [("one different", nearly_same, k, n, 0.3) for k in (4, 8) for n in RECORDS]
    some = [(k, n, d) for k in (4, 8) for n in RECORDS for d in DISAGREEMENTS]
    settings = [(make(k, d), np.full(k, ACCURACY), n) for _, make, k, n, d in equal]
    settings += [
        (alike(k, d), ACCURACY + np.repeat([-GAIN, GAIN], k // 2), n) for k, n, d in some
    ]
    rows = each_row(pairwise_row, settings, args, 2)
    names = (*ADJUSTMENTS, "max-t")
    none = Table(
        f"All pairs of equally accurate classifiers: family-wise error at {ALPHA}",
        ("classifiers", "", "records", "disagreement", *names, "simultaneous coverage"),
    )
    for (world, _, k, n, d), (family, _, _, held) in zip(equal, rows):
        shown = (with_error(each, args.draws) for each in (*family, held))
        none.add(k, world, n, f"{d:.2f}", *shown)
    half = Table(
        f"Half of the classifiers better by {2 * GAIN:g}: errors at {ALPHA} among equally "
        "accurate pairs, and average power",
        (
            "classifiers",
            "records",
            "disagreement",
            *(f"family-wise, {each}" for each in ("holm", "hochberg", "max-t")),
            "false discoveries, benjamini-hochberg",
            *(f"power, {each}" for each in ("holm", "max-t", "benjamini-hochberg")),
            "simultaneous coverage",
        ),
    )
    at = {name: i for i, name in enumerate(names)}
    for (k, n, d), (family, false, found, held) in zip(some, rows[len(equal) :]):
        errors = [family[at[each]] for each in ("holm", "hochberg", "max-t")]
        errors.append(false[at["benjamini-hochberg"]])
        powers = (found[at[each]] for each in ("holm", "max-t", "benjamini-hochberg"))
        shown = (with_error(each, args.draws) for each in errors)
        powers = (f"{each:.2f}" for each in powers)
        half.add(k, n, f"{d:.2f}", *shown, *powers, with_error(held, args.draws))
    return none, half


if __name__ == "__main__":
    main(__doc__, {"omnibus": omnibus_table, "pairwise": pairwise_tables}, draws=1000)
