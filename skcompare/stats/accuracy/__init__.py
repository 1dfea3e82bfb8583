"""Tests of the accuracies of two classifiers on the same records."""

from skcompare.stats.accuracy._clustered_mcnemar import clustered_mcnemar
from skcompare.stats.accuracy._discordant_odds_ratio import discordant_odds_ratio
from skcompare.stats.accuracy._mcnemar import mcnemar
from skcompare.stats.accuracy._mcnemar_methods import corrected_statistic
from skcompare.stats.accuracy._proportional_z import proportional_z
from skcompare.stats.accuracy._relative_accuracy import relative_accuracy

__all__ = [
    "clustered_mcnemar",
    "discordant_odds_ratio",
    "mcnemar",
    "proportional_z",
    "relative_accuracy",
]
