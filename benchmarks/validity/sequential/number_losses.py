"""How often anytime-valid tests of bounded losses of predicted numbers are ever wrong.

Streams of losses of two regressors with a bound that is known beforehand are looked at
after every record. Run

    python -m benchmarks.validity.sequential.number_losses

or with ``--help`` for the options.
"""

import math

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.sequential.anytime import (
    ALPHA,
    EVERY,
    FIRST_LOOK,
    check,
    watched_losses,
    watched_t,
)
from skcompare.evidence import PairedLosses
from skcompare.stats import anytime_losses

RECORDS, TRUTH = 2000, 4_000_000
LEVEL = 0.9
"""Level of the quantile, and coverage of the intervals."""


def within_range(n, rng, challenger):
    """Targets and predictions from 0 to 1; `challenger` is the spread of its errors."""
    y = rng.beta(2, 3, size=n)
    errors = rng.normal(size=(2, n)) * [[0.2], [challenger]]
    return y, np.clip(y + errors, 0, 1)


def pinball(y, predicted):
    error = y - predicted
    return np.where(error > 0, LEVEL, LEVEL - 1) * error


def absolute(n, rng, challenger=0.2):
    y, predicted = within_range(n, rng, challenger)
    return np.abs(y - predicted)


def squared(n, rng, challenger=0.2):
    y, predicted = within_range(n, rng, challenger)
    return (y - predicted) ** 2


def quantile(n, rng, challenger=0.2):
    y, predicted = within_range(n, rng, challenger)
    return pinball(y, predicted)


def clipped(n, rng, challenger=1.0):
    """Absolute errors with infinite variance, clipped at 10."""
    errors = rng.standard_t(2, size=(2, n)) * [[1.0], [challenger]]
    return np.minimum(np.abs(errors), 10.0)


def missed(n, rng, challenger=1.645):
    """Whether normal intervals miss the target; `challenger` is its half-width."""
    y = rng.normal(size=n)
    centre = 0.3 * rng.normal(size=(2, n))
    return (np.abs(y - centre) > [[1.645], [challenger]]).astype(float)


SETTINGS = {
    # Losses, their bound, and the error of a challenger that is not like the champion.
    "absolute errors in [0, 1]": (absolute, 1.0, None),
    "absolute errors in [0, 1], different": (absolute, 1.0, 0.3),
    "squared errors in [0, 1]": (squared, 1.0, None),
    "squared errors in [0, 1], different": (squared, 1.0, 0.3),
    "pinball losses in [0, 1]": (quantile, LEVEL, None),
    "absolute errors clipped at 10": (clipped, 10.0, None),
    "absolute errors clipped at 10, different": (clipped, 10.0, 1.3),
    "coverage of intervals": (missed, 1.0, None),
    "coverage of intervals, different": (missed, 1.0, 2.2),
}


def losses_in(setting, n, rng):
    """Losses of champion and challenger, of shape (2, n)."""
    make, _, challenger = SETTINGS[setting]
    return make(n, rng) if challenger is None else make(n, rng, challenger)


def true_gain(setting):
    """Expected champion's loss less the challenger's."""
    if SETTINGS[setting][2] is None:
        return 0.0
    champion, challenger = losses_in(setting, TRUTH, np.random.default_rng(0))
    return float((champion - challenger).mean())


def row(setting, truth, n_draws, seed):
    """Shares of streams that ever reject the true gain."""
    rng, bound = np.random.default_rng(seed), SETTINGS[setting][1]
    counts, most = np.zeros(4), -math.log(ALPHA)
    for k in range(n_draws):
        champion, challenger = losses_in(setting, RECORDS, rng)
        x = (champion - challenger) / bound
        both, half = (watched_losses(x, truth / bound, side) for side in (False, True))
        if k < 3:
            losses = PairedLosses.from_losses(champion, challenger)
            for found, side in ((both, "two-sided"), (half, "greater")):
                options = {"bound": bound, "null_value": truth, "alternative": side}
                result = anytime_losses(losses, **options)
                check(found[-1], result.details["log_e_value"])
        often = watched_t(x, truth / bound)
        looks = often[EVERY - FIRST_LOOK :: EVERY]
        counts += [(both > most).any(), (half > most).any(), often.any(), looks.any()]
    return counts / n_draws


def table_of_settings(args):
    """Losses of predicted numbers whose bound is known."""
    truths = [true_gain(setting) for setting in SETTINGS]
    rows = each_row(row, [*zip(SETTINGS, truths)], args, 1)
    table = Table(
        f"Bounded losses of numbers, {RECORDS} records: share of streams that ever reject "
        f"the true gain at {ALPHA}",
        (
            "losses",
            "true gain",
            "anytime_losses",
            'anytime_losses, "greater"',
            "paired_t, every record from 20",
            "paired_t, every 100th",
        ),
    )
    for setting, truth, shares in zip(SETTINGS, truths, rows):
        cells = (with_error(share, args.draws) for share in shares)
        table.add(setting, f"{truth:+.4f}", *cells)
    return table


if __name__ == "__main__":
    main(__doc__, table_of_settings, of="streams a setting")
