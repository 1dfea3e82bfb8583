"""Common parts of tests of score differences: rounding, edge cases, limits, results."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import FloatArray
from skcompare.evidence import BlockDifferences, ScoreDifferences
from skcompare.stats.core._limits import DIFFERENCE, UNBOUNDED, Pair
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.splits._rules import NOISE

LIBERAL = "liberal"
UNDEFINED = "undefined-in-split"

SHARES = frozenset(
    {
        "accuracy",
        "average_precision",
        "balanced_accuracy",
        "f1",
        "jaccard",
        "precision",
        "recall",
        "roc_auc",
    }
)
"""Scores between 0 and 1, whose differences are at most 1."""

Scores = BlockDifferences | ScoreDifferences

split_test = partial(paired_test, measures=ANY_SCORE)
"""Register a test of the score differences of splits, of any score."""


def check_splits(scores: ScoreDifferences, test: str, least: int = 2) -> None:
    """Check that there are enough splits for a variance."""
    if scores.values.size < least:
        raise ValueError(
            f"{test} needs the differences of at least {least} splits. Got "
            f"{scores.values.size}. One split says nothing of how others vary: split "
            "again, or test the one on its records by mcnemar or paired_t."
        )


def check_halves(scores: ScoreDifferences, test: str, n_repeats: int | None = None) -> None:
    """Check that there are differences of both halves of each repetition."""
    shape = scores.values.shape
    in_halves = len(shape) == 2 and shape[1] == 2
    if not in_halves or (shape[0] != n_repeats if n_repeats else shape[0] < 2):
        needed = f"({n_repeats or 'n_repeats'}, 2)"
        raise ValueError(
            f"{test} needs the differences of both halves of "
            f"{n_repeats or 'at least 2'} repetitions, shape {needed}. Got {shape}. Train "
            "on each half, test on the other, and give the two differences in one row."
        )


def without_rounding(scores: ScoreDifferences) -> tuple[FloatArray, float]:
    """Return the differences of all splits, and the rounding tolerance.

    0.1 + 0.2 differs from 0.3, and such differences are set to 0: those below 1e-12 of the
    scores, or 1e-12 where the scores are unknown and the differences not above 1.
    """
    values = scores.values
    if scores.champion is None or scores.challenger is None:
        size = max(1.0, _largest(values))
    else:
        size = max(_largest(scores.champion), _largest(scores.challenger))
    noise = NOISE * size
    return np.where(np.abs(values) <= noise, 0.0, values), noise


def _largest(values: FloatArray | float) -> float:
    """Largest absolute value, ignoring NaN."""
    return float(np.fmax.reduce(np.abs(values), axis=None))


def wald_of(scores: Scores, estimate: Any, error: Any, df: float | None) -> Wald:
    """Wald test of a difference, with limits within the range of the score."""
    return Wald(float(estimate), float(error), df, range_of(scores))


def means_of(
    scores: ScoreDifferences, mean: Callable[[FloatArray], Any]
) -> tuple[float, float]:
    """Mean scores of champion and challenger, as the estimate has them; NaN if unknown."""
    champion, challenger = (
        math.nan if role is None else float(mean(role))
        for role in (scores.champion, scores.challenger)
    )
    return champion, challenger


def range_of(scores: Scores) -> Pair:
    """Range of the score difference; unbounded if unknown."""
    champion, challenger = scores.champion, scores.challenger
    if scores.score not in SHARES or champion is None or challenger is None:
        return UNBOUNDED
    least = min(float(np.fmin.reduce(role, axis=None)) for role in (champion, challenger))
    most = max(_largest(champion), _largest(challenger))
    return DIFFERENCE if 0 <= least and most <= 1 else UNBOUNDED


def wald_result(
    scores: Scores,
    wald: Wald,
    alternative: str,
    flags: tuple[str, ...] = (),
    **options: Any,
) -> PairedResult:
    """Return the result of a Wald test of a score difference."""
    undefined = (UNDEFINED,) if math.isnan(wald.error) else ()
    return score_result(scores, **wald.fields(alternative, (*undefined, *flags)), **options)


def score_result(scores: Scores, **options: Any) -> PairedResult:
    """Return the result of a test of score differences.

    `options` are the other fields of the result. By default the values of both roles are
    their means over the splits.
    """
    flags = dict.fromkeys((*options.pop("flags"), *scores.flags))
    champion, challenger = options.pop("means", None) or scores.means
    defined = not (math.isnan(champion) or math.isnan(challenger))
    kind = "difference" if scores.greater_is_better else "gain"
    return PairedResult(
        estimate_name=f"{kind} in {scores.score}",
        champion=champion if defined else None,
        challenger=challenger if defined else None,
        greater_is_better=scores.greater_is_better,
        flags=tuple(flags),
        **options,
    )
