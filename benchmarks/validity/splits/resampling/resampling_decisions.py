"""P-values of all resampling tests, for many data sets at once.

`skcompare.stats` takes the evidence of one data set. Here a test is a function of tables of
shape (data sets, splits, 4), with cells both right, only the champion, only the challenger,
neither; `resampling_library` checks that both decide alike. P-values are two-sided, and NaN
where a test has none: a difference whose estimated variance is 0.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, chdtrc, fdtrc, ndtr, stdtr
from scipy.stats import binom

from benchmarks.validity.splits.resampling.resampling_designs import (
    FOLDS,
    HALVINGS,
    HOLDOUTS,
    REPLICATES,
    parts_of,
)

RATIO = 1 / 9
"""Test records a training record where nine tenths train."""

ROUNDING = 1e-20
"""A variance below this share of the squared mean is rounding."""


class Test(NamedTuple):
    """A test, the number of training records it speaks of, and how it decides."""

    key: str
    title: str
    size: str
    paper: bool
    """Whether Table V of the paper has it."""
    pvalues: Callable
    costly: bool


def gains(tables):
    """Accuracy of the challenger less that of the champion, on every split."""
    return (tables[..., 2] - tables[..., 1]) / tables.sum(axis=-1)


def _two_sided(estimate, variance, tail):
    """P-values of estimates over their standard errors."""
    flat = variance <= ROUNDING * estimate**2
    root = estimate / np.sqrt(np.where(flat, 1.0, variance))
    undefined = np.where(estimate == 0, 1.0, np.nan)
    return np.where(flat, undefined, 2 * tail(-np.abs(root)))


def _student(estimate, variance, df):
    return _two_sided(estimate, variance, partial(stdtr, df))


def t_of_splits(part, tables, *, share=None):
    """Student's t of all splits; `share` adds n2/n1 to one over their number."""
    values = gains(part(tables))
    number = values.shape[-1]
    scale = 1 / number + (share or 0)
    variance = scale * values.var(axis=-1, ddof=1)
    return _student(values.mean(axis=-1), variance, number - 1)


def _halves(tables):
    """Gains by repetition, (..., m, 2), and half the sums of squared differences."""
    values = gains(tables).reshape(*tables.shape[:-2], -1, 2)
    return values, (values[..., 0] - values[..., 1]) ** 2 / 2


def paired_5x2_t(part, tables):
    values, squares = _halves(part(tables))
    return _student(values[..., 0, 0], squares.mean(axis=-1), 5)


def combined_5x2_t(part, tables):
    values, squares = _halves(part(tables))
    return _student(values.mean(axis=(-1, -2)), squares.mean(axis=-1) / 10, 5)


def five_by_two_f(part, tables, *, df):
    values, squares = _halves(part(tables))
    above, below = (values**2).sum(axis=(-1, -2)), 2 * squares.sum(axis=-1)
    statistic = above / np.where(below > 0, below, 1.0)
    undefined = np.where(above == 0, 1.0, np.nan)
    return np.where(below > 0, fdtrc(df, 5, statistic), undefined)


def blocked_t(part, tables, *, variant):
    values = gains(part(tables))
    m = values.shape[-1] // 2
    constant, df = blocked_constants(m, variant)
    variance = constant * values.var(axis=-1)
    return _student(values.mean(axis=-1), variance, df)


def blocked_constants(m, variant):
    """Factor of the variance and degrees of freedom of the blocked m × 2 t-test."""
    if variant == "published":
        return 1.0, 2 * m - 1
    rho1, rho2 = {"validation": (0.0, 0.5), "conservative": (0.5, 0.5)}[variant]
    between = 1 + rho1 + 2 * (m - 1) * rho2
    inner = 1 + rho1 - 2 * rho2
    above = (2 * m * (1 - rho2) - inner) ** 2
    df = above / (m * (1 - rho1) ** 2 + (m - 1) * inner**2)
    return between / (2 * m - between), df


def proportional_z(part, tables):
    both, _, _, neither = _cells(part(tables))
    n = part(tables).sum(axis=-1)
    difference = gains(part(tables))
    error = (1 + (neither - both) / n) / 2
    return _two_sided(difference, 2 * error * (1 - error) / n, ndtr)


def cv_ci_z(part, tables, *, variance):
    counts = part(tables).astype(float)
    discordant = counts[..., 1] + counts[..., 2]
    n, mean = counts.sum(axis=(-1, -2)), gains(counts.sum(axis=-2))
    if variance == "out":
        spread = discordant.sum(axis=-1) / n - mean**2
    else:
        spread = _within(counts).mean(axis=-1)
    return _two_sided(mean, spread / n, ndtr)


def _within(tables):
    """Sample variances of the records' differences within the test sets."""
    n, discordant = tables.sum(axis=-1), tables[..., 1] + tables[..., 2]
    return (discordant - n * gains(tables) ** 2) / (n - 1)


def conservative_z(part, tables):
    values = gains(tables["halves"]).reshape(-1, HALVINGS, 2, HOLDOUTS).mean(axis=-1)
    variance = ((values[..., 0] - values[..., 1]) ** 2).mean(axis=-1) / 2
    return _two_sided(gains(part(tables)).mean(axis=-1), variance, ndtr)


def pseudo_bootstrap_t(part, tables, *, share):
    """`share` is n2/n1 for the corrected test, and 0 for the plain one."""
    means = gains(tables["replicates"]).reshape(-1, REPLICATES, HOLDOUTS).mean(axis=-1)
    variance = (1 + HOLDOUTS * share) * means.var(axis=-1, ddof=1)
    return _student(gains(part(tables)).mean(axis=-1), variance, REPLICATES - 1)


def _cells(tables):
    return np.moveaxis(tables.astype(float), -1, 0)


def _chi_squared(champion, challenger, correction=1.0):
    """McNemar's statistic with continuity correction; 0 without discordant pairs."""
    discordant = champion + challenger
    distance = np.maximum(0, np.abs(challenger - champion) - correction)
    return distance**2 / np.where(discordant > 0, discordant, 1.0)


def mcnemar(part, tables, *, method):
    _, champion, challenger, _ = _cells(part(tables))
    if method == "corrected":
        return chdtrc(1, _chi_squared(champion, challenger))
    smaller, total = np.minimum(champion, challenger), champion + challenger
    exact = np.where(champion == challenger, 1.0, 2 * bdtr(smaller, total.astype(int), 0.5))
    if method == "exact":
        return exact
    observed = binom.pmf(smaller, total, 0.5)
    # At equal counts both tails hold the observed number, which then counts once.
    equal = np.where(total == 0, 1.0, 1 - observed / 2)
    return np.where(champion == challenger, equal, exact - observed)


def naive_kfold_mcnemar(part, tables, *, correction=1.0):
    _, champion, challenger, _ = _cells(part(tables))
    statistics = _chi_squared(champion, challenger, correction)
    return chdtrc(FOLDS, statistics.sum(axis=-1))


def bcv_mcnemar(part, tables):
    _, champion, challenger, _ = 20 / 11 * _cells(part(tables).mean(axis=-2))
    return chdtrc(1, _chi_squared(champion, challenger))


def _design(name, tables):
    return tables[name]


def _first(name, tables):
    """The first split, as a design of its own."""
    return tables[name][..., 0, :]


def _first_repetition(tables):
    return tables["10x10"][..., :FOLDS, :]


RHO, SMALL, TEN = (
    partial(_design, name) for name in ("repeated holdout", "small holdout", "10x10")
)
RANDOM, THREE, FIVE = (partial(_design, name) for name in ("random 5x2", "3x2", "5x2"))
HOLDOUT = partial(_first, "repeated holdout")
FOLD = _first_repetition


def _rows():
    """Key, title, records trained on, whether Table V has it, and the test."""
    yield "repeated_holdout_t", "RHO t", "2n/3", True, partial(t_of_splits, RHO)
    yield "kfold_t", "10-fold CV t", "9n/10", True, partial(t_of_splits, FOLD)
    yield "paired_5x2_t", "5×2 CV t", "n/2", True, partial(paired_5x2_t, RANDOM)
    for name, title, part, size in (
        ("repeated_holdout_t", "RHO t", SMALL, "9n/10"),
        ("repeated_kfold_t", "10×10 CV t", TEN, "9n/10"),
        ("5x2_t", "5×2 CV t", RANDOM, "n/2"),
    ):
        ratio = 1.0 if size == "n/2" else RATIO
        for weight, word in ((1, "published"), (2, "doubled")):
            how = partial(t_of_splits, part, share=weight * ratio)
            paper = word == "published" and size == "9n/10"
            yield f"corrected_{name} {word}", f"corrected {title}, {word}", size, paper, how
    how = partial(t_of_splits, FOLD, share=RATIO)
    yield "corrected_kfold_t", "corrected 10-fold CV t", "9n/10", False, how
    how = partial(combined_5x2_t, RANDOM)
    yield "combined_5x2_t", "combined 5×2 CV t", "n/2", True, how
    for part, m in ((THREE, 3), (FIVE, 5)):
        for variant in ("published", "validation", "conservative"):
            key, title = f"blocked_t {m}x2 {variant}", f"blocked {m}×2 CV t, {variant}"
            paper = m == 3 and variant == "published"
            yield key, title, "n/2", paper, partial(blocked_t, part, variant=variant)
    for key, title, part, df in (
        ("combined_5x2_f", "combined 5×2 CV F", RANDOM, 10),
        ("calibrated_5x2_f", "calibrated 5×2 BCV F", FIVE, 7),
    ):
        yield key, title, "n/2", True, partial(five_by_two_f, part, df=df)
    how = partial(proportional_z, HOLDOUT)
    yield "proportional_z", "proportional Z", "2n/3", True, how
    for kind in ("out", "in"):
        how, title = partial(cv_ci_z, FOLD, variance=kind), f"10-fold CV-CI Z, {kind}"
        yield f"cv_ci_z {kind}", title, "9n/10", kind == "out", how
    for method in ("corrected", "exact", "mid-p"):
        how, title = partial(mcnemar, HOLDOUT, method=method), f"hold-out McNemar, {method}"
        yield f"mcnemar {method}", title, "2n/3", method == "corrected", how
    how = partial(naive_kfold_mcnemar, FOLD)
    yield "naive_kfold_mcnemar", "naive 10-fold McNemar", "9n/10", True, how
    how, title = partial(how, correction=0.0), "naive 10-fold McNemar, uncorrected"
    yield "naive_kfold_mcnemar uncorrected", title, "9n/10", False, how
    yield "bcv_mcnemar", "5×2 BCV McNemar", "n/2", True, partial(bcv_mcnemar, FIVE)


def _costly_rows():
    """The same for the tests that need many more splits; Table V has none of them."""
    for share, prefix in ((0, ""), (RATIO, "corrected ")):
        key = f"{prefix}pseudo_bootstrap_t".replace(" ", "_")
        how = partial(pseudo_bootstrap_t, SMALL, share=share)
        yield key, f"{prefix}pseudo bootstrap t", "9n/10", False, how
    how = partial(conservative_z, SMALL)
    yield "conservative_z", "conservative Z", "9n/10", False, how


TESTS = (
    *(Test(*row, costly=False) for row in _rows()),
    *(Test(*row, costly=True) for row in _costly_rows()),
)


def decide(test, tables):
    """P-values of a test for tables of all splits, of shape (data sets, splits, 4)."""
    return test.pvalues(parts_of(tables))
