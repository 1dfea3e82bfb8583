"""Agreement of two classifiers, and tests of symmetry."""

from skcompare.stats.agreement._association import (
    cohen_kappa,
    disagreement,
    error_kappa,
    label_disagreement,
    yule_q,
)
from skcompare.stats.agreement._ensemble import (
    MOST_CALIBRATION_ERROR,
    ROLES,
    EnsembleAdvice,
    EnsembleStep,
    recommend_ensemble,
)
from skcompare.stats.agreement._error_correlation import error_correlation
from skcompare.stats.agreement._symmetry import (
    bhapkar,
    bowker,
    stuart_maxwell,
    symmetry_permutation,
)

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
