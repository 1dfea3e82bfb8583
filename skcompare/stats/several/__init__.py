"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._cochran_q import cochran_q
from skcompare.stats.several._delong_pairwise import pairwise_delong
from skcompare.stats.several._mcnemar_pairwise import pairwise_mcnemar
from skcompare.stats.several._pairwise import PAIRWISE_ADJUSTMENTS, pairs_of
from skcompare.stats.several._pairwise_result import PairwiseResult, groups_of, letters_of
from skcompare.stats.several._precision_pairwise import pairwise_precision
from skcompare.stats.several._precision_several import precision_several

__all__ = [
    "PairwiseResult",
    "cochran_q",
    "pairwise_delong",
    "pairwise_mcnemar",
    "pairwise_precision",
    "precision_several",
]
