"""How often McNemar's test is wrong on records that follow each other in time.

Two classifiers are equally good, and disagree on a fifth of the records of a hold-out set,
but which one is right there drifts: it is the sign of a latent autoregression. Run

    python -m benchmarks.validity.accuracy.time_order

or with ``--help`` for the options.
"""

import numpy as np
from scipy.signal import lfilter

from benchmarks.validity._lib.rejections import ALPHA, corrected_pvalue, mid_pvalue
from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error

RECORDS = (100, 500, 2000)
DISCORDANT = 0.2
CORRELATIONS = (0.0, 0.5, 0.8, 0.95)
AT_A_TIME = 1000


def discordant_counts(n, correlation, n_draws, rng):
    """Records that only the one, and only the other classifier classifies correctly."""
    noise = rng.standard_normal((n_draws, n))
    noise[:, 1:] *= np.sqrt(1 - correlation**2)
    favour = lfilter([1.0], [1.0, -correlation], noise, axis=1) > 0
    discordant = rng.random((n_draws, n)) < DISCORDANT
    return (discordant & ~favour).sum(axis=1), (discordant & favour).sum(axis=1)


def level_table(args):
    table = Table(
        f"Equal classifiers, disagreement that drifts: type I error at {ALPHA}",
        ("records", "autocorrelation", "mid-p", "corrected"),
    )
    rng = np.random.default_rng(args.seed)
    for n in RECORDS:
        for correlation in CORRELATIONS:
            rejected = np.zeros(2)
            for start in range(0, args.draws, AT_A_TIME):
                size = min(AT_A_TIME, args.draws - start)
                counts = discordant_counts(n, correlation, size, rng)
                tests = mid_pvalue(*counts), corrected_pvalue(*counts)
                rejected += [(each < ALPHA).sum() for each in tests]
            shares = (with_error(each / args.draws, args.draws) for each in rejected)
            table.add(n, correlation, *shares)
    return table


if __name__ == "__main__":
    main(__doc__, level_table, draws=20_000, n_jobs=None, of="series a setting")
