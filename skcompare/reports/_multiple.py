"""Several classifiers: which of them really differ, and what follows from it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from skcompare._design import Design
from skcompare._flags import explain
from skcompare._frames import frame_from_columns
from skcompare._wording import format_number, format_pvalue, in_one_line
from skcompare.reports._html import html_page, html_report, html_table
from skcompare.reports._json import from_standard_json, to_standard_json
from skcompare.reports._text import aligned, entry, markdown_table, markdown_text
from skcompare.reports._verdict import Verdict, level_words
from skcompare.stats import PairedResult, PairwiseResult

__all__ = ["ClassifierRow", "MultipleComparison", "PairRow", "decide_among"]

SCHEMA = "skcompare.multiple_comparison"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class ClassifierRow:
    """A classifier with its accuracy and the interval of it (Wilson's, by itself).

    .. versionadded:: 0.1
    """

    name: str
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two classifiers: the difference, its interval, raw and adjusted p-value.

    .. versionadded:: 0.1
    """

    champion: str
    challenger: str
    difference: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float
    only_champion: int
    only_challenger: int


@dataclass(frozen=True, slots=True)
class MultipleComparison:
    """What several classifiers were found to differ in.

    Attributes
    ----------
    classifiers : tuple of ClassifierRow
        The most accurate one first.
    pairs : tuple of PairRow
        Pairs of classifiers, or each of them with the control, the smallest adjusted
        p-value first.
    omnibus : PairedResult
        Cochran's Q of all classifiers together.
    conclusion : Verdict
        The verdict with its sentence; `verdict` is its winner.
    design : Design
        How the records were collected.
    n_records : int
        Records.
    alpha, interval_level : float
        Level of the verdict, and confidence level of each interval of a difference.
    alternative, adjust, method : str
        Direction of the tests of pairs, how their p-values are adjusted and computed.
    control : str or None
        The classifier that the others are compared with.
    seconds : float or None
        Time that testing took.
    flags : tuple of str
        Codes of caveats.
    fingerprint : str
        Digest of the true labels.
    versions : mapping of str to str
        Versions of the packages that it ran with.

    .. versionadded:: 0.1
    """

    classifiers: tuple[ClassifierRow, ...]
    pairs: tuple[PairRow, ...]
    omnibus: PairedResult
    conclusion: Verdict
    design: Design
    n_records: int
    alpha: float
    interval_level: float
    alternative: str
    adjust: str
    method: str
    control: str | None = None
    seconds: float | None = None
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The name of the classifier that wins, or "inconclusive"."""
        return self.conclusion.winner

    @property
    def caveats(self) -> list[str]:
        """Flags of the comparison and of the omnibus test, with their words."""
        return explain([*self.flags, *self.omnibus.flags])

    def pair(self, champion: str, challenger: str) -> PairRow:
        """The row of two classifiers, named in its order."""
        for row in self.pairs:
            if (row.champion, row.challenger) == (champion, challenger):
                return row
        known = ", ".join(f"({row.champion}, {row.challenger})" for row in self.pairs)
        raise KeyError(f"No pair ({champion}, {challenger}). Pairs: {known}.")

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "verdict": asdict(self.conclusion),
            "design": asdict(self.design),
            "classifiers": [asdict(row) for row in self.classifiers],
            "pairs": [asdict(row) for row in self.pairs],
            "omnibus": self.omnibus.to_dict(1 - self.alpha),
            "flags": list(self.flags),
            **plain,
            "versions": dict(self.versions),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The comparison as standard JSON; NaN is written as {"number": "NaN"}."""
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "MultipleComparison":
        """The comparison that :meth:`to_json` wrote."""
        stored = from_standard_json(text, SCHEMA, SCHEMA_VERSION)
        try:
            return cls(
                classifiers=tuple(ClassifierRow(**row) for row in stored["classifiers"]),
                pairs=tuple(PairRow(**row) for row in stored["pairs"]),
                omnibus=PairedResult.from_dict(stored["omnibus"]),
                conclusion=Verdict(**stored["verdict"]),
                design=Design(**stored["design"]),
                flags=tuple(stored["flags"]),
                **{name: stored[name] for name in _PLAIN_FIELDS},
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"The JSON of this comparison is not complete: {error}. Write it again."
            ) from error

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pair a line, as a frame of pandas, polars or pyarrow."""
        names = [f.name for f in fields(PairRow)]
        columns = {name: [getattr(row, name) for row in self.pairs] for name in names}
        return frame_from_columns(columns, backend)

    def to_markdown(self) -> str:
        """The report as Markdown, for pull requests and job summaries."""
        lines = [f"**Verdict:** {markdown_text(self.conclusion.sentence)}", ""]
        lines += [f"- design: {self._design_words()}", f"- {self._omnibus_words()}", ""]
        for header, cells in self._tables():
            lines += [*markdown_table(header, cells, TEXT_COLUMNS), ""]
        lines += [f"- flag {caveat}" for caveat in self.caveats]
        return "\n".join(lines).rstrip() + "\n"

    def to_html(self) -> str:
        """The report as a self-contained page."""
        title = f"{len(self.classifiers)} classifiers compared"
        return html_page(title, self._html(title), self.to_json(indent=None))

    def _repr_html_(self) -> str:
        return self._html("")

    def _html(self, title: str) -> str:
        tables = [
            html_table(header, cells, TEXT_COLUMNS) for header, cells in self._tables()
        ]
        facts = {
            "design": self._design_words(),
            "all together": self._omnibus_words(),
            "level": f"alpha {self.alpha:g}, {self.alternative}, p adjusted by "
            f"{self.adjust}, each interval of a difference at "
            f"{100 * self.interval_level:.4g} %",
            "versions": ", ".join(f"{name} {v}" for name, v in self.versions.items()),
        }
        return html_report(title, self.conclusion.sentence, tables, self.caveats, facts)

    def __str__(self) -> str:
        lines = [entry("design", self._design_words()), ""]
        for header, cells in self._tables():
            lines += [*aligned(header, cells, TEXT_COLUMNS), ""]
        lines.append(entry("together", self._omnibus_words()))
        lines += [entry("flag", caveat) for caveat in self.caveats]
        lines.append(entry("verdict", self.conclusion.sentence))
        return "\n".join(lines)

    def _design_words(self) -> str:
        seconds = "" if self.seconds is None else f", {self.seconds:.1f} s"
        return f"{self.design}, {self.n_records:,} records{seconds}"

    def _omnibus_words(self) -> str:
        q = self.omnibus
        df = "" if q.df is None else f", df {q.df:g}"
        return (
            f"{q.test} {format_number(q.statistic)}{df}, p "
            f"{format_pvalue(q.pvalue, self.alpha)}"
        )

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        ranked = [
            [
                in_one_line(row.name),
                format_number(row.accuracy),
                _interval(row.low, row.high),
            ]
            for row in self.classifiers
        ]
        level = f"{100 * (1 - self.alpha):g} % interval"
        each = f"{100 * self.interval_level:.4g} % interval"
        header = [
            "champion",
            "challenger",
            "difference",
            each,
            "p",
            f"p ({self.adjust})",
        ]
        pairs = [
            [
                in_one_line(row.champion),
                in_one_line(row.challenger),
                format_number(row.difference, signed=True),
                _interval(row.low, row.high),
                format_pvalue(row.pvalue, self.alpha),
                format_pvalue(row.adjusted_pvalue, self.alpha),
            ]
            for row in self.pairs
        ]
        return [(["classifier", "accuracy", level], ranked), (header, pairs)]


TEXT_COLUMNS = ("classifier", "champion", "challenger")

_PLAIN_FIELDS = [
    f.name
    for f in fields(MultipleComparison)
    if f.name not in ("classifiers", "pairs", "omnibus", "conclusion", "design", "flags")
]


def _interval(low: float, high: float) -> str:
    return f"[{format_number(low)}, {format_number(high)}]"


def decide_among(pairs: PairwiseResult, ranked: list[str], alpha: float) -> Verdict:
    """The verdict from adjusted p-values: who beats every other one, or the control.

    Parameters
    ----------
    pairs : PairwiseResult
        Tests of all pairs, or of each classifier with the control.
    ranked : list of str
        Names of the classifiers, the most accurate one first.
    alpha : float
        Level at which adjusted p-values decide.
    """
    beaten: dict[str, set[str]] = {name: set() for name in ranked}
    rows = zip(pairs.champion, pairs.challenger, pairs.difference, pairs.adjusted_pvalue)
    for champion, challenger, difference, pvalue in rows:
        if pvalue < alpha and difference:
            better, worse = (challenger, champion)[:: 1 if difference > 0 else -1]
            beaten[better].add(worse)
    level = level_words(alpha, pairs.alternative)
    if pairs.control is not None:
        return _against_control(pairs.control, ranked, beaten, alpha, level)
    best = ranked[0]
    rivals = [name for name in ranked[1:] if name not in beaten[best]]
    if not rivals:
        sentence = f"{best} is better than every other classifier at {level}"
        return Verdict(best, alpha, sentence)
    sentence = (
        f"inconclusive at {level}: {best} is the most accurate, and these records "
        f"do not tell it from {', '.join(rivals)}"
    )
    if pairs.omnibus.pvalue < alpha and not any(beaten.values()):
        sentence += (
            f"; {pairs.omnibus.test} says that some classifiers differ, but no pair does "
            "after the adjustment"
        )
    return Verdict("inconclusive", alpha, sentence)


def _against_control(
    control: str, ranked: list[str], beaten: dict[str, set[str]], alpha: float, level: str
) -> Verdict:
    better = [name for name in ranked if control in beaten[name]]
    worse = [name for name in ranked if name in beaten[control]]
    others = [name for name in ranked if name not in (control, *better, *worse)]
    parts = [
        f"{', '.join(names)} {words}"
        for names, words in (
            (better, f"better than {control}"),
            (worse, f"worse than {control}"),
            (others, f"not told from {control}"),
        )
        if names
    ]
    winner = "inconclusive"
    if better:
        winner = better[0]
    elif not others:
        winner = control
    start = "inconclusive at" if winner == "inconclusive" else "at"
    return Verdict(winner, alpha, f"{start} {level}: {'; '.join(parts)}")
