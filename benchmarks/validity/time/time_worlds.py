"""Differences of two equally good models in time order, for the study beside this file.

Every world returns arrays of shape (draws, n), positive where the challenger is better,
with mean 0 over draws; those of the AUC are its influences, times n.
"""

import numpy as np
from scipy.signal import lfilter
from scipy.stats import rankdata

DISCORDANT = 0.2
HIDDEN = 0.03
"""Share of the variance by a drift under noise: about the worst of 500 to 1000 records."""


def drift(shape, correlation, rng):
    """Normal autoregressions of variance 1."""
    noise = rng.standard_normal(shape)
    noise[:, 1:] *= np.sqrt(1 - correlation**2)
    return lfilter([1.0], [1.0, -correlation], noise, axis=1)


def zero_one(shape, correlation, rng):
    """One of both is right in a fifth of the records; which one drifts."""
    discordant = rng.random(shape) < DISCORDANT
    return np.where(discordant, np.sign(drift(shape, correlation, rng)), 0.0)


def probabilities(shape, correlation, rng):
    """Outcomes, and the probabilities of two models with drifting errors of the logit."""
    logit = 1.5 * rng.standard_normal(shape)
    outcomes = rng.random(shape) < 1 / (1 + np.exp(-logit))
    errors = (drift(shape, np.sqrt(correlation), rng) for _ in range(2))
    return outcomes, *(1 / (1 + np.exp(-logit - error)) for error in errors)


def brier(shape, correlation, rng):
    """Brier loss; squares of drifting errors have the autocorrelation asked for."""
    y, champion, challenger = probabilities(shape, correlation, rng)
    return (champion - y) ** 2 - (challenger - y) ** 2


def log(shape, correlation, rng):
    """Log loss."""
    y, champion, challenger = probabilities(shape, correlation, rng)
    return np.log(np.where(y, challenger, 1 - challenger)) - np.log(
        np.where(y, champion, 1 - champion)
    )


def errors(shape, correlation, rng):
    """Errors of two forecasts that drift, with a part in common."""
    root = np.sqrt(correlation)
    shared = drift(shape, root, rng)
    return [shared + drift(shape, root, rng) for _ in range(2)]


def absolute(shape, correlation, rng):
    """Absolute error."""
    champion, challenger = errors(shape, correlation, rng)
    return np.abs(champion) - np.abs(challenger)


def squared(shape, correlation, rng):
    """Squared error."""
    champion, challenger = errors(shape, correlation, rng)
    return champion**2 - challenger**2


def area(shape, correlation, rng):
    """AUC of two models whose separation of the classes drifts, by influences."""
    y = rng.random(shape) < 0.4
    found = []
    for _ in range(2):
        separation = 1 + 0.7 * drift(shape, correlation, rng)
        scores = rng.standard_normal(shape) + np.where(y, separation, 0.0)
        ranks = rankdata(scores, axis=1)
        within = np.where(y, _ranks_within(scores, y), _ranks_within(scores, ~y))
        others = np.where(y, (~y).sum(axis=1)[:, None], y.sum(axis=1)[:, None])
        below = (ranks - within) / others
        placed = np.where(y, below, 1 - below)
        size = np.where(y, y.sum(axis=1)[:, None], (~y).sum(axis=1)[:, None])
        value = _mean_where(placed, y)
        found.append(((placed - value) / size, value))
    (champion, first), (challenger, second) = found
    return (challenger - champion) * shape[1] + second - first


def _ranks_within(scores, members):
    """Ranks among the members alone; those of others have no meaning."""
    ranks = rankdata(np.where(members, scores, np.inf), axis=1)
    return np.where(members, ranks, 0.0)


def _mean_where(values, members):
    return (np.where(members, values, 0).sum(axis=1) / members.sum(axis=1))[:, None]


def normal(shape, correlation, rng):
    """A normal autoregression."""
    return drift(shape, correlation, rng)


def under_noise(shape, correlation, rng):
    """A normal autoregression, little of the variance, under unrelated noise."""
    noise = np.sqrt(1 - HIDDEN) * rng.standard_normal(shape)
    return np.sqrt(HIDDEN) * drift(shape, correlation, rng) + noise


def steps_ahead(shape, horizon, rng):
    """Squared errors of optimal forecasts some steps ahead: moving averages."""
    found = []
    for _ in range(2):
        sums = np.cumsum(rng.standard_normal((shape[0], shape[1] + horizon)), axis=1)
        found.append(sums[:, horizon:] - sums[:, :-horizon])
    return found[0] ** 2 - found[1] ** 2


def moving_average(shape, horizon, rng):
    """Sums of as many normal numbers as the horizon has steps."""
    sums = np.cumsum(rng.standard_normal((shape[0], shape[1] + horizon)), axis=1)
    return sums[:, horizon:] - sums[:, :-horizon]


def garch(shape, correlation, rng):
    """An autoregression whose noise has bursts."""
    n_draws, n = shape
    noise = rng.standard_normal((n_draws, n + 100))
    variance = np.ones(n_draws)
    for t in range(n + 100):
        noise[:, t] *= np.sqrt(variance)
        variance = 0.05 + 0.1 * noise[:, t] ** 2 + 0.85 * variance
    return lfilter([1.0], [1.0, -correlation], noise, axis=1)[:, 100:]


def louder(shape, correlation, rng):
    """An autoregression that varies three times as much at the end as at the start."""
    return drift(shape, correlation, rng) * np.linspace(1, 3, shape[1])


def season(shape, correlation, rng):
    """An autoregression with a season of 7 records."""
    phase = rng.random((shape[0], 1))
    times = np.arange(shape[1]) / 7
    return drift(shape, correlation, rng) + 2 * np.cos(2 * np.pi * (times + phase))


def seasonal(shape, correlation, rng):
    """Records that are like those a week before."""
    week = correlation**7
    noise = rng.standard_normal(shape)
    noise[:, 7:] *= np.sqrt(1 - week**2)
    return lfilter([1.0], [1.0, *6 * [0.0], -week], noise, axis=1)


def unlike(shape, correlation, rng):
    """Losses of equal mean, of which one is skewed much more: squares and distances."""
    root = np.sqrt(correlation)
    champion, challenger = (drift(shape, root, rng) for _ in range(2))
    return champion**2 - np.sqrt(np.pi / 2) * np.abs(challenger)


LOSSES = {
    "0/1": zero_one,
    "Brier": brier,
    "log": log,
    "absolute": absolute,
    "squared": squared,
    "AUC": area,
}
OTHERS = {
    "normal": normal,
    "under noise": under_noise,
    "bursts": garch,
    "louder": louder,
    "season": season,
    "seasonal": seasonal,
    "unlike losses": unlike,
}
