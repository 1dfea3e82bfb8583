"""Result of a comparison of several classifiers, with its report and JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

from skcompare._analysis import (
    FAMILY_WISE,
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    Verdict,
    both_ways,
)
from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_number,
    format_pvalue,
    named_limits,
    shared_decimals,
    shortened,
)
from skcompare._core.report import OPEN, WIN, Note, Report, Table, outcome_of
from skcompare.reports._comparison import StoredComparison, design_text, settings_of
from skcompare.reports._methods import methods_of_several
from skcompare.reports._next_steps import INCONCLUSIVE, listed, sentence, valid_instead
from skcompare.reports._pages import assumptions_of
from skcompare.stats import PairedResult


@dataclass(frozen=True, slots=True)
class MultipleComparison(StoredComparison):
    """Result of a comparison of several models.

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
    size : str
        Description of the data if their order in time counts.
    alpha : float
        Level of the verdict.
    alternative, adjust : str
        Direction of the tests of pairs, and adjustment of their p-values.
    control : str or None
        The classifier with which the others are compared.
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

    schema: ClassVar[str] = "skcompare.multiple_comparison"
    stored: ClassVar[tuple[str, ...]] = (
        *("design", "comparisons", "flags", "descriptions", "n_records", "n_tested"),
        *("alpha", "alternative", "adjust", "n_fits", "control", "seconds"),
        *("random_state", "fingerprint", "versions", "size"),
    )

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
    size: str = ""

    @property
    def results(self) -> PairwiseResults:
        """Comparisons by (measure, class or None, test), or by a unique measure or test."""
        return PairwiseResults(self.comparisons)

    @property
    def classifiers(self) -> tuple[ClassifierRow, ...]:
        """Classifiers ranked by the primary measure, the best first."""
        return self.comparisons[0].classifiers

    @property
    def pairs(self) -> tuple[PairRow, ...]:
        """Pairs compared by the primary measure, the smallest adjusted p-value first."""
        return self.comparisons[0].pairs

    @property
    def omnibus(self) -> PairedResult | None:
        """Omnibus test of all classifiers by the primary measure, or None."""
        return self.comparisons[0].omnibus

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups without significant differences by the primary measure, the best first."""
        return self.comparisons[0].groups

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags of the comparison and of its tests."""
        own = explain(self.flags)
        return list(
            dict.fromkeys([*own, *(c for p in self.comparisons for c in p.caveats)])
        )

    def pair(self, champion: str, challenger: str) -> PairRow:
        """Return the row of a champion and a challenger by the primary measure."""
        return self.comparisons[0].pair(champion, challenger)

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> dict[str, Any]:
        comparisons = map(PairwiseComparison.from_dict, stored["comparisons"])
        return {"comparisons": tuple(comparisons)}

    def _methods(self, format: str) -> str:
        return methods_of_several(self, format)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [
            dict(zip(("measure", "label", "test"), comparison.key)) | asdict(row)
            for comparison in self.comparisons
            for row in comparison.pairs
        ]

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Labelled remarks on omnibus tests, error rates, and measures without a test."""
        several = len({comparison.subject for comparison in self.comparisons}) > 1
        remarks, untested = self._about_others(), []
        for comparison in self.comparisons:
            if comparison.omnibus is not None:
                about = f"{comparison.subject}: " if several else ""
                remarks.append(("together", f"{about}{comparison.together()}"))
            elif comparison.test is not None:
                untested.append(comparison.subject)
        if untested:
            by = f" by {', '.join(dict.fromkeys(untested))}" if several else ""
            text = f"no joint test{by} is known to be valid for this design"
            remarks.append(("together", f"{text}; the pairs show whether any two differ"))
        remarks += [
            ("no test", comparison.note)
            for comparison in self.comparisons
            if comparison.test is None
        ]
        return [*dict.fromkeys(remarks)]

    def _about_others(self) -> list[tuple[str, str]]:
        """Return a remark on the deciding test and on the error rate of the other tests."""
        primary, tested = self.comparisons[0], [c for c in self.comparisons if c.test]
        if len(self.comparisons) == 1 or primary.test is None:
            return []
        text = f"by {primary.subject} ({primary.test}), at alpha {self.alpha:g}"
        if self.adjust in FAMILY_WISE and len(tested) > 1:
            bound = min(1.0, len(tested) * self.alpha)
            text += (
                ". The p-values of each measure and test are adjusted together: the "
                f"probability of a false positive in any of the {len(tested)} is up to "
                f"{bound:g}"
            )
        return [("decided", text)]

    def _page(self) -> Report:
        winner, text = self.verdict, self.conclusion.sentence
        status = "Inconclusive" if winner == "inconclusive" else f"{winner} wins"
        if self.control not in (None, winner) and winner != "inconclusive":
            # Others may be better than the control too.
            status = f"{winner} is better than {self.control}"
        tests = [
            (result.test, result.flags)
            for part in self.comparisons
            for result in (part, part.omnibus)
            if result is not None
        ]
        return replace(
            self._report(),
            kind="Comparison of several models",
            title=f"{len(self.classifiers)} models compared",
            status=status,
            has_names=True,
            # A name at the beginning is not capitalized.
            is_capitalized=winner == "inconclusive" or not text.startswith(winner),
            key_numbers=_key_numbers(self.comparisons[0]),
            assumptions=assumptions_of(tests, self.design, "the"),
            steps=next_steps_among(self),
        )

    def _report(self) -> Report:
        remarks, caveats = self.remarks, self.caveats
        notes = [Note(name, remark, "") for name, remark in remarks]
        notes += [Note("flag", caveat, "flag ") for caveat in caveats]
        return Report(
            headline=self.conclusion.sentence,
            finding=OPEN if self.verdict == INCONCLUSIVE else WIN,
            facts={"design": design_text(self)},
            tables=[table for part in self.comparisons for table in _tables(part)],
            notes=notes,
            remarks={"": [remark for _, remark in remarks], "Caveats": caveats},
            settings=_settings(self),
        )


ROLES = ("model", "champion", "challenger", "group", "test")
"""Columns of text in tables of several classifiers."""

LONGEST = 40
"""Largest number of characters of a name beside a number."""


def _tables(comparison: PairwiseComparison) -> list[Table]:
    """Return the tables of the classifiers and of the pairs by one measure."""
    ranked, pairs = comparison.tables()
    better = "higher" if comparison.greater_is_better else "lower"
    about = f"Models by {comparison.subject}, the best first: {better} is better"
    if "group" in ranked[0]:
        about += ". Those that share a letter are not distinguished"
    of_pairs = (
        f"Pairs by {comparison.subject}, the smallest p-value first: above 0 favours the "
        "challenger"
    )
    if comparison.control is not None:
        of_pairs = f"Differences from the control by {comparison.subject}"
    outcomes = [
        outcome_of(row.difference, 0.0, row.adjusted_pvalue, comparison.alpha)
        for row in comparison.pairs
    ]
    return [
        Table(*ranked, ROLES, caption=about),
        Table(*pairs, ROLES, caption=of_pairs, named_by="challenger", outcomes=outcomes),
    ]


def _key_numbers(primary: PairwiseComparison) -> dict[str, str]:
    """Return the leader's value, its difference from the next, and the omnibus test."""
    values = {row.name: row.value for row in primary.classifiers}
    leader = primary.leader
    name = shortened(leader, LONGEST)
    value = format_number(values[leader], shared_decimals(values.values()))
    numbers = {f"{primary.subject} of {name}": value}
    runner_up = next(name for name in values if name != leader)
    row = both_ways(primary).get((leader, runner_up))
    if row is not None:
        decimals = decimals_for(row.difference, row.low, row.high)
        difference = format_number(row.difference, decimals, signed=True)
        if row.low is not None and row.high is not None:
            _, limits = named_limits("two-sided", (row.low, row.high), decimals)
            difference += f" ({100 * primary.interval_level:.4g} % interval {limits})"
        relation = "difference from" if primary.greater_is_better else "gain over"
        numbers[f"{relation} {shortened(runner_up, LONGEST)}"] = difference
        if row.adjusted_pvalue is not None:
            p = format_pvalue(row.adjusted_pvalue, primary.alpha)
            numbers[f"p of that ({primary.test}, {primary.adjust})"] = p
    if primary.omnibus is not None:
        p = format_pvalue(primary.omnibus.pvalue, primary.alpha)
        numbers[f"joint p ({primary.omnibus.test})"] = p
    return numbers


def _settings(comparison: MultipleComparison) -> dict[str, str]:
    primary = comparison.comparisons[0]
    level = f"alpha {comparison.alpha:g}, {comparison.alternative}"
    level += f", p adjusted by {comparison.adjust}"
    if primary.test is not None:
        shown = 100 * primary.interval_level
        level += f", each interval of a difference at {shown:.4g} %"
    return {
        # A name may be equal to that of another fact.
        **{
            f"model {name}": description
            for name, description in comparison.descriptions.items()
            if description != name
        },
        "design": design_text(comparison),
        "control": comparison.control or "none, all pairs",
        "level": level,
        **settings_of(comparison),
    }


def next_steps_among(comparison: MultipleComparison) -> list[str]:
    """Return recommended next steps after a comparison of several classifiers."""
    primary = comparison.comparisons[0]
    steps: list[str] = []
    if primary.test is None:
        steps.append(sentence(primary.note))
    elif comparison.verdict != INCONCLUSIVE:
        steps += _better_than_control(comparison)
        steps.append(
            f"Use {comparison.verdict}. When it is to be replaced, a gate "
            "(skcompare.gate.Gate) passes a challenger only if it is shown to be good "
            "enough."
        )
    else:
        steps += _among_equals(comparison)
    tests = ((pairwise.test, pairwise.measure) for pairwise in comparison.comparisons)
    return [*steps, *valid_instead(tests, comparison.design)]


def _better_than_control(comparison: MultipleComparison) -> Iterator[str]:
    """Yield a remark if several classifiers are better than the control."""
    primary = comparison.comparisons[0]
    wins = [row.beats(comparison.alpha) for row in primary.pairs]
    control = comparison.control
    better = [pair[0] for pair in wins if pair and pair[1] == control]
    if len(better) < 2:
        return
    yield (
        f"{listed(better)} are better than the control. They were not compared with "
        f"each other: {comparison.verdict} has the best value here, and cost, "
        "speed or interpretability may favour another one."
    )


def _among_equals(comparison: MultipleComparison) -> Iterator[str]:
    """Yield advice if no classifier is better than all others."""
    primary = comparison.comparisons[0]
    leader = primary.leader
    group = next((g for g in comparison.groups if leader in g), ())
    others = [name for name in group if name != leader]
    if others:
        yield (
            f"{leader} is not distinguished from {listed(others)}: choose among these by "
            "cost, speed or interpretability, or compare them on more records, whose "
            "number is fixed in advance."
        )
    if comparison.control is not None:
        yield (
            "A classifier that is not distinguished from the control is not shown to be as "
            "good: that takes a margin of non-inferiority (skcompare.gate.NonInferior)."
        )
        return
    count = len(primary.classifiers)
    if count > 2:
        smallest = ""
        if pvalues := [row.pvalue for row in primary.pairs if row.pvalue is not None]:
            p = format_pvalue(pvalues[0])
            smallest = f" (the smallest one here was {p} before the adjustment)"
        yield (
            f"All {len(primary.pairs)} pairs were tested, and their p-values adjusted for "
            f"that{smallest}. On new records, comparing {count - 1} models with one "
            "control that is chosen in advance (control=...) finds smaller differences."
        )
