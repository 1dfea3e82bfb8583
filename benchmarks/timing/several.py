"""Twenty classifiers: all tests of their labels, against the same by other libraries.

    python benchmarks/timing/several.py [--records 100000] [--classifiers 20] [--repeats 9]

needs statsmodels and mlxtend. What is timed begins with the arrays of labels:

skcompare
    ``CorrectnessPatterns.from_predictions`` and ``pairwise_mcnemar``, whose result has
    Cochran's Q, a mid-p value and an adjusted one for every pair.
others
    ``statsmodels.stats.contingency_tables.cochrans_q``, from a table of right and wrong
    that is made beforehand, and ``mlxtend.evaluate.mcnemar_tables``, tables without tests.

All are timed in turns in one process, each some times in a row, so that it finds the labels
in the cache; the smallest time of each counts. The exit code is 1 if the ratio is below 50
or the numbers differ.
"""

import argparse
import sys
import timeit
import warnings

import numpy as np

from skcompare.evidence import CorrectnessPatterns
from skcompare.stats import pairwise_mcnemar

LEAST_RATIO = 50


def labels(n_records, n_classifiers):
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_records)
    accuracies = np.linspace(0.80, 0.85, n_classifiers).reshape(-1, 1)
    right = rng.random((n_classifiers, n_records)) < accuracies
    return y, [np.where(one, y, (y + 1) % 10) for one in right]


def patterns_of(y, predictions):
    return CorrectnessPatterns.from_predictions(y, *predictions)


def compared_alone(y, predictions, right):
    for one in predictions:
        np.equal(one, y, out=right)


def steps(y, predictions):
    """Name and callable of what is timed, and how often in a row."""
    from mlxtend.evaluate import mcnemar_tables
    from statsmodels.stats.contingency_tables import cochrans_q

    table = np.array([one == y for one in predictions]).T.astype(int)
    right = np.empty(len(y), dtype=bool)
    return {
        "comparing alone": (lambda: compared_alone(y, predictions, right), 10),
        "patterns": (lambda: patterns_of(y, predictions), 10),
        "patterns and tests": (lambda: pairwise_mcnemar(patterns_of(y, predictions)), 10),
        "cochrans_q": (lambda: cochrans_q(table), 3),
        "mcnemar_tables": (lambda: mcnemar_tables(y, *predictions), 3),
    }


def the_same(found):
    """Whether the numbers of all are alike."""
    pairs, statistic, tables = found
    cells = np.array(list(tables.values()))
    return (
        np.isclose(pairs.omnibus.statistic, statistic.statistic, rtol=1e-10)
        and (pairs.only_champion == cells[:, 0, 1]).all()
        and (pairs.only_challenger == cells[:, 1, 0]).all()
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--classifiers", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    # statsmodels announces another return value.
    warnings.simplefilter("ignore", FutureWarning)
    timed = steps(*labels(arguments.records, arguments.classifiers))
    same = the_same([run() for run, _ in list(timed.values())[2:]])
    best = dict.fromkeys(timed, float("inf"))
    for _ in range(arguments.repeats):
        for name, (run, number) in timed.items():
            seconds = min(timeit.repeat(run, number=1, repeat=number))
            best[name] = min(best[name], 1000 * seconds)
    for name, milliseconds in best.items():
        print(f"{name:<20}{milliseconds:8.3f} ms")
    others = best["cochrans_q"] + best["mcnemar_tables"]
    ratio = others / best["patterns and tests"]
    print(f"{'ratio':<20}{ratio:8.1f}, the same numbers: {same}")
    return int(ratio < LEAST_RATIO or not same)


if __name__ == "__main__":
    sys.exit(main())
