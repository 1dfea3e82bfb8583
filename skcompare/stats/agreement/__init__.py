"""Agreement of two classifiers, and tests of symmetry."""

from skcompare.stats.agreement._bowker import bowker, symmetry_permutation
from skcompare.stats.agreement._disagreement import disagreement, label_disagreement, yule_q
from skcompare.stats.agreement._ensemble import (
    MOST_CALIBRATION_ERROR,
    ROLES,
    EnsembleAdvice,
    EnsembleStep,
    recommend_ensemble,
)
from skcompare.stats.agreement._error_correlation import error_correlation
from skcompare.stats.agreement._kappa import cohen_kappa, error_kappa
from skcompare.stats.agreement._marginal_homogeneity import bhapkar, stuart_maxwell

__all__ = [
    "EnsembleAdvice",
    "EnsembleStep",
    "bhapkar",
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
]
