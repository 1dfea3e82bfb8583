"""DeLong's test of two AUCs."""

import itertools
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from skcompare.evidence import PlacementValues
from skcompare.stats import auc_interval, delong
from skcompare.stats.core._power import planned
from skcompare.stats.ranking._delong import auc_effect
from tests.common.golden import golden

GOLDEN = golden("auc")
CASES = {case["name"]: case for case in GOLDEN["cases"]}
PAIRS = [(name, pair) for name, case in CASES.items() for pair in case["auc_pair"]]
ASAH = GOLDEN["aSAH"]


def placements_of(case, *models):
    models = models or range(len(case["scores"]))
    return PlacementValues.from_predictions(case["y"], *(case["scores"][m] for m in models))


def pair_of_scores(seed=0, n=80, gain=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:4] = 0, 1, 0, 1
    shared = rng.normal(size=n)
    return y, y + shared + rng.normal(size=n), gain * y + shared + rng.normal(size=n)


def test_other_implementations():
    """R pROC, fastDeLong and MLstatkit on eight samples, ties and rare classes too."""
    for name, pair in PAIRS:
        case, (a, b) = CASES[name], map(int, pair.split("-"))
        known = case["auc_pair"][pair]

        result = delong(placements_of(case, a, b))
        low, high = result.confidence_interval()

        tolerance = GOLDEN["tolerance"]
        assert -known["diff"] == pytest.approx(result.estimate, rel=tolerance, abs=1e-15)
        assert -known["z"] == pytest.approx(result.statistic, rel=tolerance)
        assert known["p"] == pytest.approx(result.pvalue, rel=1e-9, abs=0)
        assert known["cov"] == pytest.approx(result.details["covariance"], rel=tolerance)
        variance = result.details["standard_error"] ** 2
        assert known["var_diff"] == pytest.approx(variance, rel=tolerance)
        assert (-known["ci_hi"], -known["ci_lo"]) == pytest.approx(
            (low, high), rel=tolerance
        )
        for model, part in zip((a, b), result.parts, strict=True):
            of_one = case["auc"][str(model)]
            assert of_one["auc"] == pytest.approx(part["auc"], rel=tolerance)
            assert of_one["var"] == pytest.approx(part["variance"], rel=tolerance)


@pytest.mark.parametrize(
    ("one", "other", "z"),
    [
        ("wfns", "s100b", 2.20898359144091),
        ("wfns", "ndka", 2.79777591868904),
        ("s100b", "ndka", 1.39077002573558),
    ],
)
def test_proc_data(one, other, z):
    """The data of pROC, with the values that its own tests assert."""
    result = delong(PlacementValues.from_predictions(ASAH["y"], ASAH[one], ASAH[other]))

    assert -z == pytest.approx(result.statistic, rel=1e-12)
    names = ("wfns", "s100b", "ndka")
    expected = [ASAH["auc"][names.index(name)] for name in (one, other)]
    assert expected == pytest.approx([result.champion, result.challenger], rel=1e-14)


def test_published_pvalue():
    """The p-value of the data of pROC for its first two markers."""
    result = delong(
        PlacementValues.from_predictions(ASAH["y"], ASAH["wfns"], ASAH["s100b"])
    )

    assert ASAH["p_wfns_s100b"] == pytest.approx(result.pvalue, rel=1e-12)
    assert ASAH["cov"][0][1] == pytest.approx(result.details["covariance"], rel=1e-12)


def test_variance_is_near_that_of_the_jackknife():
    """Leaving out one record at a time gives nearly the same variance (DeLong et al.)."""
    y, first, second = pair_of_scores(n=300)
    result = delong(PlacementValues.from_predictions(y, first, second))
    variance = 0.0
    for label in (0, 1):
        own = np.flatnonzero(y == label)
        left = [
            np.diff(
                PlacementValues.from_predictions(
                    np.delete(y, i), np.delete(first, i), np.delete(second, i)
                ).aucs
            )[0]
            for i in own
        ]
        variance += (len(own) - 1) / len(own) * np.sum((left - np.mean(left)) ** 2)

    assert variance == pytest.approx(result.details["standard_error"] ** 2, rel=1e-9)


@pytest.mark.parametrize("interval", ["agreeing", "arctanh"])
def test_swapped_roles_mirror_everything(interval):
    """Statistic, estimate and limits change their sign, and p stays."""
    y, first, second = pair_of_scores(gain=2.0)
    one = delong(PlacementValues.from_predictions(y, first, second), interval=interval)
    other = delong(PlacementValues.from_predictions(y, second, first), interval=interval)

    assert -one.statistic == other.statistic
    assert one.pvalue == other.pvalue
    low, high = one.confidence_interval(0.9)
    assert (-high, -low) == pytest.approx(tuple(other.confidence_interval(0.9)), rel=1e-14)


def test_increasing_transforms_do_not_differ():
    """Equal rankings have statistic 0 and p 1, exactly."""
    for transform, alternative in itertools.product(
        [lambda s: s, lambda s: 5 * s + 2, np.exp, expit, lambda s: s**3, np.cbrt],
        ["two-sided", "less", "greater"],
    ):
        y, first, _ = pair_of_scores()
        placements = PlacementValues.from_predictions(y, first, transform(first))

        result = delong(placements, alternative=alternative)

        assert (0.0, 1.0) == tuple(result)
        assert 0 == result.log_pvalue == result.estimate
        assert result.degenerate
        assert (0, 0) == tuple(delong(placements).confidence_interval())


def test_reversed_score_differs():
    """A decreasing transform is another classifier, though as far from a half."""
    y, first, _ = pair_of_scores()

    result = delong(PlacementValues.from_predictions(y, first, -first))

    assert result.pvalue < 0.001
    assert result.estimate == pytest.approx(1 - 2 * result.champion)


def test_two_perfect_rankings():
    """No difference, p is 1, and yet the interval of few records is wide."""
    y = [0, 0, 0, 1, 1, 1]
    result = delong(
        PlacementValues.from_predictions(y, [1, 2, 3, 4, 5, 6], [3, 2, 1, 9, 8, 7])
    )

    low, high = result.confidence_interval()

    assert (0.0, 1.0) == tuple(result)
    assert result.degenerate
    assert (-0.49898, 0.49898) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("champion", "challenger", "sign"),
    [
        ([1, 2, 3, 4, 5, 6], [0] * 6, -1),
        ([0] * 6, [1, 2, 3, 4, 5, 6], 1),
        ([6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6], 1),
    ],
)
def test_difference_without_variance(champion, challenger, sign):
    """A difference that no record varies has no p-value, and says so."""
    y = [0, 0, 0, 1, 1, 1]

    result = delong(PlacementValues.from_predictions(y, champion, challenger))

    assert sign * math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert any("permutation" in words for words in result.caveats)
    low, high = result.confidence_interval()
    assert -1 <= low < result.estimate <= high or low <= result.estimate < high <= 1


def test_difference_that_is_constant_in_each_class():
    """Both rankings vary and their difference does not, which is found exactly."""
    y = [1, 1, 0, 0]
    placements = PlacementValues.from_predictions(y, [0, 1, 1, 1], [0, 1, 0, 0])

    result = delong(placements)

    assert [[0, 2, 1, 1], [2, 4, 3, 3]] == placements.counts.tolist()
    assert (0.5, math.inf) == (result.estimate, result.statistic)
    assert all(part["variance"] > 0 for part in result.parts)
    assert 0 == result.details["standard_error"]
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    low, high = result.confidence_interval()
    assert low < 0.5 < high


def test_margin():
    """Non-inferiority is a null value below 0, tested one-sided."""
    y, first, second = pair_of_scores(n=400)
    placements = PlacementValues.from_predictions(y, first, second)
    plain = delong(placements)

    result = delong(placements, null_value=-0.1, alternative="greater")

    z = (plain.estimate + 0.1) / plain.details["standard_error"]
    assert z == pytest.approx(result.statistic, rel=1e-12)
    assert norm.sf(z) == pytest.approx(result.pvalue, rel=1e-12)
    assert (result.pvalue < 0.05) == (result.confidence_interval(0.95).low > -0.1)
    assert 1 == result.confidence_interval().high
    assert "null value of -0.1" in str(result)


def test_margin_without_variance():
    """Equal rankings prove no margin by a formula that divides by 0."""
    y, first, _ = pair_of_scores()
    placements = PlacementValues.from_predictions(y, first, first)

    result = delong(placements, null_value=-0.05, alternative="greater")

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("zero-variance",) == result.flags


def test_refused_null_values():
    """Differences of AUCs lie between -1 and 1."""
    for null in [-1, 1, 2, np.nan, "0", None, True]:
        y, first, second = pair_of_scores()

        with pytest.raises(ValueError, match="`null_value` must be a difference of AUCs"):
            delong(PlacementValues.from_predictions(y, first, second), null_value=null)


def test_refused_evidence():
    """One classifier, three, or one record of a class cannot be compared."""
    y, first, second = pair_of_scores()
    with pytest.raises(ValueError, match=r"compares two classifiers. Got 1"):
        delong(PlacementValues.from_predictions(y, first))
    with pytest.raises(ValueError, match=r"compares two classifiers. Got 3"):
        delong(PlacementValues.from_predictions(y, first, second, second))
    for y in ([1, 0, 0, 0], [0, 1, 1, 1]):
        placements = PlacementValues.from_predictions(y, [1, 2, 3, 4], [1, 3, 2, 4])
        with pytest.raises(ValueError, match="at least two records of each class"):
            delong(placements)
    with pytest.raises(ValueError, match="needs records of both classes"):
        delong(PlacementValues.from_predictions([1, 1], [1, 2], [2, 1]))


def test_fisher_interval_by_hand():
    """Normal on the scale of arctanh, also one-sided."""
    y, first, second = pair_of_scores(gain=3.0)
    placements = PlacementValues.from_predictions(y, first, second)
    result = delong(placements, interval="arctanh")
    spread = result.details["standard_error"] / (1 - result.estimate**2)
    centre = math.atanh(result.estimate)

    low, high = result.confidence_interval(0.9)

    assert math.tanh(centre - norm.isf(0.05) * spread) == pytest.approx(low, rel=1e-12)
    assert math.tanh(centre + norm.isf(0.05) * spread) == pytest.approx(high, rel=1e-12)
    sided = delong(placements, interval="arctanh", alternative="greater")
    assert (low, 1) == pytest.approx(tuple(sided.confidence_interval(0.95)), rel=1e-12)


@pytest.mark.parametrize("n", [4, 5, 8])
def test_fisher_interval_stays_within_its_range(n):
    """Limits of a difference of AUCs lie in [-1, 1] without being cut off."""
    for seed in range(60):
        y, first, second = pair_of_scores(seed, n=n, gain=4.0)
        result = delong(
            PlacementValues.from_predictions(y, first, second), interval="arctanh"
        )
        for level in (0.5, 0.95, 0.9999):
            low, high = result.confidence_interval(level)
            assert -1 <= low <= result.estimate + 1e-12
            assert result.estimate - 1e-12 <= high <= 1


def test_parts_have_the_interval_of_each_auc():
    """What auc_interval gives for each classifier alone."""
    y, first, second = pair_of_scores(gain=3.0)
    result = delong(PlacementValues.from_predictions(y, first, second))

    for score, part in zip((first, second), result.parts, strict=True):
        alone = auc_interval(y, score)
        assert (alone.low, alone.high) == (part["low"], part["high"])


def test_interval_without_variance_by_hand():
    """Distances from Newcombe's limits of both AUCs, squared and added."""
    y = [0, 0, 0, 1, 1, 1]
    perfect, constant = [1, 2, 3, 4, 5, 6], [0] * 6
    result = delong(PlacementValues.from_predictions(y, constant, perfect))
    (low1, high1), (low2, _) = (
        auc_interval(y, score, method="newcombe") for score in (constant, perfect)
    )

    low, high = result.confidence_interval()

    assert 0.5 - math.hypot(1 - low2, high1 - 0.5) == pytest.approx(low, rel=1e-12)
    assert 0.5 + (0.5 - low1) == pytest.approx(high, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["agreeing", "arctanh"])
def test_coverage(interval):
    """Intervals hold the difference for new records in about 95 % of samples."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [60, 40])
    truth = norm.cdf(2 / math.sqrt(2)) - norm.cdf(1.2 / math.sqrt(2))
    held = 0
    for _ in range(1000):
        shared = rng.normal(size=100)
        scores = (
            gain * y + 0.8 * shared + 0.6 * rng.normal(size=100) for gain in (1.2, 2.0)
        )
        result = delong(PlacementValues.from_predictions(y, *scores), interval=interval)
        low, high = result.confidence_interval()
        held += low <= truth <= high

    assert 0.92 < held / 1000 < 0.98


def test_far_tail():
    """p below the smallest double keeps its logarithm."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20000)
    score = y + rng.normal(scale=0.2, size=40000)

    result = delong(PlacementValues.from_predictions(y, -score, score))

    assert 0 < result.pvalue < 1e-300
    assert result.log_pvalue < -1000


def test_few_distinct_scores_are_flagged():
    """Predicted labels passed as scores are compared, with a caveat."""
    y, first, second = pair_of_scores()
    labels = (first > 0.5).astype(int)

    result = delong(PlacementValues.from_predictions(y, labels, second))

    assert ("few-distinct-scores",) == result.flags
    recall = [np.mean(labels[y == k] == k) for k in (0, 1)]
    assert np.mean(recall) == pytest.approx(result.champion)
    assert () == delong(PlacementValues.from_predictions(y, first, second)).flags


def test_few_records_of_a_class_are_flagged():
    """Nine records of a class are few, whichever it is, and ten are not."""
    rng = np.random.default_rng(0)
    for n_few, is_few in ((9, True), (10, False)):
        for sizes in ((n_few, 50), (50, n_few)):
            y = np.repeat([0, 1], sizes)
            scores = rng.normal(size=(2, len(y)))
            flags = delong(PlacementValues.from_predictions(y, *scores)).flags
            assert is_few == ("few-records-of-a-class" in flags)


def unlike_variances(n_positive, n_negative, seed=0, own=1.0):
    """Scores of equal AUCs, of which the challenger's positive ones vary far more."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared, *apart = rng.normal(size=(3, len(y)))
    scores = [
        np.where(y == 1, shift + spread * (shared + own * each), shared + own * each)
        for shift, spread, each in ((1.5, 0.5, apart[0]), (3.2, 3.0, apart[1]))
    ]
    return PlacementValues.from_predictions(y, *scores)


def test_30_positive_records_of_300_and_unlike_variances_are_flagged():
    """There equal AUCs differ in 7 % of samples; with 200 of 400 in 5 %, unflagged."""
    flag = "variance-of-few-records"
    few = [delong(unlike_variances(30, 270, seed, own=0.5)).flags for seed in range(40)]
    many = [delong(unlike_variances(200, 200, seed)).flags for seed in range(40)]

    assert sum(flag in flags for flags in few) > 20
    assert not any(flag in flags for flags in many)


def test_welch_of_the_two_classes():
    """The flag follows Satterthwaite's degrees of freedom, by class and fourth moments."""
    for seed in range(20):
        placements = unlike_variances(40, 80, seed, own=0.3)
        parts = []
        for own in (placements.positive, ~placements.positive):
            d = (placements.counts[1] - placements.counts[0])[own] / (2 * np.sum(~own))
            squares = (d - d.mean()) ** 2
            n = len(d)
            excess = (squares**2).sum() - squares.sum() ** 2 / n
            df = min(2 * squares.sum() ** 2 / excess, n - 1)
            parts.append((squares.sum() / n / (n - 1), df))
        df = sum(v for v, _ in parts) ** 2 / sum(v**2 / own for v, own in parts)
        result = delong(placements)
        total = math.sqrt(sum(v for v, _ in parts))

        assert result.details["standard_error"] == pytest.approx(total)
        assert ("variance-of-few-records" in result.flags) == (df < 30)


def test_cells_flag_what_records_flag():
    """Records in cells have the same degrees of freedom."""
    for sizes in ((20, 200), (200, 200)):
        placements = unlike_variances(*sizes)
        rounded = [np.round(4 * score) for score in placements.scores]
        y = placements.positive.astype(int)
        flags = [
            delong(PlacementValues.from_predictions(y, *rounded, **how)).flags
            for how in ({}, {"n_score_bins": 500})
        ]

        assert len({"variance-of-few-records" in each for each in flags}) == 1


def test_records_needed():
    """At so many records the test has the wanted power, by its normal approximation."""
    variance, n = 0.0009, 300

    def records_needed(distance, alternative="greater"):
        plan = planned(lambda evidence: auc_effect(distance, variance))
        return plan(SimpleNamespace(n=n), alpha=0.05, power=0.8, alternative=alternative)

    needed = records_needed(0.05, "two-sided")
    z = 0.05 / math.sqrt(variance * n / needed)

    assert 0.8 == pytest.approx(norm.sf(norm.isf(0.025) - z))
    assert records_needed(0.05) < needed
    assert math.inf == records_needed(-0.05)
    assert math.inf == records_needed(0.0)
    assert n + 1 == records_needed(0.9)


def test_result_pickles_with_its_interval():
    """Limits are partial functions of the module."""
    y, first, second = pair_of_scores()
    for interval in ("agreeing", "arctanh"):
        result = delong(
            PlacementValues.from_predictions(y, first, second), interval=interval
        )
        again = pickle.loads(pickle.dumps(result))
        assert result.confidence_interval() == again.confidence_interval()


@pytest.mark.slow
def test_size_under_the_null():
    """Equally good classifiers differ significantly in about 5 % of samples."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [60, 40])
    rejected = 0
    for _ in range(1000):
        shared = rng.normal(size=100)
        first, second = (1.2 * y + shared + rng.normal(size=100) for _ in range(2))
        rejected += delong(PlacementValues.from_predictions(y, first, second)).pvalue < 0.05

    assert 0.03 < rejected / 1000 < 0.075
