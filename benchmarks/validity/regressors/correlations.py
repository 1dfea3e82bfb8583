"""Error rates, coverage and power of tests of two correlations with one target.

Joint normal distributions, for which the test of three correlations was derived, and
others: heavy tails, skewness, and errors that grow with the target. And correlations of
learners under block-regularized cross-validation, of a tenth as many data sets. Run

    python -m benchmarks.validity.regressors.correlations

or with ``--help`` for the options; ``--quick`` takes a tenth of the data sets.
"""

from itertools import product
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.tree import ExtraTreeRegressor

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare import PairedComparator
from skcompare.evidence import CorrelationMoments, ScoredPair
from skcompare.stats import dependent_correlations, influence_difference

ALPHA = 0.05
RECORDS = (20, 50, 200, 2000)
METHODS = ("steiger", "williams", "zou")
SCORES = [
    "pearson_correlation",
    "spearman_correlation",
    "kendall_tau",
    "concordance_index",
]
TRUTH_RECORDS, TRUTH_DRAWS = 200_000, 20


def normal(first, second, between):
    """Joint normal numbers with these correlations."""
    root = np.linalg.cholesky(
        [[1, first, second], [first, 1, between], [second, between, 1]]
    )

    def draw(n, rng):
        return root @ rng.normal(size=(3, n))

    return draw


def heavy_tails(df, first, second, between):
    """The same with the tails of a multivariate t distribution."""
    of_normal = normal(first, second, between)

    def draw(n, rng):
        return of_normal(n, rng) / np.sqrt(rng.chisquare(df, size=n) / df)

    return draw


def skewed(shape, first, second):
    """A gamma target, with errors that are factors, one of them shared by both."""

    def draw(n, rng):
        y, shared = rng.gamma(3, size=n), rng.gamma(8, 1 / 8, size=n)
        own = [rng.gamma(shape / s, s / shape, size=n) for s in (first, second)]
        return np.stack([y, y * shared * own[0], y * shared * own[1]])

    return draw


def growing(first, second):
    """A target whose errors grow with its distance from the middle."""

    def draw(n, rng):
        y, shared, *own = rng.normal(size=(4, n))
        scales = [s * (0.3 + np.abs(y)) for s in (first, second)]
        common = [y + scale * (0.6 * shared + 0.8 * e) for scale, e in zip(scales, own)]
        return np.stack([y, *common])

    return draw


EQUAL = {
    "normal, .7 and .6 between": normal(0.7, 0.7, 0.6),
    "normal, .9 and .98 between": normal(0.9, 0.9, 0.98),
    "normal, .5 and .99 between": normal(0.5, 0.5, 0.99),
    "t, 5 df, .7 and .6 between": heavy_tails(5, 0.7, 0.7, 0.6),
    "t, 3 df, .7 and .6 between": heavy_tails(3, 0.7, 0.7, 0.6),
    "skewed": skewed(8, 1, 1),
    "growing errors": growing(0.7, 0.7),
}
UNEQUAL = {
    "normal, .5 and .8, .5 between": normal(0.5, 0.8, 0.5),
    "normal, .7 and .9, .8 between": normal(0.7, 0.9, 0.8),
    "normal, .85 and .9, .95 between": normal(0.85, 0.9, 0.95),
    "normal, .5 and .52, .99 between": normal(0.5, 0.52, 0.99),
    "t, 5 df, .7 and .9, .8 between": heavy_tails(5, 0.7, 0.9, 0.8),
    "skewed": skewed(8, 2, 1),
    "growing errors": growing(1.0, 0.6),
}


def true_difference(world):
    """Difference of the correlations of very many records."""
    rng = np.random.default_rng(0)
    draws = (np.corrcoef(UNEQUAL[world](TRUTH_RECORDS, rng))[0] for _ in range(TRUTH_DRAWS))
    return float(np.mean([challenger - champion for _, champion, challenger in draws]))


def results_of(y, champion, challenger):
    """Results by influences, and by each method of the correlations alone."""
    pair = ScoredPair.from_predictions(y, champion, challenger, score="pearson_correlation")
    moments = CorrelationMoments.from_predictions(y, champion, challenger)
    others = [dependent_correlations(moments, method=method) for method in METHODS]
    return [influence_difference(pair), *others]


def rejected(world, n, n_draws, seed):
    """Share of p-values below the level, for equal correlations."""
    rng = np.random.default_rng(seed)
    pvalues = [
        [result.pvalue for result in results_of(*EQUAL[world](n, rng))]
        for _ in range(n_draws)
    ]
    return (np.array(pvalues) < ALPHA).mean(axis=0)


def level_table(args):
    """Type I errors: nothing about the predictions differs but their errors."""
    settings = list(product(EQUAL, args.records))
    table = Table(
        "Equal correlations with the target: type I error at 0.05",
        ("numbers", "records", "influences", *METHODS),
    )
    for setting, shares in zip(
        settings, each_row(rejected, settings, args, 1, draws_of(args))
    ):
        table.add(*setting, *(with_error(share, draws_of(args)) for share in shares))
    return table


def missed(world, n, truth, n_draws, seed):
    """Shares of intervals without the truth and, for each method, of small p-values."""
    rng = np.random.default_rng(seed)
    outside, found = np.zeros(3), np.zeros(4)
    for _ in range(n_draws):
        results = results_of(*UNEQUAL[world](n, rng))
        found += [result.pvalue < ALPHA for result in results]
        with_interval = [result for result in results if result.has_interval]
        limits = [result.confidence_interval(1 - ALPHA) for result in with_interval]
        outside += [not low <= truth <= high for low, high in limits]
    return outside / n_draws, found / n_draws


def coverage_tables(args):
    """Unequal correlations: how often intervals hold the difference, and tests find it."""
    truths = {world: true_difference(world) for world in UNEQUAL}
    settings = [(world, n, truths[world]) for world, n in product(UNEQUAL, args.records)]
    covered = Table(
        "Unequal correlations with the target: coverage of the 95 % intervals",
        ("numbers", "records", "difference", "influences", "steiger", "zou"),
    )
    power = Table(
        "Unequal correlations with the target: power at 0.05",
        ("numbers", "records", "difference", "influences", *METHODS),
    )
    rows = each_row(missed, settings, args, 2, draws_of(args))
    for (world, n, truth), (outside, found) in zip(settings, rows):
        shares = [with_error(1 - share, draws_of(args)) for share in outside]
        covered.add(world, n, f"{truth:+.3f}", *shares)
        power.add(world, n, f"{truth:+.3f}", *(f"{share:.3f}" for share in found))
    return covered, power


def of_features(learner, first, last):
    """A learner of some of the features."""
    chosen = ColumnTransformer([("own", "passthrough", list(range(first, last)))])
    return make_pipeline(chosen, learner)


def exchangeable(learner, seed):
    """Two learners with equal expectations: of other features, or of other seeds."""
    if learner == "ridge":
        return of_features(Ridge(), 0, 4), of_features(Ridge(), 4, 8)
    settings = {"max_depth": 3}
    return tuple(ExtraTreeRegressor(random_state=seed + k, **settings) for k in (0, 1))


def rejected_by_blocks(target, learner, n, n_draws, seed):
    """Share of small p-values for each score under block-regularized cross-validation."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n_draws):
        X = rng.normal(size=(n, 8))
        y = X @ np.full(8, 0.4) + rng.normal(size=n)
        y = np.exp(0.7 * y) if target == "skewed" else y
        pair = PairedComparator(
            *exchangeable(learner, 2 * k), scoring=SCORES, random_state=k
        )
        with catch_warnings():
            # A tree of few records may predict a constant, which has no correlation.
            simplefilter("ignore")
            rows = pair.fit(X, y).comparison_.rows
        pvalues = {row.measure: row.pvalue for row in rows}
        found.append([pvalues[score] for score in SCORES])
    return (np.array(found, dtype=float) < ALPHA).mean(axis=0)


def block_table(args):
    """Type I errors of correlations under 5×2 block-regularized cross-validation."""
    settings = list(product(("normal", "skewed"), ("ridge", "random tree"), (50, 200)))
    table = Table(
        "Exchangeable learners under 5×2 block-regularized CV: type I error at 0.05",
        ("target", "learner", "records", *SCORES),
    )
    n = max(1, draws_of(args) // 10)
    for setting, shares in zip(
        settings, each_row(rejected_by_blocks, settings, args, 3, n)
    ):
        table.add(*setting, *(with_error(share, n) for share in shares))
    return table


def draws_of(args):
    """Number of data sets of a setting."""
    return args.draws // 10 if args.quick else args.draws


if __name__ == "__main__":
    main(
        __doc__,
        {"level": level_table, "coverage": coverage_tables, "blocks": block_table},
        draws=4000,
        records=(RECORDS, "numbers of records"),
        quick=(False, "a tenth of the data sets"),
    )
