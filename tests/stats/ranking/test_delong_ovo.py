"""DeLong's method for Hand and Till's M: others' numbers, brute force, resampling."""

import itertools
import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from skcompare._registry.tests import get_test
from skcompare.evidence import ClassPlacementValues
from skcompare.stats import adjust_pvalues, delong_ovo, delong_ovr
from tests.common.golden import golden

CASES = golden("multiclass_auc")["cases"]
SCORES = ("roc_auc_ovo", "roc_auc_ovo_weighted")
ALTERNATIVES = ("two-sided", "less", "greater")
AVERAGES = {"roc_auc_ovo": "macro", "roc_auc_ovo_weighted": "weighted"}


def draw(n, n_classes, seed, strengths=(1.0, 1.4), shares=None):
    """True classes and correlated probabilities of two classifiers."""
    rng = np.random.default_rng([seed, n, n_classes])
    shares = np.full(n_classes, 1 / n_classes) if shares is None else np.array(shares)
    y = np.tile(np.arange(n_classes), 2)
    y = np.concatenate([y, rng.choice(n_classes, size=n - len(y), p=shares)])
    common = 0.5 * rng.normal(size=(n, n_classes))
    predictions = []
    for strength in strengths:
        odds = common + 0.8 * rng.normal(size=(n, n_classes))
        odds = np.exp(odds + strength * np.eye(n_classes)[y])
        predictions.append(odds / odds.sum(axis=1, keepdims=True))
    return y, *predictions


def made(y, champion, challenger, **options):
    return ClassPlacementValues.from_predictions(y, champion, challenger, **options)


def pair_area(y, proba, j, k):
    """A(j|k): class j above class k by the scores of class j."""
    own, other = proba[y == j, j], proba[y == k, j]
    return np.mean((own[:, None] > other) + 0.5 * (own[:, None] == other))


def hand_till(y, proba):
    """M, the mean of the K (K - 1) ordered areas."""
    pairs = permutations(np.unique(y), 2)
    return np.mean([pair_area(y, proba, j, k) for j, k in pairs])


def difference(y, champion, challenger):
    return hand_till(y, challenger) - hand_till(y, champion)


# ---------------------------------------------------------- other people's numbers


def test_golden_values():
    """Both roles' values are those of scikit-learn, of all pairs, and of R's pROC."""
    for score, case in itertools.product(SCORES, CASES):
        y, scores = np.array(case["y"]), np.array(case["scores"])
        for first, second in permutations(range(len(scores)), 2):
            known = [case["values"][at][score]["value"] for at in (first, second)]

            result = delong_ovo(made(y, scores[first], scores[second]), score=score)

            expected = [pytest.approx(value, rel=1e-12) for value in known]
            assert expected == [result.champion, result.challenger]
            assert known[1] - known[0] == pytest.approx(result.estimate, abs=1e-14)


@pytest.mark.parametrize("numbers", [[2, 3, 4], pytest.param([6], marks=pytest.mark.slow)])
def test_values_of_scikit_learn(numbers):
    """The values are those of roc_auc_score, to the last digits, with ties too."""
    for score, n_classes in itertools.product(SCORES, numbers):
        y, *predictions = draw(
            90,
            n_classes,
            1,
            shares=np.arange(1, n_classes + 1) ** -1.0
            / sum(np.arange(1, n_classes + 1) ** -1.0),
        )
        predictions = [np.round(proba, 1) + 1e-9 for proba in predictions]
        predictions = [proba / proba.sum(axis=1, keepdims=True) for proba in predictions]
        words = {"multi_class": "ovo", "average": AVERAGES[score]}
        expected = [
            roc_auc_score(y, proba if n_classes > 2 else proba[:, 1], **words)
            for proba in predictions
        ]

        result = delong_ovo(made(y, *predictions), score=score)

        assert pytest.approx(expected, abs=1e-13) == [result.champion, result.challenger]


def test_two_classes():
    """For two classes it is the one-vs-rest test, which is DeLong's."""
    for alternative, score in itertools.product(ALTERNATIVES, SCORES):
        values = made(*draw(60, 2, 2, shares=(0.7, 0.3)))

        result = delong_ovo(values, score=score, alternative=alternative)
        expected = delong_ovr(values, alternative=alternative)

        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-12)
        assert expected.champion == pytest.approx(result.champion, rel=1e-14)
        (pair,) = result.parts
        assert expected.pvalue == pytest.approx(pair["pvalue"], rel=1e-12)


# ------------------------------------------------------------------------ variance


def influence_slowly(y, proba, weights):
    """What each record adds to the weighted mean over pairs, from all pairs of records."""
    found = np.zeros(len(y))
    for j, k in permutations(np.unique(y), 2):
        own, other = proba[y == j, j], proba[y == k, j]
        pairs = (own[:, None] > other) + 0.5 * (own[:, None] == other)
        found[y == j] += weights[j, k] / 2 * pairs.mean(axis=1)
        found[y == k] += weights[j, k] / 2 * pairs.mean(axis=0)
    return found


def test_brute_force():
    """Var(M) adds, class by class, the variance of the mean of each record's placements."""
    for score, n_classes in itertools.product(SCORES, [2, 3, 5]):
        y, *predictions = draw(60, n_classes, 3)
        if n_classes == 2:
            predictions = [np.column_stack([1 - p[:, 1], p[:, 1]]) for p in predictions]
        m = np.bincount(y)
        weights = np.ones((n_classes, n_classes))
        if score == "roc_auc_ovo_weighted":
            weights = m[:, None] + m * 1.0
        weights /= sum(weights[j, k] for j, k in combinations(range(n_classes), 2))
        change = influence_slowly(y, predictions[1], weights)
        change -= influence_slowly(y, predictions[0], weights)
        variance = sum(change[y == c].var(ddof=1) / m[c] for c in range(n_classes))
        ordered = permutations(range(n_classes), 2)
        estimate = sum(
            weights[j, k]
            / 2
            * (pair_area(y, predictions[1], j, k) - pair_area(y, predictions[0], j, k))
            for j, k in ordered
        )

        result = delong_ovo(made(y, *predictions), score=score)

        assert estimate == pytest.approx(result.estimate, abs=1e-14)
        assert math.sqrt(variance) == pytest.approx(
            result.details["standard_error"], rel=1e-12
        )
        assert estimate / math.sqrt(variance) == pytest.approx(result.statistic, rel=1e-10)


def test_pairs():
    """A pair of classes is the test of these classes' records by both columns."""
    y, *predictions = draw(90, 3, 4)
    result = delong_ovo(made(y, *predictions))

    assert 3 == len(result.parts) == result.details["n_pairs"]
    raw = [part["pvalue"] for part in result.parts]
    assert sorted(raw) == raw
    assert pytest.approx(adjust_pvalues(raw, "holm")) == [
        part["adjusted_pvalue"] for part in result.parts
    ]
    weights = np.ones((3, 3))
    for part in result.parts:
        j, k = part["first_class"], part["second_class"]
        rows = (y == j) | (y == k)
        kept = y[rows]
        change = [influence_slowly(kept, proba[rows], weights) for proba in predictions]
        change = change[1] - change[0]
        both = [change[kept == one] for one in (j, k)]
        error = math.sqrt(sum(one.var(ddof=1) / len(one) for one in both))
        areas = [
            (pair_area(y, proba, j, k) + pair_area(y, proba, k, j)) / 2
            for proba in predictions
        ]

        assert areas == pytest.approx([part["champion"], part["challenger"]], abs=1e-14)
        assert error == pytest.approx(part["standard_error"], rel=1e-12)
        z = (areas[1] - areas[0]) / error
        assert 2 * stats.norm.sf(abs(z)) == pytest.approx(part["pvalue"], rel=1e-9)
        assert rows.sum() == part["n"]


def test_jackknife():
    """The standard error is close to that of the jackknife within classes."""
    y, *predictions = draw(120, 4, 5)
    variance = 0.0
    for k in range(4):
        members = np.flatnonzero(y == k)
        left = [
            difference(*(np.delete(one, i, 0) for one in (y, *predictions)))
            for i in members
        ]
        variance += (len(left) - 1) * np.var(left)

    error = delong_ovo(made(y, *predictions)).details["standard_error"]

    assert math.sqrt(variance) == pytest.approx(error, rel=0.03)


@pytest.mark.slow
def test_bootstrap():
    """So it is to that of a bootstrap within classes."""
    y, *predictions = draw(200, 3, 6)
    members = [np.flatnonzero(y == k) for k in range(3)]
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(600):
        rows = np.concatenate([rng.choice(m, size=len(m)) for m in members])
        drawn.append(difference(y[rows], *(one[rows] for one in predictions)))

    error = delong_ovo(made(y, *predictions)).details["standard_error"]

    # 600 draws leave 3 % of uncertainty.
    assert np.std(drawn) == pytest.approx(error, rel=0.1)


@pytest.mark.slow
def test_pairs_are_correlated():
    """Over 300 new sets the joint standard error is right; pairs taken apart are not."""
    found = []
    for seed in range(300):
        result = delong_ovo(made(*draw(90, 3, seed, strengths=(1.2, 1.2))))
        apart = math.sqrt(sum(part["standard_error"] ** 2 for part in result.parts)) / 3
        found.append((result.estimate, result.details["standard_error"], apart))
    estimates, joint, apart = np.array(found).T

    assert estimates.std() == pytest.approx(joint.mean(), rel=0.12)
    assert apart.mean() < 0.85 * estimates.std()


@pytest.mark.slow
def test_error_rate():
    """Of classifiers that are equally good about 5 % are distinguished."""
    pvalues = [
        delong_ovo(made(*draw(120, 3, seed, strengths=(1.0, 1.0)))).pvalue
        for seed in range(1000)
    ]

    assert 0.03 < np.mean(np.array(pvalues) < 0.05) < 0.075


# -------------------------------------------------------------------------- groups


def test_groups_of_one_record():
    """Groups of one record leave the test, and every pair, as it is."""
    y, *predictions = draw(60, 3, 7)
    alone = delong_ovo(made(y, *predictions))
    grouped = delong_ovo(made(y, *predictions, groups=np.arange(60)))

    assert tuple(alone) == pytest.approx(tuple(grouped), rel=1e-12)
    for one, other in zip(alone.parts, grouped.parts, strict=True):
        assert one == pytest.approx(other, rel=1e-12)


def test_repeated_records_of_groups():
    """Every record four times in its group adds nothing to what is known."""
    y, *predictions = draw(60, 3, 8)
    repeated = [np.repeat(one, 4, axis=0) for one in (y, *predictions)]
    once = delong_ovo(made(y, *predictions))

    grouped = delong_ovo(made(*repeated, groups=np.arange(240) // 4))

    assert tuple(once) == pytest.approx(tuple(grouped), rel=1e-12)
    for one, other in zip(once.parts, grouped.parts, strict=True):
        assert one["standard_error"] == pytest.approx(other["standard_error"], rel=1e-12)


# --------------------------------------------------------------------------- edges


def test_rare_classes():
    """Classes without variance are refused by name, or left out with their pairs."""
    y, *predictions = draw(60, 4, 9)
    y[y == 3] = 0
    y[np.flatnonzero(y == 2)[1:]] = 1
    values = made(y, *predictions, labels=[0, 1, 2, 3])

    with pytest.raises(ValueError, match="Got 1 of class 2, 0 of class 3"):
        delong_ovo(values)
    result = delong_ovo(values, rare="drop")

    assert ("classes-left-out",) == result.flags
    assert "without the classes 2, 3" == result.remark
    rows = y < 2
    assert hand_till(y[rows], predictions[1][rows]) == pytest.approx(result.challenger)
    # Without the column of a class that is left out the records are the same two classes'.
    codes = (y[rows], *(proba[rows][:, :2] for proba in predictions))
    change = [influence_slowly(*codes[:1], proba, np.ones((2, 2))) for proba in codes[1:]]
    change = change[1] - change[0]
    variance = sum(
        change[codes[0] == c].var(ddof=1) / np.sum(codes[0] == c) for c in (0, 1)
    )
    assert math.sqrt(variance) == pytest.approx(result.details["standard_error"], rel=1e-12)


def test_one_class_left():
    """One class with enough records makes no pair."""
    y, *predictions = draw(30, 3, 10)
    y[:] = 0
    y[:2] = 1, 2

    with pytest.raises(ValueError, match="needs 2 classes with enough records"):
        delong_ovo(made(y, *predictions), rare="drop")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_same_order(alternative):
    """Scores that order the records alike, class by class, do not differ at all."""
    y, champion, _ = draw(60, 3, 11)
    pieces = (y, champion, np.exp(3 * champion) - 5, np.arange(3))
    result = delong_ovo(ClassPlacementValues(*pieces), alternative=alternative)

    assert (0.0, 1.0, 0.0) == (*result, result.estimate)
    assert ("degenerate",) == result.flags


def test_difference_without_variance():
    """A perfect classifier against equal scores: infinite, and p undefined."""
    y = np.repeat([0, 1, 2], 4)
    perfect = np.eye(3)[y] * 0.8 + 0.2 / 3
    result = delong_ovo(made(y, perfect, np.full((12, 3), 1 / 3)))

    assert -math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("zero-variance", "few-distinct-scores") == result.flags
    assert {None} == {part["pvalue"] for part in result.parts}


def test_most_pairs():
    """`parts` has the pairs with the smallest p; all count in the adjustment."""
    y, *predictions = draw(200, 6, 12)
    values = made(y, *predictions)
    everything = delong_ovo(values, max_pairs=100).parts

    assert 15 == len(everything)
    assert everything[:10] == delong_ovo(values).parts
    assert () == delong_ovo(values, max_pairs=0).parts
    with pytest.raises(ValueError, match="`max_pairs` must be an integer of at least 0"):
        delong_ovo(values, max_pairs=-1)


def test_prevalence_does_not_matter():
    """M is that of classes, whatever their shares; its weighted mean is not."""
    y, *predictions = draw(90, 3, 13)
    rows = np.concatenate([np.arange(90), np.flatnonzero(y == 0), np.flatnonzero(y == 0)])
    more = [one[rows] for one in (y, *predictions)]
    macro = [delong_ovo(made(*given)).champion for given in ((y, *predictions), more)]
    weighted = [
        delong_ovo(made(*given), score=SCORES[1]).champion
        for given in ((y, *predictions), more)
    ]

    assert macro[0] == pytest.approx(macro[1], rel=1e-14)
    assert abs(weighted[0] - weighted[1]) > 1e-6


def test_measures_and_sample_size():
    """The measures are scikit-learn's scorers; the records follow from the statistic."""
    entry = get_test("delong_ovo")
    y, *predictions = draw(100, 3, 14, strengths=(1.0, 1.3))
    values = made(y, *predictions)
    statistic = delong_ovo(values, score=SCORES[1]).statistic

    needed = entry.sample_size(
        values, alpha=0.05, power=0.8, alternative="greater", score=SCORES[1]
    )

    required = stats.norm.isf(0.05) + stats.norm.ppf(0.8)
    assert max(101, 100 * (required / statistic) ** 2) == pytest.approx(needed)
    assert SCORES == entry.measures


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_null_value(alternative):
    """Another null value shifts the statistic; the interval excludes it if p is small."""
    values = made(*draw(150, 3, 20))
    plain = delong_ovo(values)
    error = plain.details["standard_error"]
    for null in (-0.1, 0.05, plain.estimate + 2.2 * error):
        result = delong_ovo(values, null_value=null, alternative=alternative)
        z = (plain.estimate - null) / error
        tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z)}
        low, high = result.confidence_interval()

        assert z == pytest.approx(result.statistic, rel=1e-12)
        assert tails.get(alternative, stats.norm.cdf(z)) == pytest.approx(result.pvalue)
        assert (result.pvalue < 0.05) == (not low <= null <= high)
        assert null == result.null_value
        part = result.parts[0]
        z = (part["difference"] - null) / part["standard_error"]
        tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z)}
        assert tails.get(alternative, stats.norm.cdf(z)) == pytest.approx(part["pvalue"])
    with pytest.raises(ValueError, match="`null_value` must be a difference of AUCs"):
        delong_ovo(values, null_value=1.0)


def test_records_beyond_a_null_value():
    """A margin asks for the distance from it; the wrong side for any number of records."""
    values = made(*draw(100, 3, 21, strengths=(1.0, 1.0)))
    sizes = get_test("delong_ovo").sample_size
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "greater"}
    statistic = delong_ovo(values, null_value=-0.1).statistic

    needed = sizes(values, **settings, null_value=-0.1)

    required = stats.norm.isf(0.05) + stats.norm.ppf(0.8)
    assert max(101, 100 * (required / statistic) ** 2) == pytest.approx(needed)
    assert math.inf == sizes(values, **settings, null_value=0.5)
