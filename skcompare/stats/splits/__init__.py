"""Tests of scores and tables on several splits."""

from skcompare.stats.splits._bcv_jackknife import bcv_jackknife_t
from skcompare.stats.splits._published import (
    blocked_t,
    calibrated_5x2_f,
    combined_5x2_f,
    combined_5x2_t,
    corrected_pseudo_bootstrap_t,
    cv_ci_z,
    kfold_t,
    paired_5x2_t,
    pseudo_bootstrap_t,
    repeated_holdout_t,
)
from skcompare.stats.splits._published_mcnemar import bcv_mcnemar, naive_kfold_mcnemar
from skcompare.stats.splits._replicability import ReplicabilityResult, replicability
from skcompare.stats.splits._resampled_t import (
    conservative_z,
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
)

__all__ = [
    "ReplicabilityResult",
    "bcv_jackknife_t",
    "bcv_mcnemar",
    "blocked_t",
    "calibrated_5x2_f",
    "combined_5x2_f",
    "combined_5x2_t",
    "conservative_z",
    "corrected_pseudo_bootstrap_t",
    "corrected_repeated_holdout_t",
    "corrected_repeated_kfold_t",
    "cv_ci_z",
    "kfold_t",
    "naive_kfold_mcnemar",
    "paired_5x2_t",
    "pseudo_bootstrap_t",
    "repeated_holdout_t",
    "replicability",
]
