"""How often intervals of updated precisions miss, by simulation.

Two classifiers predict records of a class and of the rest with known sensitivity and
specificity; with some probability they agree because of the record. Their precisions are
updated to a prevalence of 2 %. Run

    python -m benchmarks.validity.precision.updated_precision

or with ``--help`` for the options.
"""

from functools import partial
from itertools import product

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import JointCounts
from skcompare.stats import updated_precision

ALPHA = 0.05
PREVALENCE = 0.02
RECORDS = (200, 500, 2000)
SHARES = (0.05, 0.5)
SPECIFICITIES = (0.85, 0.96)
ALIKE = (0.2, 0.8)
METHODS = ("percentile", "bca", "delta")
RATES = {"equal": ((0.7, 1.0), (0.7, 1.0)), "unequal": ((0.6, 1.0), (0.75, 1.3))}
"""Sensitivity, and false alarms as multiples of 1 - specificity, of both classifiers."""


def missed(name, options):
    """A row a setting: the share of data sets whose interval misses the true ratio."""
    table = Table(
        f"Updated precisions of {name} classifiers: non-coverage of the 95 % intervals of "
        "their ratio",
        ("records", "of the class", "specificity", "alike", *METHODS),
    )
    settings = list(product(RECORDS, SHARES, SPECIFICITIES, ALIKE))
    shares = Parallel(options.n_jobs)(
        delayed(share_missed)(RATES[name], setting, options, k)
        for k, setting in enumerate(settings)
    )
    for setting, found in zip(settings, shares):
        table.add(*setting, *(with_error(share, options.draws) for share in found))
    return table


def share_missed(rates, setting, options, number):
    """The share of data sets whose interval misses, by each method."""
    n, of_class, specificity, alike = setting
    rng = np.random.default_rng([options.seed, number])
    alarms = [factor * (1 - specificity) for _, factor in rates]
    hits = [sensitivity for sensitivity, _ in rates]
    true = updated(hits[1], alarms[1]) / updated(hits[0], alarms[0])
    cells = np.concatenate(
        [(1 - of_class) * predictions(alarms, alike), of_class * predictions(hits, alike)]
    )
    misses = np.zeros(len(METHODS))
    for seed in range(options.draws):
        counts = JointCounts(rng.multinomial(n, cells).reshape(2, 2, 2), classes=[0, 1])
        for k, method in enumerate(METHODS):
            result = updated_precision(
                counts,
                prevalence=PREVALENCE,
                method=method,
                n_resamples=options.resamples,
                random_state=seed,
            )
            low, high = result.confidence_interval(1 - ALPHA)
            misses[k] += not low <= true <= high
    return misses / options.draws


def updated(sensitivity, alarms):
    """Precision at the prevalence of the population."""
    named = sensitivity * PREVALENCE
    return named / (named + alarms * (1 - PREVALENCE))


def predictions(rates, alike):
    """Shares of neither, only the challenger, only the champion, and both naming it."""
    first, second = rates
    both = (1 - alike) * first * second + alike * min(first, second)
    return np.array([1 - first - second + both, second - both, first - both, both])


if __name__ == "__main__":
    main(
        __doc__,
        {name: partial(missed, name) for name in RATES},
        draws=400,
        n_jobs=1,
        resamples=(999, "bootstrap resamples"),
    )
