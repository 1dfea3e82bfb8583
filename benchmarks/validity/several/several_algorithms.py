"""Error rates and power of `MultipleComparator`.

Three, five and ten classifiers of one learner learn from sets of columns that are equally
informative, so that all are equal by every measure. All pairs are tested as by
`MultipleComparator`, and the p-values adjusted by Holm's method. In further data sets one
classifier is better than the others. Run

    python -m benchmarks.validity.several.several_algorithms

or with ``--help`` for the options.
"""

import warnings

import numpy as np
from scipy.stats import beta

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.several.several_algorithms_decisions import ALPHA, SIZES
from benchmarks.validity.several.several_algorithms_draws import bcv, kfold, outcomes
from benchmarks.validity.several.several_algorithms_real import COPIES, N_COPIES, shares
from benchmarks.validity.several.several_algorithms_worlds import (
    EQUAL,
    EQUAL_BUT_FOR_CHANCE,
    EQUAL_COLUMNS,
    KFOLD_EQUAL,
    KFOLD_NEIGHBOURS,
    KFOLD_ONE_BETTER,
    NEIGHBOURS,
    ONE_BETTER,
)
from benchmarks.validity.splits.bcv_catalogue_rules import PUBLISHED
from benchmarks.validity.splits.bcv_measures import MEASURES
from benchmarks.validity.splits.score_resampling import MEASURES as KFOLD_MEASURES

MOST = max(SIZES)
BY_PUBLISHED = f", {PUBLISHED}"
TAIL = 0.005
"""Of the one-sided lower limits that say whether a level is over .05."""

REAL = 10
"""On real records there is one draw in so many."""


def equal_tables(args):
    """All are equally good, 5×2 block-regularized cross-validation."""
    found = outcomes(EQUAL, bcv, args, 0)
    for measure in ("accuracy", "log_loss"):
        yield level_table(f"5×2 BCV, {measure}", EQUAL, found, measure)
    n = len(EQUAL_COLUMNS)
    for words, settings, part in (
        ("own columns", EQUAL_COLUMNS, found[:n]),
        ("own seeds only", EQUAL_BUT_FOR_CHANCE, found[n:]),
    ):
        measures = (*MEASURES, PUBLISHED)
        yield highest_table(f"5×2 BCV, {words}", settings, part, measures)
    yield variance_table(EQUAL, found)


def better_tables(args):
    """One is better than the others."""
    found = outcomes(ONE_BETTER, bcv, args, 1)
    for measure in ("accuracy", "log_loss"):
        yield power_table(f"5×2 BCV, {measure}", ONE_BETTER, found, measure)


def kfold_tables(args):
    """The same for 10-fold cross-validation."""
    found = outcomes(KFOLD_EQUAL, kfold, args, 2)
    for measure in ("accuracy", "log loss"):
        yield level_table(f"10 folds, {measure}", KFOLD_EQUAL, found, measure)
    yield highest_table("10 folds", KFOLD_EQUAL, found, KFOLD_MEASURES)
    found = outcomes(KFOLD_ONE_BETTER, kfold, args, 2, 1)
    yield power_table("10 folds, accuracy", KFOLD_ONE_BETTER, found, "accuracy")


def neighbour_tables(args):
    """Nearest neighbours, whose level is highest, with more records and classes apart."""
    found = outcomes(NEIGHBOURS, bcv, args, 3)
    yield level_table("5×2 BCV, accuracy", NEIGHBOURS, found, "accuracy")
    yield variance_table(NEIGHBOURS, found)
    found = outcomes(KFOLD_NEIGHBOURS, kfold, args, 3, 1)
    for measure in ("Brier", "log loss"):
        yield level_table(f"10 folds, {measure}", KFOLD_NEIGHBOURS, found, measure)


def real_tables(args):
    """Copies of stochastic gradient descent on real records."""
    columns = ("any pair rejected", "a pair, p < .05")
    table = Table(
        f"Breast cancer data, {N_COPIES} copies, accuracy: false rejections",
        ("copies of", "draws",
         *(f"{what}{words}" for what in columns for words in ("", BY_PUBLISHED)),
         "pairs flagged"),
    )  # fmt: skip
    n_draws = max(1, args.draws // REAL)
    for position, (name, make) in enumerate(COPIES.items()):
        found = shares(make, n_draws, [args.seed, 4, position], args.n_jobs)
        default, published = found.swapaxes(0, 1)
        table.add(name, n_draws, _level(default[:, 0]), _level(published[:, 0]),
                  _mean(default[:, 1]), _mean(published[:, 1]),
                  f"{default[:, 2].mean():.4f}")  # fmt: skip
    return table


STAGES = {
    "equal": equal_tables,
    "better": better_tables,
    "kfold": kfold_tables,
    "neighbours": neighbour_tables,
    "real": real_tables,
}


def level_table(title, settings, found, measure):
    """Family-wise error rates, one row per setting."""
    table = Table(
        f"{title}: family-wise error rate of equally good classifiers",
        ("learner", "columns", "records", "data sets", *(f"any of {k}" for k in SIZES),
         f"any of {MOST}, with a control", "a pair, p < .05",
         f"a pair, p < .05 / {_pairs(MOST)}"),
    )  # fmt: skip
    for setting, (decided, _) in zip(settings, found):
        outcome = decided[measure, MOST]
        table.add(
            setting.who, setting.words, setting.n, len(outcome.false),
            *(_level(decided[measure, k].false) for k in SIZES),
            _level(outcome.false_control), _mean(outcome.single), _mean(outcome.strict),
        )  # fmt: skip
    return table


def highest_table(title, settings, found, measures):
    """The highest error rates of all settings, one row per measure."""
    columns = [f"highest of {k} (setting)" for k in SIZES]
    table = Table(
        f"{title}: highest family-wise error rate over {len(settings)} settings",
        ("measure", *columns, "settings over .05", f"mean of {MOST}"),
    )
    for measure in measures:
        cells, n_over = [], 0
        for k in SIZES:
            falses = [decided[measure, k].false for decided, _ in found]
            worst = int(np.argmax([_low(false) + 1e-9 * false.mean() for false in falses]))
            setting = settings[worst]
            where = f"{setting.who}, {setting.columns}, {setting.n}"
            cells.append(f"{_level(falses[worst])} ({where})")
            n_over = max(n_over, sum(_low(false) > ALPHA for false in falses))
        mean = np.mean([decided[measure, MOST].false.mean() for decided, _ in found])
        table.add(measure, *cells, f"{n_over} of {len(settings)}", f"{mean:.4f}")
    return table


def variance_table(settings, found):
    """The default test and the published one side by side."""
    columns = ("a pair, p < .05", f"a pair, p < .05 / {_pairs(MOST)}", f"any of {MOST}")
    table = Table(
        f"5×2 BCV, accuracy: error rates of the default and of {PUBLISHED}",
        ("learner", "columns", "records",
         *(f"{what}{words}" for what in columns for words in ("", BY_PUBLISHED)),
         "pairs flagged"),
    )  # fmt: skip
    for setting, (decided, _) in zip(settings, found):
        default, published = decided["accuracy", MOST], decided[PUBLISHED, MOST]
        table.add(
            setting.who, setting.words, setting.n,
            _mean(default.single), _mean(published.single),
            _mean(default.strict), _mean(published.strict),
            _level(default.false), _level(published.false),
            f"{default.flagged.mean():.5f}",
        )  # fmt: skip
    return table


def power_table(title, settings, found, measure):
    """One is better: false rejections among the others, and power."""
    both = measure == "accuracy" and (PUBLISHED, MOST) in found[0][0]
    more = (f"average power{BY_PUBLISHED}", "pairs flagged") if both else ()
    table = Table(
        f"{title}: one classifier is better than the others",
        ("learner", "columns", "records", "lead", "classifiers", "it wins", "another wins",
         "any equal pair rejected", "average power", *more),
    )  # fmt: skip
    for setting, (decided, values) in zip(settings, found):
        lead = values[measure][0] - values[measure][1:].mean()
        for k in SIZES:
            outcome = decided[measure, k]
            beside = ()
            if both:
                share = decided[PUBLISHED, k].shares.mean()
                beside = f"{share:.3f}", f"{outcome.flagged.mean():.5f}"
            table.add(
                setting.who, setting.words, setting.n, f"{lead:+.3f}", k,
                _level(outcome.wins, mark=False), _level(outcome.lost),
                _level(outcome.false), f"{outcome.shares.mean():.3f}", *beside,
            )  # fmt: skip
    return table


def _pairs(k):
    return k * (k - 1) // 2


def _low(false):
    """The lower limit of Clopper and Pearson."""
    n_false, n = false.sum(), len(false)
    return beta.ppf(TAIL, n_false, n - n_false + 1) if n_false else 0.0


def _level(false, *, mark=True):
    """A chance with its error, marked where its lower limit is above .05."""
    over = " over" if mark and _low(false) > ALPHA else ""
    return with_error(float(false.mean()), len(false)) + over


def _mean(shares):
    """A mean of shares of pairs, with its error over the data sets."""
    error = shares.std(ddof=1) / len(shares) ** 0.5 if len(shares) > 1 else float("nan")
    return f"{shares.mean():.4f} ± {error:.4f}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(__doc__, STAGES)
