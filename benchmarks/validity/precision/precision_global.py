"""Error rates and power of tests of the precision of all classes, by simulation.

Two classifiers whose precision is the same for every class, and others that are better at
one class or at all. Takes about ten minutes on two processors. Run

    python -m benchmarks.validity.precision.precision_global

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy.stats import norm

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import JointCounts
from skcompare.stats import (
    lancaster_correlated,
    precision_joint,
    precision_lancaster,
    precision_simes,
    simes,
)

ALPHA = 0.05
CLASSES = (2, 5, 20)
RECORDS = (20, 50, 200)
"""Records of a class."""

ACCURACY = 0.75
AGREEMENT = 0.5
"""Share of records that both classifiers classify in the same way, correctly or not."""

WITHHELD = tuple(product((0.75, 0.95), (0.3, 0.6)))
"""Accuracy, and share of predictions that the challenger withholds, of the second table."""

GAIN_OF_ONE, GAIN_OF_ALL = 0.12, 0.04
POWER_PART = 4
"""Of the draws of a setting, one in so many is used where the classifiers differ."""

TESTS = ("Simes", "Lancaster", "joint", "joint, difference", "joint, log odds", "Holm")
CORRELATIONS = (0.0, 0.3, 0.6, 0.9)
N_TESTS = (3, 20)


def draw(n_classes, n, rng, *, accuracy=ACCURACY, silent=0.0, gain=0.0):
    """Labels and two predictions that are exchangeable but for the options.

    A withheld prediction is one more class, which no record has: precision stays as it is.
    """
    y = rng.integers(n_classes, size=n)
    even = np.full(n_classes, accuracy)

    def predictions(right):
        wrong = (y + rng.integers(1, n_classes, size=n)) % n_classes
        return np.where(rng.random(n) < right[y], y, wrong)

    champion, own = predictions(even), predictions(even + gain)
    challenger = np.where(rng.random(n) < AGREEMENT, champion, own)
    if silent:
        withheld = rng.random(n)
        champion = np.where(withheld < silent / 10, n_classes, champion)
        challenger = np.where(rng.random(n) < silent, n_classes, challenger)
    return JointCounts.from_predictions(y, champion, challenger)


def rejections(counts):
    """What every test says, in their order."""
    of_simes = precision_simes(counts)
    adjusted = of_simes.parts[0]["adjusted_pvalue"]
    pvalues = [
        of_simes.pvalue,
        precision_lancaster(counts).pvalue,
        precision_joint(counts).pvalue,
        precision_joint(counts, scale="difference").pvalue,
        precision_joint(counts, scale="log-odds").pvalue,
        1.0 if adjusted is None else adjusted,
    ]
    # An undefined p-value rejects nothing.
    return [pvalue < ALPHA for pvalue in pvalues]


def row(n_classes, n_each, settings, n_draws, seed):
    """Shares of data sets in which each test rejects."""
    rng = np.random.default_rng(seed)
    counts = np.zeros(len(TESTS))
    for _ in range(n_draws):
        counts += rejections(draw(n_classes, n_classes * n_each, rng, **settings))
    return counts / n_draws


def table_of(args, title, stream, settings_of, n_draws):
    """A row for each number of classes and of records."""
    sizes = list(product(args.classes, args.records))
    settings = [(k, n, settings_of(k)) for k, n in sizes]
    table = Table(title, ("classes", "records of a class", *TESTS))
    found = each_row(row, settings, args, stream, n_draws)
    for size, shares in zip(sizes, found):
        table.add(*size, *(with_error(share, n_draws) for share in shares))
    return table


def level_table(args):
    """Exchangeable classifiers."""
    title = f"Equal precision of all classes: type I error at {ALPHA}"
    return table_of(args, title, 1, lambda k: {}, args.draws)


def silent_table(args):
    """A challenger that makes fewer predictions."""
    cases = list(product(WITHHELD, args.classes, args.records))
    settings = [
        (k, n, {"accuracy": accuracy, "silent": silent})
        for (accuracy, silent), k, n in cases
    ]
    table = Table(
        f"Equal precision, fewer predictions of the challenger: type I error at {ALPHA}",
        ("accuracy", "withheld", "classes", "records of a class", *TESTS),
    )
    found = each_row(row, settings, args, 2, args.draws)
    for (case, *size), shares in zip(cases, found):
        table.add(*case, *size, *(with_error(share, args.draws) for share in shares))
    return table


def one_table(args):
    """One class is predicted better, and others gain what it was taken for."""
    title = "Higher recall of one class: power"
    gain = GAIN_OF_ONE
    n_draws = max(1, args.draws // POWER_PART)
    return table_of(args, title, 3, lambda k: {"gain": gain * np.eye(k)[0]}, n_draws)


def all_table(args):
    """All classes are predicted better."""
    title = "Higher recall of all classes: power"
    n_draws = max(1, args.draws // POWER_PART)
    return table_of(args, title, 4, lambda k: {"gain": GAIN_OF_ALL}, n_draws)


def combination_row(n_tests, rho, n_draws, seed):
    """Shares of rejections of p-values of normal statistics with equal correlations."""
    rng = np.random.default_rng(seed)
    shared = np.sqrt(rho) * rng.normal(size=(n_draws, 1))
    z = shared + np.sqrt(1 - rho) * rng.normal(size=(n_draws, n_tests))
    correlation = np.full((n_tests, n_tests), rho)
    np.fill_diagonal(correlation, 1)
    counts = np.zeros(4)
    for pvalues in 2 * norm.sf(np.abs(z)):
        ours = lancaster_correlated(pvalues, correlation=correlation).pvalue
        found = (ours, lancaster_correlated(pvalues).pvalue, simes(pvalues).pvalue)
        counts += [each < ALPHA for each in found] + [ours < ALPHA / 50]
    return counts / n_draws


def combination_table(args):
    """P-values that are given."""
    settings = list(product(N_TESTS, CORRELATIONS))
    table = Table(
        f"P-values of correlated normal statistics: type I error at {ALPHA}",
        ("tests", "correlation", "Lancaster", "Fisher", "Simes", "Lancaster at 0.001"),
    )
    found = each_row(combination_row, settings, args, 5, args.draws)
    for setting, shares in zip(settings, found):
        table.add(*setting, *(with_error(share, args.draws) for share in shares))
    return table


PARTS = {
    "level": level_table,
    "silent": silent_table,
    "one": one_table,
    "all": all_table,
    "combination": combination_table,
}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=1500,
        classes=(CLASSES, "numbers of classes"),
        records=(RECORDS, "records of a class"),
    )
