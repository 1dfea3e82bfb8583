"""The CV-CI Z test: the authors' figures, unequal folds, leave-one-out, edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import KFold, LeaveOneOut

from skcompare._core.design import design_of
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.datasets import make_epsilon
from skcompare.evidence import ScoreDifferences
from skcompare.stats import cv_ci_z, paired_tests
from tests.common.golden import golden

GOLDEN = golden("resampling_z")
CASES = GOLDEN["cv_ci"]["cases"]
ALTERNATIVES = ("two-sided", "less", "greater")


def scores_of(champion, challenger, folds, design="kfold"):
    """Evidence from the losses of every record, by folds of positions."""
    champion, challenger = np.asarray(champion), np.asarray(challenger)
    gains = champion - challenger
    n_test = np.array([len(fold) for fold in folds])
    variances = [
        gains[fold].var(ddof=1) / len(fold) if len(fold) > 1 else math.nan for fold in folds
    ]
    return ScoreDifferences.from_scores(
        [champion[fold].mean() for fold in folds],
        [challenger[fold].mean() for fold in folds],
        len(gains) - n_test,
        n_test,
        variances=variances,
        design=design,
        score="loss",
        greater_is_better=False,
    )


def by_record(gains, folds, variance):
    """Mean, sigma and statistic, in loops over the records."""
    n = len(gains)
    mean = math.fsum(gains) / n
    if variance == "out":
        square = math.fsum((gain - mean) ** 2 for gain in gains) / n
    else:
        within = []
        for fold in folds:
            center = math.fsum(gains[i] for i in fold) / len(fold)
            total = math.fsum((gains[i] - center) ** 2 for i in fold)
            within.append(total / (len(fold) - 1))
        square = math.fsum(within) / len(folds)
    return mean, math.sqrt(square), mean / math.sqrt(square / n)


def test_other_implementation():
    """The authors' own code gives these numbers; the loss of A less that of B."""
    n_looked_at = 0
    for case, variance in itertools.product(CASES, ("out", "in")):
        if variance not in case:
            continue
        n_looked_at += 1
        expected = case[variance]
        folds = np.split(np.arange(len(case["A"])), case["n_folds"])

        result = cv_ci_z(scores_of(case["A"], case["B"], folds), variance=variance)

        assert expected["estimate"] == pytest.approx(result.estimate, rel=1e-10)
        assert expected["sigma"] == pytest.approx(result.details["deviation"], rel=1e-10)
        assert expected["z"] == pytest.approx(result.statistic, rel=1e-10)
        assert expected["p"] == pytest.approx(result.pvalue, rel=1e-10)
        assert expected["limits"] == pytest.approx(
            list(result.confidence_interval()), rel=1e-9, abs=1e-12
        )
    assert 5 == n_looked_at


def test_unequal_folds():
    """Folds count by their records, and parts within and between folds add up."""
    for seed, variance in itertools.product(range(10), ["out", "in"]):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        champion, challenger = rng.beta(1, 3, (2, n))
        folds = np.array_split(rng.permutation(n), 7)
        mean, sigma, z = by_record(champion - challenger, folds, variance)

        result = cv_ci_z(scores_of(champion, challenger, folds), variance=variance)

        assert mean == pytest.approx(result.estimate, rel=1e-12)
        assert sigma == pytest.approx(result.details["deviation"], rel=1e-12)
        assert z == pytest.approx(result.statistic, rel=1e-12)
        assert champion.mean() == pytest.approx(result.champion)
        assert challenger.mean() == pytest.approx(result.challenger)
        assert n == result.n


def test_leave_one_out():
    """One record a fold: "out" is the variance of the records, "in" is refused."""
    rng = np.random.default_rng(3)
    champion, challenger = rng.integers(0, 2, (2, 40))
    folds = [test for _, test in LeaveOneOut().split(champion)]
    scores = scores_of(champion, challenger, folds)
    _, sigma, z = by_record(champion - challenger, folds, "out")

    result = cv_ci_z(scores)

    assert z == pytest.approx(result.statistic)
    assert sigma == pytest.approx(result.details["deviation"])
    with pytest.raises(ValueError, match=r"at least 2 test records in each fold. Got 40 f"):
        cv_ci_z(scores, variance="in")


def test_one_lone_record():
    """A single fold of one record adds to "out", and is enough to refuse "in"."""
    gains = np.array([0.1, -0.2, 0.4, 0.3, 0.0])
    folds = [np.array([0, 1]), np.array([2, 3]), np.array([4])]
    scores = scores_of(gains, np.zeros(5), folds)

    assert by_record(gains, folds, "out")[2] == pytest.approx(cv_ci_z(scores).statistic)
    with pytest.raises(ValueError, match="Got 1 folds of one"):
        cv_ci_z(scores, variance="in")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_interval(alternative):
    """The mean plus and minus normal quantiles; one-sided to infinity."""
    gains = np.random.default_rng(0).normal(0.1, 1, 60)
    folds = np.split(np.arange(60), 6)
    result = cv_ci_z(scores_of(gains, np.zeros(60), folds), alternative=alternative)
    tail = 0.05 if alternative == "two-sided" else 0.1
    reach = stats.norm.isf(tail) * gains.std() / math.sqrt(60)
    low = -math.inf if alternative == "less" else gains.mean() - reach
    high = math.inf if alternative == "greater" else gains.mean() + reach

    assert (low, high) == pytest.approx(tuple(result.confidence_interval(0.9)))


def test_no_variances():
    """Without variances the message says how they are made."""
    scores = ScoreDifferences([0.1, 0.2], n_train=10, n_test=10, design="kfold")
    with pytest.raises(ValueError, match=r"needs the variances .* Got none. Pass `var"):
        cv_ci_z(scores)


def test_missing_variance():
    """A variance that nobody knows is not taken for 0."""
    scores = ScoreDifferences([0.1, 0.2], 10, 10, variances=[0.1, math.nan])
    with pytest.raises(ValueError, match=r"Got NaN for fold 1. Pass all"):
        cv_ci_z(scores)


def test_undefined_fold():
    """NaN on a fold: p is undefined, the estimate that of the other records."""
    scores = ScoreDifferences(
        [0.1, math.nan, 0.4],
        n_train=20,
        n_test=[10, 10, 30],
        variances=[0.1, math.nan, 0.1],
        design="kfold",
    )
    result = cv_ci_z(scores)

    assert 0.325 == pytest.approx(result.estimate)
    assert all(map(math.isnan, (result.statistic, result.pvalue, result.log_pvalue)))
    assert all(map(math.isnan, result.confidence_interval()))
    assert "undefined-in-split" in result.flags


@pytest.mark.parametrize("variance", ["out", "in"])
def test_no_difference_at_all(variance):
    """Nothing differs: statistic 0, p 1."""
    scores = ScoreDifferences([0.0] * 4, 30, 10, variances=[0.0] * 4, design="kfold")
    result = cv_ci_z(scores, variance=variance)

    assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
    assert result.degenerate
    assert (0, 0) == tuple(result.confidence_interval())


def test_same_folds_with_varying_records():
    """Equal folds are no lack of variation where records differ within them."""
    scores = ScoreDifferences([0.0] * 4, 30, 10, variances=[0.1] * 4, design="kfold")
    result = cv_ci_z(scores)

    assert (0, 1) == tuple(result)
    assert not result.degenerate


@pytest.mark.parametrize("sign", [1, -1])
def test_constant_difference(sign):
    """The same difference on every record: p is undefined, not 0."""
    value = sign * (0.1 + 0.2)
    scores = ScoreDifferences(
        [value, sign * 0.3, value], 30, 10, variances=[0.0] * 3, design="kfold"
    )
    result = cv_ci_z(scores)

    assert sign * math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert (sign * 0.3,) * 2 == pytest.approx(tuple(result.confidence_interval()))


def test_rounding_is_no_difference():
    """0.1 + 0.2 against 0.3 is no difference."""
    scores = ScoreDifferences.from_scores(
        [0.3, 0.3], [0.1 + 0.2, 0.3], 30, 10, variances=[0.0, 0.0], design="kfold"
    )

    assert (0, 1) == tuple(cv_ci_z(scores))
    assert cv_ci_z(scores).degenerate


def test_what_it_speaks_of():
    """The trained classifiers of a K-fold; it never runs unasked."""
    entry = paired_tests()["cv_ci_z"]
    design = design_of(KFold(5), 5)

    assert "models" == entry.inference
    assert "liberal" == entry.caution
    assert entry.match("accuracy") > entry.match("log_loss") > entry.match("roc_auc") == 0
    assert entry.valid_for(design)
    assert "cv_ci_z" not in [e.name for e in fitting_tests("accuracy", design)]


def test_published_error_rate():
    """On the epsilon data with K = 10, it is wrong about as often as printed."""
    (rate,) = (r for r in GOLDEN["epsilon"]["rates"] if r["test"] == "cv_ci_z")
    losses = np.stack(make_epsilon(300, 0.1, n_repetitions=1000, random_state=0))
    order = np.random.default_rng(0).permutation(300)
    folds = losses[:, :, order].reshape(2, 1000, 10, 30)
    gains = folds[0] - folds[1]
    rejected = [
        cv_ci_z(ScoreDifferences(gain, 270, 30, variances=variances, design="kfold")).pvalue
        < 0.05
        for gain, variances in zip(
            gains.mean(axis=2), gains.var(axis=2, ddof=1) / 30, strict=True
        )
    ]

    assert rate["printed"] == pytest.approx(np.mean(rejected), abs=0.03)
