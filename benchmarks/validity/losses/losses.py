"""Error rates and coverage of the tests of losses a record, by simulation.

Probabilities of two classifiers with known Brier losses. Run

    python -m benchmarks.validity.losses.losses

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import PairedLosses
from skcompare.stats import (
    clustered_t,
    error_correlation,
    loss_permutation,
    paired_t,
    wilcoxon,
)

ALPHA = 0.05
RECORDS = (20, 50, 200, 1000)
SPREAD = 0.8
"""Standard deviation of each classifier's error in the log odds."""

KINDS = {
    # Log odds of the truth: their mean, their spread; what the challenger multiplies its
    # own log odds by.
    "alike": (0.0, 1.5, 1.0),
    "one class rare": (-3.0, 1.0, 1.0),
    "nearly certain": (0.0, 6.0, 1.0),
    "overconfident challenger": (0.0, 1.5, 2.0),
}
TESTS = {
    "paired_t": paired_t,
    "loss_permutation": loss_permutation,
    "wilcoxon": wilcoxon,
}
# The interval of the signed ranks is one of the median, not of the mean.
OF_MEANS = ("paired_t", "loss_permutation")
DRAWS = {"loss_permutation": {"n_resamples": 999}}
LOSSES = {"brier": "binary_brier_loss", "log": "log_loss"}
TRUTH_RECORDS = 4_000_000
ROUNDING = 1e-12


def draw(kind, n, rng):
    """Labels, and the probabilities of two classifiers that err alike in the log odds."""
    centre, spread, factor = KINDS[kind]
    logit = centre + spread * rng.normal(size=n)
    y = (rng.random(n) < special.expit(logit)).astype(int)
    champion, challenger = logit + SPREAD * rng.normal(size=(2, n))
    return y, special.expit(champion), special.expit(factor * challenger)


def true_gain(kind, loss):
    """Expected champion's loss less the challenger's."""
    if KINDS[kind][2] == 1:
        return 0.0
    y, *proba = draw(kind, TRUTH_RECORDS, np.random.default_rng(0))
    return paired_t(losses_of(y, proba, loss, keep_values=False)).estimate


def losses_of(y, proba, loss, **words):
    options = {"loss": LOSSES[loss], "labels": [0, 1]}
    return PairedLosses.from_predictions(y, *proba, **options, **words)


def loss_row(kind, loss, n, truth, n_draws, seed):
    """Shares of rejections of 0, and of intervals of the mean gain that hold it."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((2, len(TESTS)))
    for _ in range(n_draws):
        y, *proba = draw(kind, n, rng)
        losses = losses_of(y, proba, loss)
        for k, (name, test) in enumerate(TESTS.items()):
            result = test(losses, **DRAWS.get(name, {}))
            counts[0, k] += result.pvalue < ALPHA
            if name in OF_MEANS:
                low, high = result.confidence_interval(1 - ALPHA)
                counts[1, k] += low - ROUNDING <= truth <= high + ROUNDING
    return counts / n_draws


def loss_tables(args):
    """Type I error where expected losses are equal, and coverage of their difference."""
    truths = {setting: true_gain(*setting) for setting in product(KINDS, LOSSES)}
    settings = [(*pair, n, truths[pair]) for pair, n in product(truths, RECORDS)]
    rows = each_row(loss_row, settings, args, 1)
    errors = Table(
        f"Equal expected losses: type I error at {ALPHA}",
        ("probabilities", "loss", "records", *TESTS),
    )
    coverage = Table(
        "Mean difference of losses: coverage of the 95 % intervals",
        ("probabilities", "loss", "records", *OF_MEANS),
    )
    for (kind, loss, n, truth), (rejected, held) in zip(settings, rows):
        if truth == 0:
            errors.add(kind, loss, n, *(with_error(r, args.draws) for r in rejected))
        shown = (with_error(h, args.draws) for h, _ in zip(held, OF_MEANS))
        coverage.add(kind, loss, n, *shown)
    return errors, coverage


def skewed_row(n, n_draws, seed):
    """Shares of rejections where few records have large differences, of mean 0."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(len(OF_MEANS))
    for _ in range(n_draws):
        losses = PairedLosses.from_losses(rng.lognormal(size=n), np.full(n, np.exp(0.5)))
        rejected += [
            TESTS[name](losses, **DRAWS.get(name, {})).pvalue < ALPHA for name in OF_MEANS
        ]
    return rejected / n_draws


def skewed_table(args):
    """Differences with the skewness of a log-normal distribution."""
    rows = each_row(skewed_row, [(n,) for n in RECORDS], args, 4)
    table = Table(
        f"Log-normal differences of mean 0: type I error at {ALPHA}", ("records", *OF_MEANS)
    )
    for n, rejected in zip(RECORDS, rows):
        table.add(n, *(with_error(each, args.draws) for each in rejected))
    return table


def group_row(n_groups, share, n_draws, seed):
    """Shares of rejections, with groups and without regard to them."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(3)
    sizes = np.resize([1, 2, 4, 13], n_groups)
    groups = np.repeat(np.arange(n_groups), sizes)
    for _ in range(n_draws):
        base = rng.exponential(size=(2, len(groups)))
        shared = rng.exponential(size=(2, n_groups))[:, groups]
        losses = PairedLosses.from_losses(
            *((1 - share) * base + share * shared), groups=groups
        )
        results = (
            clustered_t(losses, method="t"),
            clustered_t(losses, method="sign-flip"),
            paired_t(losses),
        )
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / n_draws


def group_table(args):
    """Records of groups."""
    settings = list(product((10, 20, 50, 200), (0.0, 0.5)))
    rows = each_row(group_row, settings, args, 2)
    table = Table(
        f"Groups of 1 to 13 records with equal losses: type I error at {ALPHA}",
        ("groups", "shared part of the losses", "t", "sign-flip", "groups ignored"),
    )
    for (n_groups, share), rejected in zip(settings, rows):
        table.add(n_groups, share, *(with_error(each, args.draws) for each in rejected))
    return table


INTERVALS = (
    ("spearman", "agreeing"),
    ("spearman", "fisher"),
    ("pearson", "agreeing"),
    ("pearson", "fisher"),
    ("pearson", "robust"),
)


def normal_losses(rho, n, rng):
    return PairedLosses.from_losses(
        *rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n).T
    )


def brier_losses(kind, n, rng):
    y, *proba = draw(kind, n, rng)
    return losses_of(y, proba, "brier")


def true_correlations(make, setting):
    """Both correlations: the known ones of normal losses, or those of very many records."""
    if make is normal_losses:
        return {"pearson": setting, "spearman": 6 / np.pi * np.arcsin(setting / 2)}
    losses = make(setting, TRUTH_RECORDS, np.random.default_rng(0))
    methods = ("pearson", "spearman")
    return {m: error_correlation(losses, method=m).estimate for m in methods}


def correlation_row(make, setting, truths, n, n_draws, seed):
    """Shares of intervals that hold the correlation."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(INTERVALS))
    for _ in range(n_draws):
        losses = make(setting, n, rng)
        for k, (method, interval) in enumerate(INTERVALS):
            result = error_correlation(losses, method=method, interval=interval)
            low, high = result.confidence_interval(1 - ALPHA)
            held[k] += low <= truths[method] <= high
    return held / n_draws


def correlation_table(args):
    """Intervals of the correlation of losses."""
    made = {
        "normal, 0": (normal_losses, 0.0),
        "normal, 0.5": (normal_losses, 0.5),
        "normal, 0.9": (normal_losses, 0.9),
        "Brier, alike": (brier_losses, "alike"),
        "Brier, one class rare": (brier_losses, "one class rare"),
    }
    truths = {name: true_correlations(*each) for name, each in made.items()}
    settings = [(name, n) for name in made for n in (10, 30, 200)]
    rows = each_row(
        correlation_row, [(*made[name], truths[name], n) for name, n in settings], args, 3
    )
    table = Table(
        "Correlation of losses: coverage of the 95 % intervals",
        ("losses", "records", *(f"{m}, {i}" for m, i in INTERVALS)),
    )
    for (name, n), held in zip(settings, rows):
        table.add(name, n, *(with_error(each, args.draws) for each in held))
    return table


PARTS = {
    "losses": loss_tables,
    "skewed": skewed_table,
    "groups": group_table,
    "correlation": correlation_table,
}


if __name__ == "__main__":
    main(__doc__, PARTS)
