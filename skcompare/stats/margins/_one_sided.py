"""One-sided tests of a difference at a margin."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from skcompare._core.flags import explain
from skcompare._core.validation import check_alpha, check_choice, is_number
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.stats.core._result import PairedResult
from skcompare.stats.margins._influence import InfluenceMoments, influence_moments
from skcompare.stats.margins._skewness import SkewnessAdjusted, skewness_adjusted
from skcompare.stats.margins._zero_variation import (
    ConstantDifferences,
    constant_differences,
    has_zero_variation,
    rare_errors,
)

SMALLEST = 1e-15
"""Smallest p-value from an interval, whose level is a double below 1."""
UNDERMINED = ("decided-by-few-records",)
"""Flags of tests whose p-value cannot be trusted."""
HALF = 0.5
"""Largest p-value with which intervals agree."""
STEPS = 60
SIDES = ("greater", "less")


class MarginTest:
    """Registered test bound to its evidence, with cached results.

    Parameters
    ----------
    evidence : object
        The evidence that the test needs.
    entry : PairedTestEntry
        The test.
    options : mapping, default={}
        Options of the test.
    bound : float or None, default=None
        Largest possible difference of one record, where its loss declares none.
    """

    def __init__(
        self,
        evidence: Any,
        entry: PairedTestEntry,
        options: Mapping[str, Any] = MappingProxyType({}),
        bound: float | None = None,
    ) -> None:
        self.evidence, self.entry, self.bound = evidence, entry, bound
        self.options = dict(options)
        self._results: dict[Any, PairedResult] = {}

    def run(self, **options: Any) -> PairedResult:
        """Return the result with additional options, cached after the first run."""
        key = tuple(sorted(options.items()))
        if key not in self._results:
            self._results[key] = self.compute(**{**self.options, **options})
        return self._results[key]

    def compute(self, **options: Any) -> PairedResult:
        """Run the test with all of its options."""
        result: PairedResult = self.entry.function(self.evidence, **options)
        return result

    def result_at(self, null_value: float, alternative: str) -> PairedResult:
        """Return the result at a null value, or one whose interval can be inverted there.

        The interval of a result has both directions, so that a test which takes long runs
        once for all null values but that of equal classifiers.
        """
        if "null_value" in self.entry.options:
            return self.run(alternative=alternative, null_value=null_value)
        if null_value == 0 or not self._results:
            return self.run(alternative=alternative)
        return replace(next(iter(self._results.values())), alternative=alternative)

    @cached_property
    def moments(self) -> InfluenceMoments | None:
        """Moments of the difference, from the influence of each unit."""
        return influence_moments(self.evidence, **self.options)


class MarginResult(NamedTuple):
    """Result of a one-sided test of whether a difference is beyond a margin.

    Attributes
    ----------
    null_value : float
        Difference at the margin, challenger minus champion.
    alternative : {"greater", "less"}
        Side of the margin on which the difference is to be shown.
    pvalue : float
        P-value of the null hypothesis that the difference is on the other side or at the
        margin; NaN where it is undefined, with a `reason`.
    limit : float
        One-sided confidence limit of the difference: it is beyond the margin exactly when
        the p-value is below the level. Infinite where nothing is excluded.
    result : PairedResult
        Result of the registered test alone.
    basis : ConstantDifferences, SkewnessAdjusted or None
        Source of p-value and limit, where that is not the registered test alone.
    reason : str
        Reason why the p-value is undefined; empty where it is defined.
    rare_errors : ConstantDifferences or None
        Bound of p-value and limit for rare errors that may be in no record.
    """

    null_value: float
    alternative: str
    pvalue: float
    limit: float
    result: PairedResult
    basis: ConstantDifferences | SkewnessAdjusted | None = None
    reason: str = ""
    rare_errors: ConstantDifferences | None = None

    @property
    def sign(self) -> int:
        """1 if the difference is to be shown to be above the margin, and -1 if below."""
        return 1 if self.alternative == "greater" else -1

    @property
    def distance(self) -> float:
        """Distance of the difference from the margin; positive on the required side."""
        return self.sign * (self.result.estimate - self.null_value)

    def _undefined(self, reason: str, **changes: Any) -> "MarginResult":
        """Return the result without a p-value and a limit, for a reason."""
        changes |= {"pvalue": math.nan, "limit": -self.sign * math.inf}
        return self._replace(reason=reason, **changes)


def margin_test(
    evidence: Any,
    test: str,
    null_value: float = 0.0,
    *,
    alternative: str = "greater",
    alpha: float = 0.05,
    bound: float | None = None,
    **options: Any,
) -> MarginResult:
    """Test one-sidedly whether a difference is beyond a margin.

    The null hypothesis is that the difference, challenger minus champion, is at the margin
    or on its other side. With a `null_value` of -0.02 and the alternative "greater" this is
    the test of noninferiority with a margin of 0.02; with 0, of superiority.

    The p-value is that of a registered test, or the smallest level at which its one-sided
    interval excludes the margin. Tests of means and of scores with standard errors are
    joined by two others, and the largest p-value counts: one that allows for skewness
    (:class:`SkewnessAdjusted`), and one that allows for rare errors that no record shows
    (:class:`ConstantDifferences`). A :class:`~skcompare.gate.Gate` decides by this test.

    Parameters
    ----------
    evidence : object
        The evidence that the test needs.
    test : str
        Name of a registered test of a difference.
    null_value : float, default=0.0
        Difference at the margin.
    alternative : {"greater", "less"}, default="greater"
        Side of the margin on which the difference is to be shown.
    alpha : float, default=0.05
        Level of the limit; 1 - alpha is its confidence level.
    bound : float or None, default=None
        Largest possible difference of one record, for losses that declare no bound.
    **options
        Options of the test, such as `method`.

    Returns
    -------
    result : MarginResult
        `pvalue`, `limit` and, where p is undefined, the `reason`.

    Raises
    ------
    ValueError
        If the test is not of a difference, or an option is out of its range.
    TypeError
        If the test needs other evidence.

    Notes
    -----
    Fewer than 30 records, or 20 of a class or groups, have no p-value from a standard
    error, whatever they show. Where nothing varies in the records, an exact bound takes the
    place of the standard error if one is known, and p is undefined otherwise.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import margin_test
    >>> table = ContingencyTable(160, 9, 11, 20)
    >>> result = margin_test(table, "mcnemar", -0.05, method="exact-unconditional")
    >>> print(f"p = {result.pvalue:.4f}, at least {result.limit:.4f}")
    p = 0.0073, at least -0.0293
    """
    entry = get_test(test)
    if entry.kind != "difference" or "alternative" not in entry.options:
        raise ValueError(
            "A margin needs a test of kind difference with an alternative. Got "
            f"{test!r} of kind {entry.kind}. Choose another one of `skcompare list-tests`, "
            "such as mcnemar."
        )
    if not (is_number(null_value) and math.isfinite(null_value)):
        raise ValueError(
            f"null_value must be a finite difference. Got {null_value!r}. It is minus the "
            "margin for noninferiority, and 0 for superiority."
        )
    check_choice("alternative", alternative, SIDES)
    check_alpha(alpha)
    prepared = MarginTest(evidence, entry, options, bound)
    return margin_result(prepared, null_value, alternative, alpha)


def margin_result(
    test: MarginTest, null_value: float, alternative: str, alpha: float
) -> MarginResult:
    """Run a prepared test at a margin, as :func:`margin_test` does."""
    result = test.result_at(null_value, alternative)
    low, high = result.confidence_interval(1 - alpha)
    limit = low if alternative == "greater" else high
    side = MarginResult(null_value, alternative, result.pvalue, limit, result)
    if has_zero_variation(result, limit):
        basis = constant_differences(test.evidence, test.bound)
        return _without_variation(side, basis, alpha)
    if undermined := [flag for flag in result.flags if flag in UNDERMINED]:
        return side._undefined(explain(undermined)[0])
    if null_value != result.null_value and not math.isnan(side.pvalue):
        side = side._replace(pvalue=_inverted(result, null_value, alternative, alpha))
    adjusted = skewness_adjusted(test.entry.name, test.moments, result)
    if adjusted is not None:
        rare = rare_errors(test.evidence, result.estimate, test.bound)
        side = _adjusted(side, adjusted, rare, alpha)
    return _agreeing(side, alpha)


def _without_variation(
    side: MarginResult, basis: ConstantDifferences | None, alpha: float
) -> MarginResult:
    """Return the result of records without variation: by an exact bound, or undefined."""
    if basis is None:
        if side.null_value == side.result.null_value == side.result.estimate:
            return side._replace(pvalue=1.0, limit=-side.sign * math.inf)
        return side._undefined(
            "nothing varies in these records, so that they do not say how much other "
            "records could"
        )
    pvalue = basis.pvalue(side.null_value, side.alternative)
    limit = basis.limit(alpha, side.alternative)
    return _agreeing(side._replace(pvalue=pvalue, limit=limit, basis=basis), alpha)


def _adjusted(
    side: MarginResult,
    adjusted: SkewnessAdjusted,
    rare: ConstantDifferences | None,
    alpha: float,
) -> MarginResult:
    """Return the result with the largest p-value and the widest limit of all tests."""
    if reason := adjusted.too_few():
        return side._undefined(reason, basis=adjusted)
    wider = min if side.alternative == "greater" else max
    pvalue, limit = side.pvalue, side.limit
    for other in (adjusted, rare):
        if other is None:
            continue
        limit = wider(limit, other.limit(alpha, side.alternative))
        # NaN stays NaN.
        if not math.isnan(pvalue):
            pvalue = max(pvalue, other.pvalue(side.null_value, side.alternative))
    return side._replace(pvalue=pvalue, limit=limit, basis=adjusted, rare_errors=rare)


def _agreeing(side: MarginResult, alpha: float) -> MarginResult:
    """Make the p-value and the limit of a result agree despite rounding.

    Where they disagree, the test does not pass.
    """
    if math.isnan(side.pvalue):
        return side._undefined(
            side.reason or f"the p-value of {side.result.test} is undefined"
        )
    pvalue = min(1.0, max(side.pvalue, math.ulp(0.0)))
    beyond = side.sign * side.limit > side.sign * side.null_value
    if pvalue < alpha and not beyond:
        return side._replace(pvalue=alpha)
    if beyond and not pvalue < alpha:
        return side._replace(pvalue=pvalue, limit=side.null_value)
    return side._replace(pvalue=pvalue)


def _inverted(
    result: PairedResult, null_value: float, alternative: str, alpha: float
) -> float:
    """P-value by inversion: smallest level at which the interval excludes the null value.

    Above 1/2 intervals need not go with p-values, so that such a p-value counts as 1.
    """
    if result.estimate == null_value or (result.estimate > null_value) != (
        alternative == "greater"
    ):
        return 1.0
    excludes = _excludes(result, null_value, alternative)
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
    result: PairedResult, null_value: float, alternative: str
) -> Callable[[float], bool]:
    def excludes(level: float) -> bool:
        low, high = result.confidence_interval(1 - level)
        return low > null_value if alternative == "greater" else high < null_value

    return excludes
