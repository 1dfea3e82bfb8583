"""What a reader is told: the comparison as text, Markdown, HTML, JSON and frame."""

from skcompare.reports._comparison import Comparison
from skcompare.reports._rows import ComparisonRow, Results
from skcompare.reports._verdict import Verdict, decide, is_against

__all__ = ["Comparison", "ComparisonRow", "Results", "Verdict", "decide", "is_against"]
