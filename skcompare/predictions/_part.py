"""The answers to some records of a hold-out set."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skcompare.predictions._predictions import PairedPredictions


def part_of(pair: PairedPredictions, keep: NDArray[np.bool_]) -> PairedPredictions:
    """The answers to the records that are kept; classes stay as they are.

    Parameters
    ----------
    pair : PairedPredictions
        Answers to a hold-out set.
    keep : ndarray of bool of shape (n_samples,)
        Which records are kept.
    """
    predictions = pair.predictions
    if predictions.records is not None or predictions.bounds is not None:
        raise ValueError(
            f"Slices are taken of a hold-out set. Got {pair.design}. Compare trained "
            "classifiers on records that neither has seen."
        )
    champion, challenger = (role.part(keep) for role in pair.roles)
    groups = predictions.groups
    if groups is not None:
        groups = np.unique(groups[keep], return_inverse=True)[1]
    kept = replace(
        predictions,
        y=None if predictions.y is None else predictions.y[keep],
        answers=(champion, challenger),
        groups=groups,
    )
    return PairedPredictions(kept, champion, challenger)
