"""The interval of one AUC, and two AUCs of different records."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

from skcompare.evidence import PlacementValues
from skcompare.stats import auc_interval, unpaired_delong
from skcompare.stats.core._tails import reference_pvalue, reference_quantile
from skcompare.stats.ranking._delong import newcombe_limits
from tests.common.golden import golden

GOLDEN = golden("auc")
ASAH = GOLDEN["aSAH"]
ONE = [(case, model) for case in GOLDEN["cases"] for model in case["auc"]]


def one_score(seed=0, n=50, gain=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:4] = 0, 1, 0, 1
    return y, gain * y + rng.normal(size=n)


def newcombe_variance(t, m, n):
    """Newcombe's variance of an AUC of t."""
    more = (m + n) / 2 - 1
    return t * (1 - t) / (m * n) * (1 + more * (1 - t) / (2 - t) + more * t / (1 + t))


def test_other_implementations():
    """R pROC's interval of each AUC, which is the plain one, cut off at 0 and 1."""
    for case, model in ONE:
        known = case["auc"][model]

        found = auc_interval(case["y"], case["scores"][int(model)], method="wald")

        assert (known["ci_lo"], known["ci_hi"]) == pytest.approx(tuple(found), rel=1e-10)
        assert known["auc"] == pytest.approx(found.auc, rel=1e-12)
        assert known["se"] == pytest.approx(found.standard_error, rel=1e-10)


def test_proc_data():
    """Plain and logit limits of a marker of pROC's data."""
    y, score = ASAH["y"], ASAH["s100b"]

    assert ASAH["ci_s100b"] == pytest.approx(
        list(auc_interval(y, score, method="wald")), rel=1e-12
    )
    assert ASAH["plain_s100b"] == pytest.approx(
        list(auc_interval(y, score, method="wald")), abs=5e-8
    )
    assert ASAH["logit_s100b"] == pytest.approx(list(auc_interval(y, score)), abs=6e-8)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_logit_by_hand(level):
    """The plain interval of the log odds."""
    y, score = one_score()
    found = auc_interval(y, score, confidence_level=level)
    z = norm.isf((1 - level) / 2)
    reach = z * found.standard_error / (found.auc * (1 - found.auc))

    assert found.low == pytest.approx(expit(logit(found.auc) - reach), rel=1e-12)
    assert found.high == pytest.approx(expit(logit(found.auc) + reach), rel=1e-12)
    assert "logit" == found.method


def test_newcombe_solves_its_equation():
    """Each limit inside (0, 1) is z of its own standard errors from the AUC."""
    for auc, (m, n), z in itertools.product(
        [0.0, 1e-6, 0.3, 0.5, 0.97, 1.0],
        [(1, 1), (1, 9), (5, 3), (400, 70)],
        [0.1, 1.96, 5.0],
    ):
        low, high = newcombe_limits(auc, m, n, z)
        mirrored = newcombe_limits(1 - auc, m, n, z)

        assert 0 <= low <= auc <= high <= 1
        assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)
        for limit in (low, high):
            if 0 < limit < 1:
                distance = z * math.sqrt(newcombe_variance(limit, m, n))
                assert abs(auc - limit) == pytest.approx(distance, rel=1e-6, abs=1e-12)
        assert high - low > 0


@pytest.mark.parametrize("n", [2, 5, 50])
def test_perfect_ranking(n):
    """A perfect ranking of few records is no proof: the interval has a width."""
    y, score = np.repeat([0, 1], n), np.arange(2 * n)
    for turned in (1, -1):
        found = auc_interval(y, turned * score)

        assert "newcombe" == found.method
        assert 0 <= found.low < found.high <= 1
        assert found.auc in (found.low, found.high)
        assert 0 == found.standard_error
    assert (1, 1) == tuple(auc_interval(y, score, method="wald"))


def test_constant_score():
    """Placement values that do not vary have Newcombe's interval around a half."""
    found = auc_interval([0, 0, 1, 1, 1], [3] * 5)

    assert (0.5, "newcombe") == (found.auc, found.method)
    assert found.low < 0.5 < found.high
    assert ("few-distinct-scores",) == found.flags
    assert "balanced accuracy" in found.caveats[0]


@pytest.mark.parametrize("method", ["logit", "wald"])
def test_one_record_of_a_class(method):
    """The AUC is defined, its standard error is not, and one method needs none."""
    y, score = [0, 1, 0, 0], [1, 3, 4, 2]
    found = auc_interval(y, score, method=method)

    assert 2 / 3 == found.auc
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    assert ("one-record-of-a-class",) == found.flags
    low, high = auc_interval(y, score, method="newcombe")
    assert 0 < low < 2 / 3 < high < 1


def test_placement_values_of_one_classifier():
    """What is ranked already is not ranked again, and several are refused."""
    y, score = one_score()
    placements = PlacementValues.from_predictions(y, score)

    assert auc_interval(y, score) == auc_interval(placements)
    assert pickle.loads(pickle.dumps(auc_interval(y, score))) == auc_interval(y, score)
    turned = auc_interval(y, -score, pos_label=0)
    assert tuple(auc_interval(y, score)) == pytest.approx(tuple(turned), rel=1e-12)
    with pytest.raises(ValueError, match=r"about one classifier. Got 2"):
        auc_interval(PlacementValues.from_predictions(y, score, score))
    with pytest.raises(ValueError, match="Leave them out"):
        auc_interval(placements, score)
    with pytest.raises(ValueError, match="Leave them out"):
        auc_interval(placements, pos_label=1)
    with pytest.raises(ValueError, match=r"needs scores. Got none"):
        auc_interval(y)
    with pytest.raises(ValueError, match="Unknown method 'delong'"):
        auc_interval(y, score, method="delong")
    with pytest.raises(ValueError, match="`confidence_level`"):
        auc_interval(y, score, confidence_level=95)
    with pytest.raises(ValueError, match="needs records of both classes"):
        auc_interval([1, 1], [1, 2])


@pytest.mark.slow
def test_coverage():
    """Logit limits hold the AUC of new records in about 95 % of samples."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 30])
    truth = norm.cdf(2 / math.sqrt(2))
    held = {"logit": 0, "newcombe": 0}
    for _ in range(1000):
        placements = PlacementValues.from_predictions(y, 2 * y + rng.normal(size=70))
        for method in held:
            low, high = auc_interval(placements, method=method)
            held[method] += low <= truth <= high

    assert all(0.93 < count / 1000 < 0.98 for count in held.values())


def unpaired_of_proc(**options):
    """Two markers of pROC's data as if they came from different patients."""
    first, second = (
        PlacementValues.from_predictions(ASAH["y"], ASAH[name])
        for name in ("s100b", "wfns")
    )
    return unpaired_delong(first, second, **options)


def test_unpaired_data_of_proc():
    """The statistic that pROC gives with paired=FALSE, on Welch's degrees of freedom."""
    result = unpaired_of_proc()
    (v1, v2), n = (part["variance"] for part in result.parts), len(ASAH["y"])

    assert ASAH["unpaired_wfns_s100b"] == pytest.approx(result.statistic, abs=5e-8)
    df = (v1 + v2) ** 2 / (v1**2 / (n - 1) + v2**2 / (n - 1))
    assert df == pytest.approx(result.df, rel=1e-12)
    assert 2 * t.sf(result.statistic, df) == pytest.approx(result.pvalue, rel=1e-12)
    assert 226 == result.n


def test_unpaired_normal():
    """The normal reference, one-sided, and its interval."""
    result = unpaired_of_proc(df="normal", alternative="greater", null_value=0.05)
    spread = result.details["standard_error"]

    assert norm.sf((result.estimate - 0.05) / spread) == pytest.approx(result.pvalue)
    low, high = result.confidence_interval(0.9)
    assert (result.estimate - norm.isf(0.1) * spread, 1) == pytest.approx((low, high))
    assert result.df is None


def test_unpaired_roles():
    """Swapped test sets mirror everything; the same one twice has p 1."""
    first = PlacementValues.from_predictions(*one_score(1))
    second = PlacementValues.from_predictions(*one_score(2, n=80, gain=2.0))
    one, other = unpaired_delong(first, second), unpaired_delong(second, first)

    assert (-one.statistic, one.pvalue, one.df) == (other.statistic, other.pvalue, other.df)
    low, high = one.confidence_interval()
    assert (-high, -low) == pytest.approx(tuple(other.confidence_interval()))
    assert one.champion == first.aucs[0]
    assert (0.0, 1.0) == tuple(unpaired_delong(first, first))
    assert not unpaired_delong(first, first).degenerate
    again = pickle.loads(pickle.dumps(one))
    assert one.confidence_interval() == again.confidence_interval()
    for alternative, expected in (("less", 1), ("greater", 0)):
        pvalue = unpaired_delong(first, second, alternative=alternative).pvalue
        assert abs(expected - one.pvalue / 2) == pytest.approx(pvalue)


def test_unpaired_without_variance():
    """Two perfect rankings do not differ; a perfect and a useless one have no p."""
    y = [0, 0, 1, 1]
    perfect, useless = (
        PlacementValues.from_predictions(y, score) for score in ([1, 2, 3, 4], [0] * 4)
    )
    alike, apart = unpaired_delong(perfect, perfect), unpaired_delong(useless, perfect)

    assert (0.0, 1.0) == tuple(alike)
    assert alike.degenerate
    assert math.isnan(apart.pvalue)
    expected = ("zero-variance", "few-records-of-a-class", "few-distinct-scores")
    assert expected == apart.flags
    for result in (alike, apart):
        assert (-1, 1) == tuple(result.confidence_interval())


def test_unpaired_refusals():
    """One classifier each, two records of each class, a known reference."""
    y, score = one_score()
    one = PlacementValues.from_predictions(y, score)
    with pytest.raises(TypeError, match=r"unpaired_delong needs PlacementValues. Got list"):
        unpaired_delong(one, [1, 2])
    with pytest.raises(ValueError, match="`challenger` must have the scores of one"):
        unpaired_delong(one, PlacementValues.from_predictions(y, score, score))
    with pytest.raises(ValueError, match="at least two records of each class"):
        unpaired_delong(one, PlacementValues.from_predictions([0, 1, 1], [1, 2, 3]))
    with pytest.raises(ValueError, match="Unknown df 'satterthwaite'"):
        unpaired_delong(one, one, df="satterthwaite")
    grouped = PlacementValues.from_predictions(y, score, groups=np.arange(len(y)))
    assert ("invalid-design",) == unpaired_delong(one, grouped).flags


@pytest.mark.parametrize("method", ["logit", "wald", "newcombe"])
def test_few_records_and_groups_are_flagged(method):
    """Nine records of a class are few, but for Newcombe's; groups are not allowed for."""
    for n_few, flags in ((9, ("few-records-of-a-class",)), (10, ())):
        for y in (np.repeat([0, 1], [40, n_few]), np.repeat([0, 1], [n_few, 40])):
            score = np.sin(np.arange(len(y)))
            expected = () if method == "newcombe" else flags
            assert expected == auc_interval(y, score, method=method).flags
    grouped = PlacementValues.from_predictions(y, score, groups=np.arange(50) // 5)
    assert ("invalid-design",) == auc_interval(grouped, method=method).flags


def test_reference_tails():
    """Student's t with degrees of freedom that are no whole number, or none at all."""
    for df, statistic in itertools.product([1, 2.5, 12.47, 200], [0.0, 0.3, 2.0, 8.0]):
        for alternative, tail in (("greater", "sf"), ("less", "cdf")):
            for degrees, reference in ((df, t(df)), (None, norm)):
                pvalue, log_pvalue = reference_pvalue(statistic, degrees, alternative)
                assert getattr(reference, tail)(statistic) == pytest.approx(
                    pvalue, rel=1e-9
                )
                assert math.log(pvalue) == pytest.approx(log_pvalue, rel=1e-9, abs=1e-15)
                assert (float, float) == (type(pvalue), type(log_pvalue))


def test_reference_quantiles():
    """A quantile and its tail belong together, on both sides and for odd levels."""
    for df in [None, 1, 3.5, 30, 1e4]:
        for tail in (0.9, 0.4, 0.05, 1e-4, 1e-9):
            value = reference_quantile(tail, df)
            above, below = (reference_pvalue(value, df, a)[0] for a in ("greater", "less"))
            assert tail == pytest.approx(above, rel=1e-9)
            assert 1 - tail == pytest.approx(below, rel=1e-9)
            assert below == pytest.approx(reference_pvalue(-value, df, "greater")[0])
            assert type(value) is float
        assert norm.isf(0.01) == pytest.approx(reference_quantile(0.01, None))
