"""Every worked example of probabilities in the source documents, to ten digits."""

import math

import numpy as np
import pytest
from scipy.stats import rankdata

from skcompare.evidence import ContingencyTable, PairedCalibration, PairedLosses
from skcompare.metrics import binary_brier_loss, brier_skill_score, multiclass_brier_loss
from skcompare.stats import error_correlation, mcnemar, paired_t, wilcoxon, yule_q
from tests.common.golden import golden

EXAMPLES = {
    example["id"]: example for example in golden("worked_probabilities")["examples"]
}
APPROX = {"rel": 1e-10, "abs": 1e-12}


def losses_of(inputs):
    """Brier losses of both classifiers, in the convention of the example."""
    if "P1" in inputs:
        return PairedLosses.from_predictions(
            inputs["y"], inputs["P1"], inputs["P2"], loss="multiclass_brier_loss"
        )
    return PairedLosses.from_predictions(inputs["y"], inputs["p1"], inputs["p2"])


def of_losses(inputs):
    """All that the examples say of losses a record."""
    losses = losses_of(inputs)
    t, ranks = paired_t(losses), wilcoxon(losses, method="exact")
    champion, challenger = losses.means
    return {
        "S1": losses.champion,
        "S2": losses.challenger,
        "delta": losses.differences,
        "S1bar": champion,
        "S2bar": challenger,
        "dbar": t.estimate,
        "s": np.std(losses.differences, ddof=1),
        "t": t.statistic,
        "pvalue": t.pvalue,
        "Wplus": ranks.details["w_plus"],
        "Wminus": ranks.details["w_minus"],
        "W": min(ranks.details["w_plus"], ranks.details["w_minus"]),
        "ranks": rankdata(np.abs(losses.rounded_differences)),
        "R1": rankdata(np.round(losses.champion, 12)),
        "R2": rankdata(np.round(losses.challenger, 12)),
        "pearson": error_correlation(losses, method="pearson").estimate,
        "spearman": error_correlation(losses, method="spearman").estimate,
    }


ONE_NUMBER = {
    "sample_std_of_differences": "s",
    "pearson_error_correlation": "pearson",
    "spearman_error_correlation": "spearman",
}


def test_losses():
    """Losses, their difference, the tests of it and the correlations."""
    examples = [
        example
        for example in EXAMPLES.values()
        if example["method"] in ONE_NUMBER
        or example["method"].startswith(("paired_", "wilcoxon_signed", "midranks"))
    ]
    assert len(examples) == 17
    for example in examples:
        found = of_losses(example["inputs"])
        value = example["value"]
        if not isinstance(value, dict):
            value = {ONE_NUMBER[example["method"]]: value}

        for key, number in value.items():
            assert pytest.approx(number, **APPROX) == found[key], key


def test_wilcoxon_of_six_records():
    """Of six differences only the most extreme ranks reach 0.05 (critical value 0)."""
    gains = np.arange(1.0, 7.0)
    least = gains * np.array([-1, 1, 1, 1, 1, 1])
    for differences, rejects in ((gains, True), (least, False)):
        losses = PairedLosses.from_losses(differences, np.zeros(6))

        assert rejects == (wilcoxon(losses).pvalue <= 0.05)
    assert 0 == EXAMPLES["000-14.9-wilcoxon-crit"]["value"]


def test_exact_wilcoxon_pvalues():
    """p = 1 where 11 and 10 are the sums of ranks, and 0.84375 for W = 9."""
    binary = losses_of(EXAMPLES["000-14.9-wilcoxon"]["inputs"])
    several = losses_of(EXAMPLES["000-14.13-t"]["inputs"])

    assert 1 == wilcoxon(binary, method="exact").pvalue
    assert 0.84375 == pytest.approx(wilcoxon(several, method="exact").pvalue, rel=1e-12)


def test_brier_losses():
    """The Brier losses of examples 14.6 and 14.11, each in its convention."""
    binary, several = EXAMPLES["000-14.6"], EXAMPLES["000-14.11"]
    y, p = binary["inputs"]["y"], binary["inputs"]["p"]
    codes, proba = several["inputs"]["y"], several["inputs"]["P"]
    of_one = PairedLosses.from_predictions(y, p, p)
    of_many = PairedLosses.from_predictions(
        codes, proba, proba, loss="multiclass_brier_loss"
    )

    assert binary["value"]["BS"] == pytest.approx(binary_brier_loss(y, p), **APPROX)
    assert binary["value"]["per_sample"] == pytest.approx(of_one.champion, **APPROX)
    assert several["value"]["BS"] == pytest.approx(
        multiclass_brier_loss(codes, proba), **APPROX
    )
    assert several["value"]["per_sample"] == pytest.approx(of_many.champion, **APPROX)
    assert several["value"]["uniform"] == pytest.approx(
        multiclass_brier_loss(codes, np.full((3, 3), 1 / 3)), **APPROX
    )


def test_reference_values_of_brier():
    """Constant predictions have the losses of section 14.2.2, and the base rate no
    skill.
    """
    expected = EXAMPLES["000-14.2.2-refs"]["value"]
    balanced, rare = [0, 1] * 5, [1] + [0] * 9
    predictions = {
        "constant_half": (balanced, 0.5),
        "base_rate_balanced": (balanced, 0.5),
        "base_rate_010": (rare, 0.1),
        "majority_010": (rare, 0.0),
    }

    for name, (y, p) in predictions.items():
        assert expected[name] == pytest.approx(
            binary_brier_loss(y, np.full(10, p)), **APPROX
        )
    assert 0 == pytest.approx(brier_skill_score(rare, np.full(10, 0.1)), abs=1e-12)


def bins_of(inputs, kind, role="champion", names=("p1", "p2")):
    """The occupied bins of an example."""
    calibration = PairedCalibration.from_predictions(
        inputs["y"], inputs[names[0]], inputs[names[1]], edges=inputs["edges"], kind=kind
    )
    return calibration, calibration.bins(role)


@pytest.mark.parametrize("name", ["000-14.8-ece", "001-12.2-ece"])
def test_calibration_error_of_two_classes(name):
    """0.2417 and 0.2250."""
    example = EXAMPLES[name]
    calibration, _ = bins_of(example["inputs"], "binary")

    for role, expected in zip(("champion", "challenger"), example["value"], strict=True):
        assert expected == pytest.approx(calibration.error(role, norm="l1"), **APPROX)


def test_calibration_curve():
    """Mean probability and share of the positive class in each bin of example 14.8."""
    example = EXAMPLES["000-14.8-bins"]
    for role, key in (("champion", "pbar1"), ("challenger", "pbar2")):
        _, bins = bins_of(example["inputs"], "binary", role)

        assert example["value"][key] == pytest.approx(bins.mean_proba, **APPROX)
        assert example["value"]["ybar"] == pytest.approx(bins.mean_outcome, **APPROX)


def test_top_label_calibration():
    """Confidence, accuracy and error of example 14.12; 0.4 and 0.5 are in their bins."""
    example = EXAMPLES["000-14.12-top"]
    calibration, bins = bins_of(example["inputs"], "top_label", names=("P", "P"))
    expected = example["value"]

    assert expected["ECE"] == pytest.approx(
        calibration.error("champion", norm="l1"), **APPROX
    )
    assert expected["conf"] == pytest.approx(bins.mean_proba, **APPROX)
    assert expected["acc"] == pytest.approx(bins.mean_outcome, **APPROX)
    assert expected["accuracy"] == pytest.approx(
        bins.count @ bins.mean_outcome / bins.count.sum(), **APPROX
    )


def test_classwise_calibration():
    """The error of each class of example 14.12, and their mean."""
    example = EXAMPLES["000-14.12-classwise"]
    per_bin = EXAMPLES["000-14.12-classwise-bins"]["value"]
    inputs, expected = example["inputs"], example["value"]
    calibration, _ = bins_of(inputs, "classwise", names=("P", "P"))

    assert expected["ECE"] == pytest.approx(
        calibration.error("champion", norm="l1"), **APPROX
    )
    for k, (name, pairs) in enumerate(sorted(per_bin.items())):
        own = {
            "y": (np.array(inputs["y"]) == k).astype(int),
            "p": np.array(inputs["P"])[:, k],
            "edges": inputs["edges"],
        }
        found, bins = bins_of(own, "binary", names=("p", "p"))

        assert expected["per_class"][k] == pytest.approx(
            found.error("champion", norm="l1"), **APPROX
        )
        assert pairs == [
            pytest.approx([p, y], **APPROX)
            for p, y in zip(bins.mean_proba, bins.mean_outcome, strict=True)
        ], name


def test_ensemble_example():
    """McNemar's p, Q and the gap on which example 14.14 decides."""
    example = EXAMPLES["000-14.14-mcnemar"]
    table = ContingencyTable(*(example["inputs"][c] for c in ("n11", "n10", "n01", "n00")))
    result = mcnemar(table, method="asymptotic")

    assert example["value"] == pytest.approx(
        {
            "pvalue": result.pvalue,
            "Q": yule_q(table).estimate,
            "acc_gap": math.fabs(result.estimate),
        },
        **APPROX,
    )


def test_every_example_is_used():
    """The examples that are checked are all that there are."""
    tested = {"brier_binary", "brier_multiclass", "brier_reference_values"}
    tested |= {"calibration_curve", "ece_equal_width", "ece_top_label", "ece_classwise"}
    tested |= {"ece_classwise_bins", "wilcoxon_critical_value", "mcnemar_asymptotic"}
    tested |= {"paired_score_difference", "paired_score_difference_multiclass", "midranks"}
    tested |= {"paired_t_test", "wilcoxon_signed_rank", *ONE_NUMBER}

    assert tested == {example["method"] for example in EXAMPLES.values()}
