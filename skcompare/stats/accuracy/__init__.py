"""Tests of the accuracies of two classifiers on the same records."""

from skcompare.stats.accuracy._clustered_mcnemar import clustered_mcnemar
from skcompare.stats.accuracy._mcnemar import (
    corrected_statistic,
    mcnemar,
    mcnemar_pvalues,
    proportional_z,
)
from skcompare.stats.accuracy._ratios import discordant_odds_ratio, relative_accuracy

__all__ = [
    "clustered_mcnemar",
    "discordant_odds_ratio",
    "mcnemar",
    "proportional_z",
    "relative_accuracy",
]
