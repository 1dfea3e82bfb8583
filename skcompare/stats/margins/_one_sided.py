"""One-sided tests of a boundary of the difference."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from skcompare._core.flags import explain
from skcompare.stats.core._result import PairedResult
from skcompare.stats.margins._influence import Moves, moves_of
from skcompare.stats.margins._skewness import Cautious, cautious_of
from skcompare.stats.margins._zero_variation import Still, is_still, still, unseen

SMALLEST = 1e-15
"""Smallest p-value from an interval, whose level is a double below 1."""
UNDERMINED = ("decided-by-few-records",)
"""Flags of tests whose p-value cannot be trusted."""
HALF = 0.5
"""Largest p-value with which intervals agree."""
STEPS = 60


class Once:
    """Test that runs once with the same options, however often it is called."""

    def __init__(self, test: Any) -> None:
        self.test, self.prepared = test, test.prepared
        self.takes_null_value: bool = test.takes_null_value
        self.options: dict[str, Any] = dict(test.options)
        self.bound: float | None = getattr(test, "bound", None)
        self._results: dict[Any, Any] = {}

    def run(self, **options: Any) -> PairedResult:
        """Return the result, with these options beside those of the test."""
        key = tuple(sorted(options.items()))
        if key not in self._results:
            self._results[key] = self.test.run(**options)
        result: PairedResult = self._results[key]
        return result

    def towards(self, direction: str, boundary: float) -> PairedResult:
        """Return the result about a boundary, or one whose interval can be inverted there.

        The interval of a result has both directions, so that a test which takes long runs
        once for all boundaries but that of equal classifiers.
        """
        if self.takes_null_value:
            return self.run(alternative=direction, null_value=boundary)
        if boundary == 0 or not self._results:
            return self.run(alternative=direction)
        result: PairedResult = next(iter(self._results.values()))
        return replace(result, alternative=direction)

    @cached_property
    def moves(self) -> Moves | None:
        """Spread of the difference, from the influence of each unit."""
        options = {**self.prepared.options, **self.options}
        return moves_of(self.prepared.evidence, options)

    def row(self, result: PairedResult) -> Any:
        """Row of a report that shows a result."""
        return self.test.row(result)


class Side(NamedTuple):
    """One-sided test of whether the difference is on one side of a boundary.

    Attributes
    ----------
    boundary : float
        A difference.
    direction : {"greater", "less"}
        The side.
    pvalue : float
        P-value of the null hypothesis that the difference is on the other side or at the
        boundary; NaN where it is undefined.
    limit : float
        The one-sided confidence limit of the difference: it is beyond the boundary exactly
        when the p-value is below the level. Infinite where nothing is excluded.
    result : PairedResult
        The test.
    basis : Still, Cautious or None
        Source of p-value and limit, where that is not the test alone.
    why : str
        Reason why the p-value is undefined.
    unseen : Still or None
        Bound of p-value and limit for rare errors that may be in no record.
    """

    boundary: float
    direction: str
    pvalue: float
    limit: float
    result: PairedResult
    basis: Still | Cautious | None = None
    why: str = ""
    unseen: Still | None = None


def side_of(test: Once, boundary: float, direction: str, alpha: float) -> Side:
    """Test a boundary by the test itself or by the interval that it inverts.

    A test of means that relies on many records is joined by one that allows for skewness
    and one that allows for rare errors that no record shows; the largest of their p-values
    counts. Where nothing varies in the records, which leaves no standard error, an exact
    bound takes its place or the p-value is undefined.

    Parameters
    ----------
    test : Once
        The test, ready to run.
    boundary : float
        A difference, challenger minus champion.
    direction : {"greater", "less"}
        Side of the boundary on which the difference is to be shown.
    alpha : float
        The level.
    """
    result = test.towards(direction, boundary)
    low, high = result.confidence_interval(1 - alpha)
    limit = low if direction == "greater" else high
    side = Side(boundary, direction, result.pvalue, limit, result)
    if is_still(result, limit):
        return _without_variation(side, still(test.prepared.evidence, test.bound), alpha)
    if undermined := [flag for flag in result.flags if flag in UNDERMINED]:
        why = explain(undermined)[0]
        return _agreeing(side._replace(pvalue=math.nan, why=why), alpha)
    if boundary != result.null_value and not math.isnan(side.pvalue):
        side = side._replace(pvalue=_inverted(result, boundary, direction, alpha))
    cautious = cautious_of(test.prepared.entry.name, test.moves, result)
    if cautious is not None:
        rare = unseen(test.prepared.evidence, result.estimate, test.bound)
        side = _with_caution(side, cautious, rare, alpha)
    return _agreeing(side, alpha)


def _without_variation(side: Side, basis: Still | None, alpha: float) -> Side:
    """Test of records in which nothing varies: by an exact bound, or undefined."""
    if basis is None:
        unlimited = -math.inf if side.direction == "greater" else math.inf
        equal = side.boundary == side.result.null_value == side.result.estimate
        return side._replace(
            pvalue=1.0 if equal else math.nan,
            limit=unlimited,
            why=""
            if equal
            else "nothing varies in these records, so that they do not "
            "say how much other records could",
        )
    pvalue = basis.pvalue(side.boundary, side.direction)
    limit = basis.limit(alpha, side.direction)
    return _agreeing(side._replace(pvalue=pvalue, limit=limit, basis=basis), alpha)


def _with_caution(side: Side, cautious: Cautious, rare: Still | None, alpha: float) -> Side:
    """Side with the largest p-value and the widest limit of the tests."""
    unlimited = -math.inf if side.direction == "greater" else math.inf
    if why := cautious.shortage():
        return side._replace(pvalue=math.nan, limit=unlimited, basis=cautious, why=why)
    wider = min if side.direction == "greater" else max
    pvalue, limit = side.pvalue, side.limit
    for caution in (cautious, rare):
        if caution is None:
            continue
        limit = wider(limit, caution.limit(alpha, side.direction))
        # NaN stays NaN.
        if not math.isnan(pvalue):
            pvalue = max(pvalue, caution.pvalue(side.boundary, side.direction))
    return side._replace(pvalue=pvalue, limit=limit, basis=cautious, unseen=rare)


def _agreeing(side: Side, alpha: float) -> Side:
    """Side whose p-value and limit agree, where rounding separates them.

    Where they disagree, the test does not pass.
    """
    if math.isnan(side.pvalue):
        unlimited = -math.inf if side.direction == "greater" else math.inf
        return side._replace(limit=unlimited)
    pvalue = min(1.0, max(side.pvalue, math.ulp(0.0)))
    greater = side.direction == "greater"
    beyond = side.limit > side.boundary if greater else side.limit < side.boundary
    if pvalue < alpha and not beyond:
        return side._replace(pvalue=alpha)
    if beyond and not pvalue < alpha:
        return side._replace(pvalue=pvalue, limit=side.boundary)
    return side._replace(pvalue=pvalue)


def _inverted(result: PairedResult, boundary: float, direction: str, alpha: float) -> float:
    """Smallest level at which the interval excludes the boundary.

    Above 1/2 intervals need not go with p-values, so that such a p-value counts as 1.
    """
    if result.estimate == boundary or (result.estimate > boundary) != (
        direction == "greater"
    ):
        return 1.0
    excludes = _excludes(result, boundary, direction)
    inside, outside = math.log(SMALLEST), math.log(HALF)
    if not excludes(HALF):
        return 1.0
    if excludes(SMALLEST):
        return SMALLEST
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if excludes(math.exp(middle)):
            outside = middle
        else:
            inside = middle
    pvalue = math.exp(outside)
    # The interval of the level itself decides, also where rounding would not.
    if excludes(alpha):
        return min(pvalue, math.nextafter(alpha, 0.0))
    return max(pvalue, alpha)


def _excludes(
    result: PairedResult, boundary: float, direction: str
) -> Callable[[float], bool]:
    def excludes(level: float) -> bool:
        low, high = result.confidence_interval(1 - level)
        return low > boundary if direction == "greater" else high < boundary

    return excludes
