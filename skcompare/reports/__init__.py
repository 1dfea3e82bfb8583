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
from skcompare.reports._assumptions import assumed_of_tests
from skcompare.reports._comparison import Comparison, MultipleComparison
from skcompare.reports._html import brief_title
from skcompare.reports._html_page import (
    STYLE,
    Part,
    data_part,
    html_page,
    html_report,
    json_of_page,
)
from skcompare.reports._html_parts import html_facts, html_list, html_table, text
from skcompare.reports._html_sections import assumed_part
from skcompare.reports._json import from_standard_json, to_standard_json
from skcompare.reports._text import entry, markdown_table, markdown_text

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
