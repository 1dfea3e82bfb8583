"""Recipes that were trained several times, for one test set."""

import re

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from skcompare import Comparison, compare_seeds
from skcompare.evidence import CrossedDifferences
from skcompare.stats import crossed_t, records_t

N = 300


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(0).integers(2, size=N)


def probabilities(y, count, quality, seed):
    """Probabilities of the class 1 by several trainings."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=N) + 0.5 * rng.normal(size=(count, N))
    levels = quality + 0.1 * rng.normal(size=(count, 1))
    return 1 / (1 + np.exp(-(levels * (2 * y - 1) + noise)))


def test_scores_are_means_over_the_trainings(y):
    """Each row has the mean of scikit-learn's scores, and the test of its evidence."""
    champion, challenger = probabilities(y, 4, 1.0, 1), probabilities(y, 4, 1.6, 2)
    comparison = compare_seeds(
        y, champion, challenger, scoring=["roc_auc", "f1", "neg_log_loss", "accuracy"]
    )

    labels = [(own > 0.5).astype(int) for own in (champion, challenger)]
    for name, expected in {
        "roc_auc": [
            np.mean([roc_auc_score(y, each) for each in own])
            for own in (champion, challenger)
        ],
        "f1": [np.mean([f1_score(y, each) for each in own]) for own in labels],
        "neg_log_loss": [
            -np.mean([log_loss(y, each) for each in own]) for own in (champion, challenger)
        ],
        "accuracy": [np.mean(own == y) for own in labels],
    }.items():
        row = comparison.results[name]
        assert "crossed_t" == row.test
        assert expected == pytest.approx([row.champion, row.challenger], rel=1e-12)
        assert row.difference == pytest.approx(expected[1] - expected[0], rel=1e-9)
        evidence = comparison.evidence(CrossedDifferences, scoring=name)
        assert row.pvalue == pytest.approx(crossed_t(evidence).pvalue, rel=1e-12)
        assert (row.low <= 0 <= row.high) == (row.pvalue >= 0.05)


def test_evidence_is_of_the_first_measure(y):
    """By default, as of records in time order; a loss by name."""
    comparison = compare_seeds(
        y, probabilities(y, 3, 1.0, 1), probabilities(y, 3, 1.5, 2), scoring="roc_auc"
    )

    assert "roc_auc" == comparison.evidence(CrossedDifferences).measure
    losses = comparison.evidence(CrossedDifferences, loss="log_loss")
    assert "log_loss" == losses.measure
    assert (3, N) == losses.champion.shape


def test_accuracy_of_labels_by_hand(y):
    """The values are those of correct predictions, which can be merged."""
    champion = (probabilities(y, 3, 1.0, 1) > 0.5).astype(int)
    challenger = (probabilities(y, 3, 1.5, 2) > 0.5).astype(int)
    evidence = compare_seeds(y, champion, challenger).evidence(CrossedDifferences)

    assert (champion == y).astype(float) == pytest.approx(evidence.champion, abs=1e-12)
    assert 2 * N == (evidence + evidence).n


def test_lists_and_names(y):
    """Lists of arrays, and a dict of names, are as good as arrays."""
    champion, challenger = probabilities(y, 3, 1.0, 1), probabilities(y, 3, 1.5, 2)
    expected = compare_seeds(y, champion, challenger, scoring="roc_auc").rows[0]
    listed = compare_seeds(y, list(champion), list(challenger), scoring="roc_auc").rows[0]
    named = compare_seeds(y, {"old": champion, "new": challenger}, scoring="roc_auc")
    columns = [np.stack([1 - own, own], axis=-1) for own in (champion, challenger)]
    wide = compare_seeds(y, *columns, scoring="roc_auc").rows[0]

    assert expected.pvalue == listed.pvalue == named.rows[0].pvalue
    assert expected.pvalue == pytest.approx(wide.pvalue, rel=1e-9)
    assert ("old", "new") == (named.champion, named.challenger)


def test_what_the_conclusion_is_about(y):
    """Recipes, models, or one of each; other training records are refused."""
    champion, challenger = probabilities(y, 3, 1.0, 1), probabilities(y, 3, 2.5, 2)
    options = {"scoring": "neg_log_loss"}
    recipes = compare_seeds(y, champion, challenger, **options)
    models = compare_seeds(y, champion, challenger, population="models", **options)
    mixed = compare_seeds(y, champion[:1], challenger, fixed="champion", **options)

    assert "two recipes with these training records, over new records and" in str(
        recipes.conclusion
    )
    assert "about these trained models, over new records" in str(models.conclusion)
    assert "about one trained model and one recipe" in str(mixed.conclusion)
    assert "one-training" in mixed.rows[0].flags
    assert "records_t" == models.rows[0].test
    evidence = models.evidence(CrossedDifferences)
    assert models.rows[0].pvalue == pytest.approx(records_t(evidence).pvalue, rel=1e-12)
    with pytest.raises(ValueError, match=r"block-regularized.*PairedComparator"):
        compare_seeds(y, champion, challenger, population="training data")


def test_trainings_of_unequal_numbers(y):
    """Not paired, and each with its own mean, also of a measure without a test."""
    champion, challenger = probabilities(y, 2, 1.0, 1), probabilities(y, 5, 1.5, 2)
    comparison = compare_seeds(
        y,
        champion,
        challenger,
        scoring=["roc_auc", "matthews_corrcoef", "expected_calibration_error"],
    )

    assert "separate trainings" == comparison.design.kind
    assert "300 records, 2 and 5 trainings" == comparison.size
    row = comparison.rows[0]
    expected = [
        np.mean([roc_auc_score(y, each) for each in own]) for own in (champion, challenger)
    ]
    assert expected == pytest.approx([row.champion, row.challenger], rel=1e-12)
    untested = comparison.rows[-1]
    assert untested.test is None
    alone = [
        compare_seeds(y, own, own, scoring="expected_calibration_error").rows[0].champion
        for own in (champion, challenger)
    ]
    assert alone == pytest.approx([untested.champion, untested.challenger], rel=1e-12)
    with pytest.raises(
        ValueError, match=r"must be equal in number. Got 2 of champion, 5 of"
    ):
        compare_seeds(y, champion, challenger, paired=True)


def test_wrong_arguments(y):
    """One clear error each."""
    own = probabilities(y, 3, 1.0, 1)
    for arguments, message in (
        ((own[0], own[1]), r"`champion` must be predictions of each training"),
        ((own, None), r"Got the champion's predictions alone"),
        ((own[:1], own), r"One training of champion .* pass fixed='champion'"),
        ((own[:1], own[:1]), r"One training of champion"),
        (({"a": own}, None), r"at least two entries"),
        ((own[:, :10], own), r"\(n_trainings, 300\).* Got 10 in the first of 3"),
        ((own.T, own), r"\(n_trainings, 300\)\. Got the shape \(300, 3\)\. Transpose it"),
        (([], own), r"`champion` must be predictions of each training"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_seeds(y, *arguments)
    with pytest.raises(ValueError, match=r"true labels or numbers\. Got none"):
        compare_seeds(None, own, own)
    with pytest.raises(ValueError, match=r"with 3\. Pass the one"):
        compare_seeds(y, own, own, fixed="champion")
    with pytest.raises(ValueError, match="Unknown population"):
        compare_seeds(y, own, own, population="all")
    with pytest.raises(ValueError, match="`control` is for three or more"):
        compare_seeds(y, own, own, control="a")


def test_equal_recipes_and_order(y):
    """No difference and p = 1; the orders of records and of pairs do not matter."""
    champion, challenger = probabilities(y, 4, 1.0, 1), probabilities(y, 4, 1.2, 2)
    equal = compare_seeds(y, champion, champion, scoring="roc_auc").rows[0]
    assert (0.0, 1.0) == (equal.difference, equal.pvalue)

    rng = np.random.default_rng(3)
    records, pairs = rng.permutation(N), rng.permutation(4)
    expected = compare_seeds(y, champion, challenger, scoring="roc_auc").rows[0]
    mixed = compare_seeds(
        y[records],
        champion[pairs][:, records],
        challenger[pairs][:, records],
        scoring="roc_auc",
    ).rows[0]
    turned = compare_seeds(y, challenger, champion, scoring="roc_auc").rows[0]
    assert expected.pvalue == pytest.approx(mixed.pvalue, rel=1e-9)
    assert expected.pvalue == pytest.approx(turned.pvalue, rel=1e-12)
    assert -expected.difference == pytest.approx(turned.difference, rel=1e-12)


def test_reports_and_files(y):
    """JSON comes back equal, and pages say what trainings are."""
    comparison = compare_seeds(
        y, probabilities(y, 3, 1.0, 1), probabilities(y, 3, 1.2, 2), scoring="roc_auc"
    )
    again = Comparison.from_json(comparison.to_json())

    assert comparison.design == again.design
    assert str(comparison) == str(again)
    page = re.sub(r"\s+", " ", comparison.to_html())
    assert "a different seed each time" in page
    assert "hold-out with 3 paired trainings" in str(comparison)
    assert 3 == len(comparison.evidence(CrossedDifferences).champion)


def test_regressors():
    """Numbers, by mean losses and by scores with influences."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    champion = truth + rng.normal(size=(4, 200))
    challenger = truth + 0.7 * rng.normal(size=(4, 200))
    comparison = compare_seeds(truth, champion, challenger)

    assert {"crossed_t"} == {row.test for row in comparison.rows}
    assert "challenger" == comparison.verdict


def test_several_recipes(y):
    """Three recipes are compared in pairs."""
    recipes = {
        name: probabilities(y, 3, quality, k)
        for k, (name, quality) in enumerate({"a": 0.5, "b": 1.0, "c": 2.5}.items())
    }
    comparison = compare_seeds(y, recipes, scoring="neg_log_loss")

    pair = compare_seeds(y, recipes["a"], recipes["c"], scoring="neg_log_loss").rows[0]
    (row,) = (
        row
        for row in comparison.comparisons[0].pairs
        if (row.champion, row.challenger) == ("a", "c")
    )
    assert pair.pvalue == pytest.approx(row.pvalue, rel=1e-12)
    assert "c" == comparison.verdict


def test_few_trainings_of_several_recipes(y):
    """Adjusted p-values need small levels, which few trainings do not hold; models do."""
    few = {name: probabilities(y, 4, 1.0, k) for k, name in enumerate("abc")}
    enough = {name: probabilities(y, 5, 1.0, k) for k, name in enumerate("abc")}
    flag = "few-trainings-of-several"

    assert flag in compare_seeds(y, few).flags
    assert "train at least 5 times" in " ".join(str(compare_seeds(y, few)).split())
    assert flag not in compare_seeds(y, enough).flags
    assert flag not in compare_seeds(y, few, population="models").flags


@pytest.mark.parametrize("counts", [(5, 5, 5), (3, 5, 4)])
def test_recipes_by_the_joint_distribution(y, counts):
    """Max-t is no smaller than each p-value, and below Bonferroni's adjustment."""
    recipes = {
        name: probabilities(y, count, quality, k)
        for k, (name, count, quality) in enumerate(
            zip("abc", counts, (1.0, 1.15, 1.6), strict=True)
        )
    }
    options = {"scoring": "f1"}
    joint = compare_seeds(y, recipes, adjust="max-t", **options).comparisons[0]
    alone = compare_seeds(y, recipes, adjust="none", **options).comparisons[0]
    bonferroni = compare_seeds(y, recipes, adjust="bonferroni", **options).comparisons[0]

    def by_pair(comparison):
        return {(row.champion, row.challenger): row for row in comparison.pairs}

    for key, row in by_pair(joint).items():
        single, most = by_pair(alone)[key], by_pair(bonferroni)[key]
        assert single.pvalue == row.pvalue
        assert row.pvalue <= row.adjusted_pvalue <= most.adjusted_pvalue + 0.01
        assert row.low <= single.low <= single.high <= row.high
        assert (row.low <= 0 <= row.high) == (row.adjusted_pvalue >= 0.05)


def test_recipes_against_a_control(y):
    """One-sided, each with the control alone, in any order of the recipes."""
    recipes = {name: probabilities(y, 3, 1 + k, k) for k, name in enumerate("abc")}
    options = {"control": "a", "alternative": "greater", "adjust": "max-t"}
    comparison = compare_seeds(y, recipes, scoring="neg_log_loss", **options)
    turned = compare_seeds(
        y, dict(reversed(recipes.items())), scoring="neg_log_loss", **options
    )

    rows = comparison.comparisons[0].pairs
    assert {"a"} == {row.champion for row in rows}
    found, again = (
        {row.challenger: row.adjusted_pvalue for row in each.comparisons[0].pairs}
        for each in (comparison, turned)
    )
    assert found == pytest.approx(again, rel=1e-9)


def test_wrong_way_round_and_names():
    """Rows are trainings; names are of columns of a frame that is passed first."""
    pd = pytest.importorskip("pandas")
    y = np.arange(12) % 2
    columns = np.stack([y, 1 - y, y], axis=1)
    with pytest.raises(ValueError, match=r"Got the shape \(12, 3\)\. Transpose it"):
        compare_seeds(y, columns, columns)
    frame = pd.DataFrame(columns, columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"Got names, 'a' being the first"):
        compare_seeds(y, frame, frame)
    with pytest.raises(ValueError, match=r"and `y_true`"):
        compare_seeds(frame, ["a", "b"], ["b", "c"])
