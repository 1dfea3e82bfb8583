"""Permutation test of two F1 scores: skcompare against MLstatkit, in one process.

Both compare the same two classifiers of 10 000 records by 10 000 random exchanges of their
answers; skcompare starts from the labels, too. MLstatkit scores all records again for every
exchange, so it makes fewer, and its time is scaled up in proportion to their number.

    python benchmarks/timing/f1_permutation.py
    python benchmarks/timing/f1_permutation.py --records 100000 --peer-resamples 50

The target is a ratio of 1000; the exit code is 1 below it. Without MLstatkit only
skcompare's time is printed.
"""

import argparse
import contextlib
import io
import statistics
import sys
import time

import numpy as np

from skcompare.evidence import JointCounts
from skcompare.stats import score_difference

TARGET = 1000


def labels(n_records, seed=0):
    """Truth, and answers that are right for 80.0 and 80.6 % of the records."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_records) < 0.4).astype(int)
    predictions = [
        np.where(rng.random(n_records) < share, y_true, 1 - y_true)
        for share in (0.800, 0.806)
    ]
    return y_true, *predictions


def ours(y_true, champion, challenger, n_resamples):
    counts = JointCounts.from_predictions(y_true, champion, challenger)
    return score_difference(
        counts, score="f1", method="permutation", n_resamples=n_resamples
    )


def timed(function, *arguments, repeats):
    """The median time of a call, and what it returned last."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function(*arguments)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def peer(y_true, champion, challenger, n_resamples):
    from MLstatkit import Permutation_test

    # Its progress bar goes to the standard error.
    with contextlib.redirect_stderr(io.StringIO()):
        return Permutation_test(
            y_true, champion, challenger, "f1", n_bootstraps=n_resamples, average="binary"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--peer-resamples", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=20)
    arguments = parser.parse_args()
    records = labels(arguments.records)

    ours(*records, 99)
    seconds, result = timed(ours, *records, arguments.resamples, repeats=arguments.repeats)
    print(f"{arguments.records} records, {arguments.resamples} resamples of F1")
    print(f"skcompare  {seconds:10.4f} s  p = {result.pvalue:.4f} ({result.method})")
    try:
        peer(*records, 2)
    except ImportError:
        print("MLstatkit is not installed")
        return 0
    part, found = timed(peer, *records, arguments.peer_resamples, repeats=1)
    scaled = part * arguments.resamples / arguments.peer_resamples
    print(
        f"MLstatkit  {scaled:10.4f} s  p = {found[2]:.4f} (scaled up from "
        f"{arguments.peer_resamples} resamples in {part:.3f} s)"
    )
    ratio = scaled / seconds
    print(f"ratio      {ratio:10.0f}    target {TARGET}")
    return int(ratio < TARGET)


if __name__ == "__main__":
    sys.exit(main())
