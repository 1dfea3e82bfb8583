"""Tests of all pairs of several classifiers: adjustment, result and groups of equals."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from itertools import chain
from string import ascii_lowercase
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_random_state

from skcompare._core.design import Design
from skcompare._core.formatting import format_pvalue
from skcompare._core.report import Note, Report, Reported, Table
from skcompare._core.validation import (
    alpha_of,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._io.columns import frame_from_columns
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._adjust import Adjustment, adjust_pvalues
from skcompare.stats.core._limits import Pair, interval_level, normal_critical
from skcompare.stats.core._result import Flagged, PairedResult

SETTINGS = ("adjust", "alternative", "control", "confidence_level", "interval_level", "n")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PairwiseResult(Reported, Flagged):
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
        return partial(PairwiseResult, **values), ()

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
        names = "statistic", "pvalue", "adjusted_pvalue", "low", "high"
        numbers = {"estimate": self.estimate, **self.details}
        numbers |= {name: getattr(self, name) for name in names}
        if self.monte_carlo_error is not None:
            numbers["monte_carlo_error"] = self.monte_carlo_error
        roles = {"champion": list(self.champion), "challenger": list(self.challenger)}
        return roles | {name: values.tolist() for name, values in numbers.items()}

    def _report(self) -> Report:
        omnibus = self.omnibus
        degrees = "" if omnibus.df is None else f"df {omnibus.df:g}, "
        fact = (
            f"statistic {omnibus.statistic:.4g}, {degrees}p {format_pvalue(omnibus.pvalue)}"
        )
        facts = {f"{omnibus.test} ({omnibus.method})": fact}
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


PairwiseAdjustment = Literal[Adjustment, "max-t"]

SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""


Pairs = tuple[IntArray, IntArray]
"""Positions of the champion and the challenger of each pair."""


class Draws(NamedTuple):
    """Statistics of pairs that are observed, and drawn as if no classifier was better.

    Attributes
    ----------
    observed : ndarray of shape (n_pairs,)
        Signed roots, positive for the challenger; NaN where undefined.
    batches : iterable of ndarray of shape (n_pairs, some of the draws)
        Statistics that are drawn together.
    flags : tuple of str
        Caveats of the draws.
    """

    observed: FloatArray
    batches: Iterable[FloatArray]
    flags: tuple[str, ...] = ()


class PairTests(NamedTuple):
    """Tests of pairs before any adjustment.

    Attributes
    ----------
    fields : dict
        Fields of the result: those of the test, and arrays with a value for each pair.
    limits : callable
        `limits(level)`, or `limits(level, critical=...)` if adjusted in a single step,
        returns the limits of each pair.
    draws : callable
        `draws(n, rng)` returns the :class:`Draws` of "max-t".
    in_steps : bool
        Whether "max-t" is step-down. In a single step p-values go with the intervals.
    """

    fields: dict[str, Any]
    limits: Callable[..., Sequence[Pair]]
    draws: Callable[[int, Any], Draws]
    in_steps: bool = True


class Family(NamedTuple):
    """Options that the tests of all pairs share."""

    adjust: str
    control: str | None
    alternative: str
    confidence_level: float
    n_resamples: int
    random_state: Any


def pairwise(
    evidence: Any, tests_of: Callable[[Pairs], PairTests], family: Family
) -> PairwiseResult:
    """Test pairs of classifiers and adjust the p-values and intervals.

    `evidence` has the names of several classifiers. `tests_of` runs the tests of pairs,
    from the positions of the champion and the challenger of each.
    """
    adjust, control, alternative, level, n_resamples, random_state = family
    level = check_confidence_level(level)
    n_resamples = check_count("n_resamples", n_resamples)
    champion, challenger = pairs = pairs_of(evidence.names, control, alternative)
    tests = tests_of(pairs)
    each_level = interval_level(level, adjust, len(champion))
    pvalue, limits = tests.fields["pvalue"], tests.limits
    flags, error = tests.fields["flags"], None
    if adjust == "max-t":
        draws = tests.draws(n_resamples, check_random_state(random_state))
        n_draws, flags = n_resamples, (*flags, *draws.flags)
        if tests.in_steps:
            adjusted = step_down(draws, alternative)
        else:
            share = alpha_of(level)
            adjusted, critical, n_draws = single_step(draws, alternative, share)
            # The limits are no nearer than without adjustment.
            critical = max(critical, normal_critical(share, alternative))
            limits = partial(limits, critical=critical)
            each_level = 1 - (2 if alternative == "two-sided" else 1) * float(
                ndtr(-critical)
            )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_draws))
        # No smaller than without adjustment.
        adjusted = np.where(np.isnan(pvalue), np.nan, np.fmax(adjusted, pvalue))
    else:
        adjusted = adjust_pvalues(pvalue, adjust)
    names = np.array(evidence.names, dtype=object)
    return PairwiseResult(
        **{"estimate_name": "difference", "details": {}, "settings": {}}
        | tests.fields
        | {
            "champion": tuple(names[champion]),
            "challenger": tuple(names[challenger]),
            "adjusted_pvalue": adjusted,
            "limits": partial(_both_sides, limits),
            "flags": flags,
        },
        n=evidence.n,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=level,
        interval_level=each_level,
        design=evidence.design,
        monte_carlo_error=error,
    )


def _both_sides(
    limits: Callable[[float], Sequence[Pair]], level: float
) -> tuple[FloatArray, FloatArray]:
    low, high = np.array(limits(level)).T.copy()
    return low, high


def flags_of(pairs: Iterable[Iterable[str]], omnibus: PairedResult) -> tuple[str, ...]:
    """Distinct flags of all pairs and of the test of all together, but for degeneracy."""
    flags = dict.fromkeys([*chain.from_iterable(pairs), *omnibus.flags])
    return tuple(flag for flag in flags if flag != "degenerate")


def pairs_of(names: Sequence[str], control: str | None, alternative: str) -> Pairs:
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
def _all_pairs(k: int) -> Pairs:
    first, second = np.triu_indices(k, 1)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second


def step_down(draws: Draws, alternative: str) -> FloatArray:
    """Adjust p-values by Westfall and Young's step-down max-T.

    Each statistic is compared with the greatest of all that are not yet rejected. Draws
    as extreme count, with the observed statistics themselves as one draw. One-sided, each
    draw counts with its opposite, so that exchanged roles give exactly the opposite.
    """
    observed, two_sided = _directed(draws.observed, alternative), alternative == "two-sided"
    order = np.argsort(-observed, kind="stable")
    bars = _bars(observed)[order]
    extreme, n_draws = np.ones(len(order)), 0
    if not two_sided:
        extreme += _at_least(-observed[order][:, np.newaxis], bars)
    for batch in draws.batches:
        drawn = _directed(batch, alternative)[order]
        n_draws += drawn.shape[1]
        extreme += _at_least(drawn, bars)
        if not two_sided:
            extreme += _at_least(-drawn, bars)
    adjusted = np.empty(len(order))
    n_signs = 1 if two_sided else 2
    adjusted[order] = np.maximum.accumulate(extreme / (n_signs * (n_draws + 1)))
    return np.where(np.isnan(draws.observed), np.nan, np.minimum(adjusted, 1.0))


def single_step(
    draws: Draws, alternative: str, share: float
) -> tuple[FloatArray, float, int]:
    """Adjust p-values by the greatest of all statistics.

    Returns
    -------
    adjusted : ndarray of shape (n_pairs,)
        Adjusted p-values.
    critical : float
        Critical value at the level `share`, which goes with them.
    n_draws : int
        Number of draws, twice as many one-sided because each counts with its opposite.
    """
    batches = list(draws.batches)
    if alternative != "two-sided":
        batches += [-batch for batch in batches]
    greatest = [_directed(batch, alternative).max(axis=0) for batch in batches]
    ordered = np.sort(np.concatenate(greatest))
    bars = _bars(_directed(draws.observed, alternative))
    beyond = len(ordered) - np.searchsorted(ordered, bars, side="left")
    adjusted = (1 + beyond) / (1 + len(ordered))
    # Largest number of draws that may be as great for a p-value below the level.
    allowed = math.ceil(share * (1 + len(ordered)) - SLACK) - 2
    critical = float(ordered[-1 - allowed]) if allowed >= 0 else math.inf
    return adjusted, critical, len(ordered)


def _directed(values: FloatArray, alternative: str) -> FloatArray:
    """Statistics of which large ones are significant; undefined ones are least."""
    directed = -values if alternative == "less" else values
    if alternative == "two-sided":
        directed = np.abs(directed)
    return np.where(np.isnan(directed), -np.inf, directed)


def _bars(observed: FloatArray) -> FloatArray:
    """Statistics from which on a drawn one is as extreme."""
    size = np.where(np.isfinite(observed), np.abs(observed), 0)
    return observed - SLACK * np.maximum(1, size)


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Count draws in which the running maximum of each statistic reaches its threshold."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars[:, np.newaxis], axis=1)


def normal_draws(
    covariance: FloatArray | IntArray, names: Sequence[str], size: int, rng: Any
) -> FloatArray:
    """Draw normal values of each classifier, of shape (n_classifiers, size).

    By name, so that the order of the classifiers changes no draw.
    """
    by_name = np.argsort(names)
    values, vectors = np.linalg.eigh(covariance[np.ix_(by_name, by_name)].astype(float))
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((len(root), size))
    drawn[by_name] = (rng.standard_normal((size, len(root))) @ root).T
    return drawn


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
