"""Copies of one algorithm on real records, of which only the seeds differ.

The records stay the same; splits and seeds are drawn anew. The copies are exchangeable, so
that whatever tells two of them apart is wrong.
"""

import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.validity.several.several_algorithms_decisions import ALPHA
from benchmarks.validity.splits.bcv_catalogue_rules import CHOSEN, PUBLISHED
from skcompare import MultipleComparator

N_COPIES = 5
FLAG = "unstable-training"


def _unscaled(seed):
    return SGDClassifier(random_state=seed)


def _scaled(seed):
    return make_pipeline(StandardScaler(), SGDClassifier(random_state=seed))


COPIES = {
    "SGD, features as they are": _unscaled,
    "SGD, features scaled": _scaled,
}


def shares(make, n_draws, seed, n_jobs):
    """An array (draws, tests, 3) of what `_told` says of each test."""
    seeds = np.random.SeedSequence(seed).generate_state(n_draws * (N_COPIES + 1))
    drawn = (seeds.reshape(n_draws, -1) // 2).tolist()
    return np.array(Parallel(n_jobs)(delayed(_found)(make, one) for one in drawn))


def _found(make, seeds):
    """By the default, and by `bcv_mcnemar`."""
    first, *own = seeds
    copies = [(f"copy{i}", make(one)) for i, one in enumerate(own)]
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        comparator = MultipleComparator(copies, tests=PUBLISHED, random_state=first)
        comparator.fit(*load_breast_cancer(return_X_y=True))
    return [_told(comparator.results_[name]) for name in (CHOSEN, PUBLISHED)]


def _told(comparison):
    """Any pair rejected, and the shares of pairs with p < .05 and of those flagged."""
    pairs = comparison.pairs
    return [
        any(row.beats(ALPHA) for row in pairs),
        np.mean([row.pvalue < ALPHA for row in pairs]),
        np.mean([FLAG in row.flags for row in pairs]),
    ]
