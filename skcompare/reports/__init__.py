"""Reports of comparisons as text, Markdown, HTML, JSON and data frames."""

# These register the tests and metrics that reports name.
import skcompare.metrics
import skcompare.stats
from skcompare._analysis import (
    ClassifierRow,
    ComparisonRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    Results,
    Verdict,
    decide,
    decide_among,
    is_against,
    round_up,
)
from skcompare.reports._assumptions import assumptions_of
from skcompare.reports._comparison import Comparison, MultipleComparison
from skcompare.reports._comparison_data import row_from_dict, row_to_dict

__all__ = [
    "ClassifierRow",
    "Comparison",
    "ComparisonRow",
    "MultipleComparison",
    "PairRow",
    "PairwiseComparison",
    "PairwiseResults",
    "Results",
    "Verdict",
    "decide",
    "decide_among",
    "is_against",
]
