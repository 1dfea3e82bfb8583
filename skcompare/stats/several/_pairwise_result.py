"""Result of tests of several pairs of classifiers, and groups without differences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from string import ascii_lowercase
from typing import Any

import numpy as np

from skcompare._core.design import Design
from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue
from skcompare._core.report import Note, Report, Reported, Table
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._result import PairedResult

SETTINGS = ("adjust", "alternative", "control", "confidence_level", "interval_level", "n")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PairwiseResult(Reported):
    """Tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    test : str
        Name of the function that made it, such as "pairwise_mcnemar".
    title : str
        Title of its text.
    measure : str
        The measure that is compared, such as "accuracy".
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    estimate : ndarray of shape (n_pairs,)
        Challenger minus champion, or over champion, as `estimate_name` says.
    estimate_name : {"difference", "odds ratio", "ratio"}
        Scale of the estimates.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of the test of one pair, and the p-values adjusted for the number of pairs.
    details : mapping of str to ndarray of shape (n_pairs,)
        Further columns, such as discordant counts or standard errors.
    n : int
        Number of records.
    settings : mapping of str to object
        Options of the call that only this test has, such as the method.
    adjust, alternative : str
        Options of the call.
    control : str or None
        The classifier that the others are compared with.
    confidence_level, interval_level : float
        Level of the intervals together, and of each. All hold together by Bonferroni's
        inequality, or by the distribution of the greatest statistic, except for
        adjust="none", where each holds by itself.
    omnibus : PairedResult
        Test that all classifiers are equal.
    design : Design
        How the records were collected.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t". One-sided they
        are smaller, because each resample counts with its opposite.
    """

    test: str
    title: str
    measure: str
    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    estimate: FloatArray
    estimate_name: str
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    details: Mapping[str, FloatArray | IntArray]
    n: int
    settings: Mapping[str, Any]
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    interval_level: float
    omnibus: PairedResult
    design: Design
    limits: Callable[[float], tuple[FloatArray, FloatArray]]
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None
    # Intervals may take longer than all tests together, so they are computed on request.
    _both_limits: tuple[FloatArray, FloatArray] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        arrays = [getattr(self, f.name, None) for f in fields(self)]
        for value in (*arrays, *self.details.values()):
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __len__(self) -> int:
        return len(self.champion)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that the arrays come back read-only.
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return _restored, (values,)

    def __repr__(self) -> str:
        settings = {**self.settings, "adjust": self.adjust, "control": self.control}
        shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
        return f"PairwiseResult({self.test}, {len(self)} pairs, {shown}, n={self.n})"

    @property
    def low(self) -> FloatArray:
        """Lower limits of the estimates, at `interval_level`."""
        return self._limits()[0]

    @property
    def high(self) -> FloatArray:
        """Upper limits of the estimates, at `interval_level`."""
        return self._limits()[1]

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        if self._both_limits is None:
            limits = self.limits(self.interval_level)
            for values in limits:
                values.setflags(write=False)
            object.__setattr__(self, "_both_limits", limits)
        return self._both_limits  # type: ignore[return-value]

    @property
    def caveats(self) -> list[str]:
        """Flags with their text."""
        return explain(self.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as built-in types, with one dictionary per pair."""
        columns = self._columns()
        pairs = zip(*columns.values(), strict=True)
        return {
            **self.settings,
            **{name: getattr(self, name) for name in SETTINGS},
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
        numbers = {
            "estimate": self.estimate,
            **self.details,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "adjusted_pvalue": self.adjusted_pvalue,
            "low": self.low,
            "high": self.high,
        }
        if self.monte_carlo_error is not None:
            numbers["monte_carlo_error"] = self.monte_carlo_error
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        return roles | {name: values.tolist() for name, values in numbers.items()}

    def _report(self) -> Report:
        omnibus = self.omnibus
        degrees = "" if omnibus.df is None else f"df {omnibus.df:g}, "
        p = format_pvalue(omnibus.pvalue)
        facts = {
            f"{omnibus.test} ({omnibus.method})": (
                f"statistic {omnibus.statistic:.4g}, {degrees}p {p}"
            )
        }
        remarks = [*self._contradiction()]
        notes = [Note("note", remark, "") for remark in remarks]
        notes += [Note("flag", caveat, "flag ") for caveat in self.caveats]
        return Report(
            headline=f"{self.title}, {self.alternative}, n = {self.n}, p adjusted by "
            f"{self.adjust}, intervals at {100 * self.interval_level:.6g} %",
            facts=facts,
            tables=[self._table()],
            notes=notes,
            remarks={"": [*remarks, *self.caveats]},
            settings_title="Test of all together",
            settings=facts,
            has_verdict=False,
        )

    def _table(self) -> Table:
        roles = "champion", "challenger"
        sign = "+" if self.estimate_name == "difference" else ""
        rows = [
            (
                row["champion"],
                row["challenger"],
                f"{row['estimate']:{sign}.4f}",
                f"[{row['low']:.4f}, {row['high']:.4f}]",
                format_pvalue(row["pvalue"]),
                format_pvalue(row["adjusted_pvalue"]),
            )
            for row in self.to_dict()["pairs"]
        ]
        header = [*roles, self.estimate_name, "interval", "p", "adjusted p"]
        return Table(header, rows, roles, named_by="challenger")

    def _contradiction(self) -> Iterator[str]:
        """Yield a remark if the omnibus test rejects but no pair does."""
        alpha = 1 - self.confidence_level
        if self.omnibus.pvalue < alpha and not (self.adjusted_pvalue < alpha).any():
            yield (
                f"{self.omnibus.test} rejects that all are equal at {alpha:.3g}, but no "
                "pair differs after the adjustment: some classifiers differ, and these "
                "records do not show which."
            )


def _restored(values: dict[str, Any]) -> PairwiseResult:
    return PairwiseResult(**values)


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
