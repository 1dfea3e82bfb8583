"""Precision of every class: the tests of one class, brute force, and edges."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.evidence.labels._class_moments import CLASS_SCORES
from skcompare.stats import (
    adjust_pvalues,
    precision_both_scores,
    precision_by_class,
    precision_difference,
    precision_score,
    precision_wald,
    precision_weighted_score,
    relative_precision,
    score_difference,
)
from skcompare.stats.precision._precision_statistics import CLASS_TESTS

SINGLE = {
    "both scores": precision_both_scores,
    "weighted score": precision_weighted_score,
    "score": precision_score,
    "wald": precision_wald,
    "difference": precision_difference,
    "relative": relative_precision,
}
EFFECT = {"wald": "odds_ratio", "relative": "ratio"}

COLUMNS = (
    *("champion", "challenger", "n_champion", "n_challenger"),
    *("difference", "difference_low", "difference_high"),
    *(
        "ratio",
        "ratio_low",
        "ratio_high",
        "odds_ratio",
        "odds_ratio_low",
        "odds_ratio_high",
    ),
    *("statistic", "pvalue", "adjusted_pvalue"),
)


def random_labels(n, n_classes, seed, accuracies=(0.6, 0.75)):
    rng = np.random.default_rng([seed, n, n_classes])
    y = rng.integers(n_classes, size=n)
    return y, *(
        np.where(rng.random(n) < share, y, rng.integers(n_classes, size=n))
        for share in accuracies
    )


def random_counts(n, n_classes, seed, **settings):
    return JointCounts.from_predictions(*random_labels(n, n_classes, seed, **settings))


SAMPLES = {
    "many": random_counts(400, 4, 0),
    "few": random_counts(9, 3, 1),
    "two": random_counts(60, 2, 2),
    "alike": random_counts(30, 3, 3, accuracies=(1, 1)),
    # "a" and "b" are predicted by one classifier alone, and "d" by nobody.
    "edges": JointCounts.from_predictions(
        list("aabbccd"), list("aacccca"), list("bcbbccc")
    ),
    # "b" is predicted once by each, rightly and wrongly.
    "extreme": JointCounts.from_predictions(list("abcabc"), list("abccac"), list("bacacc")),
}


@pytest.mark.slow
def test_rows_are_the_tests_of_one_class():
    """A row says what the test of its class alone says, with interval and flags."""
    for alternative, score, test, sample in itertools.product(
        ["two-sided", "less", "greater"], CLASS_SCORES, CLASS_TESTS, SAMPLES
    ):
        counts = SAMPLES[sample]
        result = precision_by_class(
            counts, score=score, test=test, alternative=alternative, adjust="none"
        )
        effect = EFFECT.get(test, "difference")
        for i, label in enumerate(counts.classes.tolist()):
            single = SINGLE[test](counts, label=label, score=score, alternative=alternative)
            low, high = single.limits(0.95, alternative)
            expected = {
                "champion": single.champion,
                "challenger": single.challenger,
                "n_champion": single.details["champion_predictions"],
                "n_challenger": single.details["challenger_predictions"],
                "statistic": single.statistic,
                "pvalue": single.pvalue,
                effect: single.estimate,
                f"{effect}_low": low,
                f"{effect}_high": high,
            }

            for name, value in expected.items():
                found = getattr(result, name)[i]
                assert value == pytest.approx(found, rel=1e-12, abs=1e-12, nan_ok=True), (
                    name
                )
            assert set(single.flags) == set(result.class_flags[i])


def test_other_effects_go_with_their_own_test():
    """Ratios have the limits of their Wald tests whatever the p-value is of."""
    counts = SAMPLES["many"]
    results = {test: precision_by_class(counts, test=test) for test in CLASS_TESTS}
    for test, effect in EFFECT.items():
        for result in results.values():
            for name in (effect, f"{effect}_low", f"{effect}_high"):
                expected = getattr(results[test], name).tolist()
                assert expected == getattr(result, name).tolist()


@pytest.mark.parametrize("score", [f"{name}_macro" for name in ("precision", "recall")])
def test_macro_is_the_difference_of_mean_scores(score):
    """It is the delta method of the scores of scikit-learn's name."""
    counts = random_counts(300, 5, 6)
    for alternative in ("two-sided", "greater"):
        expected = score_difference(
            counts, score=score, method="delta", alternative=alternative
        )
        macro = precision_by_class(
            counts, score=score.removesuffix("_macro"), alternative=alternative
        ).macro

        for name in ("estimate", "champion", "challenger", "statistic", "pvalue"):
            assert getattr(expected, name) == pytest.approx(getattr(macro, name), rel=1e-10)
        assert tuple(expected.confidence_interval()) == pytest.approx(
            tuple(macro.confidence_interval()), rel=1e-10
        )


def test_macro_of_nothing():
    """Equal predictions differ by 0; classes without predictions are left out, and said
    so.
    """
    alike = precision_by_class(SAMPLES["alike"]).macro
    edges = precision_by_class(SAMPLES["edges"]).macro
    nobody = precision_by_class(JointCounts.from_predictions([0, 1], [0, 0], [1, 1])).macro

    assert (0, 0, 1) == (alike.estimate, alike.statistic, alike.pvalue)
    assert ("degenerate",) == alike.flags
    assert 3 == edges.details["n_left_out"]
    assert "unpredicted-classes" in edges.flags
    assert math.isnan(nobody.pvalue)
    assert ("no-predictions",) == nobody.flags
    assert (-1, 1) == nobody.confidence_interval()


def test_intervals_agree_with_bonferroni():
    """At their level 0 or 1 is outside exactly where the adjusted p-value is small."""
    counts = random_counts(700, 6, 8)
    for test in CLASS_TESTS:
        result = precision_by_class(counts, test=test, adjust="bonferroni")
        forest = result.forest(EFFECT.get(test, "difference"))
        outside = [
            not row["low"] <= forest["null_value"] <= row["high"] for row in forest["rows"]
        ]

        assert 1 - 0.05 / 6 == pytest.approx(result.interval_level)
        assert outside == result.significant.tolist()
        assert 0 < sum(outside) < 6


@pytest.mark.parametrize("adjust", ["holm", "benjamini-hochberg", "none"])
def test_adjusted(adjust):
    """P-values are adjusted over all classes, those without p included."""
    for sample in ("many", "edges"):
        result = precision_by_class(SAMPLES[sample], adjust=adjust)
        expected = adjust_pvalues(result.pvalue.tolist(), adjust)

        assert np.array_equal(expected, result.adjusted_pvalue, equal_nan=True)


@pytest.mark.slow
def test_swapped_roles_mirror():
    """The challenger's gain is the champion's loss."""

    def same(first, second):
        assert np.allclose(first, second, rtol=1e-9, atol=1e-12, equal_nan=True)

    cases = {(sample, test) for sample in ("edges", "extreme") for test in CLASS_TESTS}
    cases |= {(sample, "both scores") for sample in ("many", "alike")}
    for sample, test in sorted(cases):
        counts = SAMPLES[sample]
        one = precision_by_class(counts, test=test, alternative="greater")
        other = precision_by_class(counts.swap(), test=test, alternative="less")

        same(one.difference, -other.difference)
        same(one.difference_low, -other.difference_high)
        same(one.pvalue, other.pvalue)
        with np.errstate(divide="ignore"):
            same(one.ratio, 1 / other.ratio)
            same(one.odds_ratio_low, 1 / other.odds_ratio_high)
        assert one.class_flags == other.class_flags


@pytest.mark.slow
def test_clusters_of_one_record_are_records():
    """Sums of clusters that have a record each say what counts of records say."""
    labels = random_labels(150, 3, 4)
    sums = ClusterSums.from_predictions(*labels, groups=np.arange(150))
    counts = JointCounts.from_predictions(*labels)
    cases = {("precision", test) for test in CLASS_TESTS}
    cases |= {(score, "both scores") for score in CLASS_SCORES}
    for score, test in sorted(cases):
        expected = precision_by_class(counts, score=score, test=test)
        result = precision_by_class(sums, score=score, test=test)

        for name in (*COLUMNS, "classes"):
            assert np.allclose(
                getattr(expected, name), getattr(result, name), equal_nan=True, rtol=1e-9
            ), name
        assert expected.class_flags == result.class_flags


@pytest.mark.parametrize("test", ["weighted score", "both scores"])
def test_clusters_are_refused_by_the_weighted_score(test):
    """It takes all predictions as independent; the generalized score does not."""
    sums = ClusterSums.from_predictions(
        *random_labels(120, 3, 5), groups=np.arange(120) // 4
    )
    with pytest.raises(ValueError, match=r"Got up to 4 in a cluster. Use test='score'"):
        precision_by_class(sums, test=test)

    result = precision_by_class(sums, test="score")
    assert ((result.pvalue > 0) & (result.pvalue <= 1)).all()
    assert all("few-informative-clusters" in flags for flags in result.class_flags)


def test_default_test():
    """Both scores, and the generalized score where clusters hold several predictions."""
    labels = random_labels(120, 3, 5)
    records, clusters = (
        ClusterSums.from_predictions(*labels, groups=np.arange(120) // size)
        for size in (1, 4)
    )
    for counts, test in (
        (JointCounts.from_predictions(*labels), "both scores"),
        (records, "both scores"),
        (clusters, "score"),
    ):
        result, expected = precision_by_class(counts), precision_by_class(counts, test=test)

        assert test == result.test
        for name in COLUMNS:
            assert getattr(expected, name).tolist() == getattr(result, name).tolist()


def test_informative_clusters():
    """Clusters in which a prediction of either classifier counts, by looking at each."""
    for score in CLASS_SCORES:
        y, first, second = random_labels(90, 3, 7)
        groups = np.random.default_rng(0).integers(40, size=90)
        sums = ClusterSums.from_predictions(y, first, second, groups=groups)
        rows = sums.class_rows()
        for i, label in enumerate(sums.classes):
            of_class = rows.of_class(label, score)
            counted = (of_class.rows > 0).any(axis=1)

            assert counted @ of_class.weights == rows.informative_clusters(score)[i]


def test_a_thousand_classes():
    """Many classes are one more axis; each is still what it is alone."""
    rng = np.random.default_rng(9)
    y = rng.integers(1000, size=20_000)
    predictions = [
        np.where(rng.random(20_000) < 0.8, y, rng.integers(1000, size=20_000))
        for _ in range(2)
    ]
    counts = JointCounts.from_predictions(y, *predictions)
    result = precision_by_class(counts, test="difference")

    assert 1000 == len(result)
    for label in (0, 517, 999):
        single = precision_difference(counts, label=label)
        assert single.pvalue == pytest.approx(result.pvalue[label], rel=1e-12)
    assert "and 970 more classes" in str(result)


def test_forest_is_plain():
    """A forest plot gets plain values in the order of the classes."""
    result = precision_by_class(SAMPLES["many"])
    for effect, null in (("difference", 0), ("ratio", 1), ("odds_ratio", 1)):
        forest = json.loads(json.dumps(result.forest(effect)))

        assert (effect, null) == (forest["effect"], forest["null_value"])
        assert [0, 1, 2, 3] == [row["label"] for row in forest["rows"]]
        assert getattr(result, effect).tolist() == [
            row["estimate"] for row in forest["rows"]
        ]
        assert result.significant.tolist() == [row["significant"] for row in forest["rows"]]
    with pytest.raises(ValueError, match="Unknown effect 'risk'"):
        result.forest("risk")


def test_result_round_trips():
    """It pickles with read-only arrays, and becomes plain values and frames."""
    result = precision_by_class(SAMPLES["edges"])
    again = pickle.loads(pickle.dumps(result))

    assert json.dumps(result.to_dict()) == json.dumps(again.to_dict())
    assert not again.pvalue.flags.writeable
    assert list("abcd") == [row["label"] for row in result.to_dict()["classes"]]
    frame = result.to_frame()
    assert ["label", *COLUMNS, "flags"] == list(frame.columns)
    assert str(result).startswith("precisions of 4 classes (both scores), two-sided")
    assert "**precisions of 4 classes (both scores), two-sided" in result.to_markdown()
    assert "difference of macro precisions" in result._repr_html_()
    assert "no-predictions" in result.flags
    assert len(result.flags) == len(result.caveats)
    assert "4 classes" in repr(result)


def test_wrong_options():
    """Unknown choices are refused with the known ones."""
    for options, message in [
        ({"score": "f1"}, "Unknown score 'f1'"),
        ({"test": "mcnemar"}, "Unknown test 'mcnemar'"),
        ({"adjust": "sidak"}, "Unknown adjust 'sidak'"),
        ({"alternative": "larger"}, "Unknown alternative 'larger'"),
        ({"confidence_level": 95}, "`confidence_level` must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            precision_by_class(SAMPLES["many"], **options)


def test_wrong_evidence():
    """It needs the predictions of two classifiers."""
    with pytest.raises(TypeError, match="precision_by_class needs JointCounts"):
        precision_by_class([1, 2])
    y, first, second = random_labels(20, 2, 0)
    three = ClusterSums.from_predictions(y, first, second, y)
    with pytest.raises(ValueError, match=r"compares two classifiers\. Got 3"):
        precision_by_class(three)
