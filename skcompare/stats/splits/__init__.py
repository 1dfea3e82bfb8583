"""Tests of scores and tables on several splits."""

from skcompare.stats.splits._bcv_jackknife import bcv_jackknife_t
from skcompare.stats.splits._five_by_two import (
    blocked_t,
    calibrated_5x2_f,
    combined_5x2_f,
    combined_5x2_t,
    paired_5x2_t,
)
from skcompare.stats.splits._mcnemar_of_splits import bcv_mcnemar, naive_kfold_mcnemar
from skcompare.stats.splits._replicability import ReplicabilityResult, replicability
from skcompare.stats.splits._resampled_t import (
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
    kfold_t,
    repeated_holdout_t,
)
from skcompare.stats.splits._z_and_bootstrap_t import (
    conservative_z,
    corrected_pseudo_bootstrap_t,
    cv_ci_z,
    pseudo_bootstrap_t,
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
