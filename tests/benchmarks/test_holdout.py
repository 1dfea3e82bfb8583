"""The study of heavy tails: its tests of many data sets at once, one by one."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

decisions = pytest.importorskip("benchmarks.validity.regressors.holdout_decisions")
from benchmarks.validity.regressors import holdout_worlds as worlds  # noqa: E402

SETS = np.random.default_rng(3).gamma(1.0, size=(3, 30)) - 0.8


def both(statistic, df):
    return [stats.t.sf(statistic, df), stats.t.cdf(statistic, df)]


def test_decisions_of_the_library():
    """Student's t, the test of gates, signs, ranks and flags are those of the library."""
    decisions.check(SETS[0])


@pytest.mark.parametrize("k", range(len(SETS)))
def test_formulas_of_one_data_set(k):
    """Johnson's equation 2.5 and Hall's transformation, from central moments."""
    x, n = SETS[k], SETS.shape[1]
    sets = decisions.Sets(SETS)
    mean, third, variance = x.mean(), stats.moment(x, 3), x.var(ddof=1)
    johnson = mean + third / (6 * variance * n) + third * mean**2 / (3 * variance**2)
    assert decisions.johnson(sets)[:, k] == pytest.approx(
        both(johnson * np.sqrt(n / variance), n - 1), rel=1e-10
    )
    s, skewness = mean / x.std() * np.sqrt((n - 1) / n), stats.skew(x)
    cubic = s + skewness * s**2 / 3 + skewness**2 * s**3 / 27 + skewness / 6 / n
    assert decisions.hall(sets)[:, k] == pytest.approx(
        both(np.sqrt(n) * cubic, n - 1), rel=1e-10
    )
    fourth, square = ((x - mean) ** 4).sum(), ((x - mean) ** 2).sum()
    df = 2 * square**2 / (fourth - square**2 / n)
    assert decisions.satterthwaite(sets)[:, k] == pytest.approx(
        both(sets.t[k], min(df, n - 1)), rel=1e-10
    )


def test_bootstraps_of_one_data_set():
    """SciPy's BCa limit at the p-value is 0, and t of resamples is counted as by hand."""
    sets = decisions.Sets(SETS)
    x, n = SETS[0], SETS.shape[1]
    counts = np.random.default_rng(7).multinomial(
        n, np.full(n, 1 / n), size=decisions.RESAMPLES
    )
    resamples = [np.repeat(x, count) for count in counts]
    t = [(r.mean() - x.mean()) / r.std(ddof=1) * np.sqrt(n) for r in resamples]
    above = 1 + sum(each >= stats.ttest_1samp(x, 0).statistic for each in t)
    found = decisions.bootstrap_t(sets, np.random.default_rng(7))
    assert above / (decisions.RESAMPLES + 1) == found[0, 0]

    pvalue = decisions.bootstrap_bca(sets, np.random.default_rng(7))[0, 0]
    limits = [
        stats.bootstrap(
            (x,), np.mean, confidence_level=1 - 2 * level, method="BCa",
            n_resamples=decisions.RESAMPLES, random_state=1,
        ).confidence_interval.low
        for level in (pvalue / 2, min(2 * pvalue, 0.499))
    ]  # fmt: skip
    assert limits[0] < 0 < limits[1]


def test_true_means_are_equal(monkeypatch):
    """Calibrated differences have the mean 0, within its error."""
    monkeypatch.setattr(worlds, "CALIBRATING", 20_000)
    rng = np.random.default_rng(5)
    for loss, kind in (("gamma", "normal"), ("squared", "laplace")):
        gains = worlds.differences(loss, kind, "unlike", 20, 2000, rng, 100_000)
        error = gains.std() / gains.size**0.5
        assert abs(gains.mean()) < 5 * error + 5 * gains.std() / 100_000**0.5


def test_noise_has_mean_0_and_variance_1():
    """Of each distribution, and positive ratios have mean 1."""
    rng = np.random.default_rng(2)
    for kind in worlds.ERRORS:
        values = worlds.noise(kind, 50_000, rng)
        assert 0 == pytest.approx(values.mean(), abs=0.03)
        assert 1 == pytest.approx(worlds.ratios(kind, 50_000, rng).mean(), abs=0.03)
        if kind not in ("t3", "lognormal"):
            assert 1 == pytest.approx(values.var(), abs=0.15)


def test_losses_of_forecasts():
    """The CRPS is its integral, and deviances those of scikit-learn."""
    metrics = pytest.importorskip("sklearn.metrics")
    crps = worlds.OF_ERRORS["crps"](0.7, 1.3)
    below = quad(lambda z: stats.norm.cdf(z, scale=1.3) ** 2, -20, 0.7)[0]
    above = quad(lambda z: stats.norm.sf(z, scale=1.3) ** 2, 0.7, 20)[0]
    assert below + above == pytest.approx(crps, rel=1e-7)
    y, predicted = np.array([2.0]), np.array([3.5])
    for name, power in (("poisson", 1), ("tweedie", 1.5), ("gamma", 2)):
        expected = metrics.mean_tweedie_deviance(y, predicted, power=power)
        assert expected == pytest.approx(worlds.OF_RATIOS[name](y, predicted)[0])
