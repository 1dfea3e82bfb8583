"""Roots of two mean losses, such as root mean squared errors, from sums over records."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import Design
from skcompare._typing import FloatArray
from skcompare.evidence.scores._number_scores import NUMBER_SCORES, NumberScore
from skcompare.evidence.tally._number_tally import NumberPlan
from skcompare.evidence.tally._tally import ROOTS, Cells, Tally

ROUNDED = 1e-9
"""Share by which rounding may take a fourth moment below the squared variance."""


@dataclass(frozen=True, slots=True)
class RootErrors:
    """Two scores that are minus the root of a mean loss, and the influences of the records.

    Attributes
    ----------
    score : NumberScore
        The score.
    values : pair of float
        Scores of champion and challenger.
    n, n_units, n_differing : int
        Number of records, of units (groups, or records), and of records with different
        predictions.
    powers : tuple of four floats
        Sums of the first to fourth powers of the influences of the units on the difference,
        which are the derivatives by the weights.
    design : Design
        How the records were collected.
    """

    score: NumberScore
    values: tuple[float, float]
    n: int
    n_units: int
    n_differing: int
    powers: tuple[float, ...]
    design: Design

    flags: ClassVar[tuple[str, ...]] = ()
    sign: ClassVar[int] = 1
    greater_is_better: ClassVar[bool] = True
    why_undefined: ClassVar[str] = ""

    @classmethod
    def from_tally(cls, tally: Tally, name: str) -> "RootErrors":
        """Construct from the sums of a tally of numbers."""
        plan, loss = tally.plan, ROOTS[name]
        if not isinstance(plan, NumberPlan) or name not in plan.scores:
            raise ValueError(
                f"The tally does not hold the sums of {name!r}. Make it by TallyRequest "
                f"with scores=({name!r},)."
            )
        (cells,) = tally.tables
        n = int(cells.counts.sum())
        means = [_total(cells, f"{loss}.{role}") / n for role in ("champion", "challenger")]
        roots = [math.sqrt(mean) for mean in means]
        # The derivative of minus the root; where no record has an error it is 0.
        factors = [0.5 / root if root > 0 else 0.0 for root in roots]
        powers = (_of_groups if plan.grouped else _of_records)(cells, loss, factors)
        return cls(
            NUMBER_SCORES[name],
            (-roots[0], -roots[1]),
            n,
            len(cells.counts) if plan.grouped else n,
            int(_total(cells, f"{loss}.differing")),
            powers,
            plan.design,
        )

    @property
    def groups(self) -> Any:
        """Something other than None where there are groups."""
        return True if self.design.grouped else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest possible difference."""
        low, high = self.score.bounds
        return low - high, high - low


def _total(cells: Cells, name: str) -> float:
    return float(cells.sums[name].sum())


def _of_groups(cells: Cells, loss: str, factors: list[float]) -> tuple[float, ...]:
    """Sums of powers of the influences of groups."""
    sizes = cells.counts.astype(np.float64)
    n = sizes.sum()
    challenger, gain = (
        _residuals(cells.sums[f"{loss}.{part}"], sizes) for part in ("challenger", "gain")
    )
    # Nearly equal losses and factors would cancel in a difference of products.
    influence = (factors[0] * gain + (factors[0] - factors[1]) * challenger) / n
    return tuple(float((influence**power).sum()) for power in (1, 2, 3, 4))


def _residuals(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    return sums - sizes * (sums.sum() / sizes.sum())


_FIRST = (
    ((1, 0), "gain"),
    ((0, 1), "challenger"),
    ((2, 0), "gain_squares"),
    ((0, 2), "challenger_squares"),
)


def _of_records(cells: Cells, loss: str, factors: list[float]) -> tuple[float, ...]:
    """Sums of powers of the influences of records, by the moments of gain and loss."""
    n = float(cells.counts.sum())
    means = {(0, 0): 1.0}
    means |= {at: _total(cells, f"{loss}.{name}") / n for at, name in _FIRST}
    for key in cells.sums:
        prefix, _, powers = key.partition(".power_")
        if prefix == loss and powers:
            k, m = map(int, powers.split("_"))
            means[k, m] = _total(cells, key) / n
    own, shared = factors[0], factors[0] - factors[1]
    moments = [
        math.fsum(
            math.comb(p, k) * own**k * shared ** (p - k) * _central(means, k, p - k)
            for k in range(p + 1)
        )
        for p in (2, 3, 4)
    ]
    square, _, fourth = moments
    # The mean of fourth powers is no less than the square of that of squares.
    if not (math.isfinite(fourth) and fourth >= (1 - ROUNDED) * square**2):
        raise ValueError(
            f"Powers of the losses {loss!r} are too large or too small for sums. Choose "
            "another unit of the numbers, or read the records."
        )
    return 0.0, *(
        moment * n ** (1 - p) for moment, p in zip(moments, (2, 3, 4), strict=True)
    )


def _central(means: dict[tuple[int, int], float], k: int, m: int) -> float:
    """Mean of the product of powers of the distances from two means."""
    first, second = -means[1, 0], -means[0, 1]
    return math.fsum(
        math.comb(k, i)
        * math.comb(m, j)
        * first ** (k - i)
        * second ** (m - j)
        * means[i, j]
        for i in range(k + 1)
        for j in range(m + 1)
    )
