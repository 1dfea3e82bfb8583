"""Answers of two classifiers with known precisions, and decisions for arrays of tables.

`skcompare.stats` takes one table at a time. Here many are decided by the same formulas;
``precision.py`` checks on a part of them that both agree.
"""

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from skcompare.evidence import JointCounts
from skcompare.evidence.labels._class_moments import ClassMoments
from skcompare.stats import (
    precision_both_scores,
    precision_difference,
    precision_score,
    precision_wald,
    precision_weighted_score,
    relative_precision,
    score_difference,
)
from skcompare.stats.precision._precision_statistics import (
    both_scores,
    generalized_score,
    log_odds_contrast,
    log_ratio_contrast,
    mancl_derouen,
    predicted_alike,
    share_contrast,
    weighted_generalized_score,
)

RESAMPLES = 999
ROUNDING = 1e-12

FORMULAS = {
    "both scores": both_scores,
    "weighted score": weighted_generalized_score,
    "score": generalized_score,
    "difference": share_contrast,
    "difference, Mancl-DeRouen": lambda m: share_contrast(m, mancl_derouen(m)),
    "odds ratio": log_odds_contrast,
    "odds ratio, Mancl-DeRouen": lambda m: log_odds_contrast(m, mancl_derouen(m)),
    "ratio": log_ratio_contrast,
    "ratio, Mancl-DeRouen": lambda m: log_ratio_contrast(m, mancl_derouen(m)),
}
CORRECTED = {"correction": "mancl-derouen"}
LIBRARY = {
    "both scores": (precision_both_scores, {}),
    "weighted score": (precision_weighted_score, {}),
    "score": (precision_score, {}),
    "difference": (precision_difference, {}),
    "difference, Mancl-DeRouen": (precision_difference, CORRECTED),
    "odds ratio": (precision_wald, {}),
    "odds ratio, Mancl-DeRouen": (precision_wald, CORRECTED),
    "ratio": (relative_precision, {}),
    "ratio, Mancl-DeRouen": (relative_precision, CORRECTED),
}


def joint_shares(prevalence, precisions, recalls, correlation):
    """Shares of records by truth, answer of the champion and answer of the challenger."""
    latent = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    rates = np.array(recalls)
    odds = (1 - np.array(precisions)) / np.array(precisions)
    false = prevalence * rates * odds / (1 - prevalence)
    shares = np.empty((2, 2, 2))
    for truth, (one, two) in enumerate((false, rates)):
        both = latent.cdf(ndtri([one, two]))
        shares[truth] = [[1 - one - two + both, two - both], [one - both, both]]
    shares = np.maximum(shares, 0.0)  # Of rounding, where one never answers alone.
    return shares * np.array([1 - prevalence, prevalence])[:, np.newaxis, np.newaxis]


def moments_of(tables):
    """Moments of positive answers for tables of shape (..., 2, 2, 2)."""
    predicted = [tables[..., 1, :].sum(axis=-1), tables[..., 1].sum(axis=-1)]
    by_truth = np.stack(predicted, axis=-1)
    rows, hits = by_truth.sum(axis=-2), by_truth[..., 1, :]
    both = tables[..., 1, 1]
    return ClassMoments(
        rows,
        hits,
        _products(rows, both.sum(axis=-1)),
        _products(hits, both[..., 1]),
        _products(hits, both[..., 1]),
    )


def _products(own, common):
    found = np.empty((*own.shape, 2), dtype=own.dtype)
    found[..., 0, 1] = found[..., 1, 0] = common
    found[..., 0, 0], found[..., 1, 1] = own[..., 0], own[..., 1]
    return found


def formula_roots(tables):
    """Signed roots of the statistics of all formulas; NaN where p is undefined."""
    moments = moments_of(tables)
    roots = np.stack([contrast(moments).root for contrast in FORMULAS.values()])
    roots = np.where(np.isfinite(roots), roots, np.nan)
    return np.where(predicted_alike(moments), 0.0, roots)


def difference_in_errors(tables, truth=0.0):
    """Difference of precisions less `truth` in standard errors, as `score_difference`.

    The precision of a classifier without positive answers is 0 there.
    """
    first, second = tables[..., 1, :].sum(axis=-1), tables[..., 1].sum(axis=-1)
    shares, inverses = [], []
    for predictions in (first, second):
        total = predictions.sum(axis=-1)
        inverses.append(np.where(total > 0, 1 / np.maximum(total, 1), 0.0))
        shares.append(predictions[..., 1] * inverses[-1])
    (p, q), (u, v) = shares, inverses
    both = tables[..., 1, 1]
    common = both[..., 1] * (1 - p) * (1 - q) + both[..., 0] * p * q
    variance = p * (1 - p) * u + q * (1 - q) * v - 2 * common * u * v
    distance = q - p - truth
    # Equal shares may differ by rounding, which must not break ties with others.
    distance = np.where(np.abs(distance) <= ROUNDING, 0.0, distance)
    fixed = variance <= ROUNDING * (u + v)
    still = np.where(distance == 0, 0.0, np.copysign(np.inf, distance))
    return np.where(fixed, still, distance / np.sqrt(np.where(fixed, 1.0, variance)))


def exchanged(table, outcomes):
    """Tables in which some records with different answers have them exchanged.

    `outcomes` of shape (n_outcomes, 2) says how many of each class then are only the
    champion's positive answers.
    """
    tables = np.broadcast_to(table, (len(outcomes), 2, 2, 2)).copy()
    tables[:, :, 1, 0] = outcomes
    tables[:, :, 0, 1] = table[:, 0, 1] + table[:, 1, 0] - outcomes
    return tables


def permutation_roots(tables, truth, rng):
    """Normal quantiles of p-values of permutation, with the sign of the difference.

    Of the difference less `truth`, compared with the distribution for no difference.
    """
    observed = difference_in_errors(tables, truth)
    totals = tables[..., 0, 1] + tables[..., 1, 0]
    tails = np.empty(len(tables))
    for i, (table, total, value) in enumerate(zip(tables, totals, np.abs(observed))):
        drawn = exchanged(table, rng.binomial(total, 0.5, (RESAMPLES, 2)))
        beyond = np.abs(difference_in_errors(drawn)) >= value * (1 - ROUNDING)
        tails[i] = (1 + beyond.sum()) / (RESAMPLES + 1)
    return -np.sign(observed) * ndtri(tails / 2)


def library_gap(tables):
    """Greatest difference of p-values between the library and the arrays used here."""
    roots = formula_roots(tables)
    gap = 0.0
    for table, of_table in zip(tables, roots.T):
        counts = JointCounts(table, [0, 1])
        found = [test(counts, **words).pvalue for test, words in LIBRARY.values()]
        gap = max(gap, _gap(np.array(found), 2 * ndtr(-np.abs(of_table))))
        totals = table[:, 0, 1] + table[:, 1, 0]
        if np.prod(totals + 1.0) > 1000:
            continue
        # All outcomes and how likely they are, where they are few.
        outcomes = np.stack(np.unravel_index(np.arange(np.prod(totals + 1)), totals + 1), 1)
        sizes = np.abs(difference_in_errors(exchanged(table, outcomes)))
        likely = np.prod(
            [binomial_shares(n)[k] for n, k in zip(totals, outcomes.T)], axis=0
        )
        observed = np.abs(difference_in_errors(table))
        exact = likely[sizes >= observed * (1 - ROUNDING)].sum()
        result = score_difference(counts, score="precision", method="permutation")
        gap = max(gap, abs(result.pvalue - exact))
    return gap


def binomial_shares(n):
    shares = np.ones(1)
    for _ in range(n):
        shares = np.convolve(shares, [0.5, 0.5])
    return shares


def _gap(found, expected):
    gaps = np.nan_to_num(found, nan=2.0) - np.nan_to_num(expected, nan=2.0)
    return float(np.abs(gaps).max())
