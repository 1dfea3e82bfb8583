"""What a comparison costs beyond its fits: PairedComparator against a bare joblib loop.

Both make the same 20 fits and predictions with the same number of jobs, in turn and in one
process; the comparator also splits, collects, tests and writes its full default report. The
table has the ratio of wall times (median of the pairs) and, measured in processes of their
own, the ratio of peak memory. A second table has comparisons by several measures of 20,000
records, whose fits take next to no time, against `cross_validate` of either classifier with
the same splits and scorers.

    python benchmarks/overhead.py                   # everything, some 15 minutes
    python benchmarks/overhead.py --seconds 0.05    # the short fits, measures and memory
    python benchmarks/overhead.py --skip-time       # only memory

Limits: 1.03 for fits of 2 s, 1.06 for fits of 0.05 s, 1.05 for measures, 1.10 for memory.
The exit code is 1 if a row of numpy or pandas is above its limit.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skcompare import BlockRegularized5x2CV, PairedComparator

LIMITS = {2.0: 1.03, 0.05: 1.06}
MEASURES_LIMIT = 1.05
MEMORY_LIMIT = 1.10

MEASURES = (
    ["accuracy", "roc_auc", "neg_log_loss"],
    ["accuracy", "f1", "balanced_accuracy"],
    ["roc_auc", "neg_brier_score", "recall"],
)


def records(n_samples, n_features, container):
    X, y = make_classification(n_samples, n_features, random_state=0)
    names = [f"x{i}" for i in range(n_features)]
    if container == "pandas":
        import pandas as pd

        return pd.DataFrame(X, columns=names), y
    if container == "polars":
        import polars as pl

        return pl.DataFrame(X, schema=names), y
    return X, y


def rows(X, index):
    return X.iloc[index] if hasattr(X, "iloc") else X[index]


def fit_and_predict(estimator, X, y, train, test):
    return clone(estimator).fit(rows(X, train), y[train]).predict(rows(X, test))


def bare_loop(pair, X, y, n_jobs):
    splits = list(BlockRegularized5x2CV(random_state=0).split(np.empty((len(y), 1)), y))
    return Parallel(n_jobs=n_jobs)(
        delayed(fit_and_predict)(estimator, X, y, train, test)
        for train, test in splits
        for estimator in pair
    )


def comparison(pair, X, y, n_jobs):
    comparator = PairedComparator(*pair, n_jobs=n_jobs, random_state=0).fit(X, y)
    return str(comparator.comparison_)


def timed_pair(seconds, X, y):
    """Two classifiers whose number of epochs makes a fit last so long."""

    def classifier(epochs, alpha):
        return SGDClassifier(max_iter=epochs, tol=None, alpha=alpha, random_state=0)

    half = np.arange(len(y) // 2)
    # The first epochs are slower than later ones, so the number is corrected twice.
    epochs = 20
    for _ in range(3):
        start = time.perf_counter()
        classifier(epochs, 1e-4).fit(rows(X, half), y[half])
        epochs = max(1, round(epochs * seconds / (time.perf_counter() - start)))
    return classifier(epochs, 1e-4), classifier(epochs, 1e-3)


def time_ratio(seconds, container, n_jobs, n_pairs):
    X, y = records(5_000, 20, container)
    pair = timed_pair(seconds, X, y)
    for run in (bare_loop, comparison):
        run((GaussianNB(), GaussianNB()), X, y, n_jobs)  # starts workers, imports modules
    return ratio_of(
        lambda: comparison(pair, X, y, n_jobs),
        lambda: bare_loop(pair, X, y, n_jobs),
        n_pairs,
    )


def ratio_of(ours, bare, n_pairs):
    """Median, least and greatest ratio of two times, and the median of the second one."""
    ratios, bare_times = [], []
    for k in range(n_pairs):
        times = {}
        for run in (bare, ours)[:: 1 if k % 2 else -1]:
            start = time.perf_counter()
            run()
            times[run] = time.perf_counter() - start
        ratios.append(times[ours] / times[bare])
        bare_times.append(times[bare])
    return (
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        statistics.median(bare_times),
    )


def measures_ratio(scoring, n_pairs):
    X, y = records(20_000, 20, "numpy")
    pair = GaussianNB(), LogisticRegression()

    def ours():
        comparator = PairedComparator(*pair, scoring=scoring, random_state=0).fit(X, y)
        return str(comparator.comparison_)

    def bare():
        cv = BlockRegularized5x2CV(random_state=0)
        return [cross_validate(one, X, y, cv=cv, scoring=scoring) for one in pair]

    ours(), bare()
    return ratio_of(ours, bare, n_pairs)


def tree_memory(pid):
    """Bytes that a process and its children use, shared pages counted once."""
    total, waiting = 0, [pid]
    while waiting:
        current = waiting.pop()
        try:
            text = Path(f"/proc/{current}/smaps_rollup").read_text()
            total += 1024 * int(text.split("\nPss:")[1].split()[0])
            for task in Path(f"/proc/{current}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except (OSError, IndexError):
            continue
    return total


def run_for_memory(name, container, n_jobs):
    X, y = records(100_000, 100, container)
    run = {"loop": bare_loop, "comparator": comparison}[name]
    print("ready", flush=True)
    run((GaussianNB(), GaussianNB(var_smoothing=1e-3)), X, y, n_jobs)


def peak_memory(name, container, n_jobs):
    command = [sys.executable, __file__, "--one", name, container, str(n_jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.readline()
    peak = 0
    while process.poll() is None:
        peak = max(peak, tree_memory(process.pid))
        time.sleep(0.005)
    process.stdout.close()
    if process.returncode:
        raise RuntimeError(f"the {name} failed")
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, nargs="*", default=list(LIMITS))
    parser.add_argument("--containers", nargs="*", default=["numpy", "pandas", "polars"])
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--pairs", type=int, help="pairs of runs; more for short fits")
    parser.add_argument("--skip-time", action="store_true")
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        name, container, n_jobs = arguments.one
        run_for_memory(name, container, int(n_jobs))
        return 0
    over = False
    cases = [(c, j) for c in arguments.containers for j in arguments.jobs]
    if not arguments.skip_time:
        print("fit     container  jobs  loop      ratio  lowest  highest  limit")
        for seconds in arguments.seconds:
            limit = LIMITS.get(seconds, float("inf"))
            for container, n_jobs in cases:
                n_pairs = arguments.pairs or (15 if seconds < 0.5 else 3)
                ratio, low, high, loop = time_ratio(seconds, container, n_jobs, n_pairs)
                print(
                    f"{seconds:4.2f} s  {container:9}  {n_jobs:4}  {loop:6.2f} s  "
                    f"{ratio:6.3f}  {low:6.3f}  {high:7.3f}  {limit:5.2f}",
                    flush=True,
                )
                over |= ratio > limit and container != "polars"
        print("\ncross_validate  ratio  lowest  highest  limit  measures")
        for scoring in MEASURES:
            ratio, low, high, bare = measures_ratio(scoring, arguments.pairs or 15)
            print(
                f"{bare:12.2f} s  {ratio:5.3f}  {low:6.3f}  {high:7.3f}  "
                f"{MEASURES_LIMIT:5.2f}  {', '.join(scoring)}",
                flush=True,
            )
            over |= ratio > MEASURES_LIMIT
    if not arguments.skip_memory and sys.platform == "linux":
        print("\nmemory  container  jobs  loop     comparator  ratio  limit")
        for container, n_jobs in cases:
            loop = min(peak_memory("loop", container, n_jobs) for _ in range(3))
            ours = min(peak_memory("comparator", container, n_jobs) for _ in range(3))
            ratio = ours / loop
            print(
                f"        {container:9}  {n_jobs:4}  {loop / 2**20:4.0f} MB  "
                f"{ours / 2**20:7.0f} MB  {ratio:5.3f}  {MEMORY_LIMIT:5.2f}",
                flush=True,
            )
            over |= ratio > MEMORY_LIMIT and container != "polars"
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
