"""Base class of results that have a report."""

from skcompare._core.report._html import report_html_fragment
from skcompare._core.report._report import Report
from skcompare._core.report._text import report_markdown, report_text


class Reported:
    """Base class of results that are shown by their report."""

    __slots__ = ()

    def _report(self) -> Report:
        """Return the report, without what only a page has."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Return the report as Markdown, for pull requests and job summaries."""
        return report_markdown(self._report())

    def _repr_html_(self) -> str:
        return report_html_fragment(self._report())

    def __str__(self) -> str:
        return report_text(self._report())
