"""How often a difference that is about normal is shown to be beyond its boundaries."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scipy.special import ndtr, ndtri

from skcompare.gate._caution import Cautious
from skcompare.gate._sides import Side
from skcompare.stats._student import student_quantile

MOST = 1e15
"""More records are as good as none: no number is enough."""


class Growing(NamedTuple):
    """A side of a boundary as a function of the number of records."""

    side: Side
    alpha: float
    spread: float = 1.0
    """How much the limit varies, as a share of how much the difference does."""

    times: float = 1.0
    """The standard error, as a share of what the side makes one expect."""

    @property
    def distance(self) -> float:
        """How far the difference is on the right side of its boundary."""
        distance = self.side.result.estimate - self.side.boundary
        return distance if self.side.direction == "greater" else -distance

    def power(self, n: float) -> float:
        """Probability that the side is shown with `n` records.

        With Z normal the difference is at Z + a (Z² - 1) / 6 standard errors from the
        truth, and its estimated standard error is about 1 + a Z / 2 times the true one, if
        a is the skewness. The side is shown from some Z on.
        """
        share = self.side.result.n / n
        error = self.error(share)
        if error == 0:
            return 1.0
        needed, lean = self.critical(share), 0.0
        if isinstance(self.side.basis, Cautious):
            sign = 1 if self.side.direction == "greater" else -1
            lean = sign * self.side.basis.moves.skewness * math.sqrt(share)
        if not math.isfinite(needed):
            return 0.0
        rest = (self.distance / error - needed) / self.spread
        slope = 1 - needed * lean / 2
        if slope <= 0:
            reached = float(ndtr(rest))
        else:
            # One step of Newton's from the root of the linear part is as good as the
            # expansion.
            root = -rest / slope
            root -= lean * (root**2 - 1) / 6 / slope
            reached = float(ndtr(-root))
        # Both are shown from some difference on: the later one decides.
        return min(reached, float(ndtr((self.distance - self.rare(share)) / error)))

    def rare(self, share: float) -> float:
        """How far away the difference must be because rare errors may be in no record."""
        unseen, side = self.side.unseen, self.side
        if unseen is None:
            return 0.0
        grown = unseen._replace(n=max(1, round(unseen.n / share)))
        sign = 1 if side.direction == "greater" else -1
        worst = grown.bound + sign * side.boundary
        return worst * (self.alpha ** (-1 / grown.n) - 1)

    def error(self, share: float) -> float:
        """Standard error at `n / share` records."""
        details = self.side.result.details
        own = self._error()
        pairs = float(details.get("standard_error_of_pairs", 0.0))
        # What pairs of records add falls with the square of their number.
        first = max(0.0, own**2 - pairs**2)
        return self.times * math.sqrt(first * share + pairs**2 * share**2)

    def _error(self) -> float:
        basis, result = self.side.basis, self.side.result
        if isinstance(basis, Cautious):
            return basis.moves.error
        if "standard_error" in result.details:
            return float(result.details["standard_error"])
        reach = abs(result.estimate - self.side.limit)
        return reach / self._quantile()

    def critical(self, share: float) -> float:
        """Standard errors that the difference must be away from the boundary."""
        basis = self.side.basis
        if not isinstance(basis, Cautious):
            return self._quantile()
        moves = basis.moves
        grown = basis._replace(
            estimate=0.0,
            df=None if basis.df is None else basis.df / share,
            moves=moves._replace(
                error=1.0,
                skewness=moves.skewness * math.sqrt(share),
                units=max(1, round(moves.units / share)),
            ),
        )
        if grown.shortage():
            return math.inf
        return abs(grown.limit(self.alpha, self.side.direction))

    def _quantile(self) -> float:
        df = self.side.result.df
        if df is None or df == 1:
            return float(-ndtri(self.alpha))
        return student_quantile(self.alpha, df)


def records_of_means(
    sides: Sequence[Side],
    alpha: float,
    power: float,
    spreads: Sequence[float] | None = None,
    times: float = 1.0,
) -> float:
    """Records at which all sides are shown with a probability, if the estimate is true.

    Infinite where the estimate is beyond a boundary. `spreads` are those of the sides'
    limits, where they do not vary as the difference does, and `times` is what the standard
    error is as a share of what the sides make one expect.
    """
    known = [1.0] * len(sides) if spreads is None else spreads
    growing = [
        Growing(s, alpha, spread, times) for s, spread in zip(sides, known, strict=True)
    ]
    if any(not one.distance > 0 for one in growing):
        return math.inf

    def power_at(n: float) -> float:
        # The sides contradict each other: what is not shown of one is shown of the other.
        return sum(one.power(n) for one in growing) - (len(growing) - 1)

    return fewest_for(power_at, sides[0].result.n, power)


def fewest_for(power_at: Callable[[float], float], near: float, power: float) -> float:
    """Records from which on the power is reached, if it grows with them."""
    most = max(2.0, near)
    while power_at(most) < power:
        most *= 2
        if most > MOST:
            return math.inf
    least = 1.0
    while most - least > max(0.5, 1e-6 * most):
        middle = (least + most) / 2
        least, most = (least, middle) if power_at(middle) >= power else (middle, most)
    return most
