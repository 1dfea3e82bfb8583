"""Error rates, power and coverage of the tests of two precisions, by simulation.

Records have a class, and two classifiers predict it with known precisions; which of them
classifies correctly is correlated. Run

    python -m benchmarks.validity.precision.precision

or with ``--help`` for the options.
"""

from itertools import pairwise, product

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.precision.precision_draws import (
    FORMULAS,
    ROUNDING,
    formula_roots,
    joint_shares,
    moments_of,
    permutation_roots,
    score_root,
)
from skcompare.stats.precision import _precision_statistics as statistics

ALPHA = 0.05
Z = -special.ndtri(ALPHA / 2)
RECORDS = (100, 300, 1000, 5000)
PREVALENCES = (0.05, 0.2, 0.5)
PRECISIONS = (0.5, 0.8, 0.95)
CORRELATIONS = {"low": 0.2, "medium": 0.6, "high": 0.9, "nested": 0.995}
"""Of normal variables behind the two predictions, among the records of each class."""

RECALLS = {"equal": (0.6, 0.6), "champion's twice": (0.8, 0.4)}
"""Of champion and challenger. At equal precisions the numbers of predictions differ."""

BETTER = ((0.5, 0.6), (0.75, 0.85), (0.9, 0.95))
"""Precisions of champion and challenger, with about equally many predictions."""

BANDS = {
    "fewer positive predictions": (0, 10, 20, 40, 100, np.inf),
    "rarer outcome": (0, 2.5, 5, 10, 20, 50, np.inf),
}
"""Expected positive predictions, and expected true or false ones, whichever are fewer, of
the classifier that has fewer."""

SEEN = (0, 3, 5, 10)
"""Least numbers of true and of false positives of each classifier."""

TESTS = (*FORMULAS, "permutation")


def hold_out(n, prevalence, precisions, recalls, correlation, sizes, seed):
    """Rejections of the hypothesis, one-sided ones, coverage, and undefined results.

    Returns
    -------
    found : dict of ndarray of shape (n_tests,)
    """
    rng = np.random.default_rng(seed)
    n_draws, n_permuted = sizes
    shares = joint_shares(prevalence, precisions, recalls, correlation).ravel()
    tables = rng.multinomial(n, shares, size=n_draws).reshape(-1, 2, 2, 2)
    few = tables[:n_permuted]
    roots = [*formula_roots(tables), permutation_roots(few, 0.0, rng)]
    one_sided = -special.ndtri(ALPHA)
    found = {
        "rejected": np.array([np.mean(np.abs(root) > Z) for root in roots]),
        "champion": np.array([np.mean(root < -one_sided) for root in roots]),
        "challenger": np.array([np.mean(root > one_sided) for root in roots]),
        "undefined": np.array([np.mean(np.isnan(root)) for root in roots]),
    }
    moments = moments_of(tables)
    seen = np.minimum(moments.hits, moments.rows - moments.hits).min(axis=-1)
    for least in SEEN:
        here = seen >= least
        found[least] = np.array([np.mean((np.abs(root) > Z) & here) for root in roots[:-1]])
    truth = precisions[1] - precisions[0]
    if truth:
        found["held"] = coverage(tables, few, precisions, rng)
    return found


INTERVALS = (
    "both scores",
    "weighted score",
    "score",
    "difference",
    "permutation",
    "odds ratio",
    "ratio",
)


def coverage(tables, few, precisions, rng):
    """Shares of intervals that hold the truth; one that is unknown holds everything.

    The score intervals hold the differences that their test does not reject.
    """
    moments = moments_of(tables)
    p, q = precisions
    held = []
    still = statistics._without_variance(moments)
    reach = statistics._unseen(moments, Z)
    unseen = (-reach[..., 0] <= q - p) & (q - p <= reach[..., 1])
    known = (moments.rows > 0).all(axis=-1)
    for weighted in (True, False):
        root = score_root(moments, [q - p], weighted)[..., 0]
        inside = np.where(still, unseen, ~(np.abs(root) > Z))
        held.append(inside | ~known)
    held.insert(0, held[0] | held[1])
    contrasts = (
        ("difference", q - p),
        (None, q - p),
        ("wald", np.log(q / (1 - q) * (1 - p) / p)),
        ("relative", np.log(q / p)),
    )
    for contrast, truth in contrasts:
        if contrast is None:
            held.append(~(np.abs(permutation_roots(few, truth, rng)) > Z))
            continue
        found = statistics.CLASS_TESTS[contrast](moments)
        apart = np.abs(found.estimate - truth) > Z * np.sqrt(found.variance) + ROUNDING
        held.append(~apart | ~np.isfinite(found.estimate) | np.isnan(found.variance))
    return np.array([each.mean() for each in held])


def worlds(precisions):
    """Prevalences and pairs of precisions; a classifier does better than by chance."""
    return [
        (prevalence, pair)
        for prevalence, pair in product(PREVALENCES, precisions)
        if min(pair) > prevalence
    ]


def expected(setting):
    """Expected numbers of the classifier with fewer positive predictions, as in `BANDS`."""
    n, prevalence, precisions, recalls, _ = setting
    right = n * prevalence * np.array(recalls)
    predictions = right / precisions
    rarer = np.minimum(right, predictions - right)
    return {"fewer positive predictions": min(predictions), "rarer outcome": min(rarer)}


def text_of(setting):
    """A setting in the cells of a table."""
    n, prevalence, (first, second), recalls, correlation = setting
    rate = first if first == second else f"{first} to {second}"
    named = {value: name for name, value in CORRELATIONS.items()}
    numbers = expected(setting)
    predictions = {value: name for name, value in RECALLS.items()}[recalls]
    return {
        "positive predictions": predictions,
        "positive": prevalence,
        "precision": rate,
        "correlation": named[correlation],
        "records": n,
        "fewer positive predictions": f"{numbers['fewer positive predictions']:.0f}",
        "rarer outcome": f"{numbers['rarer outcome']:.1f}",
    }


def each_setting(settings, args, stream):
    """What is found in all settings."""
    return each_row(hold_out, settings, args, stream, (args.draws, args.permutations))


def draws_of(test, args):
    return args.permutations if test == "permutation" else args.draws


def settings_table(title, settings, found, key, tests, args):
    """A row for each setting."""
    table = Table(title, (*text_of(settings[0]), *tests))
    places = [TESTS.index(test) for test in tests]
    for setting, each in zip(settings, found):
        cells = [
            with_error(each[key][place], draws_of(test, args))
            for place, test in zip(places, tests)
        ]
        table.add(*text_of(setting).values(), *cells)
    return table


def band_of(kind):
    """The band that a setting is in."""

    def label(setting):
        number = expected(setting)[kind]
        low, high = next(
            each for each in pairwise(BANDS[kind]) if each[0] <= number < each[1]
        )
        return f"{low} to {high}" if np.isfinite(high) else f"{low} or more"

    return label


def correlation_of(setting):
    return text_of(setting)["correlation"]


def grouped_table(title, settings, found, columns, kind, label):
    """Mean and greatest share among the settings that have one label.

    Each column is a test and what is found of it.
    """
    names = [test if key in WHOLE else f"{test}, for {key}" for test, key in columns]
    table = Table(title, ("positive predictions", kind, "settings", *names))
    groups = {}
    for setting, each in sorted(
        zip(settings, found), key=lambda pair: expected(pair[0]).get(kind, 0)
    ):
        key = text_of(setting)["positive predictions"], label(setting)
        groups.setdefault(key, []).append(each)
    for key in sorted(groups, key=lambda key: list(RECALLS).index(key[0])):
        cells = []
        for test, what in columns:
            shares = [each[what][TESTS.index(test)] for each in groups[key]]
            cells.append(f"{np.mean(shares):.3f} / {max(shares):.3f}")
        table.add(*key, len(groups[key]), *cells)
    return table


WHOLE = ("rejected", "undefined")


def worst_table(settings, found, args):
    """The setting in which each test rejects most often."""
    title = f"Equal precisions: setting of the highest error rate of each test at {ALPHA}"
    table = Table(title, ("test", *text_of(settings[0]), "type I error"))
    for place, test in enumerate(TESTS):
        shares = [each["rejected"][place] for each in found]
        i = int(np.argmax(shares))
        share = with_error(shares[i], draws_of(test, args))
        table.add(test, *text_of(settings[i]).values(), share)
    return table


def seen_table(found):
    """Rejections of samples that have enough of both outcomes."""
    title = (
        f"Equal precisions: highest share, over all settings, of samples that are rejected "
        f"at {ALPHA} and have enough true and false positives of each classifier"
    )
    table = Table(title, ("at least", *TESTS[:-1]))
    for least in SEEN:
        highest = np.max([each[least] for each in found], axis=0)
        table.add(least, *(f"{share:.3f}" for share in highest))
    return table


def null_settings():
    """Settings in which the precisions are equal."""
    equal = [(each, each) for each in PRECISIONS]
    return [
        (n, *world, recalls, correlation)
        for recalls, world, correlation, n in product(
            RECALLS.values(), worlds(equal), CORRELATIONS.values(), RECORDS
        )
    ]


def level_tables(args):
    """Type I error with equally and with unequally many positive predictions."""
    settings = null_settings()
    found = each_setting(settings, args, 1)
    what = "mean / highest type I error"
    two_sided = [(test, "rejected") for test in TESTS]
    tables = [
        grouped_table(
            f"Equal precisions, by {kind}: {what} at {ALPHA}",
            settings,
            found,
            two_sided,
            kind,
            label,
        )
        for kind, label in (
            ("correlation", correlation_of),
            *((kind, band_of(kind)) for kind in BANDS),
        )
    ]
    unequal = [
        pair
        for pair in zip(settings, found)
        if text_of(pair[0])["positive predictions"] != "equal"
    ]
    sides = product(
        ("both scores", "weighted score", "score", "ratio", "permutation"),
        ("champion", "challenger"),
    )
    tables.append(
        grouped_table(
            f"Equal precisions, one-sided tests: {what} at {ALPHA}",
            *zip(*unequal),
            list(sides),
            "rarer outcome",
            band_of("rarer outcome"),
        )
    )
    some = ("both scores", "weighted score", "score", "difference", "odds ratio", "ratio")
    tables.append(
        grouped_table(
            "Equal precisions, mean / highest share of undefined p-values",
            settings,
            found,
            [(test, "undefined") for test in some],
            "rarer outcome",
            band_of("rarer outcome"),
        )
    )
    tables += [worst_table(settings, found, args), seen_table(found)]
    medium = [i for i, each in enumerate(settings) if each[-1] == CORRELATIONS["medium"]]
    shown = range(len(settings)) if args.all else medium
    details = settings_table(
        f"Equal precisions: type I error at {ALPHA}",
        [settings[i] for i in shown],
        [found[i] for i in shown],
        "rejected",
        TESTS,
        args,
    )
    return *tables, details


def power_tables(args):
    """Power where the challenger is better, and coverage of intervals."""
    chosen = CORRELATIONS if args.all else ("medium",)
    settings = [
        (n, *world, RECALLS["equal"], CORRELATIONS[name])
        for world, name, n in product(worlds(BETTER), chosen, RECORDS)
    ]
    found = each_setting(settings, args, 2)
    power = settings_table(
        f"A better challenger: power at {ALPHA}", settings, found, "rejected", TESTS, args
    )
    table = Table(
        "A better challenger: coverage of the 95 % intervals",
        (*text_of(settings[0]), *INTERVALS),
    )
    for setting, each in zip(settings, found):
        cells = [
            with_error(share, draws_of(name, args))
            for name, share in zip(INTERVALS, each["held"])
        ]
        table.add(*text_of(setting).values(), *cells)
    return power, table


PARTS = {"level": level_tables, "power": power_tables}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=20_000,
        permutations=(2000, "data sets for permutation"),
        all=(False, "rows for all correlations"),
    )
