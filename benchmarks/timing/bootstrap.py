"""Paired bootstrap and permutation of a score against loops over scikit-learn's metrics.

The loop resamples the records and calls the metric for both classifiers, which is what one
writes by hand; it runs fewer resamples, and the time of one is compared. The generic scorer
is a metric that skcompare does not know, so that its own loop calls it too: the ratio is
the cost of that loop beside the metric. Run

    python -m benchmarks.timing.bootstrap

or with ``--help`` for the options. Times are the least of several runs in turn, so that
both sides meet the same machine.
"""

import argparse

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from skcompare.evidence import ScoredPair
from skcompare.stats import bootstrap_difference, permutation_difference

from .made import least_times


def predictions(n, seed=0):
    """Truth and two scores of it."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, *(y + rng.normal(size=(2, n)))


def loop(metric, y, champion, challenger, n_resamples, seed=0):
    """Differences of resamples, as one writes them by hand."""
    rng = np.random.default_rng(seed)
    differences = np.empty(n_resamples)
    for r in range(n_resamples):
        drawn = rng.integers(len(y), size=len(y))
        truth = y[drawn]
        differences[r] = metric(truth, challenger[drawn]) - metric(truth, champion[drawn])
    return np.quantile(differences, [0.025, 0.975])


def exchanges(metric, y, champion, challenger, n_resamples, seed=0):
    """Differences of exchanges, as one writes them by hand."""
    rng = np.random.default_rng(seed)
    differences = np.empty(n_resamples)
    for r in range(n_resamples):
        swapped = rng.random(len(y)) < 0.5
        first = np.where(swapped, challenger, champion)
        second = np.where(swapped, champion, challenger)
        differences[r] = metric(y, second) - metric(y, first)
    return differences


def partial_area(y, scores):
    """A score that skcompare does not know."""
    return roc_auc_score(y, scores, max_fpr=0.2)


def compared(title, ours, n_ours, peer, n_peer, repeats, limit):
    """Print the time of one resample of both, and how often ours goes into theirs."""
    own, other = least_times(repeats, ours, peer)
    own, other = own / n_ours, other / n_peer
    print(
        f"{title}: {1e6 * own:.1f} µs a resample, loop {1e6 * other:.1f} µs, "
        f"{other / own:.1f} times as fast (limit {limit:g})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--resamples", type=int, default=9999)
    parser.add_argument("--looped", type=int, default=100, help="resamples of the loop")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    many, few = options.resamples, options.looped
    # bootstrap_difference asks for as many.
    most = max(few, 99)
    for n in options.sizes:
        data = predictions(n)
        for name, metric, limit in (
            ("roc_auc", roc_auc_score, 15),
            ("average_precision", average_precision_score, 15),
        ):
            pair = ScoredPair.from_predictions(*data, score=name)
            compared(
                f"bootstrap of {name}, n = {n}",
                lambda pair=pair: bootstrap_difference(
                    pair, n_resamples=many
                ).confidence_interval(),
                many,
                lambda metric=metric, data=data: loop(metric, *data, few),
                few,
                options.repeats,
                limit,
            )
            compared(
                f"permutation of {name}, studentised, n = {n}",
                lambda pair=pair: permutation_difference(pair, n_resamples=many // 5),
                many // 5,
                lambda metric=metric, data=data: exchanges(metric, *data, few),
                few,
                options.repeats,
                1,
            )
        generic = ScoredPair.from_predictions(*data, score=partial_area)
        compared(
            f"bootstrap of a generic scorer, n = {n}",
            lambda generic=generic: bootstrap_difference(generic, n_resamples=most),
            most,
            lambda data=data: loop(partial_area, *data, few),
            few,
            options.repeats,
            0.67,
        )


if __name__ == "__main__":
    main()
