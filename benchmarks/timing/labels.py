"""All label tests of two classifiers against one call of scikit-learn's confusion matrix.

The battery counts a million records and runs McNemar's test (asymptotic, exact, mid-p)
with every interval of the difference, both kappas, Yule's Q, both disagreements, Bowker's,
Stuart and Maxwell's and Bhapkar's tests. The omnibus permutation test runs with 100,000
resamples. Run

    python -m benchmarks.timing.labels

or with ``--help`` for the options. Times are the least of several runs in turn, so that
both sides meet the same machine.
"""

import argparse

import numpy as np
from sklearn.metrics import confusion_matrix

from skcompare.evidence import JointCounts
from skcompare.stats import (
    bhapkar,
    bowker,
    cohen_kappa,
    disagreement,
    error_kappa,
    label_disagreement,
    mcnemar,
    stuart_maxwell,
    symmetry_permutation,
    yule_q,
)

from .made import labels, least_times

INTERVALS = ("score", "newcombe", "agresti-min", "bonett-price", "wald")
OF_TABLE = (disagreement, error_kappa, yule_q)
OF_MATRIX = (label_disagreement, cohen_kappa)
OMNIBUS = (bowker, stuart_maxwell, bhapkar)


def battery(y, champion, challenger):
    """Every label test from the labels, with its interval; returns the p-values."""
    joint = JointCounts.from_predictions(y, champion, challenger)
    table, matrix = joint.contingency_table(), joint.agreement_matrix()
    results = [mcnemar(table, method=m) for m in ("asymptotic", "exact", "mid-p")]
    results += [
        mcnemar(table, method="asymptotic", interval=interval) for interval in INTERVALS
    ]
    results += [test(table) for test in OF_TABLE]
    results += [test(matrix) for test in OF_MATRIX]
    for result in results:
        result.confidence_interval()
    results += [test(matrix) for test in OMNIBUS]
    return [result.pvalue for result in results]


def report(title, ours, peer, limit):
    print(
        f"{title}: {1e3 * ours:.1f} ms, confusion_matrix {1e3 * peer:.1f} ms, "
        f"ratio {ours / peer:.3f} (limit {limit:g})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000, help="records")
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--resamples", type=int, default=100_000)
    options = parser.parse_args()
    integers = labels(options.n, options.classes)
    names = np.array([f"class {k}" for k in range(options.classes)])
    strings = tuple(names[codes] for codes in integers)
    for title, given, limit in (
        ("battery, integer labels", integers, 0.5),
        ("battery, string labels", strings, 1.0),
    ):
        ours, peer = least_times(
            options.repeats,
            lambda given=given: battery(*given),
            lambda given=given: confusion_matrix(*given[:2]),
        )
        report(title, ours, peer, limit)
    matrix = JointCounts.from_predictions(*integers).agreement_matrix()
    ours, peer = least_times(
        3,
        lambda: symmetry_permutation(
            matrix, method="monte-carlo", n_resamples=options.resamples
        ),
        lambda: confusion_matrix(*integers[:2]),
    )
    report(f"symmetry_permutation, {options.resamples} resamples", ours, peer, 10)


if __name__ == "__main__":
    main()
