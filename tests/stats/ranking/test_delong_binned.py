"""DeLong's tests of records that were counted by levels of their scores."""

import numpy as np
import pytest

from skcompare._core.flags import explain
from skcompare.evidence import PlacementValues, ScoreBins
from skcompare.stats import (
    auc_contrast,
    auc_interval,
    delong,
    delong_joint,
    pairwise_delong,
    plan_auc_from_pilot,
    unpaired_delong,
)

KEYS = ("auc_error_bound", "auc_error_expected", "standard_error_bound")


def sample(k=2, n=400, n_score_bins=16):
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.4
    scores = rng.beta(2 + y, 3, (k, n))
    score_bins = ScoreBins.uniform(n_score_bins)
    return (
        PlacementValues.from_predictions(y, *scores),
        PlacementValues.from_predictions(y, *score_bins.codes(scores)),
        PlacementValues.from_predictions(y, *scores, score_bins=score_bins),
    )


def test_delong_of_levels_is_that_of_scores_with_such_levels():
    """But for the flag, and for what says how far the scores themselves may be."""
    exact, rounded, binned = sample()
    expected, result = delong(rounded).to_dict(), delong(binned)

    assert ("binned-scores",) == result.flags
    assert "bins of their scores" in explain(result.flags)[0]
    details = dict(result.details)
    found = {key: details.pop(key) for key in KEYS}
    assert details == dict(delong(rounded).details)
    actual = result.to_dict()
    for key in ("statistic", "pvalue", "estimate", "parts"):
        assert expected[key] == actual[key]
    truth = delong(exact)
    assert abs(truth.estimate - result.estimate) <= found["auc_error_bound"] < 0.1
    off = truth.details["standard_error"] - result.details["standard_error"]
    assert abs(off) <= found["standard_error_bound"]
    assert 0 < found["auc_error_expected"] < found["auc_error_bound"] / 3


def test_every_test_says_that_scores_were_binned():
    """And none where levels are the scores themselves."""
    exact, rounded, binned = sample(k=3)
    one, other = sample(k=1)[1:]
    for placements, expected in ((binned, True), (rounded, False), (exact, False)):
        found = [
            delong_joint(placements).flags,
            auc_contrast(placements, [-2, 1, 1]).flags,
            pairwise_delong(placements).flags,
        ]
        assert [expected] * 3 == ["binned-scores" in flags for flags in found]
    assert set(KEYS) <= set(auc_contrast(binned, [-2, 1, 1]).details)
    assert "binned-scores" in auc_interval(other).flags
    assert "binned-scores" in unpaired_delong(one, other).flags
    assert "binned-scores" not in unpaired_delong(one, one).flags


def test_a_plan_needs_single_records():
    """Its formulas take placement values one by one."""
    _, _, binned = sample()
    with pytest.raises(ValueError, match="counted in cells"):
        plan_auc_from_pilot(binned)
