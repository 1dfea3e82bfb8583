"""A finished comparison and the forms it is handed on in."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._io.columns import frame_from_columns
from skcompare.reports._html import comparison_html, comparison_html_fragment
from skcompare.reports._html_page import json_of_page
from skcompare.reports._json import from_standard_json, to_standard_json
from skcompare.reports._rows import ComparisonRow, Results
from skcompare.reports._text import comparison_markdown, comparison_text
from skcompare.reports._verdict import Verdict
from skcompare.stats import EnsembleAdvice, PairedResult

SCHEMA = "skcompare.comparison"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two classifiers were found to differ in, and what follows from it.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        The primary measure first; `results` finds a row by its key.
    conclusion : Verdict
        The verdict with its sentence; `verdict` is its winner.
    champion, challenger : str
        Words for the two classifiers.
    design : Design
        How the records were split.
    n_records, n_tested, n_fits : int
        Records, those of them that were tested, and fits a classifier.
    size : str
        What was compared, in words, where it is not records: items with their attempts.
    seconds : float or None
        Time that fitting, predicting and testing took.
    alpha : float
        Level of the verdict; intervals have level 1 - alpha.
    alternative, adjust : str
        Direction of the tests, and how the p-values of the other rows are adjusted.
    random_state : object
        Seed of splits and estimators where one was set as a number.
    flags : tuple of str
        Caveats about the whole comparison.
    fingerprint : str
        Digest of data and splits.
    versions : mapping of str to str
        Versions of the packages that it ran with.
    advice : EnsembleAdvice or None
        Whether to combine the two, where the answers are those of trained classifiers on
        a hold-out set.
    source : callable or None
        Makes :meth:`evidence` of the answers, which it holds; None where the comparison was
        read from JSON, which has no answers.

    .. versionadded:: 0.1
    """

    rows: tuple[ComparisonRow, ...]
    conclusion: Verdict
    champion: str
    challenger: str
    design: Design
    n_records: int
    n_tested: int
    n_fits: int
    alpha: float
    alternative: str
    adjust: str
    size: str = ""
    seconds: float | None = None
    random_state: Any = None
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    advice: EnsembleAdvice | None = None
    source: Callable[..., Any] | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """The winner: "challenger", "champion" or "inconclusive"."""
        return self.conclusion.winner

    @property
    def results(self) -> Results:
        """Rows by (measure, class or None, test), or by a unique measure or test."""
        return Results(self.rows)

    @property
    def caveats(self) -> list[str]:
        """Flags of the comparison and of its rows, with their words.

        Where there are several rows, it is said which test a flag is about.
        """
        tests: dict[str, list[str]] = {code: [] for code in self.flags}
        for row in self.rows:
            for code in row.flags:
                tests.setdefault(code, []).append(row.test or row.subject)
        return [
            f"{words} ({', '.join(dict.fromkeys(tests[code]))})"
            if tests[code] and len(self.rows) > 1
            else words
            for code, words in zip(tests, explain(tests), strict=True)
        ]

    def evidence(self, needs: type, **options: Any) -> Any:
        """The evidence behind the comparison, for pictures and for further tests.

        Parameters
        ----------
        needs : type
            A class of :mod:`skcompare.evidence`, such as `ContingencyTable`.
        **options : dict
            Options of its `from_pair`, such as `pos_label`.

        Returns
        -------
        evidence : object of that class

        Raises
        ------
        ValueError
            If the answers are not there: in a comparison that was read from JSON or made of
            item scores, or where classifiers were not asked for probabilities because
            nothing that was compared needs them.

        Examples
        --------
        >>> from skcompare import compare
        >>> from skcompare.evidence import ContingencyTable
        >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
        >>> comparison.evidence(ContingencyTable).only_challenger
        1
        """
        if self.source is None:
            raise ValueError(
                "This comparison has no answers: it was read from JSON, or made of item "
                "scores. Compare the answers again, or make the evidence of them."
            )
        return self.source(needs, **options)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "verdict": asdict(self.conclusion),
            "champion": self.champion,
            "challenger": self.challenger,
            "design": asdict(self.design),
            "n_records": self.n_records,
            "n_tested": self.n_tested,
            "n_fits": self.n_fits,
            "size": self.size,
            "seconds": self.seconds,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "random_state": self.random_state,
            "flags": list(self.flags),
            "fingerprint": self.fingerprint,
            "versions": dict(self.versions),
            "advice": None if self.advice is None else self.advice.to_dict(),
            "rows": [
                row.to_dict()
                | {
                    "result": None
                    if row.result is None
                    else row.result.to_dict(1 - self.alpha)
                }
                for row in self.rows
            ],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The comparison as standard JSON; NaN is written as {"number": "NaN"}."""
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "Comparison":
        """The comparison that :meth:`to_json` wrote."""
        stored = from_standard_json(text, SCHEMA, SCHEMA_VERSION)
        try:
            advice = stored["advice"]
            return cls(
                rows=tuple(_row(row) for row in stored["rows"]),
                conclusion=Verdict(**stored["verdict"]),
                design=Design(**stored["design"]),
                flags=tuple(stored["flags"]),
                advice=None if advice is None else EnsembleAdvice.from_dict(advice),
                **{name: stored[name] for name in _PLAIN_FIELDS},
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"The JSON of this comparison is not complete: {error}. Write it again."
            ) from error

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row a line, as a frame of pandas, polars or pyarrow."""
        rows = [row.to_dict() for row in self.rows]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["flags"] = [" ".join(codes) for codes in columns["flags"]]
        return frame_from_columns(columns, backend)

    def to_markdown(self) -> str:
        """The report as Markdown, for pull requests and job summaries."""
        return comparison_markdown(self)

    def to_html(self, *, pictures: Any = "auto") -> str:
        """The report as a page that needs nothing else: no network, no script.

        The verdict comes first, then tables, pictures, what was assumed, what to do next,
        and how it was compared. The numbers are in the page as JSON, see :meth:`from_html`.

        Parameters
        ----------
        pictures : {"auto", True, False}, default="auto"
            Pictures of what the rows are about, drawn by matplotlib. "auto" leaves out
            those that cannot be made and says why; True makes that an error. Without them
            the tables have small drawings of their own.

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
            was read from JSON, which has no answers.

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
    def from_html(cls, page: str) -> "Comparison":
        """The comparison within the text of a page that :meth:`to_html` wrote."""
        return cls.from_json(json_of_page(page))

    def _repr_html_(self) -> str:
        return comparison_html_fragment(self)

    def __str__(self) -> str:
        return comparison_text(self)


_PLAIN_FIELDS = [
    f.name
    for f in fields(Comparison)
    if f.name not in ("rows", "conclusion", "design", "flags", "advice", "source")
]


def _row(stored: dict[str, Any]) -> ComparisonRow:
    result = stored.pop("result")
    stored["flags"] = tuple(stored["flags"])
    return ComparisonRow(
        **stored, result=None if result is None else PairedResult.from_dict(result)
    )
