"""How many bisections the conservative Z test needs.

Only test records vary: the difference of the classifiers on a record is a normal number,
whatever they were trained on, and is 0 on average. Run

    python -m benchmarks.validity.splits.bisections

or with ``--help`` for the options.
"""

import argparse

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ScoreDifferences
from skcompare.stats import conservative_z

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
    rejected = np.zeros(len(BISECTIONS), dtype=int)
    sizes = [N_RECORDS - N_TEST, *[N_RECORDS // 2 - N_TEST] * (2 * max(BISECTIONS))]
    n_train = np.repeat(sizes, N_HOLDOUTS)
    for _ in range(n_draws):
        records = rng.standard_normal(N_RECORDS)
        rows = [hold_outs(records, rng)]
        for _ in range(max(BISECTIONS)):
            mixed = rng.permutation(records)
            rows += [hold_outs(half, rng) for half in np.split(mixed, 2)]
        for i, n_bisections in enumerate(BISECTIONS):
            kept = 1 + 2 * n_bisections
            scores = ScoreDifferences(
                rows[:kept],
                n_train[: kept * N_HOLDOUTS],
                N_TEST,
                design="holdout in halves",
            )
            rejected[i] += conservative_z(scores).pvalue < ALPHA
    return rejected


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--draws", type=int, default=8000, help="data sets")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="processes")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)

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
    table.show(rst=args.rst)


if __name__ == "__main__":
    main()
