"""Result of a comparison of several classifiers, with its reports."""

from dataclasses import dataclass
from typing import Any, Self

from skcompare.reports._html import several_html, several_html_fragment
from skcompare.reports._html_page import json_of_page
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._pairwise import ROLES
from skcompare.reports._text import (
    aligned,
    design_text,
    entry,
    markdown_table,
    markdown_text,
)


@dataclass(frozen=True, slots=True)
class MultipleComparison(MultipleComparisonData):
    """Result of a comparison of several classifiers.

    Attributes
    ----------
    comparisons : tuple of PairwiseComparison
        One per measure and test, the primary one first. The p-values of each are adjusted
        separately, and all but the first are descriptive.
    conclusion : Verdict
        The verdict with its sentence; `verdict` is its winner.
    descriptions : mapping of str to str
        Description of each classifier.
    design : Design
        How the records were collected.
    n_records, n_tested, n_fits : int
        Numbers of records, of records in some test set, and of fits of each classifier.
    alpha : float
        Level of the verdict.
    alternative, adjust : str
        Direction of the tests of pairs, and adjustment of their p-values.
    control : str or None
        The classifier that the others are compared with.
    seconds : float or None
        Time that fitting and testing took.
    random_state : int or None
        The seed, if there is one.
    flags : tuple of str
        Codes of caveats.
    fingerprint : str
        Digest of the data and splits.
    versions : mapping of str to str
        Versions of the packages that it ran with.
    """

    def to_markdown(self) -> str:
        """Return the report as Markdown, for pull requests and job summaries."""
        lines = [f"**Verdict:** {markdown_text(self.conclusion.sentence)}", ""]
        lines.append(f"- design: {markdown_text(design_text(self))}")
        lines += [f"- {markdown_text(remark)}" for _, remark in self.remarks]
        lines.append("")
        for comparison in self.comparisons:
            for header, cells in comparison.tables():
                lines += [*markdown_table(header, cells, ROLES), ""]
        lines += [f"- flag {markdown_text(caveat)}" for caveat in self.caveats]
        return "\n".join(lines).rstrip() + "\n"

    def to_html(self, *, pictures: Any = "auto") -> str:
        """Return the report as a self-contained HTML page, without network or scripts.

        The verdict comes first, then tables, pictures, assumptions, next steps and the
        settings. The numbers are in the page as JSON, see :meth:`from_html`.

        Parameters
        ----------
        pictures : {"auto", True, False}, default="auto"
            Pictures by the primary measure, drawn by matplotlib. "auto" leaves out those
            that cannot be made and says why; True makes that an error.

        Returns
        -------
        page : str
            A whole HTML page.

        Raises
        ------
        MissingDependencyError
            If `pictures` is True and matplotlib is not installed.
        """
        return several_html(self, pictures)

    @classmethod
    def from_html(cls, page: str) -> Self:
        """Read a comparison from an HTML page written by :meth:`to_html`."""
        return cls.from_json(json_of_page(page))

    def _repr_html_(self) -> str:
        return several_html_fragment(self)

    def __str__(self) -> str:
        lines = [entry("design", design_text(self)), ""]
        for comparison in self.comparisons:
            for header, cells in comparison.tables():
                lines += [*aligned(header, cells, ROLES), ""]
        lines += [entry(name, remark) for name, remark in self.remarks]
        lines += [entry("flag", caveat) for caveat in self.caveats]
        lines.append(entry("verdict", self.conclusion.sentence))
        return "\n".join(lines)
