"""Error rates of McNemar's tests for grouped records, by simulation.

The predictions of a group depend on each other in several ways. Run

    python -m benchmarks.validity.accuracy.clustered

or with ``--help`` for the options.
"""

import numpy as np

from benchmarks.validity._lib.rejections import ALPHA
from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClusterSums
from skcompare.stats import clustered_mcnemar, mcnemar

GROUPS = (10, 20, 50, 200)
DISAGREEMENTS = (0.05, 0.1, 0.3)
ACCURACY = 0.8
METHODS = ("sign-flip", "obuchowski", "durkalski", "yang", "eliasziw")
ROUNDING = 1e-9

# Records of groups, repeated until there are enough groups; 10 on average.
SIZES = {"equal": (10,), "unequal": (1, 2, 4, 13, 30)}
ALIKE = 0.3
"""Correlation of predictions for two records of a group."""

FAVOUR = 0.8
"""The same of who is right on two discordant records of a group."""

DEPENDENCES = ("none", "correlated predictions", "groups favour one")


def draw_groups(sizes, disagreement, share, dependence, rng):
    """Tables of groups; `share` of the discordant records favours the challenger.

    Records of a group are unrelated; or their four kinds have shares that vary from group
    to group (Dirichlet), so that predictions go together; or only the share in favour of
    the challenger does (beta).
    """
    half, n_groups = disagreement / 2, len(sizes)
    favour = np.full(n_groups, share)
    if dependence == "groups favour one":
        strength = 1 / FAVOUR - 1
        favour = rng.beta(strength * share, strength * (1 - share), size=n_groups)
    shares = np.empty((n_groups, 4))
    shares[:, 0], shares[:, 3] = ACCURACY - half, 1 - ACCURACY - half
    shares[:, 1], shares[:, 2] = disagreement * (1 - favour), disagreement * favour
    if dependence == "correlated predictions":
        weights = rng.standard_gamma((1 / ALIKE - 1) * shares) + 1e-300
        shares = weights / weights.sum(axis=1, keepdims=True)
    return ClusterSums(rng.multinomial(sizes, shares), np.arange(n_groups))


def group_sizes(kind, n_groups):
    return np.resize(SIZES[kind], n_groups)


def error_row(kind, dependence, n_groups, disagreement, n_draws, seed):
    """Shares of rejections by each method, and by the test that ignores groups."""
    rng = np.random.default_rng(seed)
    sizes = group_sizes(kind, n_groups)
    rejected = np.zeros(len(METHODS) + 1)
    for _ in range(n_draws):
        sums = draw_groups(sizes, disagreement, 0.5, dependence, rng)
        results = [clustered_mcnemar(sums, method=each) for each in METHODS]
        results.append(mcnemar(sums.contingency_table(), method="asymptotic"))
        rejected += [each.pvalue < ALPHA for each in results]
    return rejected / n_draws


def coverage_row(kind, dependence, n_groups, disagreement, n_draws, seed):
    """Shares of intervals that hold the true difference."""
    rng = np.random.default_rng(seed)
    sizes, truth = group_sizes(kind, n_groups), disagreement / 2
    held = np.zeros(len(METHODS) + 2)
    for _ in range(n_draws):
        sums = draw_groups(sizes, disagreement, 0.75, dependence, rng)
        results = [clustered_mcnemar(sums, method=each) for each in METHODS]
        results.append(clustered_mcnemar(sums, interval="wald"))
        results.append(mcnemar(sums.contingency_table(), method="asymptotic"))
        limits = [each.confidence_interval(1 - ALPHA) for each in results]
        held += [low - ROUNDING <= truth <= high + ROUNDING for low, high in limits]
    return held / n_draws


def error_table(args):
    """Type I error of all methods."""
    settings = [
        (kind, dependence, n_groups, disagreement)
        for kind in SIZES
        for dependence in DEPENDENCES
        for n_groups in GROUPS
        for disagreement in (DISAGREEMENTS if kind == "unequal" else (0.1,))
    ]
    rows = each_row(error_row, settings, args, 1)
    table = Table(
        f"Grouped records, 10 a group on average: type I error at {ALPHA}",
        ("sizes", "dependence", "groups", "disagreement", *METHODS, "groups ignored"),
    )
    for (*words, disagreement), rejected in zip(settings, rows):
        shown = (with_error(each, args.draws) for each in rejected)
        table.add(*words, f"{disagreement:.2f}", *shown)
    return table


def coverage_table(args):
    """Coverage where the challenger is better by half of the disagreement."""
    settings = [
        ("unequal", dependence, n_groups, disagreement)
        for dependence in DEPENDENCES
        for n_groups in GROUPS
        for disagreement in (0.1, 0.3)
    ]
    rows = each_row(coverage_row, settings, args, 2)
    table = Table(
        "Grouped records of unequal groups: coverage of the 95 % intervals",
        ("dependence", "groups", "disagreement", *METHODS, "wald", "groups ignored"),
    )
    for (_, *words, disagreement), held in zip(settings, rows):
        shown = (with_error(each, args.draws) for each in held)
        table.add(*words, f"{disagreement:.2f}", *shown)
    return table


if __name__ == "__main__":
    main(__doc__, {"error": error_table, "coverage": coverage_table})
