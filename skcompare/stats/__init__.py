"""What may be concluded: tests, each a pure function of one piece of evidence."""

from skcompare._registry.tests import PairedTestEntry, paired_test, paired_tests, sort_tests
from skcompare.stats._adjust import adjust_pvalues
from skcompare.stats._auc_interval import AUCInterval, auc_interval
from skcompare.stats._bcv_jackknife import bcv_jackknife_t
from skcompare.stats._bcv_mcnemar import bcv_mcnemar
from skcompare.stats._blocked_t import blocked_t
from skcompare.stats._bootstrap_difference import bootstrap_difference
from skcompare.stats._bowker import bowker
from skcompare.stats._calibration_consistency import (
    CalibrationConsistency,
    calibration_consistency,
)
from skcompare.stats._calibration_difference import calibration_difference
from skcompare.stats._calibration_result import CalibrationTestResult
from skcompare.stats._calibration_tests import calibration_cusum, spiegelhalter
from skcompare.stats._clustered_delong import clustered_delong
from skcompare.stats._clustered_mcnemar import clustered_mcnemar
from skcompare.stats._clustered_precision import clustered_precision
from skcompare.stats._clustered_t import clustered_t
from skcompare.stats._cochran_q import cochran_q
from skcompare.stats._combine_pvalues import (
    CombinedPvalue,
    lancaster_correlated,
    simes,
)
from skcompare.stats._conservative_z import conservative_z
from skcompare.stats._cv_ci_z import cv_ci_z
from skcompare.stats._delong import delong
from skcompare.stats._delong_joint import auc_contrast, delong_joint
from skcompare.stats._delong_ovo import delong_ovo
from skcompare.stats._delong_ovr import delong_classes, delong_ovr
from skcompare.stats._delong_pairwise import pairwise_delong
from skcompare.stats._delong_pairwise_result import PairwiseAUCResult
from skcompare.stats._disagreement import disagreement, label_disagreement
from skcompare.stats._discordant_odds_ratio import discordant_odds_ratio
from skcompare.stats._ensemble import EnsembleAdvice, EnsembleStep, recommend_ensemble
from skcompare.stats._error_correlation import error_correlation
from skcompare.stats._five_by_two_f import calibrated_5x2_f, combined_5x2_f
from skcompare.stats._five_by_two_t import combined_5x2_t, paired_5x2_t
from skcompare.stats._gee_precision import gee_precision
from skcompare.stats._generalized_score import (
    precision_both_scores,
    precision_score,
    precision_weighted_score,
)
from skcompare.stats._jackknife_difference import jackknife_difference
from skcompare.stats._kappa import cohen_kappa, error_kappa
from skcompare.stats._kfold_t import corrected_repeated_kfold_t, kfold_t
from skcompare.stats._loss_permutation import loss_permutation
from skcompare.stats._marginal_homogeneity import bhapkar, stuart_maxwell
from skcompare.stats._mcnemar import mcnemar
from skcompare.stats._naive_kfold_mcnemar import naive_kfold_mcnemar
from skcompare.stats._paired_t import paired_t
from skcompare.stats._pairwise import pairwise_mcnemar
from skcompare.stats._pairwise_result import PairwiseResult
from skcompare.stats._permutation_difference import permutation_difference
from skcompare.stats._plan import ComparisonPlan, PlanScenario
from skcompare.stats._plan_auc import plan_auc_comparison, plan_auc_from_pilot
from skcompare.stats._plan_auc_result import AUCPlan, AUCPlanScenario
from skcompare.stats._planning import plan_comparison, plan_from_pilot
from skcompare.stats._power import mcnemar_power
from skcompare.stats._precision_classes import precision_by_class
from skcompare.stats._precision_classes_result import PrecisionByClass
from skcompare.stats._precision_difference import precision_difference
from skcompare.stats._precision_global import (
    precision_joint,
    precision_lancaster,
    precision_simes,
)
from skcompare.stats._precision_pairwise import pairwise_precision
from skcompare.stats._precision_pairwise_result import PairwisePrecisionResult
from skcompare.stats._precision_ratio import precision_wald, relative_precision
from skcompare.stats._precision_several import precision_several
from skcompare.stats._proportional_z import proportional_z
from skcompare.stats._pseudo_bootstrap import (
    corrected_pseudo_bootstrap_t,
    pseudo_bootstrap_t,
)
from skcompare.stats._relative_accuracy import relative_accuracy
from skcompare.stats._repeated_holdout_t import (
    corrected_repeated_holdout_t,
    repeated_holdout_t,
)
from skcompare.stats._replicability import ReplicabilityResult, replicability
from skcompare.stats._result import ConfidenceInterval, PairedResult
from skcompare.stats._roc_band import roc_difference_band
from skcompare.stats._roc_band_result import RocDifferenceBand
from skcompare.stats._sample_size import bcv_mcnemar_sample_size, mcnemar_sample_size
from skcompare.stats._score_difference import score_difference
from skcompare.stats._sequential_losses import anytime_losses
from skcompare.stats._sequential_mcnemar import anytime_mcnemar
from skcompare.stats._sequential_monitor import AnytimeLook, AnytimeMonitor
from skcompare.stats._symmetry_permutation import symmetry_permutation
from skcompare.stats._unpaired_delong import unpaired_delong
from skcompare.stats._updated_precision import updated_precision
from skcompare.stats._wilcoxon import wilcoxon
from skcompare.stats._yule_q import yule_q

__all__ = [
    "AUCInterval",
    "AUCPlan",
    "AUCPlanScenario",
    "AnytimeLook",
    "AnytimeMonitor",
    "CalibrationConsistency",
    "CalibrationTestResult",
    "CombinedPvalue",
    "ComparisonPlan",
    "ConfidenceInterval",
    "EnsembleAdvice",
    "EnsembleStep",
    "PairedResult",
    "PairedTestEntry",
    "PairwiseAUCResult",
    "PairwisePrecisionResult",
    "PairwiseResult",
    "PlanScenario",
    "PrecisionByClass",
    "ReplicabilityResult",
    "RocDifferenceBand",
    "adjust_pvalues",
    "anytime_losses",
    "anytime_mcnemar",
    "auc_contrast",
    "auc_interval",
    "bcv_jackknife_t",
    "bcv_mcnemar",
    "bcv_mcnemar_sample_size",
    "bhapkar",
    "blocked_t",
    "bootstrap_difference",
    "bowker",
    "calibrated_5x2_f",
    "calibration_consistency",
    "calibration_cusum",
    "calibration_difference",
    "clustered_delong",
    "clustered_mcnemar",
    "clustered_precision",
    "clustered_t",
    "cochran_q",
    "cohen_kappa",
    "combined_5x2_f",
    "combined_5x2_t",
    "conservative_z",
    "corrected_pseudo_bootstrap_t",
    "corrected_repeated_holdout_t",
    "corrected_repeated_kfold_t",
    "cv_ci_z",
    "delong",
    "delong_classes",
    "delong_joint",
    "delong_ovo",
    "delong_ovr",
    "disagreement",
    "discordant_odds_ratio",
    "error_correlation",
    "error_kappa",
    "gee_precision",
    "jackknife_difference",
    "kfold_t",
    "label_disagreement",
    "lancaster_correlated",
    "loss_permutation",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_sample_size",
    "naive_kfold_mcnemar",
    "paired_5x2_t",
    "paired_t",
    "paired_test",
    "paired_tests",
    "pairwise_delong",
    "pairwise_mcnemar",
    "pairwise_precision",
    "permutation_difference",
    "plan_auc_comparison",
    "plan_auc_from_pilot",
    "plan_comparison",
    "plan_from_pilot",
    "precision_both_scores",
    "precision_by_class",
    "precision_difference",
    "precision_joint",
    "precision_lancaster",
    "precision_score",
    "precision_several",
    "precision_simes",
    "precision_wald",
    "precision_weighted_score",
    "proportional_z",
    "pseudo_bootstrap_t",
    "recommend_ensemble",
    "relative_accuracy",
    "relative_precision",
    "repeated_holdout_t",
    "replicability",
    "roc_difference_band",
    "score_difference",
    "simes",
    "spiegelhalter",
    "stuart_maxwell",
    "symmetry_permutation",
    "unpaired_delong",
    "updated_precision",
    "wilcoxon",
    "yule_q",
]

sort_tests()
