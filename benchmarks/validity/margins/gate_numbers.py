"""How often does a gate pass a regressor that is exactly at the boundary of a condition?

    python -m benchmarks.validity.margins.gate_numbers

Losses of a champion and a challenger are drawn with known means. With a relative margin of
m the challenger's mean is 1 + m times the champion's, with an absolute one it is greater by
the margin, and for superiority both are equal. "Above" is the direction of superiority and
non-inferiority, "below" the other side of an equivalence. Each share is of so many
simulated data sets, decided by the formulas of the gate in numpy; on some of them it is
checked that a gate decides alike.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.margins.gate_formulas import both_ways, mean_moves
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.stats.losses._paired_t import ONE_SIDED_DEGREES

RECORDS = (50, 200, 1000)
BATCH = 2_000_000
"""Numbers that are drawn at a time."""

CHECKED = 4
"""Data sets on which the gate itself decides as well."""

MEASURE = "neg_mean_absolute_error"

RARE, TIMES = 0.02, 6.0
"""Share of the records where a challenger errs so many times as far as elsewhere."""


@dataclass(frozen=True)
class LossWorld:
    """Losses of two regressors whose errors are correlated, each with a mean of 1."""

    name: str
    power: float
    errors: str = "normal"
    rare: bool = False
    correlation: float = 0.6

    def __str__(self):
        return self.name

    def draw(self, rng, n_sets, n):
        """Losses of shape (2, n_sets, n)."""
        common, *own = rng.standard_normal((3, n_sets, n))
        r = self.correlation
        errors = np.stack([np.sqrt(r) * common + np.sqrt(1 - r) * one for one in own])
        if self.errors == "log-normal scale":
            # The scale of a record is that of both, as in records that are hard to predict.
            errors *= np.exp(0.5 * rng.standard_normal((n_sets, n)))
        elif self.errors == "t":
            errors /= np.sqrt(rng.chisquare(9, (2, n_sets, n)) / 9)
        if self.rare:
            errors[1] *= np.where(rng.random((n_sets, n)) < RARE, TIMES, 1.0)
        losses = np.abs(errors) ** self.power
        losses[1] /= 1 + RARE * (TIMES**self.power - 1) if self.rare else 1.0
        return losses / self.mean()

    def mean(self):
        """Mean of a power of an error, without the rare ones."""
        normal = np.sqrt(2 / np.pi) if self.power == 1 else 1.0
        if self.errors == "log-normal scale":
            return normal * np.exp(0.125 * self.power**2)
        return normal * (9 / 7 if self.errors == "t" else 1.0)


WORLDS = (
    LossWorld("absolute errors, normal", 1),
    LossWorld("squared errors, normal", 2),
    LossWorld("squared errors, t with 9 df", 2, "t"),
    LossWorld("absolute errors, log-normal scale", 1, "log-normal scale"),
    LossWorld("squared errors, log-normal scale", 2, "log-normal scale"),
    LossWorld("absolute errors, the challenger's rarely large", 1, rare=True),
    LossWorld("squared errors, the challenger's rarely large", 2, rare=True),
)

MARGINS = {
    "better": (0.0, Superior(MEASURE)),
    "worse by less than 0.1": (0.1, NonInferior(MEASURE, 0.1)),
    "worse by less than 10 %": (0.1, NonInferior(MEASURE, "10 %")),
}
"""Conditions at whose boundary the challenger's mean loss is greater by so much."""

HEADS = ("test alone, above", "gate, above", "test alone, below", "gate, below")


def gains_at(losses, more, condition):
    """Weighted gains of a challenger at the boundary, and the gain that is the boundary."""
    champion, challenger = losses
    challenger = (1 + more) * challenger
    if condition.share is None:
        return champion - challenger, -more
    return (1 + more) * champion - challenger, 0.0


def decided(losses, more, condition):
    """Whether each data set is above the boundary and below, by the test and the gate."""
    gains, boundary = gains_at(losses, more, condition)
    n = gains.shape[1]
    moves = mean_moves(gains)
    squares = (gains - gains.mean(axis=1, keepdims=True)) ** 2
    # The largest share that one record has beyond what a normal one would have.
    beyond = squares.max(axis=1) / squares.sum(axis=1) - 2 * np.log(n) / n
    few = np.clip(ONE_SIDED_DEGREES / np.maximum(beyond, 1e-300), 1, n - 1)
    alone = both_ways(boundary, *moves, n, "records", df=n - 1)
    by_gate = both_ways(boundary, *moves, n, "records", df=few)
    return [by_gate[k] if k % 2 else alone[k] for k in range(len(alone))]


def check(losses, more, condition):
    """A gate decides as the formulas do, where predictions are off by the losses."""
    ours = decided(losses, more, condition)[1]
    gate, y = Gate(condition), np.zeros(losses.shape[2])
    theirs = [
        gate.decide(y, {"old": old, "new": (1 + more) * new}).passed
        for old, new in losses.transpose(1, 0, 2)
    ]
    assert ours.tolist() == theirs


def numbers(args):
    """Shares of data sets that pass at the boundary of each condition."""
    table = Table(
        "Losses of regressors: pass rate at the boundary",
        ("losses", "records", "condition", *HEADS),
    )
    for world in WORLDS:
        for n in RECORDS:
            rng = np.random.default_rng([args.seed, n])
            passed, done = np.zeros((len(MARGINS), 4)), 0
            for more, condition in MARGINS.values():
                check(world.draw(rng, CHECKED, n), more, condition)
            while done < args.draws:
                n_sets = int(min(args.draws - done, max(1, BATCH // n)))
                losses = world.draw(rng, n_sets, n)
                for k, (more, condition) in enumerate(MARGINS.values()):
                    found = decided(losses, more, condition)
                    passed[k] += [np.count_nonzero(one) for one in found]
                done += n_sets
            for name, counts in zip(MARGINS, passed, strict=True):
                shares = (with_error(count / args.draws, args.draws) for count in counts)
                table.add(world, n, name, *shares)
    return table


if __name__ == "__main__":
    main(__doc__, numbers, draws=20_000, n_jobs=None)
