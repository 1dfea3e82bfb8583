"""How many bisections the conservative Z test needs.

Only test records vary: the difference of the classifiers on a record is a normal number,
whatever they were trained on, and is 0 on average. Run

    python -m benchmarks.validity.splits.bisections

or with ``--help`` for the options.
"""

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.stats.splits._resampled_t import z_of_bisections

ALPHA = 0.05
N_RECORDS, N_TEST, N_HOLDOUTS = 200, 20, 15
BISECTIONS = (1, 2, 3, 5, 7, 10, 20)


def hold_outs(records, rng):
    """Mean difference on each test set of a repeated hold-out."""
    tests = np.argsort(rng.random((N_HOLDOUTS, len(records))), axis=1)[:, :N_TEST]
    return records[tests].mean(axis=1)


def rejections(n_draws, seed):
    """Data sets in which the test rejects, for each number of bisections."""
    rng = np.random.default_rng(seed)
    data_sets = []
    for _ in range(n_draws):
        records = rng.standard_normal(N_RECORDS)
        rows = [hold_outs(records, rng)]
        for _ in range(max(BISECTIONS)):
            mixed = rng.permutation(records)
            rows += [hold_outs(half, rng) for half in np.split(mixed, 2)]
        data_sets.append(rows)
    rows = np.array(data_sets)
    decided = [z_of_bisections(rows[:, : 1 + 2 * number]) for number in BISECTIONS]
    critical = norm.ppf(1 - ALPHA / 2)
    return [np.sum(np.abs(z.estimate) > critical * z.error) for z in decided]


def level_table(args):
    parts = np.full(8, args.draws // 8)
    seeds = np.random.SeedSequence(args.seed).spawn(len(parts))
    found = Parallel(args.n_jobs)(
        delayed(rejections)(n_draws, seed) for n_draws, seed in zip(parts, seeds)
    )
    table = Table(
        f"Conservative Z test, {N_RECORDS} records, {N_HOLDOUTS} hold-outs of {N_TEST}: "
        f"type I error at {ALPHA}",
        ("bisections", "type I error"),
    )
    for n_bisections, count in zip(BISECTIONS, np.sum(found, axis=0)):
        table.add(n_bisections, with_error(count / parts.sum(), parts.sum()))
    return table


if __name__ == "__main__":
    main(__doc__, level_table, draws=8000, of="data sets")
