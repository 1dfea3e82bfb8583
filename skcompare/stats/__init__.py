"""What may be concluded: tests, each a pure function of one piece of evidence."""

from skcompare._registry import PairedTestEntry, paired_test, paired_tests
from skcompare.stats._adjust import adjust_pvalues
from skcompare.stats._bcv_mcnemar import bcv_mcnemar
from skcompare.stats._bowker import bowker
from skcompare.stats._clustered_mcnemar import clustered_mcnemar
from skcompare.stats._cochran_q import cochran_q
from skcompare.stats._disagreement import disagreement, label_disagreement
from skcompare.stats._discordant_odds_ratio import discordant_odds_ratio
from skcompare.stats._kappa import cohen_kappa, error_kappa
from skcompare.stats._marginal_homogeneity import bhapkar, stuart_maxwell
from skcompare.stats._mcnemar import mcnemar
from skcompare.stats._pairwise import PairwiseResult, pairwise_mcnemar
from skcompare.stats._plan import ComparisonPlan, PlanScenario
from skcompare.stats._planning import plan_comparison, plan_from_pilot
from skcompare.stats._power import mcnemar_power
from skcompare.stats._relative_accuracy import relative_accuracy
from skcompare.stats._result import ConfidenceInterval, PairedResult
from skcompare.stats._sample_size import bcv_mcnemar_sample_size, mcnemar_sample_size
from skcompare.stats._score_difference import score_difference
from skcompare.stats._symmetry_permutation import symmetry_permutation
from skcompare.stats._yule_q import yule_q

__all__ = [
    "ComparisonPlan",
    "ConfidenceInterval",
    "PairedResult",
    "PairedTestEntry",
    "PairwiseResult",
    "PlanScenario",
    "adjust_pvalues",
    "bcv_mcnemar",
    "bcv_mcnemar_sample_size",
    "bhapkar",
    "bowker",
    "clustered_mcnemar",
    "cochran_q",
    "cohen_kappa",
    "disagreement",
    "discordant_odds_ratio",
    "error_kappa",
    "label_disagreement",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_sample_size",
    "paired_test",
    "paired_tests",
    "plan_comparison",
    "plan_from_pilot",
    "pairwise_mcnemar",
    "relative_accuracy",
    "score_difference",
    "stuart_maxwell",
    "symmetry_permutation",
    "yule_q",
]
