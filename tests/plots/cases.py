"""A display of each kind, and those of extreme sizes, for the tests that all must pass.

Nothing is drawn here, and matplotlib is not needed.
"""

import math
from dataclasses import replace

import numpy as np

from skcompare.evidence import (
    AgreementMatrix,
    ContingencyTable,
    CrossedDifferences,
    JointCounts,
    OrderedDifferences,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
)
from skcompare.plots import (
    AgreementDisplay,
    AnytimeDisplay,
    BlandAltmanDisplay,
    CalibrationComparisonDisplay,
    ContingencyDisplay,
    CriticalDifferenceDisplay,
    ForestDisplay,
    GainByRangeDisplay,
    GainByRecordDisplay,
    GainOverTimeDisplay,
    LossDifferenceDisplay,
    LossReductionDisplay,
    PairwiseDisplay,
    PowerDisplay,
    RelativePrecisionDisplay,
    ResidualQuantilesDisplay,
    RocComparisonDisplay,
    SampleSizeDisplay,
    TrainingVarianceDisplay,
)
from skcompare.plots.forest._interval_rows import IntervalRow
from skcompare.predictions import predictions_from_arrays
from skcompare.stats import (
    AnytimeMonitor,
    plan_auc_comparison,
    plan_comparison,
    precision_by_class,
    relative_loss,
)

__all__ = ["CASES", "LARGE"]


def contingency():
    """A hundred records."""
    return ContingencyDisplay.of_result(ContingencyTable(60, 5, 15, 20))


def contingency_of_billions():
    """So many records that their numbers are long words."""
    return ContingencyDisplay.of_result(
        ContingencyTable(60 * 10**9, 5 * 10**9, 15 * 10**9, 20 * 10**9)
    )


def agreement():
    """Five classes, two of which are confused one way round."""
    counts = np.array(
        [
            [310, 12, 4, 0, 7],
            [15, 280, 9, 3, 0],
            [5, 41, 265, 6, 2],
            [1, 2, 8, 290, 33],
            [6, 0, 1, 9, 305],
        ]
    )
    return AgreementDisplay.of_result(
        AgreementMatrix(counts, ["bird", "cat", "dog", "frog", "horse"])
    )


def agreement_of_letters(names=None, scale=40):
    """26 classes with counts of four digits."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.gamma(0.4, scale, size=(26, 26)))
    np.fill_diagonal(counts, rng.integers(3000, 9000, size=26))
    counts[4, 8], counts[8, 4] = 1234, 402
    names = [chr(ord("A") + i) for i in range(26)] if names is None else names
    return AgreementDisplay.of_result(AgreementMatrix(counts, names))


def agreement_of_long_names():
    """26 classes whose names are long, in more than one script."""
    words = "Ω größter Wert einer sehr langen Bezeichnung der Klasse"
    return agreement_of_letters([f"{chr(65 + i)} {words}" for i in range(26)], 4000)


def loss_difference():
    """Brier losses, some of them equal."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    old = np.clip(0.25 + 0.5 * y + 0.25 * rng.normal(size=400), 0.01, 0.99)
    new = np.clip(old + 0.1 * (y - 0.5) + 0.1 * rng.normal(size=400), 0.01, 0.99)
    return LossDifferenceDisplay.of_result(PairedLosses.from_predictions(y, old, new))


def loss_difference_of_heavy_tails():
    """Many log losses, some of them huge, under a long name."""
    rng = np.random.default_rng(1)
    old, new = np.exp(1.8 * rng.normal(size=(2, 100_000)))
    losses = PairedLosses.from_losses(old, new, loss="log loss of a very long name indeed")
    return LossDifferenceDisplay.of_result(losses)


def power():
    """Two true differences beside that of the plan."""
    plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    return PowerDisplay.of_result(plan, differences=[0.04, 0.06], points=16)


def power_of_scenarios():
    """A pilot's plan, whose scenarios are far apart."""
    return PowerDisplay.of_result(ContingencyTable(1500, 120, 160, 100), points=16)


def sample_size():
    """Around the records of a plan."""
    plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    return SampleSizeDisplay.of_result(plan, points=9)


def sample_size_of_areas():
    """AUCs that hardly differ, so that it takes very many records."""
    plan = plan_auc_comparison(0.900, 0.901, correlation=0.6, prevalence=0.01)
    return SampleSizeDisplay.of_result(plan, powers=[0.5, 0.8, 0.9, 0.99])


def sample_size_of_losses():
    """Mean losses in a small unit."""
    moments = {"variances": [1e-9, 1e-9], "covariance": 7e-10, "loss": "squared_error"}
    pilot = PairedLosses.from_moments(60, [4.8e-5, 4.4e-5], **moments)
    options = {"goal": "noninferiority", "margin": "10 %", "points": 9}
    return SampleSizeDisplay.of_result(pilot, **options)


def looks():
    """Twelve nights, after some of which it was enough."""
    rng = np.random.default_rng(3)
    monitor = AnytimeMonitor()
    for counts in rng.multinomial(150, [0.83, 0.05, 0.08, 0.04], size=12):
        monitor.update(ContingencyTable(*counts.tolist()))
    return AnytimeDisplay.of_result(monitor)


def looks_by_the_thousand():
    """A one-sided test of losses that is looked at all the time, and is never sure."""
    rng = np.random.default_rng(4)
    n = 100 * np.arange(1, 3001)
    mean = np.cumsum(rng.normal(0.001, 0.05, size=3000)) / np.arange(1, 3001)
    half = 3 / np.sqrt(n)
    log_pvalue = np.minimum(
        0.0, -1.2 + 0.3 * np.sin(n / 40_000) + rng.normal(size=3000) / 9
    )
    return AnytimeDisplay(
        *(n, mean, mean - half, np.full(3000, 4.6), log_pvalue),
        alternative="greater",
        bound=4.6,
        measure="mean gain in a loss whose name goes on and on",
    )


def several(n=5, names=None, records=400):
    """Predictions of classifiers with shared difficulties, some of them equal."""
    rng = np.random.default_rng(2)
    hard, y = rng.random(records), rng.integers(2, size=records)
    names = [f"model {k}" for k in range(n)] if names is None else names
    predictions = {}
    for k, name in enumerate(names):
        own = np.where(rng.random(records) < 0.5, hard, rng.random(records))
        predictions[name] = np.where(own < 0.7 + 0.25 * k / n, y, 1 - y)
    predictions[names[2]] = predictions[names[1]]
    return predictions_from_arrays(y, predictions)


def several_of_long_names():
    """Twenty that are called alike, in more than one script, or with dollars."""
    words = "Pipeline(größter Maßstab Ω, LogisticRegression(C=$10$"
    return several(20, [f"{words}, seed={k}))" for k in range(20)], records=2000)


def forest():
    """Three measures of two units, one of them without a valid test, and a margin."""
    rows = (
        IntervalRow("accuracy", "mcnemar", 0.021, -0.003, 0.045, 0.09, primary=True),
        IntervalRow("precision[malignant]", None, 0.012, note="no test is valid"),
        IntervalRow("neg_log_loss", "paired_t", 0.9, 0.2, 1.6, 0.01, 0.02, unit="gain"),
    )
    return ForestDisplay((replace(rows[0], band=0.02), *rows[1:]), adjust="holm")


def forest_of_long_names():
    """The pairs with the best of twenty classifiers, which are called alike."""
    display = PairwiseDisplay.of_result(several_of_long_names(), n_resamples=499)
    return ForestDisplay.of_result(display.several)


def forest_of_letters():
    """26 classes, with flags, one-sided limits and what must be excluded."""
    rows = [
        IntervalRow(
            f"precision[{chr(65 + k)} größter Wert einer sehr langen Bezeichnung]",
            "precision_both_scores",
            0.01 * (k - 13),
            0.01 * (k - 15),
            math.inf,
            0.5,
            1.0,
            alternative="greater",
            flags=("no-predictions",) if k % 5 == 0 else (),
            excluded=((-math.inf, -0.02),),
            claim="precision is worse by less than 0.02",
        )
        for k in range(26)
    ]
    return ForestDisplay(tuple(rows), adjust="holm")


def relative_precision(labels=("cat", "dog", "owl", "ray")):
    """Classes of which one is never predicted and one never rightly."""
    rng = np.random.default_rng(5)
    k = len(labels)
    y, old, new = rng.integers(k, size=(3, 80 * k))
    old, new = np.where(rng.random(80 * k) < [[0.6], [0.7]], y, [old, new])
    old[old == 2] = 3
    new[new == 1] = 0
    new[np.flatnonzero(y != 1)[:4]] = 1
    words = np.array(labels)
    counts = JointCounts.from_predictions(*(words[codes] for codes in (y, old, new)))
    return RelativePrecisionDisplay.of_result(precision_by_class(counts))


def relative_precision_of_letters():
    """26 classes with long names."""
    return relative_precision([f"{chr(65 + k)} größter Wert Ω" * 2 for k in range(26)])


def critical_difference():
    """Five classifiers, two of which are equal."""
    return CriticalDifferenceDisplay.of_result(several(), n_resamples=499)


def critical_difference_of_long_names():
    """Twenty classifiers."""
    return CriticalDifferenceDisplay.of_result(several_of_long_names(), n_resamples=499)


def pairwise():
    """Five classifiers, two of which are equal."""
    return PairwiseDisplay.of_result(several(), n_resamples=499)


def pairwise_of_long_names():
    """Twenty classifiers."""
    return PairwiseDisplay.of_result(several_of_long_names(), n_resamples=499)


def scored(n, gain=1.0, seed=0):
    """Classes and the probabilities of two classifiers, the challenger's calibrated."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-2 * logit))).astype(int)
    noise = rng.normal(size=n)
    return y, 1 / (1 + np.exp(-4 * (logit + noise))), 1 / (1 + np.exp(-2 * gain * logit))


def roc():
    """A hold-out set of 120 records."""
    y, champion, challenger = scored(120)
    evidence = PlacementValues.from_predictions(y, champion, challenger)
    return RocComparisonDisplay.of_result(evidence, n_resamples=200)


def roc_of_long_names():
    """More records than there are rates, and names in more than one script."""
    y, champion, challenger = scored(3000)
    words = "Ω größter Wert einer sehr langen Bezeichnung $x$ des Klassifikators"
    evidence = PlacementValues.from_predictions(
        y, champion, challenger, names=[f"{words} 1", f"{words} 2"]
    )
    return RocComparisonDisplay.of_result(evidence, n_resamples=100)


def calibration():
    """A hold-out set of 600 records."""
    return CalibrationComparisonDisplay.of_result(
        PairedCalibration.from_predictions(*scored(600))
    )


def calibration_of_many_bins():
    """A hundred bins, some of them empty."""
    return CalibrationComparisonDisplay.of_result(
        PairedCalibration.from_predictions(*scored(3000), n_bins=100)
    )


def numbers(n=320, groups=None, seed=0):
    """Predictions of which the challenger's are better for small numbers, else worse."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(20, 300, size=n)
    old = y + rng.normal(3, 20, size=n)
    new = y + (4 + 0.14 * y) * rng.normal(size=n)
    predictions = {"old": old, "new": new}
    collected = predictions_from_arrays(y, predictions, target="numbers", groups=groups)
    return collected.pair("old", "new")


WORDS = "größter Maßstab Ω einer sehr langen Bezeichnung in $10$ €"


def numbers_of_heavy_tails():
    """Many numbers in groups, some of them and of their errors huge."""
    rng = np.random.default_rng(1)
    n = 4000
    y = np.exp(rng.normal(3, 1.2, size=n))
    old, new = (y * np.exp(s * rng.standard_t(4, size=n)) for s in (0.4, 0.3))
    names = [f"{WORDS} {k}" for k in (1, 2)]
    predictions = dict(zip(names, (old, new), strict=True))
    groups = np.arange(n) // 4
    return predictions_from_arrays(y, predictions, target="numbers", groups=groups).pair(
        *names
    )


def loss_reduction():
    """Squared and absolute errors."""
    return LossReductionDisplay.of_result(numbers())


def loss_reduction_of_heavy_tails():
    """Many slices with long names."""
    pair = numbers_of_heavy_tails()
    losses = PairedLosses.from_pair(pair, loss="absolute_error")
    parts = losses.values.reshape(2, 10, -1)
    slices = {
        f"{WORDS} {k}": relative_loss(PairedLosses.from_losses(*parts[:, k]))
        for k in range(10)
    }
    return LossReductionDisplay.of_result(slices)


def gain_by_range():
    """Eight ranges, in some of which either is better."""
    return GainByRangeDisplay.of_result(numbers())


def gain_by_range_of_heavy_tails():
    """Ranges on a logarithmic axis, with a long name."""
    return GainByRangeDisplay.of_result(numbers_of_heavy_tails(), quantity=WORDS)


def gain_by_record():
    """All of some records."""
    return GainByRecordDisplay.of_result(numbers(), quantity="price in €")


def gain_by_record_of_heavy_tails():
    """Some of many records, of which others are far beyond the picture."""
    return GainByRecordDisplay.of_result(numbers_of_heavy_tails(), quantity=WORDS)


def gain_over_time(n=400):
    """A challenger that is better at first and worse later."""
    rng = np.random.default_rng(0)
    gains = np.repeat([0.6, 0.0, -0.6], [150, 100, n - 250]) + rng.normal(size=n)
    ordered = OrderedDifferences.from_differences(gains, measure="absolute_error")
    return GainOverTimeDisplay.of_result(ordered)


def gain_over_dates():
    """Series of many days, with a long name."""
    rng = np.random.default_rng(1)
    days = np.datetime64("2021-01-01") + np.repeat(np.arange(900), 5)
    gains = 1e6 * (rng.standard_t(4, size=4500) + 0.4 * np.sin(np.arange(4500) / 700))
    ordered = OrderedDifferences.from_differences(
        gains, time=days, groups=np.tile(np.arange(5), 900), measure=WORDS
    )
    return GainOverTimeDisplay.of_result(ordered, name=WORDS)


def residual_quantiles():
    """A biased champion."""
    return ResidualQuantilesDisplay.of_result(numbers(), quantity="price in €")


def residual_quantiles_of_heavy_tails():
    """Errors on a logarithmic axis, of regressors with long names."""
    return ResidualQuantilesDisplay.of_result(numbers_of_heavy_tails(), quantity=WORDS)


def agreement_of_numbers():
    """A challenger that is less certain of large numbers."""
    return BlandAltmanDisplay.of_result(numbers(), quantity="price in €")


def agreement_of_numbers_of_heavy_tails():
    """Some of many records in groups, others of which are far beyond the picture."""
    return BlandAltmanDisplay.of_result(numbers_of_heavy_tails(), quantity=WORDS)


def training_variance(scale=0.02):
    """Pairs of trainings that vary about as much as the records."""
    rng = np.random.default_rng(0)
    champion = rng.random((5, 400)) + scale * rng.normal(size=(5, 1))
    challenger = rng.random((5, 400)) - 0.05 + scale * rng.normal(size=(5, 1))
    crossed = CrossedDifferences.from_losses(champion, challenger, loss="brier_score")
    return TrainingVarianceDisplay.of_result(crossed)


def training_variance_of_many():
    """Many separate trainings, which vary by much, of a measure with a long name."""
    rng = np.random.default_rng(1)
    sizes = ((300, 50), (40, 50))
    values = [
        1e6 * (1 + rng.random(size) + rng.normal(size=(size[0], 1))) for size in sizes
    ]
    crossed = CrossedDifferences.from_losses(*values, loss=WORDS)
    return TrainingVarianceDisplay.of_result(crossed)


CASES = {
    "CalibrationComparisonDisplay": calibration,
    "RocComparisonDisplay": roc,
    "CriticalDifferenceDisplay": critical_difference,
    "ForestDisplay": forest,
    "PairwiseDisplay": pairwise,
    "RelativePrecisionDisplay": relative_precision,
    "LossReductionDisplay": loss_reduction,
    "GainByRangeDisplay": gain_by_range,
    "GainByRecordDisplay": gain_by_record,
    "GainOverTimeDisplay": gain_over_time,
    "ResidualQuantilesDisplay": residual_quantiles,
    "BlandAltmanDisplay": agreement_of_numbers,
    "AnytimeDisplay": looks,
    "PowerDisplay": power,
    "SampleSizeDisplay": sample_size,
    "LossDifferenceDisplay": loss_difference,
    "AgreementDisplay": agreement,
    "ContingencyDisplay": contingency,
    "TrainingVarianceDisplay": training_variance,
}
"""Functions by the name of their display: of ordinary size."""

LARGE = {
    "CalibrationComparisonDisplay of many bins": calibration_of_many_bins,
    "RocComparisonDisplay of long names": roc_of_long_names,
    "CriticalDifferenceDisplay of long names": critical_difference_of_long_names,
    "ForestDisplay of letters": forest_of_letters,
    "ForestDisplay of long names": forest_of_long_names,
    "PairwiseDisplay of long names": pairwise_of_long_names,
    "RelativePrecisionDisplay of letters": relative_precision_of_letters,
    "LossReductionDisplay of heavy tails": loss_reduction_of_heavy_tails,
    "GainByRangeDisplay of heavy tails": gain_by_range_of_heavy_tails,
    "GainByRecordDisplay of heavy tails": gain_by_record_of_heavy_tails,
    "GainOverTimeDisplay of dates": gain_over_dates,
    "ResidualQuantilesDisplay of heavy tails": residual_quantiles_of_heavy_tails,
    "BlandAltmanDisplay of heavy tails": agreement_of_numbers_of_heavy_tails,
    "AnytimeDisplay by the thousand": looks_by_the_thousand,
    "PowerDisplay of scenarios": power_of_scenarios,
    "SampleSizeDisplay of areas": sample_size_of_areas,
    "SampleSizeDisplay of losses": sample_size_of_losses,
    "LossDifferenceDisplay of heavy tails": loss_difference_of_heavy_tails,
    "AgreementDisplay of letters": agreement_of_letters,
    "AgreementDisplay of long names": agreement_of_long_names,
    "ContingencyDisplay of billions": contingency_of_billions,
    "TrainingVarianceDisplay of many": training_variance_of_many,
}
"""Functions by words, whose first is the name of their display: of extreme size."""
