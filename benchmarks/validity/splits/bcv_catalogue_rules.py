"""Rules that decide from the tables of many data sets at once, (draws, measures).

The rule of `bcv_jackknife_t` is that of the library. Beside it stand those of the
literature, the former defaults, and other candidates for a variance from the blocks.
"""

from functools import cache

import numpy as np
from scipy.stats import norm
from scipy.stats import t as t_distribution

from benchmarks.validity.splits.bcv_measures import MEASURES
from skcompare.model_selection._hadamard import orthogonal_array
from skcompare.stats.splits._resampled_t import block_contrasts, block_variance

ALPHA = 0.05
CHOSEN = "bcv_jackknife_t"
PUBLISHED = "bcv_mcnemar"
FORMER = "former default of scores"
GUARDED = "former default of accuracy"
ACCURACY_ONLY = (PUBLISHED, GUARDED)
ACCURACY = MEASURES.index("accuracy")


def sides_of(n_repeats):
    """1 and -1 for the blocks of both halves, (M, blocks)."""
    return np.where(np.asarray(orthogonal_array(n_repeats), dtype=bool).T, 1, -1)


def jackknife(table, sides, own=1.0, **constants):
    """Variance and degrees of freedom of the chosen rule, or with other constants."""
    return block_variance(
        table.values, sides, table.own * own, table.variance, table.df, **constants
    )


def squared_errors(table, n_repeats):
    """Squared standard error of every rule of the blocks, with its degrees of freedom."""
    sides = sides_of(n_repeats)
    m, records = n_repeats, table.variance
    test, training = block_contrasts(table.values, sides)
    whole = test + training
    beyond = (whole**2 - test**2).mean(axis=-1)
    between = table.values.mean(axis=-1).var(axis=-1, ddof=1)
    half = records + np.maximum(0, beyond)
    less = records + np.maximum(0, beyond - (1 - 1 / m) * between)
    halves = table.halves.reshape(*table.halves.shape[:2], -1)
    spread = halves.var(axis=-1, ddof=1)
    chosen = jackknife(table, sides)
    others = {
        "Satterthwaite's degrees as they are": {"cut": 1.0},
        "chance counted once": {"times": 1.0},
        "both": {"cut": 1.0, "times": 1.0},
        "records' own part left in": {"own": 0.0},
    }
    rules = {CHOSEN: (chosen.total, chosen.df)}
    for name, constants in others.items():
        found = jackknife(table, sides, **constants)
        rules[f"the same, {name}"] = found.total, found.df
    rules |= {
        "the same, normal": (chosen.total, np.inf),
        "V_R, Satterthwaite": (half, _satterthwaite(half, table, test, training)),
        "V_B, Satterthwaite": (less, _satterthwaite(less, table, test, training)),
        "max(1.1 records, V_B), normal": (np.maximum(1.1 * records, less), np.inf),
        "half differences, t(2M - 1)": (spread / 2, 2 * m - 1),
        FORMER: (np.maximum(table.within, 1.25 * spread), 2 * m - 1),
    }
    if unused(n_repeats) is not None:
        rest = (table.values.mean(axis=-2)[..., np.newaxis, :] * unused(m)).mean(axis=-1)
        squares = (whole**2).sum(axis=-1) + (rest**2).sum(axis=-1)
        degrees = sides.shape[1] - 1
        rules[f"V_OA, t({degrees})"] = squares / degrees, degrees
    return rules


@cache
def unused(n_repeats):
    """Columns of the array that no repetition uses; None for more than eight blocks."""
    sides = sides_of(n_repeats)
    n_blocks = sides.shape[1]
    if n_blocks > 8:
        return None
    signs = np.where(
        (np.arange(2**n_blocks)[:, np.newaxis] >> np.arange(n_blocks)) & 1, 1, -1
    )
    found = []
    for column in signs[(signs.sum(axis=1) == 0) & (signs[:, 0] == 1)]:
        if not (np.array([*sides, *found]) @ column).any():
            found.append(column)
    return np.array(found).reshape(-1, n_blocks)


def _satterthwaite(total, table, test, training):
    """Degrees of freedom with the contrasts as they are, M of them at least."""
    m = test.shape[-1]
    covariance = np.maximum(2 * (test * training).mean(axis=-1), 0)
    squares = (training**2).mean(axis=-1)
    noise = covariance**2 + 4 * covariance * squares
    noise = (noise + 4 * table.variance * squares + 2 * squares**2) / m
    return np.fmax(2 * total**2 / (2 * table.variance**2 / table.df + noise), m - 1.0)


def decisions(table, n_repeats, n, alpha=ALPHA):
    """Rejections of every rule by its name, (draws, measures); NaN is none."""
    found = {}
    for name, (error, df) in squared_errors(table, n_repeats).items():
        critical = t_distribution.ppf(1 - alpha / 2, df)
        found[name] = table.mean**2 > critical**2 * error
    spread = table.halves[:, ACCURACY].reshape(len(table.mean), -1).var(axis=1, ddof=1)
    effective = 2 * n_repeats / (1.5 + n_repeats - 1)
    least = (effective * n / 2) ** 2 * 2.5 * spread / (2 * n_repeats)
    for name, smallest in ((PUBLISHED, 0.0), (GUARDED, least)):
        rejected = mcnemar(table.counts * effective, smallest, alpha)
        found[name] = np.repeat(rejected[:, np.newaxis], len(MEASURES), axis=1)
    return found


def mcnemar(counts, least, alpha):
    """Rejections by effective discordant records and their balance."""
    discordant, balance = counts.astype(float).T
    distance = np.maximum(0, np.abs(balance) - 1)
    variance = np.maximum(np.maximum(discordant, least), 1e-12)
    return distance**2 > norm.ppf(1 - alpha / 2) ** 2 * variance


def fold_decisions(table, alpha=ALPHA):
    """Rejections by t tests of the differences of one K-fold cross-validation.

    `c` is the multiple of n2 / n1 that is added to 1 / K.
    """
    values = table.halves.reshape(*table.halves.shape[:2], -1)
    k = values.shape[-1]
    critical = t_distribution.ppf(1 - alpha / 2, k - 1) ** 2
    spread = values.var(axis=-1, ddof=1)
    return {
        f"corrected t, c = {c:g}": table.mean**2 > critical * (1 / k + c / (k - 1)) * spread
        for c in (1, 2, 3)
    } | {"uncorrected t": table.mean**2 > critical * spread / k}


N_OF_EFFECTS = 64
EFFECTS = (
    "a record as test data",
    "a record as training data",
    "both, of one record, together",
    "chance of each training",
    "a pair: one tested, one trained on",
    "a pair: whichever is tested",
    "a pair of two that are trained on",
)
"""Effects of records that move the differences in a way whose variance in the mean
difference is known from the draws. The estimate without its floor should have that as its
mean."""


def effect_ratio(name, n_repeats, n_draws, seed):
    """Mean estimate over the variance of the mean difference, with its standard error."""
    sides = sides_of(n_repeats)
    n_blocks = sides.shape[1]
    n = N_OF_EFFECTS - N_OF_EFFECTS % n_blocks
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
