"""What a reader is told: the comparison as text, Markdown, HTML, JSON and frame."""

from skcompare.reports._comparison import Comparison
from skcompare.reports._multiple import (
    ClassifierRow,
    MultipleComparison,
    PairRow,
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
    "Results",
    "Verdict",
    "decide",
    "decide_among",
    "is_against",
]
