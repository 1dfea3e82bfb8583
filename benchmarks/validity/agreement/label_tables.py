"""Shares of records by their labels, for data on which a null hypothesis holds."""

import numpy as np
from scipy.optimize import brentq

from skcompare.evidence import JointCounts
from skcompare.stats import score_difference

CLASSES = np.arange(5)
BOTH_WRONG = 0.1
GAINED = 0.7
"""Share of the discordant records of one class that favours the challenger."""


def pair_shares(k, spread, disagreement, cycle=0.5):
    """Shares of pairs of labels, of which `disagreement` differ.

    `spread` says how the differing ones go to the pairs of classes. A share `cycle` of each
    pair is one way round, such that the classes change places in a circle.
    """
    shares = np.diag(np.full(k, (1 - disagreement) / k))
    weights = np.array(spread) * disagreement / sum(spread)
    for (i, j), weight in zip(zip(*np.triu_indices(k, 1)), weights):
        forward = cycle if j - i == 1 else 1 - cycle
        shares[i, j], shares[j, i] = forward * weight, (1 - forward) * weight
    return shares


def independent_rate(disagreement):
    """Rates of three classes at which independent labels differ so often."""
    rare = brentq(lambda q: 1 - (1 - 2 * q) ** 2 - 2 * q * q - disagreement, 0, 1 / 3)
    return np.array([1 - 2 * rare, rare, rare])


def joint_shares(rates, disagreement, favour):
    """Shares of records by truth and both predictions.

    In each class a share `disagreement` is answered rightly by exactly one of the two, by
    the challenger in a part `favour` of them; 0.1 are answered wrongly by both, each with
    any other class.
    """
    k = len(rates)
    shares = np.zeros((k, k, k))
    favour = np.broadcast_to(favour, k)
    for truth, (rate, part) in enumerate(zip(rates, favour)):
        right = np.arange(k) == truth
        wrong = ~right / (k - 1)
        shares[truth] = rate * (
            (1 - disagreement - BOTH_WRONG) * np.outer(right, right)
            + disagreement * (1 - part) * np.outer(right, wrong)
            + disagreement * part * np.outer(wrong, right)
            + BOTH_WRONG * np.outer(wrong, wrong)
        )
    return shares


def unlike_shares(rates, disagreement, score):
    """The same with equal scores, where the challenger is better in the last class."""

    def shares_at(favour):
        return joint_shares(rates, disagreement, [favour] * (len(rates) - 1) + [GAINED])

    def difference(favour):
        counts = JointCounts(np.rint(shares_at(favour) * 1e12), CLASSES[: len(rates)])
        return score_difference(counts, score=score, method="delta").estimate

    return shares_at(brentq(difference, 0, 1))
