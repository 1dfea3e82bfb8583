"""Where the observed shares of a calibrated classifier would lie."""

import itertools
import json

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import Design
from skcompare.evidence import PairedCalibration
from skcompare.stats import calibration_consistency
from skcompare.stats.calibration import _calibration_tests as module
from skcompare.stats.calibration._calibration_tests import event_limits


def calibration(n=300, seed=0, **options):
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=n)
    y = rng.uniform(size=n) < p
    return PairedCalibration.from_predictions(y, p**2, p, **options)


def test_equal_probabilities():
    """Quantiles are those of the binomial distribution, by scipy."""
    for n, p, level in itertools.product(
        [1, 2, 10, 100, 1000], [0, 1e-4, 0.03, 0.5, 0.97, 1], [0.5, 0.95, 0.999]
    ):
        half = (1 - level) / 2
        low, high = stats.binom.ppf([half, 1 - half], n, p)

        # At probability 0 scipy's lower quantile is the number below the least one.
        assert (max(0, low), high) == event_limits(np.full(n, float(p)), level)


def test_different_probabilities_by_convolution():
    """The distribution is that of events that are added one by one."""
    p = np.random.default_rng(0).uniform(size=60) ** 3
    masses = np.ones(1)
    for each in p:
        masses = np.convolve(masses, [1 - each, each])
    below = np.cumsum(masses)
    lowest, found = module._masses(p)

    assert 0 == lowest
    assert masses == pytest.approx(found, abs=1e-14)
    expected = tuple(np.searchsorted(below, [0.025, 0.975]))
    assert expected == event_limits(p, 0.95)


def test_different_probabilities_by_simulation():
    """No more than a fortieth of drawn numbers is below, and above, the limits."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0.2, 0.4, size=80)
    low, high = event_limits(p, 0.95)
    drawn = (rng.random((20_000, 80)) < p).sum(axis=1)

    assert np.mean(drawn < low) < 0.029
    assert np.mean(drawn > high) < 0.029
    assert np.mean(drawn < low + 1) > 0.02
    assert np.mean(drawn > high - 1) > 0.02


@pytest.mark.parametrize("events", [3, 40_000])
def test_many_records(monkeypatch, events):
    """Probabilities that are taken together leave the limits where others have them."""
    monkeypatch.setattr(module, "MOST_TERMS", 1 << 16)
    n = 100_000
    p = np.random.default_rng(0).uniform(0.5, 1.5, size=n) * events / n
    known = stats.poisson(p.sum())
    if events > 3:
        known = stats.norm(p.sum(), np.sqrt((p * (1 - p)).sum()))
    found = event_limits(p, 0.95)

    assert known.ppf([0.025, 0.975]) == pytest.approx(found, abs=1 if events > 3 else 0)


def test_bins():
    """Each bin has the limits of its own records, and the observed share to compare."""
    evidence = calibration(n_bins=7)
    found = calibration_consistency(evidence, "champion", confidence_level=0.9)
    p, codes = evidence.proba[0], evidence.codes[0]
    expected = [np.array(event_limits(p[codes == b], 0.9)) for b in range(7)]
    counts = np.bincount(codes)

    assert np.array(expected) / counts[:, np.newaxis] == pytest.approx(
        np.stack([found.low, found.high], axis=1)
    )
    assert evidence.curve("champion").mean_outcome.tolist() == found.mean_outcome.tolist()
    outside = (found.mean_outcome < found.low) | (found.mean_outcome > found.high)
    assert outside.tolist() == found.outside.tolist()
    assert "Poisson-binomial" == found.method
    assert 0.9 == found.confidence_level
    by_number = calibration_consistency(evidence, 0, confidence_level=0.9)
    assert by_number.low.tolist() == found.low.tolist()


def test_sums_only():
    """Without the records the binomial distribution of the mean is wider by little."""
    evidence = calibration(2000, n_bins=10)
    known = calibration_consistency(evidence)
    found = calibration_consistency(evidence.reduced())

    assert "binomial" == found.method
    assert (found.low <= known.low + 1e-12).all()
    assert (found.high >= known.high - 1e-12).all()
    assert known.high == pytest.approx(found.high, abs=0.03)


def test_empty_bins_and_sure_events():
    """An empty bin has no limits, one of sure events no others than these."""
    evidence = PairedCalibration.from_predictions(
        [0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.45], n_bins=4
    )
    sure = calibration_consistency(evidence, "champion")
    wrong = calibration_consistency(evidence.reduced(), "challenger")

    assert [0.0, 1.0] == sure.high[[0, 3]].tolist() == sure.low[[0, 3]].tolist()
    assert np.isnan(sure.low[1:3]).all()
    assert not sure.outside.any()
    assert [False, False, False, True] == wrong.outside.tolist()
    # A single record may have either outcome.
    assert [0.0, 1.0] == [wrong.low[1], wrong.high[1]]


def test_classwise_bins():
    """Every class has bins of its own, of one row per record."""
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], size=90)
    y = np.arange(90) % 3
    evidence = PairedCalibration.from_predictions(
        y, proba, proba[::-1], n_bins=4, kind="classwise"
    )
    found = calibration_consistency(evidence)
    first = proba[::-1][:, 0]
    expected = event_limits(first[first < 0.25], 0.95)

    assert 12 == len(found.low)
    assert expected[1] / np.sum(first < 0.25) == pytest.approx(found.high[0])


def test_dependent_records_are_flagged():
    """The limits are for records that do not depend on each other."""
    grouped = calibration(30, groups=np.arange(30) // 3)
    evidence = calibration(30)
    repeated = PairedCalibration(
        evidence.proba,
        evidence.outcomes,
        evidence.edges,
        design=Design("repeated kfold", n_repeats=2, n_folds=5),
    )

    assert () == calibration_consistency(evidence).flags
    assert ("invalid-design",) == calibration_consistency(grouped).flags
    assert ("invalid-design",) == calibration_consistency(repeated).flags
    assert calibration_consistency(repeated).caveats[0].startswith("invalid-design")


def test_plain_values():
    """As a dict that JSON takes, and as a frame."""
    found = calibration_consistency(calibration(n_bins=5))

    assert found.low.tolist() == json.loads(json.dumps(found.to_dict()))["low"]
    assert found.high.tolist() == found.to_frame()["high"].tolist()


@pytest.mark.parametrize(
    ("role", "level", "words"), [("winner", 0.95, "role"), (0, 95, "confidence_level")]
)
def test_refused(role, level, words):
    """Roles and levels that there are not."""
    with pytest.raises(ValueError, match=words):
        calibration_consistency(calibration(20), role, confidence_level=level)
