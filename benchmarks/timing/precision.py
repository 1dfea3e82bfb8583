"""Tests of precision against GEE of statsmodels, and on repeated answers in one pass.

Ours is the whole way from arrays of labels to the odds ratio of the marginal logistic model
with its interval and p-value. It is compared with fitting the same model by statsmodels,
where that is installed, from rows that are there already. Repeated answers come from a
generator, as those of repeated cross-validation would, and the greatest memory is that of
all arrays of numpy meanwhile (tracemalloc), in parts of a table of a row an answer with
record, classifier and outcome. Run

    python benchmarks/timing/precision.py

or with ``--help`` for the options. Times are the least of several runs.
"""

import argparse
import tracemalloc
import warnings
from time import perf_counter

import numpy as np

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import gee_precision, precision_by_class, precision_wald

ROW = 3 * 8
"""Bytes of a row of a long table."""


def predictions(n, seed=0, n_classes=2, accuracies=(0.7, 0.72)):
    """True labels and those of two classifiers, which err on the same records."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    hard = rng.random(n)
    given = []
    for accuracy in accuracies:
        right = (hard + rng.random(n)) / 2 < accuracy
        shift = 1 if n_classes == 2 else rng.integers(1, n_classes, size=n)
        given.append(np.where(right, y, (y + shift) % n_classes))
    return y, given


def least_time(repeats, function):
    """The least time of several runs, and what the last one returned."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        found = function()
        times.append(perf_counter() - start)
    return min(times), found


def ours(y, first, second):
    """Odds ratio, limits and p-value from labels."""
    result = precision_wald(JointCounts.from_predictions(y, first, second), label=1)
    return result.estimate, *result.confidence_interval(), result.pvalue


def rows_of(y, given):
    """A row an answer that names the class: outcome, design and record."""
    named = [np.flatnonzero(prediction == 1) for prediction in given]
    record = np.concatenate(named)
    which = np.repeat(np.arange(len(given)), [len(one) for one in named])
    order = np.argsort(record, kind="stable")
    record, which = record[order], which[order]
    design = np.column_stack([np.ones(len(record)), which])
    return (y[record] == 1).astype(float), design, record


def peer(rows):
    """The same from rows by statsmodels."""
    from statsmodels.genmod.cov_struct import Independence
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    outcome, design, record = rows
    model = GEE(
        outcome, design, groups=record, family=Binomial(), cov_struct=Independence()
    )
    fit = model.fit(cov_type="robust")
    low, high = fit.conf_int()[1]
    return np.exp([fit.params[1], low, high]).tolist() + [fit.pvalues[1]]


def compare_two(n, repeats):
    y, given = predictions(n)
    own, found = least_time(repeats, lambda: ours(y, *given))
    print(f"two classifiers, {n:,} records: {1e3 * own:.2f} ms")
    try:
        import statsmodels
    except ImportError:
        print("statsmodels is not installed")
        return
    rows = rows_of(y, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other, known = least_time(1, lambda: peer(rows))
    print(f"  statsmodels {statsmodels.__version__}: {other:.1f} s")
    print(f"  ratio {other / own:,.0f} (at least 1,000)")
    print(f"  ours  {', '.join(f'{value:.10g}' for value in found)}")
    print(f"  peer  {', '.join(f'{value:.10g}' for value in known)}")


def repetitions(y, times):
    """Answers of two classifiers, drawn one repetition at a time."""
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

    drawing, _ = least_time(repeats, lambda: sum(1 for _ in repetitions(y, times)))
    whole, _ = least_time(repeats, tested)
    print(
        f"{times} repetitions of {n:,} records: {whole:.2f} s, of which drawing the "
        f"answers {drawing:.2f} s; {whole - drawing:.2f} s without (limit 2 s)"
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
    y, given = predictions(n, n_classes=n_classes)
    joint = JointCounts.from_predictions(y, *given)
    counting, _ = least_time(repeats, lambda: JointCounts.from_predictions(y, *given))
    testing, _ = least_time(repeats, lambda: precision_by_class(joint))
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
    compare_two(options.n, options.repeats)
    compare_repeats(options.n, options.repetitions, max(1, options.repeats // 2))
    compare_classes(options.n, options.classes, max(1, options.repeats // 2))


if __name__ == "__main__":
    main()
