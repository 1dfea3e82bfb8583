"""How often McNemar's intervals hold the true difference, and how often the tests err.

Nothing is drawn: the probabilities of all tables of n records are added. Run

    python -m benchmarks.validity.accuracy.coverage

or with ``--help`` for the options.
"""

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.rejections import ALPHA, count_probabilities, likely_tables
from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table
from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.accuracy._unconditional import _scores

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
INTERVALS = {method: {"method": method} for method in METHODS} | {
    "mid-p, conditional": {"method": "mid-p", "interval": "conditional"}
}
UNCONDITIONAL = "exact-unconditional"
TESTS = {method: {"method": method} for method in (*METHODS, UNCONDITIONAL)} | {
    "permutation, 999 draws": {"method": "permutation", "n_resamples": 999}
}
CLOSED = ("score", "wald", "agresti-min", "bonett-price")
DISAGREEMENTS = (0.05, 0.1, 0.3)
SHARES = (0.5, 0.75, 0.9, 1.0)
FEW_SHARES = (0.5, 0.9)
FINE = np.linspace(0.01, 1, 100)
RECORDS = (20, 50, 200)
ACCURACY = 0.8
MARGIN = 0.05
ROUNDING = 1e-9


def enumerate_results(n, options, with_limits=True):
    """P-values and 95 % limits of all tables of n records, by discordant counts.

    Entry [b, c] is that of b records that only the champion classifies correctly and c that
    only the challenger does. Exchanged roles give the mirrored interval.
    """
    pvalues, low, high = np.full((3, n + 1, n + 1), np.nan)
    for b in range(n + 1):
        for c in range(b, n + 1 - b):
            result = mcnemar(ContingencyTable(n - b - c, b, c, 0), **options)
            pvalues[b, c] = pvalues[c, b] = result.pvalue
            if with_limits:
                low[b, c], high[b, c] = result.confidence_interval(1 - ALPHA)
                low[c, b], high[c, b] = -high[b, c], -low[b, c]
    return pvalues, low, high


def probabilities_at(n, disagreement, share):
    """Probabilities of all tables; `share` of the discordant favour the challenger."""
    return count_probabilities(n, disagreement * (1 - share), disagreement * share)


def difference_at(disagreement, share):
    return disagreement * (2 * share - 1)


def coverage(limits, disagreement, share):
    """Probability that the limits hold the true difference."""
    low, high = limits
    n = len(low) - 1
    difference = difference_at(disagreement, share)
    held = (low - ROUNDING <= difference) & (difference <= high + ROUNDING)
    return float(probabilities_at(n, disagreement, share)[held].sum())


def rejected_unconditionally(n, difference, alternative="two-sided"):
    """Which tables the exact unconditional test rejects at 0.05.

    P-values fall along the order of the scores, so that a bisection finds the first table
    that is rejected, by the library.
    """
    b, c = np.indices((n + 1, n + 1))
    inside = b + c <= n
    b, c = b[inside], c[inside]
    scores = _scores(b, c, n, difference)
    size = np.abs(scores) if alternative == "two-sided" else scores
    order = np.argsort(size)
    kept, rejecting = -1, len(order)
    how = {"method": UNCONDITIONAL, "alternative": alternative, "null_value": difference}
    while rejecting - kept > 1:
        middle = (kept + rejecting) // 2
        against, favour = int(b[order[middle]]), int(c[order[middle]])
        table = ContingencyTable(n - against - favour, against, favour, 0)
        if mcnemar(table, **how).pvalue < ALPHA:
            rejecting = middle
        else:
            kept = middle
    found = np.zeros((n + 1, n + 1), dtype=bool)
    far = order[rejecting:]
    found[b[far], c[far]] = True
    return found


def unconditional_coverage(n, disagreement, share):
    """Probability that the exact unconditional test keeps the true difference."""
    difference = difference_at(disagreement, share)
    if difference == 1:
        return 1.0  # No null value, but no record can contradict it either.
    rejected = rejected_unconditionally(n, difference)
    return 1 - float(probabilities_at(n, disagreement, share)[rejected].sum())


def coverage_table(n, n_jobs):
    """Coverage at some true differences, and the least and the mean of a fine grid."""
    listed = [(disagreement, share) for disagreement in DISAGREEMENTS for share in SHARES]
    fine = [(disagreement, share) for disagreement in FINE for share in SHARES]
    parallel = Parallel(n_jobs)
    found = parallel(delayed(enumerate_results)(n, how) for how in INTERVALS.values())
    by_test = parallel(
        delayed(unconditional_coverage)(n, *truth) for truth in listed + fine
    )
    limits = [each[1:] for each in found]
    covered = np.array(
        [[coverage(each, *truth) for each in limits] for truth in listed + fine]
    )
    covered = np.insert(covered, len(METHODS), by_test, axis=1)
    names = np.insert(np.array([*INTERVALS], dtype=object), len(METHODS), UNCONDITIONAL)
    table = Table(
        f"{n} records: coverage of the 95 % intervals",
        ("disagreement", "share", "difference", *names),
    )
    for truth, row in zip(listed, covered):
        shown = (*truth, difference_at(*truth))
        table.add(*(f"{each:.3g}" for each in shown), *(f"{each:.3f}" for each in row))
    # A line has no number in the column of the difference.
    _add_fine(table, ("all of .01 to 1",), covered[len(listed) :], blank=("",))
    return table


def _add_fine(table, first, covered, blank=(), after=()):
    """Lines of the mean and the least of a fine grid."""
    for name, values in (("mean", covered.mean(axis=0)), ("least", covered.min(axis=0))):
        table.add(*first, name, *blank, *(f"{each:.3f}" for each in values), *after)


def newcombe_coverage(n, disagreement, share):
    """Coverage of Newcombe's interval, of which the accuracies matter: 0.8 on average."""
    half = disagreement / 2
    apart = disagreement * (1 - share), disagreement * share
    tables, weights = likely_tables(n, (ACCURACY - half, *apart, 1 - ACCURACY - half))
    difference = difference_at(disagreement, share)
    covered = 0.0
    for cells, weight in zip(tables.tolist(), weights):
        result = mcnemar(ContingencyTable(*cells), method="asymptotic", interval="newcombe")
        low, high = result.confidence_interval(1 - ALPHA)
        covered += weight * (low - ROUNDING <= difference <= high + ROUNDING)
    return float(covered)


def closed_table(records, n_jobs):
    """Coverage of the intervals by a closed formula, beside that of Tango's score."""
    table = Table(
        "Coverage of the 95 % intervals that have a closed formula",
        ("records", "disagreement", "share", *CLOSED, "newcombe"),
    )
    truths = [
        (disagreement, share) for disagreement in DISAGREEMENTS for share in FEW_SHARES
    ]
    settings = [(n, *truth) for n in records for truth in truths]
    newcombe = iter(
        Parallel(n_jobs)(delayed(newcombe_coverage)(*each) for each in settings)
    )
    for n in records:
        options = [{"method": "asymptotic", "interval": name} for name in CLOSED]
        limits = [enumerate_results(n, each)[1:] for each in options]
        for truth in truths:
            covered = *(coverage(each, *truth) for each in limits), next(newcombe)
            shown = (f"{each:.3g}" for each in truth)
            table.add(n, *shown, *(f"{each:.3f}" for each in covered))
        fine = [(disagreement, share) for disagreement in FINE for share in SHARES]
        covered = [[coverage(each, *truth) for each in limits] for truth in fine]
        # Its mean accuracy leaves Newcombe's interval no larger disagreement than 0.4.
        _add_fine(table, (n, "all of .01 to 1"), np.array(covered), after=("",))
    return table


def type1_table(n_jobs):
    """Type I error where the classifiers disagree a little or a lot."""
    table = Table(
        f"Hold-out: type I error of McNemar's test at {ALPHA}",
        ("records", "disagreement", *TESTS),
    )
    found = Parallel(n_jobs)(
        delayed(enumerate_results)(n, how, with_limits=False)
        for n in RECORDS
        for how in TESTS.values()
    )
    for i, n in enumerate(RECORDS):
        each_test = found[i * len(TESTS) : (i + 1) * len(TESTS)]
        _add_errors(table, n, [pvalues < ALPHA for pvalues, _, _ in each_test])
    return table


def noninferiority_pvalues(n, method):
    """One-sided p-values of all tables for a challenger that is worse by the margin."""
    how = {"method": method, "null_value": -MARGIN, "alternative": "greater"}
    pvalues = np.ones((n + 1, n + 1))
    for b in range(n + 1):
        for c in range(n + 1 - b):
            pvalues[b, c] = mcnemar(ContingencyTable(n - b - c, b, c, 0), **how).pvalue
    return pvalues


def noninferiority_table(n_jobs):
    """Type I error where the challenger is worse by just the margin."""
    table = Table(
        f"Non-inferiority at a margin of {MARGIN}: one-sided type I error at {ALPHA}",
        ("records", "disagreement", *METHODS, UNCONDITIONAL),
    )
    settings = [(n, method) for n in RECORDS for method in METHODS]
    found = Parallel(n_jobs)(delayed(noninferiority_pvalues)(*each) for each in settings)
    for i, n in enumerate(RECORDS):
        of_methods = found[i * len(METHODS) : (i + 1) * len(METHODS)]
        rejected = [pvalues < ALPHA for pvalues in of_methods]
        rejected.append(rejected_unconditionally(n, -MARGIN, "greater"))
        _add_errors(table, n, rejected, MARGIN)
    return table


def _add_errors(table, n, rejected, least=0.0):
    """Lines of type I errors where the challenger is worse by `least`, and the worst."""

    def errors(disagreement):
        chances = probabilities_at(n, disagreement, (1 - least / disagreement) / 2)
        return [float(chances[each].sum()) for each in rejected]

    for disagreement in DISAGREEMENTS:
        shown = (f"{each:.4f}" for each in errors(disagreement))
        table.add(n, f"{disagreement:.2f}", *shown)
    fine = [float(each) for each in FINE if each > least - ROUNDING]
    worst = np.max([errors(each) for each in fine], axis=0)
    words = f"worst of {fine[0]:.2f} to 1".replace("0.", ".")
    table.add(n, words, *(f"{each:.4f}" for each in worst))


def tables(args):
    for n in args.records:
        yield coverage_table(n, args.n_jobs)
    yield closed_table(args.records, args.n_jobs)
    yield type1_table(args.n_jobs)
    yield noninferiority_table(args.n_jobs)


if __name__ == "__main__":
    main(__doc__, tables, draws=None, seed=None, records=(RECORDS, "of the coverage"))
