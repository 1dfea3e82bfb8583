"""Several classifiers: which of them really differ, and what follows from it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import INFERENCE_WORDS
from skcompare._io.columns import frame_from_columns
from skcompare.reports._html_page import json_of_page
from skcompare.reports._html_several import several_html, several_html_fragment
from skcompare.reports._json import from_standard_json, to_standard_json
from skcompare.reports._pairwise import (
    ROLES,
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
)
from skcompare.reports._text import (
    FAMILY_WISE,
    aligned,
    design_words,
    entry,
    markdown_table,
    markdown_text,
)
from skcompare.reports._verdict import Verdict, level_words
from skcompare.stats import PairedResult

SCHEMA = "skcompare.multiple_comparison"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class MultipleComparison:
    """What several classifiers were found to differ in.

    Attributes
    ----------
    comparisons : tuple of PairwiseComparison
        One a measure and test, the primary one first. The p-values of each are adjusted by
        themselves, and all but the first are descriptive.
    conclusion : Verdict
        The verdict with its sentence; `verdict` is its winner.
    descriptions : mapping of str to str
        Words for each classifier.
    design : Design
        How the records were collected.
    n_records, n_tested, n_fits : int
        Records, those of them that are in some test set, and fits of each classifier.
    alpha : float
        Level of the verdict.
    alternative, adjust : str
        Direction of the tests of pairs, and how their p-values are adjusted.
    control : str or None
        The classifier that the others are compared with.
    seconds : float or None
        Time that fitting and testing took.
    random_state : int or None
        The seed, where there is one.
    flags : tuple of str
        Codes of caveats.
    fingerprint : str
        Digest of the data and splits.
    versions : mapping of str to str
        Versions of the packages that it ran with.

    .. versionadded:: 0.1
    """

    comparisons: tuple[PairwiseComparison, ...]
    conclusion: Verdict
    descriptions: Mapping[str, str]
    design: Design
    n_records: int
    n_tested: int
    alpha: float
    alternative: str
    adjust: str
    n_fits: int = 0
    control: str | None = None
    seconds: float | None = None
    random_state: int | None = None
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The name of the classifier that wins, or "inconclusive"."""
        return self.conclusion.winner

    @property
    def results(self) -> PairwiseResults:
        """Comparisons by (measure, class or None, test), or by a unique one of them."""
        return PairwiseResults(self.comparisons)

    @property
    def classifiers(self) -> tuple[ClassifierRow, ...]:
        """The classifiers by the primary measure, the best one first."""
        return self.comparisons[0].classifiers

    @property
    def pairs(self) -> tuple[PairRow, ...]:
        """The pairs by the primary measure, the smallest adjusted p-value first."""
        return self.comparisons[0].pairs

    @property
    def omnibus(self) -> PairedResult | None:
        """The test of all classifiers together, by the primary measure."""
        return self.comparisons[0].omnibus

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups that are not told apart by the primary measure, that of the best first."""
        return self.comparisons[0].groups

    @property
    def caveats(self) -> list[str]:
        """Flags of the comparison and of its tests, with their words."""
        own = explain(self.flags)
        return list(
            dict.fromkeys([*own, *(c for p in self.comparisons for c in p.caveats)])
        )

    def pair(self, champion: str, challenger: str) -> PairRow:
        """The row of two classifiers by the primary measure, named in its order."""
        return self.comparisons[0].pair(champion, challenger)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "verdict": asdict(self.conclusion),
            "design": asdict(self.design),
            "comparisons": [one.to_dict() for one in self.comparisons],
            "flags": list(self.flags),
            **plain,
            "descriptions": dict(self.descriptions),
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
                comparisons=tuple(map(PairwiseComparison.from_dict, stored["comparisons"])),
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
        rows = [
            {"measure": one.measure, "label": one.label, "test": one.test}
            | asdict(row)
            | {"flags": " ".join(row.flags)}
            for one in self.comparisons
            for row in one.pairs
        ]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return frame_from_columns(columns, backend)

    def to_markdown(self) -> str:
        """The report as Markdown, for pull requests and job summaries."""
        lines = [f"**Verdict:** {markdown_text(self.conclusion.sentence)}", ""]
        lines.append(f"- design: {markdown_text(design_words(self))}")
        lines += [f"- {markdown_text(words)}" for _, words in self.remarks]
        lines.append("")
        for one in self.comparisons:
            for header, cells in one.tables():
                lines += [*markdown_table(header, cells, ROLES), ""]
        lines += [f"- flag {markdown_text(caveat)}" for caveat in self.caveats]
        return "\n".join(lines).rstrip() + "\n"

    def to_html(self, *, pictures: Any = "auto") -> str:
        """The report as a page that needs nothing else: no network, no script.

        The verdict comes first, then tables, pictures, what was assumed, what to do next,
        and how it was compared. The numbers are in the page as JSON, see :meth:`from_html`.

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
    def from_html(cls, page: str) -> "MultipleComparison":
        """The comparison within the text of a page that :meth:`to_html` wrote."""
        return cls.from_json(json_of_page(page))

    def _repr_html_(self) -> str:
        return several_html_fragment(self)

    def __str__(self) -> str:
        lines = [entry("design", design_words(self)), ""]
        for one in self.comparisons:
            for header, cells in one.tables():
                lines += [*aligned(header, cells, ROLES), ""]
        lines += [entry(name, words) for name, words in self.remarks]
        lines += [entry("flag", caveat) for caveat in self.caveats]
        lines.append(entry("verdict", self.conclusion.sentence))
        return "\n".join(lines)

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What is said of all classifiers together, and why there are no tests."""
        several = len({one.subject for one in self.comparisons}) > 1
        said, without = self._about_others(), []
        for one in self.comparisons:
            if one.omnibus is not None:
                about = f"{one.subject}: " if several else ""
                said.append(("together", f"{about}{one.together()}"))
            elif one.test is not None:
                without.append(one.subject)
        if without:
            by = f" by {', '.join(dict.fromkeys(without))}" if several else ""
            words = f"no test of all together{by} is known to be valid for this design"
            said.append(("together", f"{words}; whether any two differ, the pairs say"))
        said += [("no test", one.note) for one in self.comparisons if one.test is None]
        return [*dict.fromkeys(said)]

    def _about_others(self) -> list[tuple[str, str]]:
        """Which tests the verdict comes from, and how often others are wrong."""
        primary, tested = self.comparisons[0], [c for c in self.comparisons if c.test]
        if len(self.comparisons) == 1 or primary.test is None:
            return []
        words = f"by {primary.subject} ({primary.test}), at alpha {self.alpha:g}"
        if self.adjust in FAMILY_WISE and len(tested) > 1:
            most = min(1.0, len(tested) * self.alpha)
            words += (
                ". The p-values of each measure and test are adjusted among themselves: a "
                f"false finding in any of the {len(tested)} has a probability of up to "
                f"{most:g}"
            )
        return [("decided", words)]


_NESTED = ("comparisons", "conclusion", "design", "flags")
_PLAIN_FIELDS = [f.name for f in fields(MultipleComparison) if f.name not in _NESTED]


def decide_among(primary: PairwiseComparison, inference: str | None) -> Verdict:
    """The verdict from adjusted p-values: who beats every other one, or the control.

    Parameters
    ----------
    primary : PairwiseComparison
        Tests of all pairs, or of each classifier with the control, by the primary measure.
    inference : {"models", "algorithms"} or None
        What the tests are about.
    """
    alpha = primary.alpha
    if primary.test is None:
        return Verdict("inconclusive", alpha, f"inconclusive: {primary.note}")
    ranked = [row.name for row in primary.classifiers]
    beaten: dict[str, set[str]] = {name: set() for name in ranked}
    for better, worse in filter(None, (row.beats(alpha) for row in primary.pairs)):
        beaten[better].add(worse)
    level = level_words(alpha, primary.alternative)
    about = f"; about {INFERENCE_WORDS[inference]}" if inference else ""
    about = about.replace("two ", "")
    if primary.control is not None:
        return _against_control(primary, ranked, beaten, level, about)
    best = primary.leader
    rivals = [name for name in ranked if name != best and name not in beaten[best]]
    if not rivals:
        sentence = f"{best} is better than every other classifier at {level}{about}"
        return Verdict(best, alpha, sentence)
    sentence = f"inconclusive at {level}: {_not_told(primary, best, rivals)}"
    omnibus = primary.omnibus
    if omnibus is None or "invalid-design" in omnibus.flags:
        return Verdict("inconclusive", alpha, sentence)
    if omnibus.pvalue < alpha and not any(beaten.values()):
        sentence += (
            f"; {omnibus.test} says that some classifiers differ, but no pair does after "
            "the adjustment"
        )
    return Verdict("inconclusive", alpha, sentence)


def _not_told(primary: PairwiseComparison, best: str, rivals: list[str]) -> str:
    """Who is ahead, and of whom nobody can say whether they are worse."""
    values = {row.name: row.value for row in primary.classifiers}
    first = [best, *(n for n in rivals if math.isclose(values[n], values[best]))]
    unknown = [name for name in rivals if math.isnan(values[name])]
    others = [name for name in rivals if name not in (*first, *unknown)]
    by = primary.subject
    if math.isnan(values[best]):
        return f"the {by} of every classifier is undefined"
    if len(first) > 1:
        words = f"{_listed(first)} share the first place by {by}"
    elif by == "accuracy":
        words = f"{best} is the most accurate"
    else:
        words = f"{best} is ahead by {by}"
    if others:
        it = best if len(first) > 1 else "it"
        words += f", and these records do not tell {it} from {', '.join(others)}"
    if unknown:
        words += f"; it is undefined for {_listed(unknown)}"
    return words


def _listed(names: Sequence[str]) -> str:
    """Names as in a sentence."""
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _against_control(
    primary: PairwiseComparison,
    ranked: list[str],
    beaten: dict[str, set[str]],
    level: str,
    about: str,
) -> Verdict:
    control, alpha = str(primary.control), primary.alpha
    better = [name for name in ranked if control in beaten[name]]
    worse = [name for name in ranked if name in beaten[control]]
    others = [name for name in ranked if name not in (control, *better, *worse)]
    undefined = [row.name for row in primary.classifiers if math.isnan(row.value)]
    # A one-sided test says nothing of the other side.
    sides = {"greater": "not found better than", "less": "not found worse than"}
    not_told = f"{sides.get(primary.alternative, 'not told from')} {control}"
    parts = [
        f"{', '.join(names)} {words}"
        for names, words in (
            (better, f"better than {control}"),
            (worse, f"worse than {control}"),
            ([name for name in others if name not in undefined], not_told),
            (undefined, f"without a value of {primary.subject}"),
        )
        if names
    ]
    winner = "inconclusive"
    if better:
        winner = better[0]
    elif not others:
        winner = control
    if winner == "inconclusive":
        return Verdict(winner, alpha, f"inconclusive at {level}: {'; '.join(parts)}")
    return Verdict(winner, alpha, f"at {level}: {'; '.join(parts)}{about}")
