"""Tests of the accuracies of two classifiers on the same records."""

from skcompare.stats.accuracy._mcnemar import corrected_statistic, mcnemar_pvalues
