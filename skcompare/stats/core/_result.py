"""Result of a test: statistic, p-value, estimate and confidence interval."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue, inference_text
from skcompare._core.validation import alpha_of, check_confidence_level, is_number
from skcompare._io.columns import frame_from_columns
from skcompare._typing import Inference
from skcompare.stats.core._tails import reference_pvalue

ROUNDING = 1e-9
"""Distance from the null value within which the p-value decides the side of a limit.

As a share of the distance between limit and estimate plus 1 / n.
"""

Tested = tuple[float, tuple[float, float], tuple[str, ...]]
"""Statistic, p-value with its logarithm, and flags."""

UNDEFINED = (math.nan, math.nan)
"""An undefined p-value and its logarithm."""

LEVEL_ROUNDING = 1e-9
"""Difference up to which confidence levels are equal."""


class ConfidenceInterval(NamedTuple):
    """Lower and upper confidence limits."""

    low: float
    high: float


class Flagged:
    """Base class of results with flags, which are explained in full by caveats."""

    __slots__ = ()

    flags: tuple[str, ...]

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags."""
        return explain(self.flags)


@dataclass(frozen=True, slots=True)
class StoredLimits:
    """Confidence limits of a stored result, at one confidence level only."""

    confidence_level: float
    low: float
    high: float

    def __call__(self, confidence_level: float, alternative: str) -> tuple[float, float]:
        if abs(confidence_level - self.confidence_level) > LEVEL_ROUNDING:
            raise ValueError(
                f"This result was stored with its {self.confidence_level:g} interval. Got "
                f"confidence_level={confidence_level!r}. Run the test again for another "
                "level."
            )
        return self.low, self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult(Flagged):
    """Result of a test of two classifiers; unpacks to `(statistic, pvalue)`.

    Attributes
    ----------
    statistic, pvalue, log_pvalue : float
        The natural logarithm stays exact where the p-value is below the smallest
        double.
    df : float or None
        Degrees of freedom.
    estimate : float
        Positive favours the challenger.
    estimate_name : str
        Name of the estimate.
    champion, challenger : float or None
        The measure for each role; None where the test compares no number of each role.
    alternative : {"two-sided", "less", "greater"}
        "greater" means that the challenger is better.
    method : str
        How the p-value was computed.
    n : float
        Number of records.
    flags : tuple of str
        Codes of caveats; `caveats` explains them.
    details : mapping of str to float
        Further numbers, such as the discordant counts.
    parts : tuple of mappings
        Components of the result, such as the pairs of classes of a test of symmetry, the
        one that contributes most first; plain values under the same names.
    remark : str
        Verbal description of the estimate, on the scale of its source, where there is one.
    greater_is_better : bool
        False where `champion` and `challenger` are losses; `estimate` is a gain then.
    test, inference, design : str
        The registered name of the test, whether it is about two trained "models", two
        learning "algorithms" or two "recipes" of training, and how the evidence was
        collected.

    Notes
    -----
    A registered test leaves `alternative`, `n`, `null_value`, `test`, `inference` and
    `design` out: they follow from how it is called.
    """

    statistic: float
    pvalue: float
    log_pvalue: float
    df: float | None = None
    estimate: float
    estimate_name: str
    champion: float | None = None
    challenger: float | None = None
    alternative: str = "two-sided"
    method: str
    n: float = math.nan
    limits: Callable[[float, str], tuple[float, float]] | None = field(
        default=None, repr=False
    )
    null_value: float = 0.0
    flags: tuple[str, ...] = ()
    details: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[Mapping[str, Any], ...] = ()
    remark: str = ""
    greater_is_better: bool = True
    test: str = ""
    inference: Inference = "models"
    design: str = ""

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    @property
    def degenerate(self) -> bool:
        """Whether the data had no difference and no variation to test."""
        return "degenerate" in self.flags

    @property
    def has_interval(self) -> bool:
        """Whether the estimate has a confidence interval."""
        return self.limits is not None

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Compute the confidence interval of the estimate.

        For levels of at least 1/2 the null value lies outside exactly when the p-value
        is below 1 - `confidence_level`, unless an interval was chosen that does not go
        with the p-value. A one-sided test has a one-sided interval.

        Raises
        ------
        ValueError
            If the estimate has no interval, as for tests of symmetry; see
            `has_interval`.
        """
        level = check_confidence_level(confidence_level)
        if self.limits is None:
            raise ValueError(
                f"{self.test or 'This test'} has no interval of its estimate "
                f"({self.estimate_name}). Look at `parts` and `details`."
            )
        limits, null = self.limits(level, self.alternative), self.null_value
        rejected = self.pvalue < alpha_of(level)
        if math.isnan(self.pvalue) or (rejected and self.estimate == null):
            return ConfidenceInterval(*limits)
        agreed = agreeing(*limits, null, rejected, rejected and self.estimate > null)
        return ConfidenceInterval(*map(self._without_rounding, limits, agreed))

    def _without_rounding(self, limit: float, agreed: float) -> float:
        """Return the limit that agrees with the p-value if it equals the null value."""
        if limit == agreed:
            return limit
        distance = abs(limit - self.estimate)
        size = (distance if math.isfinite(distance) else 0.0) + 1 / self.n
        return agreed if abs(limit - self.null_value) <= ROUNDING * size else limit

    def to_dict(self, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return the result as plain values, with the interval at one confidence level."""
        limits = self.confidence_interval(confidence_level) if self.has_interval else None
        low, high = limits or (None, None)
        values = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        return values | {
            "flags": list(self.flags),
            "details": dict(self.details),
            "parts": [dict(part) for part in self.parts],
            "confidence_level": confidence_level,
            "low": low,
            "high": high,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "PairedResult":
        """Restore a result from the output of :meth:`to_dict`, with one interval only."""
        has_interval = values["low"] is not None
        stored = StoredLimits(values["confidence_level"], values["low"], values["high"])
        plain = {name: values[name] for name in _PLAIN_FIELDS}
        return cls(
            **plain,
            limits=stored if has_interval else None,
            flags=tuple(values["flags"]),
            details=dict(values["details"]),
            parts=tuple(dict(part) for part in values["parts"]),
        )

    def to_frame(self, backend: str = "pandas", confidence_level: float = 0.95) -> Any:
        """Return the result as a data frame with one row."""
        values = self.to_dict(confidence_level)
        values["flags"] = " ".join(values["flags"])
        del values["details"], values["parts"]
        return frame_from_columns(
            {name: [value] for name, value in values.items()}, backend
        )

    def __str__(self) -> str:
        sign = "+" if self.estimate_name.startswith(("difference", "gain")) else ""
        estimate = f"{self.estimate_name} {self.estimate:{sign}.4f}"
        if self.limits is not None:
            low, high = self.confidence_interval()
            estimate += f", 95 % interval [{low:.4f}, {high:.4f}]"
        degrees = "" if self.df is None else f", df {self.df:g}"
        lines = [
            f"{self.test or 'test'} ({self.method}), {self.alternative}, n = {self.n:g}",
            *self._role_lines(),
            estimate,
            *([self.remark] if self.remark else []),
            f"statistic {self.statistic:.4g}{degrees}, p {format_pvalue(self.pvalue)}"
            f"{self._null_text()}",
            f"about {inference_text(self.inference, self.design)}",
        ]
        return "\n".join(lines + [f"flag {caveat}" for caveat in self.caveats])

    def with_fields(self, **values: Any) -> "PairedResult":
        """Return a copy with other values of some fields.

        Unlike ``dataclasses.replace`` it leaves an estimate that was not read yet to be
        computed when it is.
        """
        copy = object.__new__(type(self))
        for name, slot in _SLOTS.items():
            slot.__set__(copy, values[name] if name in values else slot.__get__(self))
        return copy

    def _null_text(self) -> str:
        """Text of the null value; empty for the null value of two equal classifiers."""
        if self.null_value == ("ratio" in self.estimate_name.split()):
            return ""
        return f" for a null value of {self.null_value:g}"

    def _role_lines(self) -> list[str]:
        if self.champion is None or self.challenger is None:
            return []
        return [f"champion {self.champion:.4f}, challenger {self.challenger:.4f}"]


class _WhenRead:
    """A slot whose value may be a function that computes it when it is first read."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, result: Any, owner: type) -> Any:
        if result is None:
            return self
        value = self.slot.__get__(result)
        if callable(value):
            value = value()
            self.slot.__set__(result, value)
        return value

    def __set__(self, result: Any, value: Any) -> None:
        self.slot.__set__(result, value)


_SLOTS: dict[str, Any] = {
    each.name: vars(PairedResult)[each.name] for each in fields(PairedResult)
}
PairedResult.estimate = _WhenRead(_SLOTS["estimate"])  # type: ignore[assignment, misc]


def agreeing(
    low: float, high: float, null: float, rejected: bool, above: bool
) -> tuple[float, float]:
    """Move limits as little as possible so that they leave out a rejected null value.

    `above` says on which side of it the estimate is. Otherwise they hold it.
    """
    if not rejected:
        return min(low, null), max(high, null)
    if above:
        return max(low, math.nextafter(null, math.inf)), high
    return low, min(high, math.nextafter(null, -math.inf))


def check_null(
    null_value: object, bound: float = 1.0, *, what: str, margin: float = 0.05
) -> float:
    """Check the value of an estimate under the null hypothesis, and return it as a float.

    Parameters
    ----------
    null_value : object
        A number that must be between -`bound` and `bound`, both excluded.
    bound : float, default=1.0
        Largest value of the estimate.
    what : str
        Name of the estimate with an article.
    margin : float, default=0.05
        Margin of the example in the message.
    """
    if is_number(null_value) and abs(null_value) < bound:
        return float(null_value)
    raise ValueError(
        f"`null_value` must be {what} between -{bound:g} and {bound:g}. Got "
        f"{null_value!r} instead. A margin of {margin} is null_value=-{margin} with "
        "alternative='greater'."
    )


def check_ratio(null_value: object) -> float:
    """Validate the ratio under the null hypothesis and return it as a float."""
    if is_number(null_value) and 0 < null_value < math.inf:
        return float(null_value)
    raise ValueError(
        f"`null_value` of a ratio must be a number above 0. Got {null_value!r} instead. 1 "
        "means no difference."
    )


def pvalue_of(
    statistic: float, df: float | None, alternative: str, *, degenerate: bool = False
) -> tuple[float, float]:
    """P-value of t (or a normal statistic), with its logarithm.

    1 for degenerate data, and undefined without a finite statistic.
    """
    if degenerate:
        return 1.0, 0.0
    return (
        reference_pvalue(statistic, df, alternative)
        if math.isfinite(statistic)
        else UNDEFINED
    )


def tested_result(
    tested: Tested,
    *,
    roles: Sequence[float] | None = None,
    flags: tuple[str, ...] = (),
    **fields: Any,
) -> PairedResult:
    """Result of a test with its own flags, further ones, and the measure for each role.

    Other fields are those of the result.
    """
    statistic, (pvalue, log_pvalue), own_flags = tested
    champion, challenger = (None, None) if roles is None else roles
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        champion=champion,
        challenger=challenger,
        flags=tuple(dict.fromkeys((*own_flags, *flags))),
        **fields,
    )


_PLAIN_FIELDS = (
    "test",
    "method",
    "statistic",
    "df",
    "pvalue",
    "log_pvalue",
    "alternative",
    "estimate",
    "estimate_name",
    "null_value",
    "champion",
    "challenger",
    "n",
    "remark",
    "greater_is_better",
    "inference",
    "design",
)


FEW_GROUPS = 10
"""Number of groups below which a result is flagged."""


def few_groups(n_groups: int) -> tuple[str, ...]:
    """Flag for few groups."""
    return ("few-groups",) * (n_groups < FEW_GROUPS)
