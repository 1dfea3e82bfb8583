"""Effects of records, and what the variance from the blocks makes of them.

Each kind of effect moves the differences in a way whose variance in the mean difference is
known from the draws. The estimate without its floor should have that as its mean.
"""

import numpy as np

from benchmarks.validity.splits.bcv_catalogue_rules import sides_of
from skcompare.stats.splits._bcv_jackknife import block_contrasts

N = 64
EFFECTS = (
    "a record as test data",
    "a record as training data",
    "both, of one record, together",
    "chance of each training",
    "a pair: one tested, one trained on",
    "a pair: whichever is tested",
    "a pair of two that are trained on",
)


def effect_ratio(name, n_repeats, n_draws, seed):
    """Mean estimate over the variance of the mean difference, with its standard error."""
    sides = sides_of(n_repeats)
    n_blocks = sides.shape[1]
    n = N - N % n_blocks
    x = np.repeat(sides, n // n_blocks, axis=1)
    trained_on = (x[:, :, np.newaxis] != x[:, np.newaxis]).astype(float)
    rng = np.random.default_rng([seed, EFFECTS.index(name), n_repeats])
    means, estimates = np.empty((2, n_draws))
    for draw in range(n_draws):
        d = _differences(name, x, trained_on, rng)
        means[draw], estimates[draw] = d.mean(), _estimate(d, sides)
    variance = np.mean(means**2)
    error = np.hypot(estimates.std() / n_draws**0.5, variance * (2 / n_draws) ** 0.5)
    return estimates.mean() / variance, error / variance


def _differences(name, x, trained_on, rng):
    """Differences of the records in all repetitions, (M, n)."""
    n_repeats, n = x.shape
    kind = EFFECTS.index(name)
    if kind < 3:
        effect, trains = rng.standard_normal((2, n))
        trains = effect if kind == 2 else trains
        return (kind != 1) * effect + (kind != 0) * 2 / n * trained_on @ trains
    if kind == 3:
        first, second = rng.standard_normal((2, n_repeats, 1))
        return np.where(x > 0, first, second)
    pairs = rng.standard_normal((n, n))
    if kind == 4:
        return (trained_on * pairs).sum(axis=2)
    pairs = np.triu(pairs, 1)
    if kind == 5:
        return (trained_on * (pairs + pairs.T)).sum(axis=2)
    own = (x[:, :, np.newaxis] > 0).astype(float)
    sums = [(part.swapaxes(1, 2) @ pairs @ part)[:, 0] for part in (1 - own, own)]
    return np.where(x > 0, *sums)


def _estimate(d, sides):
    """Records' variance, training part and chance, counted once and without a floor."""
    n_repeats, n = d.shape
    n_blocks = sides.shape[1]
    cells = d.reshape(n_repeats, n_blocks, -1)
    beyond = (cells - cells.mean(axis=2, keepdims=True)).reshape(d.shape)
    own = beyond @ beyond.T * n / (n - n_blocks) / n**2
    test, training = block_contrasts(cells.mean(axis=2), sides)
    others = (1 - np.eye(n_repeats)) / (n_repeats - 1)
    alone = others - np.eye(n_repeats)
    beyond = np.mean(training**2 + 2 * test * training)
    beyond -= np.einsum("ir,rs,is->", alone + 2 * others, own, alone) / n_repeats
    between = d.mean(axis=1).var(ddof=1)
    centred = np.eye(n_repeats) - 1 / n_repeats
    between -= np.sum(centred * own) / (n_repeats - 1)
    records = d.mean(axis=0).var(ddof=1) / n
    return records + beyond - (1 - 1 / n_repeats) * between
