"""DeLong's test of one-vs-rest AUCs: others' numbers, brute force, resampling, edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from skcompare._registry.tests import get_test
from skcompare.evidence import ClassPlacementValues, PlacementValues
from skcompare.stats import adjust_pvalues, delong, delong_classes, delong_ovr
from tests.common.golden import golden

CASES = golden("multiclass_auc")["cases"]
SCORES = ("roc_auc_ovr", "roc_auc_ovr_weighted")
ALTERNATIVES = ("two-sided", "less", "greater")
AVERAGES = {"roc_auc_ovr": "macro", "roc_auc_ovr_weighted": "weighted"}


def draw(n, n_classes, seed, strengths=(1.0, 1.4), shared=0.7, shares=None):
    """True classes and correlated probabilities of two classifiers."""
    rng = np.random.default_rng([seed, n, n_classes])
    shares = np.full(n_classes, 1 / n_classes) if shares is None else np.array(shares)
    y = np.concatenate([np.tile(np.arange(n_classes), 2)])
    y = np.concatenate([y, rng.choice(n_classes, size=n - len(y), p=shares)])
    common = rng.normal(size=(n, n_classes))
    predictions = []
    for strength in strengths:
        own = rng.normal(size=(n, n_classes))
        odds = shared * common + math.sqrt(1 - shared**2) * own
        odds = np.exp(odds + strength * np.eye(n_classes)[y])
        predictions.append(odds / odds.sum(axis=1, keepdims=True))
    return y, *predictions


def made(y, champion, challenger, **options):
    return ClassPlacementValues.from_predictions(y, champion, challenger, **options)


def areas_slowly(y, proba, classes=None):
    """Area of each class against the rest, from all pairs of records."""
    found = []
    for k in range(proba.shape[1]) if classes is None else classes:
        own, others = proba[y == k, k], proba[y != k, k]
        found.append(np.mean((own[:, None] > others) + 0.5 * (own[:, None] == others)))
    return np.array(found)


def joint_covariance_slowly(y, champion, challenger):
    """Covariance of the differences of all classes by DeLong's definition.

    Of classes k and l it is a sum over all records, each in its part for k and for l.
    """
    n, n_classes = champion.shape
    influence = np.zeros((n, n_classes))
    for sign, proba in ((-1, champion), (1, challenger)):
        for k in range(n_classes):
            own = y == k
            pairs = (proba[own, k][:, None] > proba[~own, k]) * 1.0
            pairs += 0.5 * (proba[own, k][:, None] == proba[~own, k])
            m, rest = pairs.shape
            inside, outside = pairs.mean(axis=1), pairs.mean(axis=0)
            scale_in, scale_out = math.sqrt(m * (m - 1)), math.sqrt(rest * (rest - 1))
            influence[own, k] += sign * (inside - pairs.mean()) / scale_in
            influence[~own, k] += sign * (outside - pairs.mean()) / scale_out
    return influence.T @ influence


# ---------------------------------------------------------- other people's numbers


def test_golden_values():
    """Both roles' values are those of scikit-learn and of a Mann-Whitney statistic."""
    for score, case in itertools.product(SCORES, CASES):
        y, scores = np.array(case["y"]), np.array(case["scores"])
        for first in range(len(scores)):
            for second in range(len(scores)):
                known = [case["values"][at][score]["value"] for at in (first, second)]

                result = delong_ovr(made(y, scores[first], scores[second]), score=score)

                expected = [pytest.approx(value, rel=1e-12) for value in known]
                assert expected == [result.champion, result.challenger]
                assert known[1] - known[0] == pytest.approx(result.estimate, abs=1e-14)
                if first == second or case["name"].endswith("identical"):
                    assert (0.0, 1.0) == tuple(result)
                    assert result.degenerate


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_class_against_the_rest_is_binary(n_classes):
    """The part of a class is DeLong's test of its own binary evidence."""
    values = made(*draw(80, n_classes, 1))
    # Of two classes the second column decides for both.
    for k in range(1 if n_classes == 2 else 0, n_classes):
        label = values.classes[k]

        binary = delong(values.against_rest(k))

        (part,) = (p for p in delong_ovr(values).parts if p["label"] == label)
        expected = [part[name] for name in ("champion", "challenger", "pvalue")]
        assert expected == pytest.approx(
            [binary.champion, binary.challenger, binary.pvalue], rel=1e-12
        )
        assert [part["low"], part["high"]] == pytest.approx(
            binary.confidence_interval(), rel=1e-10
        )


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 3), marks=pytest.mark.slow)]
)
def test_values_of_scikit_learn(seeds):
    """The values are those of roc_auc_score, to the last digits."""
    for score, n_classes, seed in itertools.product(SCORES, [2, 3, 6], seeds):
        y, *predictions = draw(80, n_classes, seed, shares=None)
        predictions = [np.round(proba, 2) for proba in predictions]
        predictions = [proba / proba.sum(axis=1, keepdims=True) for proba in predictions]
        words = {"multi_class": "ovr", "average": AVERAGES[score]}
        expected = [
            roc_auc_score(y, proba if n_classes > 2 else proba[:, 1], **words)
            for proba in predictions
        ]

        result = delong_ovr(made(y, *predictions), score=score)

        assert pytest.approx(expected, abs=1e-13) == [result.champion, result.challenger]


def binary_delong(y, first, second):
    """DeLong's z of two scores, written out from all pairs."""
    both = []
    for scores in (first, second):
        pairs = (scores[y == 1][:, None] > scores[y == 0]) * 1.0
        both.append(pairs + 0.5 * (scores[y == 1][:, None] == scores[y == 0]))
    m, n = both[0].shape
    change = both[1] - both[0]
    variance = change.mean(axis=1).var(ddof=1) / m + change.mean(axis=0).var(ddof=1) / n
    return change.mean() / math.sqrt(variance)


def test_two_classes():
    """For two classes it is DeLong's test; the joint test has its square and df 1."""
    for alternative, score in itertools.product(ALTERNATIVES, SCORES):
        for seed in range(5):
            y, *predictions = draw(50, 2, seed, shares=(0.8, 0.2))
            values = made(y, *predictions)
            z = binary_delong(y, *(proba[:, 1] for proba in predictions))

            result = delong_ovr(values, score=score, alternative=alternative)
            joint = delong_classes(values)

            assert z == pytest.approx(result.statistic, rel=1e-12)
            tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z)}
            expected = tails.get(alternative, stats.norm.cdf(z))
            assert expected == pytest.approx(result.pvalue, rel=1e-12)
            assert z**2 == pytest.approx(joint.statistic, rel=1e-10)
            assert 1 == joint.df == result.details["joint_df"]
            for part in result.parts:
                assert result.pvalue == pytest.approx(part["pvalue"], rel=1e-12)


@pytest.mark.parametrize("digits", [1, 3])
def test_two_classes_of_the_registered_test(digits):
    """So it is to the last digits, with many ties, and in the far tail."""
    for seed in range(5):
        y, *predictions = draw(3000, 2, seed, strengths=(0.5, 1.5))
        second = [np.round(proba[:, 1], digits) for proba in predictions]
        expected = delong(PlacementValues.from_predictions(y, *second))

        result = delong_ovr(made(y, *second))

        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-10)
        assert expected.log_pvalue == pytest.approx(result.log_pvalue, rel=1e-10)
        limits = [one.confidence_interval() for one in (expected, result)]
        assert limits[0] == pytest.approx(limits[1], rel=1e-10)


# ------------------------------------------------------------------------ variance


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_brute_force(n_classes):
    """Standard errors and the joint statistic follow from all pairs of records."""
    y, *predictions = draw(60, n_classes, 1)
    if n_classes == 2:
        predictions = [np.column_stack([1 - p[:, 1], p[:, 1]]) for p in predictions]
    values = made(y, *predictions)
    differences = areas_slowly(y, predictions[1]) - areas_slowly(y, predictions[0])
    covariance = joint_covariance_slowly(y, *predictions)
    counts = np.bincount(y) / len(y)

    for score, weights in (("roc_auc_ovr", 1 / n_classes), (SCORES[1], counts)):
        weights = weights * np.ones(n_classes)
        result = delong_ovr(values, score=score)
        error = math.sqrt(weights @ covariance @ weights)

        assert error == pytest.approx(result.details["standard_error"], rel=1e-12)
        assert weights @ differences / error == pytest.approx(result.statistic, rel=1e-10)
    by_label = {part["label"]: part for part in result.parts}
    for k in range(n_classes):
        error = math.sqrt(covariance[k, k])
        assert error == pytest.approx(by_label[k]["standard_error"], rel=1e-12)
        assert differences[k] == pytest.approx(by_label[k]["difference"], abs=1e-14)
        half = stats.norm.isf(0.025) * error
        limits = [differences[k] - half, differences[k] + half]
        found = [by_label[k]["low"], by_label[k]["high"]]
        assert np.clip(limits, -1, 1) == pytest.approx(found)
    if n_classes > 2:
        expected = differences @ np.linalg.solve(covariance, differences)
        joint = delong_classes(values)
        assert expected == pytest.approx(joint.statistic, rel=1e-9)
        assert expected == pytest.approx(result.details["joint_statistic"], rel=1e-9)
        assert stats.chi2.sf(expected, n_classes) == pytest.approx(joint.pvalue, rel=1e-9)
        assert joint.pvalue == pytest.approx(result.details["joint_pvalue"])


def jackknife_error(y, *predictions, of):
    """Jackknife within each class, which is what a variance of two-sample means adds."""
    total = 0.0
    for k in np.unique(y):
        members = np.flatnonzero(y == k)
        left = np.array(
            [of(*(np.delete(one, i, 0) for one in (y, *predictions))) for i in members]
        )
        m = len(members)
        total += (m - 1) / m * np.square(left - left.mean()).sum()
    return math.sqrt(total)


def mean_difference(y, champion, challenger):
    return areas_slowly(y, challenger).mean() - areas_slowly(y, champion).mean()


def test_jackknife():
    """The standard error is close to that of the jackknife."""
    y, *predictions = draw(120, 4, 2)
    expected = jackknife_error(y, *predictions, of=mean_difference)

    error = delong_ovr(made(y, *predictions)).details["standard_error"]

    assert expected == pytest.approx(error, rel=0.03)


@pytest.mark.slow
def test_bootstrap():
    """So it is to that of a bootstrap within classes."""
    y, *predictions = draw(200, 3, 3)
    members = [np.flatnonzero(y == k) for k in range(3)]
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(600):
        rows = np.concatenate([rng.choice(m, size=len(m)) for m in members])
        drawn.append(mean_difference(y[rows], *(one[rows] for one in predictions)))

    error = delong_ovr(made(y, *predictions)).details["standard_error"]

    # 600 draws leave 3 % of uncertainty.
    assert np.std(drawn) == pytest.approx(error, rel=0.1)


@pytest.mark.slow
def test_classes_are_correlated():
    """The joint standard error is the true one; without covariances it is too small.

    Records are drawn again 400 times. What the difference of the macro averages varies by
    is the mean joint standard error, and clearly more than the one of uncorrelated classes.
    """
    found = []
    for seed in range(400):
        values = made(*draw(90, 3, seed, strengths=(1.2, 1.2), shared=0.3))
        result = delong_ovr(values)
        apart = math.sqrt(sum(part["standard_error"] ** 2 for part in result.parts)) / 3
        found.append((result.estimate, result.details["standard_error"], apart))
    estimates, joint, apart = np.array(found).T
    true = estimates.std()

    assert true == pytest.approx(joint.mean(), rel=0.1)
    assert apart.mean() < 0.88 * true


@pytest.mark.slow
def test_error_rate():
    """Of classifiers that are equally good about 5 % are distinguished."""
    pvalues = [
        delong_ovr(made(*draw(120, 3, seed, strengths=(1.0, 1.0)))).pvalue
        for seed in range(1000)
    ]

    assert 0.03 < np.mean(np.array(pvalues) < 0.05) < 0.075


# --------------------------------------------------------------------------- parts


def test_parts():
    """Each class has its own test; together they are adjusted, the smallest p first."""
    for alternative, adjust in itertools.product(
        ALTERNATIVES, ["holm", "hochberg", "bonferroni", "none"]
    ):
        y, *predictions = draw(150, 4, 5)
        result = delong_ovr(made(y, *predictions), adjust=adjust, alternative=alternative)
        raw = [part["pvalue"] for part in result.parts]

        assert sorted(raw) == raw
        assert pytest.approx(adjust_pvalues(raw, adjust)) == [
            part["adjusted_pvalue"] for part in result.parts
        ]
        for part in result.parts:
            z = part["difference"] / part["standard_error"]
            tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z)}
            assert tails.get(alternative, stats.norm.cdf(z)) == pytest.approx(
                part["pvalue"]
            )
            assert (part["low"] <= 0 <= part["high"]) == (part["pvalue"] >= 0.05)
            assert np.sum(y == part["label"]) == part["n"]


def test_omnibus_finds_what_cancels():
    """Gains in one class and losses in another have no mean, but a joint statistic."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1, 2], 80)
    noise = rng.normal(size=(2, 240, 3))
    odds = noise + np.array([[2.0, 0.5, 1.0], [0.5, 2.0, 1.0]])[:, y, None] * np.eye(3)[y]
    predictions = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    values = made(y, *predictions)

    assert delong_ovr(values).pvalue > 0.2
    result = delong_classes(values)
    assert result.pvalue < 1e-4
    largest = max(abs(part["difference"]) for part in result.parts)
    assert largest == pytest.approx(result.estimate)


# -------------------------------------------------------------------------- groups


def clustered_slowly(y, first, second, groups):
    """Obuchowski's (1997) variance of the difference of two areas for grouped records."""
    both = [(s[y == 1][:, None] > s[y == 0]) * 1.0 for s in (first, second)]
    m, n = both[0].shape
    change = both[1] - both[0]
    inside, outside = change.mean(axis=1), change.mean(axis=0)
    labels = np.unique(groups)
    x = np.array([(inside - change.mean())[groups[y == 1] == g].sum() for g in labels])
    z = np.array([(outside - change.mean())[groups[y == 0] == g].sum() for g in labels])
    i10 = len(np.unique(groups[y == 1]))
    i01 = len(np.unique(groups[y == 0]))
    i = len(labels)
    return (
        i10 / (i10 - 1) * (x @ x) / m**2
        + i01 / (i01 - 1) * (z @ z) / n**2
        + 2 * i / (i - 1) * (x @ z) / (m * n)
    )


def test_groups_of_one_class_each():
    """Where no group has records of both classes, the variance is Obuchowski's."""
    y, *predictions = draw(80, 2, 7)
    groups = np.where(y == 1, np.arange(80) // 3, 100 + np.arange(80) // 5)
    expected = clustered_slowly(y, *(proba[:, 1] for proba in predictions), groups)

    error = delong_ovr(made(y, *predictions, groups=groups)).details["standard_error"]

    assert math.sqrt(expected) == pytest.approx(error, rel=1e-12)


def test_mixed_groups():
    """With records of both classes it differs in the divisor of the mixed term only."""
    y, *predictions = draw(200, 2, 8)
    groups = np.arange(200) // 4
    expected = clustered_slowly(y, *(proba[:, 1] for proba in predictions), groups)

    error = delong_ovr(made(y, *predictions, groups=groups)).details["standard_error"]

    assert math.sqrt(expected) == pytest.approx(error, rel=0.01)
    assert expected != pytest.approx(error**2, rel=1e-9)


def test_groups_of_one_record():
    """Groups of one record leave the test as it is."""
    y, *predictions = draw(60, 3, 9)
    alone = delong_ovr(made(y, *predictions))
    grouped = delong_ovr(made(y, *predictions, groups=np.arange(60)))

    assert tuple(alone) == pytest.approx(tuple(grouped), rel=1e-12)
    assert () == grouped.flags


def test_repeated_records_of_groups():
    """Every record four times in its group adds nothing to what is known."""
    y, *predictions = draw(60, 3, 10)
    repeated = [np.repeat(one, 4, axis=0) for one in (y, *predictions)]
    once = delong_ovr(made(y, *predictions))

    grouped = delong_ovr(made(*repeated, groups=np.arange(240) // 4))
    ignored = delong_ovr(made(*repeated))

    assert tuple(once) == pytest.approx(tuple(grouped), rel=1e-12)
    assert ignored.details["standard_error"] < 0.6 * grouped.details["standard_error"]


def test_few_groups_are_flagged():
    """Fewer than ten groups say little about how much groups vary."""
    y, *predictions = draw(90, 3, 19)
    few, enough = (
        delong_ovr(made(y, *predictions, groups=np.arange(90) % n)) for n in (9, 10)
    )

    assert "few-groups" in few.flags
    assert "few-groups" not in enough.flags


def test_unknown_groups_are_flagged():
    """A grouped design whose groups are not there is said to be so."""
    y, *predictions = draw(60, 3, 11)
    values = ClassPlacementValues(y, *predictions, np.arange(3), design="grouped holdout")

    assert ("unknown-groups",) == delong_ovr(values).flags
    assert ("unknown-groups",) == delong_classes(values).flags


# --------------------------------------------------------------------------- edges


def with_rare_classes(seed=12):
    """Class 3 has no record and class 2 one."""
    y, *predictions = draw(60, 4, seed)
    y[y == 3] = 0
    y[np.flatnonzero(y == 2)[1:]] = 1
    return y, predictions


@pytest.mark.parametrize("test", [delong_ovr, delong_classes])
def test_rare_classes(test):
    """Classes without variance are refused by name, or left out and listed."""
    y, predictions = with_rare_classes()
    values = made(y, *predictions, labels=[0, 1, 2, 3])

    with pytest.raises(ValueError, match="Got 1 of class 2, 0 of class 3"):
        test(values)
    result = test(values, rare="drop")

    assert "classes-left-out" in result.flags
    assert "without the classes 2, 3" == result.remark
    assert {0, 1} == {part["label"] for part in result.parts}
    # Records of class 2 are others to the classes that are left.
    areas = [areas_slowly(y, proba, (0, 1)) for proba in predictions]
    if test is delong_ovr:
        assert areas[1].mean() == pytest.approx(result.challenger, rel=1e-12)
        weights = np.bincount(y)[:2] / np.bincount(y)[:2].sum()
        weighted = delong_ovr(values, score="roc_auc_ovr_weighted", rare="drop")
        assert areas[0] @ weights == pytest.approx(weighted.champion, rel=1e-12)
    else:
        assert 2 == result.df


def test_nothing_left():
    """One record of one of two classes leaves no class with a variance."""
    y = np.array([0, 0, 0, 1])
    values = made(y, [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.2])

    for rare, message in (("raise", "must have two records"), ("drop", "1 class with eno")):
        with pytest.raises(ValueError, match=message):
            delong_ovr(values, rare=rare)


def test_classes_in_one_group():
    """A class that occurs in one group only has no variance either."""
    y, *predictions = draw(60, 3, 13)
    groups = np.where(y == 2, 0, np.arange(60) % 6)
    values = made(y, *predictions, groups=groups)

    with pytest.raises(ValueError, match="and records in two groups"):
        delong_ovr(values)
    assert 2 == delong_ovr(values, rare="drop").details["n_classes"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_same_order(alternative):
    """Scores that order the records alike, class by class, do not differ at all."""
    y, champion, _ = draw(60, 3, 14)
    pieces = (y, champion, np.exp(3 * champion) - 5, np.arange(3))
    result = delong_ovr(ClassPlacementValues(*pieces), alternative=alternative)

    assert (0.0, 1.0, 0.0) == (*result, result.estimate)
    assert ("degenerate",) == result.flags
    assert (0, 1) == (delong_classes(ClassPlacementValues(*pieces)).df, result.pvalue)


def test_negated_score_is_another():
    """The reverse order is a difference, and a certain one for a perfect score."""
    y = np.repeat([0, 1, 2], 4)
    perfect = np.eye(3)[y] * 0.8 + 0.2 / 3
    same = np.full((12, 3), 1 / 3)
    result = delong_ovr(made(y, same, perfect))

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert ("zero-variance", "few-distinct-scores") == result.flags
    assert 0.5 == result.estimate
    assert (-1, 1) == tuple(result.confidence_interval())
    assert {None} == {part["pvalue"] for part in result.parts}
    assert {None} == {part["adjusted_pvalue"] for part in result.parts}
    assert "joint_pvalue" not in result.details
    joint = delong_classes(made(y, same, perfect))
    assert math.inf == joint.statistic
    assert math.isnan(joint.pvalue)
    assert "zero-variance" in joint.flags


def test_one_class_without_variance():
    """A perfect class against a guessed one leaves the mean, but no joint test."""
    y, champion, challenger = draw(60, 3, 15)
    champion[:, 2], challenger[:, 2] = 0.5, 0.1 + 0.8 * (y == 2)
    values = ClassPlacementValues(y, champion, challenger, np.arange(3))

    assert 0 < delong_ovr(values).pvalue < 1
    assert math.isnan(delong_classes(values).pvalue)


def test_both_perfect():
    """Two perfect classifiers have areas of 1 and p = 1."""
    y = np.repeat([0, 1, 2], 4)
    perfect = np.eye(3)[y]
    softer = perfect * 0.7 + 0.1

    result = delong_ovr(made(y, perfect, softer))

    assert (1.0, 1.0, 1.0) == (result.champion, result.challenger, result.pvalue)
    assert "degenerate" in result.flags


def test_names_are_registered():
    """The measures are scikit-learn's scorers, so that these find the test."""
    for score in SCORES:
        assert get_test("delong_ovr").match(score) > 1
    assert not get_test("delong_ovr").match("roc_auc")
    assert get_test("delong_classes").kind == "omnibus"


def test_sample_size():
    """The records at which the observed difference would have the power."""
    y, *predictions = draw(100, 3, 16, strengths=(1.0, 1.2))
    values = made(y, *predictions)
    sizes = get_test("delong_ovr").sample_size
    statistic = delong_ovr(values).statistic

    needed = sizes(values, alpha=0.05, power=0.8, alternative="two-sided")

    required = stats.norm.isf(0.025) + stats.norm.ppf(0.8)
    assert max(101, 100 * (required / statistic) ** 2) == pytest.approx(needed)
    same = made(y, predictions[0], predictions[0])
    assert math.inf == sizes(same, alpha=0.05, power=0.8, alternative="two-sided")


def test_unknown_choices():
    """Each is refused with the known ones."""
    values = made(*draw(30, 3, 17))
    for name in ("score", "rare", "adjust"):
        with pytest.raises(ValueError, match=rf"Unknown {name} 'all'\..*Known"):
            delong_ovr(values, **{name: "all"})


def test_order_of_records():
    """The classes' results are the same to the last bit in any order of the records."""
    y, *predictions = draw(500, 4, 18)
    result = delong_ovr(made(y, *predictions))
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(500)
        mixed = delong_ovr(made(*(one[order] for one in (y, *predictions))))

        assert result.parts == mixed.parts
        assert tuple(result) == pytest.approx(tuple(mixed), rel=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_null_value(alternative):
    """Another null value shifts the statistic; the interval excludes it if p is small."""
    values = made(*draw(150, 3, 20))
    plain = delong_ovr(values)
    error = plain.details["standard_error"]
    for null in (-0.1, 0.05, plain.estimate + 2.2 * error):
        result = delong_ovr(values, null_value=null, alternative=alternative)
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
        delong_ovr(values, null_value=1.0)


def test_records_beyond_a_null_value():
    """A margin asks for the distance from it; the wrong side for any number of records."""
    values = made(*draw(100, 3, 21, strengths=(1.0, 1.0)))
    sizes = get_test("delong_ovr").sample_size
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "greater"}
    statistic = delong_ovr(values, null_value=-0.1).statistic

    needed = sizes(values, **settings, null_value=-0.1)

    required = stats.norm.isf(0.05) + stats.norm.ppf(0.8)
    assert max(101, 100 * (required / statistic) ** 2) == pytest.approx(needed)
    assert math.inf == sizes(values, **settings, null_value=0.5)
