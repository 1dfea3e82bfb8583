"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._cochran_q import cochran_q
from skcompare.stats.several._delong_pairwise import PairwiseAUCResult, pairwise_delong
from skcompare.stats.several._pairwise import PairwiseResult, pairwise_mcnemar
from skcompare.stats.several._pairwise_rows import (
    PAIRWISE_ADJUSTMENTS,
    NamedPair,
    PairwiseRows,
    groups_of,
    letters_of,
    pairs_of,
)
from skcompare.stats.several._precision_pairwise import (
    PairwisePrecisionResult,
    pairwise_precision,
)
from skcompare.stats.several._precision_several import precision_several

__all__ = [
    "PairwiseAUCResult",
    "PairwisePrecisionResult",
    "PairwiseResult",
    "cochran_q",
    "pairwise_delong",
    "pairwise_mcnemar",
    "pairwise_precision",
    "precision_several",
]
