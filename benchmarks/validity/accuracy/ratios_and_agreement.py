"""Error rates of the ratios of accuracies, of kappa, Yule's Q and the disagreement.

Nothing is drawn: the library's results for the tables of n records are weighted with their
probabilities. The rarest tables are left out, a hundred-thousandth of the probability in
all. Run

    python -m benchmarks.validity.accuracy.ratios_and_agreement

or with ``--help`` for the options.
"""

import math
from functools import cache, lru_cache, partial

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom

from benchmarks.validity._lib.rejections import ALPHA, likely_tables
from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table
from skcompare.evidence import ContingencyTable
from skcompare.stats import (
    disagreement,
    discordant_odds_ratio,
    error_kappa,
    relative_accuracy,
    yule_q,
)

RECORDS = (20, 50, 200)
DISAGREEMENTS = (0.05, 0.1, 0.3)
SHARES = (0.5, 0.9)
ACCURACY = 0.8
FINE = np.linspace(0.01, 0.99, 99)
ROUNDING = 1e-9

RATIOS = {
    "score": {"method": "score"},
    "log-wald": {"method": "log-wald"},
    "bonett-price": {"interval": "bonett-price"},
}
ODDS = {
    "odds: mid-p": {"method": "mid-p"},
    "odds: exact": {"method": "exact"},
    "odds: wilson": {"interval": "wilson"},
    "odds: wald": {"interval": "wald"},
}
AGREEMENTS = {
    "kappa": error_kappa,
    "kappa, asymptotic": partial(error_kappa, method="asymptotic"),
    "Yule's Q": yule_q,
    "Yule's Q, asymptotic": partial(yule_q, method="asymptotic"),
    "both, exact": partial(yule_q, method="exact"),
}


def shares_at(disagreement, share):
    """Probabilities of the four kinds of records, with a mean accuracy of 0.8.

    `share` is that of the discordant records which favour the challenger.
    """
    half = disagreement / 2
    apart = disagreement * (1 - share), disagreement * share
    return ACCURACY - half, *apart, 1 - ACCURACY - half


def independent_shares(disagreement):
    """The same of two equally accurate classifiers whose errors are independent."""
    accuracy = (1 + math.sqrt(1 - 2 * disagreement)) / 2
    wrong = 1 - accuracy
    return accuracy**2, accuracy * wrong, accuracy * wrong, wrong**2


def kappa_of(shares):
    both, first, second, neither = shares
    champion, challenger = both + first, both + second
    chance = champion * challenger + (1 - champion) * (1 - challenger)
    return (both + neither - chance) / (1 - chance)


def q_of(shares):
    both, first, second, neither = shares
    together, apart = both * neither, first * second
    return (together - apart) / (together + apart)


def holds(result, truth):
    """Whether the interval holds the truth; one that is undefined excludes nothing."""
    low, high = result.confidence_interval(1 - ALPHA)
    slack = ROUNDING * max(1.0, abs(truth))
    return not (low > truth + slack or high < truth - slack)


@lru_cache(maxsize=100_000)
def odds_hold(against, favour, truth):
    """Whether each interval of the odds ratio holds the truth."""
    table = ContingencyTable(0, against, favour, 1)
    return [holds(discordant_odds_ratio(table, **how), truth) for how in ODDS.values()]


def ratio_row(n, shares):
    """Coverage of all ratios, and rejections of a ratio of 1, weighted."""
    both, first, second, _ = shares
    accuracies, odds = (both + second) / (both + first), second / first
    tables, weights = likely_tables(n, shares)
    found = []
    for cells in tables.tolist():
        results = [
            relative_accuracy(ContingencyTable(*cells), **how) for how in RATIOS.values()
        ]
        found.append(
            [each.pvalue < ALPHA for each in results]
            + [holds(each, accuracies) for each in results]
            + odds_hold(cells[1], cells[2], odds)
        )
    rejected, held = np.split(weights @ np.array(found), [len(RATIOS)])
    return rejected, held


def agreement_errors(n, shares):
    """Rejections of independent errors by each test, and how often kappa is undefined."""
    tables, weights = likely_tables(n, shares)
    found = []
    for cells in tables.tolist():
        results = [test(ContingencyTable(*cells)) for test in AGREEMENTS.values()]
        undefined = math.isnan(results[0].estimate)
        found.append([*(each.pvalue < ALPHA for each in results), undefined])
    return weights @ np.array(found)


def agreement_coverage(n, shares):
    """Coverage of the intervals of kappa and of Yule's Q."""
    kappa, q = kappa_of(shares), q_of(shares)
    tables, weights = likely_tables(n, shares)
    found = []
    for cells in tables.tolist():
        table = ContingencyTable(*cells)
        held = []
        for test, truth in ((error_kappa, kappa), (yule_q, q)):
            result = test(table)
            held.append(holds(result, truth))
            # Where the default is not exact it is asymptotic.
            if result.method == "exact":
                result = test(table, method="asymptotic")
            held.append(holds(result, truth))
        found.append([*held, holds(error_kappa(table, interval="wald"), kappa)])
    return weights @ np.array(found)


@cache
def kappa_rejects(*cells):
    """Whether the asymptotic test of kappa rejects independent errors."""
    return AGREEMENTS["kappa, asymptotic"](ContingencyTable(*cells)).pvalue < ALPHA


def worst_kappa_error(n):
    """Highest type I error of the asymptotic test, where errors are independent."""
    errors = []
    for d in FINE[FINE <= 0.5]:
        tables, weights = likely_tables(n, independent_shares(d))
        errors.append(weights @ [kappa_rejects(*cells) for cells in tables.tolist()])
    return max(errors)


def wilson_coverage(n, shares):
    """Coverage of the interval of the disagreement, for each of these true ones."""
    count = np.arange(n + 1)
    limits = [
        disagreement(ContingencyTable(n - k, k, 0, 0)).confidence_interval(1 - ALPHA)
        for k in count.tolist()
    ]
    low, high = np.transpose(limits)
    truth = np.asarray(shares)[:, np.newaxis]
    held = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
    return (binom.pmf(count, n, truth) * held).sum(axis=1)


def ratio_tables(args):
    """Type I error of a ratio of 1, and coverage of the ratios of accuracies and odds."""
    settings = [(n, d, s) for n in RECORDS for d in DISAGREEMENTS for s in SHARES]
    rows = Parallel(args.n_jobs)(
        delayed(ratio_row)(n, shares_at(d, s)) for n, d, s in settings
    )
    tests = [name for name in RATIOS if "method" in RATIOS[name]]
    errors = Table(
        f"Ratio of accuracies, both 0.8: type I error at {ALPHA}",
        ("records", "disagreement", *tests),
    )
    coverage = Table(
        "Coverage of the 95 % intervals of the ratio of accuracies, and of the odds ratio "
        "of discordant pairs",
        ("records", "disagreement", "share", *RATIOS, *ODDS),
    )
    for (n, d, s), (rejected, held) in zip(settings, rows):
        coverage.add(n, f"{d:.2f}", s, *(f"{each:.3f}" for each in held))
        if s == 0.5:
            errors.add(n, f"{d:.2f}", *(f"{each:.4f}" for each in rejected[: len(tests)]))
    return errors, coverage


def agreement_tables(args):
    """Type I error where errors are independent, and coverage where they are not."""
    settings = [(n, d) for n in RECORDS for d in DISAGREEMENTS]
    independent = [(n, independent_shares(d)) for n, d in settings]
    dependent = [(n, shares_at(d, 0.5)) for n, d in settings]
    jobs = [delayed(agreement_errors)(*each) for each in independent]
    jobs += [delayed(agreement_coverage)(*each) for each in dependent]
    jobs += [delayed(worst_kappa_error)(n) for n in RECORDS]
    rows = Parallel(args.n_jobs)(jobs)
    errors = Table(
        f"Agreement of independent errors: type I error at {ALPHA}",
        ("records", "disagreement", "accuracy", *AGREEMENTS, "undefined"),
    )
    coverage = Table(
        "Coverage of the 95 % intervals of kappa, Yule's Q and the disagreement, both "
        "accuracies 0.8",
        (
            *("records", "disagreement", "true kappa", *list(AGREEMENTS)[:4]),
            *("kappa, wald", "disagreement (Wilson)"),
        ),
    )
    for (n, d), (_, shares), rejected in zip(settings, independent, rows):
        shown = (f"{each:.4f}" for each in rejected)
        errors.add(n, f"{d:.2f}", f"{shares[0] ** 0.5:.3f}", *shown)
    for (n, d), (_, shares), held in zip(settings, dependent, rows[len(settings) :]):
        shown = (f"{each:.3f}" for each in (*held, *wilson_coverage(n, [d])))
        coverage.add(n, f"{d:.2f}", f"{kappa_of(shares):.2f}", *shown)
    for n, worst in zip(RECORDS, rows[2 * len(settings) :]):
        blank = [""] * (len(AGREEMENTS) - 1)
        errors.add(n, "worst of .01 to .50", "", "", f"{worst:.4f}", *blank)
        least = wilson_coverage(n, FINE).min()
        coverage.add(n, "worst of .01 to .99", *[""] * 6, f"{least:.3f}")
    return errors, coverage


if __name__ == "__main__":
    main(
        __doc__,
        {"ratios": ratio_tables, "agreement": agreement_tables},
        draws=None,
        seed=None,
    )
