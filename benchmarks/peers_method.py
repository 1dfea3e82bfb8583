"""What a row of `peers.py` compares, and the data of all rows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

RESAMPLES = 199
"""Draws of every bootstrap and permutation."""

POINT = "the other package gives numbers alone, without a test or an interval"
BY_CHANCE = "drawn by chance"


@dataclass(frozen=True)
class Method:
    """One thing that skcompare and others compute from the same arrays.

    `ours` and each of `peers` take the arrays of `data(n)` and return the number, or the
    numbers, that are compared: a statistic rather than a p-value where some package has 0
    for that once records are many. `evidence` and `test` are the two halves of `ours`,
    where it has such halves.
    """

    name: str
    data: Callable[[int], tuple]
    ours: Callable[..., Any]
    peers: dict[str, Callable[..., Any]]
    evidence: Callable[..., Any] | None = None
    test: Callable[[Any], Any] | None = None
    floor: str = "read"
    """Which one of FLOORS is the least that it could take."""
    largest: int = 10**7
    least_work: str = ""
    """What peers leave out that ours does, in words."""
    differs: dict[str, str] = field(default_factory=dict)
    """Why the number of a peer is another one, in words."""
    why: str = ""
    """Why ours is slower where it is, in words."""
    family: str = ""
    """Heading of the table that it is in, from FAMILIES of its module."""
    rtol: float | None = 1e-6
    """None where the numbers cannot be the same."""
    atol: float = 0.0


def halves(evidence, test):
    """`ours`, `evidence` and `test` of a method that has both halves."""
    return {
        "ours": lambda *given: test(evidence(*given)),
        "evidence": evidence,
        "test": test,
    }


def right_most(y, rng, n_classes, share=0.8):
    return np.where(rng.random(len(y)) < share, y, rng.integers(n_classes, size=len(y)))


def named_classes(n):
    """Truth and two predictions, words."""
    names = np.array(["bird", "cat", "dog"])
    return tuple(names[codes] for codes in labels(n, 3))


def labels(n, n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    return y, right_most(y, rng, n_classes), right_most(y, rng, n_classes, 0.805)


two_classes, three_classes, ten_classes = (partial(labels, n_classes=k) for k in (2, 3, 10))
"""Truth and two predictions, integers."""


def ten_classifiers(n):
    """Truth of three classes and ten predictions."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n)
    return y, *(right_most(y, rng, 3, 0.78 + k / 200) for k in range(10))


def five_classifiers(n):
    return ten_classifiers(n)[:6]


def scores(n):
    """Truth of two classes and two real scores without ties."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(np.int64)
    shared = rng.standard_normal(n)
    return y, *(k * y + shared + rng.standard_normal(n) for k in (1.0, 1.02))


def probabilities(n):
    """Truth of two classes, an overconfident and a calibrated probability of it."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, size=n)
    over = p**1.5 / (p**1.5 + (1 - p) ** 1.5)
    return (rng.random(n) < p).astype(np.int64), over, p


def five_class_probabilities(n):
    """Truth of five classes and the probabilities of two classifiers."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=n)
    pair = []
    for strength in (1.0, 1.1):
        odds = np.exp(rng.normal(size=(n, 5)) + strength * np.eye(5)[y])
        pair.append(odds / odds.sum(axis=1, keepdims=True))
    return y, *pair


def losses(n):
    """Losses of two classifiers on the same records."""
    rng = np.random.default_rng(0)
    shared = rng.standard_normal(n)
    return shared + rng.normal(0.01, 1, n), shared + rng.standard_normal(n)


def numbers(n):
    """True numbers, and the predictions of two regressors."""
    rng = np.random.default_rng(0)
    y = rng.gamma(2, 1, n) + 0.1
    first, second = y * np.exp(rng.normal(0, [[0.3], [0.29]], (2, n)))
    return y, first, second


def numbers_with_losses(n):
    """The same, and the squared errors of both, for packages that take these."""
    y, *predicted = numbers(n)
    return y, *predicted, *((y - own) ** 2 for own in predicted)


def pvalues(n):
    return (np.random.default_rng(0).random(n) ** 2,)


def training_data(n):
    """Records to fit on."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return rng.standard_normal((n, 10)) + 0.3 * y.reshape(-1, 1), y
