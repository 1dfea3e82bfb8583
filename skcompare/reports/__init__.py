"""What a reader is told: the comparison as text, Markdown, HTML, JSON and frame."""

# Reports name tests and metrics, which are registered when they are loaded.
import skcompare.metrics
import skcompare.stats  # noqa: F401
from skcompare.reports._comparison import Comparison
from skcompare.reports._multiple import MultipleComparison
from skcompare.reports._pairwise import (
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    decide_among,
)
from skcompare.reports._rows import ComparisonRow, Results
from skcompare.reports._verdict import Verdict, decide, is_against

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
