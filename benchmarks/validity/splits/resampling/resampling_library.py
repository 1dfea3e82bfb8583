"""Whether the simulation learns as scikit-learn does, and decides as skcompare does."""

from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.validity.splits.resampling.resampling_decisions import TESTS, decide, gains
from benchmarks.validity.splits.resampling.resampling_designs import (
    FOLDS,
    HALVINGS,
    HOLDOUTS,
    REPEATS,
    draw_splits,
    parts_of,
)
from benchmarks.validity.splits.resampling.resampling_epsilon import epsilon_tables
from benchmarks.validity.splits.resampling.resampling_study import simulate_dataset
from benchmarks.validity.splits.resampling.resampling_worlds import (
    Exp6,
    Simple,
    logistic_coefficients,
    nearest,
)
from skcompare._registry.tests import get_test
from skcompare.evidence import ContingencyTable, PairedBlocks, ScoreDifferences

CLOSE = 1e-4
"""Difference of coefficients that scikit-learn's own tolerance explains."""

ALLOWED = 1e-9
"""Difference of p-values that the order of additions explains."""

CHECKED = 40
"""Data sets whose p-values are compared, and strengths of a data set count."""

APART = 2**31
"""Part of the seed of these data sets, which are none of those of the study."""


def compare_with_sklearn(rng):
    """Stop unless the learners of this study are those of scikit-learn."""
    X, y = Simple().draw(1000, rng)
    x = X[:, 0] + 0.3 * y
    splits = draw_splits(1000, rng)
    ours = logistic_coefficients(x, y, splits.train)
    for k in range(0, len(splits.train), 10):
        train = splits.train[k]
        # C = infinity is no penalty.
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        model.fit(x[train, np.newaxis], y[train])
        theirs = np.array([model.intercept_[0], model.coef_[0, 0]])
        if np.abs(ours[:, k] - theirs).max() > CLOSE:
            raise SystemExit(f"Logistic regression differs: {ours[:, k]}, not {theirs}.")
    _compare_neighbours(rng)


def _compare_neighbours(rng):
    world = Exp6()
    X, y = world.draw(world.n, rng)
    splits = draw_splits(world.n, rng)
    distances = world.distances(world.squares(X, X), 0.37)
    found = nearest(distances, splits.train, splits.pairs)
    stretched = X * np.sqrt([0.37, 1 / 0.37])
    for k, (train, test) in enumerate(zip(splits.train, splits.test)):
        here = splits.pairs[0] == k
        masked = np.where(train, distances[test], np.inf)
        if not np.array_equal(np.argmin(masked, axis=1), found[here]):
            raise SystemExit("A nearest neighbour differs from that of all distances.")
        model = KNeighborsClassifier(1).fit(stretched[train], y[train])
        away, _ = model.kneighbors(stretched[test])
        ours = distances[splits.pairs[1][here], found[here]]
        if not np.allclose(away[:, 0] ** 2, ours):
            raise SystemExit("A nearest neighbour is farther than that of scikit-learn.")


class Call(NamedTuple):
    """How a test of the library is called on the tables of one data set."""

    name: str
    part: str
    shape: tuple
    more: str = ""
    """Splits that follow in rows of their own."""
    options: dict = {}


def _calls():
    hold, kfold, halves = (HOLDOUTS,), (FOLDS,), (5, 2)
    yield "repeated_holdout_t", Call("repeated_holdout_t", "repeated holdout", hold)
    yield "kfold_t", Call("kfold_t", "10x10", kfold)
    yield "corrected_kfold_t", Call("corrected_repeated_kfold_t", "10x10", (1, FOLDS))
    for key, name, part, shape in (
        ("repeated_holdout_t", "repeated_holdout_t", "small holdout", hold),
        ("repeated_kfold_t", "repeated_kfold_t", "10x10", (REPEATS, FOLDS)),
        ("5x2_t", "repeated_kfold_t", "random 5x2", halves),
    ):
        for word in ("published", "doubled"):
            call = Call(f"corrected_{name}", part, shape, options={"correction": word})
            yield f"corrected_{key} {word}", call
    for name in ("paired_5x2_t", "combined_5x2_t", "combined_5x2_f"):
        yield name, Call(name, "random 5x2", halves)
    yield "calibrated_5x2_f", Call("calibrated_5x2_f", "5x2", halves)
    for m in (3, 5):
        for variant in ("published", "validation", "conservative"):
            options = {"variant": variant}
            call = Call("blocked_t", f"{m}x2", (m, 2), options=options)
            yield f"blocked_t {m}x2 {variant}", call
    for kind in ("out", "in"):
        call = Call("cv_ci_z", "10x10", kfold, options={"variance": kind})
        yield f"cv_ci_z {kind}", call
    for prefix in ("", "corrected_"):
        name, options = f"{prefix}pseudo_bootstrap_t", {"experimental": True}
        yield name, Call(name, "small holdout", hold, "replicates", options)
    yield "conservative_z", Call("conservative_z", "small holdout", hold, "halves")
    yield "proportional_z", Call("proportional_z", "repeated holdout", ())
    for method in ("corrected", "exact", "mid-p"):
        call = Call("mcnemar", "repeated holdout", (), options={"method": method})
        yield f"mcnemar {method}", call
    yield "naive_kfold_mcnemar", Call("naive_kfold_mcnemar", "10x10", kfold)
    yield "bcv_mcnemar", Call("bcv_mcnemar", "5x2", halves)


CALLS = dict(_calls())


def compare_with_library(world, seed):
    """Stop unless all p-values of some data sets are those of `skcompare.stats`."""
    tables = simulate_some(world, seed)
    tables = np.concatenate([tables, edge_cases(tables[0])])
    gap = largest_gap(tables, world.n)
    print(f"{world.name}: {len(tables)} data sets went through skcompare.stats too:")
    print(f"largest difference of p-values {gap:.0e}.\n", flush=True)
    if gap > ALLOWED:
        raise SystemExit("The simulation does not decide as the library does.")


def simulate_some(world, seed):
    """Tables of some data sets with the splits of all tests, (data sets, splits, 4)."""
    label = np.random.SeedSequence([seed, APART])
    if world.name == "epsilon":
        return epsilon_tables(CHECKED, np.random.default_rng(label), costly=True)
    tables = [simulate_dataset(world, each, costly=True) for each in label.spawn(2)]
    return np.concatenate(tables)[:CHECKED]


def edge_cases(tables):
    """No discordant pairs, one for the challenger on every split, and one on the first."""
    cases = np.zeros((3, *tables.shape), dtype=tables.dtype)
    cases[1, :, 2] = cases[2, 0, 2] = 1
    cases[..., 0] = tables.sum(axis=-1) - cases[..., 2]
    return cases


def largest_gap(tables, n):
    """Greatest difference of p-values; both must have one or none."""
    gaps = []
    for test in TESTS:
        if test.key not in CALLS:
            # The naive test without correction, which explains what the paper prints.
            continue
        expected = [library_pvalue(CALLS[test.key], parts_of(one), n) for one in tables]
        gap = np.abs(decide(test, tables) - expected)
        if not np.array_equal(np.isnan(gap), np.isnan(expected)):
            raise SystemExit(f"{test.key} has a p-value here, and none in skcompare.stats.")
        gaps.append(np.nanmax(gap, initial=0.0))
    return max(gaps)


def library_pvalue(call, parts, n):
    """P-value of one data set by the registered function, from the evidence it takes."""
    entry = get_test(call.name)
    tables = parts[call.part]
    tables = tables[: int(np.prod(call.shape, dtype=int))].reshape(*call.shape, 4)
    if call.more:
        rows = parts[call.more].reshape(-1, *call.shape, 4)
        tables = np.concatenate([tables[np.newaxis], rows])
    if entry.needs is ContingencyTable:
        evidence = ContingencyTable(*tables.tolist())
    elif entry.needs is PairedBlocks:
        evidence = PairedBlocks(tables)
    else:
        evidence = score_differences(tables, n)
    return entry.function(evidence, **call.options).pvalue


def score_differences(tables, n):
    """Differences of accuracies with their sizes and variances within the test sets."""
    n_test = tables.sum(axis=-1)
    values = gains(tables)
    squares = (tables[..., 1] + tables[..., 2]) / n_test
    variances = (squares - values**2) / (n_test - 1)
    n_train = n - n_test
    if n_train.ndim == 2 and len(n_train) == 1 + 2 * HALVINGS:
        n_train[1:] -= n - n // 2
    return ScoreDifferences(values, n_train.ravel(), n_test.ravel(), variances)
