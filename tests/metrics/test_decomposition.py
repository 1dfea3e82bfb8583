"""Decompositions of Brier and log loss: what they add up to, and who else finds them.

`decomposition.json` has figures of scipy's isotonic regression, scikit-learn and R.
"""

import itertools
import math

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from skcompare.metrics import multiclass_brier_loss, score_decomposition
from tests.common.golden import golden

CASES = golden("decomposition")["cases"]
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
MURPHY = [
    {"strategy": strategy, "n_bins": n_bins, "bias_corrected": corrected}
    for strategy in ("uniform", "equal_mass", "quantile")
    for n_bins in (1, 4, 15)
    for corrected in (False, True)
]


def sample(seed, n=60, decimals=1):
    """Outcomes of two classes and forecasts that are rounded, with some of 0 and 1."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 0.7, n)
    return (rng.random(n) < p**1.5).astype(int), p.round(decimals)


def parts_of(found):
    return [getattr(found, name) for name in PARTS]


def assert_adds_up(found):
    parts = found.miscalibration - found.discrimination + found.uncertainty
    parts += found.within_bin_variance - found.within_bin_covariance
    assert parts == pytest.approx(found.score, abs=1e-12)


def isotonic(y, p, w):
    """Isotonic regression by its min-max formula (Barlow et al. 1972, theorem 1.9)."""
    values, codes = np.unique(p, return_inverse=True)
    # Sums up to a value; a mean from i to j is a difference of both kinds of sums.
    total = np.append(0, np.bincount(codes, w).cumsum())
    events = np.append(0, np.bincount(codes, w * y).cumsum())
    fitted = [
        max(
            min((events[at + 1 :] - events[i]) / (total[at + 1 :] - total[i]))
            for i in range(at + 1)
        )
        for at in range(len(values))
    ]
    return np.array(fitted)[codes]


def costs(y, p, loss):
    if loss == "brier_score":
        return (p - y) ** 2
    with np.errstate(divide="ignore"):
        return -np.log(np.where(y == 1, p, 1 - p))


# ------------------------------------------------------- other people's numbers


def test_recalibration_by_scipy():
    """The parts from scipy's isotonic regression, and the score of scikit-learn and R."""
    for case in CASES:
        for loss, values in case["values"].items():
            found = score_decomposition(case["y"], case["p"], loss=loss)

            for name in PARTS:
                assert values[name] == pytest.approx(
                    getattr(found, name), rel=1e-10, abs=1e-15
                )
        assert case["brier_score"] == pytest.approx(
            score_decomposition(case["y"], case["p"]).score, rel=1e-12
        )


@pytest.mark.parametrize("method", ["corp", "murphy"])
def test_score_of_scikit_learn(method):
    """The sum is the loss itself."""
    y, p = sample(1)
    w = np.random.default_rng(1).random(len(y))

    found = score_decomposition(y, p, method=method, sample_weight=w)

    assert brier_score_loss(y, p, sample_weight=w) == pytest.approx(found.score)


def test_log_score_of_scikit_learn():
    """Certain and wrong forecasts count as the smallest number beside 1."""
    y, p = sample(2)

    assert log_loss(y, p) == pytest.approx(score_decomposition(y, p, loss="log_loss").score)


# -------------------------------------------------------------- what defines CORP


def test_parts_are_differences_of_mean_losses():
    """Of the forecasts, of their isotonic regression and of the share of positives."""
    for weighted, loss in itertools.product([False, True], ["brier_score", "log_loss"]):
        for seed in range(6):
            y, p = sample(seed, n=40, decimals=2)
            p = np.clip(p, 0.01, 0.99)
            w = np.random.default_rng(seed).integers(0, 4, 40) if weighted else np.ones(40)
            kept = w > 0
            fitted = isotonic(y[kept], p[kept], w[kept])
            share = np.full(kept.sum(), np.average(y, weights=w))
            own, calibrated, constant = (
                np.average(costs(y[kept], q, loss), weights=w[kept])
                for q in (p[kept], fitted, share)
            )

            found = score_decomposition(
                y, p, loss=loss, sample_weight=w if weighted else None
            )

            expected = own, own - calibrated, constant - calibrated, constant
            assert list(expected) == pytest.approx(parts_of(found), abs=1e-12)


@pytest.mark.parametrize("loss", ["brier_score", "log_loss"])
def test_parts_are_not_negative_and_add_up(loss):
    """Whatever the forecasts are, 0 and 1 among them."""
    for seed in range(20):
        for decimals in (0, 1, 3):
            found = score_decomposition(*sample(seed, 25, decimals), loss=loss)

            assert_adds_up(found)
            assert min(parts_of(found)) >= 0
            assert all(map(math.isfinite, parts_of(found)))


@pytest.mark.parametrize("loss", ["brier_score", "log_loss"])
def test_recalibration_has_no_effect_on_discrimination(loss):
    """It depends on the order of the forecasts only."""
    y, p = sample(3, decimals=2)

    expected = score_decomposition(y, p, loss=loss).discrimination

    for other in (p**3, 0.4 + p / 10):
        found = score_decomposition(y, other, loss=loss)
        assert expected == pytest.approx(found.discrimination, abs=1e-12)


@pytest.mark.parametrize("loss", ["brier_score", "log_loss"])
def test_extreme_classifiers(loss):
    """Perfect: no loss. The share of positives: uncertainty alone. Exactly wrong: as much
    miscalibration as the loss.
    """
    y = np.array([0, 1, 1, 1])

    perfect = score_decomposition(y, y.astype(float), loss=loss)
    constant = score_decomposition(y, np.full(4, 0.75), loss=loss)
    wrong = score_decomposition(y, 1.0 - y, loss=loss)

    assert 0 == pytest.approx(perfect.score, abs=1e-15)
    assert perfect.uncertainty == pytest.approx(perfect.discrimination)
    assert constant.score == pytest.approx(constant.uncertainty)
    assert [0, 0] == pytest.approx([constant.miscalibration, constant.discrimination])
    assert 0 == pytest.approx(wrong.discrimination)
    assert wrong.score - wrong.uncertainty == pytest.approx(wrong.miscalibration)


@pytest.mark.parametrize("method", ["corp", "murphy"])
def test_records_of_one_class(method):
    """Nothing to tell apart: uncertainty and discrimination are 0."""
    for label in (0, 1):
        found = score_decomposition(
            [label] * 3, [0.2, 0.5, 0.9], method=method, labels=[0, 1]
        )

        assert 0 == found.uncertainty == pytest.approx(found.discrimination, abs=1e-15)
        assert_adds_up(found)
    log = score_decomposition([1, 1], [0.5, 0.25], loss="log_loss", labels=[0, 1])
    assert 1.5 * math.log(2) == pytest.approx(log.score) == log.miscalibration


def test_probabilities_that_differ_little_are_not_pooled():
    """Isotonic regression must not take 1e-20 and 1e-18 for one forecast."""
    found = score_decomposition([0, 1], [1e-20, 1e-18])

    assert 0.25 == found.discrimination


def test_weights_of_very_different_size():
    """A certain recalibrated forecast beside a record of hardly any weight."""
    found = score_decomposition(
        [1, 0, 0], [0.3, 0.6, 0.1], loss="log_loss", sample_weight=[1.0, 1e-20, 1.0]
    )

    assert all(map(math.isfinite, parts_of(found)))
    assert_adds_up(found)


# ------------------------------------------------------------ what defines Murphy


def test_bins_add_up():
    """With variance and covariance within bins, and without bias too."""
    for options in MURPHY:
        for seed in range(5):
            y, p = sample(seed, n=50, decimals=1 + seed % 3)

            found = score_decomposition(y, p, method="murphy", **options)

            assert_adds_up(found)
            assert 1 <= found.n_bins <= options["n_bins"]


def test_three_parts_are_enough_for_constant_bins():
    """A bin for each forecast: Murphy's sum is exact."""
    y, p = sample(4, decimals=1)

    found = score_decomposition(y, p, method="murphy", n_bins=10, strategy="uniform")
    fine = score_decomposition(y, np.minimum(p, 0.9), method="murphy")

    # The last bin holds 0.9 and 1.
    assert found.within_bin_variance > 0
    assert [0, 0] == pytest.approx(
        [fine.within_bin_variance, fine.within_bin_covariance], abs=1e-15
    )


def test_bins_by_hand():
    """Two bins of two and three records."""
    y, p = [0, 1, 1, 1, 0], [0.1, 0.3, 0.6, 0.8, 1.0]

    found = score_decomposition(y, p, method="murphy", n_bins=2)

    reliability = 2 / 5 * (0.2 - 1 / 2) ** 2 + 3 / 5 * (0.8 - 2 / 3) ** 2
    resolution = 2 / 5 * (1 / 2 - 3 / 5) ** 2 + 3 / 5 * (2 / 3 - 3 / 5) ** 2
    variance = (2 * 0.1**2 + 2 * 0.2**2) / 5
    covariance = 2 * (0.5 * 0.1 * 2 - 0.2 * 1 / 3 + 0.2 * -2 / 3) / 5
    assert reliability == pytest.approx(found.miscalibration)
    assert resolution == pytest.approx(found.discrimination)
    assert 6 / 25 == pytest.approx(found.uncertainty)
    assert variance == pytest.approx(found.within_bin_variance)
    assert covariance == pytest.approx(found.within_bin_covariance)
    assert 2 == found.n_bins


def test_bias_is_taken_off():
    """The mean over all samples is the part of the population (Ferro and Fricker 2012).

    All outcomes of records with fixed forecasts are enumerated: given how many records a
    bin has, reliability is unbiased.
    """
    p = np.array([0.2] * 3 + [0.7] * 4)
    truth = np.array([0.35] * 3 + [0.6] * 4)
    expected = np.mean((p - truth) ** 2)
    means = {}
    for corrected in (False, True):
        means[corrected] = 0.0
        for bits in range(2**7):
            y = (bits >> np.arange(7)) & 1
            chance = np.prod(np.where(y == 1, truth, 1 - truth))
            found = score_decomposition(
                y, p, method="murphy", labels=[0, 1], bias_corrected=corrected
            )
            means[corrected] += chance * found.miscalibration

    assert expected == pytest.approx(means[True], abs=1e-14)
    assert expected < means[False] - 0.01


def test_uncertainty_without_bias():
    """Over all samples of records alike, it is the variance of the outcome."""
    mean = sum(
        math.comb(6, ones)
        * 0.3**ones
        * 0.7 ** (6 - ones)
        * score_decomposition(
            [1] * ones + [0] * (6 - ones),
            [0.5] * 6,
            method="murphy",
            labels=[0, 1],
            bias_corrected=True,
        ).uncertainty
        for ones in range(7)
    )

    assert 0.3 * 0.7 == pytest.approx(mean)


# ----------------------------------------------------------------- classes, weights


@pytest.mark.parametrize("method", ["corp", "murphy"])
def test_classes_add_up_to_the_multiclass_loss(method):
    """Each class against the rest."""
    rng = np.random.default_rng(5)
    proba = rng.dirichlet(np.ones(3), 50)
    y = np.array(["ant", "bee", "cow"])[rng.integers(0, 3, 50)]

    found = score_decomposition(y, proba, method=method)

    assert multiclass_brier_loss(y, proba) == pytest.approx(found.score, abs=1e-12)
    assert_adds_up(found)
    assert ["ant", "bee", "cow"] == [one.label for one in found.classes]
    for k, one in enumerate(found.classes):
        alone = score_decomposition(
            (y == one.label).astype(int), proba[:, k], method=method
        )
        assert parts_of(alone) == pytest.approx(parts_of(one), abs=1e-15)
    for name in PARTS:
        total = sum(getattr(one, name) for one in found.classes)
        assert total == pytest.approx(getattr(found, name))


@pytest.mark.parametrize("method", ["corp", "murphy"])
def test_integer_weights_are_repetition(method):
    """A record of weight 3 is there three times, and one of weight 0 is not."""
    y, p = sample(6)
    w = np.random.default_rng(6).integers(0, 4, len(y))

    weighted = score_decomposition(y, p, method=method, sample_weight=w)
    repeated = score_decomposition(np.repeat(y, w), np.repeat(p, w), method=method)

    assert parts_of(repeated) == pytest.approx(parts_of(weighted), abs=1e-13)
    assert repeated.n_bins == weighted.n_bins


def test_either_class_gives_the_same():
    """The loss of one of two classes is that of the other; a column says of which it is."""
    y, p = sample(7, decimals=3)
    words = np.where(y == 1, "yes", "no")

    expected = parts_of(score_decomposition(y, p))

    for found in (
        score_decomposition(words, p, pos_label="yes"),
        score_decomposition(words, 1 - p, pos_label="no"),
        score_decomposition(words, np.column_stack([1 - p, p])),
    ):
        assert expected == pytest.approx(parts_of(found), abs=1e-12)


def test_plain_values():
    """The parts as a dict, classes within."""
    found = score_decomposition([0, 1, 2], np.eye(3))

    values = found.to_dict()

    assert [0, 1, 2] == [one["label"] for one in values["classes"]]
    assert found.score == values["score"]


def test_options_that_cannot_be():
    """Each is refused with what was expected."""
    for options, message in [
        ({"loss": "hinge"}, "Unknown loss 'hinge'"),
        ({"method": "bins"}, "Unknown method 'bins'"),
        ({"strategy": "even"}, "Unknown strategy 'even'"),
        ({"n_bins": 0}, "`n_bins` must be an integer of at least 1"),
        ({"method": "murphy", "loss": "log_loss"}, 'Use method="corp"'),
        ({"bias_corrected": True}, "Leave out `bias_corrected`"),
        (
            {"method": "murphy", "bias_corrected": True, "sample_weight": [1, 2, 1]},
            "and weights. Leave out",
        ),
        (
            {"method": "murphy", "strategy": "quantile", "sample_weight": [1, 2, 1]},
            '`sample_weight` goes with strategy="uniform"',
        ),
        ({"sample_weight": [1, -1, 1]}, "weights of at least 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            score_decomposition([0, 1, 1], [0.2, 0.4, 0.9], **options)


def test_log_loss_of_many_classes_is_refused():
    """It is no sum over classes."""
    with pytest.raises(ValueError, match=r"two classes\. Got 3"):
        score_decomposition([0, 1, 2], np.eye(3), loss="log_loss")
