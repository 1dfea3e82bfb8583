"""Report of a result as one document, with a function for each output format."""

from skcompare._core.report._html import (
    html_page,
    json_of_page,
    report_html,
    report_html_fragment,
)
from skcompare._core.report._junit import junit_document, junit_suite, report_junit
from skcompare._core.report._latex import latex_text, report_latex
from skcompare._core.report._report import (
    LONGEST_NAME,
    LOSS,
    OPEN,
    STOPPED,
    WIN,
    Check,
    Figure,
    Note,
    Report,
    Section,
    Table,
    outcome_of,
)
from skcompare._core.report._text import (
    MARK,
    SCHEMA_VERSION,
    Reported,
    Stored,
    csv_text,
    markdown_text,
    report_markdown,
    report_text,
    text_or_file,
    to_standard_json,
)
