"""Data of a comparison of several classifiers, with conversion to JSON and data frames."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from skcompare._analysis import (
    FAMILY_WISE,
    ClassifierRow,
    PairRow,
    PairwiseComparison,
    PairwiseResults,
    Verdict,
)
from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.report import Reported, from_standard_json, to_standard_json
from skcompare._io.columns import frame_from_columns
from skcompare.stats import PairedResult

SCHEMA = "skcompare.multiple_comparison"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class MultipleComparisonData(Reported):
    """Data of a comparison of several classifiers, from which all reports are made."""

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
        """Name of the winner, or "inconclusive"."""
        return self.conclusion.winner

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

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as a dict of plain values."""
        plain = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "verdict": asdict(self.conclusion),
            "design": asdict(self.design),
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            "flags": list(self.flags),
            **plain,
            "descriptions": dict(self.descriptions),
            "versions": dict(self.versions),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the comparison as standard JSON, with NaN as {"number": "NaN"}."""
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a comparison from JSON written by :meth:`to_json`."""
        return from_standard_json(text, SCHEMA, SCHEMA_VERSION, cls._from_dict)

    @classmethod
    def _from_dict(cls, stored: dict[str, Any]) -> Self:
        return cls(
            comparisons=tuple(map(PairwiseComparison.from_dict, stored["comparisons"])),
            conclusion=Verdict(**stored["verdict"]),
            design=Design(**stored["design"]),
            flags=tuple(stored["flags"]),
            **{name: stored[name] for name in _PLAIN_FIELDS},
        )

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the pairs as a data frame of pandas, polars or pyarrow."""
        rows = [
            {
                "measure": comparison.measure,
                "label": comparison.label,
                "test": comparison.test,
            }
            | asdict(row)
            | {"flags": " ".join(row.flags)}
            for comparison in self.comparisons
            for row in comparison.pairs
        ]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return frame_from_columns(columns, backend)

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
            text = f"no test of all together{by} is known to be valid for this design"
            remarks.append(("together", f"{text}; whether any two differ, the pairs say"))
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
                ". The p-values of each measure and test are adjusted among themselves: a "
                f"false finding in any of the {len(tested)} has a probability of up to "
                f"{bound:g}"
            )
        return [("decided", text)]


_NESTED = ("comparisons", "conclusion", "design", "flags")
_PLAIN_FIELDS = [f.name for f in fields(MultipleComparisonData) if f.name not in _NESTED]
