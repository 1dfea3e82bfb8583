"""P-values of all resampling tests, for many data sets at once, by the rules of skcompare.

A test is a function of the tables of all designs (see `parts_of`), of shape (data sets,
splits, 4), with cells both right, only the champion, only the challenger, neither. P-values
are two-sided, and NaN where a test has none: a difference whose estimated variance is 0.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, stdtr

from benchmarks.validity.splits.resampling.resampling_designs import (
    FOLDS,
    HALVINGS,
    HOLDOUTS,
    REPLICATES,
    parts_of,
)
from skcompare.stats.accuracy import mcnemar_pvalues
from skcompare.stats.splits import _published, _resampled_t

RATIO = 1 / 9
"""Test records a training record where nine tenths train."""


class Test(NamedTuple):
    """A test, the number of training records it speaks of, and how it decides."""

    key: str
    title: str
    size: str
    paper: bool
    """Whether Table V of the paper has it."""
    pvalues: Callable
    costly: bool = False


def gains(tables):
    """Accuracy of the challenger less that of the champion, on every split."""
    return (tables[..., 2] - tables[..., 1]) / tables.sum(axis=-1)


def by_rule(part, shape, rule, **options):
    """A test of the gains of the splits of one design, in the shape that its rule takes."""

    def pvalues(parts):
        values = gains(parts[part])
        return of_moments(rule(values.reshape(len(values), *shape), **options))

    return pvalues


def of_moments(moments):
    """P-values of estimates with standard errors; normal ones where `df` is None."""
    estimate, error, df = moments
    tail = ndtr if df is None else partial(stdtr, df)
    found = 2 * tail(-np.abs(estimate) / np.where(error > 0, error, 1.0))
    return np.where(error > 0, found, np.where(estimate == 0, 1.0, np.nan))


def by_f(part, df):
    """The F test of the ten halves of a design."""

    def pvalues(parts):
        above, below = _published.f_of_halves(gains(parts[part]).reshape(-1, 5, 2))
        found = fdtrc(df, 5, above / np.where(below > 0, below, 1.0))
        return np.where(below > 0, found, np.where(above == 0, 1.0, np.nan))

    return pvalues


def cv_ci_z(variance, parts):
    counts = parts["10 folds"].astype(float)
    n, differences = counts.sum(axis=-1), gains(counts)
    # Sample variances of the records' differences within the folds.
    within = (counts[..., 1] + counts[..., 2] - n * differences**2) / (n - 1)
    estimate, deviation = _published.deviation_of_records(
        differences, within, n, variance=variance
    )
    return of_moments((estimate, deviation / np.sqrt(n.sum(axis=-1)), None))


def proportional_z(parts):
    both, _, _, neither = np.moveaxis(parts["holdout"][:, 0].astype(float), -1, 0)
    n = parts["holdout"][:, 0].sum(axis=-1)
    error = (1 + (neither - both) / n) / 2
    pooled = np.sqrt(2 * error * (1 - error) / n)
    return of_moments((gains(parts["holdout"][:, 0]), pooled, None))


def mcnemar(method, parts):
    _, champion, challenger, _ = np.moveaxis(parts["holdout"][:, 0].astype(int), -1, 0)
    return mcnemar_pvalues(champion, challenger, method, "two-sided")[1]


def naive_kfold_mcnemar(method, parts):
    _, champion, challenger, _ = np.moveaxis(parts["10 folds"].astype(int), -1, 0)
    statistics, _ = mcnemar_pvalues(champion, challenger, method, "two-sided")
    return chdtrc(FOLDS, statistics.sum(axis=-1))


def bcv_mcnemar(parts):
    effective = _published.effective_multiplier(5, 0.5, 0.5) * parts["5x2"].mean(axis=-2)
    _, champion, challenger, _ = np.moveaxis(effective, -1, 0)
    return mcnemar_pvalues(champion, challenger, "corrected", "two-sided")[1]


def _rows():
    """Key, title, records trained on, whether Table V has it, and the test."""
    t, halves = _resampled_t.t_of_splits, (5, 2)
    for key, title, part, n_splits, size in (
        ("repeated_holdout_t", "RHO t", "repeated holdout", HOLDOUTS, "2n/3"),
        ("kfold_t", "10-fold CV t", "10 folds", FOLDS, "9n/10"),
    ):
        yield key, title, size, True, by_rule(part, (n_splits,), t)
    how = by_rule("random 5x2", halves, _published.t_of_first_half)
    yield "paired_5x2_t", "5×2 CV t", "n/2", True, how
    for name, title, part, size, ratio in (
        ("repeated_holdout_t", "RHO t", "small holdout", "9n/10", RATIO),
        ("repeated_kfold_t", "10×10 CV t", "10x10", "9n/10", RATIO),
        ("5x2_t", "5×2 CV t", "random 5x2", "n/2", 1.0),
    ):
        for weight, word in ((1, "published"), (2, "doubled")):
            how = by_rule(part, (-1,), t, ratio=weight * ratio)
            paper = word == "published" and size == "9n/10"
            yield f"corrected_{name} {word}", f"corrected {title}, {word}", size, paper, how
    how = by_rule("10 folds", (FOLDS,), t, ratio=RATIO)
    yield "corrected_kfold_t", "corrected 10-fold CV t", "9n/10", False, how
    how = by_rule("random 5x2", halves, _published.t_of_halves)
    yield "combined_5x2_t", "combined 5×2 CV t", "n/2", True, how
    for m in (3, 5):
        for variant in ("published", "validation", "conservative"):
            key, title = f"blocked_t {m}x2 {variant}", f"blocked {m}×2 CV t, {variant}"
            paper = m == 3 and variant == "published"
            how = by_rule(f"{m}x2", (m, 2), _published.blocked_halves, variant=variant)
            yield key, title, "n/2", paper, how
    yield "combined_5x2_f", "combined 5×2 CV F", "n/2", True, by_f("random 5x2", 10)
    yield "calibrated_5x2_f", "calibrated 5×2 BCV F", "n/2", True, by_f("5x2", 7)
    yield "proportional_z", "proportional Z", "2n/3", True, proportional_z
    for kind in ("out", "in"):
        how, title = partial(cv_ci_z, kind), f"10-fold CV-CI Z, {kind}"
        yield f"cv_ci_z {kind}", title, "9n/10", kind == "out", how
    for method in ("corrected", "exact", "mid-p"):
        how, title = partial(mcnemar, method), f"hold-out McNemar, {method}"
        yield f"mcnemar {method}", title, "2n/3", method == "corrected", how
    key, title = "naive_kfold_mcnemar", "naive 10-fold McNemar"
    yield key, title, "9n/10", True, partial(naive_kfold_mcnemar, "corrected")
    how = partial(naive_kfold_mcnemar, "asymptotic")
    yield f"{key} uncorrected", f"{title}, uncorrected", "9n/10", False, how
    yield "bcv_mcnemar", "5×2 BCV McNemar", "n/2", True, bcv_mcnemar


def _costly_rows():
    """The same for the tests that need many more splits; Table V has none of them."""
    shape = 1 + REPLICATES, HOLDOUTS
    for ratio, prefix in ((0.0, ""), (RATIO, "corrected ")):
        key = f"{prefix}pseudo_bootstrap_t".replace(" ", "_")
        how = by_rule("replicates", shape, _published.t_of_replicates, ratio=ratio)
        yield key, f"{prefix}pseudo bootstrap t", "9n/10", False, how
    how = by_rule("halves", (1 + 2 * HALVINGS, HOLDOUTS), _resampled_t.z_of_bisections)
    yield "conservative_z", "conservative Z", "9n/10", False, how


TESTS = (
    *(Test(*row) for row in _rows()),
    *(Test(*row, costly=True) for row in _costly_rows()),
)


def decide(test, tables):
    """P-values of a test for tables of all splits, of shape (data sets, splits, 4)."""
    return test.pvalues(parts_of(tables))
