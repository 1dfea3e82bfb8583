"""How often tests that are looked at again and again are ever wrong, and what that costs.

The probabilities for correct and incorrect predictions are exact: those of all tables are
followed from record to record; losses are simulated. Run

    python -m benchmarks.validity.sequential.anytime

or with ``--help`` for the options.
"""

import math

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logsumexp, stdtrit
from scipy.stats import binom

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.losses.losses import ROUNDING, draw, losses_of, true_gain
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats import (
    anytime_losses,
    anytime_mcnemar,
    mcnemar,
    mcnemar_sample_size,
    paired_t,
    paired_tests,
)
from skcompare.stats.sequential._e_values import LOG_WEIGHTS, SHARES

ALPHA = 0.05
WATCHED = (100, 1000, 10_000)
MARGINS = (
    # True difference, which is also the null value; disagreement; records.
    (-0.02, 0.06, 1000),
    (-0.05, 0.15, 500),
    (-0.05, 0.05, 500),
    (0.10, 0.30, 300),
)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(160)
LOSS_KINDS = ("alike", "one class rare", "nearly certain", "overconfident challenger")
LOSS_RECORDS = 2000
FIRST_LOOK = 20
EVERY = 100
PLANS = (
    # Shares of records that only the champion, only the challenger classifies correctly;
    # null value; alternative.
    (0.02, 0.10, 0.0, "two-sided"),
    (0.05, 0.08, 0.0, "two-sided"),
    (0.05, 0.08, 0.0, "greater"),
    (0.20, 0.25, 0.0, "two-sided"),
    (0.03, 0.03, -0.02, "greater"),
    (0.01, 0.01, -0.05, "greater"),
)
POWER = 0.8


# ------------------------------------------------------------- right and wrong, exactly


RULES = {
    # The test, its alternative, and after how many discordant records it is looked at.
    "anytime_mcnemar": (anytime_mcnemar, "two-sided", 1),
    'anytime_mcnemar, "greater"': (anytime_mcnemar, "greater", 1),
    "mcnemar, every record": (mcnemar, "two-sided", 1),
    "mcnemar, every 100th": (mcnemar, "two-sided", EVERY),
}


def least_counts(test, alternative, most):
    """Of each number of discordant records, how many for the challenger reject at least."""
    least, found = 1, [1]
    for m in range(1, most + 1):
        # With one more record it takes as many as before, or one more.
        least = max(least, (m + 1) // 2)
        while least <= m:
            table = ContingencyTable(0, m - least, least, 0)
            if test(table, alternative=alternative).pvalue < ALPHA:
                break
            least += 1
        found.append(least)
    return np.array(found)


def ever_rejected(test, alternative, every, watched):
    """Probability that a test ever rejects up to some numbers of discordant records."""
    least = least_counts(test, alternative, max(watched))
    alive, found = np.ones(1), {}
    for m in range(1, max(watched) + 1):
        alive = (np.append(alive, 0.0) + np.append(0.0, alive)) / 2
        if m % every == 0:
            alive[least[m] :] = 0.0
            if alternative == "two-sided":
                alive[: m + 1 - least[m]] = 0.0
        if m in watched:
            found[m] = 1 - alive.sum()
    return found


def equal_table(args):
    """Equal accuracies."""
    rows = Parallel(args.n_jobs)(
        delayed(ever_rejected)(*rule, WATCHED) for rule in RULES.values()
    )
    table = Table(
        f"Equal accuracies, tested after every record: probability of ever p < {ALPHA}",
        ("test", *(f"{m} discordant pairs" for m in WATCHED)),
    )
    for name, found in zip(RULES, rows):
        table.add(name, *(f"{found[m]:.4f}" for m in WATCHED))
    return table


def wealth(b, c, n, null, half):
    """E-values of many tables, by Gauss' rule over kappa."""
    low = 0.0 if half else -1.0
    kappa = low + (NODES + 1) * (1 - low) / 2
    # The density of a uniform kappa times the width of the range is 1.
    weights = WEIGHTS / 2
    right, wrong = np.log1p(kappa), np.log1p(-kappa)
    grown = c[..., None] * right + b[..., None] * wrong - n * np.log1p(kappa * null)
    return logsumexp(grown, b=weights, axis=-1)


def ever_beyond(null, disagreement, records, half):
    """Probability that the true difference is ever rejected, by all paths of a table."""
    only_b, only_c = (disagreement - null) / 2, (disagreement + null) / 2
    most = int(binom.isf(1e-9, records, max(only_b, only_c))) + 2
    b, c = np.meshgrid(np.arange(most), np.arange(most), indexing="ij")
    alive = np.zeros((most, most))
    alive[0, 0] = 1.0
    for n in range(1, records + 1):
        grown = (1 - disagreement) * alive
        grown[1:] += only_b * alive[:-1]
        grown[:, 1:] += only_c * alive[:, :-1]
        alive = grown
        likely = alive > 1e-12
        far = wealth(b[likely], c[likely], n, null, half) > -math.log(ALPHA)
        rows, columns = np.nonzero(likely)
        alive[rows[far], columns[far]] = 0.0
    return 1 - alive.sum()


def margin_table(args):
    """Other differences: those that a margin has, and that an interval must hold."""
    for b, c, n, null in ((3, 9, 100, -0.05), (0, 0, 60, -0.05), (30, 12, 200, 0.1)):
        table = ContingencyTable(n - b - c, b, c, 0)
        for half, alternative in ((False, "two-sided"), (True, "greater")):
            result = anytime_mcnemar(table, null_value=null, alternative=alternative)
            found = wealth(np.array(b), np.array(c), n, null, half)
            check(found, result.details["log_e_value"])
    settings = [(*row, half) for row in MARGINS for half in (False, True)]
    found = iter(Parallel(args.n_jobs)(delayed(ever_beyond)(*row) for row in settings))
    table = Table(
        "Tested after every record: probability that the interval ever excludes the "
        f"difference, and that its side is ever rejected, at {ALPHA}",
        ("difference", "disagreement", "records", "two-sided", '"greater"'),
    )
    for row in MARGINS:
        table.add(*row, f"{next(found):.4f}", f"{next(found):.4f}")
    return table


# -------------------------------------------------------------------- losses, by draws


def watched_losses(x, null, half):
    """Logarithms of the e-values after each record, of losses with bound 1."""
    shares = SHARES[SHARES > 0] if half else SHARES
    weights = LOG_WEIGHTS[SHARES > 0] + math.log(2) if half else LOG_WEIGHTS
    grown = np.cumsum(np.log1p(np.outer(x, shares)), axis=0)
    n = np.arange(1, len(x) + 1)[:, None]
    return logsumexp(grown - n * np.log1p(shares * null) + weights, axis=1)


def watched_t(x, null):
    """p < alpha of paired t tests after each record, from the 20th on."""
    n = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / n
    squares = np.cumsum(x**2) - n * mean**2
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (mean - null) / np.sqrt(squares / (n - 1) / n)
        return (np.abs(t) > stdtrit(n - 1, 1 - ALPHA / 2))[FIRST_LOOK - 1 :]


def loss_row(kind, truth, n_draws, seed):
    """Shares of streams that ever reject the true gain."""
    rng = np.random.default_rng(seed)
    counts = np.zeros(4)
    for k in range(n_draws):
        y, *proba = draw(kind, LOSS_RECORDS, rng)
        losses = losses_of(y, proba, "brier")
        x = losses.differences
        both, half = (watched_losses(x, truth, side) for side in (False, True))
        if k < 3:
            check_losses(losses, truth, both, half)
        often = watched_t(x, truth)
        most = -math.log(ALPHA)
        looks = often[EVERY - FIRST_LOOK :: EVERY]
        counts += [(both > most).any(), (half > most).any(), often.any(), looks.any()]
    return counts / n_draws


def check_losses(losses, truth, both, half):
    for n in (50, LOSS_RECORDS):
        part = PairedLosses.from_losses(losses.champion[:n], losses.challenger[:n])
        for found, side in ((both, "two-sided"), (half, "greater")):
            result = anytime_losses(part, bound=1, null_value=truth, alternative=side)
            check(found[n - 1], result.details["log_e_value"])
        low, high = anytime_losses(part, bound=1).confidence_interval(1 - ALPHA)
        outside = not low - ROUNDING <= truth <= high + ROUNDING
        check(both[n - 1] > -math.log(ALPHA), outside)
        if truth == 0:
            t = watched_t(part.differences, 0.0)[n - FIRST_LOOK]
            check(t, paired_t(part).pvalue < ALPHA)


def loss_table(args):
    """Brier losses of two classifiers."""
    truths = [true_gain(kind, "brier") for kind in LOSS_KINDS]
    rows = each_row(loss_row, [*zip(LOSS_KINDS, truths)], args, 1)
    table = Table(
        f"Brier losses of {LOSS_RECORDS} records: share of streams that ever reject the "
        f"true gain at {ALPHA}",
        (
            "probabilities",
            "true gain",
            "anytime_losses",
            'anytime_losses, "greater"',
            "paired_t, every record from 20",
            "paired_t, every 100th",
        ),
    )
    for kind, truth, row in zip(LOSS_KINDS, truths, rows):
        table.add(kind, f"{truth:+.4f}", *(with_error(each, args.draws) for each in row))
    return table


# ------------------------------------------------------------------ what it costs


def plan_row(b, c, null, side, n_draws, seed):
    """Records for the power, the power that they have, and when watching stops."""
    rng = np.random.default_rng(seed)
    settings = {"alternative": side, "null_value": null}
    shares = 0.9 - b - c, b, c, 0.1
    pilot = ContingencyTable(*(round(100 * share) for share in shares))
    plan = {"alpha": ALPHA, "power": POWER, **settings}
    needed = int(paired_tests()["anytime_mcnemar"].sample_size(pilot, **plan))
    if null:
        fixed = paired_tests()["mcnemar"].sample_size(pilot, method="asymptotic", **plan)
    else:
        fixed = mcnemar_sample_size(
            pilot.difference, b + c, alpha=ALPHA, power=POWER, alternative=side
        )
    x = rng.choice([-1, 1, 0], p=[b, c, 1 - b - c], size=(n_draws, 4 * needed))
    lost, won = np.cumsum(x == -1, axis=1), np.cumsum(x == 1, axis=1)
    powers = first_rejections(lost, won, null, side)
    stopped = np.where(np.isfinite(powers[1]), powers[1], x.shape[1])
    return fixed, needed, powers[0][:, needed - 1].mean(), stopped


def first_rejections(lost, won, null, side):
    """Rejections after each record, and the number of the first one."""
    if null == 0:
        least = least_counts(anytime_mcnemar, side, (won + lost).max())[won + lost]
        rejected = (won >= least) | ((lost >= least) & (side == "two-sided"))
    else:
        found = [
            wealth(lost[:, k], won[:, k], k + 1, null, side != "two-sided")
            for k in range(lost.shape[1])
        ]
        rejected = np.stack(found, axis=1) > -math.log(ALPHA)
    first = np.where(rejected.any(axis=1), rejected.argmax(axis=1) + 1, np.inf)
    return rejected, first


def plan_table(args):
    """What looking at all times costs, and saves."""
    rows = each_row(plan_row, PLANS, args, 2, args.draws // 2)
    table = Table(
        f"Records for a power of {POWER} at {ALPHA}",
        (
            "only champion, only challenger right",
            "null value",
            "alternative",
            "mcnemar",
            "anytime_mcnemar, tested once",
            "its power then",
            "sequential: median stop",
            "mean stop",
        ),
    )
    for (b, c, null, side), (fixed, needed, power, stopped) in zip(PLANS, rows):
        shown = with_error(power, len(stopped))
        stops = f"{np.median(stopped):.0f}", f"{stopped.mean():.0f}"
        table.add(f"{b:g}, {c:g}", null, side, f"{fixed:.0f}", needed, shown, *stops)
    return table


def check(one, other):
    """Stop where a formula and the library differ."""
    if not np.isclose(float(one), float(other), rtol=1e-8, atol=1e-9):
        raise SystemExit(f"the formula says {one}, and the library {other}")


PARTS = {
    "equal": equal_table,
    "margin": margin_table,
    "losses": loss_table,
    "plan": plan_table,
}


if __name__ == "__main__":
    main(__doc__, PARTS, of="streams a setting")
