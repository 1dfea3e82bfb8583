"""Equally good recipes whose trainings vary: losses and scores of every record."""

import numpy as np
from scipy.special import ndtr

from skcompare.evidence import AreaUnderCurve, CrossedDifferences

BAD_RUN = 0.2
"""Probability of a bad run."""

WORLDS = {
    # Deviations of the training on the scale of the latent error, and of interaction.
    "none": (0.0, 0.0),
    "some": (0.02, 0.3),
    "much": (0.1, 0.6),
    "all": (0.5, 1.0),
    "one bad run in five": (0.02, 0.3),
    "heavy tails": (0.1, 0.3),
    "one training in 20 collapses": (0.02, 0.3),
}


def effects(world, count, rng):
    """Effects of the trainings of a role, with the mean of the world."""
    deviation, _ = WORLDS[world]
    if world == "heavy tails":
        return deviation * rng.standard_t(2, count)
    of_trainings = deviation * rng.standard_normal(count)
    if world == "one bad run in five":
        of_trainings += 0.5 * (rng.random(count) < BAD_RUN)
    if world == "one training in 20 collapses":
        of_trainings += 3.0 * (rng.random(count) < 0.05)
    return of_trainings


def latent(world, counts, n, rng):
    """Difficulty of each record for each training of each role, on a normal scale.

    Returned are the parts that the record decides, and the effects of the trainings.
    """
    _, interaction = WORLDS[world]
    shared = rng.standard_normal(n)
    roles = []
    for count in counts:
        each = np.broadcast_to(0.5 * rng.standard_normal(n) + shared, (count, n))
        if interaction:
            each = each + interaction * rng.standard_normal((count, n))
        roles.append((each, effects(world, count, rng)[:, np.newaxis]))
    return roles


THRESHOLD = 1.2
"""Difficulty from which a record is predicted wrongly: about one in seven."""


def loss_evidence(world, kind, counts, n, rng):
    """Losses of 0 and 1, or Brier losses of a true class."""
    roles = [own + training for own, training in latent(world, counts, n, rng)]
    if kind == "0/1":
        values = [(each > THRESHOLD).astype(float) for each in roles]
    else:
        values = [ndtr(each - THRESHOLD) ** 2 for each in roles]
    return CrossedDifferences.from_losses(*values)


def auc_evidence(world, kind, counts, n, rng):
    """Areas under the curve with the influences of the records."""
    y = rng.permutation(np.arange(n) % 2)
    sides = []
    for own_part, training in latent(world, counts, n, rng):
        # A training separates the classes less, or better, by its effect.
        scores = own_part + (1.5 - training) * y
        prepared = [AreaUnderCurve().prepared(y, own, np.arange(n)) for own in scores]
        ones = np.ones((1, n), dtype=np.int32)
        areas = [float(each.values(ones)[0]) for each in prepared]
        sides.append((areas, np.stack([each.slopes(ones)[0] for each in prepared])))
    design = "paired trainings" if counts[0] == counts[1] else "separate trainings"
    return CrossedDifferences.from_influences(*sides, measure="roc_auc", design=design)


def first_pair(evidence, mcnemar):
    """P-value of the first training of both by McNemar's test, of losses of 0 and 1."""
    champion, challenger = evidence.champion[0], evidence.challenger[0]
    only_champion = float(((champion == 0) & (challenger == 1)).sum())
    only_challenger = float(((champion == 1) & (challenger == 0)).sum())
    return float(mcnemar(np.array([only_champion]), np.array([only_challenger]))[0])
