"""Type I error of the test of splits in time order, with two learners that are as good.

A stationary series y is predicted from its last value and from noise. The features of both
learners have the same distribution, so that neither method is better: the noise of one is
independent of that of the other. Ridge regressions, nearest neighbours, and logistic
regressions of the sign of y are trained along the series by :class:`TimeSeriesSplit` with
windows that expand or slide. Beside Diebold and Mariano's test of the pooled predictions
stands a t test of unrelated records. Run

    python -m benchmarks.validity.time.splits

or with ``--help`` for the options. With 500 series a setting (6 minutes beside other
work, 1:50 of processor time) two methods that are equally good are rejected in 1.2 to 4.8 %
of series on windows that expand and in 2.0 to 6.6 % on windows that slide (standard error
1.1 %), where the t test rejects in 3 to 53 %. As many cosines as for any series, and not at
most one for each of the 5 trainings, rejected in 17 % where windows of 60 records were
trained for test sets of 150 (ridge, 900 records).
"""

from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.time_worlds import drift
from skcompare._core.design import Design
from skcompare.evidence import OrderedDifferences, PairedLosses
from skcompare.predictions import with_windows
from skcompare.stats import diebold_mariano, paired_t

ALPHA = 0.05
N_NOISE = 8
"""Noise features of each learner."""


def ridge():
    """A ridge regression that adapts to its noise."""
    return Ridge(alpha=1.0)


def neighbours():
    """Nearest neighbours among records that differ by noise as well."""
    return KNeighborsRegressor(5)


def logistic():
    """A logistic regression of the sign."""
    return LogisticRegression()


LEARNERS = {"ridge": ridge, "neighbours": neighbours, "logistic": logistic}
WINDOWS = {"expanding": None, "sliding": 60}
"""Largest number of training records of each kind of window."""

SETTINGS = [
    (learner, window, n, correlation, noise)
    for learner in LEARNERS
    for window in WINDOWS
    for n, correlation, noise in (
        (150, 0.5, 0.0),
        (300, 0.5, 0.0),
        (300, 0.8, 0.8),
        (900, 0.8, 0.8),
    )
]
"""Learner, window, records, autocorrelation of the series and of the noise."""


def features(y, noise, rng):
    """The last value of the series, and noise with an autocorrelation."""
    own = drift((N_NOISE, len(y)), noise, rng).T
    return np.column_stack([np.concatenate([[0.0], y[:-1]]), own])


def drawn_target(learner, n, correlation, splits, rng):
    """A series, and its signs for a classifier, of which both are in each training set."""
    while True:
        y = drift((1, n), correlation, rng)[0]
        if learner != "logistic":
            return y, y
        if all(len({*(y[train] > 0)}) == 2 for train, _ in splits):
            return y, y > 0


def losses_along(make, splits, X, target):
    """Losses of one learner on the test sets, in time order."""
    losses = []
    for train, test in splits:
        fitted = make().fit(X[train], target[train])
        if target.dtype == bool:
            losses.append((fitted.predict(X[test]) != target[test]).astype(float))
        else:
            losses.append((fitted.predict(X[test]) - target[test]) ** 2)
    return np.concatenate(losses)


def split_row(learner, window, n, correlation, noise, draws, seed):
    """Share of rejections of the test in time order, and of a t test."""
    rng, rejected = np.random.default_rng(seed), np.zeros(2)
    cv = TimeSeriesSplit(5, max_train_size=WINDOWS[window])
    splits = list(cv.split(np.zeros((n, 1))))
    design = with_windows(Design("unknown"), splits)
    for _ in range(draws):
        y, target = drawn_target(learner, n, correlation, splits, rng)
        pair = [
            losses_along(LEARNERS[learner], splits, features(y, noise, rng), target)
            for _ in range(2)
        ]
        ordered = replace(OrderedDifferences.from_losses(*pair), design=design)
        results = (
            diebold_mariano(ordered),
            paired_t(PairedLosses.from_losses(*pair)),
        )
        rejected += [result.pvalue < ALPHA for result in results]
    return rejected / draws


def split_table(args):
    """Type I error of both tests."""
    if args.quick:
        args.draws = min(args.draws, 20)
    table = Table(
        f"Two methods that are as good: rejections at {ALPHA}",
        ("learner", "window", "records", "series", "noise", "diebold_mariano", "paired_t"),
    )
    rows = each_row(split_row, SETTINGS, args, 1)
    for setting, shares in zip(SETTINGS, rows):
        table.add(*setting, *(with_error(each, args.draws) for each in shares))
    return table


if __name__ == "__main__":
    main(
        __doc__,
        {"splits": split_table},
        draws=1000,
        of="series a setting",
        quick=(False, "20 series a setting"),
    )
