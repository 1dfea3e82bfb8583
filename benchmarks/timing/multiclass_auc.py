"""Tests of the AUCs of many classes against the sorts that they cannot do without.

The mean one-vs-rest AUC of two classifiers and its joint standard error take one sort a
class and classifier; so does Hand and Till's M with all its pairs of classes. Both are
timed from the probabilities to the p-value, against as many bare ``numpy.argsort`` of the
columns, and against scikit-learn's ``roc_auc_score`` of both classifiers, which has no
standard error. It also says how much too small a standard error without the covariances
between classes is. Run

    python -m benchmarks.timing.multiclass_auc

or with ``--help`` for the options. Times are the least of several runs in turn, so that
all sides meet the same machine.
"""

import argparse
import math

import numpy as np
from sklearn.metrics import roc_auc_score

from skcompare.evidence import ClassPlacementValues
from skcompare.stats import delong_classes, delong_ovo, delong_ovr

from .made import class_probabilities, least_times


def sorts(champion, challenger):
    """What no way of ranking can do without."""
    for proba in (champion, challenger):
        for column in proba.T:
            np.argsort(column)


def one_vs_rest(*given):
    return delong_ovr(ClassPlacementValues.from_predictions(*given))


def one_vs_one(*given):
    return delong_ovo(ClassPlacementValues.from_predictions(*given))


def all_tests(*given):
    """One-vs-rest, one-vs-one and the joint test, from the same evidence."""
    values = ClassPlacementValues.from_predictions(*given)
    return [test(values) for test in (delong_ovr, delong_classes, delong_ovo)]


def areas(y, champion, challenger, kind):
    return [roc_auc_score(y, p, multi_class=kind) for p in (champion, challenger)]


def standard_errors(n_classes, repeats, n=150):
    """Of the difference of macro averages: true, joint, and of uncorrelated classes."""
    found = []
    for seed in range(repeats):
        result = one_vs_rest(*class_probabilities(n, n_classes, seed, strengths=(1.2, 1.2)))
        squares = [part["standard_error"] ** 2 for part in result.parts]
        apart = math.sqrt(sum(squares)) / n_classes
        found.append((result.estimate, result.details["standard_error"], apart))
    estimates, joint, apart = np.array(found).T
    return estimates.std(), joint.mean(), apart.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=100_000, help="records")
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--sets", type=int, default=1000, help="simulated test sets")
    options = parser.parse_args()
    given = class_probabilities(options.n, options.classes)
    bare, ovr, ovo, both, their_ovr, their_ovo = least_times(
        options.repeats,
        lambda: sorts(*given[1:]),
        lambda: one_vs_rest(*given),
        lambda: one_vs_one(*given),
        lambda: all_tests(*given),
        lambda: areas(*given, "ovr"),
        lambda: areas(*given, "ovo"),
    )
    print(f"{2 * options.classes} argsorts of {options.n:,}: {1e3 * bare:.0f} ms")
    for title, ours, limit in (
        ("delong_ovr", ovr, "limit 4"),
        ("delong_ovo", ovo, ""),
        ("delong_ovr, delong_classes and delong_ovo", both, ""),
    ):
        print(f"{title}: {1e3 * ours:.0f} ms, {ours / bare:.2f} of the sorts {limit}")
    for title, ours, theirs in (("ovr", ovr, their_ovr), ("ovo", ovo, their_ovo)):
        print(f"roc_auc_score, {title}: {1e3 * theirs:.0f} ms, {theirs / ours:.1f} of ours")
    true, joint, apart = standard_errors(3, options.sets)
    print(
        f"standard error of a macro difference of 3 classes: true {true:.4f}, joint "
        f"{joint:.4f}, classes taken for uncorrelated {apart:.4f}"
    )


if __name__ == "__main__":
    main()
