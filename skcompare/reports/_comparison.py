"""Results of comparisons of two or several classifiers, with their reports."""

from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.report import Report, json_of_page, report_html
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._comparison_report import comparison_page, comparison_report
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._multiple_report import multiple_page, multiple_report


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
        return report_html(comparison_page(self, pictures))

    @classmethod
    def from_html(cls, page: str) -> Self:
        """Read a comparison from an HTML page written by :meth:`to_html`."""
        return cls.from_json(json_of_page(page))

    def _report(self) -> Report:
        return comparison_report(self)


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
        return report_html(multiple_page(self, pictures))

    @classmethod
    def from_html(cls, page: str) -> Self:
        """Read a comparison from an HTML page written by :meth:`to_html`."""
        return cls.from_json(json_of_page(page))

    def _report(self) -> Report:
        return multiple_report(self)
