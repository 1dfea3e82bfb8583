"""DeLong's test of two AUCs against sorting and scikit-learn's AUC.

Ours is the whole way from labels and two scores to a p-value with its interval. It is
compared with one call of :func:`sklearn.metrics.roc_auc_score` and with two bare
:func:`numpy.argsort`; ``benchmarks/peers.py`` has other packages.
Continuous scores, probabilities, scores of single precision and rounded ones are ordered in
different ways, so each is timed. The greatest memory is that of all arrays of numpy
(tracemalloc), the input with it, in arrays of one float64 a record. Run

    python -m benchmarks.timing.delong

or with ``--help`` for the options. Times are the least of several runs in turn, so that
all meet the same machine: of the clock, and of the processors together, which tell more
where others use the machine. Two scores are ranked side by side where there are two
processors, so that only the latter counts all the work.
"""

import argparse
import tracemalloc
from time import perf_counter, process_time

import numpy as np
from sklearn.metrics import roc_auc_score

from skcompare.evidence import PlacementValues
from skcompare.stats import delong, delong_joint


def predictions(n, k=2, seed=0):
    """Labels, 30 % positive, and correlated scores of k classifiers."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.int64)
    shared = rng.standard_normal(n)
    return y, [y + shared + rng.standard_normal(n) for _ in range(k)]


def tested(y, *scores):
    """The test from raw arrays, with its interval."""
    placements = PlacementValues.from_predictions(y, *scores)
    if len(scores) > 2:
        return delong_joint(placements).pvalue
    result = delong(placements)
    result.confidence_interval()
    return result.pvalue


def least_times(repeats, *functions):
    """The least time of each function by clock and by processor; they run in turn."""
    times = np.full((repeats, len(functions), 2), np.inf)
    for row in times:
        for k, function in enumerate(functions):
            start = np.array([perf_counter(), process_time()])
            function()
            row[k] = np.array([perf_counter(), process_time()]) - start
    return times.min(axis=0)


def report(title, ours, *peers):
    """A line a clock: our time, and its ratio to each peer with the limit aimed at."""
    for k, clock in enumerate(("clock", "processor")):
        ratios = ", ".join(
            f"{name} {1e3 * time[k]:.1f} ms, ratio {ours[k] / time[k]:.3f} "
            f"(limit {limit:g})"
            for name, time, limit in peers
        )
        print(f"{title}, {clock}: {1e3 * ours[k]:.1f} ms; {ratios}")


def kinds_of_scores(scores):
    """The scores themselves, and what else scores look like."""
    yield "decision scores", scores
    yield "probabilities", [1 / (1 + np.exp(-score)) for score in scores]
    yield "single precision", [score.astype(np.float32) for score in scores]
    yield "two decimals", [np.round(score, 2) for score in scores]
    yield "heavy tails", [np.sinh(4 * score) for score in scores]


def compare_two(n, repeats):
    y, scores = predictions(n)
    for title, pair in kinds_of_scores(scores):
        ours, auc, sorts = least_times(
            repeats,
            lambda pair=pair: tested(y, *pair),
            lambda pair=pair: roc_auc_score(y, pair[0]),
            lambda pair=pair: [np.argsort(np.asarray(s, dtype=float)) for s in pair],
        )
        report(
            f"delong, {n:,} records, {title}",
            ours,
            ("roc_auc_score", auc, 0.5),
            ("two argsorts", sorts, 3),
        )


def compare_several(n, k, repeats):
    y, scores = predictions(n, k)
    ours, sorts = least_times(
        repeats, lambda: tested(y, *scores), lambda: [np.argsort(score) for score in scores]
    )
    report(f"delong_joint, {n:,} records, {k} curves", ours, ("argsorts", sorts, 3))


def greatest_memory(n):
    """All arrays at their most, in arrays of one float64 a record."""
    tracemalloc.start()
    y, scores = predictions(n)
    tracemalloc.reset_peak()
    tested(y, *scores)
    peak = tracemalloc.get_traced_memory()[1] / (8 * n)
    tracemalloc.stop()
    print(f"delong, {n:,} records: {peak:.1f} arrays of float64 with the input (limit 12)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000, help="records")
    parser.add_argument("--curves", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--memory", type=int, default=10_000_000, help="records")
    options = parser.parse_args()
    compare_two(options.n, options.repeats)
    compare_several(options.n, options.curves, max(1, options.repeats // 3))
    greatest_memory(options.memory)


if __name__ == "__main__":
    main()
