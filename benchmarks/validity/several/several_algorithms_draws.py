"""Data sets of several algorithms, split, learned from and decided.

The learners and measures under 5×2 block-regularized cross-validation are those of
``bcv_catalogue.py``, and under 10-fold cross-validation those of ``score_resampling.py``.
"""

from dataclasses import dataclass, field, fields

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.validity.several.several_algorithms_decisions import (
    N_REPEATS,
    N_SPLITS,
    PUBLISHED,
    SIZES,
    Outcome,
    bcv_decisions,
    pairs_of,
    t_pvalues,
)
from benchmarks.validity.several.several_algorithms_worlds import (
    N_CLASSIFIERS,
    draw_columns,
)
from benchmarks.validity.splits.bcv_learners import Splits, fit
from benchmarks.validity.splits.bcv_measures import LOSSES, MEASURES, Folds, measure, table
from benchmarks.validity.splits.bcv_worlds import draw_blocks, draw_classes, halves_of
from benchmarks.validity.splits.score_resampling import MEASURES as KFOLD_MEASURES
from benchmarks.validity.splits.score_resampling import folds as kfolds
from benchmarks.validity.splits.score_resampling import log_odds, nearest, scores
from skcompare.stats.splits._resampled_t import t_of_splits

PART = 500
RECORDS_AT_A_TIME = 20_000


def outcomes(settings, draw, args, *stream):
    """Of every setting the outcomes by (measure, k), and mean values by measure.

    Parts of the data sets have their own seeds, so that `n_jobs` changes nothing.
    """
    jobs = [
        (i, setting, size)
        for i, setting in enumerate(settings)
        for size in _parts(max(1, round(args.draws * setting.part)))
    ]
    seeds = np.random.SeedSequence([args.seed, *stream]).spawn(len(jobs))
    found = Parallel(args.n_jobs)(
        delayed(_part)(draw, setting, size, one)
        for (_, setting, size), one in zip(jobs, seeds)
    )
    return [
        _joined([part for part, (j, _, _) in zip(found, jobs) if j == i])
        for i in range(len(settings))
    ]


def _parts(n_draws):
    return [min(PART, n_draws - start) for start in range(0, n_draws, PART)]


def _part(draw, setting, n_draws, seed):
    with threadpool_limits(1), np.errstate(divide="ignore", invalid="ignore"):
        found = draw(setting, n_draws, np.random.default_rng(seed))
    first, second = pairs_of(N_CLASSIFIERS)
    decided = {}
    for name, pvalues in found.pvalues.items():
        gaps = found.values[name][:, second] - found.values[name][:, first]
        flags = found.flags.get(name, np.zeros(gaps.shape, dtype=bool))
        for k in SIZES:
            one_better = bool(setting.gain)
            decided[name, k] = Outcome.of(pvalues, gaps, flags, k, one_better)
    return decided, found.values


def _joined(parts):
    decided = {
        key: Outcome(
            **{
                one.name: np.concatenate([getattr(o[key], one.name) for o, _ in parts])
                for one in fields(Outcome)
            }
        )
        for key in parts[0][0]
    }
    values = {
        name: np.concatenate([part[name] for _, part in parts]).mean(axis=0)
        for name in parts[0][1]
    }
    return decided, values


@dataclass(frozen=True)
class Found:
    """P-values and flags (draws, pairs) and values (draws, classifiers) by measure.

    Values are such that greater is better.
    """

    pvalues: dict
    values: dict
    flags: dict = field(default_factory=dict)

    @classmethod
    def joined(cls, parts):
        both = (
            {name: np.concatenate([held[name] for held in one]) for name in one[0]}
            for one in zip(*((part.pvalues, part.values, part.flags) for part in parts))
        )
        return cls(*both)


def bcv(setting, n_draws, rng):
    """Data sets under 5×2 block-regularized cross-validation."""
    batch = max(1, RECORDS_AT_A_TIME // setting.n)
    return Found.joined(
        [
            _bcv_batch(setting, min(batch, n_draws - start), rng)
            for start in range(0, n_draws, batch)
        ]
    )


def _bcv_batch(setting, n_draws, rng):
    y = draw_classes(setting.world, n_draws, rng)
    blocks = draw_blocks(setting.world, y, rng)
    features = draw_columns(setting, y, rng)
    halves = halves_of(blocks, N_REPEATS)
    splits = Splits(y, halves, 2, setting.n_classes, rng)
    return bcv_found(
        [fit(setting.learner, x, splits, {}) for x in features], splits, blocks
    )


def bcv_found(predictions, splits, blocks):
    """What follows from the probabilities of all classifiers."""
    folds = Folds(splits)
    found = [measure(each, splits, folds) for each in predictions]
    pvalues, flags = bcv_decisions(
        table(found[i], found[j], folds, blocks, splits.y)
        for i, j in zip(*pairs_of(len(found)))
    )
    for each in pvalues.values():
        each[~splits.usable] = np.nan
    means = np.stack([one.values.mean(axis=(1, 2)) for one in found], axis=1)
    sign = np.where(np.isin(MEASURES, LOSSES), -1, 1)
    values = {name: sign[i] * means[..., i] for i, name in enumerate(MEASURES)}
    values[PUBLISHED] = values["accuracy"]
    return Found(pvalues, values, flags)


def kfold(setting, n_draws, rng):
    """The same by the corrected t test of 10-fold cross-validation."""
    y = np.repeat([0, 1], setting.n // 2)
    fold_scores = np.empty((n_draws, N_CLASSIFIERS, N_SPLITS, len(KFOLD_MEASURES)))
    for draw in range(n_draws):
        features = draw_columns(setting, y[np.newaxis], rng)
        splits = kfolds(y, N_SPLITS, 1, rng)
        fold_scores[draw] = kfold_scores(setting, [x[0] for x in features], y, splits)
    return kfold_found(fold_scores)


def kfold_scores(setting, features, y, splits):
    """Scores (classifiers, folds, measures) of one data set."""
    near = setting.learner.endswith("NN")
    return np.stack(
        [
            scores(
                log_odds(setting.learner, x, y, splits, nearest(x) if near else None),
                y[splits.test],
            )
            for x in features
        ]
    )


def kfold_found(fold_scores):
    first, second = pairs_of(N_CLASSIFIERS)
    gaps = fold_scores[:, second] - fold_scores[:, first]
    # Differences of rounding are none: counts of few records are never that close.
    gaps = np.moveaxis(np.where(np.abs(gaps) < 1e-12, 0.0, gaps), 2, -1)
    moments = t_of_splits(gaps, ratio=1 / (N_SPLITS - 1))
    pvalues = t_pvalues(moments.estimate, moments.error, moments.df)
    values = fold_scores.mean(axis=2)
    return Found(
        *(
            {name: part[..., i] for i, name in enumerate(KFOLD_MEASURES)}
            for part in (pvalues, values)
        )
    )
