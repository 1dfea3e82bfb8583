"""Arrays that benchmarks are timed on, and how their times are taken."""

from time import perf_counter

import numpy as np

SIZES = (10**3, 10**5, 10**6)


def labels(n, n_classes=10, n_predictions=2):
    """Truth, and predictions that are right on some 80 % of the records."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    drawn = [rng.integers(n_classes, size=n) for _ in range(n_predictions)]
    return y, *(np.where(rng.random(n) < 0.8, y, other) for other in drawn)


def scores(n, n_predictions=2):
    """Truth of two classes, and correlated scores of it."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    shared = rng.standard_normal(n)
    return y, *(y + shared + rng.standard_normal(n) for _ in range(n_predictions))


def probabilities(n):
    """Truth of two classes, an overconfident and a calibrated probability of it."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, size=n)
    over = p**1.5 / (p**1.5 + (1 - p) ** 1.5)
    return (rng.random(n) < p).astype(int), over, p


def class_probabilities(n, n_classes=5):
    """Truth of several classes and the probabilities of two classifiers."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    pair = []
    for strength in (1.0, 1.1):
        odds = np.exp(rng.normal(size=(n, n_classes)) + strength * np.eye(n_classes)[y])
        pair.append(odds / odds.sum(axis=1, keepdims=True))
    return y, *pair


def least_times(repeats, *functions):
    """The least time of each function, which run in turn."""
    times = np.full((repeats, len(functions)), np.inf)
    for row in times:
        for k, function in enumerate(functions):
            start = perf_counter()
            function()
            row[k] = perf_counter() - start
    return times.min(axis=0)
