"""What a reader is told: the comparison as text, Markdown, HTML, JSON and frame."""

# Reports name tests and metrics, which are registered when they are loaded.
import skcompare.metrics
import skcompare.stats  # noqa: F401
from skcompare.reports._assumptions import assumed_of_tests as assumed_of_tests
from skcompare.reports._comparison import Comparison
from skcompare.reports._html import brief_title as brief_title
from skcompare.reports._html_page import STYLE as STYLE
from skcompare.reports._html_page import Part as Part
from skcompare.reports._html_page import data_part as data_part
from skcompare.reports._html_page import html_page as html_page
from skcompare.reports._html_page import html_report as html_report
from skcompare.reports._html_page import json_of_page as json_of_page
from skcompare.reports._html_parts import html_facts as html_facts
from skcompare.reports._html_parts import html_list as html_list
from skcompare.reports._html_parts import html_table as html_table
from skcompare.reports._html_parts import text as text
from skcompare.reports._html_sections import assumed_part as assumed_part
from skcompare.reports._json import from_standard_json as from_standard_json
from skcompare.reports._json import to_standard_json as to_standard_json
from skcompare.reports._multiple import MultipleComparison
from skcompare.reports._pairwise import (
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    decide_among,
)
from skcompare.reports._rows import ComparisonRow, Results
from skcompare.reports._text import aligned as aligned
from skcompare.reports._text import entry as entry
from skcompare.reports._text import markdown_table as markdown_table
from skcompare.reports._text import markdown_text as markdown_text
from skcompare.reports._verdict import Verdict, decide, is_against
from skcompare.reports._verdict import round_up as round_up

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
