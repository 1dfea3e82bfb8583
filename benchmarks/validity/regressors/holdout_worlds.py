"""Losses of two regressors whose mean losses are equal, in many data sets at once.

A record's noise is common to both regressors, and each adds an error of its own, so that
their losses are correlated as those of two models of one target are. In the shape "alike"
both own errors have one normal distribution: the models are exchangeable. In "unlike" the
champion's own error has the distribution of the noise, and the challenger's is normal with
a spread for which both mean losses are equal.
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import gamma as gamma_function
from scipy.special import ndtr, ndtri, xlogy

ERRORS = ("normal", "t5", "t3", "laplace", "lognormal", "contaminated")
"""Distributions of the noise: "contaminated" is 1 % with ten times the deviation."""
SHAPES = ("alike", "unlike")
OWN = 0.6
"""Standard deviation of a regressor's own error, in those of the noise."""
OWN_RATIO = 0.3
"""The same of the logarithm of a prediction of positive targets."""
STATED = 0.25
"""Standard deviation of the logarithm of a stated standard deviation."""
LEAST = 0.25
"""Least ratio of a positive target, or prediction, to its centre."""
CALIBRATING, TRUTH = 200_000, 4_000_000
PART = 500_000


def _square(error, stated):
    return error**2


def _pinball(error, stated, level=0.9):
    return np.where(error > 0, level, level - 1) * error


def _huber(error, stated, bend=1.35):
    size = np.abs(error)
    return np.where(size <= bend, size**2 / 2, bend * (size - bend / 2))


def _interval(error, stated, level=0.9):
    half = ndtri((1 + level) / 2) * stated
    return 2 * half + 2 / (1 - level) * np.maximum(np.abs(error) - half, 0)


def _crps(error, stated):
    z = error / stated
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return stated * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))


def _log_score(error, stated):
    return np.log(stated) + (error / stated) ** 2 / 2


def _squared_log(y, predicted):
    return (np.log1p(y) - np.log1p(predicted)) ** 2


def _poisson(y, predicted):
    return 2 * (xlogy(y, y / predicted) - y + predicted)


def _gamma(y, predicted):
    return 2 * (np.log(predicted / y) + y / predicted - 1)


def _tweedie(y, predicted, power=1.5):
    first = y ** (2 - power) / ((1 - power) * (2 - power))
    second = y * predicted ** (1 - power) / (1 - power)
    return 2 * (first - second + predicted ** (2 - power) / (2 - power))


def _percentage(y, predicted):
    return np.abs(y - predicted) / y


OF_ERRORS = {"squared": _square, "absolute": lambda error, stated: np.abs(error),
             "pinball 0.9": _pinball, "huber": _huber, "interval score": _interval,
             "crps": _crps, "log score": _log_score}  # fmt: skip
OF_RATIOS = {"squared log": _squared_log, "poisson": _poisson, "gamma": _gamma,
             "tweedie": _tweedie, "percentage": _percentage}  # fmt: skip
LOSSES = (*OF_ERRORS, *OF_RATIOS)
EQUAL_MOMENTS = ("squared", "log score")
"""Losses whose means are equal where the own errors have equal variances."""


def noise(kind, size, rng):
    """Errors with mean 0 and variance 1."""
    if kind == "laplace":
        return rng.laplace(scale=0.5**0.5, size=size)
    if kind in ("t5", "t3"):
        df = int(kind[1:])
        return rng.standard_t(df, size=size) * ((df - 2) / df) ** 0.5
    values = rng.normal(size=size)
    if kind == "lognormal":
        return (np.exp(values) - np.exp(0.5)) / (np.e * (np.e - 1)) ** 0.5
    if kind == "contaminated":
        return np.where(rng.random(size) < 0.01, 10, 1) * values / 1.99**0.5
    return values


def ratios(kind, size, rng):
    """Positive numbers with mean 1, not below `LEAST`, whose tail is as that of `noise`."""
    if kind == "laplace":
        values = rng.exponential(size=size)
    elif kind == "lognormal":
        values = np.exp(rng.normal(size=size) - 0.5)
    elif kind in ("t5", "t3"):
        df = int(kind[1:])
        mean = 2 * (df / np.pi) ** 0.5 * gamma_function((df + 1) / 2)
        values = np.abs(rng.standard_t(df, size=size))
        values /= mean / (gamma_function(df / 2) * (df - 1))
    else:
        values = rng.gamma(4, 0.25, size=size)
        if kind == "contaminated":
            values *= np.where(rng.random(size) < 0.01, 10, 1) / 1.09
    return LEAST + (1 - LEAST) * values


def losses_of(loss, kind, shape, spread, size, rng):
    """Losses of champion and challenger; `spread` is that of the challenger's own error."""
    if loss in OF_ERRORS:
        shared = noise(kind, size, rng)
        if shape == "alike":
            first = rng.normal(size=size)
        elif kind == "normal":
            # Half of the records are harder for the champion.
            first = np.where(rng.random(size) < 0.5, 0.5, 1.75**0.5)
            first *= rng.normal(size=size)
        else:
            first = noise(kind, size, rng)
        own = OWN * first, spread * rng.normal(size=size)
        stated = np.exp(STATED * rng.normal(size=(2, *size)))
        return [OF_ERRORS[loss](shared - m, s) for m, s in zip(own, stated)]
    centre = np.exp(1 + 0.5 * rng.normal(size=size))
    y = centre * ratios(kind, size, rng)
    if loss == "poisson":
        y = rng.poisson(y)
    if shape == "alike":
        first = np.exp(spread * rng.normal(size=size))
    else:
        first = ratios(kind, size, rng)
    second = np.exp(spread * rng.normal(size=size))
    return [OF_RATIOS[loss](y, centre * factor) for factor in (first, second)]


@cache
def equal(loss, kind, shape, n_truth=TRUTH):
    """Spread of the challenger's own error, and the mean difference that remains."""
    usual = OWN if loss in OF_ERRORS else OWN_RATIO
    if shape == "alike" or loss in EQUAL_MOMENTS:
        return usual, 0.0

    def excess(spread, n=CALIBRATING, seed=1):
        rng = np.random.default_rng(seed)
        champion, challenger = losses_of(loss, kind, shape, spread, (n,), rng)
        return float((champion - challenger).mean())

    low, high = 0.05 * usual, 5 * usual
    spread = brentq(excess, low, high, xtol=1e-3)
    parts = range(max(1, n_truth // PART))
    size = min(PART, n_truth)
    return spread, float(np.mean([excess(spread, size, 100 + k) for k in parts]))


def differences(loss, kind, shape, n_sets, n, rng, n_truth=TRUTH):
    """Losses of the champion less the challenger's, of mean 0, of shape (n_sets, n)."""
    spread, rest = equal(loss, kind, shape, n_truth)
    champion, challenger = losses_of(loss, kind, shape, spread, (n_sets, n), rng)
    return champion - challenger - rest
