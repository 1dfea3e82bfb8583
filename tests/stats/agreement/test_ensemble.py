"""The advice on combining two classifiers."""

import math

import numpy as np
import pytest

from skcompare import Comparison, compare
from skcompare.evidence import JointCounts, PairedCalibration, PairedLosses
from skcompare.stats import EnsembleAdvice, mcnemar, recommend_ensemble


def counts_of(both, only_champion, only_challenger, neither):
    """Two classes of one size, with a table of correct and incorrect predictions split
    evenly.
    """
    table = np.array([both, only_champion, only_challenger, neither]) // 2
    right = [[table[0], table[1]], [table[2], table[3]]]
    first = [[right[0][0], right[0][1]], [right[1][0], right[1][1]]]
    second = [[right[1][1], right[1][0]], [right[0][1], right[0][0]]]
    return JointCounts([first, second], classes=[0, 1])


def losses_with(correlation, n):
    """Losses of n records whose correlation is the one given."""
    rng = np.random.default_rng(0)
    x, z = (column - column.mean() for column in rng.normal(size=(2, n)))
    z -= x * (x @ z) / (x @ x)
    y = correlation * x / np.linalg.norm(x)
    y += math.sqrt(1 - correlation**2) * z / np.linalg.norm(z)
    return PairedLosses.from_losses(2 + x, 2 + y)


def test_worked_example():
    """Example 14.14: p 0.11, a gap of exactly 5 points and Q 0.6 advise an ensemble."""
    # The labels are not given there; these disagree alike in both classes.
    counts = JointCounts([[[75, 13], [7, 5]], [[5, 8], [12, 75]]], classes=[0, 1])
    advice = recommend_ensemble(counts)
    steps = {step.name: step for step in advice.steps}
    asymptotic = mcnemar(counts.contingency_table(), method="asymptotic")

    assert ("combine", "symmetric") == (advice.advice, advice.fusion)
    assert ["useful", "gap", "redundancy", "fusion", "calibration"] == list(steps)
    assert 0.11384629800665763 == pytest.approx(asymptotic.pvalue, rel=1e-9)
    assert 0.11 == pytest.approx(steps["gap"].values["pvalue"], abs=0.01)
    assert 0.05 == pytest.approx(steps["gap"].values["gap"])
    assert 0.6 == pytest.approx(steps["redundancy"].values["yule_q"])


def test_gap_of_exactly_the_limit_is_not_wide():
    """0.875 and 0.825 differ by 0.05, not by more, whatever the rounding says."""
    counts = JointCounts([[[75, 13], [7, 5]], [[5, 8], [12, 75]]], classes=[0, 1])
    table = counts.contingency_table()
    step = recommend_ensemble(counts, alpha=0.5).steps[1]

    assert (150, 25, 15, 10) == (
        table.both_correct,
        table.only_champion,
        table.only_challenger,
        table.both_wrong,
    )
    assert 0.05 == pytest.approx(step.values["gap"])
    assert step.passed
    assert not recommend_ensemble(counts, alpha=0.5, most_gap=0.049).steps[1].passed


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ((60, 20, 20, 60), ("neither", None)),
        ((80, 60, 0, 20), ("single", "champion")),
        ((80, 0, 60, 20), ("single", "challenger")),
    ],
)
def test_usefulness(right, expected):
    """Accuracies are held against the share of the commonest class, here one half."""
    advice = recommend_ensemble(counts_of(*right))

    assert expected == (advice.advice, advice.model)
    assert "useful" == advice.steps[-1].name
    assert not advice.steps[-1].passed
    assert 0.5 == advice.steps[0].values["commonest_class"]


def test_wide_and_significant_gap_drops_the_weaker():
    """A gap above 5 points decides only where McNemar's test rejects."""
    wide = recommend_ensemble(counts_of(120, 10, 60, 10))
    unsure = recommend_ensemble(counts_of(12, 2, 4, 2))

    assert ("single", "challenger") == (wide.advice, wide.model)
    assert "gap" == wide.steps[-1].name
    assert unsure.steps[1].passed
    assert unsure.steps[1].values["gap"] == pytest.approx(0.1)


def test_redundant_errors():
    """Q or the correlation of the losses at 0.8 is enough; both near 1 are one model."""
    counts = counts_of(150, 26, 14, 10)
    low = recommend_ensemble(counts, losses_with(0.3, 200))
    high = recommend_ensemble(counts, losses_with(0.81, 200))
    only_q = recommend_ensemble(counts_of(160, 4, 4, 32), losses_with(0.1, 200))
    same = recommend_ensemble(counts_of(160, 2, 2, 36), losses_with(0.99, 200))

    assert "combine" == low.advice
    assert ("single", "champion") == (high.advice, high.model)
    assert "marginal" in high.sentence
    assert "single" == only_q.advice
    assert "effectively the same model" in same.sentence


def test_one_association_is_not_the_same_model():
    """Q is 1 where one classifier is right wherever the other is, and much more often."""
    counts = counts_of(140, 0, 20, 40)
    alone = recommend_ensemble(counts, most_gap=1)
    both = recommend_ensemble(counts, losses_with(0.3, 200), most_gap=1)

    for advice in (alone, both):
        assert 1 == advice.steps[-1].values["yule_q"]
        assert ("single", "challenger") == (advice.advice, advice.model)
        assert "errors are redundant" in advice.sentence


@pytest.mark.parametrize(
    ("correlation", "words"),
    [
        (0.79999, "0.79999 below 0.8"),
        (0.80001, "0.80 at or above 0.8"),
        (0.7, "0.70 below 0.8"),
    ],
)
def test_numbers_beside_their_limits(correlation, words):
    """As many decimals are shown as tell a number from its limit."""
    advice = recommend_ensemble(counts_of(150, 26, 14, 10), losses_with(correlation, 200))

    assert words in advice.steps[2].sentence


def test_threshold_itself_is_redundant():
    """Q of exactly 0.8 is redundant (the source: at or above), and is said to be so."""
    step = recommend_ensemble(counts_of(180, 20, 20, 20)).steps[2]

    assert 0.8 == step.values["yule_q"]
    assert not step.passed
    assert "at or above 0.8" in step.sentence
    assert recommend_ensemble(counts_of(180, 20, 20, 20), most_q=0.81).steps[2].passed


def test_undefined_association():
    """Without any error there is nothing to gain; an undefined Q leaves the correlation."""
    perfect = counts_of(100, 0, 0, 0)
    without = recommend_ensemble(perfect)
    with_losses = recommend_ensemble(perfect, losses_with(0.2, 100))

    assert "nothing to gain" in without.sentence
    assert ("single", "champion") == (without.advice, without.model)
    assert "combine" == with_losses.advice


def test_better_one_of_equal_accuracies_has_the_lower_loss():
    """Accuracy decides, of equals the mean loss, and else the champion stays."""
    counts = counts_of(160, 4, 4, 32)
    n = 200
    rng = np.random.default_rng(1)
    base = rng.random(n)
    worse, better = (
        PairedLosses.from_losses(base, base + 0.1),
        PairedLosses.from_losses(base + 0.1, base),
    )

    assert "champion" == recommend_ensemble(counts).model
    assert "champion" == recommend_ensemble(counts, worse).model
    assert "challenger" == recommend_ensemble(counts, better).model


def test_asymmetric_disagreement():
    """Where Bowker's test rejects, votes are weighted by class."""
    counts = JointCounts([[[60, 25], [2, 13]], [[13, 30], [5, 52]]], classes=[0, 1])
    advice = recommend_ensemble(counts, most_gap=1.0)

    assert "asymmetric" == advice.fusion
    assert "weights by class" in advice.sentence


def test_calibration_chooses_the_way_of_combining():
    """An error above 0.1 asks for recalibration; without probabilities it is not seen."""
    rng = np.random.default_rng(0)
    n = 200
    counts = counts_of(150, 26, 14, 10)
    p = rng.random(n)
    y = (rng.random(n) < p).astype(int)
    bad = np.where(p > 0.5, 0.99, 0.01)
    calibration = PairedCalibration.from_predictions(y, p, bad, n_bins=5)
    advice = recommend_ensemble(counts, calibration=calibration)
    lenient = recommend_ensemble(
        counts, calibration=calibration, most_calibration_error=0.6
    )

    assert ("challenger",) == advice.recalibrate
    assert "recalibration of challenger" in advice.sentence
    assert () == lenient.recalibrate
    assert "averaging their probabilities" in lenient.sentence
    assert "calibrated probabilities" in recommend_ensemble(counts).sentence


def test_evidence_of_other_records_is_refused():
    """All pieces of evidence must be of the same records."""
    with pytest.raises(ValueError, match=r"same records\. Got 200 in `counts` and 50"):
        recommend_ensemble(counts_of(150, 26, 14, 10), losses_with(0.1, 50))
    with pytest.raises(ValueError, match=r"finite numbers\. Got 'much'"):
        recommend_ensemble(counts_of(150, 26, 14, 10), most_q="much")


def test_round_trip():
    """The advice survives its plain values."""
    advice = recommend_ensemble(counts_of(150, 26, 14, 10), losses_with(0.1, 200))

    assert advice == EnsembleAdvice.from_dict(advice.to_dict())
    assert advice.sentence == str(advice).splitlines()[0]
    assert 1 + len(advice.steps) == len(str(advice).splitlines())


def test_every_report_of_a_holdout_has_it():
    """Text, Markdown, HTML and JSON of trained classifiers say whether to combine them."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=300)
    predictions = {
        name: np.clip(0.5 + (y - 0.5) * 0.5 + rng.normal(0, 0.3, 300), 0, 1)
        for name in ("old", "new")
    }
    comparison = compare(y, predictions)
    advice = comparison.advice

    assert advice.sentence in " ".join(str(comparison).split())
    assert "- ensemble: " in comparison.to_markdown()
    assert '<section id="ensemble"' in comparison.to_html(pictures=False)
    assert advice == Comparison.from_json(comparison.to_json()).advice
    assert compare(None, {"a": y, "b": y}).advice is None
    assert compare(y, predictions, groups=np.arange(300) // 3).advice is None
