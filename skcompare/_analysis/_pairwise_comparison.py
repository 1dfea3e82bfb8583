"""Comparison of several classifiers by one measure: ranking, pairs and verdict."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from string import ascii_lowercase
from typing import Any

from skcompare._analysis._comparison import Keyed, Verdict, level_text
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_interval,
    format_number,
    format_pvalue,
    in_one_line,
    inference_text,
    shared_decimals,
)
from skcompare.stats import PairedResult

MOST_NAMED = 3
"""Largest number of pairs that a caveat names; more are counted."""

Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True, slots=True)
class ClassifierRow:
    """Classifier with its value of the measure and, if known, its interval.

    The interval is of this value by itself and at 95 %: Wilson's for an accuracy, the
    logit interval for an AUC, both on a hold-out.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PairRow:
    """Pair of classifiers with the difference, interval, raw and adjusted p-value."""

    champion: str
    challenger: str
    difference: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    flags: tuple[str, ...] = ()

    def beats(self, alpha: float) -> tuple[str, str] | None:
        """Return the better and the worse classifier if they differ significantly."""
        if self.adjusted_pvalue is None or not self.adjusted_pvalue < alpha:
            return None
        if not self.difference or math.isnan(self.difference):
            return None
        pair = (self.challenger, self.champion)
        return pair if self.difference > 0 else pair[::-1]


@dataclass(frozen=True, slots=True)
class PairwiseComparison:
    """Comparison of several classifiers by one measure and one test.

    Attributes
    ----------
    measure : str
        Name of the measure.
    label : object
        The class that the measure is of, or None.
    test : str or None
        The test of the pairs; None where none is valid.
    classifiers : tuple of ClassifierRow
        The best one first.
    pairs : tuple of PairRow
        Pairs of classifiers, or each of them with the control, the smallest adjusted
        p-value first. A difference is challenger minus champion where greater is better,
        so that of a loss is a gain.
    alpha, interval_level : float
        Level at which adjusted p-values decide, and confidence level of each interval of a
        difference.
    alternative, adjust : str
        Direction of the tests of pairs, and adjustment of their p-values.
    control : str or None
        The classifier with which the others are compared.
    omnibus : PairedResult or None
        The test of all classifiers together; None where none is valid for the design.
    greater_is_better : bool
        Whether the measure is a score.
    method : str
        How the test of the pairs computes its p-value.
    note : str
        Reason why there is no test, and what would give one.
    flags : tuple of str
        Codes of caveats about pairs.
    """

    measure: str
    label: Any
    test: str | None
    classifiers: tuple[ClassifierRow, ...]
    pairs: tuple[PairRow, ...]
    alpha: float
    interval_level: float
    alternative: str
    adjust: str
    control: str | None = None
    omnibus: PairedResult | None = None
    greater_is_better: bool = True
    method: str = ""
    note: str = ""
    flags: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, Any, str | None]:
        """Key of the comparison: measure, class or None, test or None."""
        return self.measure, self.label, self.test

    @property
    def subject(self) -> str:
        """Name of the measure, followed by the class in brackets if there is one."""
        return self.measure if self.label is None else f"{self.measure}[{self.label}]"

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags of the pairs and of the omnibus test.

        A flag that is not of all pairs names its pairs or its test.
        """
        omnibus = () if self.omnibus is None else self.omnibus.flags
        flags = dict.fromkeys([*self.flags, *omnibus])
        return [f"{text}{self._only(f)}" for f in flags for text in explain([f])]

    def _only(self, flag: str) -> str:
        """Return a clause on the pairs or the omnibus test to which a flag is limited."""
        if flag not in self.flags:
            return "" if self.omnibus is None else f" (of {self.omnibus.test})"
        flagged = [row for row in self.pairs if flag in row.flags]
        if len(flagged) in (0, len(self.pairs)):
            return ""
        if len(flagged) > MOST_NAMED:
            return f" (for {len(flagged)} of {len(self.pairs)} pairs)"
        pairs = (f"{row.champion} and {row.challenger}" for row in flagged)
        return f" (for {'; '.join(map(in_one_line, pairs))})"

    @property
    def leader(self) -> str:
        """Best classifier that is not significantly worse than any other.

        That is the first one, unless scores are undefined on some splits, which pairs
        leave out of their differences.
        """
        beaten = {win[1] for row in self.pairs if (win := row.beats(self.alpha))}
        names = [row.name for row in self.classifiers]
        return next((name for name in names if name not in beaten), names[0])

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups without significant differences, that of the best classifier first.

        Each is as large as possible without two classifiers that differ significantly, so a
        classifier may be in several. Empty if nothing was tested, and with a control,
        because the others were not compared with each other.
        """
        if self.test is None or self.control is not None:
            return ()
        # Classifiers without a value were compared with none.
        names = [row.name for row in self.classifiers if not math.isnan(row.value)]
        wins = (row.beats(self.alpha) for row in self.pairs)
        return groups_of(names, [pair for pair in wins if pair is not None])

    def pair(self, champion: str, challenger: str) -> PairRow:
        """Return the row of a champion and a challenger."""
        for row in self.pairs:
            if (row.champion, row.challenger) == (champion, challenger):
                return row
        pairs = ", ".join(f"({row.champion}, {row.challenger})" for row in self.pairs)
        raise KeyError(f"No pair ({champion}, {challenger}). Pairs: {pairs}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return plain | {
            "classifiers": [asdict(row) for row in self.classifiers],
            "pairs": [asdict(row) | {"flags": list(row.flags)} for row in self.pairs],
            "omnibus": None
            if self.omnibus is None
            else self.omnibus.to_dict(1 - self.alpha),
            "groups": [list(group) for group in self.groups],
            "flags": list(self.flags),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "PairwiseComparison":
        """Read a comparison from the output of :meth:`to_dict`."""
        omnibus = stored["omnibus"]
        return cls(
            classifiers=tuple(ClassifierRow(**row) for row in stored["classifiers"]),
            pairs=tuple(
                PairRow(**{**row, "flags": tuple(row["flags"])}) for row in stored["pairs"]
            ),
            omnibus=None if omnibus is None else PairedResult.from_dict(omnibus),
            flags=tuple(stored["flags"]),
            **{name: stored[name] for name in _PLAIN_FIELDS},
        )

    def tables(self) -> list[Table]:
        """Return the tables of classifiers and of pairs as text, each with its header."""
        return [self._ranked(), self._paired()]

    def together(self) -> str:
        """Format the result of the omnibus test in one line; empty if there is none."""
        test = self.omnibus
        if test is None:
            return ""
        df = "" if test.df is None else f", df {test.df:g}"
        p = format_pvalue(test.pvalue, self.alpha)
        return f"{test.test} {format_number(test.statistic)}{df}, p {p}"

    def _ranked(self) -> Table:
        letters = letters_of(self.groups)
        header, grouped = ["model", self.subject], bool(letters)
        with_limits = any(row.low is not None for row in self.classifiers)
        if with_limits:
            header.append("95 % interval")
        if grouped:
            header.append("group")
        decimals = shared_decimals(row.value for row in self.classifiers)
        cells = []
        for row in self.classifiers:
            line = [in_one_line(row.name), format_number(row.value, decimals)]
            line += [_interval(row)] * with_limits
            line += [letters.get(row.name, "")] * grouped
            cells.append(line)
        return header, cells

    def _paired(self) -> Table:
        gain = "difference" if self.greater_is_better else "gain"
        header = ["champion", "challenger", gain]
        if self.test is not None:
            level = f"{100 * self.interval_level:.4g} % interval"
            header += [level, "p", f"p ({self.adjust})", "test"]
        cells = []
        for row in self.pairs:
            line = [
                in_one_line(row.champion),
                in_one_line(row.challenger),
                format_number(
                    row.difference, decimals_for(math.nan, row.low, row.high), signed=True
                ),
            ]
            if self.test is not None:
                line += [
                    _interval(row),
                    format_pvalue(row.pvalue, self.alpha),
                    format_pvalue(row.adjusted_pvalue, self.alpha),
                    self.test,
                ]
            cells.append(line)
        return header, cells


_NESTED = ("classifiers", "pairs", "omnibus", "flags")
_PLAIN_FIELDS = tuple(
    name for name in PairwiseComparison.__dataclass_fields__ if name not in _NESTED
)


class PairwiseResults(Keyed[PairwiseComparison]):
    """Comparisons by (measure, class or None, test), or by a unique measure or test."""

    noun = "comparison"

    def __init__(self, comparisons: Sequence[PairwiseComparison]) -> None:
        super().__init__(comparisons)


def swapped(pair: PairRow) -> PairRow:
    """Return a pair with its roles exchanged."""
    return replace(
        pair,
        champion=pair.challenger,
        challenger=pair.champion,
        difference=-pair.difference,
        low=None if pair.high is None else -pair.high,
        high=None if pair.low is None else -pair.low,
    )


def both_ways(comparison: PairwiseComparison) -> dict[tuple[str, str], PairRow]:
    """Return the pairs in both directions, by challenger and champion."""
    pairs = [pair for row in comparison.pairs for pair in (row, swapped(row))]
    return {(pair.challenger, pair.champion): pair for pair in pairs}


def _interval(row: ClassifierRow | PairRow) -> str:
    if row.low is None or row.high is None:
        return ""
    beside = (0.0,) if isinstance(row, PairRow) else ()
    decimals = decimals_for(math.nan, row.low, row.high, beside=beside)
    return format_interval((row.low, row.high), decimals)


def decide_among(
    primary: PairwiseComparison, inference: str | None, design: str = ""
) -> Verdict:
    """Decide on the winner over all classifiers, or over the control, by adjusted p-values.

    Parameters
    ----------
    primary : PairwiseComparison
        Tests of all pairs, or of each classifier with the control, by the primary measure.
    inference : {"models", "algorithms"} or None
        Subject of the tests.
    design : str, default=""
        Title of the design.
    """
    alpha = primary.alpha
    if primary.test is None:
        return Verdict("inconclusive", alpha, f"inconclusive: {primary.note}")
    ranked = [row.name for row in primary.classifiers]
    beaten: dict[str, set[str]] = {name: set() for name in ranked}
    for better, worse in filter(None, (row.beats(alpha) for row in primary.pairs)):
        beaten[better].add(worse)
    level = level_text(alpha, primary.alternative)
    about = f"; about {inference_text(inference, design)}" if inference else ""
    about = about.replace("two ", "")
    if primary.control is not None:
        return _against_control(primary, ranked, beaten, level, about)
    best = primary.leader
    rivals = [name for name in ranked if name != best and name not in beaten[best]]
    if not rivals:
        sentence = f"{best} is better than every other model at {level}{about}"
        return Verdict(best, alpha, sentence)
    sentence = f"inconclusive at {level}: {_not_distinguished(primary, best, rivals)}"
    omnibus = primary.omnibus
    if omnibus is None or "invalid-design" in omnibus.flags:
        return Verdict("inconclusive", alpha, sentence)
    if omnibus.pvalue < alpha and not any(beaten.values()):
        sentence += (
            f"; {omnibus.test} says that some models differ, but no pair does after "
            "the adjustment"
        )
    return Verdict("inconclusive", alpha, sentence)


def _not_distinguished(primary: PairwiseComparison, best: str, rivals: list[str]) -> str:
    """Describe the leading classifiers and those not significantly worse."""
    values = {row.name: row.value for row in primary.classifiers}
    leaders = [best, *(n for n in rivals if math.isclose(values[n], values[best]))]
    undefined = [name for name in rivals if math.isnan(values[name])]
    others = [name for name in rivals if name not in (*leaders, *undefined)]
    by = primary.subject
    if math.isnan(values[best]):
        return f"the {by} of every model is undefined"
    if len(leaders) > 1:
        text = f"{_listed(leaders)} share the first place by {by}"
    elif by == "accuracy":
        text = f"{best} is the most accurate"
    else:
        text = f"{best} is ahead by {by}"
    if others:
        name_or_it = best if len(leaders) > 1 else "it"
        text += (
            f", and these records do not distinguish {name_or_it} from {', '.join(others)}"
        )
    if undefined:
        text += f"; it is undefined for {_listed(undefined)}"
    return text


def _listed(names: Sequence[str]) -> str:
    """Join names with commas and "and"."""
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
    # A one-sided test says nothing about the other side.
    sides = {"greater": "not found better than", "less": "not found worse than"}
    not_distinguished = (
        f"{sides.get(primary.alternative, 'not distinguished from')} {control}"
    )
    parts = [
        f"{', '.join(names)} {relation}"
        for names, relation in (
            (better, f"better than {control}"),
            (worse, f"worse than {control}"),
            ([name for name in others if name not in undefined], not_distinguished),
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


def groups_of(
    names: Sequence[str], told_apart: Iterable[tuple[str, str]]
) -> tuple[tuple[str, ...], ...]:
    """Return the largest sets of names without a significantly different pair.

    Differences are inserted one after the other, and sets within another one absorbed
    (Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
    comparisons", Journal of Computational and Graphical Statistics 13(2), 456-466).

    Parameters
    ----------
    names : sequence of str
        The best first; groups and their names are in this order.
    told_apart : iterable of pairs of str
        Pairs that differ significantly.
    """
    order = {name: position for position, name in enumerate(names)}
    sets = [frozenset(names)] if names else []
    for first, second in told_apart:
        split = [members for members in sets if first in members and second in members]
        kept = [members for members in sets if not (first in members and second in members)]
        halves = dict.fromkeys(
            members - {name} for members in split for name in (first, second)
        )
        # Only a half can lie within another set: the other sets were already the largest.
        candidates = [*kept, *halves]
        sets = kept + [
            half
            for half in halves
            if half not in kept and not any(half < members for members in candidates)
        ]
    ordered = [tuple(sorted(members, key=order.__getitem__)) for members in sets]
    return tuple(sorted(ordered, key=lambda group: [order[name] for name in group]))


def letters_of(groups: Sequence[Sequence[str]]) -> Mapping[str, str]:
    """Return the groups of each name as letters, or as numbers if there are too many."""
    many = len(groups) > len(ascii_lowercase)
    marks = [str(k + 1) if many else ascii_lowercase[k] for k in range(len(groups))]
    marks_of: dict[str, list[str]] = {}
    for mark, group in zip(marks, groups, strict=True):
        for name in group:
            marks_of.setdefault(name, []).append(mark)
    return {
        name: ("," if many else "").join(name_marks)
        for name, name_marks in marks_of.items()
    }
