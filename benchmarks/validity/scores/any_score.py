"""Error rates and coverage of resampling tests of any score, by simulation.

Normal scores of two classifiers, of which part is common to both; for average precision
also scores of unlike shapes. Run

    python -m benchmarks.validity.scores.any_score

or with ``--help`` for the options.
"""

from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ScoredPair
from skcompare.evidence.scores._scored_pair import OperatingPoint
from skcompare.stats import (
    bootstrap_difference,
    jackknife_difference,
    permutation_difference,
)
from skcompare.stats.scores import ResampledCounts, count_score

ALPHA = 0.05
RECORDS = (50, 200, 1000)
PREVALENCES = (0.1, 0.5)
SIGNAL = 1.2
SIGNALS = (0.8, 1.8)
"""Distance of the classes for champion and challenger, where they differ."""

COMMON = 0.7
"""What a part that both scores share, and a part of its own, add to each score."""

THRESHOLD = 0.6
METHODS = ("percentile", "bca", "basic", "normal")
TESTS = (*METHODS, "permutation")
SPECIFIC = OperatingPoint("sensitivity_at_specificity", 0.9)
F1 = ResampledCounts(count_score("f1", np.array([0, 1]), 1), 2)
SCORES = ("accuracy", "roc_auc", "average_precision", SPECIFIC.name)
TRUTH_RECORDS = 4_000_000
GROUPED_SCORES = ("accuracy", F1.name, "roc_auc", "average_precision", SPECIFIC.name)
GROUPS = (10, 20, 50, 200)
GROUP_SIZES = (1, 2, 4, 13)
ROUNDING = 1e-12

SHAPES = {"normal": (1.0, None), "wide": (2.0, None), "narrow": (0.5, None),
          "mixture": (1.0, (4.0, 0.5))}  # fmt: skip
"""Standard deviation of positive scores, and two means of which some have the first."""
SHAPE_SIGNAL = 1.5
"""Distance of the classes of the normal shape, whose average precision all have."""
SHAPE_PAIRS = (("normal", "normal"), ("normal", "narrow"), ("normal", "mixture"),
               ("wide", "narrow"), ("wide", "mixture"), ("mixture", "narrow"))  # fmt: skip
SHAPE_RECORDS = ((300, 0.05), (1000, 0.015), (100, 0.15), (300, 0.1), (1000, 0.03),
                 (100, 0.3), (1000, 0.05), (100, 0.5))  # fmt: skip
"""Numbers of records and shares of positive ones: 15, 30 or 50 of them on average."""
QUANTILES = 100_000


def draw(n, prevalence, signals, rng):
    """Labels and two scores of each record, which are correlated."""
    y = (rng.random(n) < prevalence).astype(int)
    shared, *own = COMMON * rng.normal(size=(3, n))
    return y, *(signal * y + shared + part for signal, part in zip(signals, own))


def pair_of(score, y, champion, challenger, groups=None):
    """The records with a score; accuracy is that of a fixed threshold."""
    if score == SPECIFIC.name:
        return ScoredPair(SPECIFIC, y, champion, challenger, groups=groups)
    if score in ("accuracy", F1.name):
        champion, challenger = (
            (each > THRESHOLD).astype(int) for each in (champion, challenger)
        )
    if score == F1.name:
        return ScoredPair(F1, y, champion, challenger, groups=groups)
    return ScoredPair.from_predictions(y, champion, challenger, score=score, groups=groups)


def true_difference(score, prevalence, signals):
    """Difference of the scores of very many records."""
    if signals[0] == signals[1]:
        return 0.0
    rng = np.random.default_rng(0)
    champion, challenger = pair_of(
        score, *draw(TRUTH_RECORDS, prevalence, signals, rng)
    ).values
    return challenger - champion


def every_test(pair, n_resamples, seed):
    """The results of all tests, in their order."""
    words = {"n_resamples": n_resamples, "random_state": seed}
    results = [bootstrap_difference(pair, method=name, **words) for name in METHODS]
    return [*results, permutation_difference(pair, **words)]


def score_row(score, n, prevalence, signals, truth, n_resamples, n_draws, seed):
    """Shares of rejections of 0, of intervals that hold the truth; data sets that count.

    Data sets without a record of each class have no score, and are drawn again.
    """
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, len(TESTS)))
    for k in range(n_draws):
        y = np.zeros(n)
        while not 0 < y.sum() < n:
            y, *scores = draw(n, prevalence, signals, rng)
        results = every_test(pair_of(score, y, *scores), n_resamples, k)
        limits = [result.confidence_interval(1 - ALPHA) for result in results]
        # An undefined p-value rejects nothing.
        counts[0] += [result.pvalue < ALPHA for result in results]
        counts[1] += [low - ROUNDING <= truth <= high + ROUNDING for low, high in limits]
    return counts / n_draws


def score_table(args, signals, stream, title, measured):
    """A table of one of both shares, for all scores."""
    sizes = list(product(SCORES, PREVALENCES, args.records))
    truths = {
        (score, prevalence): true_difference(score, prevalence, signals)
        for score, prevalence in product(SCORES, PREVALENCES)
    }
    settings = [
        (score, n, prevalence, signals, truths[score, prevalence], args.resamples)
        for score, prevalence, n in sizes
    ]
    rows = each_row(score_row, settings, args, stream)
    table = Table(title, ("score", "positive", "records", "difference", *TESTS))
    for (score, prevalence, n), shares in zip(sizes, rows):
        cells = [with_error(share, args.draws) for share in shares[measured]]
        table.add(score, prevalence, n, f"{truths[score, prevalence]:+.3f}", *cells)
    return table


def level_table(args):
    """Equally good classifiers."""
    title = f"Equal scores: type I error at {ALPHA}"
    return score_table(args, (SIGNAL, SIGNAL), 1, title, 0)


def coverage_table(args):
    """A better challenger."""
    return score_table(
        args, SIGNALS, 2, "A real difference: coverage of the 95 % intervals", 1
    )


def jackknife_row(score, n, prevalence, n_draws, seed):
    """Shares of rejections of equal scores, and of intervals that hold a difference."""
    truth = true_difference(score, prevalence, SIGNALS)
    rng, counts = np.random.default_rng(seed), np.zeros(2)
    for _ in range(n_draws):
        for k, signals in enumerate(((SIGNAL, SIGNAL), SIGNALS)):
            y = np.zeros(n)
            while not 1 < y.sum() < n - 1:
                y, *scores = draw(n, prevalence, signals, rng)
            result = jackknife_difference(pair_of(score, y, *scores))
            low, high = result.confidence_interval(1 - ALPHA)
            holds = low - ROUNDING <= truth <= high + ROUNDING
            counts[k] += holds if k else result.pvalue < ALPHA
    return counts / n_draws


def jackknife_table(args):
    """The default test of average precision, also of F1."""
    settings = list(product(("average_precision", F1.name), args.records, PREVALENCES))
    rows = each_row(jackknife_row, settings, args, 5)
    table = Table(
        "The jackknife: equal scores, and a real difference",
        ("score", "records", "positive", "type I error at 0.05", "coverage at 95 %"),
    )
    for setting, shares in zip(settings, rows):
        table.add(*setting, *(with_error(share, args.draws) for share in shares))
    return table


def group_row(score, n_groups, n_resamples, n_draws, seed):
    """Shares of rejections of groups with a class and a part of the scores in common."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(4 - (score == SPECIFIC.name))
    sizes = np.resize(GROUP_SIZES, n_groups)
    groups = np.repeat(np.arange(n_groups), sizes)
    for k in range(n_draws):
        of_group = np.zeros(n_groups)
        while not 0 < of_group.sum() < n_groups:
            of_group, *parts = draw(n_groups, 0.5, (SIGNAL, SIGNAL), rng)
        y = of_group[groups]
        own = COMMON * rng.normal(size=(2, len(groups)))
        scores = [part[groups] + each for part, each in zip(parts, own)]
        words = {"n_resamples": n_resamples, "random_state": k}
        grouped, apart = pair_of(score, y, *scores, groups), pair_of(score, y, *scores)
        results = [
            bootstrap_difference(grouped, **words),
            permutation_difference(grouped, **words),
            bootstrap_difference(apart, **words),
        ]
        if score != SPECIFIC.name:
            results.append(jackknife_difference(grouped))
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / n_draws


def group_table(args):
    """Records of groups."""
    settings = [
        (score, n_groups, args.resamples)
        for score, n_groups in product(GROUPED_SCORES, args.groups)
    ]
    rows = each_row(group_row, settings, args, 3)
    table = Table(
        f"Groups of 1 to 13 records with equal scores: type I error at {ALPHA}",
        ("score", "groups", "percentile", "permutation", "percentile, groups ignored",
         "jackknife"),
    )  # fmt: skip
    for (score, n_groups, _), rejected in zip(settings, rows):
        cells = [with_error(each, args.draws) for each in rejected]
        table.add(score, n_groups, *cells, *["-"] * (4 - len(cells)))
    return table


def components(shape, strength):
    """Shares, means and standard deviation of the parts of positive scores."""
    spread, means = SHAPES[shape]
    if means is None:
        return ((1.0, strength),), spread
    return ((strength, means[0]), (1 - strength, means[1])), spread


def shaped(shape, strength, y, noise, rng):
    """Scores of a shape; its strength is a distance of the classes, or a share."""
    parts, spread = components(shape, strength)
    mean = parts[0][1]
    if len(parts) > 1:
        mean = np.where(rng.random(len(y)) < strength, mean, parts[1][1])
    return np.where(y == 1, mean + spread * noise, noise)


def expected_precision(shape, strength, prevalence):
    """Average precision of endless records: the mean precision at a positive score."""
    parts, spread = components(shape, strength)
    quantiles = spread * ndtri((np.arange(QUANTILES) + 0.5) / QUANTILES)
    value = 0.0
    for share, mean in parts:
        at = mean + quantiles
        found = prevalence * sum(w * ndtr((m - at) / spread) for w, m in parts)
        value += share * np.mean(found / (found + (1 - prevalence) * ndtr(-at)))
    return value


@cache
def strength_of(shape, prevalence):
    """The strength at which the average precision is that of the normal shape."""
    if shape == "normal":
        return SHAPE_SIGNAL
    goal = expected_precision("normal", SHAPE_SIGNAL, prevalence)
    most = 8.0 if SHAPES[shape][1] is None else 1.0
    return brentq(lambda s: expected_precision(shape, s, prevalence) - goal, 0.0, most)


def shape_row(shapes, strengths, n, prevalence, n_resamples, n_draws, seed):
    """Shares of rejections of equal average precisions of two shapes."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(3)
    for k in range(n_draws):
        y = np.zeros(n, int)
        while not 1 < y.sum() < n:
            y = (rng.random(n) < prevalence).astype(int)
        shared, *own = np.sqrt(0.5) * rng.normal(size=(3, n))
        pair = pair_of("average_precision", y, *(
            shaped(shape, strength, y, shared + part, rng)
            for shape, strength, part in zip(shapes, strengths, own)
        ))  # fmt: skip
        words = {"n_resamples": n_resamples, "random_state": k}
        results = (
            bootstrap_difference(pair, **words),
            permutation_difference(pair, **words),
            jackknife_difference(pair),
        )
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / n_draws


def shape_table(args):
    """Scores of unlike shapes and equal average precisions."""
    settings = [
        (shapes, [strength_of(shape, share) for shape in shapes], n, share, args.resamples)
        for (n, share), shapes in product(SHAPE_RECORDS, SHAPE_PAIRS)
    ]
    rows = each_row(shape_row, settings, args, 4)
    table = Table(
        f"Scores of different shapes, equal average precisions: type I error at {ALPHA}",
        ("records", "positive", "champion", "challenger", "percentile", "permutation",
         "jackknife"),
    )  # fmt: skip
    for (shapes, _, n, share, _), rejected in zip(settings, rows):
        cells = [with_error(each, args.draws) for each in rejected]
        table.add(n, f"{n * share:g}", *shapes, *cells)
    return table


PARTS = {
    "level": level_table,
    "coverage": coverage_table,
    "groups": group_table,
    "shapes": shape_table,
    "jackknife": jackknife_table,
}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        resamples=(999, "resamples of each data set"),
        records=(RECORDS, "sizes of data sets"),
        groups=(GROUPS, "numbers of groups"),
    )
