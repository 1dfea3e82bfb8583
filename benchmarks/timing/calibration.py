"""The bootstrap of two calibration errors against a plain loop in numpy.

The loop draws records, looks up their bins and adds them up, resample after resample; the
library draws how many come from each pair of bins, and knows what the rest adds to the
variance. The loop is timed on fewer resamples and its time scaled. The default, which draws
nothing, stands beside. Run

    python -m benchmarks.timing.calibration

or with ``--help`` for the options. Times are the least of several runs in turn, so that
both sides meet the same machine.
"""

import argparse

import numpy as np

from skcompare.evidence import PairedCalibration
from skcompare.stats import calibration_difference

from .made import least_times, probabilities

N_BINS = 15


def squared_error(y, p, edges):
    """Debiased squared calibration error, binned anew."""
    code = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, N_BINS - 1)
    n = np.bincount(code, minlength=N_BINS)
    some, fewer = np.maximum(n, 1), np.maximum(n - 1, 1)
    share = np.bincount(code, y, N_BINS) / some
    gap = share - np.bincount(code, p, N_BINS) / some
    added = np.where(n > 1, gap**2 - share * (1 - share) / fewer, 0.0)
    return (n * added).sum() / len(y)


def loop(y, champion, challenger, n_resamples, seed=0):
    """Standard deviation of the difference, by drawing and binning all records."""
    rng = np.random.default_rng(seed)
    edges = np.arange(N_BINS + 1) / N_BINS
    found = []
    for _ in range(n_resamples):
        rows = rng.integers(len(y), size=len(y))
        drawn = y[rows]
        one, two = (squared_error(drawn, p[rows], edges) for p in (champion, challenger))
        found.append(one - two)
    return np.std(found, ddof=1)


def measure(n, options):
    """Least times of the loop, the bootstrap and the default, and both standard errors."""
    given = probabilities(n)
    calibration = PairedCalibration.from_predictions(*given, n_bins=N_BINS)
    errors = {}

    def looped():
        errors["loop"] = loop(*given, options.in_loop)

    def resampled():
        errors["ours"] = calibration_difference(
            calibration, method="bootstrap", n_resamples=options.resamples
        ).details["standard_error"]

    plain, ours, default = least_times(
        options.repeats, looped, resampled, lambda: calibration_difference(calibration)
    )
    scaled = plain * options.resamples / options.in_loop
    return scaled, ours, default, errors["ours"], errors["loop"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--n", type=int, nargs="+", default=[1000, 10_000, 100_000], help="records")
    add("--resamples", type=int, default=2000)
    add("--in-loop", type=int, default=100, help="resamples for which the loop is timed")
    add("--repeats", type=int, default=3)
    options = parser.parse_args()
    for n in options.n:
        plain, ours, default, error, by_loop = measure(n, options)
        print(
            f"n = {n}: bootstrap of {options.resamples} resamples {ours:.2f} s, loop "
            f"{plain:.2f} s, {plain / ours:.1f} times as long (limit 4); default "
            f"{1e3 * default:.1f} ms; standard errors {error:.2e} and {by_loop:.2e}"
        )


if __name__ == "__main__":
    main()
