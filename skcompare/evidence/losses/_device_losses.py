"""Loss of each record, mean losses and moments, on the device of the probabilities.

Each function does the same as its namesake for numpy arrays, after the same checks of its
options.
"""

from typing import Any

import numpy as np

from skcompare._typing import FloatArray
from skcompare.evidence.core._device import device_weights, space_at
from skcompare.evidence.losses._loss_moments import LossMoments


def brier(codes: Any, proba: Any) -> Any:
    """Squared difference between the second class's probability and the truth."""
    xp = space_at(proba).xp
    misses = proba[:, 1] - xp.astype(codes, proba.dtype)
    return misses * misses


def multiclass_brier(codes: Any, proba: Any) -> Any:
    """Sum of squared differences between all probabilities and the truth."""
    space = space_at(proba)
    xp = space.xp
    true = codes[:, None] == space.up_to(proba.shape[1])[None, :]
    misses = proba - xp.astype(true, proba.dtype)
    return xp.sum(misses * misses, axis=1)


def log(codes: Any, proba: Any, eps: float) -> Any:
    """Negative logarithm of the true class's probability, clipped at `eps`."""
    xp = space_at(proba).xp
    chances = of_true_class(codes, proba)
    least = xp.full_like(chances, eps)
    # Libraries that are built on numpy warn as it does.
    with np.errstate(divide="ignore"):
        logs = xp.log(xp.where(chances < eps, least, chances))
    # Subtracted from 0, so that certainty gives 0 and not -0.
    return 0.0 - logs


def spherical(codes: Any, proba: Any) -> Any:
    """One minus the true class's probability over the norm of all probabilities."""
    xp = space_at(proba).xp
    lengths = xp.sqrt(xp.sum(proba * proba, axis=1))
    losses = 1 - of_true_class(codes, proba) / lengths
    return xp.where(losses > 0, losses, xp.zeros_like(losses))


def cost(codes: Any, proba: Any, costs: FloatArray, best: bool) -> Any:
    """Cost of the decision with least expected cost, or for the most probable class."""
    space = space_at(proba)
    xp, k = space.xp, proba.shape[1]
    table = space.own(costs, "float64")
    preferred = proba if best else -xp.matmul(proba, table)
    decided = xp.argmax(preferred, axis=1)
    return space.take(xp.reshape(table, (-1,)), codes * k + decided)


def of_true_class(codes: Any, proba: Any) -> Any:
    """Return the probability of each record's true class."""
    space = space_at(proba)
    k = proba.shape[1]
    if k == 2:
        return space.xp.where(codes == 1, proba[:, 1], proba[:, 0])
    position = space.up_to(proba.shape[0]) * k + codes
    return space.take(space.xp.reshape(proba, (-1,)), position)


def n_below(codes: Any, proba: Any, eps: float) -> int:
    """Number of records whose true class has a probability below `eps`."""
    xp = space_at(proba).xp
    return int(xp.sum(xp.astype(of_true_class(codes, proba) < eps, xp.int64)))


def mean_loss(losses: Any, sample_weight: Any) -> float | None:
    """Compute the mean loss of the records, or return None if weights are invalid."""
    space = space_at(losses)
    xp, n = space.xp, losses.shape[0]
    if sample_weight is None:
        return float(xp.sum(losses)) / n
    weights = device_weights(space, sample_weight, n)
    if weights is None:
        return None
    return float(xp.sum(losses * weights)) / float(xp.sum(weights))


def class_totals(codes: Any, sample_weight: Any, n_classes: int) -> FloatArray | None:
    """Return the total weight of each class, or None if weights are invalid."""
    space = space_at(codes)
    if sample_weight is None:
        return space.counted(codes, n_classes).astype(np.float64)
    weights = device_weights(space, sample_weight, codes.shape[0])
    return None if weights is None else space.counted(codes, n_classes, weights)


def device_moments(champion: Any, challenger: Any, largest: float) -> LossMoments | None:
    """Compute moments of losses, or return None if a loss is too large or not finite."""
    xp, n = space_at(champion).xp, champion.shape[0]
    for losses in (champion, challenger):
        if not bool(xp.max(xp.abs(losses)) <= largest):
            return None
    means, rests, centred = [], [], []
    for values in (champion, challenger, champion - challenger):
        mean = float(xp.sum(values)) / n
        rest = values - mean
        # The mean of large values is rounded; the mean of the deviations corrects it.
        correction = float(xp.sum(rest)) / n
        total = mean + correction
        means.append(total)
        rests.append((mean - total) + correction)
        centred.append(rest - correction)
    first, second, gain = centred
    return LossMoments(
        n,
        means[0],
        means[1],
        means[2],
        champion_squares=float(xp.sum(first * first)),
        challenger_squares=float(xp.sum(second * second)),
        gain_squares=float(xp.sum(gain * gain)),
        products=float(xp.sum(first * second)),
        rests=(rests[0], rests[1], rests[2]),
    )
