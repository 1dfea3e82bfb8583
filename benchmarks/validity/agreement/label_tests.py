"""Error rates of the tests of labels and of scores such as F1, by simulation.

Data are drawn from the null hypothesis, and the tests that reject it are counted. Tests
with a formula are computed for all tables at once, and a part of them by the library too;
tests by permutation are those of the library, for fewer tables. Run

    python -m benchmarks.validity.agreement.label_tests

or with ``--help`` for the options.
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.rejections import (
    ALPHA,
    bowker_pvalues,
    drawn_tables,
    rates_pvalues,
    score_deltas,
)
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

RECORDS = (20, 50, 200)
DISAGREEMENTS = (0.05, 0.1, 0.3)
RESAMPLES = 999
CHECKED = 100
ROUNDING = 1e-9
Z = 1.959963984540054

# Shares of the disagreements that each pair of classes has.
SPREADS = {
    "3 classes": (3, (1, 1, 1)),
    "3 classes, mostly one pair": (3, (0.8, 0.15, 0.05)),
    "5 classes": (5, (1,) * 10),
}
STATISTICS = ("total-asymmetry", "bowker", "stuart-maxwell")
FORMULAS = ("bowker", "bowker, full df", "stuart-maxwell", "bhapkar")

SCORES = ("f1", "matthews_corrcoef", "balanced_accuracy", "f1_macro")
# Shares of the classes, of two and of three classes.
RATES = {"even": ((0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)), "rare": ((0.9, 0.1), (0.7, 0.2, 0.1))}


def symmetry_row(k, spread, disagreement, n, sizes, seed, cycle=0.5):
    """Shares of rejections by formula and by permutation, of labels that are symmetric.

    With `cycle` above 0.5 the classes change places in a circle: each has the same rate for
    both classifiers, but the table is not symmetric.
    """
    rng = np.random.default_rng(seed)
    shares = pair_shares(k, spread, disagreement, cycle)
    n_draws, n_permuted = sizes
    tables, weights = drawn_tables(n, shares, n_draws, rng)
    by_formula = np.stack([*bowker_pvalues(tables), *rates_pvalues(tables)])
    errors = (by_formula < ALPHA) @ weights
    gap = symmetry_gap(tables, by_formula)
    if cycle != 0.5:
        return errors, None, gap
    tables, weights = drawn_tables(n, shares, n_permuted, rng)
    pvalues = [
        [
            symmetry_permutation(
                AgreementMatrix(table, CLASSES[:k]), statistic=each, n_resamples=RESAMPLES
            ).pvalue
            for each in STATISTICS
        ]
        for table in tables
    ]
    return errors, weights @ (np.array(pvalues) < ALPHA), gap


def symmetry_gap(tables, by_formula):
    """Greatest difference of p-values between the library and the arrays used here."""
    gap = 0.0
    for table, pvalues in zip(tables[:CHECKED], by_formula.T):
        matrix = AgreementMatrix(table, CLASSES[: len(table)])
        results = (
            bowker(matrix, max_pairs=0),
            bowker(matrix, df="full", max_pairs=0),
            stuart_maxwell(matrix, max_classes=0),
            bhapkar(matrix, max_classes=0),
        )
        found = np.nan_to_num([each.pvalue for each in results], nan=1.0)
        gap = max(gap, float(np.abs(found - pvalues).max()))
    return gap


def symmetry_tables(args):
    """Type I error of the tests of symmetry, and of equal label rates without it."""
    sizes = args.draws, args.permutations
    settings = [
        (*each, d, n) for each in SPREADS.values() for n in RECORDS for d in DISAGREEMENTS
    ]
    cycles = [(*SPREADS["3 classes"], d, n) for n in RECORDS for d in DISAGREEMENTS]
    seeds = iter(np.random.SeedSequence([args.seed, 1]).spawn(len(settings) + len(cycles)))
    jobs = [delayed(symmetry_row)(*each, sizes, next(seeds)) for each in settings]
    jobs += [delayed(symmetry_row)(*each, sizes, next(seeds), cycle=0.8) for each in cycles]
    rows = Parallel(args.n_jobs)(jobs)
    _check(max(gap for *_, gap in rows), "tests of symmetry")
    table = Table(
        f"Symmetric labels: type I error at {ALPHA}",
        (
            "labels",
            "records",
            "disagreement",
            *FORMULAS,
            *(f"permutation, {s}" for s in STATISTICS),
        ),
    )
    names = [name for name in SPREADS for _ in range(len(RECORDS) * len(DISAGREEMENTS))]
    for name, (_, _, d, n), (errors, permuted, _) in zip(names, settings, rows):
        formulas = (with_error(each, args.draws) for each in errors)
        exact = (with_error(each, args.permutations) for each in permuted)
        table.add(name, n, f"{d:.2f}", *formulas, *exact)
    circular = Table(
        f"Equal label rates without symmetry, 3 classes: type I error at {ALPHA}",
        ("records", "disagreement", *FORMULAS[2:]),
    )
    for (_, _, d, n), (errors, _, _) in zip(cycles, rows[len(settings) :]):
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
    seeds = np.random.SeedSequence([args.seed, 2]).spawn(2 * len(settings))
    shares = [
        np.outer(rates, rates) for _, d in settings for rates in [independent_rate(d)]
    ]
    shares += [pair_shares(3, (1, 1, 1), d) for _, d in settings]
    rows = Parallel(args.n_jobs)(
        delayed(kappa_row)(n, each, args.draws // 10, seed)
        for (n, _), each, seed in zip(2 * settings, shares, seeds)
    )
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
    gap = score_gap(score, tables, pvalues)
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
    return (delta[0], rejected_permuted), (delta[1], held_permuted), gap


def score_gap(score, tables, pvalues):
    """Greatest difference of p-values between the library and the arrays used here."""
    results = (
        score_difference(
            JointCounts(each, CLASSES[: len(each)]), score=score, method="delta"
        )
        for each in tables[:CHECKED]
    )
    found = [each.pvalue for each in results]
    gaps = np.nan_to_num(np.array(found), nan=2.0) - np.nan_to_num(
        pvalues[:CHECKED], nan=2.0
    )
    return float(np.abs(gaps).max())


def score_tables(args):
    """Type I error of differences of scores, and coverage of their intervals."""
    worlds = {
        "classifiers that are alike": (RATES, lambda *each: joint_shares(*each[:2], 0.5)),
        "classifiers that err differently, with equal scores": (RATES, unlike_shares),
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
    seeds = np.random.SeedSequence([args.seed, 3]).spawn(len(settings))
    sizes = args.draws, args.permutations
    jobs = []
    for (world, rates, n, d, score), seed in zip(settings, seeds):
        of_classes = RATES[rates][score == "f1_macro"]
        shares = worlds[world][1](of_classes, d, score)
        jobs.append(delayed(score_row)(score, shares, n, sizes, seed))
    rows = iter(Parallel(args.n_jobs)(jobs))
    columns = [f"{score}, {how}" for score in SCORES for how in ("delta", "permutation")]
    tables, gap = {}, 0.0
    for world, rates, n, d, score in settings:
        better = world == "a better challenger"
        what = "coverage of the 95 % intervals" if better else f"type I error at {ALPHA}"
        table = tables.setdefault(
            world,
            Table(
                f"Scores of {world}: {what}",
                ("classes", "records", "disagreement", *columns),
            ),
        )
        rejected, held, row_gap = next(rows)
        gap = max(gap, row_gap)
        shown = [
            with_error(each, size)
            for each, size in zip(held if better else rejected, sizes)
        ]
        if score == SCORES[0]:
            cells = [rates, n, f"{d:.2f}"]
        cells += shown
        if score == SCORES[-1]:
            table.add(*cells)
    _check(gap, "tests of scores")
    return tables.values()


def _check(gap, what):
    print(f"{what}, by the library too: largest gap of p-values {gap:.0e}.\n")
    if gap > 1e-9:
        raise SystemExit("The simulation does not decide as the library does.")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--draws", type=int, default=20_000, help="tables a setting; a tenth for kappa")
    add("--permutations", type=int, default=200, help="tables for tests by permutation")
    add("--only", choices=("symmetry", "kappa", "scores"), help="a part of the tables")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="settings at a time; -1 for all processors")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)

    parts = {"symmetry": symmetry_tables, "kappa": kappa_tables, "scores": score_tables}
    for name, make in parts.items():
        if args.only in (None, name):
            for table in make(args):
                table.show(rst=args.rst)


if __name__ == "__main__":
    main()
