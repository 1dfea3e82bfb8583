"""Rules of the tests of splits, for many data sets at once."""

from functools import partial

import numpy as np
import pytest

from skcompare.evidence import ScoreDifferences
from skcompare.stats import conservative_z, cv_ci_z, kfold_t, paired_5x2_t
from skcompare.stats.splits import _published as published
from skcompare.stats.splits import _resampled_t as rules

N_SETS = 6
RULES = {
    "t of splits": (rules.t_of_splits, (10,)),
    "corrected t": (partial(rules.t_of_splits, ratio=0.25), (10,)),
    "first half": (published.t_of_first_half, (5, 2)),
    "halves": (published.t_of_halves, (5, 2)),
    "blocked": (published.blocked_halves, (3, 2)),
    "published": (partial(published.blocked_halves, variant="published"), (3, 2)),
    "bisections": (rules.z_of_bisections, (7, 4)),
    "replicates": (partial(published.t_of_replicates, ratio=0.1), (6, 4)),
    "F": (published.f_of_halves, (5, 2)),
}


def values_of(shape):
    """Data sets of all kinds: usual ones, all 0, all equal, and with an undefined split."""
    values = np.random.default_rng(0).normal(0.02, 0.1, (N_SETS, *shape)).round(3)
    values[1], values[2] = 0, 0.1
    values[3].flat[1] = np.nan
    return values


@pytest.mark.parametrize("name", RULES)
def test_many_data_sets_give_what_each_gives_alone(name):
    """Estimates, errors and degrees of freedom."""
    rule, shape = RULES[name]
    values = values_of(shape)
    together = rule(values)

    for k, one in enumerate(values):
        expected = [np.nan if part is None else part for part in rule(one)]
        ours = [
            np.nan if part is None else np.broadcast_to(part, N_SETS)[k]
            for part in together
        ]
        assert expected == pytest.approx(ours, rel=1e-12, abs=1e-15, nan_ok=True)


def test_records_of_folds_of_many_data_sets():
    """Deviations from differences, variances and sizes of the folds."""
    values = values_of((4,))
    within = np.full((N_SETS, 4), 0.2)
    n_test = np.array([[10, 10, 11, 12]] * N_SETS)
    for variance in ("out", "in"):
        together = published.deviation_of_records(values, within, n_test, variance=variance)
        for k, parts in enumerate(zip(values, within, n_test)):
            alone = map(float, published.deviation_of_records(*parts, variance=variance))
            expected = [part[k] for part in together]
            assert expected == pytest.approx(list(alone), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("test", "rule", "shape", "design"),
    [
        (kfold_t, rules.t_of_splits, (10,), "kfold"),
        (paired_5x2_t, published.t_of_first_half, (5, 2), "random 5x2"),
        (conservative_z, rules.z_of_bisections, (7, 4), "holdout in halves"),
    ],
)
def test_tests_are_their_rules(test, rule, shape, design):
    """Estimate and standard error of a result."""
    values = values_of(shape)[0]
    n_train = np.full(shape, 90)
    n_train[1:] = 90 if design != "holdout in halves" else 40
    result = test(ScoreDifferences(values, n_train.ravel(), 10, design=design))
    moments = rule(values)

    assert result.estimate == pytest.approx(float(moments.estimate))
    assert result.details["se"] == pytest.approx(float(moments.error))
    assert result.df == moments.df


def test_sizes_of_folds_weight_the_mean():
    """As in the test of the records of all folds."""
    scores = ScoreDifferences(
        [0.1, 0.0], n_train=[20, 10], n_test=[10, 20], variances=[0.01, 0.01]
    )

    assert 0.1 / 3 == pytest.approx(cv_ci_z(scores).estimate)
