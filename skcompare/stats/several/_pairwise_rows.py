"""Base class of pairwise results, and groups of classifiers that do not differ."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from string import ascii_lowercase
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import check_choice
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._adjust import ADJUSTMENTS
from skcompare.stats.core._limits import interval_level
from skcompare.stats.core._result import PairedResult

PAIRWISE_ADJUSTMENTS = (*ADJUSTMENTS, "max-t")
SETTINGS = ("adjust", "alternative", "control", "confidence_level", "interval_level", "n")


class PairwiseRows:
    """Base class of tests of several pairs, for frozen dataclasses with these attributes.

    `columns` names the values of each row, `settings` those of all rows.
    """

    __slots__ = ()

    columns: ClassVar[tuple[str, ...]]
    settings: ClassVar[tuple[str, ...]] = SETTINGS

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    n: int
    adjust: str
    alternative: str
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...]
    monte_carlo_error: FloatArray | None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:  # type: ignore[attr-defined]
            value = getattr(self, name, None)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.champion)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        names = (f.name for f in fields(self) if f.init)  # type: ignore[arg-type]
        return type(self), tuple(getattr(self, name) for name in names)

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All hold together at `confidence_level` by Bonferroni's inequality, except for
        adjust="none", where each holds by itself.
        """
        return interval_level(self.confidence_level, self.adjust, len(self))

    @property
    def caveats(self) -> list[str]:
        """Flags with their text."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as built-in types, with one dictionary per pair."""
        columns = self._columns()
        pairs = zip(*columns.values(), strict=True)
        return {
            **{name: getattr(self, name) for name in self.settings},
            "design": str(self.design),
            "flags": list(self.flags),
            "pairs": [dict(zip(columns, pair, strict=True)) for pair in pairs],
            "omnibus": self.omnibus.to_dict(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame with one row per pair.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.
        """
        return frame_from_columns(self._columns(), backend)

    def _columns(self) -> dict[str, list[Any]]:
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        columns = roles | {name: getattr(self, name).tolist() for name in self.columns}
        if self.monte_carlo_error is not None:
            columns["monte_carlo_error"] = self.monte_carlo_error.tolist()
        return columns

    def _text(self, test: str, remarks: Sequence[str] = ()) -> str:
        """Format the test, omnibus test, pairs, remarks and caveats as text."""
        omnibus = self.omnibus
        degrees = "" if omnibus.df is None else f"df {omnibus.df:g}, "
        lines = [
            f"{test}, {self.alternative}, n = {self.n}, p adjusted by {self.adjust}, "
            f"intervals at {100 * self.interval_level:.6g} %",
            f"{omnibus.test} ({omnibus.method}): statistic {omnibus.statistic:.4g}, "
            f"{degrees}p {format_pvalue(omnibus.pvalue)}",
            *self._table(),
            *remarks,
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])

    def _table(self) -> list[str]:
        rows = [("champion", "challenger", "difference", "interval", "p", "adjusted p")]
        rows += [
            (
                row["champion"],
                row["challenger"],
                f"{row['difference']:+.4f}",
                f"[{row['low']:.4f}, {row['high']:.4f}]",
                format_pvalue(row["pvalue"]),
                format_pvalue(row["adjusted_pvalue"]),
            )
            for row in self.to_dict()["pairs"]
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]


def pairs_of(
    names: Sequence[str], control: str | None, alternative: str
) -> tuple[IntArray, IntArray]:
    """Return the positions of the champion and of the challenger of each pair."""
    k = len(names)
    if control is None:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs a control that the others are compared "
                "with, because all pairs have no direction of their own. Pass `control`, "
                "or use alternative='two-sided'."
            )
        return _all_pairs(k)
    check_choice("control", control, names)
    at = list(names).index(control)
    return np.full(k - 1, at), np.delete(np.arange(k), at)


@lru_cache(maxsize=8)
def _all_pairs(k: int) -> tuple[IntArray, IntArray]:
    first, second = np.triu_indices(k, 1)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second


@dataclass(frozen=True, slots=True)
class NamedPair:
    """Difference of two classifiers, challenger minus champion, and its test."""

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
