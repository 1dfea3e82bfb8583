"""How often McNemar's intervals hold the true difference, and how often the tests err.

Nothing is drawn: the probabilities of all tables of n records are added. Run

    python benchmarks/validity/coverage.py

or with ``--help`` for the options.
"""

import argparse

import numpy as np
from rejections import ALPHA, count_probabilities
from tables import Table

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, mcnemar_power

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
INTERVALS = {method: {"method": method} for method in METHODS} | {
    "mid-p, conditional": {"method": "mid-p", "interval": "conditional"}
}
DISAGREEMENTS = (0.05, 0.1, 0.3)
SHARES = (0.5, 0.75, 0.9, 1.0)
FINE = np.linspace(0.01, 1, 100)
TYPE1_RECORDS = (20, 50, 200)
CHECKED = 12
ROUNDING = 1e-9


def enumerate_results(n, options):
    """P-values and 95 % limits of all tables of n records, by discordant counts.

    Entry [b, c] is that of b records that only the champion answers rightly and c that
    only the challenger does. Exchanged roles give the mirrored interval.
    """
    pvalues, low, high = np.full((3, n + 1, n + 1), np.nan)
    for b in range(n + 1):
        for c in range(b, n + 1 - b):
            result = mcnemar(ContingencyTable(n - b - c, b, c, 0), **options)
            pvalues[b, c] = pvalues[c, b] = result.pvalue
            low[b, c], high[b, c] = result.confidence_interval(1 - ALPHA)
            low[c, b], high[c, b] = -high[b, c], -low[b, c]
    return pvalues, low, high


def coverage(limits, disagreement, share):
    """Probability that the limits hold the true difference."""
    low, high = limits
    n = len(low) - 1
    difference = disagreement * (2 * share - 1)
    held = (low - ROUNDING <= difference) & (difference <= high + ROUNDING)
    probabilities = count_probabilities(n, disagreement * (1 - share), disagreement * share)
    return float(probabilities[held].sum())


def coverage_table(n):
    """Coverage at some true differences, and the least and the mean of a fine grid."""
    limits = {name: enumerate_results(n, INTERVALS[name])[1:] for name in INTERVALS}
    table = Table(
        f"{n} records: coverage of the 95 % intervals",
        ("disagreement", "share", "difference", *INTERVALS),
    )
    for disagreement in DISAGREEMENTS:
        for share in SHARES:
            covered = [coverage(limits[name], disagreement, share) for name in INTERVALS]
            truth = disagreement, share, disagreement * (2 * share - 1)
            table.add(
                *(f"{each:.3g}" for each in truth), *(f"{each:.3f}" for each in covered)
            )
    grid = np.array(
        [
            [coverage(limits[name], disagreement, share) for name in INTERVALS]
            for disagreement in FINE
            for share in SHARES
        ]
    )
    table.add("all of .01 to 1", "mean", "", *(f"{each:.3f}" for each in grid.mean(axis=0)))
    table.add("all of .01 to 1", "least", "", *(f"{each:.3f}" for each in grid.min(axis=0)))
    return table


def type1_table():
    """Type I error where the classifiers disagree a little or a lot."""
    table = Table(
        f"Hold-out: type I error of McNemar's test at {ALPHA}",
        ("records", "disagreement", *METHODS),
    )
    for n in TYPE1_RECORDS:
        for disagreement in DISAGREEMENTS:
            errors = [mcnemar_power(n, 0, disagreement, method=each) for each in METHODS]
            table.add(n, f"{disagreement:.2f}", *(f"{each:.4f}" for each in errors))
        largest = [
            max(mcnemar_power(n, 0, float(share), method=each) for share in FINE)
            for each in METHODS
        ]
        table.add(n, "the worst of .01 to 1", *(f"{each:.4f}" for each in largest))
    return table


def largest_gap(n):
    """Greatest difference between `mcnemar_power` and the p-values of all tables."""
    gap = 0.0
    for method in METHODS:
        pvalues = enumerate_results(n, INTERVALS[method])[0]
        for disagreement in DISAGREEMENTS:
            only_one = disagreement / 2
            probabilities = count_probabilities(n, only_one, only_one)
            error = probabilities[pvalues < ALPHA].sum()
            by_power = mcnemar_power(n, 0, disagreement, method=method)
            gap = max(gap, abs(float(error) - by_power))
    return gap


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--records", type=int, nargs="+", default=[20, 50], help="such as 20 50 200")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)

    for n in args.records:
        coverage_table(n).show(rst=args.rst)
    gap = largest_gap(CHECKED)
    print(f"All tables of {CHECKED} records: largest gap of type I errors {gap:.0e}.\n")
    if gap > 1e-12:
        raise SystemExit("The power does not count as the tests decide.")
    type1_table().show(rst=args.rst)


if __name__ == "__main__":
    main()
