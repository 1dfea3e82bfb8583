"""Several classifiers on shared records, as pictures of all of them need."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skcompare._core.validation import alpha_of
from skcompare.plots._given import comparison_behind
from skcompare.stats._groups import NamedPair, groups_of
from skcompare.stats._pairwise_rows import PairwiseRows

VALUES = ("accuracy", "auc", "share")
"""What a test of all classifiers together calls the measure of each."""

MEASURES = {
    "PairwiseResult": ("accuracy", "mcnemar"),
    "PairwiseAUCResult": ("roc_auc", "delong"),
}
"""What the results of tests of all pairs are about."""


@dataclass(frozen=True, slots=True)
class Pair(NamedPair):
    """A pair that can be seen from both sides."""

    def seen_from(self, champion: str) -> "Pair":
        """The same pair with this classifier as the champion."""
        if champion == self.champion:
            return self
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Pair(
            self.challenger,
            self.champion,
            -self.difference,
            low,
            high,
            self.pvalue,
            self.adjusted_pvalue,
            self.flags,
        )


@dataclass(frozen=True, slots=True)
class Several:
    """Classifiers by one measure, the best first, and their pairs.

    `values` are those of the measure itself, so that of a loss the smallest is first;
    differences are on a scale on which greater is better.
    """

    subject: str
    measure: str
    test: str | None
    names: tuple[str, ...]
    values: tuple[float, ...]
    pairs: tuple[Pair, ...]
    alpha: float
    interval_level: float
    alternative: str
    adjust: str
    control: str | None = None
    greater_is_better: bool = True
    note: str = ""
    flags: tuple[str, ...] = ()
    n_records: int | None = None
    design: str = ""

    @property
    def leader(self) -> str:
        """The best of those that no other one is found better than."""
        beaten = {found[1] for pair in self.pairs if (found := pair.beats(self.alpha))}
        return next((name for name in self.names if name not in beaten), self.names[0])

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest sets in which no two are told apart; none if not all were tested.

        Those without a value are in none.
        """
        if self.test is None or self.control is not None:
            return ()
        values = zip(self.names, self.values)
        known = [name for name, value in values if not math.isnan(value)]
        found = (pair.beats(self.alpha) for pair in self.pairs)
        return groups_of(known, [pair for pair in found if pair is not None])

    @property
    def of_control(self) -> Mapping[str, str]:
        """What was found of each other classifier beside the control."""
        found = {pair.beats(self.alpha) for pair in self.pairs}
        words = {}
        for name in self.names:
            if name == self.control:
                continue
            words[name] = self._undecided(name)
            if (name, self.control) in found:
                words[name] = "better"
            elif (self.control, name) in found:
                words[name] = "worse"
        return words

    def _undecided(self, name: str) -> str:
        """Why a classifier is neither better nor worse than the control."""
        if self.test is None:
            return "not tested"
        pair = self.between(name, self.control or "")
        known = pair is not None and pair.adjusted_pvalue is not None
        if not known or math.isnan(pair.adjusted_pvalue):  # type: ignore
            return "undefined"
        return "not told apart"

    @property
    def has_undefined(self) -> bool:
        """Whether a pair was tested whose p-value is undefined."""
        pvalues = (pair.adjusted_pvalue for pair in self.pairs)
        return any(p is not None and math.isnan(p) for p in pvalues)

    def between(self, one: str, other: str) -> Pair | None:
        """The pair with `other` as its champion; None where it was not compared."""
        for pair in self.pairs:
            if {pair.champion, pair.challenger} == {one, other}:
                return pair.seen_from(other)
        return None


def several_of(result: Any, measure: Any = None) -> Several:
    """What holds several classifiers, as pictures need it.

    Parameters
    ----------
    result : MultipleComparison, fitted MultipleComparator, PairwiseComparison, or result
            of pairwise_mcnemar or pairwise_delong
        Where the numbers come from.
    measure : str or tuple, optional
        Which of the comparisons of a MultipleComparison, as its `results` are asked for;
        the primary one by default.
    """
    if isinstance(result, Several):
        return result
    holder = comparison_behind(result)
    if hasattr(holder, "comparisons"):
        chosen = holder.comparisons[0] if measure is None else holder.results[measure]
        return _of_comparison(chosen, holder.n_tested, str(holder.design))
    if measure is not None:
        raise ValueError(
            "`measure` chooses among the comparisons of a MultipleComparison. Got "
            f"measure={measure!r} and {type(result).__name__}, which is about one. Leave "
            "it out."
        )
    if isinstance(holder, PairwiseRows):
        return _of_rows(holder)
    if hasattr(holder, "classifiers") and hasattr(holder, "pairs"):
        return _of_comparison(holder)
    raise TypeError(
        "`result` must be a MultipleComparison, a fitted MultipleComparator, a "
        "PairwiseComparison, or what pairwise_mcnemar or pairwise_delong gave. Got "
        f"{type(result).__name__}. Two classifiers have a ForestDisplay."
    )


def _of_comparison(one: Any, n_records: int | None = None, design: str = "") -> Several:
    return Several(
        subject=one.subject,
        measure=one.measure,
        test=one.test,
        names=tuple(row.name for row in one.classifiers),
        values=tuple(row.value for row in one.classifiers),
        pairs=tuple(
            Pair(**{name: getattr(row, name) for name in Pair.__dataclass_fields__})
            for row in one.pairs
        ),
        alpha=one.alpha,
        interval_level=one.interval_level,
        alternative=one.alternative,
        adjust=one.adjust,
        control=one.control,
        greater_is_better=one.greater_is_better,
        note=one.note,
        flags=one.flags,
        n_records=n_records,
        design=design,
    )


def _of_rows(rows: PairwiseRows) -> Several:
    """The result of a function that tests all pairs at once."""
    known = MEASURES.get(type(rows).__name__)
    if known is None:
        raise TypeError(
            f"{type(rows).__name__} has no differences on the scale of the measure. Pass "
            "what pairwise_mcnemar or pairwise_delong gave, or a MultipleComparison."
        )
    measure, test = known
    values = values_of(rows.omnibus.parts)
    names = sorted(values, key=lambda name: -values[name])
    columns = rows.to_dict()["pairs"]
    keys = [name for name in Pair.__dataclass_fields__ if name != "flags"]
    return Several(
        subject=measure,
        measure=measure,
        test=test,
        names=tuple(names),
        values=tuple(values[name] for name in names),
        pairs=tuple(Pair(**{key: row[key] for key in keys}) for row in columns),
        alpha=alpha_of(rows.confidence_level),
        interval_level=rows.interval_level,
        alternative=rows.alternative,
        adjust=rows.adjust,
        control=rows.control,  # type: ignore[attr-defined]
        flags=rows.flags,
        n_records=rows.n,
        design=str(rows.design),
    )


def values_of(parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The measure of each classifier, as a test of all together says it."""
    return {
        part["name"]: float(next(part[kind] for kind in VALUES if kind in part))
        for part in parts
    }
