"""Whether planned comparisons of mean losses of regressors have the power that was asked.

Two regressors have a noise in common and normal errors of their own. The number of records
is planned from the true mean losses and the standard deviation of their difference, and the
t test is run at it; then with the deviation of a pilot. Run

    python -m benchmarks.validity.planning.loss_plans

or with ``--help`` for the options.
"""

import numpy as np
from scipy import stats

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.regressors.holdout_worlds import noise
from skcompare.evidence import PairedLosses
from skcompare.stats import plan_loss_comparison, plan_loss_from_pilot

ALPHA, POWER = 0.05, 0.8
KINDS = ("normal", "laplace", "t5", "lognormal", "contaminated")
LOSSES = {"squared": np.square, "absolute": np.abs}
OWN = {"difference": (0.9, 0.6), "noninferiority": (0.6, 0.6), "equivalence": (0.6, 0.6)}
"""Standard deviations of the regressors' own errors, in those of the noise, by the goal."""
MARGIN = "10 %"
TRUTH = 2_000_000
PART = 2_000_000
"""Records drawn at a time."""
PILOTS = (30, 100, 300)
SIZE, SHARED = 5, 0.6
"""Records of a group, and the standard deviation of an error that they share."""


def losses_of(loss, kind, own, size, rng, shared=0.0):
    """Losses of champion and challenger, of shape (2, *size)."""
    errors = noise(kind, size, rng) + rng.normal(size=(2, *size)) * np.reshape(
        own, (2, *[1] * len(size))
    )
    if shared:
        # Groups are along the last axis; each regressor is wrong alike in all of a group.
        n_groups = size[-1] // SIZE
        common = rng.normal(scale=shared, size=(2, *size[:-1], n_groups))
        errors[..., : n_groups * SIZE] += np.repeat(common, SIZE, axis=-1)
    return LOSSES[loss](errors)


def truth_of(loss, kind, own, rng, shared=0.0):
    """Expected numbers as a plan takes them."""
    champion, challenger = losses_of(loss, kind, own, (TRUTH,), rng, shared)
    covariance = np.cov(champion, challenger)
    deviations = np.sqrt(np.diag(covariance)).tolist()
    means = [float(champion.mean()), float(challenger.mean())]
    if own[0] == own[1]:
        means = [sum(means) / 2] * 2
    return means, {
        "champion_deviation": deviations[0],
        "challenger_deviation": deviations[1],
        "deviation": float((champion - challenger).std()),
    }


def in_parts(n, n_draws):
    """Numbers of data sets of n records each, drawn together."""
    each = max(1, PART // n)
    return [min(each, n_draws - start) for start in range(0, n_draws, each)]


def statistics(champion, challenger, weight=1.0):
    """t of the mean of the champion's loss times a weight, less the challenger's."""
    gains = weight * champion - challenger
    n = gains.shape[-1]
    return gains.mean(axis=-1) / (gains.std(axis=-1, ddof=1) / n**0.5)


def shown(goal, champion, challenger):
    """Whether the goal is reached, for each data set."""
    df, share = champion.shape[-1] - 1, float(MARGIN.strip(" %")) / 100
    if goal == "difference":
        critical = stats.t.isf(ALPHA / 2, df)
        return np.abs(statistics(champion, challenger)) > critical
    critical = stats.t.isf(ALPHA, df)
    reached = statistics(champion, challenger, 1 + share) > critical
    if goal == "equivalence":
        reached &= statistics(champion, challenger, 1 - share) < -critical
    return reached


def stated_table(args):
    """Plans from expected numbers that are the true ones."""
    rng = np.random.default_rng(args.seed)
    table = Table(
        f"Power with the planned records, target {POWER}",
        ("loss", "noise", "goal", "records", "power"),
    )
    for loss in LOSSES:
        for kind in KINDS:
            for goal, own in OWN.items():
                means, deviations = truth_of(loss, kind, own, rng)
                margin = None if goal == "difference" else MARGIN
                plan = plan_loss_comparison(
                    *means, **deviations, goal=goal, margin=margin, power=POWER
                )
                n = int(plan.records)
                reached = [
                    shown(goal, *losses_of(loss, kind, own, (k, n), rng))
                    for k in in_parts(n, args.draws)
                ]
                power = float(np.concatenate(reached).mean())
                name = goal if margin is None else f"{goal} {margin}"
                table.add(loss, kind, name, n, with_error(power, args.draws))
    return table


def grouped_table(args):
    """Plans from a pilot of many groups, for the t test between groups."""
    rng = np.random.default_rng(args.seed)
    table = Table(
        f"Groups of {SIZE}: power of the t test between groups with the planned records, "
        f"target {POWER}",
        ("loss", "noise", "design effect", "records", "power"),
    )
    own = OWN["difference"]
    for loss in LOSSES:
        for kind in KINDS:
            pilot = PairedLosses.from_losses(
                *losses_of(loss, kind, own, (TRUTH,), rng, SHARED),
                groups=np.repeat(np.arange(TRUTH // SIZE), SIZE),
            )
            plan = plan_loss_from_pilot(pilot, power=POWER)
            k = int(np.ceil(plan.records / SIZE))
            reached = []
            for n_sets in in_parts(k * SIZE, args.draws):
                both = losses_of(loss, kind, own, (n_sets, k * SIZE), rng, SHARED)
                sums = both.reshape(2, n_sets, k, SIZE).sum(axis=-1)
                critical = stats.t.isf(ALPHA / 2, k - 1)
                reached.append(np.abs(statistics(*sums)) > critical)
            power = float(np.concatenate(reached).mean())
            effect = f"{plan.design_effect:.2f}"
            table.add(loss, kind, effect, k * SIZE, with_error(power, args.draws))
    return table


def pilot_table(args):
    """Plans with the standard deviation of a pilot, for the true difference."""
    rng = np.random.default_rng(args.seed)
    table = Table(
        "The true difference, and the standard deviation of a pilot: records and mean "
        f"power, target {POWER}",
        ("loss", "noise", "pilot", "true number", "quartiles of planned", "mean power"),
    )
    own = OWN["difference"]
    for loss in LOSSES:
        for kind in KINDS:
            means, deviations = truth_of(loss, kind, own, rng)
            right = plan_loss_comparison(*means, deviation=deviations["deviation"])
            for n_pilot in PILOTS:
                champion, challenger = losses_of(
                    loss, kind, own, (args.pilots, n_pilot), rng
                )
                planned, powers = [], []
                for spread in (champion - challenger).std(axis=-1, ddof=1).tolist():
                    plan = plan_loss_comparison(*means, deviation=spread, power=POWER)
                    planned.append(plan.records)
                    options = {"deviation": deviations["deviation"], "n": int(plan.records)}
                    powers.append(plan_loss_comparison(*means, **options).power)
                low, high = np.percentile(planned, [25, 75])
                error = np.std(powers) / len(powers) ** 0.5
                table.add(
                    loss, kind, n_pilot, int(right.records), f"{low:.0f} to {high:.0f}",
                    f"{np.mean(powers):.3f} ± {error:.3f}",
                )  # fmt: skip
    return table


PARTS = {"stated": stated_table, "groups": grouped_table, "pilot": pilot_table}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=20_000,
        n_jobs=None,
        pilots=(400, "pilots a setting"),
    )
