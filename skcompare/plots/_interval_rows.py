"""Estimates with intervals, a row each, as pictures of them need."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skcompare._registry.metrics import metrics
from skcompare.stats._measure_ranges import range_of

SHARES = ""
"""The unit of differences of scores and losses with a bound, which share an axis."""

BOUNDED = ("sensitivity_at_specificity", "specificity_at_sensitivity")
"""Shares that no test asks for the range of."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """An estimate with its interval and p-values.

    `unit` names the axis that it is drawn on, `excluded` has the parts of the axis that a
    claim says the estimate is not in, `claim` its words, and `band` is how far from no
    difference it does not matter. `short` is a name that fits already. One-sided intervals
    have an `alternative`; the limit that they do not have is not drawn.
    """

    name: str
    test: str | None
    estimate: float
    low: float | None = None
    high: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    alternative: str = "two-sided"
    level: float | None = None
    unit: str = SHARES
    primary: bool = False
    flags: tuple[str, ...] = ()
    note: str = ""
    measure: str = ""
    champion: float | None = None
    challenger: float | None = None
    excluded: tuple[tuple[float, float], ...] = ()
    claim: str = ""
    band: float | None = None
    short: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper limit; infinite where there is none, NaN without interval."""
        if self.low is None or self.high is None:
            return math.nan, math.nan
        low = -math.inf if self.alternative == "less" else self.low
        high = math.inf if self.alternative == "greater" else self.high
        return low, high

    @property
    def has_interval(self) -> bool:
        """Whether there is a limit to draw."""
        return any(math.isfinite(limit) for limit in self.limits) or (
            self.limits == (-math.inf, math.inf)
        )


def unit_of(measure: str, greater_is_better: bool) -> str:
    """The axis that differences of a measure belong on.

    Shares and losses with a bound have one together, and every other measure its own.
    """
    name = measure.partition("[")[0]
    least, most = range_of(name)
    own = metrics().get(name.removeprefix("neg_"))
    known = name in BOUNDED or (own is not None and name.endswith("calibration_error"))
    if known or math.isfinite(most - least):
        return SHARES
    return measure if greater_is_better else f"gain in {measure}"


def subject_of(measure: str, label: Any) -> str:
    """The measure, with the class in brackets where it is about one."""
    return measure if label is None else f"{measure}[{label}]"


def columns_of(rows: Iterable[IntervalRow], names: Sequence[str]) -> Mapping[str, Any]:
    """Fields of the rows by column; flags as words in a line."""
    rows = list(rows)
    return {
        name: [
            " ".join(value) if name == "flags" else value
            for value in (getattr(row, name) for row in rows)
        ]
        for name in names
    }
