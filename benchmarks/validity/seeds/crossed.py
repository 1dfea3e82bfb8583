"""Type I error and power of the test of recipes, over records and trainings.

Two recipes are trained several times each, and are equally good over records and trainings;
the error of a record depends on the record, on the training, and on both. Run

    python -m benchmarks.validity.seeds.crossed

or with ``--help`` for the options. The tables of normal effects draw the mean squares
themselves; those of losses and AUCs draw every record, which takes an hour.
"""

from itertools import product

import numpy as np
from scipy.stats import norm, t

from benchmarks.validity._lib.rejections import mid_pvalue
from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.seeds.seed_worlds import (
    WORLDS,
    auc_evidence,
    first_pair,
    loss_evidence,
)
from skcompare.stats import crossed_t, plan_trainings, records_t
from skcompare.stats.trainings import crossed_df

ALPHA = 0.05
RECORDS = (500, 2000, 10_000)
TRAININGS = (
    (3, 3),
    (4, 4),
    (5, 5),
    (10, 10),
    (3, 5),
    (3, 7),
    (3, 30),
    (4, 8),
    (5, 10),
    (5, 20),
)
RATIOS = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 1000.0)
"""Variance over trainings, over that over records and interaction."""

SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)
"""Share of the interaction in the variance over records and interaction."""

OF_FIRST = (0.1, 0.5, 0.9)
"""Share of the role with fewer trainings in the variance over trainings, if unpaired."""

USUAL = ("none", "some", "much", "all")
"""Worlds whose trainings vary normally."""

METHODS = ("crossed_t", "Satterthwaite", "records alone", "trainings alone", "one pair")


class NormalEffects:
    """Mean squares of normal effects, of many comparisons at once.

    Variances are those of the mean difference: 1 over records and interaction, of which the
    share is the interaction, and the ratio over trainings. Of roles that are not paired the
    first one has its share of both, whatever the numbers of trainings.
    """

    def __init__(self, n, counts, paired, share, ratio, draws, rng, effect=0.0, first=0.5):
        parts = counts[:1] if paired else [count for count in counts if count > 1]
        self.df = [count - 1 for count in parts]
        of_roles = (first, 1 - first) if len(parts) == 2 else (1.0,)
        self.mean = effect + np.sqrt(1 + ratio) * rng.standard_normal(draws)
        self.records = rng.chisquare(n - 1, draws) / (n - 1)
        roles = [*zip(of_roles, self.df, strict=True)]
        self.trainings = [
            own * (ratio + share) * rng.chisquare(df, draws) / df for own, df in roles
        ]
        many = [(own, (n - 1) * df) for own, df in roles]
        self.left = sum(own * share * rng.chisquare(df, draws) / df for own, df in many)
        # One pair of trainings: its mean, and its variance over records.
        count = counts[0] if paired else 2 * counts[0] * counts[1] / sum(counts)
        extra = np.sqrt((count - 1) * (ratio + share)) * rng.standard_normal(draws)
        self.single = self.mean + extra
        self.of_single = (1 - share + count * share) * rng.chisquare(n - 1, draws) / (n - 1)
        self.n = n

    def rejections(self, level=ALPHA):
        """Share of rejections by each method."""
        of_trainings = sum(self.trainings)
        larger = np.maximum(self.records, of_trainings)
        total = np.maximum(larger, self.records + of_trainings - self.left)
        parts, df = (self.records, *self.trainings), (self.n - 1, *self.df)
        own = crossed_df(self.records, self.trainings, total, self.n - 1, self.df)
        with np.errstate(divide="ignore", invalid="ignore"):
            usual = satterthwaite(parts, df, total)
            apart = satterthwaite(parts[1:], df[1:], of_trainings)
        found = (
            (self.mean, total, own),
            (self.mean, total, usual),
            (self.mean, self.records, self.n - 1),
            (self.mean, of_trainings, apart),
            (self.single, self.of_single, self.n - 1),
        )
        # Without any variance over trainings there is no test over these alone.
        return [
            np.mean(np.abs(mean) > t.isf(level / 2, df) * np.sqrt(variance))
            if np.all(variance > 0)
            else np.nan
            for mean, variance, df in found
        ]


def satterthwaite(parts, df, whole):
    """Degrees of freedom of a sum of variances with their own."""
    return 1 / sum((part / whole) ** 2 / own for part, own in zip(parts, df, strict=True))


def normal_row(counts, paired, n, draws, seed):
    """Largest type I error of each method over all effects, and where."""
    rng = np.random.default_rng(seed)
    settings = list(product(SHARES, RATIOS, OF_FIRST[1:2] if paired else OF_FIRST))
    rates = np.array(
        [
            NormalEffects(
                n, counts, paired, share, ratio, draws, rng, first=first
            ).rejections()
            for share, ratio, first in settings
        ]
    )
    worst = settings[int(rates[:, 0].argmax())]
    return np.nanmax(rates, axis=0), worst, rates[:, 0].min()


def normal_table(args):
    """Largest type I error by numbers of trainings and records."""
    table = Table(
        f"Equal recipes, normal effects: largest type I error at {ALPHA}",
        ("trainings", "paired", "records", *METHODS, "least crossed_t", "worst at"),
    )
    draws = min(args.draws, 5000) if args.quick else args.draws
    pairs = [((2, 2), True), *((own, own[0] == own[1]) for own in TRAININGS)]
    pairs += [((3, 3), False), ((5, 5), False)]
    settings = [
        (*own, n) for own, n in product(pairs, RECORDS[:1] if args.quick else RECORDS)
    ]
    for (counts, paired, n), row in zip(
        settings, each_row(normal_row, settings, args, 1, draws), strict=True
    ):
        largest, (share, ratio, first), least = row
        table.add(
            " and ".join(map(str, counts)),
            "yes" if paired else "no",
            n,
            *(with_error(rate, draws) for rate in largest),
            f"{least:.3f}",
            f"interaction {share:g}, trainings {ratio:g}"
            + ("" if paired else f", {first:g} of the first"),
        )
    return table


def level_row(count, level, draws, seed):
    """Largest type I error of pairs of trainings at a level, over all effects."""
    rng = np.random.default_rng(seed)
    return max(
        NormalEffects(2000, (count, count), True, share, ratio, draws, rng).rejections(
            level
        )[0]
        for share, ratio in product(SHARES, RATIOS)
    )


def level_table(args):
    """Largest type I error at smaller levels, as of pairs that are adjusted."""
    levels = 0.05, 0.01, 0.001
    table = Table(
        "Equal recipes, 2000 records: largest type I error of crossed_t by level",
        ("pairs of trainings", *(f"level {level:g}" for level in levels)),
    )
    draws = min(args.draws, 5000) if args.quick else args.draws
    counts = 3, 4, 5, 10, 20
    rows = each_row(level_row, [*product(counts, levels)], args, 8, draws)
    rates = iter([with_error(rate, draws) for rate in rows])
    for count in counts:
        table.add(count, *(next(rates) for _ in levels))
    return table


def noise_row(share, ratio, draws, seed):
    rng = np.random.default_rng(seed)
    return NormalEffects(2000, (5, 5), True, share, ratio, draws, rng).rejections()


def noise_table(args):
    """Type I error by how much trainings vary, beside the usual ways."""
    table = Table(
        f"Equal recipes, 5 pairs of trainings, 2000 records: type I error at {ALPHA}",
        ("interaction", "variance over trainings", *METHODS),
    )
    draws = min(args.draws, 5000) if args.quick else args.draws
    settings = list(product((0.0, 0.5), (0.0, 0.1, 1.0, 10.0, 1000.0)))
    for setting, row in zip(
        settings, each_row(noise_row, settings, args, 2, draws), strict=True
    ):
        table.add(*setting, *shown(row, draws))
    return table


POWER = 0.8
SOURCES = {
    "records": (0.0, 0.0),
    "records, a tenth interaction": (0.1, 0.0),
    "records, half interaction": (0.5, 0.0),
    "interaction": (1.0, 0.0),
    "trainings": (0.0, 1e6),
    "records and trainings alike": (0.0, 1.0),
}


def power_row(source, count, draws, seed):
    """Power where the better of both one-way tests has 80 %."""
    rng = np.random.default_rng(seed)
    share, ratio = SOURCES[source]
    reach = norm.isf(ALPHA / 2) + norm.ppf(POWER)
    if ratio > 1:
        df = count - 1
        grid = np.linspace(2.0, 12.0, 2001)
        critical = t.isf(ALPHA / 2, df)
        powers = np.mean(
            [
                norm.sf(critical * np.sqrt(chi / df) - grid)
                for chi in rng.chisquare(df, 4000)
            ],
            axis=0,
        )
        reach = grid[int(np.argmax(powers >= POWER))]
    effect = reach * np.sqrt(1 + ratio)
    drawn = NormalEffects(2000, (count, count), True, share, ratio, draws, rng, effect)
    return drawn.rejections()[:4]


def power_table(args):
    """Power of each test at an effect that one of them finds in 80 %."""
    table = Table(
        "Power at an effect that the better valid test of one way finds in 80 %",
        ("what varies", "trainings", *METHODS[:4]),
    )
    draws = min(args.draws, 5000) if args.quick else args.draws
    settings = list(product(SOURCES, (3, 5, 10)))
    for setting, row in zip(
        settings, each_row(power_row, settings, args, 3, draws), strict=True
    ):
        table.add(*setting, *shown(row, draws))
    return table


PLANS = (
    # Deviations between records, between trainings, and of both at once.
    (1.0, 0.0, 0.5),
    (1.0, 0.01, 0.0),
    (1.0, 0.02, 0.5),
    (0.5, 0.03, 1.0),
    (0.0, 0.03, 1.0),
)
EFFECT = 0.06


def plan_row(sigmas, record_cost, draws, seed):
    """Planned numbers with their power, and the power that is measured with these."""
    names = "sigma_records", "sigma_trainings", "sigma_interaction"
    plan = plan_trainings(
        EFFECT, **dict(zip(names, sigmas, strict=True)), record_cost=record_cost
    )
    n, s = int(plan.records), plan.n_trainings
    of_records, of_trainings, of_both = (sigma**2 for sigma in sigmas)
    unit = of_records / n + of_both / (n * s)
    share, ratio = of_both / (n * s) / unit, of_trainings / s / unit
    rng = np.random.default_rng(seed)
    effect = EFFECT / np.sqrt(unit)
    drawn = NormalEffects(n, (s, s), True, share, ratio, draws, rng, effect)
    return s, n, plan.power, drawn.rejections()[0]


def plans_table(args):
    """Power with the numbers of trainings and records that are planned for 80 %."""
    table = Table(
        f"Plans for a power of 80 %, difference {EFFECT:g}",
        (
            *("records", "trainings", "both", "cost of a record", "trainings of each"),
            *("test records", "planned power", "power"),
        ),
    )
    draws = min(args.draws, 5000) if args.quick else args.draws
    settings = list(product(PLANS, (0.001, 0.1)))
    for (sigmas, cost), row in zip(
        settings, each_row(plan_row, settings, args, 7, draws), strict=True
    ):
        *numbers, planned, measured = row
        shown_power = f"{planned:.3f}", with_error(measured, draws)
        table.add(*sigmas, cost, *numbers, *shown_power)
    return table


def records_row(world, kind, counts, n, draws, seed):
    """Type I error with losses, or AUCs, of every record by every training."""
    rng = np.random.default_rng(seed)
    make = auc_evidence if kind == "AUC" else loss_evidence
    pvalues = []
    for _ in range(draws):
        evidence = make(world, kind, counts, n, rng)
        tests = crossed_t(evidence), records_t(evidence)
        pair = first_pair(evidence, mid_pvalue) if kind == "0/1" else np.nan
        pvalues.append([*(test.pvalue for test in tests), pair])
    shares = np.mean(np.array(pvalues) < ALPHA, axis=0)
    return [*shares[:2], shares[2] if kind == "0/1" else np.nan]


def shown(rates, draws):
    """Rates with their errors, and an empty text for tests that were not done."""
    return ["" if np.isnan(rate) else with_error(rate, draws) for rate in rates]


def records_table(args):
    """Type I error with losses of 0 and 1, and with other losses."""
    return _of_records(args, ("0/1", "real"), "losses", 4)


def auc_table(args):
    """Type I error with AUCs."""
    return _of_records(args, ("AUC",), "AUCs", 6)


def _of_records(args, kinds, words, stream):
    table = Table(
        f"Equal recipes, {words} of every record: type I error at {ALPHA}",
        ("trainings vary", "measure", "trainings", "records", *METHODS[:1], *METHODS[2::2]),
    )
    draws = 50 if args.quick else args.record_draws
    settings = [
        (world, kind, counts, n)
        for world, kind, counts, n in product(
            USUAL,
            kinds,
            ((3, 3), (5, 5), (3, 5)),
            RECORDS[:1] if args.quick else RECORDS,
        )
        if counts != (3, 5) or n == 2000 or args.quick
    ]
    for (world, kind, counts, n), row in zip(
        settings, each_row(records_row, settings, args, stream, draws), strict=True
    ):
        table.add(world, kind, " and ".join(map(str, counts)), n, *shown(row, draws))
    return table


def worlds_table(args):
    """Type I error with trainings that are not normal: bad runs, and collapse."""
    table = Table(
        f"Equal recipes, trainings that fail: type I error at {ALPHA}",
        ("trainings", "numbers", "records", *METHODS[:3:2]),
    )
    draws = 50 if args.quick else 5 * args.record_draws
    settings = list(
        product(
            [world for world in WORLDS if world not in USUAL],
            ("real",),
            ((3, 3), (5, 5), (10, 10)),
            RECORDS[:1],
        )
    )
    for (world, _, counts, n), row in zip(
        settings, each_row(records_row, settings, args, 5, draws), strict=True
    ):
        table.add(world, " and ".join(map(str, counts)), n, *shown(row[:2], draws))
    return table


if __name__ == "__main__":
    main(
        __doc__,
        {
            "normal": normal_table,
            "levels": level_table,
            "noise": noise_table,
            "power": power_table,
            "plans": plans_table,
            "records": records_table,
            "auc": auc_table,
            "worlds": worlds_table,
        },
        draws=100_000,
        record_draws=(2000, "comparisons a setting where every record is drawn"),
        of="comparisons a setting of normal effects",
        quick=(False, "few comparisons of 500 records"),
    )
