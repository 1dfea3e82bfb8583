"""Error rates of comparisons of scores item by item, by simulation.

Two systems of equal skill answer items correctly or not, one or several times each, and
items come in groups. Some items, and some groups, suit one of the systems better by chance:
that is what makes attempts at one item, and items of one group, alike. Run

    python -m benchmarks.validity.scores.item_scores

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.comparators._compare_scores import prepared_scores
from skcompare.evidence import ContingencyTable
from skcompare.predictions import ItemScores
from skcompare.stats import mcnemar

ALPHA = 0.05
ITEMS, ATTEMPTS = (30, 100, 300), (1, 3, 10)
GROUPS, SIZES = (12, 40, 150), (1, 2, 4, 13)
DIFFICULTY, SUITS = 1.5, 1.0
"""Standard deviations in the log odds: of an item, and of how it suits each system."""


def chances(groups, suits_group, rng):
    """Probability of a correct answer, of shape (2, n_items); both systems are alike."""
    n, n_groups = len(groups), groups[-1] + 1
    common = DIFFICULTY * rng.normal(size=n)
    own = SUITS * rng.normal(size=(2, n))
    shared = suits_group * rng.normal(size=(2, n_groups))[:, groups]
    return special.expit(0.5 + common + own + shared)


def one_draw(groups, attempts, suits_group, rng):
    """Answers of shape (2, n_items, attempts)."""
    p = chances(groups, suits_group, rng)
    return rng.random((*p.shape, attempts)) < p[:, :, np.newaxis]


def as_unrelated(right):
    """The p-value of McNemar's test that takes each attempt for an item of its own."""
    one, two = right.reshape(2, -1)
    cells = (one & two, one & ~two, ~one & two, ~one & ~two)
    return mcnemar(ContingencyTable(*(int(cell.sum()) for cell in cells))).pvalue


def as_items(right, groups=None):
    """The p-value of the default test."""
    n, attempts = right.shape[1:]
    item = np.repeat(np.arange(n), attempts)
    own = None if groups is None else np.repeat(groups, attempts)
    scores = ItemScores.from_scores(*right.reshape(2, -1), items=item, groups=own)
    return prepared_scores(scores).run().pvalue


def attempt_row(n_items, attempts, n_draws, seed):
    """Independent items: each is its own group."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros(2)
    for _ in range(n_draws):
        right = one_draw(np.arange(n_items), attempts, 0.0, rng)
        rejected += np.array([as_items(right), as_unrelated(right)]) < ALPHA
    return rejected / n_draws


def group_row(n_groups, attempts, n_draws, seed):
    """Groups of 1 to 13 items."""
    groups = np.repeat(np.arange(n_groups), np.resize(SIZES, n_groups))
    rng = np.random.default_rng(seed)
    rejected = np.zeros(3)
    for _ in range(n_draws):
        right = one_draw(groups, attempts, SUITS, rng)
        pvalues = as_items(right, groups), as_items(right), as_unrelated(right)
        rejected += np.array(pvalues) < ALPHA
    return rejected / n_draws


def attempt_table(args):
    settings = list(product(ITEMS, ATTEMPTS))
    table = Table(
        f"Independent items, several attempts: type I error at {ALPHA}",
        ("items", "attempts", "compare_scores", "attempts as items"),
    )
    for setting, row in zip(settings, each_row(attempt_row, settings, args, 1)):
        table.add(*setting, *(with_error(share, args.draws) for share in row))
    return table


def group_table(args):
    settings = list(product(GROUPS, (1, 5)))
    table = Table(
        f"Groups of 1 to 13 items: type I error at {ALPHA}",
        ("groups", "attempts", "compare_scores", "groups ignored", "attempts as items"),
    )
    for setting, row in zip(settings, each_row(group_row, settings, args, 2)):
        table.add(*setting, *(with_error(share, args.draws) for share in row))
    return table


PARTS = {"attempts": attempt_table, "groups": group_table}


if __name__ == "__main__":
    main(__doc__, PARTS)
