"""Whether the recommended numbers of records give the power that was asked for.

For differences, disagreements and powers, the number of records is computed and the test is
simulated at it. Run

    python -m benchmarks.validity.planning.sample_size

or with ``--help`` for the options.
"""

import numpy as np
from joblib import Parallel, delayed
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.validity._lib.rejections import (
    ALPHA,
    EFFECTIVE_SHARE,
    corrected_pvalue,
    count_probabilities,
    exact_rejection,
    mid_pvalue,
)
from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import PairedBlocks
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import bcv_mcnemar, bcv_mcnemar_sample_size, mcnemar_sample_size

SETTINGS = [
    (0.02, 0.05),
    (0.05, 0.05),
    (0.05, 0.08),
    (0.05, 0.15),
    (0.05, 0.30),
    (0.10, 0.20),
    (0.10, 0.40),
]
POWERS = (0.8, 0.9)
CORRELATION = 0.7
POPULATION = 4000


def draw_counts(n, difference, disagreement, n_repetitions, rng):
    """Discordant counts of n independent records."""
    only_champion, only_challenger, _ = rng.multinomial(
        n, _shares(difference, disagreement), size=n_repetitions
    ).T
    return only_champion, only_challenger


def power_of(pvalue, n, difference, disagreement, n_repetitions, rng):
    """Simulated and exact probability that a test of n independent records rejects."""
    counts = draw_counts(n, difference, disagreement, n_repetitions, rng)
    simulated = float((pvalue(*counts) < ALPHA).mean())
    shares = _shares(difference, disagreement)
    return simulated, exact_rejection(count_probabilities(n, *shares[:2]), pvalue)


def _shares(difference, disagreement):
    """Probabilities that only champion, only challenger, and both or neither are right."""
    only_champion = (disagreement - difference) / 2
    return only_champion, only_champion + difference, 1 - disagreement


def bcv_pvalue(only_champion, only_challenger):
    return corrected_pvalue(only_champion, only_challenger, EFFECTIVE_SHARE)


def holdout_table(n_repetitions, seed):
    """`mcnemar_sample_size`, which knows nothing of the variants of the test."""
    rng = np.random.default_rng(seed)
    table = Table(
        "Hold-out: power of McNemar's test with the recommended records",
        (
            "difference",
            "disagreement",
            "target power",
            "records",
            "mid-p",
            "mid-p, exact",
            "corrected, exact",
        ),
    )
    for difference, disagreement in SETTINGS:
        for required in POWERS:
            n = _round_up(mcnemar_sample_size(difference, disagreement, power=required))
            setting = n, difference, disagreement, n_repetitions, rng
            simulated, exact = power_of(mid_pvalue, *setting)
            _, corrected = power_of(corrected_pvalue, *setting)
            table.add(
                f"{difference:.2f}",
                f"{disagreement:.2f}",
                required,
                n,
                with_error(simulated, n_repetitions),
                f"{exact:.4f}",
                f"{corrected:.4f}",
            )
    return table


def bcv_table(n_repetitions, seed):
    """`bcv_mcnemar_sample_size`, where the test's model holds and with fixed losses."""
    rng = np.random.default_rng(seed)
    table = Table(
        "Cross-validation: power of the 5×2 BCV McNemar test with the recommended records",
        (
            "difference",
            "disagreement",
            "target power",
            "records",
            "as assumed",
            "as assumed, exact",
            "fixed losses",
            "fixed losses, exact",
        ),
    )
    for difference, disagreement in SETTINGS:
        for required in POWERS:
            needed = bcv_mcnemar_sample_size(difference, disagreement, power=required)
            n, truth = _round_up(needed), (difference, disagreement, n_repetitions, rng)
            # The model: as good as n_e independent records, all of them counted.
            n_effective = round(EFFECTIVE_SHARE * n)
            simulated, exact = power_of(corrected_pvalue, n_effective, *truth)
            # Lemma 3 of the paper: the counts of all records, of which the test believes
            # 10 of 11.
            fixed, fixed_exact = power_of(bcv_pvalue, n, *truth)
            table.add(
                f"{difference:.2f}",
                f"{disagreement:.2f}",
                required,
                n,
                with_error(simulated, n_repetitions),
                f"{exact:.4f}",
                with_error(fixed, n_repetitions),
                f"{fixed_exact:.4f}",
            )
    return table


def _round_up(n):
    return int(np.ceil(n))


def draw_gaussians(n, rng):
    """Two classes that differ in the first of two correlated features."""
    y = rng.integers(2, size=n)
    noise = rng.normal(size=(n, 2))
    second = CORRELATION * noise[:, 0] + (1 - CORRELATION**2) ** 0.5 * noise[:, 1]
    return np.column_stack([noise[:, 0] + y, second]), y


def pair_naive():
    return GaussianNB(), LinearDiscriminantAnalysis()


def pair_tree():
    return DecisionTreeClassifier(random_state=0), LinearDiscriminantAnalysis()


PAIRS = {
    "naive Bayes, linear discriminant": pair_naive,
    "decision tree, linear discriminant": pair_tree,
}


def rights(estimators, train, test):
    """Which test records champion and challenger classify correctly."""
    X, y = test
    return [estimator.fit(*train).predict(X) == y for estimator in estimators]


def truth_at(pair, n_train, n_fits, seed):
    """True difference and disagreement of classifiers trained on that many records."""
    rng = np.random.default_rng(seed)
    differences, disagreements = np.empty(n_fits), np.empty(n_fits)
    for i in range(n_fits):
        first, second = rights(
            pair(), draw_gaussians(n_train, rng), draw_gaussians(POPULATION, rng)
        )
        differences[i] = second.mean() - first.mean()
        disagreements[i] = np.mean(first != second)
    return differences.mean(), disagreements.mean()


def recommend(pair, required, n_fits, seed):
    """Records needed, where difference and disagreement are those at half of them."""
    n = 400
    for share in (0.25, 0.25, 1):
        difference, disagreement = truth_at(pair, n // 2, int(share * n_fits), seed)
        n = _round_up(bcv_mcnemar_sample_size(difference, disagreement, power=required))
    return n, difference, disagreement


def compare_gaussians(pair, n, seed):
    """P-value and estimate of one cross-validation of n records."""
    X, y = draw_gaussians(n, np.random.default_rng(seed))
    tables = []
    for train, test in BlockRegularized5x2CV(random_state=seed).split(X, y):
        first, second = rights(pair(), (X[train], y[train]), (X[test], y[test]))
        wrong = ~first & ~second
        cells = first & second, first & ~second, ~first & second, wrong
        tables.append([int(cell.sum()) for cell in cells])
    blocks = PairedBlocks(np.reshape(tables, (5, 2, 4)))
    result = bcv_mcnemar(blocks)
    return result.pvalue, result.estimate


def learner_table(n_datasets, n_fits, seed, n_jobs):
    """`bcv_mcnemar_sample_size` for real classifiers."""
    table = Table(
        "Cross-validation of real classifiers: power with the recommended records",
        (
            "champion, challenger",
            "difference",
            "disagreement",
            "target power",
            "records",
            "power",
            "assumed ÷ true s.d.",
        ),
    )
    for name, pair in PAIRS.items():
        for required in POWERS:
            n, difference, disagreement = recommend(pair, required, n_fits, seed)
            seeds = np.random.SeedSequence([seed, n]).generate_state(n_datasets)
            predictions = Parallel(n_jobs=n_jobs)(
                delayed(compare_gaussians)(pair, n, int(each)) for each in seeds
            )
            pvalues, estimates = np.transpose(predictions)
            allowed = ((disagreement - difference**2) / (EFFECTIVE_SHARE * n)) ** 0.5
            table.add(
                name,
                f"{difference:.3f}",
                f"{disagreement:.3f}",
                required,
                n,
                with_error(float((pvalues < ALPHA).mean()), n_datasets),
                f"{allowed / estimates.std(ddof=1):.2f}",
            )
    return table


def tables(args):
    yield holdout_table(args.repetitions, args.seed)
    yield bcv_table(args.repetitions, args.seed)
    if args.datasets:
        yield learner_table(args.datasets, args.fits, args.seed, args.n_jobs)


if __name__ == "__main__":
    main(
        __doc__,
        tables,
        draws=None,
        n_jobs=1,
        repetitions=(100_000, "tables a setting"),
        datasets=(300, "data sets a pair; 0 for none"),
        fits=(800, "fits to find the truth about a pair"),
    )
