"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._omnibus import cochran_q, precision_several
from skcompare.stats.several._pairwise import (
    PAIRWISE_ADJUSTMENTS,
    PairwiseResult,
    groups_of,
    letters_of,
    pairs_of,
)
from skcompare.stats.several._pairwise_tests import (
    pairwise_delong,
    pairwise_mcnemar,
    pairwise_precision,
)

__all__ = [
    "PairwiseResult",
    "cochran_q",
    "pairwise_delong",
    "pairwise_mcnemar",
    "pairwise_precision",
    "precision_several",
]
