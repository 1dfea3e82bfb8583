"""Error rates of the tests of labels and of scores such as F1, by simulation.

Data are drawn from the null hypothesis, and the tests that reject it are counted, those by
permutation for fewer tables. Run

    python -m benchmarks.validity.agreement.label_tests

or with ``--help`` for the options.
"""

from functools import partial

import numpy as np
from scipy.special import ndtr

from benchmarks.validity._lib.rejections import ALPHA, drawn_tables
from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.agreement.label_tables import (
    CLASSES,
    independent_rate,
    joint_shares,
    pair_shares,
    unlike_shares,
)
from skcompare.evidence import AgreementMatrix, JointCounts
from skcompare.stats import (
    bhapkar,
    bowker,
    cohen_kappa,
    score_difference,
    stuart_maxwell,
    symmetry_permutation,
)
from skcompare.stats.scores import count_score
from skcompare.stats.scores._permutation import score_pair

RECORDS = (20, 50, 200)
DISAGREEMENTS = (0.05, 0.1, 0.3)
RESAMPLES = 999
ROUNDING = 1e-9
Z = 1.959963984540054

# Shares of the disagreements that each pair of classes has.
SPREADS = {
    "3 classes": (3, (1, 1, 1)),
    "3 classes, mostly one pair": (3, (0.8, 0.15, 0.05)),
    "5 classes": (5, (1,) * 10),
}
FORMULAS = {
    "bowker": partial(bowker, max_pairs=0),
    "bowker, full df": partial(bowker, df="full", max_pairs=0),
    "stuart-maxwell": partial(stuart_maxwell, max_classes=0),
    "bhapkar": partial(bhapkar, max_classes=0),
}
PERMUTATIONS = {
    f"permutation, {statistic}": partial(
        symmetry_permutation, statistic=statistic, n_resamples=RESAMPLES
    )
    for statistic in ("total-asymmetry", "bowker", "stuart-maxwell")
}

SCORES = ("f1", "matthews_corrcoef", "balanced_accuracy", "f1_macro")
# Shares of the classes, of two and of three classes.
RATES = {"even": ((0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)), "rare": ((0.9, 0.1), (0.7, 0.2, 0.1))}


def rejected(tests, tables):
    """Whether each test rejects each table."""
    matrices = (AgreementMatrix(table, CLASSES[: len(table)]) for table in tables)
    return [[test(one).pvalue < ALPHA for test in tests.values()] for one in matrices]


def symmetry_row(k, spread, disagreement, n, cycle, sizes, seed):
    """Shares of rejections by formula and by permutation, of labels that are symmetric.

    With `cycle` above 0.5 the classes change places in a circle: each has the same rate for
    both classifiers, but the table is not symmetric.
    """
    rng = np.random.default_rng(seed)
    shares = pair_shares(k, spread, disagreement, cycle)
    n_draws, n_permuted = sizes
    tables, weights = drawn_tables(n, shares, n_draws, rng)
    errors = weights @ rejected(FORMULAS, tables)
    if cycle != 0.5:
        return errors, None
    tables, weights = drawn_tables(n, shares, n_permuted, rng)
    return errors, weights @ rejected(PERMUTATIONS, tables)


def symmetry_tables(args):
    """Type I error of the tests of symmetry, and of equal label rates without it."""
    sizes = args.draws, args.permutations
    truths = [(d, n) for n in RECORDS for d in DISAGREEMENTS]
    settings = [(*each, *truth, 0.5) for each in SPREADS.values() for truth in truths]
    cycles = [(*SPREADS["3 classes"], *truth, 0.8) for truth in truths]
    rows = each_row(symmetry_row, settings + cycles, args, 1, sizes)
    table = Table(
        f"Symmetric labels: type I error at {ALPHA}",
        ("labels", "records", "disagreement", *FORMULAS, *PERMUTATIONS),
    )
    names = [name for name in SPREADS for _ in truths]
    for name, (_, _, d, n, _), (errors, permuted) in zip(names, settings, rows):
        formulas = (with_error(each, args.draws) for each in errors)
        exact = (with_error(each, args.permutations) for each in permuted)
        table.add(name, n, f"{d:.2f}", *formulas, *exact)
    circular = Table(
        f"Equal label rates without symmetry, 3 classes: type I error at {ALPHA}",
        ("records", "disagreement", *list(FORMULAS)[2:]),
    )
    for (d, n), (errors, _) in zip(truths, rows[len(settings) :]):
        circular.add(n, f"{d:.2f}", *(with_error(each, args.draws) for each in errors[2:]))
    return table, circular


def kappa_row(n, shares, n_draws, seed):
    """Shares of rejections with each kind of weights, and of intervals with the truth."""
    tables, weights = drawn_tables(n, shares, n_draws, np.random.default_rng(seed))
    truth = cohen_kappa(AgreementMatrix(np.rint(shares * 6e8), CLASSES[:3])).estimate
    found = []
    for table in tables:
        matrix = AgreementMatrix(table, CLASSES[:3])
        results = [
            cohen_kappa(matrix, weights=kind) for kind in ("none", "linear", "quadratic")
        ]
        rejected = [each.pvalue < ALPHA for each in results]
        held = []
        for result in (results[0], cohen_kappa(matrix, interval="wald")):
            low, high = result.confidence_interval(1 - ALPHA)
            held.append(not (low > truth + ROUNDING or high < truth - ROUNDING))
        found.append(rejected + held)
    return truth, weights @ np.array(found, dtype=float)


def kappa_tables(args):
    """Type I error of kappa of independent labels, and coverage of its intervals."""
    settings = [(n, d) for n in RECORDS for d in DISAGREEMENTS]
    shares = [
        np.outer(rates, rates) for _, d in settings for rates in [independent_rate(d)]
    ]
    shares += [pair_shares(3, (1, 1, 1), d) for _, d in settings]
    tried = [(n, each) for (n, _), each in zip(2 * settings, shares)]
    rows = each_row(kappa_row, tried, args, 2, args.draws // 10)
    errors = Table(
        f"Kappa of independent labels, 3 classes: type I error at {ALPHA}",
        ("records", "disagreement", "most frequent class", "kappa", "linear", "quadratic"),
    )
    coverage = Table(
        "Kappa of labels, 3 classes: coverage of the 95 % intervals",
        ("records", "disagreement", "true kappa", "agreeing", "wald"),
    )
    for i, (n, d) in enumerate(settings):
        (_, rejected), (truth, held) = rows[i], rows[len(settings) + i]
        shown = (with_error(each, args.draws // 10) for each in rejected[:3])
        errors.add(n, f"{d:.2f}", f"{shares[i][0, 0] ** 0.5:.3f}", *shown)
        shown = (with_error(each, args.draws // 10) for each in held[3:])
        coverage.add(n, f"{d:.2f}", f"{truth:.3f}", *shown)
    return errors, coverage


def score_deltas(name, tables):
    """Difference of scores, its standard error, and the p-value of the delta method."""
    k = tables.shape[-1]
    cells = np.argwhere(np.ones((k, k, k)))
    counts = tables.reshape(len(tables), -1).astype(float)
    found = score_pair(count_score(name, np.arange(k)), cells, counts, k)
    statistic = found.statistic
    pvalues = np.where(np.isinf(statistic), np.nan, 2 * ndtr(-np.abs(statistic)))
    return found.difference, np.sqrt(found.variance), pvalues


def score_row(score, shares, n, sizes, seed):
    """Shares of rejections, and of intervals that hold the truth, by both methods."""
    rng = np.random.default_rng(seed)
    k, (n_draws, n_permuted) = len(shares), sizes
    big = JointCounts(np.rint(shares * 1e9), CLASSES[:k])
    truth = score_difference(big, score=score, method="delta").estimate
    tables, weights = drawn_tables(n, shares, n_draws, rng)
    difference, error, pvalues = score_deltas(score, tables)
    # Without any variance there is no p-value, and the interval holds every difference.
    held = ~(np.abs(difference - truth) > Z * error + ROUNDING) | np.isnan(pvalues)
    permuted, weights_permuted = drawn_tables(n, shares, n_permuted, rng)
    found = []
    for table in permuted:
        counts = JointCounts(table, CLASSES[:k])
        result = score_difference(
            counts, score=score, method="permutation", n_resamples=RESAMPLES
        )
        low, high = result.confidence_interval(1 - ALPHA)
        found.append([result.pvalue < ALPHA, low - ROUNDING <= truth <= high + ROUNDING])
    rejected_permuted, held_permuted = weights_permuted @ np.array(found, dtype=float)
    delta = weights @ (pvalues < ALPHA), weights @ held
    return (delta[0], rejected_permuted), (delta[1], held_permuted)


def score_tables(args):
    """Type I error of differences of scores, and coverage of their intervals."""
    worlds = {
        "exchangeable classifiers": (RATES, lambda *each: joint_shares(*each[:2], 0.5)),
        "classifiers with equal scores and different errors": (RATES, unlike_shares),
        "a better challenger": (("even",), lambda *each: joint_shares(*each[:2], 0.75)),
    }
    settings = [
        (world, rates, n, d, score)
        for world, (of_rates, _) in worlds.items()
        for rates in of_rates
        for n in RECORDS
        for d in DISAGREEMENTS
        for score in SCORES
    ]
    sizes = args.draws, args.permutations
    tried = [
        (score, worlds[world][1](RATES[rates][score == "f1_macro"], d, score), n)
        for world, rates, n, d, score in settings
    ]
    rows = each_row(score_row, tried, args, 3, sizes)
    columns = [f"{score}, {how}" for score in SCORES for how in ("delta", "permutation")]
    tables = {}
    for (world, rates, n, d, score), (errors, held) in zip(settings, rows):
        better = world == "a better challenger"
        what = "coverage of the 95 % intervals" if better else f"type I error at {ALPHA}"
        table = tables.setdefault(
            world,
            Table(
                f"Scores of {world}: {what}",
                ("classes", "records", "disagreement", *columns),
            ),
        )
        shares = held if better else errors
        shown = [with_error(each, size) for each, size in zip(shares, sizes)]
        if score == SCORES[0]:
            cells = [rates, n, f"{d:.2f}"]
        cells += shown
        if score == SCORES[-1]:
            table.add(*cells)
    return tables.values()


PARTS = {"symmetry": symmetry_tables, "kappa": kappa_tables, "scores": score_tables}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=20_000,
        of="tables a setting; a tenth for kappa",
        permutations=(200, "tables for tests by permutation"),
    )
