"""Result of a comparison of two classifiers, with its report, next steps and JSON."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from html import escape
from os import PathLike
from typing import Any, ClassVar, Self, overload

from skcompare._analysis import (
    FAMILY_WISE,
    MAX_T,
    ComparisonRow,
    Results,
    Verdict,
    decimals_of,
)
from skcompare._core.design import HALVES, IN_WINDOWS, Design
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    format_interval,
    format_number,
    format_pvalue,
    named_limits,
    shared_decimals,
    shortened,
    without_empty_columns,
)
from skcompare._core.report import (
    LONGEST_NAME,
    LOSS,
    MARK,
    OPEN,
    SCHEMA_VERSION,
    WIN,
    Note,
    Report,
    Stored,
    Table,
    csv_text,
    outcome_of,
    report_html,
    report_html_fragment,
    text_or_file,
)
from skcompare._io.columns import frame_from_columns
from skcompare._version import __version__
from skcompare.reports._methods import methods_of_two
from skcompare.reports._next_steps import (
    INCONCLUSIVE,
    direction,
    next_steps,
    records_needed,
)
from skcompare.reports._pages import assumptions_of, figures_of
from skcompare.reports._sources import bibtex_of, names_to_cite
from skcompare.stats import EnsembleAdvice, PairedResult


class StoredComparison(Stored):
    """Base class of comparisons, which are stored as JSON and shown as pages.

    `stored` names the fields beside the conclusion, in the order of their output, but for
    rows, which are last.
    """

    __slots__ = ()

    stored: ClassVar[tuple[str, ...]]
    conclusion: Verdict
    versions: Mapping[str, str]

    @property
    def verdict(self) -> str:
        """Winner: the name of a role or of a classifier, or "inconclusive"."""
        return self.conclusion.winner

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values."""
        head = {"schema": self.schema, "schema_version": SCHEMA_VERSION}
        values = {name: _plain(getattr(self, name)) for name in self.stored}
        return head | {"verdict": asdict(self.conclusion)} | values

    @classmethod
    def _from_dict(cls, stored: dict[str, Any]) -> Self:
        values = {name: stored[name] for name in cls.stored} | {
            "conclusion": Verdict(**stored["verdict"]),
            "design": Design(**stored["design"]),
            "flags": tuple(stored["flags"]),
        }
        return cls(**values | cls._restored(stored))

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> dict[str, Any]:
        """Restore the fields that only this class has from their stored values."""
        raise NotImplementedError

    @overload
    def to_html(self, path: None = None, *, pictures: Any = "auto") -> str: ...
    @overload
    def to_html(self, path: str | PathLike[str], *, pictures: Any = "auto") -> None: ...
    def to_html(
        self, path: str | PathLike[str] | None = None, *, pictures: Any = "auto"
    ) -> str | None:
        """Return the report as a self-contained HTML page, without network or scripts.

        The verdict comes first, then tables, pictures, assumptions, next steps and the
        settings. The numbers are in the page as JSON, see :meth:`from_html`.

        Parameters
        ----------
        path : str or path, optional
            File to write the page to, and to return None.
        pictures : {"auto", True, False}, default="auto"
            Pictures, drawn by matplotlib: of two models those that belong to the rows; of
            several the groups and the differences by each measure, and the matrix of all
            pairs by the primary one, or with a control only the differences. "auto" leaves
            out those that cannot be made and says why; True makes that an error. Without
            them the tables of two have small drawings of their own.

        Returns
        -------
        page : str or None
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
        >>> from skcompare import Comparison, compare
        >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
        >>> page = comparison.to_html(pictures=False)
        >>> Comparison.from_html(page).verdict
        'inconclusive'
        """
        page = replace(
            self._page(),
            **figures_of(self, pictures),
            data=self.to_json(indent=None),
            reader=f"skcompare.{type(self).__name__}",
        )
        return text_or_file(report_html(page), path)

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | PathLike[str]) -> None: ...
    def to_csv(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return the rows or pairs as CSV, without a data frame library.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.

        Returns
        -------
        text : str or None
            The columns of :meth:`to_frame`, with a line of their names.
        """
        return text_or_file(csv_text(self._frame_rows()), path)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rows or pairs as a data frame of pandas, polars or pyarrow."""
        rows = self._frame_rows()
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["flags"] = [" ".join(codes) for codes in columns["flags"]]
        return frame_from_columns(columns, backend)

    def methods(self, format: str = "text") -> str:
        """Return a paragraph on the methods, to paste into a paper.

        It names what was compared, the design, the tests with their sources, the level, the
        adjustment of p-values, the intervals, and the versions of the software.

        Parameters
        ----------
        format : {"text", "markdown", "latex"}, default="text"
            "latex" cites by natbib's ``citep`` with the keys of :meth:`bibtex`; the others
            end with a list of references.

        Returns
        -------
        paragraph : str
            The paragraph.

        Examples
        --------
        >>> from skcompare import compare
        >>> comparison = compare([0, 1, 1], {"old": [0, 1, 0], "new": [0, 1, 1]})
        >>> print(comparison.methods()[:70])
        We compared new (challenger) with old (champion) on 3 records, in a ho
        """
        return self._methods(format)

    def _methods(self, format: str) -> str:
        """Return the paragraph on the methods in a format."""
        raise NotImplementedError

    def bibtex(self) -> str:
        """Return the sources of its tests and of its adjustment as BibTeX.

        The last entry is skcompare itself, in the version that compared.

        Returns
        -------
        entries : str
            The entries, by keys such as McNemar1947.
        """
        version = self.versions.get("skcompare", __version__)
        return bibtex_of(names_to_cite(self.to_dict()), version)

    def _frame_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the frame."""
        raise NotImplementedError

    def _page(self) -> Report:
        """Return the report with the parts of a page, but for pictures and data."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return report_html_fragment(self._page())


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Design):
        # Windows and gaps are of splits in time order alone.
        own = asdict(value)
        return {name: own[name] for name in own if own[name] or name not in IN_WINDOWS}
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else value


def settings_of(comparison: Any) -> dict[str, str]:
    """Return the settings that comparisons of two and of several share."""
    seed, versions = comparison.random_state, comparison.versions.items()
    return {
        "random state": "none was set" if seed is None else str(seed),
        "fingerprint of the data": comparison.fingerprint or "unknown",
        "versions": ", ".join(f"{name} {version}" for name, version in versions),
    }


def design_text(comparison: Any) -> str:
    """Format the design and size of the evidence in one line."""
    records = f"{comparison.n_records:,} records"
    if comparison.n_tested < comparison.n_records:
        records = f"{comparison.n_tested:,} of {records} tested"
    records = getattr(comparison, "size", "") or records
    parts = [str(comparison.design), records]
    if comparison.design.kind in HALVES:
        parts.append("trained on half of them")
    if comparison.n_fits:
        parts.append(
            "1 fit each" if comparison.n_fits == 1 else f"{comparison.n_fits} fits each"
        )
    if comparison.seconds is not None:
        parts.append(f"{comparison.seconds:.1f} s")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Comparison(StoredComparison):
    """Result of a comparison of two models.

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
        Seed of splits and estimators if one was set as an integer.
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
        Computes :meth:`evidence` from the predictions; None if the
        comparison was read from JSON, which has no predictions.
    """

    schema: ClassVar[str] = "skcompare.comparison"
    stored: ClassVar[tuple[str, ...]] = (
        *("champion", "challenger", "design", "n_records", "n_tested", "n_fits", "size"),
        *("seconds", "alpha", "alternative", "adjust", "random_state", "flags"),
        *("fingerprint", "versions", "advice"),
    )

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
    def results(self) -> Results:
        """Rows by (measure, class or None, test), or by a unique measure or test."""
        return Results(self.rows)

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags of the comparison and of its rows.

        If there are several rows, each says which tests the flag is about.
        """
        tests: dict[str, list[str]] = {code: [] for code in self.flags}
        for row in self.rows:
            for code in row.flags:
                tests.setdefault(code, []).append(row.test or row.subject)
        return [
            f"{explanation} ({', '.join(dict.fromkeys(tests[code]))})"
            if tests[code] and len(self.rows) > 1
            else explanation
            for code, explanation in zip(tests, explain(tests), strict=True)
        ]

    def evidence(self, needs: type, **options: Any) -> Any:
        """Return evidence of the comparison, for plots and further tests.

        Parameters
        ----------
        needs : type
            A class of :mod:`skcompare.evidence`, such as `ContingencyTable`.
        **options : dict
            Options of its `from_pair`, such as `pos_label`. `OrderedDifferences` and
            `CrossedDifferences` are of the first measure of the comparison, or of that
            named by `scoring`.

        Returns
        -------
        evidence : object of that class

        Raises
        ------
        ValueError
            If the comparison was read from JSON or made of item scores, and so has no
            predictions, or if the evidence needs probabilities that were not collected
            because no measure needed them.

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
                "This comparison has no predictions: it was read from JSON, or made of "
                "item scores. Compare the predictions again, or make the evidence of them."
            )
        return self.source(needs, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values."""
        rows = [row_to_dict(row, 1 - self.alpha) for row in self.rows]
        # Through the name, because a dataclass with slots is another class.
        return StoredComparison.to_dict(self) | {"rows": rows}

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> dict[str, Any]:
        advice = stored["advice"]
        return {
            "rows": tuple(map(row_from_dict, stored["rows"])),
            "advice": None if advice is None else EnsembleAdvice.from_dict(advice),
        }

    def _methods(self, format: str) -> str:
        return methods_of_two(self, format)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [row.to_dict() for row in self.rows]

    def _page(self) -> Report:
        names = (self.challenger, self.champion)
        return replace(
            self._report(),
            kind="Comparison of two models",
            title=" against ".join(shortened(name, LONGEST_NAME) for name in names),
            status=STATUS[self.verdict],
            key_numbers=_key_numbers(self),
            assumptions=assumptions_of(
                ((row.test, row.flags) for row in self.rows), self.design
            ),
            steps=next_steps(self),
        )

    def _report(self) -> Report:
        facts = {
            "champion": self.champion,
            "challenger": self.challenger,
            "design": design_text(self),
        }
        others, remarks = _about_others(self), _notes_on_rows(self)
        notes = []
        if len(self.rows) > 1:
            primary = f"the verdict is based on this row, at alpha {self.alpha:g}"
            notes.append(Note(MARK, ". ".join([primary, *others]), "\\* "))
        notes += [Note("note", remark, "") for remark in remarks]
        notes += [Note("flag", caveat, "flag ") for caveat in self.caveats]
        reasons: list[str] = []
        if self.advice is not None:
            notes.append(Note("ensemble", self.advice.sentence))
            steps = [step.sentence for step in self.advice.steps]
            reasons = [ABOUT_ADVICE, self.advice.sentence, *steps]
        if needed := records_needed(self):
            notes.append(Note("records", needed, ""))
        return Report(
            headline=self.conclusion.sentence,
            finding=FINDINGS[self.verdict],
            facts=facts,
            tables=_tables(self),
            notes=notes,
            remarks={"Notes and caveats": [*others, *remarks, *self.caveats]},
            advice=reasons,
            settings={
                **facts,
                "level": f"alpha {self.alpha:g}, {self.alternative}",
                "adjustment": f"{self.adjust}, of the rows after the first",
                **settings_of(self),
            },
        )


def row_to_dict(row: ComparisonRow, confidence_level: float) -> dict[str, Any]:
    """Return a row as a dict of plain values, with its result at a level."""
    result = row.result
    stored = None if result is None else result.to_dict(confidence_level)
    return row.to_dict() | {"result": stored}


def row_from_dict(stored: Mapping[str, Any]) -> ComparisonRow:
    """Read a row from the output of `row_to_dict`."""
    result = stored["result"]
    values = {
        "flags": tuple(stored["flags"]),
        "result": None if result is None else PairedResult.from_dict(result),
    }
    return ComparisonRow(**{**stored, **values})


ROLES = ("champion", "challenger")
TABLES = {
    ("difference", True): (
        ("", *ROLES, "difference"),
        "Differences, challenger minus champion: above 0 favours the challenger",
    ),
    ("difference", False): (
        ("lower is better", *ROLES, "gain"),
        "Losses: lower is better, and a gain above 0 favours the challenger",
    ),
    ("ratio", True): (
        ("challenger over champion", *ROLES, "ratio"),
        "Ratios, challenger over champion: above 1 favours the challenger",
    ),
    ("reduction", False): (
        ("lower is better", *ROLES, "reduction"),
        "Reduction of losses as a share of the champion's: above 0 favours the challenger",
    ),
    ("association", True): (
        ("association", "estimate"),
        "Association between the predictions of both",
    ),
    ("omnibus", True): (
        ("without direction", "statistic", "df"),
        "Whether the two differ in any way, not which one is better",
    ),
    ("combination", True): (
        ("all classes together", "statistic", "df"),
        "Tests of all classes together",
    ),
}
"""First columns and caption of the table of each kind of estimate, whether of scores."""
WITHOUT_INTERVAL = ("omnibus", "combination")
DIRECTED = ("difference", "ratio", "reduction")
"""Kinds of estimates that favour one of the two."""
FINDINGS = {"challenger": WIN, "champion": LOSS, INCONCLUSIVE: OPEN}
STATUS = {
    "challenger": "The challenger is better",
    "champion": "The champion is better",
    "inconclusive": "Inconclusive",
}
ABOUT_ADVICE = (
    "Whether to use one model or both together, by rules of thumb on the observed "
    "numbers. This advice does not affect the verdict on which one is better."
)


def _about_others(comparison: Comparison) -> list[str]:
    """Return a remark on the error rates of the other rows; empty if none is tested."""
    tested = [row for row in comparison.rows if row.pvalue is not None]
    alpha, others = comparison.alpha, [row for row in tested if not row.primary]
    if not others:
        return []
    if comparison.adjust == "none":
        return [
            f"The p-values of the other rows are not adjusted: each is below {alpha:g} in "
            f"up to {100 * alpha:g} % of comparisons in which there is no difference"
        ]
    if comparison.adjust not in FAMILY_WISE:
        return [
            "The p-values of the other rows are adjusted by their false discovery rate "
            f"({comparison.adjust}), separately from the decisive row"
        ]
    adjusted = "p-values" if comparison.adjust != MAX_T else "p-values and intervals"
    return [
        f"The {adjusted} of the other rows are adjusted together ({comparison.adjust}), "
        "separately from the decisive row: the probability of a false positive in any row "
        f"is up to {len({row.primary for row in tested}) * alpha:g}"
    ]


def _notes_on_rows(comparison: Comparison) -> list[str]:
    """Return the reasons for missing p-values, by measure, and remarks on tests."""
    reasons: dict[str, list[str]] = {}
    remarks = []
    tested_notes = {(row.test, row.note) for row in comparison.rows}
    tests = [test for test, _ in tested_notes]
    for row in comparison.rows:
        if row.note and row.result is not None:
            name = row.test if tests.count(row.test) == 1 else row.subject
            remarks.append((name, row.subject, row.note))
        elif row.note:
            reasons.setdefault(row.note.replace(row.measure, "{}"), []).append(row.subject)
    shared = [reason.replace("{}", ", ".join(names)) for reason, names in reasons.items()]
    # Of several tests of one measure, a note is about the measure.
    counts = Counter((subject, note) for _, subject, note in dict.fromkeys(remarks))
    texts = (
        f"{subject if counts[subject, note] > 1 else name}: {note}"
        for name, subject, note in remarks
    )
    return [*shared, *dict.fromkeys(texts)]


def _tables(comparison: Comparison) -> list[Table]:
    """Return one table per kind of estimate; scores and losses are separate.

    The difference of a loss is a gain. The table of the row that decides comes first.
    """
    rows_of: dict[tuple[str, bool], list[ComparisonRow]] = {key: [] for key in TABLES}
    for row in comparison.rows:
        if (row.kind, _is_score(row)) in TABLES:
            rows_of[row.kind, _is_score(row)].append(row)
    decides = [any(row.primary for row in rows) for rows in rows_of.values()]
    ordered = sorted(zip(decides, rows_of.values()), key=lambda table: not table[0])
    return [_table(comparison, rows) for _, rows in ordered if rows]


def _is_score(row: ComparisonRow) -> bool:
    """Whether a row is of scores, or of losses; a ratio is never of negated ones."""
    if row.kind in ("ratio", "reduction") and row.result is not None:
        return row.result.greater_is_better
    return row.greater_is_better


def _table(comparison: Comparison, rows: Sequence[ComparisonRow]) -> Table:
    kind = rows[0].kind
    columns, caption = TABLES[kind, _is_score(rows[0])]
    header = [*columns, "p", f"p ({comparison.adjust})", "test"]
    if kind not in WITHOUT_INTERVAL:
        header.insert(len(columns), f"{100 * (1 - comparison.alpha):g} % interval")
    marked = [k for k, row in enumerate(rows) if row.primary]
    if len(comparison.rows) == 1:
        marked = []
    if marked:
        caption += ". The verdict comes from the row in bold"
    if any(direction(row) != "two-sided" for row in rows):
        caption += ". Intervals and p-values are one-sided"
    cells = [_cells(row, comparison.alpha) for row in rows]
    return Table(
        *without_empty_columns(header, cells),
        (columns[0], "test"),
        caption=caption,
        marked=marked,
        drawings=partial(_drawings, rows, columns[-1]) if kind == "difference" else None,
        outcomes=[_outcome(comparison, row) for row in rows],
    )


def _outcome(comparison: Comparison, row: ComparisonRow) -> str:
    """Outcome of a row by its adjusted p-value, if its estimate has a direction."""
    if row.kind not in DIRECTED or _is_invalid(row):
        return ""
    adjusted = row.adjusted_pvalue
    pvalue = row.pvalue if row.primary or adjusted is None else adjusted
    estimate, null = row.estimate, 1.0 if row.kind == "ratio" else 0.0
    return outcome_of(estimate, null, pvalue, comparison.alpha)


def _is_invalid(row: ComparisonRow) -> bool:
    return not row.primary and "invalid-design" in row.flags


def _cells(row: ComparisonRow, alpha: float) -> list[str]:
    """Format a row as table cells, in the columns of its kind."""
    name = row.subject
    ends = [
        format_pvalue(row.pvalue, alpha),
        format_pvalue(row.adjusted_pvalue, alpha),
        row.test or "no test",
    ]
    if row.kind in ("ratio", "reduction") and row.result is not None:
        name = row.result.estimate_name
        name += "" if row.label is None else f"[{row.label}]"
    if row.kind in WITHOUT_INTERVAL:
        df = None if row.result is None else row.result.df
        return [name, format_number(row.statistic), "" if df is None else f"{df:g}", *ends]
    decimals = decimals_of(row)
    interval = ""
    if row.low is not None and row.high is not None:
        interval = format_interval((row.low, row.high), decimals)
    numbers = [
        *([] if row.kind == "association" else [row.champion, row.challenger]),
        row.estimate,
    ]
    *roles, estimate = (format_number(number, decimals) for number in numbers)
    if row.kind == "ratio":
        # The unit of the measure is another one than that of the ratio.
        of_roles = shared_decimals(numbers[:-1])
        roles = [format_number(number, of_roles) for number in numbers[:-1]]
    if row.kind == "difference":
        estimate = format_number(row.difference, decimals, signed=True)
    return [name, *roles, estimate, interval, *ends]


def _key_numbers(comparison: Comparison) -> dict[str, str]:
    """Return the formatted numbers of the primary row by name."""
    row = comparison.rows[0]
    decimals = decimals_of(row)
    numbers = {}
    if row.champion is not None and row.challenger is not None:
        numbers[f"{row.subject}, champion"] = format_number(row.champion, decimals)
        numbers[f"{row.subject}, challenger"] = format_number(row.challenger, decimals)
    if row.kind == "difference":
        name = "difference" if row.greater_is_better else "gain"
        numbers[name] = format_number(row.difference, decimals, signed=True)
    level = f"{100 * (1 - comparison.alpha):g} %"
    alternative = direction(row)
    if row.low is not None and row.high is not None:
        name, limits = named_limits(alternative, (row.low, row.high), decimals)
        numbers[f"{level} {name}"] = limits
    if row.pvalue is not None:
        p = format_pvalue(row.pvalue, comparison.alpha)
        side = "" if alternative == "two-sided" else ", one-sided"
        numbers[f"p ({row.test}{side})"] = p
    return numbers


def _drawings(rows: Sequence[ComparisonRow], difference: str) -> list[str]:
    limits = [(row.low, row.high, row.difference) for row in rows]
    reach = max((abs(value) for line in limits for value in line if value), default=0.0)
    return [_drawing(row, difference, reach) for row in rows]


def _drawing(row: ComparisonRow, difference: str, reach: float) -> str:
    """Draw the difference and its interval on a line with a mark at 0."""
    if not reach or row.difference != row.difference:
        return ""

    def at(value: float) -> float:
        return round(60 + 55 * max(-1.0, min(1.0, value / reach)), 1)

    bar = ""
    if row.low is not None and row.high is not None:
        bar = (
            f'<line x1="{at(row.low)}" x2="{at(row.high)}" y1="9" y2="9" '
            'stroke="currentColor" stroke-width="2"/>'
        )
    label = f"{difference} {row.difference:+.3f}, 0 in the middle"
    return (
        f'<svg width="120" height="18" role="img" aria-label="{escape(label)}">'
        '<line x1="60" x2="60" y1="1" y2="17" stroke="currentColor" '
        'stroke-dasharray="2 2"/>'
        f'{bar}<circle cx="{at(row.difference)}" cy="9" r="4" fill="var(--mark)"/></svg>'
    )
