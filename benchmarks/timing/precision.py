"""Tests of precision on repeated predictions in one pass, and of many classes.

Repeated predictions come from a generator, as in repeated cross-validation, and the
greatest memory is that of all arrays of numpy meanwhile (tracemalloc), in parts of a table
of one row per prediction with record, classifier and outcome. Run

    python -m benchmarks.timing.precision

or with ``--help`` for the options. Times are the least of several runs in turn;
``benchmarks/peers.py`` has those of other packages.
"""

import argparse
import tracemalloc

import numpy as np

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import gee_precision, precision_by_class

from .made import labels, least_times

ROW = 3 * 8
"""Bytes of a row of a long table."""


def repetitions(y, times):
    """Predictions of two classifiers, drawn one repetition at a time."""
    rng = np.random.default_rng(1)
    base = rng.integers(256, size=(2, len(y)), dtype=np.uint8)
    for _ in range(times):
        # Cheap draws, so that the time is not theirs.
        offset = rng.integers(256, size=2, dtype=np.uint8)
        yield [np.where(base[k] + offset[k] < 180 + 5 * k, y, 1 - y) for k in range(2)]


def compare_repeats(n, times, repeats):
    y = np.random.default_rng(0).integers(2, size=n)

    def tested():
        result = gee_precision(ClusterSums.from_repeats(y, repetitions(y, times)))
        result.confidence_interval()
        return result.pvalue

    drawing, whole = least_times(
        repeats, lambda: sum(1 for _ in repetitions(y, times)), tested
    )
    print(
        f"{times} repetitions of {n:,} records: {whole:.2f} s, of which drawing the "
        f"predictions {drawing:.2f} s; {whole - drawing:.2f} s without (limit 2 s)"
    )
    tracemalloc.start()
    tested()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    table = ROW * n * times
    print(
        f"  greatest memory {peak / 2**20:.0f} MiB, {peak / table:.3f} of a table of "
        f"{n * times:,} rows ({table / 2**20:.0f} MiB) a classifier"
    )


def compare_classes(n, n_classes, repeats):
    given = labels(n, n_classes)
    joint = JointCounts.from_predictions(*given)
    counting, testing = least_times(
        repeats,
        lambda: JointCounts.from_predictions(*given),
        lambda: precision_by_class(joint),
    )
    print(
        f"{n_classes:,} classes, {n:,} records: counting {1e3 * counting:.0f} ms, "
        f"testing {1e3 * testing:.0f} ms"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=100_000, help="records")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5, help="runs of ours")
    options = parser.parse_args()
    compare_repeats(options.n, options.repetitions, max(1, options.repeats // 2))
    compare_classes(options.n, options.classes, max(1, options.repeats // 2))


if __name__ == "__main__":
    main()
