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
)
from skcompare.reports._comparison import Comparison, row_from_dict, row_to_dict
from skcompare.reports._multiple import MultipleComparison
from skcompare.reports._pages import assumptions_of
from skcompare.reports._sources import bibtex_of, names_to_cite

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
