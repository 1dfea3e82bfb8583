"""Error rates, power and coverage of the comparison of calibration errors, by simulation.

Data are drawn with equal squared calibration errors and the tests that reject are counted;
then with unequal ones, whose difference is known. Beside the library's methods stand two
tests of the plug-in expected calibration error that are often used: its percentile
bootstrap interval, and the exchange of the two columns. Run

    python -m benchmarks.validity.calibration.calibration

or with ``--help`` for the options.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import PairedCalibration
from skcompare.stats import calibration_difference

ALPHA = 0.05
RECORDS = (200, 500, 1000, 3000, 10_000)
FEWER = (200, 1000, 3000)
FLAGGED = (200, 500, 1000)
RESAMPLES = 200
OF_PLUG_IN = 199
MOST_PLUG_IN = 1000
BINS = (5, 10, 30)
GROUPS = (10, 20, 50, 200)
PER_GROUP = 10


@dataclass(frozen=True)
class World:
    """How records are drawn, and the difference of the squared calibration errors."""

    title: str
    draw: Callable
    difference: float = 0.0


def outcomes(p, rng):
    return (rng.random(len(p)) < p).astype(int)


def odds_raised(p, power):
    """Probabilities pushed towards 0 and 1."""
    return special.expit(power * special.logit(np.clip(p, 1e-9, 1 - 1e-9)))


def nested(n, rng, mean=0.0, known=0.7, more=0.9):
    """Both calibrated; the champion knows more than the challenger."""
    first, second = rng.standard_normal((2, n))
    p = special.ndtr(mean + known * first + more * second)
    return p, special.ndtr((mean + known * first) / np.sqrt(1 + more**2)), outcomes(p, rng)


def constant(n, rng):
    """Both calibrated; the challenger always says 1/2."""
    p = special.ndtr(1.2 * rng.standard_normal(n))
    return p, np.full(n, 0.5), outcomes(p, rng)


def alike(n, rng, mean=0.0, power=1.0):
    """Two classifiers that are alike and know different things, and one thing in common."""
    common, first, second = 0.7 * rng.standard_normal((3, n))
    p = special.ndtr(mean + common + first + second)
    scale = np.sqrt(1 + 0.7**2)
    pair = (special.ndtr((mean + common + own) / scale) for own in (first, second))
    return *(odds_raised(each, power) for each in pair), outcomes(p, rng)


def shifted(n, rng, champion, challenger):
    """Both miss every probability by the same distance, each by its own."""
    p = rng.uniform(0.2, 0.8, size=n)
    return p + champion, p + challenger, outcomes(p, rng)


def other_shape(n, rng):
    """The champion misses every probability, the challenger those above 1/2 by more."""
    p = rng.uniform(0.2, 0.8, size=n)
    return p + 0.1, p + 0.1 * np.sqrt(2) * (p > 0.5), outcomes(p, rng)


def few_records(n, rng):
    """The champion is wrong on 1 record in 50 by far, the challenger on all by little."""
    p = rng.uniform(0.2, 0.8, size=n)
    champion = np.where(rng.random(n) < 0.02, 0.96, p)
    return champion, p + 0.46 * np.sqrt(0.02), outcomes(p, rng)


def hard_and_soft(n, rng, errs, certain, soft, right, apart=False):
    """A classifier of two outputs near 0 and 1, which errs, and one that is less certain.

    Both are off by the same distance: one says `certain` and is right but for `errs`, the
    other says `soft` and is right so often. They err on the same records, as far as one
    errs more often, or each on others.
    """
    y = rng.integers(2, size=n)
    chance = rng.random(n)
    hard = np.where(chance < errs, 1 - y, y)
    wrong = (1 - chance if apart else chance) < 1 - right
    named = np.where(wrong, 1 - y, y)
    return (
        np.where(named == 1, soft, 1 - soft),
        np.where(hard == 1, certain, 1 - certain),
        y,
    )


HARD = (
    (0.01, 1.0, 0.96, 0.97), (0.02, 1.0, 0.96, 0.94), (0.02, 1.0, 0.96, 0.98),
    (0.05, 1.0, 0.9, 0.95), (0.05, 1.0, 0.9, 0.85), (0.05, 0.98, 0.96, 0.99),
    (0.1, 1.0, 0.9, 1.0), (0.1, 0.98, 0.9, 0.98), (0.1, 0.99, 0.9, 0.99),
    (0.1, 0.98, 0.96, 0.88),
)  # fmt: skip
"""How often the hard classifier errs and what it says; what the soft one says and how often
it is right."""
FEW_RECORDS = (40, 100, 300, 1000)

NULLS = (
    World("both calibrated, different sharpness", nested),
    World("both calibrated, one constant", constant),
    World("both calibrated, alike", alike),
    World("alike, overconfident", lambda n, rng: alike(n, rng, power=1.6)),
    World("opposite bias of 0.02", lambda n, rng: shifted(n, rng, 0.02, -0.02)),
    World("opposite bias of 0.1", lambda n, rng: shifted(n, rng, 0.1, -0.1)),
    World("errors of different shape", other_shape),
    World("rare class, both calibrated", lambda n, rng: nested(n, rng, -2.6, 0.5, 0.5)),
    World("rare class, alike, overconfident", lambda n, rng: alike(n, rng, -2.2, 1.6)),
    World("all error in 2 % of records", few_records),
)
EFFECTS = (
    World("bias 0.05 to 0", lambda n, rng: shifted(n, rng, 0.05, 0.0), 0.0025),
    World("bias 0.1 to 0.05", lambda n, rng: shifted(n, rng, 0.1, -0.05), 0.0075),
    World("bias 0.1 to 0", lambda n, rng: shifted(n, rng, 0.1, 0.0), 0.01),
)


def plug_in_rejections(champion, challenger, y, n_bins, rng):
    """Whether plug-in calibration errors differ, by bootstrap and by exchange.

    The interval is of the percentiles; the roles are exchanged in each record at random.
    """
    n = len(y)
    rows = np.arange(n)
    parts = []
    for p in (champion, challenger):
        at = np.zeros((n, n_bins))
        at[rows, np.minimum((p * n_bins).astype(int), n_bins - 1)] = y - p
        parts.append(at)
    first, second = parts
    error = [np.abs(part.sum(axis=0)).sum() for part in parts]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=OF_PLUG_IN).astype(float)
    drawn = [np.abs(counts @ part).sum(axis=1) for part in parts]
    low, high = np.quantile(drawn[0] - drawn[1], [ALPHA / 2, 1 - ALPHA / 2])
    exchanged = rng.integers(2, size=(OF_PLUG_IN, n)).astype(float)
    moved = exchanged @ (second - first)
    one = np.abs(first.sum(axis=0) + moved).sum(axis=1)
    two = np.abs(second.sum(axis=0) - moved).sum(axis=1)
    beyond = np.count_nonzero(np.abs(one - two) >= abs(error[0] - error[1]) - 1e-9)
    return not low <= 0 <= high, (1 + beyond) / (1 + OF_PLUG_IN) < ALPHA


def evidence_of(champion, challenger, y, **words):
    return PairedCalibration.from_predictions(
        y, champion, challenger, labels=[0, 1], **words
    )


def rates_of(world, n, sizes, seed):
    """What the tests of the drawn records say, as shares of the draws."""
    rng = np.random.default_rng(seed)
    analytic, resampled, plug_in = [], [], []
    for k in range(sizes[0]):
        champion, challenger, y = world.draw(n, rng)
        calibration = evidence_of(champion, challenger, y)
        analytic.append(decisions(calibration_difference(calibration), world))
        if k >= sizes[1]:
            continue
        found = []
        for method in ("bootstrap", "exchangeability"):
            result = calibration_difference(
                calibration, method=method, n_resamples=RESAMPLES, random_state=rng_of(rng)
            )
            found += decisions(result, world)[:2]
        resampled.append(found)
        if n <= MOST_PLUG_IN:
            plug_in.append(plug_in_rejections(champion, challenger, y, 15, rng))
    return [
        np.mean(each, axis=0) if each else None for each in (analytic, resampled, plug_in)
    ]


def rng_of(rng):
    return int(rng.integers(2**31))


def decisions(result, world):
    """Rejection at the level, coverage, rejection at 0.01, and on either side."""
    low, high = result.confidence_interval(1 - ALPHA)
    p = result.pvalue
    return (
        p < ALPHA,
        low <= world.difference <= high,
        p < 0.01,
        p < 2 * ALPHA and result.estimate > 0,
        p < 2 * ALPHA and result.estimate < 0,
    )


def level_tables(args):
    """Type I error of all methods, and of the default on each side."""
    sizes = args.draws, args.resampled
    settings = [(world, n) for world in NULLS for n in RECORDS]
    rows = each_row(rates_of, settings, args, 1, sizes)
    level = Table(
        f"Equal squared calibration errors: type I error at {ALPHA}",
        (
            "classifiers",
            "records",
            "analytic",
            "bootstrap",
            "exchangeability",
            "plug-in, percentile bootstrap",
            "plug-in, exchange of columns",
        ),
    )
    sides = Table(
        "Equal squared calibration errors: type I error of the default",
        ("classifiers", "records", "at 0.01", "greater, at 0.05", "less, at 0.05"),
    )
    for (world, n), (analytic, resampled, plug_in) in zip(settings, rows):
        shown = [with_error(analytic[0], args.draws)]
        shown += [with_error(resampled[k], args.resampled) for k in (0, 2)]
        shown += (
            ["", ""]
            if plug_in is None
            else [with_error(each, args.resampled) for each in plug_in]
        )
        level.add(world.title, n, *shown)
        shown = (with_error(each, args.draws) for each in analytic[2:])
        sides.add(world.title, n, *shown)
    return level, sides


def power_tables(args):
    """Power of both tests of equal errors, and coverage of their intervals."""
    sizes = args.draws, args.resampled
    settings = [(world, n) for world in EFFECTS for n in RECORDS]
    rows = each_row(rates_of, settings, args, 2, sizes)
    table = Table(
        "Unequal calibration errors: power and coverage of the 95 % interval",
        (
            "errors",
            "records",
            "power, analytic",
            "power, bootstrap",
            "coverage, analytic",
            "coverage, bootstrap",
        ),
    )
    for (world, n), (analytic, resampled, _) in zip(settings, rows):
        cells = [
            with_error(share, size)
            for k in (0, 1)
            for share, size in ((analytic[k], args.draws), (resampled[k], args.resampled))
        ]
        table.add(world.title, n, *cells)
    return table


def bins_row(world, n, n_draws, seed):
    """Shares of rejections with other bins."""
    rng = np.random.default_rng(seed)
    layouts = [{"n_bins": n_bins} for n_bins in BINS]
    layouts += [{"n_bins": 10, "strategy": "equal_mass"}]
    rejected = []
    for _ in range(n_draws):
        drawn = world.draw(n, rng)
        made = (evidence_of(*drawn, **each) for each in layouts)
        rejected.append([calibration_difference(each).pvalue < ALPHA for each in made])
    return np.mean(rejected, axis=0)


def bins_tables(args):
    """Type I error of the default with more, fewer and unequal bins."""
    # Where errors are equal for every layout of the bins.
    worlds = [NULLS[k] for k in (0, 2, 3, 7, 8)]
    settings = [(world, n) for world in worlds for n in FEWER]
    rows = each_row(bins_row, settings, args, 3)
    table = Table(
        f"Equal squared calibration errors, other bins: type I error at {ALPHA}",
        (
            "classifiers",
            "records",
            *(f"{n_bins} bins" for n_bins in BINS),
            "10 bins of equal mass",
        ),
    )
    for (world, n), rejected in zip(settings, rows):
        table.add(world.title, n, *(with_error(each, args.draws) for each in rejected))
    return table


def flags_row(world, n, n_draws, seed):
    """Whether the default rejects, and whether it is flagged as decided by few records."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_draws):
        result = calibration_difference(evidence_of(*world.draw(n, rng)))
        found.append((result.pvalue < ALPHA, "calibration-of-few-records" in result.flags))
    return np.array(found).T


def flags_tables(args):
    """Type I error of the default with and without the flag of few records."""
    settings = [(world, n) for world in NULLS for n in FLAGGED]
    rows = each_row(flags_row, settings, args, 5)
    table = Table(
        f'The flag "calibration-of-few-records": type I error at {ALPHA}',
        ("classifiers", "records", "flagged", "all", "flagged only", "others"),
    )
    for (world, n), (rejected, flagged) in zip(settings, rows):
        shown = [
            with_error(each.mean(), len(each)) if len(each) else ""
            for each in (flagged, rejected, rejected[flagged], rejected[~flagged])
        ]
        table.add(world.title, n, *shown)
    return table


def hard_row(setting, n, sizes, seed):
    """Shares of rejections by the default and the bootstrap, and of those flagged."""
    rng = np.random.default_rng(seed)
    found, resampled = [], []
    for k in range(sizes[0]):
        calibration = evidence_of(*hard_and_soft(n, rng, *setting))
        result = calibration_difference(calibration)
        found.append((result.pvalue < ALPHA, "calibration-of-few-records" in result.flags))
        if k < sizes[1]:
            other = calibration_difference(
                calibration,
                method="bootstrap",
                n_resamples=RESAMPLES,
                random_state=rng_of(rng),
            )
            resampled.append(other.pvalue < ALPHA)
    return *np.mean(found, axis=0), np.mean(resampled)


def hard_tables(args):
    """Type I error where one classifier is nearly certain, and errs now and then."""
    settings = [((*each, apart), n) for each in HARD for apart in (False, True)
                for n in FEW_RECORDS]  # fmt: skip
    sizes = args.draws, args.resampled
    rows = each_row(hard_row, settings, args, 6, sizes)
    table = Table(
        f"Equal squared calibration errors, outputs near 0 and 1: type I error at {ALPHA}",
        ("error rate, hard", "output, hard", "output, soft", "accuracy, soft",
         "same errors", "records", "analytic", "bootstrap", "flagged"),
    )  # fmt: skip
    for ((*each, apart), n), (analytic, flagged, bootstrap) in zip(settings, rows):
        shown = with_error(analytic, sizes[0]), with_error(bootstrap, sizes[1])
        table.add(*each, "no" if apart else "yes", n, *shown, f"{flagged:.2f}")
    return table


def grouped(n_groups, rng, power):
    """Classifiers that are alike, of groups whose records have much in common."""
    groups = np.repeat(np.arange(n_groups), PER_GROUP)
    hidden, common, first, second = rng.standard_normal((4, n_groups))[:, groups]
    own = 0.7 * rng.standard_normal((2, len(groups)))
    p = special.ndtr(common + first + second + hidden + own[0] + own[1])
    scale = np.sqrt(3 + 0.7**2)
    pair = (
        special.ndtr((common + each + x) / scale) for each, x in zip((first, second), own)
    )
    return *(odds_raised(each, power) for each in pair), outcomes(p, rng), groups


def grouped_row(n_groups, power, n_draws, seed):
    """Shares of rejections with the groups, and as if records were unrelated."""
    rng = np.random.default_rng(seed)
    rejected = []
    for _ in range(n_draws):
        *drawn, groups = grouped(n_groups, rng, power)
        made = (evidence_of(*drawn, groups=each) for each in (groups, None))
        rejected.append([calibration_difference(each).pvalue < ALPHA for each in made])
    return np.mean(rejected, axis=0)


def grouped_tables(args):
    """Type I error of grouped records, with the groups and without."""
    kinds = {"calibrated": 1.0, "overconfident": 1.6}
    settings = [(n, power) for power in kinds.values() for n in GROUPS]
    rows = each_row(grouped_row, settings, args, 4)
    table = Table(
        f"Groups of {PER_GROUP} records, classifiers alike: type I error at {ALPHA}",
        ("classifiers", "groups", "with groups", "as if unrelated"),
    )
    names = [name for name in kinds for _ in GROUPS]
    for name, (n_groups, _), rejected in zip(names, settings, rows):
        shown = (with_error(each, args.draws) for each in rejected)
        table.add(name, n_groups, *shown)
    return table


PARTS = {
    "level": level_tables,
    "power": power_tables,
    "bins": bins_tables,
    "groups": grouped_tables,
    "flags": flags_tables,
    "hard": hard_tables,
}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        n_jobs=1,
        resampled=(400, "of these, how many for resampling"),
    )
