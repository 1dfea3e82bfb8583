"""What is asked of one class at a prevalence, and what is known of each classifier."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from skcompare._typing import FloatArray
from skcompare.stats._bootstrap_draws import generator
from skcompare.stats._class_label import FEW_CLUSTERS, FEW_INFORMATIVE, NO_ANSWERS
from skcompare.stats._difference_limits import quantile
from skcompare.stats._updated_precision_rates import ClassCells, Prevalence
from skcompare.stats._updated_precision_resamples import (
    CautiousResamples,
    acceleration_of,
    drawn_cells,
)

LEVEL = 0.95
"""Of the intervals of each precision, which are parts of the result."""

EXTREME = "extreme-precision"
NO_RATES = "no-rates"


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is to be found of one class."""

    cells: ClassCells
    share: Prevalence
    stratify: bool
    method: str

    @property
    def precisions(self) -> FloatArray:
        """Of both classifiers at the prevalence."""
        return self.cells.precisions_at(self.share.value)

    @property
    def prevalence(self) -> float:
        """The share of the class in use."""
        return self.sample if self.share.value is None else self.share.value

    @property
    def sample(self) -> float:
        """The share of the class in the sample."""
        return float(self.cells.of_it / self.cells.counts.sum())

    @property
    def moves(self) -> FloatArray:
        """Influence of the records of each cell on the logarithms of both precisions."""
        return self.cells.influences(self.share.value, self.stratify)

    def drawn(self, n_resamples: int, random_state: Any) -> FloatArray | None:
        """Precisions of both classifiers on resamples, of shape (n_resamples, 2)."""
        if self.method == "delta":
            return None
        rng = generator(random_state)
        resampled = drawn_cells(self.cells, n_resamples, self.stratify, rng)
        found = resampled.precisions_at(self.share.drawn(n_resamples, rng))
        if np.array_equal(self.cells.counts, self.cells.swapped.counts):
            # Each resample has a mirror image that is as likely, so the result is its own.
            found = np.concatenate([found, found[:, ::-1]])
        return found

    def acceleration(self, moves: FloatArray) -> float | None:
        """Efron's a, where it is wanted."""
        if self.method != "bca":
            return None
        return acceleration_of(moves, self.cells.counts)


def part_of(asked: Question, drawn: FloatArray | None, role: int) -> dict[str, str | float]:
    """Precision of one role and where it comes from."""
    sensitivities, alarms = asked.cells.rates()
    low, high = _role_limits(asked, drawn, role)
    return {
        "role": ("champion", "challenger")[role],
        "precision": float(asked.cells.precisions[role]),
        "sensitivity": float(sensitivities[role]),
        "specificity": 1 - float(alarms[role]),
        "updated_precision": float(asked.precisions[role]),
        "confidence_level": LEVEL,
        "low": low,
        "high": high,
    }


def _role_limits(
    asked: Question, drawn: FloatArray | None, role: int
) -> tuple[float, float]:
    """The 95 % interval of one updated precision; everything where it is 0 or 1."""
    precision = float(asked.precisions[role])
    if not 0 < precision < 1:
        return 0.0, 1.0
    moves = asked.moves[role]
    if drawn is not None:
        found = CautiousResamples.of(drawn[:, role], precision, asked.acceleration(moves))
        return found.limits((0.0, 1.0), LEVEL, "two-sided")
    # On the scale of the logarithm of the odds, where no limit is beyond 0 or 1.
    variance = float((asked.cells.counts * moves**2).sum()) / (1 - precision) ** 2
    error = math.sqrt(variance + asked.share.logit_variance)
    reach = quantile(LEVEL, "two-sided") * error
    low, high = expit(logit(precision) - reach), expit(logit(precision) + reach)
    return float(low), float(high)


def caveats(asked: Question) -> tuple[str, ...]:
    """Caveats of the precisions themselves."""
    cells, precisions = asked.cells, asked.precisions
    false, right = cells.named
    flags = []
    if (false + right == 0).any():
        flags.append(NO_ANSWERS)
    if asked.share.value is not None and not (cells.of_it and cells.others):
        flags.append(NO_RATES)
    if ((precisions == 0) | (precisions == 1)).any():
        flags.append(EXTREME)
    informative = cells.counts.sum() - cells.counts[:, 0, 0].sum()
    if informative < FEW_INFORMATIVE:
        flags.append(FEW_CLUSTERS)
    return tuple(flags)
