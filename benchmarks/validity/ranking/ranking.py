"""Error rates and coverage of tests and intervals of AUC, by simulation.

Scores of two classifiers are normal in each class, correlated, with known AUCs. Run

    python -m benchmarks.validity.ranking.ranking

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClassPlacementValues, PlacementValues
from skcompare.stats import (
    auc_interval,
    clustered_delong,
    delong,
    delong_joint,
    delong_ovo,
    delong_ovr,
)

ALPHA = 0.05
CORRELATION = 0.6
"""Of the two scores, among positive and among negative records."""

RECORDS = (30, 100, 500, 2000)
PREVALENCES = (0.05, 0.2, 0.5)
LEAST = 2
"""Records of each class without which there is no test."""

STEP = 0.5
"""Scores are rounded to multiples of this where they have ties."""

WIDE = 2.0
"""Standard deviation of the challenger's positive scores where the curves cross."""

TRUTH_RECORDS = 2_000_000


def shift_for(auc, spread):
    """Mean of normal positive scores at which the AUC is this, with negatives N(0, 1)."""
    return special.ndtri(auc) * np.sqrt(1 + spread**2)


def draw(n, prevalence, aucs, spreads, rng):
    """Classes and scores of two classifiers; every class often enough for a test."""
    n_positive = 0
    while not LEAST <= n_positive <= n - LEAST:
        n_positive = rng.binomial(n, prevalence)
    y = (np.arange(n) < n_positive).astype(int)
    noise = rng.multivariate_normal(
        [0, 0], [[1, CORRELATION], [CORRELATION, 1]], size=n, method="cholesky"
    ).T
    return y, [
        np.where(y == 1, shift_for(auc, spread) + spread * each, each)
        for auc, spread, each in zip(aucs, spreads, noise)
    ]


def rounded(scores):
    return [np.round(score / STEP) * STEP for score in scores]


def auc_of_rounded(auc, spread):
    """The AUC of rounded scores, where a tie counts half."""
    edges = np.arange(-20, 20) * STEP + STEP / 2
    below = [special.ndtr((edges - shift_for(auc, spread)) / spread), special.ndtr(edges)]
    positive, negative = (np.diff(each) for each in below)
    return float(negative @ (1 - below[0][1:] + positive / 2))


KINDS = {
    "alike": ((0.8, 0.8), (1.0, 1.0), False),
    "ties": ((0.8, 0.8), (1.0, 1.0), True),
    "crossing curves": ((0.8, 0.8), (1.0, WIDE), False),
    "nearly perfect": ((0.97, 0.97), (1.0, 1.0), False),
    "challenger better": ((0.75, 0.85), (1.0, 1.0), False),
    "challenger better, ties": ((0.75, 0.85), (1.0, 1.0), True),
}
NULLS = ("alike", "ties", "crossing curves", "nearly perfect")


def difference_row(kind, n, prevalence, n_draws, seed):
    """Shares of rejections, of intervals that hold the truth, and of undefined results."""
    aucs, spreads, ties = KINDS[kind]
    rng = np.random.default_rng(seed)
    truths = [auc_of_rounded(a, s) if ties else a for a, s in zip(aucs, spreads)]
    truth = truths[1] - truths[0]
    counts = np.zeros(4)
    for _ in range(n_draws):
        y, scores = draw(n, prevalence, aucs, spreads, rng)
        scores = rounded(scores) if ties else scores
        placements = PlacementValues.from_predictions(y, *scores)
        wald = delong(placements)
        other = delong(placements, interval="arctanh")
        held = [low <= truth <= high for low, high in map(limits_of, (wald, other))]
        counts += [wald.pvalue < ALPHA, *held, np.isnan(wald.pvalue)]
    return counts / n_draws


def limits_of(result):
    return result.confidence_interval(1 - ALPHA)


def difference_tables(args):
    """Type I error of DeLong's test, and coverage of its two intervals."""
    settings = list(product(KINDS, RECORDS, PREVALENCES))
    rows = each_row(difference_row, settings, args, 1)
    errors = Table(
        f"Two AUCs of 0.8, or of 0.97 where nearly perfect: type I error at {ALPHA}",
        ("scores", "records", "positive", "delong", "undefined"),
    )
    coverage = Table(
        "Two AUCs: coverage of the 95 % intervals of the difference",
        ("scores", "records", "positive", "agreeing", "arctanh"),
    )
    for (kind, n, prevalence), (rejected, wald, other, undefined) in zip(settings, rows):
        words = (kind, n, f"{prevalence:.2f}")
        if kind in NULLS:
            shown = (with_error(each, args.draws) for each in (rejected, undefined))
            errors.add(*words, *shown)
        coverage.add(*words, *(with_error(each, args.draws) for each in (wald, other)))
    return errors, coverage


def one_row(auc, n, prevalence, n_draws, seed):
    """Shares of intervals of one AUC that hold it."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(INTERVALS))
    for _ in range(n_draws):
        y, scores = draw(n, prevalence, (auc, auc), (1.0, 1.0), rng)
        placements = PlacementValues.from_predictions(y, scores[0])
        for k, method in enumerate(INTERVALS):
            found = auc_interval(placements, method=method)
            held[k] += found.low <= auc <= found.high
    return held / n_draws


INTERVALS = ("logit", "wald", "newcombe")


def one_table(args):
    """Coverage of the intervals of one AUC."""
    settings = list(product((0.6, 0.8, 0.95), RECORDS[:3], PREVALENCES))
    rows = each_row(one_row, settings, args, 2)
    table = Table(
        "One AUC: coverage of its 95 % intervals",
        ("AUC", "records", "positive", *INTERVALS),
    )
    for (auc, n, prevalence), held in zip(settings, rows):
        shown = (with_error(each, args.draws) for each in held)
        table.add(auc, n, f"{prevalence:.2f}", *shown)
    return table


def draw_classes(n, shares, gains, rng):
    """Classes and probabilities of two classifiers that share a part of their noise."""
    y = rng.choice(len(shares), p=shares, size=n)
    y[: LEAST * len(shares)] = np.tile(np.arange(len(shares)), LEAST)
    common = rng.normal(size=(n, len(shares)))
    predictions = []
    for gain in gains:
        own = rng.normal(size=common.shape)
        noise = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own
        predictions.append(special.softmax(noise + gain * np.eye(len(shares))[y], axis=1))
    return y, predictions


SHARES = {"even": (1 / 3, 1 / 3, 1 / 3), "one class rare": (0.6, 0.3, 0.1)}
GAINS = {"alike": (1.2, 1.2), "challenger better": (1.0, 1.6)}
SCORES = {
    "roc_auc_ovr": delong_ovr,
    "roc_auc_ovr_weighted": delong_ovr,
    "roc_auc_ovo": delong_ovo,
}


def class_results(evidence):
    return [
        test(evidence, score=name) if test is delong_ovr else test(evidence)
        for name, test in SCORES.items()
    ]


def true_differences(shares, gains):
    """Differences of the three averages, from very many records."""
    y, predictions = draw_classes(TRUTH_RECORDS, shares, gains, np.random.default_rng(0))
    evidence = ClassPlacementValues.from_predictions(y, *predictions)
    return [result.estimate for result in class_results(evidence)]


def class_row(share, kind, n, truths, n_draws, seed):
    """Shares of rejections of 0, and of intervals that hold the truth."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, len(SCORES)))
    for _ in range(n_draws):
        y, predictions = draw_classes(n, SHARES[share], GAINS[kind], rng)
        results = class_results(ClassPlacementValues.from_predictions(y, *predictions))
        limits = [limits_of(result) for result in results]
        counts[0] += [result.pvalue < ALPHA for result in results]
        counts[1] += [low <= t <= high for (low, high), t in zip(limits, truths)]
    return counts / n_draws


def class_tables(args):
    """Averages over three classes: type I error, and coverage."""
    truths = {
        (share, kind): (
            [0.0] * len(SCORES)
            if kind == "alike"
            else true_differences(SHARES[share], GAINS[kind])
        )
        for share, kind in product(SHARES, GAINS)
    }
    settings = [
        (share, kind, n, truths[share, kind])
        for share, kind, n in product(SHARES, GAINS, (50, 200, 1000))
    ]
    rows = each_row(class_row, settings, args, 3)
    errors = Table(
        f"Average AUC of three classes: type I error at {ALPHA}",
        ("classes", "records", *SCORES),
    )
    coverage = Table(
        "Average AUC of three classes: coverage of the 95 % intervals",
        ("classes", "classifiers", "records", *SCORES),
    )
    for (share, kind, n, _), (rejected, held) in zip(settings, rows):
        if kind == "alike":
            errors.add(share, n, *(with_error(each, args.draws) for each in rejected))
        coverage.add(share, kind, n, *(with_error(each, args.draws) for each in held))
    return errors, coverage


def group_row(n_groups, alike, n_draws, seed):
    """Shares of rejections, with groups and without regard to them."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(3)
    size = 5
    groups = np.repeat(np.arange(n_groups), size)
    for _ in range(n_draws):
        y, scores = draw(n_groups * size, 0.4, (0.8, 0.8), (1.0, 1.0), rng)
        order = rng.permutation(len(y))
        shared = rng.normal(size=(2, n_groups)).repeat(size, axis=1)
        mixed = [
            np.sqrt(1 - alike) * score[order] + np.sqrt(alike) * each
            for score, each in zip(scores, shared)
        ]
        placements = PlacementValues.from_predictions(y[order], *mixed, groups=groups)
        results = [clustered_delong(placements, method=m) for m in ("t", "normal")]
        results.append(delong(placements))
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / n_draws


def group_table(args):
    """Records of groups."""
    settings = list(product((10, 20, 50, 200), (0.0, 0.3)))
    rows = each_row(group_row, settings, args, 4)
    table = Table(
        f"Groups of 5 records, two equal AUCs: type I error at {ALPHA}",
        (
            "groups",
            "shared part of the scores",
            "clustered t",
            "clustered normal",
            "delong",
        ),
    )
    for (n_groups, alike), rejected in zip(settings, rows):
        table.add(n_groups, alike, *(with_error(each, args.draws) for each in rejected))
    return table


def joint_row(n_curves, n, n_draws, seed):
    """Share of rejections of the hypothesis that all curves have one AUC."""
    rng = np.random.default_rng(seed)
    rejected = 0
    for _ in range(n_draws):
        y = (rng.random(n) < 0.4).astype(int)
        y[: 2 * LEAST] = np.tile([0, 1], LEAST)
        common = rng.normal(size=n)
        scores = [
            shift_for(0.8, 1.0) * y
            + np.sqrt(CORRELATION) * common
            + np.sqrt(1 - CORRELATION) * rng.normal(size=n)
            for _ in range(n_curves)
        ]
        rejected += (
            delong_joint(PlacementValues.from_predictions(y, *scores)).pvalue < ALPHA
        )
    return rejected / n_draws


def joint_table(args):
    """Several curves at once."""
    settings = list(product((2, 4, 8), (50, 200, 1000)))
    rows = each_row(joint_row, settings, args, 5)
    table = Table(
        f"Several equal AUCs: type I error at {ALPHA}",
        ("curves", "records", "delong_joint"),
    )
    for (n_curves, n), rejected in zip(settings, rows):
        table.add(n_curves, n, with_error(rejected, args.draws))
    return table


FEW = ((15, 285), (20, 180), (30, 270), (50, 250), (100, 200))
"""Positive and negative records."""
FEW_KINDS = {
    "alike": ((0.8, 0.8), (1.0, 1.0), 0.6),
    "crossing curves": ((0.8, 0.8), (1.0, WIDE), 0.6),
    "spreads 0.5 and 3": ((0.8, 0.8), (0.5, 3.0), 0.6),
    "crossing, correlation 0.9": ((0.9, 0.9), (1.0, WIDE), 0.9),
    "spreads 1 and 3, unrelated": ((0.7, 0.7), (1.0, 3.0), 0.0),
}


def few_row(kind, sizes, n_draws, seed):
    """Whether each data set is rejected, and flagged."""
    aucs, spreads, correlation = FEW_KINDS[kind]
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    found = np.empty((2, n_draws), dtype=bool)
    for k in range(n_draws):
        common, *own = rng.normal(size=(3, len(y)))
        latent = [
            np.sqrt(correlation) * common + np.sqrt(1 - correlation) * each for each in own
        ]
        scores = [
            np.where(y == 1, shift_for(auc, spread) + spread * each, each)
            for auc, spread, each in zip(aucs, spreads, latent)
        ]
        result = delong(PlacementValues.from_predictions(y, *scores))
        found[:, k] = result.pvalue < ALPHA, "variance-of-few-records" in result.flags
    return found


def few_table(args):
    """Few positive records, and the flag of a variance that rests on them."""
    settings = list(product(FEW_KINDS, FEW))
    rows = each_row(few_row, settings, args, 6)
    table = Table(
        f'Few records, the flag "variance-of-few-records": type I error at {ALPHA}',
        ("scores", "positive", "negative", "delong", "flagged", "flagged only", "others"),
    )
    for (kind, sizes), (rejected, flagged) in zip(settings, rows):
        shown = [
            with_error(each.mean(), len(each)) if len(each) else ""
            for each in (rejected, flagged, rejected[flagged], rejected[~flagged])
        ]
        table.add(kind, *sizes, *shown)
    return table


PARTS = {
    "difference": difference_tables,
    "one": one_table,
    "classes": class_tables,
    "groups": group_table,
    "joint": joint_table,
    "few": few_table,
}


if __name__ == "__main__":
    main(__doc__, PARTS)
