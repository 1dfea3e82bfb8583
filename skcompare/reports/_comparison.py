"""Results of comparisons of two or several classifiers, with their reports."""

from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.formatting import aligned
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._html import (
    comparison_html,
    comparison_html_fragment,
    several_html,
    several_html_fragment,
)
from skcompare.reports._html_page import json_of_page
from skcompare.reports._multiple_data import ROLES, MultipleComparisonData
from skcompare.reports._text import (
    comparison_markdown,
    comparison_text,
    design_text,
    entry,
    markdown_table,
    markdown_text,
)


@dataclass(frozen=True, slots=True)
class Comparison(ComparisonData):
    """Result of a comparison of two classifiers.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        The primary measure first; `results` finds a row by its key.
    conclusion : Verdict
        The verdict with its sentence; `verdict` is its winner.
    champion, challenger : str
        Descriptions of the two classifiers.
    design : Design
        How the records were split.
    n_records, n_tested, n_fits : int
        Numbers of records, of tested records, and of fits of each classifier.
    size : str
        Description of the data if they are not records: items with their attempts.
    seconds : float or None
        Time that fitting, predicting and testing took.
    alpha : float
        Level of the verdict; intervals have level 1 - alpha.
    alternative, adjust : str
        Direction of the tests, and adjustment of the p-values of the other rows.
    random_state : object
        Seed of splits and estimators where one was set as a number.
    flags : tuple of str
        Caveats about the whole comparison.
    fingerprint : str
        Digest of data and splits.
    versions : mapping of str to str
        Versions of the packages that it ran with.
    advice : EnsembleAdvice or None
        Whether to combine the two, for predictions of trained classifiers on a hold-out
        set.
    source : callable or None
        Computes :meth:`evidence` from the predictions, which it holds; None if the
        comparison was read from JSON, which has no predictions.
    """

    def to_markdown(self) -> str:
        """Return the report as Markdown, for pull requests and job summaries."""
        return comparison_markdown(self)

    def to_html(self, *, pictures: Any = "auto") -> str:
        """Return the report as a self-contained HTML page, without network or scripts.

        The verdict comes first, then tables, pictures, assumptions, next steps and the
        settings. The numbers are in the page as JSON, see :meth:`from_html`.

        Parameters
        ----------
        pictures : {"auto", True, False}, default="auto"
            Pictures for the rows, drawn by matplotlib. "auto" leaves out those that cannot
            be made and says why; True makes that an error. Without them the tables have
            small drawings of their own.

        Returns
        -------
        page : str
            A whole HTML page.

        Raises
        ------
        MissingDependencyError
            If `pictures` is True and matplotlib is not installed.
        ValueError
            If `pictures` is True and one cannot be made, for example of a comparison that
            was read from JSON, which has no predictions.

        Examples
        --------
        >>> from skcompare import compare
        >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
        >>> page = comparison.to_html(pictures=False)
        >>> Comparison.from_html(page).verdict
        'inconclusive'
        """
        return comparison_html(self, pictures)

    @classmethod
    def from_html(cls, page: str) -> Self:
        """Read a comparison from an HTML page written by :meth:`to_html`."""
        return cls.from_json(json_of_page(page))

    def _repr_html_(self) -> str:
        return comparison_html_fragment(self)

    def __str__(self) -> str:
        return comparison_text(self)


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
