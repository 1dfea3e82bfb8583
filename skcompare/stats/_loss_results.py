"""What tests of mean losses have in common: edge cases, words, numbers of records."""

import math
from typing import Any

import numpy as np

from skcompare._registry.losses import record_losses
from skcompare._typing import FloatArray
from skcompare.evidence import PairedLosses
from skcompare.stats._result import PairedResult
from skcompare.stats._sample_size import records_at
from skcompare.stats._student import student_pvalue

ZERO_VARIANCE = "zero-variance"

Tested = tuple[float, tuple[float, float], tuple[str, ...]]


def check_records(losses: PairedLosses, test: str, least: int = 2) -> None:
    """Refuse too few records."""
    if losses.n < least:
        raise ValueError(
            f"{test} needs at least {least} records. Got {losses.n}. One record says "
            "nothing of how others vary: collect more."
        )


def studentised(losses: PairedLosses, error: float, df: float, alternative: str) -> Tested:
    """The gain over its standard error, p-value with logarithm, and flags."""
    if error > 0:
        statistic = losses.gain / error
        return statistic, student_pvalue(statistic, df, alternative), ()
    if losses.moments.no_gain:
        return 0.0, (1.0, 0.0), ("degenerate",)
    return math.copysign(math.inf, losses.gain), (math.nan, math.nan), (ZERO_VARIANCE,)


def without_noise(values: FloatArray, noise: FloatArray | float) -> FloatArray:
    """The values, or zeros where each of them is nothing but rounding."""
    return np.zeros_like(values) if (np.abs(values) <= noise).all() else values


def loss_result(
    losses: PairedLosses, statistic: float, tail: tuple[float, float], **words: Any
) -> PairedResult:
    """The result of a test of two mean losses."""
    champion, challenger = losses.means
    flags = words.pop("flags", ())
    return PairedResult(
        statistic=statistic,
        pvalue=tail[0],
        log_pvalue=tail[1],
        estimate=losses.gain,
        estimate_name=f"gain in mean {_in_words(losses.loss)}",
        champion=champion,
        challenger=challenger,
        greater_is_better=False,
        n=losses.n,
        flags=(*flags, *losses.flags),
        **words,
    )


def _in_words(loss: str) -> str:
    """A loss by its title, with its options."""
    name, bracket, options = loss.partition("(")
    entry = record_losses().get(name)
    if entry is not None:
        return f"{entry.title} {bracket}{options}".rstrip()
    if loss == "losses":
        return "loss"
    return loss if loss.endswith(("loss", "cost", "error")) else f"{loss} loss"


def records_needed(
    losses: PairedLosses, error: float, alpha: float, power: float, alternative: str
) -> float:
    """Records at which a difference of the observed size is found, that vary as these."""
    return records_at(
        losses.n, losses.gain, error, alpha=alpha, power=power, alternative=alternative
    )
