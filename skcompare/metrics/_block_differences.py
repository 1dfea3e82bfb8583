"""Differences of two scores by repetition and block of a block-regularized CV."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from skcompare._registry.losses import loss_of
from skcompare._typing import FloatArray
from skcompare.evidence import BlockDifferences, ScoreDifferences
from skcompare.evidence._block_differences import halves_of
from skcompare.metrics._measures import Measure
from skcompare.metrics._record_differences import record_differences
from skcompare.metrics._scores import score_differences, score_of_part
from skcompare.metrics._undefined import Watch
from skcompare.predictions import PairedPredictions
from skcompare.stats._count_scores import COUNT_SCORES

LEAST_OF_A_CLASS = 10

FEW_IN_A_HALF = "few-of-a-class-in-a-half"
POOLED = "pooled-over-splits"


def block_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    known: dict[Any, Any] | None = None,
) -> BlockDifferences:
    """Score both roles on every half, and take the differences block by block.

    A score of counts that is undefined on a test set (precision where nothing is predicted
    positive) is that of the counts of all test sets together. Another one is NaN there, and
    its variance is unknown, as it is for a score without a formula.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions of a block-regularized cross-validation.
    measure : Measure
        What is compared.
    pos_label : label, optional
        The positive one of two classes.
    known : dict, optional
        Scores of the same predictions, as for :func:`score_differences`.
    """
    splits = score_differences(pair, measure, pos_label, known=known)
    flags = list(splits.flags)
    if splits.n_undefined and measure.metric in COUNT_SCORES:
        differences, means, has_formula = _pooled(pair, measure, pos_label)
        if np.isfinite(means).all():
            flags = [POOLED if flag == "undefined-in-split" else flag for flag in flags]
    else:
        differences, means, has_formula = _of_splits(pair, measure, pos_label, splits)
    if _has_few_in_a_half(pair, measure):
        flags.append(FEW_IN_A_HALF)
    in_first, place = halves_of(pair)
    sign = 1 if measure.greater_is_better else -1
    blocks = BlockDifferences.from_records(
        sign * differences[place],
        in_first,
        strata=pair.predictions.y,
        groups=pair.predictions.groups,
        champion=means[0],
        challenger=means[1],
        flags=tuple(flags),
        score=measure.subject,
        greater_is_better=measure.greater_is_better,
    )
    return blocks if has_formula else replace(blocks, variance=math.nan)


def _of_splits(
    pair: PairedPredictions, measure: Measure, pos_label: Any, splits: ScoreDifferences
) -> tuple[FloatArray, tuple[float, ...], bool]:
    """What each prediction adds on its test set, the mean scores, and if this is known.

    Without a formula each prediction stands for the difference on its test set.
    """
    predictions = pair.predictions
    both = np.reshape([splits.champion, splits.challenger], (2, -1))
    known = np.isfinite(both).all(axis=0)
    differences = np.repeat(both[1] - both[0], predictions.n_test)
    has_formula = True
    for part, scores in zip(predictions.slices(), both.T, strict=True):
        found = record_differences(pair, measure, pos_label, part, (*scores,))
        if found is None:
            has_formula = False
        else:
            differences[part] = found
    weights = predictions.n_test * known
    means = np.where(known, both, 0) @ weights / weights.sum()
    return differences, tuple(means.tolist()), has_formula


def _pooled(
    pair: PairedPredictions, measure: Measure, pos_label: Any
) -> tuple[FloatArray, tuple[float, ...], bool]:
    """The same from the counts of all test sets together."""
    predictions = pair.predictions
    n = int(predictions.n_test.sum())
    means = tuple(
        score_of_part(predictions, role, measure, pos_label, slice(0, n), Watch())
        for role in pair.roles
    )
    found = record_differences(pair, measure, pos_label, slice(0, n), means)
    if found is None:
        return np.full(n, means[1] - means[0]), means, False
    return found, means, True


def _has_few_in_a_half(pair: PairedPredictions, measure: Measure) -> bool:
    """Whether a half has few records of a class, for a score that counts them apart."""
    if measure.metric == "accuracy" or loss_of(measure.metric) is not None:
        return False
    predictions = pair.predictions
    y, n_classes = predictions.y_answered(), len(predictions.classes)
    counts = [np.bincount(y[part], minlength=n_classes) for part in predictions.slices()]
    return int(np.min(counts)) < LEAST_OF_A_CLASS
