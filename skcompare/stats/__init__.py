"""Statistical tests, each a pure function of one piece of evidence."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from skcompare._core.validation import unknown_attribute as _unknown_attribute
from skcompare._registry.tests import PairedTestEntry, paired_test, paired_tests, sort_tests
from skcompare.stats.accuracy._clustered_mcnemar import clustered_mcnemar
from skcompare.stats.accuracy._mcnemar import mcnemar, proportional_z
from skcompare.stats.accuracy._ratios import discordant_odds_ratio, relative_accuracy
from skcompare.stats.agreement._association import (
    cohen_kappa,
    disagreement,
    error_correlation,
    error_kappa,
    label_disagreement,
    yule_q,
)
from skcompare.stats.agreement._bland_altman import (
    AgreementEstimate,
    BlandAltmanResult,
    bland_altman,
)
from skcompare.stats.agreement._ensemble import (
    EnsembleAdvice,
    EnsembleStep,
    recommend_ensemble,
)
from skcompare.stats.agreement._symmetry import (
    bhapkar,
    bowker,
    stuart_maxwell,
    symmetry_permutation,
)
from skcompare.stats.calibration._calibration_difference import calibration_difference
from skcompare.stats.calibration._calibration_tests import (
    CalibrationConsistency,
    CalibrationTestResult,
    calibration_consistency,
    calibration_cusum,
    spiegelhalter,
)
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._power import (
    bcv_mcnemar_sample_size,
    mcnemar_power,
    mcnemar_sample_size,
)
from skcompare.stats.core._result import ConfidenceInterval, PairedResult
from skcompare.stats.losses._paired_t import clustered_t, loss_permutation, paired_t
from skcompare.stats.losses._relative_loss import clustered_relative_loss, relative_loss
from skcompare.stats.losses._wilcoxon import wilcoxon
from skcompare.stats.margins._margin_test import (
    ConstantDifferences,
    InfluenceMoments,
    MarginResult,
    SkewnessAdjusted,
    influence_moments,
    margin_test,
)
from skcompare.stats.planning._plan_accuracy import (
    ComparisonPlan,
    PlanScenario,
    plan_comparison,
    plan_from_pilot,
)
from skcompare.stats.planning._plan_auc import (
    AUCPlan,
    AUCPlanScenario,
    plan_auc_comparison,
    plan_auc_from_pilot,
)
from skcompare.stats.planning._plan_losses import (
    LossPlan,
    LossPlanScenario,
    plan_loss_comparison,
    plan_loss_from_pilot,
)
from skcompare.stats.planning._plan_time import (
    TimePlan,
    plan_time_comparison,
    plan_time_from_pilot,
)
from skcompare.stats.planning._plan_trainings import (
    TrainingPlan,
    TrainingScenario,
    plan_trainings,
    plan_trainings_from_pilot,
)
from skcompare.stats.precision._precision_classes import (
    PrecisionByClass,
    precision_by_class,
)
from skcompare.stats.precision._precision_global import (
    CombinedPvalue,
    lancaster_correlated,
    precision_joint,
    precision_lancaster,
    precision_simes,
    simes,
)
from skcompare.stats.precision._precision_tests import (
    clustered_precision,
    gee_precision,
    precision_both_scores,
    precision_difference,
    precision_score,
    precision_wald,
    precision_weighted_score,
    relative_precision,
)
from skcompare.stats.precision._updated_precision import updated_precision
from skcompare.stats.ranking._delong import (
    AUCInterval,
    auc_interval,
    clustered_delong,
    delong,
    unpaired_delong,
)
from skcompare.stats.ranking._delong_joint import auc_contrast, delong_joint
from skcompare.stats.ranking._multiclass_auc import delong_classes, delong_ovo, delong_ovr
from skcompare.stats.ranking._roc_band import RocDifferenceBand, roc_difference_band
from skcompare.stats.scores._correlations import dependent_correlations
from skcompare.stats.scores._influence import influence_difference
from skcompare.stats.scores._permutation import permutation_difference, score_difference
from skcompare.stats.scores._resampling import bootstrap_difference, jackknife_difference
from skcompare.stats.sequential._sequential_tests import (
    AnytimeLook,
    AnytimeMonitor,
    anytime_losses,
    anytime_mcnemar,
)
from skcompare.stats.several._omnibus import cochran_q, precision_several
from skcompare.stats.several._pairwise import (
    PairwiseResult,
    pairwise_delong,
    pairwise_mcnemar,
    pairwise_precision,
)
from skcompare.stats.several._pairwise_losses import pairwise_losses
from skcompare.stats.splits._published import (
    bcv_mcnemar,
    blocked_t,
    calibrated_5x2_f,
    combined_5x2_f,
    combined_5x2_t,
    corrected_pseudo_bootstrap_t,
    cv_ci_z,
    kfold_t,
    naive_kfold_mcnemar,
    paired_5x2_t,
    pseudo_bootstrap_t,
    repeated_holdout_t,
)
from skcompare.stats.splits._replicability import ReplicabilityResult, replicability
from skcompare.stats.splits._resampled_t import (
    bcv_jackknife_t,
    conservative_z,
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
)
from skcompare.stats.time._conditional import ConditionalResult, clark_west, giacomini_white
from skcompare.stats.time._diebold_mariano import diebold_mariano
from skcompare.stats.time._fluctuation import Fluctuation, fluctuation
from skcompare.stats.time._serial_correlation import SerialCorrelation, serial_correlation
from skcompare.stats.time._two_way import two_way_t
from skcompare.stats.trainings._crossed import crossed_t, records_t

__all__ = [
    "PairedTestEntry",
    "paired_test",
    "paired_tests",
    "clustered_mcnemar",
    "discordant_odds_ratio",
    "mcnemar",
    "proportional_z",
    "relative_accuracy",
    "AgreementEstimate",
    "BlandAltmanResult",
    "EnsembleAdvice",
    "EnsembleStep",
    "bhapkar",
    "bland_altman",
    "bowker",
    "cohen_kappa",
    "disagreement",
    "error_correlation",
    "error_kappa",
    "label_disagreement",
    "recommend_ensemble",
    "stuart_maxwell",
    "symmetry_permutation",
    "yule_q",
    "CalibrationConsistency",
    "CalibrationTestResult",
    "calibration_consistency",
    "calibration_cusum",
    "calibration_difference",
    "spiegelhalter",
    "ConfidenceInterval",
    "PairedResult",
    "adjust_pvalues",
    "bcv_mcnemar_sample_size",
    "mcnemar_power",
    "mcnemar_sample_size",
    "clustered_relative_loss",
    "clustered_t",
    "loss_permutation",
    "paired_t",
    "relative_loss",
    "wilcoxon",
    "ConstantDifferences",
    "InfluenceMoments",
    "MarginResult",
    "SkewnessAdjusted",
    "influence_moments",
    "margin_test",
    "AUCPlan",
    "AUCPlanScenario",
    "ComparisonPlan",
    "LossPlan",
    "LossPlanScenario",
    "TimePlan",
    "PlanScenario",
    "TrainingPlan",
    "TrainingScenario",
    "plan_auc_comparison",
    "plan_auc_from_pilot",
    "plan_comparison",
    "plan_from_pilot",
    "plan_loss_comparison",
    "plan_loss_from_pilot",
    "plan_time_comparison",
    "plan_time_from_pilot",
    "plan_trainings",
    "plan_trainings_from_pilot",
    "CombinedPvalue",
    "PrecisionByClass",
    "clustered_precision",
    "gee_precision",
    "lancaster_correlated",
    "precision_both_scores",
    "precision_by_class",
    "precision_difference",
    "precision_joint",
    "precision_lancaster",
    "precision_score",
    "precision_simes",
    "precision_wald",
    "precision_weighted_score",
    "relative_precision",
    "simes",
    "updated_precision",
    "AUCInterval",
    "RocDifferenceBand",
    "auc_contrast",
    "auc_interval",
    "clustered_delong",
    "delong",
    "delong_classes",
    "delong_joint",
    "delong_ovo",
    "delong_ovr",
    "roc_difference_band",
    "unpaired_delong",
    "bootstrap_difference",
    "dependent_correlations",
    "influence_difference",
    "jackknife_difference",
    "permutation_difference",
    "score_difference",
    "AnytimeLook",
    "AnytimeMonitor",
    "anytime_losses",
    "anytime_mcnemar",
    "PairwiseResult",
    "cochran_q",
    "pairwise_delong",
    "pairwise_losses",
    "pairwise_mcnemar",
    "pairwise_precision",
    "precision_several",
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
    "ConditionalResult",
    "Fluctuation",
    "SerialCorrelation",
    "clark_west",
    "fluctuation",
    "giacomini_white",
    "diebold_mariano",
    "serial_correlation",
    "two_way_t",
    "crossed_t",
    "records_t",
]

sort_tests()

# Hidden from type checkers, which would accept any name otherwise.
if not _TYPE_CHECKING:

    def __getattr__(name):
        raise _unknown_attribute(__name__, name, __all__)
