"""Resamples of the records of a hold-out set, and influences of the records."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ScoredPair
from skcompare.stats.core._result import PairedResult, Tested, result_of
from skcompare.stats.scores._confusion_scores import CellScores, CountScore
from skcompare.stats.scores._permutation_null import blocks_of

CHUNK = 1 << 19
"""Largest number of weights in memory at a time."""

BLOCK = 1 << 14
"""Number of units to draw at a time, so that their counts stay in the first cache."""

RESAMPLES = (9999, 999, 199, 99)
"""Default numbers of resamples, decreasing with the number of records."""

QUICK = (50_000, 500_000, 5_000_000)
STUDENTISED = (2000, 20_000, 100_000)
LOOPED = (0, 10_000, 100_000)
"""Most records for each number but the last, so that a test takes about 20 seconds."""

PARTS, MANY_PARTS = 50, 200
"""Numbers of parts to leave out, one at a time, for a score without derivatives."""

WHOLE = 2000
"""Largest number of units to leave out one by one in a jackknife test."""

MOST_PARTED = 10_000
"""Number of records above which there are fewer parts."""


def default_resamples(pair: ScoredPair, studentised: bool = False) -> int:
    """Default number of resamples for a score."""
    limits = LOOPED if pair.score.looped else STUDENTISED if studentised else QUICK
    return RESAMPLES[bisect_left(limits, pair.n)]


def generator(random_state: Any) -> np.random.Generator:
    """Return a fast random number generator, seeded like scikit-learn's."""
    seed = check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(seed)


def parts(total: int, n: int) -> Iterator[int]:
    """Return batch sizes of resamples of n records that fit into memory."""
    return blocks_of(total, max(1, CHUNK // max(1, n)))


def check_scored(pair: ScoredPair) -> tuple[float, float]:
    """Return both scores; raise an error if undefined, or for fewer than two groups."""
    if pair.groups is not None and pair.n_units < 2:
        raise ValueError(
            "Resampling whole groups needs at least 2 of them. Got 1 group. One group says "
            "nothing of new ones: collect more, or leave `groups` out if the records are "
            "unrelated after all."
        )
    values = pair.values
    if not np.isfinite(values).all():
        text = pair.why_undefined.rstrip(".")
        reason = f"It says: {text}." if text else "It may need a class that is not there."
        raise ValueError(
            f"The score {pair.score.name!r} must be a finite number for both classifiers. "
            f"Got {values[0]} and {values[1]}. {reason} Choose another score, or a "
            "hold-out set that it is defined for."
        )
    return values


def scored_result(
    scored: ScoredPair,
    values: tuple[float, float],
    tested: Tested,
    *,
    flags: tuple[str, ...],
    **fields: Any,
) -> PairedResult:
    """Return the result of a test of a score, with the fields that all such tests share."""
    statistic, tail, own_flags = tested
    return result_of(
        statistic,
        tail,
        roles=values,
        estimate_name=f"difference of {scored.score.name}",
        greater_is_better=scored.greater_is_better,
        flags=(*flags, *own_flags),
        **fields,
    )


def n_groups(scored: ScoredPair) -> dict[str, float]:
    """Number of groups, as a detail of a result, if there are any."""
    return {} if scored.groups is None else {"groups": float(scored.n_units)}


def resampled_differences(
    pair: ScoredPair, n_resamples: int, stratify: bool, rng: np.random.Generator
) -> FloatArray:
    """Score differences on resamples, with replacement, of records or whole groups.

    They are NaN where the score is undefined.
    """
    champion, challenger = pair.prepared()
    units, n_units = pair.units, pair.n_units
    strata: Sequence[IntArray] = [np.arange(n_units)]
    if stratify:
        strata = [np.flatnonzero(pair.y == code) for code in np.unique(pair.y)]
    differences = []
    for size in parts(n_resamples, pair.n):
        weights = _drawn_counts(strata, n_units, size, rng)
        if pair.groups is not None:
            weights = weights.take(units, axis=1)
        differences.append(challenger.values(weights) - champion.values(weights))
    return pair.sign * np.concatenate(differences)


def _drawn_counts(
    strata: Sequence[IntArray], n_units: int, size: int, rng: np.random.Generator
) -> IntArray:
    """Counts of the units in resamples, drawn within strata of fixed size."""
    if n_units > BLOCK:
        return np.stack([_one_resample(strata, n_units, rng) for _ in range(size)])
    starts = n_units * np.arange(size)[:, np.newaxis]
    if len(strata) == 1:
        units = rng.integers(n_units, size=(size, n_units))
    else:
        units = np.concatenate(
            [s[rng.integers(len(s), size=(size, len(s)))] for s in strata], axis=1
        )
    units += starts
    counts = np.bincount(units.reshape(-1), minlength=size * n_units)
    return counts.reshape(size, n_units).astype(np.int32)


def _one_resample(
    strata: Sequence[IntArray], n_units: int, rng: np.random.Generator
) -> IntArray:
    """Counts of many units in one resample, drawn block by block."""
    counts = np.empty(n_units, dtype=np.int32)
    for stratum in strata:
        n = len(stratum)
        starts = np.arange(0, n, BLOCK)
        lengths = np.diff(starts, append=n)
        blocks = [
            np.bincount(rng.integers(length, size=size, dtype=np.uint16), minlength=length)
            for length, size in zip(lengths, rng.multinomial(n, lengths / n))
        ]
        counts[stratum if len(strata) > 1 else slice(None)] = np.concatenate(blocks)
    return counts


def left_out(pair: ScoredPair, rng: np.random.Generator, whole: int = WHOLE) -> FloatArray:
    """Leave-one-out scores of both roles, by unit or, for many units, by part.

    The shape is (2, n_parts), with NaN where a score is undefined. Up to `whole` units are
    left out one by one; for more there are up to 200 random parts, and 50 for many records.
    """
    champion, challenger = pair.prepared()
    n_parts = pair.n_units
    if n_parts == 1:
        return np.full((2, 1), np.nan)
    if n_parts > whole:
        n_parts = min(n_parts, PARTS if pair.n > MOST_PARTED else MANY_PARTS)
    part = pair.units
    if n_parts < pair.n_units:
        part = rng.permutation(np.arange(pair.n_units) % n_parts)[part]
    scores = []
    for start in range(0, n_parts, step := max(1, CHUNK // pair.n)):
        is_left_out = np.arange(start, min(n_parts, start + step))[:, np.newaxis] == part
        weights = (~is_left_out).astype(np.int32)
        scores.append([champion.values(weights), challenger.values(weights)])
    return np.concatenate(scores, axis=1)


def influences(pair: ScoredPair, rng: np.random.Generator) -> FloatArray:
    """Influence of each unit on the difference, whose variance is the sum of squares.

    Influences are derivatives by the weights of the records (the infinitesimal jackknife).
    A score without these is computed again without each of up to 200 random parts of the
    units (the delete-a-group jackknife), 50 for many records; the influences are then those
    of the parts.
    """
    champion, challenger = pair.prepared()
    ones = np.ones((1, pair.n), dtype=np.int32)
    slopes = champion.slopes(ones), challenger.slopes(ones)
    if slopes[0] is not None and slopes[1] is not None:
        influence = pair.sign * (slopes[1] - slopes[0])[0]
        return np.bincount(pair.units, influence, pair.n_units).astype(np.float64)
    if pair.n_units < 2:
        return np.zeros(1)
    champion_scores, challenger_scores = left_out(pair, rng, whole=0)
    without = pair.sign * (challenger_scores - champion_scores)
    without = without[np.isfinite(without)]
    if len(without) < 2:
        return np.zeros(1)
    k = len(without)
    return (without.mean() - without) * np.sqrt((k - 1) / k)


@dataclass(frozen=True, slots=True)
class ResampledCounts:
    """Score of predicted labels, such as F1, with 0 / 0 counted as 0.

    Parameters
    ----------
    score : CountScore
        The score.
    n_classes : int
        Number of classes; predictions are codes below it.
    """

    score: CountScore
    n_classes: int

    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name of the score."""
        return self.score.name

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest value of the score."""
        greatest = self.score.bounds[1]
        return 1 - greatest, 1.0

    def on_one_scale(self, predictions: IntArray) -> IntArray:
        """Return the labels unchanged."""
        return predictions

    def prepared(self, y: IntArray, predictions: IntArray, rows: IntArray) -> "_Cells":
        """Return the score of the records as a function of their weights."""
        codes = y.astype(np.int64) * self.n_classes + predictions
        cells, where = np.unique(codes, return_inverse=True)
        where = where.reshape(-1)
        order = np.argsort(where, kind="stable")
        starts = np.searchsorted(where[order], np.arange(len(cells)))
        return _Cells(self, cells, where, order, starts)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Records grouped into cells of true class and prediction."""

    kind: ResampledCounts
    cells: IntArray
    where: IntArray
    order: IntArray
    starts: IntArray

    def _scored(self, weights: IntArray) -> CellScores:
        counts = np.add.reduceat(weights.take(self.order, axis=1), self.starts, axis=1)
        truth, prediction = np.divmod(self.cells, self.kind.n_classes)
        n_classes = self.kind.n_classes
        records = counts.astype(np.float64)
        return self.kind.score.of_cells(truth, prediction, records, n_classes)

    def values(self, weights: IntArray) -> FloatArray:
        """Return the score for each row of weights."""
        return self._scored(weights).values

    def slopes(self, weights: IntArray) -> FloatArray:
        """Return derivatives with respect to each weight, one row per row of weights."""
        return self._scored(weights).slopes.take(self.where, axis=1)
