"""Scores of confusion matrices, by the cells that scores are functions of."""

import numpy as np


def cells_of(score, confusion):
    """Scores and slopes of matrices of shape (..., n_classes, n_classes)."""
    table = np.asarray(confusion, dtype=float)
    n_classes = table.shape[-1]
    truth, prediction = np.divmod(np.arange(n_classes**2), n_classes)
    counts = table.reshape(-1, n_classes**2)
    return score.of_cells(truth, prediction, counts, n_classes)


def score_of(score, confusion):
    """Score of confusion matrices, one number each."""
    return cells_of(score, confusion).values.reshape(np.shape(confusion)[:-2])


def gradient_of(score, confusion):
    """Slopes with respect to the counts of confusion matrices, in their shape."""
    return cells_of(score, confusion).slopes.reshape(np.shape(confusion))
