"""Tests of the precision of one class, against other packages and at the edges."""

import itertools
import math
from dataclasses import fields
from functools import cache
from itertools import compress

import numpy as np
import pytest
from scipy.optimize import brentq

from skcompare._registry import tests
from skcompare.evidence import ContingencyTable, JointCounts
from skcompare.evidence.labels._class_moments import ClassMoments
from skcompare.stats import (
    mcnemar,
    precision_both_scores,
    precision_difference,
    precision_score,
    precision_wald,
    precision_weighted_score,
    relative_precision,
)
from skcompare.stats.precision._precision_statistics import (
    _shares_along,
    _sums_of,
    generalized_score,
    range_of_test,
    score_contrast,
    score_range,
)
from tests.common.golden import golden
from tests.stats.precision.test_precision_statistics import TABLES, joint, moments, records

# Numbers that take long; one set of dependencies is enough for them.
pytestmark = pytest.mark.slow

GOLDEN = golden("precision")
CLASSES = [(case["counts"], one) for case in GOLDEN["cases"] for one in case["classes"]]
RELATIVE = [one for one in GOLDEN["published"] if "ratio" in one]
ODDS = [one for one in GOLDEN["published"] if "odds_ratio" in one]
PAIRED1 = GOLDEN["paired1"]
SCORE_TESTS = (precision_both_scores, precision_weighted_score, precision_score)
DIFFERENCES = (*SCORE_TESTS, precision_difference)
RATIOS = (precision_wald, relative_precision)
TESTS = DIFFERENCES + RATIOS
ALTERNATIVES = ("two-sided", "less", "greater")
CORRECTED = (precision_difference, *RATIOS)


def having(*names):
    """The golden classes that have these figures."""
    found = [(counts, one) for counts, one in CLASSES if all(name in one for name in names)]
    assert found
    return found


def requested(counts, one):
    """The counts and the options of a golden class."""
    return JointCounts(counts, np.arange(len(counts))), {
        "label": one["label"],
        "score": one["score"],
    }


# --------------------------------------------------------- other people's numbers


def test_published_data():
    """Paired1 of DTComPair, where its first test is the champion."""
    counts, value = joint(*PAIRED1["n"]), PAIRED1["value"]
    expected = {
        precision_weighted_score: ("wgs", "p_wgs"),
        precision_score: ("gs9", "p_gs"),
        precision_difference: ("tm32", None),
        precision_wald: ("wald_sand", "p_wald"),
        relative_precision: (None, "p_rp"),
    }
    for test, (statistic, pvalue) in expected.items():
        result = test(counts)

        assert value["P1"] == pytest.approx(result.champion, rel=1e-12)
        assert value["P2"] == pytest.approx(result.challenger, rel=1e-12)
        if statistic:
            assert value[statistic] == pytest.approx(result.statistic, rel=1e-9)
        if pvalue:
            assert value[pvalue] == pytest.approx(result.pvalue, rel=1e-9)

    ratio = relative_precision(counts)
    low, high = ratio.confidence_interval()
    assert value["z_rp"] ** 2 == pytest.approx(ratio.statistic, rel=1e-9)
    assert 1 / value["rp"] == pytest.approx(ratio.estimate, rel=1e-12)
    assert (1 / value["rp_hi"], 1 / value["rp_lo"]) == pytest.approx((low, high), rel=1e-9)
    odds = precision_wald(counts)
    assert -value["beta"] == pytest.approx(math.log(odds.estimate), rel=1e-9)
    assert math.sqrt(value["var_beta"]) == pytest.approx(odds.details["standard_error"])


def test_scores_of_each_classifier():
    """DTComPair and SciPy have the scores of a class."""
    for counts, one in CLASSES:
        evidence, options = requested(counts, one)
        for test in TESTS:
            result = test(evidence, **options)

            assert (one["A"], one["B"]) == pytest.approx(
                (result.champion, result.challenger), rel=1e-12
            )


def test_score_tests_of_independent_packages():
    """DTComPair has both score tests, and statsmodels Leisenring's."""
    for counts, one in having("weighted", "generalized"):
        evidence, options = requested(counts, one)
        pairs = (precision_weighted_score, "weighted"), (precision_score, "generalized")
        for test, name in pairs:
            result = test(evidence, **options)

            assert one[name]["statistic"] == pytest.approx(result.statistic, rel=1e-9)
            assert one[name]["pvalue"] == pytest.approx(result.pvalue, rel=1e-7, abs=1e-14)

        both = precision_both_scores(evidence, **options)
        greater = max((one[name] for _, name in pairs), key=lambda known: known["pvalue"])
        assert greater["statistic"] == pytest.approx(both.statistic, rel=1e-9)
        assert greater["pvalue"] == pytest.approx(both.pvalue, rel=1e-7, abs=1e-14)


def test_scores_of_common_records_are_mcnemars():
    """statsmodels and DTComPair test recall and specificity by McNemar's statistic."""
    for counts, one in having("mcnemar"):
        evidence, options = requested(counts, one)
        for test in SCORE_TESTS:
            result = test(evidence, **options)

            assert one["mcnemar"]["statistic"] == pytest.approx(result.statistic, rel=1e-9)
            assert one["mcnemar"]["pvalue"] == pytest.approx(result.pvalue, rel=1e-7)


def test_ratio_of_independent_packages():
    """DTComPair has the ratio with its standard error, limits and p-value."""
    for counts, one in having("ratio"):
        evidence, options = requested(counts, one)
        known = one["ratio"]

        result = relative_precision(evidence, **options)

        low, high = result.confidence_interval()
        assert 1 / known["estimate"] == pytest.approx(result.estimate, rel=1e-10)
        assert known["error"] == pytest.approx(result.details["standard_error"], rel=1e-9)
        assert [1 / high, 1 / low] == pytest.approx(known["limits"], rel=1e-9)
        assert known["pvalue"] == pytest.approx(result.pvalue, rel=1e-7, abs=1e-14)


def test_marginal_logistic_model_of_independent_packages():
    """statsmodels and geepack iterate to the closed form; statsmodels also corrects it."""
    for (counts, one), correction in itertools.product(
        having("gee_logit"), ["none", "mancl-derouen"]
    ):
        evidence, options = requested(counts, one)
        known = one["gee_logit"]

        result = precision_wald(evidence, correction=correction, **options)

        error = known["error" if correction == "none" else correction]
        assert known["estimate"] == pytest.approx(math.log(result.estimate), abs=1e-9)
        assert error == pytest.approx(result.details["standard_error"], rel=1e-9)
        if correction == "none":
            assert known["wald"] == pytest.approx(result.statistic, rel=1e-8, abs=1e-14)
            assert known["pvalue"] == pytest.approx(result.pvalue, rel=1e-7)


def test_marginal_linear_model_of_independent_packages():
    """With the identity link the same models are the test of the difference."""
    for (counts, one), correction in itertools.product(
        having("gee_identity"), ["none", "mancl-derouen"]
    ):
        evidence, options = requested(counts, one)
        known = one["gee_identity"]

        result = precision_difference(evidence, correction=correction, **options)

        error = known["error" if correction == "none" else correction]
        assert known["estimate"] == pytest.approx(result.estimate, abs=1e-9)
        assert error == pytest.approx(result.details["standard_error"], rel=1e-9)
        if correction == "none":
            assert known["wald"] == pytest.approx(result.statistic, rel=1e-8, abs=1e-14)
            assert known["pvalue"] == pytest.approx(result.pvalue, rel=1e-7)


def test_published_relative_precision():
    """Table 6 of the source, from precisions of two decimals: its first over its second."""
    for one in RELATIVE:
        result = relative_precision(of_percentages(one["A"], one["B"]))

        assert 1 / one["ratio"] == pytest.approx(result.estimate, rel=1e-9)
        assert one["printed"] == pytest.approx(1 / result.estimate, abs=0.02)


@pytest.mark.parametrize("one", ODDS, ids=lambda one: one["id"])
def test_published_odds_ratio(one):
    """E30: Table 9 has odds ratios of precision, first against second classifier.

    They are no ratios of precisions: 1.52 goes with 0.74 / 0.65 = 1.14.
    """
    counts = of_percentages(one["A"], one["B"])

    found = 1 / precision_wald(counts).estimate

    assert one["odds_ratio"] == pytest.approx(found, rel=1e-9)
    assert one["printed"] == pytest.approx(found, abs=0.03)
    assert 1 / relative_precision(counts).estimate < found


def of_percentages(first, second):
    """A hundred predictions of each classifier, to different records."""
    a, b = round(100 * first), round(100 * second)
    return joint(0, 100 - a, 100 - b, 0, 0, a, b, 0)


def test_orientation_of_dtcompair():
    """Its ratio is test 2 over test 1: with test 1 as champion it is ours."""
    first, second = PAIRED1["value"]["P1"], PAIRED1["value"]["P2"]
    counts = joint(*PAIRED1["n"])

    assert second / first == pytest.approx(relative_precision(counts).estimate)
    assert first / second == pytest.approx(relative_precision(counts.swap()).estimate)


# ------------------------------------------------------------------- intervals


def restricted_shares(moments, delta):
    """Shares on the path of the limits that differ by `delta`, by bisection."""
    sums = _sums_of(moments)
    delta = np.asarray(delta) + 0.0 * sums.rows[..., 0]
    low, high = np.full_like(delta, -1.0), np.ones_like(delta)
    for _ in range(60):
        middle = (low + high) / 2
        champion, challenger = _shares_along(sums, middle)
        below = challenger - champion < delta
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return _shares_along(sums, (low + high) / 2)


def score_root(moments, delta, weighted):
    """Signed roots of the score of differences along the last axis."""
    shares = restricted_shares(moments, delta)
    return score_contrast(_sums_of(moments), *shares, weighted).root


def slow_root(cells, delta, weighted):
    """The score of a difference from records, with shares by maximum likelihood."""
    outcome, first, second = records(cells)
    t1, t2 = first.sum(), second.sum()
    h1, h2 = (first * outcome).sum(), (second * outcome).sum()

    def slope(p):
        q = p + delta
        return h1 / p - (t1 - h1) / (1 - p) + h2 / q - (t2 - h2) / (1 - q)

    p1 = brentq(slope, max(0, -delta) + 1e-12, min(1, 1 - delta) - 1e-12, xtol=1e-15)
    p2 = p1 + delta
    e1, e2 = first * (outcome - p1) / t1, second * (outcome - p2) / t2
    variance = ((e2 - e1) ** 2).sum()
    if weighted:
        variance = p1 * (1 - p1) / t1 + p2 * (1 - p2) / t2 - 2 * (e1 * e2).sum()
    return (h2 / t2 - h1 / t1 - delta) / math.sqrt(variance)


def test_score_of_a_difference():
    """Shares and variances are those of a slow search over records."""
    for weighted, cells in itertools.product([True, False], TABLES[:4]):
        for delta in (-0.4, -0.05, 0.0, 0.1, 0.3):
            expected = slow_root(cells, delta, weighted)

            found = score_root(moments(cells), [delta], weighted)[0]

            assert expected == pytest.approx(found, rel=1e-9)


def test_score_of_no_difference_is_the_test():
    """At 0 the restricted share is the pooled one, and the statistic that of the test."""
    for cells in TABLES:
        for weighted, test in ((True, precision_weighted_score), (False, precision_score)):
            root = float(score_root(moments(cells), [0.0], weighted)[0])

            assert root**2 == pytest.approx(test(joint(*cells)).statistic, rel=1e-9)


def test_restricted_shares_at_the_edge():
    """A share without hits stays 0 as long as that is most likely."""
    first, second = restricted_shares(moments((0, 4, 3, 0, 0, 0, 6, 0)), [0.6, 0.9])

    assert (0, 0) == pytest.approx(first.tolist(), abs=1e-15)
    assert (0.6, 0.9) == pytest.approx(second.tolist(), rel=1e-14)


def test_limits_are_where_the_score_is_critical():
    """At a limit the slow score is the normal quantile."""
    for test, cells in itertools.product(
        [precision_weighted_score, precision_score], TABLES[:4]
    ):
        weighted = test is precision_weighted_score

        low, high = test(joint(*cells)).confidence_interval(0.9)

        critical = 1.6448536269514722
        assert critical == pytest.approx(slow_root(cells, low, weighted), rel=1e-7)
        assert -critical == pytest.approx(slow_root(cells, high, weighted), rel=1e-7)


def test_limits_of_all_classes_at_once():
    """Along the first axis they are the limits of each class; unknown ones are -1 and 1."""
    rng = np.random.default_rng(0)
    y = rng.integers(6, size=300)
    first = np.where(rng.random(300) < 0.6, y, rng.integers(5, size=300))
    second = np.where(rng.random(300) < 0.7, y, rng.integers(6, size=300))
    first[first == 4] = 0
    rows = JointCounts.from_predictions(y, first, second).class_rows()
    for z in (1.96, 0.0, -0.5):
        low, high = score_range(rows.moments("precision"), True, z)

        for k, label in enumerate(rows.classes):
            alone = score_range(rows.moments("precision", label), True, z)
            assert (low[k], high[k]) == pytest.approx(tuple(map(float, alone)), abs=1e-14)
        assert (-1, 1) == (low[4], high[4])


@cache
def many_tables():
    """Moments of two thousand small tables at once, and the tables."""
    rng = np.random.default_rng(1)
    cells = rng.poisson(rng.exponential(3, size=(2000, 8)))
    found = [moments(one) for one in cells]
    defined = [float(generalized_score(one).variance) > 0 for one in found]
    stacked = (
        np.stack([getattr(one, field.name) for one in compress(found, defined)])
        for field in fields(ClassMoments)
    )
    return ClassMoments(*stacked), cells[defined]


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [True, False])
def test_limits_agree_with_the_test_wherever_the_score_turns_back(weighted):
    """0 is outside exactly where it is rejected, also where the score is not monotone."""
    found, cells = many_tables()
    z = 1.96
    root = score_root(found, [0.0], weighted)[:, 0]
    low, high = score_range(found, weighted, z)
    observed = found.shares[:, 1] - found.shares[:, 0]

    assert 1000 < len(cells)
    assert np.all((-1 <= low) & (low <= observed) & (observed <= high) & (high <= 1))
    clear = abs(abs(root) - z) > 1e-9
    differ = clear & ((abs(root) > z) != ((low > 0) | (high < 0)))
    assert [] == cells[differ].tolist()


@pytest.mark.parametrize("test", [precision_weighted_score, precision_score])
def test_one_sided_limits_below_one_half(test):
    """A one-sided limit of a level below 1/2 is on the other side of the estimate."""
    counts = joint(*TABLES[0])
    estimate = test(counts).estimate

    low, high = test(counts, alternative="greater").limits(0.3, "greater")

    assert estimate < low < high == 1
    root = slow_root(TABLES[0], low, test is precision_weighted_score)
    assert -0.5244005127080407 == pytest.approx(root, rel=1e-7)
    low, high = test(counts, alternative="less").limits(0.3, "less")
    assert -1 == low < high < estimate


@pytest.mark.parametrize("test", [precision_weighted_score, precision_score])
def test_interval_by_name(test):
    """Kosinski's recommended interval is the one of the difference."""
    counts = joint(*PAIRED1["n"])

    result = test(counts, interval="wald")

    expected = precision_difference(counts).confidence_interval()
    assert tuple(expected) == pytest.approx(tuple(result.confidence_interval()))
    assert test(counts).pvalue == result.pvalue


# ------------------------------------------------------------------ both scores


def tables(n, seed):
    """Records by outcome and predictions, of all sizes; both name the class."""
    rng = np.random.default_rng(seed)
    cells = rng.poisson(rng.exponential(4, size=(n, 8)))
    cells[:, [1, 2]] += 1
    return [joint(*one) for one in cells]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_both_scores_have_the_greater_pvalue(alternative):
    """p is the greater one on either side of 1/2, and either test's is it at times."""
    taken = set()
    for counts in tables(150, 2):
        weighted, plain = (
            test(counts, alternative=alternative)
            for test in (precision_weighted_score, precision_score)
        )
        result = precision_both_scores(counts, alternative=alternative)
        own = max(weighted, plain, key=lambda one: one.pvalue)

        assert own.pvalue == result.pvalue
        assert own.log_pvalue == result.log_pvalue
        assert own.statistic == pytest.approx(result.statistic, rel=1e-12)
        assert own.details == pytest.approx(result.details)
        assert plain.flags == weighted.flags == result.flags
        if weighted.pvalue != plain.pvalue:
            taken.add((own is weighted, result.estimate > 0))

    assert 4 == len(taken)


def test_both_scores_have_the_interval_of_either():
    """It holds what one of the tests does not reject, which is an interval."""
    for level, alternative in itertools.product([0.3, 0.8, 0.99], ALTERNATIVES):
        for counts in tables(8, 3):
            (low, high), (other_low, other_high) = (
                test(counts, alternative=alternative).limits(level, alternative)
                for test in (precision_weighted_score, precision_score)
            )
            found = precision_both_scores(counts, alternative=alternative).limits(
                level, alternative
            )

            assert (min(low, other_low), max(high, other_high)) == found


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_both_scores_agree_with_their_interval(alternative):
    """0 is outside exactly where p is small, for one-sided levels below 1/2 too."""
    seen = set()
    for counts in tables(40, 4):
        result = precision_both_scores(counts, alternative=alternative)
        for alpha in (0.7, 0.2, 0.05):
            low, high = result.limits(1 - alpha, alternative)
            if abs(result.pvalue - alpha) > 1e-9:
                assert (result.pvalue < alpha) == (not low <= 0 <= high)
                seen.add((alpha, result.pvalue < alpha))

    assert 6 == len(seen)


def test_both_scores_of_published_data():
    """Paired1 has the greater p by the weighted score, and wider limits than that."""
    counts, value = joint(*PAIRED1["n"]), PAIRED1["value"]

    result = precision_both_scores(counts)

    assert value["p_wgs"] == pytest.approx(result.pvalue, rel=1e-9)
    low, high = result.confidence_interval()
    critical = 1.959963984540054
    weighted, plain = (
        [slow_root(PAIRED1["n"], limit, of) for limit in (low, high)]
        for of in (True, False)
    )
    assert critical == pytest.approx(weighted[0], rel=1e-7)
    assert -critical == pytest.approx(plain[1], rel=1e-7)
    assert "both generalized scores" == result.method


def test_both_scores_where_one_rejects_too_often():
    """Nested predictions that are hardly ever wrong, and few of them that are never
    wrong.
    """
    nested = joint(1, 0, 0, 35, 20, 10, 0, 20)
    few = joint(0, 4, 0, 80, 2, 12, 6, 9)

    for counts, lax, strict in (
        (nested, precision_weighted_score, precision_score),
        (few, precision_score, precision_weighted_score),
    ):
        assert lax(counts).pvalue < 0.05 < strict(counts).pvalue
        assert strict(counts).pvalue == precision_both_scores(counts).pvalue


def test_both_scores_of_all_classes_at_once():
    """Limits along the first axis are those of each class alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(6, size=300)
    first = np.where(rng.random(300) < 0.6, y, rng.integers(5, size=300))
    second = np.where(rng.random(300) < 0.7, y, rng.integers(6, size=300))
    first[first == 4] = 0
    rows = JointCounts.from_predictions(y, first, second).class_rows()
    for z in (1.96, 0.0, -0.5):
        low, high = range_of_test(rows.moments("precision"), "both scores", z)

        for k, label in enumerate(rows.classes):
            alone = range_of_test(rows.moments("precision", label), "both scores", z)
            assert (low[k], high[k]) == pytest.approx(tuple(map(float, alone)), abs=1e-14)
        assert (-1, 1) == (low[4], high[4])


# ----------------------------------------------------------------------- edges


def test_class_that_one_never_names():
    """Its precision is undefined, and so is any comparison."""
    for test, alternative in itertools.product(TESTS, ALTERNATIVES):
        result = test(joint(0, 0, 2, 5, 0, 0, 3, 4), alternative=alternative)

        assert all(map(math.isnan, (result.statistic, result.pvalue, result.estimate)))
        assert math.isnan(result.champion)
        assert 3 / 5 == result.challenger
        assert ("no-predictions",) == result.flags
        assert result.confidence_interval() == (
            (-1, 1) if test in DIFFERENCES else (0, math.inf)
        )


def test_class_that_neither_names():
    """The predictions are alike: no difference, and nothing is known of it."""
    for test in TESTS:
        result = test(joint(0, 0, 0, 5, 0, 0, 0, 4))

        assert (0, 1) == tuple(result)
        assert ("degenerate", "no-predictions") == result.flags
        assert result.confidence_interval() == (
            (-1, 1) if test in DIFFERENCES else (0, math.inf)
        )


def test_equal_predictions():
    """Statistic 0 and p = 1, the ratio is 1."""
    for test, alternative in itertools.product(TESTS, ALTERNATIVES):
        result = test(joint(6, 0, 0, 5, 14, 0, 0, 4), alternative=alternative)

        assert (0, 1) == tuple(result)
        assert (test in RATIOS) == result.estimate
        assert ("degenerate",) == result.flags


@pytest.mark.parametrize("correction", ["none", "mancl-derouen"])
def test_equal_predictions_without_width(correction):
    """The Wald intervals have no width, as flagged."""
    counts = joint(6, 0, 0, 5, 14, 0, 0, 4)

    assert (0, 0) == precision_difference(
        counts, correction=correction
    ).confidence_interval()
    for test in RATIOS:
        assert (1, 1) == test(counts, correction=correction).confidence_interval()


@pytest.mark.parametrize("test", SCORE_TESTS)
def test_equal_predictions_leave_what_was_not_seen(test):
    """The score intervals are Tango's without discordant pairs, of the predictions."""
    tango = mcnemar(ContingencyTable(14, 0, 0, 6), method="asymptotic")

    result = test(joint(6, 0, 0, 5, 14, 0, 0, 4))

    for level in (0.9, 0.95, 0.99):
        assert tuple(tango.confidence_interval(level)) == pytest.approx(
            tuple(result.confidence_interval(level)), rel=1e-9
        )


def test_all_predictions_right_or_wrong():
    """Without difference and variance p is 1, whatever the numbers of predictions."""
    for test, right in itertools.product(DIFFERENCES, [True, False]):
        cells = (0, 0, 0, 9, 8, 7, 4, 5) if right else (8, 7, 4, 5, 0, 0, 0, 9)

        result = test(joint(*cells))

        assert (0, 1) == tuple(result)
        assert 0 == result.estimate
        assert right == result.champion == result.challenger
        assert ("degenerate",) == result.flags
        low, high = result.confidence_interval()
        square = 1.959963984540054**2
        if test is precision_difference:
            assert (0, 0) == (low, high)
        else:
            few, many = square / (12 + square), square / (15 + square)
            assert ((-few, many) if right else (-many, few)) == pytest.approx((low, high))


def test_all_predictions_right_of_ratios():
    """Both right: the ratio is 1 without width, and log odds are infinite."""
    counts = joint(0, 0, 0, 9, 8, 7, 4, 5)

    ratio, odds = relative_precision(counts), precision_wald(counts)

    assert (0, 1) == tuple(ratio)
    assert (1, ("degenerate",)) == (ratio.estimate, ratio.flags)
    assert (1, 1) == ratio.confidence_interval()
    assert math.isnan(odds.pvalue)
    assert math.isnan(odds.estimate)
    assert ("share-of-0-or-1",) == odds.flags
    assert (0, math.inf) == odds.confidence_interval()


def test_all_predictions_wrong_of_ratios():
    """Both wrong: the ratio is undefined, p is 1, and any ratio is possible."""
    counts = joint(8, 7, 4, 5, 0, 0, 0, 9)

    ratio, odds = relative_precision(counts), precision_wald(counts)

    assert (0, 1) == tuple(ratio)
    assert math.isnan(ratio.estimate)
    assert ("degenerate", "share-of-0-or-1") == ratio.flags
    assert (0, math.inf) == ratio.confidence_interval()
    assert math.isnan(odds.pvalue)
    assert ("share-of-0-or-1",) == odds.flags


def test_equal_predictions_that_are_all_right():
    """The odds ratio of equal predictions is 1 by convention; nothing is known of it."""
    result = precision_wald(joint(0, 0, 0, 9, 8, 0, 0, 5))

    assert (0, 1) == tuple(result)
    assert 1 == result.estimate
    assert ("degenerate", "share-of-0-or-1") == result.flags
    assert (0, math.inf) == result.confidence_interval()


@pytest.mark.parametrize("correction", ["none", "mancl-derouen"])
def test_ratio_of_a_class_that_is_never_named_right(correction):
    """Without predictions of one there is no ratio, also where the other's score is 0."""
    counts = joint(0, 4, 0, 5, 0, 0, 0, 4)
    for evidence in (counts, counts.swap()):
        result = relative_precision(evidence, correction=correction)

        assert math.isnan(result.estimate)
        assert math.isnan(result.pvalue)
        assert ("no-predictions",) == result.flags


@pytest.mark.parametrize("champion_right", [True, False])
def test_one_precision_of_one(champion_right):
    """Only the log odds are infinite; all other tests have a p-value."""
    counts = joint(0, 0, 9, 20, 30, 15, 10, 6)
    counts = counts if champion_right else counts.swap()

    for test in TESTS:
        result = test(counts)
        if test is precision_wald:
            assert math.isnan(result.pvalue)
            assert ("share-of-0-or-1",) == result.flags
        else:
            assert 0 < result.pvalue < 0.05
            assert () == result.flags


def test_one_precision_of_zero():
    """The ratio is infinite or 0 and has no p-value; the differences have one."""
    counts = joint(3, 20, 9, 20, 0, 0, 40, 6)
    for evidence, ratio in ((counts, math.inf), (counts.swap(), 0.0)):
        result = relative_precision(evidence)

        assert ratio == result.estimate
        assert math.isnan(result.pvalue)
        assert ("share-of-0-or-1",) == result.flags
        assert (0, math.inf) == result.confidence_interval()
        for test in DIFFERENCES:
            assert test(evidence).pvalue < 0.05


def test_difference_of_one():
    """All right against all wrong: no variance for Wald, a p-value by score."""
    counts = joint(0, 30, 0, 9, 0, 0, 25, 9)

    wald = precision_difference(counts)

    assert math.inf == wald.statistic
    assert math.isnan(wald.pvalue)
    assert 1 == wald.estimate
    assert ("zero-variance",) == wald.flags
    assert (-1, 1) == wald.confidence_interval()
    for test in SCORE_TESTS:
        result = test(counts)
        assert result.pvalue < 1e-6
        assert result.confidence_interval().low > 0
        assert 1 == result.confidence_interval().high


def test_no_record_that_both_name():
    """Without common records the two are independent samples."""
    result = precision_difference(joint(0, 30, 20, 9, 0, 70, 40, 4))

    error = math.sqrt(0.7 * 0.3 / 100 + 2 / 9 / 60)
    assert error == pytest.approx(result.details["standard_error"], rel=1e-12)


def test_class_that_never_occurs():
    """A class named but never true has precision 0 for both, and p is 1 where defined."""
    for test in TESTS:
        counts = JointCounts.from_predictions(["a"] * 9, [*"aaabbbccc"], [*"abcabcabc"])

        result = test(counts, label="c")

        assert (0, 0) == (result.champion, result.challenger)
        assert (test is precision_wald) == math.isnan(result.pvalue)
        assert math.isnan(result.pvalue) or 1 == result.pvalue


def test_few_records_are_flagged():
    """Fewer than 40 records with a prediction that counts make approximations poor."""
    for test in TESTS:
        assert "few-informative-clusters" in test(joint(5, 5, 5, 80, 12, 6, 6, 90)).flags
        assert () == test(joint(5, 5, 5, 80, 13, 6, 6, 90)).flags


@pytest.mark.parametrize("test", CORRECTED)
def test_correction_of_a_single_prediction(test):
    """It leaves no residual: p is undefined, and so is the interval."""
    counts = joint(0, 0, 4, 2, 0, 1, 7, 2)

    result = test(counts, correction="mancl-derouen")

    assert math.isnan(result.pvalue)
    # A single prediction has a share of 0 or 1, which log odds do not survive uncorrected.
    lost = test is precision_wald
    assert ("share-of-0-or-1" if lost else "one-cluster",) == result.flags
    assert lost == math.isnan(test(counts).pvalue)
    assert result.confidence_interval() == ((0, math.inf) if test in RATIOS else (-1, 1))


@pytest.mark.parametrize("test", CORRECTED)
def test_correction_makes_intervals_wider(test):
    """Corrected, the statistic is smaller and the interval holds the plain one."""
    counts = joint(3, 5, 2, 10, 20, 7, 9, 4)
    plain, corrected = test(counts), test(counts, correction="mancl-derouen")

    low, high = plain.confidence_interval()
    lower, higher = corrected.confidence_interval()
    assert corrected.statistic < plain.statistic
    assert lower < low < high < higher
    assert "Wald, mancl-derouen" == corrected.method


# ------------------------------------------------------------------ what is asked


def test_class_of_the_result():
    """By default the class is 1 of two, else the last one; the remark says which."""
    for test in TESTS:
        three = JointCounts.from_predictions([*"abcabc"], [*"abcbca"], [*"accabb"])

        assert "class 1 against the rest" == test(joint(3, 5, 2, 9, 8, 7, 9, 4)).remark
        assert "class 'c' against the rest" == test(three).remark
        assert "class 'a' against the rest" == test(three, label="a").remark
        with pytest.raises(ValueError, match=r"`label` must be one of the classes .*'d'"):
            test(three, label="d")


def test_other_scores_are_precision_of_relabelled_records():
    """The negative predictive value is precision with both labels exchanged."""
    for test in TESTS:
        n1, n2, n3, n4, n5, n6, n7, n8 = cells = (3, 5, 2, 10, 20, 7, 9, 4)
        exchanged = joint(n8, n7, n6, n5, n4, n3, n2, n1)

        result = test(joint(*cells), score="negative_predictive_value")

        expected = test(exchanged)
        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-12)
        assert expected.estimate == pytest.approx(result.estimate, rel=1e-12)
        assert result.estimate_name.endswith(" of negative predictive values")


def test_names_of_the_estimates():
    """A result says what it estimates."""
    counts = joint(3, 5, 2, 10, 20, 7, 9, 4)

    names = [test(counts).estimate_name for test in TESTS]

    assert names == [
        *4 * ["difference of precisions"],
        "odds ratio of precisions",
        "ratio of precisions",
    ]


def test_details():
    """Predictions of each, records with one, and the standard error."""
    result = precision_difference(joint(3, 5, 2, 10, 20, 7, 9, 4))

    assert 35 == result.details["champion_predictions"]
    assert 34 == result.details["challenger_predictions"]
    assert 46 == result.details["informative_records"]


def test_registered_before_the_other_tests_of_precision():
    """Both scores come first among the tests of one class of a hold-out."""
    ours = {test.__name__ for test in TESTS}
    design = joint(3, 5, 2, 10, 20, 7, 9, 4).design

    names = [one.name for one in tests.tests_for("precision", design)]

    assert "precision_both_scores" == next(name for name in names if name in ours)
    assert ours <= set(names)


@pytest.mark.parametrize("test", [precision_both_scores, precision_weighted_score])
def test_records_that_are_needed(test):
    """At that number of like records the test reaches its critical value and more."""
    counts = joint(30, 53, 42, 155, 280, 78, 45, 32)
    needed = tests.get_test(test.__name__).sample_size

    n = needed(counts, alpha=0.05, power=0.8, alternative="two-sided")

    root = math.sqrt(test(counts).statistic)
    required = 1.959963984540054 + 0.8416212335729143
    assert counts.n * (required / root) ** 2 == pytest.approx(n, rel=1e-12)
    assert n > needed(counts, alpha=0.05, power=0.8, alternative="greater")
    assert n > needed(counts, alpha=0.05, power=0.6, alternative="two-sided")
    other = needed(counts, alpha=0.05, power=0.8, alternative="two-sided", label=0)
    assert n != pytest.approx(other, rel=0.01)


@pytest.mark.parametrize("test", [precision_both_scores, precision_weighted_score])
def test_records_that_are_needed_at_the_edges(test):
    """Never fewer than there are, and infinitely many without a difference."""
    needed = tests.get_test(test.__name__).sample_size
    options = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}
    clear = joint(0, 30, 0, 9, 0, 0, 25, 9)

    assert clear.n + 1 == needed(clear, **options)
    assert math.inf == needed(joint(0, 2, 2, 5, 0, 4, 4, 2), **options)
    assert math.inf == needed(joint(0, 0, 2, 5, 0, 0, 4, 2), **options)
