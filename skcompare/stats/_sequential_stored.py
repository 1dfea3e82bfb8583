"""What the file of a monitor holds, and whether a stream can have left it."""

import math
from typing import Any

import numpy as np

from skcompare._core.validation import is_number
from skcompare.stats._anytime_counts import CountBets
from skcompare.stats._anytime_losses import SHARES, GridBets

N_FIELDS = 6

TOO_MUCH = 1e-9
"""Logarithm of what bets may have gained beyond what is possible, a record."""


def stored_looks(rows: Any) -> list[list[Any]]:
    """The looks of a file, each with the numbers that a look can have."""
    looks, before = [_numbers(row, N_FIELDS) for row in rows], 0
    for n, _, low, high, pvalue, log_pvalue in looks:
        if not (before < n and low <= high and 0 < pvalue <= 1 and log_pvalue <= 0):
            raise ValueError("no stream has its looks")
        before = n
    return looks


def stored_bets(values: Any, prior: float | None, bound: float | None) -> Any:
    """The bets of a file, on counts where there is a prior and else on losses."""
    if prior is not None:
        _numbers(values.values(), 4)
        counts = CountBets(**values)
        b, c = counts.only_champion, counts.only_challenger
        possible = min(b, c) >= 0 and b + c <= counts.n and counts.prior == prior
        bets: CountBets | GridBets = counts
    else:
        growth = np.array(_numbers(values.pop("growth"), len(SHARES)))
        _numbers(values.values(), 4)
        bets = grid = GridBets(**values, growth=growth)
        share = grid.mean / grid.bound
        possible = grid.n > 0 and grid.bound == bound and abs(share) <= 1 + TOO_MUCH
        # By Jensen's inequality no records of this mean gain more.
        most = grid.n * np.log1p(SHARES * max(-1.0, min(1.0, share)))
        possible = possible and bool((growth <= most + TOO_MUCH * (1 + grid.n)).all())
    if not possible:
        raise ValueError("no stream has its records")
    return bets


def _numbers(values: Any, count: int) -> list[Any]:
    """So many finite numbers."""
    numbers = list(values)
    if len(numbers) != count or not all(is_number(v) and math.isfinite(v) for v in numbers):
        raise ValueError(f"it has {numbers!r:.60} where {count} numbers are")
    return numbers
