"""A test and interval of any score under 5×2 block-regularized cross-validation.

Rules of the form "mean difference over a standard error, against Student's t" are tuned on
one half of the studies of ``bcv_scores_worlds.py`` and confirmed on the other, with the
tests of the literature beside them. Run

    python benchmarks/validity/bcv_scores.py --store FOLDER

or with ``--help`` for the options. Drawn data sets are kept in the folder, and a second run
goes on where the first was stopped.
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
from bcv_scores_check import check_all
from bcv_scores_draws import Store
from bcv_scores_measures import MEASURES
from bcv_scores_rules import (
    CANDIDATES,
    CHOSEN,
    CHOSEN_SPREAD,
    FIRST_CHOICE,
    FIRST_SIMULATION,
    NEIGHBOURS,
    SPREAD_ONLY,
    Summary,
    effective_halves,
    for_repeats,
    mcnemar_least,
    mcnemar_rejections,
)
from bcv_scores_stages import cases
from bcv_scores_tables import (
    MCNEMAR,
    Rejected,
    cell_names,
    coverages,
    factor_table,
    mcnemar_levels,
    measure_table,
    powers,
    published_levels,
    ratio_table,
    rule_levels,
    rule_table,
    study_table,
    undefined_table,
)
from bcv_scores_worlds import CONFIRMING, STRONG, TUNING, UNSTABLE, WEAK, World
from tables import Table, with_error

NAMED = (CHOSEN, CHOSEN_SPREAD, FIRST_CHOICE, *NEIGHBOURS, *FIRST_SIMULATION)
N_BEST = 15
FRESH = 20_000
UNSTEADY = 10_000
HARDEST = (
    (World("shift", 100, 0.3, STRONG, (3, 3), n_classes=3), "knn15"),
    (World("shift", 500, 0.3, WEAK, (3, 3), n_classes=3), "lda"),
)


def main():
    options = _options()
    warnings.simplefilter("ignore")
    check_all(options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.store or temporary)
        for name, tables in STAGES.items():
            if options.only in (None, name):
                for table in tables(_Source(folder, options)):
                    table.show(rst=options.rst)


class _Source:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options

    def cases(self, stage):
        o = self.options
        return cases(
            stage, self.folder, seed=o.seed, n_jobs=o.n_jobs, quick=o.quick, share=o.share
        )

    def draws(self, stage, world, learner, n_draws):
        """Draws of two classifiers of one kind, from the store as far as it has them."""
        pair = [(learner, learner)]
        store = Store(self.folder)
        return store.draws(stage, world, None, pair, n_draws, self.options.seed).pair(0)


def tuning_tables(source):
    """All candidates on the first half, the most powerful of the accepted first."""
    found, alternatives = source.cases("tune"), source.cases("power")
    names = cell_names(found)
    for kind, rules in (
        ("with variances within test sets", CANDIDATES),
        ("without variances", SPREAD_ONLY),
    ):
        results = rule_levels(found, rules)
        power = np.nanmean(powers(alternatives, rules), axis=1)
        accepted = [i for i, result in enumerate(results) if result.accepted]
        accepted.sort(key=lambda i: -power[i])
        chosen = accepted[:N_BEST]
        yield rule_table(
            f"Tuning: {len(accepted)} of {len(rules)} rules {kind} are accepted; "
            f"the {len(chosen)} of most power",
            [results[i] for i in chosen], names, power[chosen],
        )  # fmt: skip
    results = rule_levels(found, NAMED)
    power = np.nanmean(powers(alternatives, NAMED), axis=1)
    yield rule_table("Tuning: named rules", results, names, power)
    yield _published_table("Tuning: tests of the literature", found, names)
    yield measure_table("Tuning: greatest level by measure (mean; cells over .05)",
                        results, names)  # fmt: skip
    yield from _mcnemar_table("Tuning", found)


def confirmation_tables(source):
    """The chosen rules and the tests of the literature on the other half."""
    found = source.cases("confirm")
    names = cell_names(found)
    results = rule_levels(found, NAMED)
    yield rule_table("Confirmation: named rules", results, names)
    yield _published_table("Confirmation: tests of the literature", found, names)
    yield measure_table("Confirmation: greatest level by measure (mean; cells over .05)",
                        results + published_levels(found), names)  # fmt: skip
    yield from _mcnemar_table("Confirmation", found)
    for alpha in (0.01, 0.1):
        other = rule_levels(found, NAMED[:2], alpha=alpha)
        yield rule_table(f"Confirmation at a level of {alpha}", other, names, alpha=alpha)
    missed, own = coverages(found, NAMED)
    yield rule_table("Confirmation: intervals that miss a true difference", missed, own)
    yield study_table(f"Levels of {CHOSEN.name}", results[0], names)
    yield study_table(f"Levels of {CHOSEN_SPREAD.name}", results[1], names)
    yield factor_table(f"Factors of {CHOSEN.name} that would give a level of .05", found)
    yield undefined_table(found)
    yield ratio_table("What the estimates say of the variance", found)


def power_tables(source):
    """Power where the challenger's features are stronger, and coverage there."""
    found = source.cases("power")
    table = Table("Power", ("test", *MEASURES, "all"))
    for rule, power in zip(NAMED, powers(found, NAMED)):
        table.add(rule.name, *(f"{p:.3f}" for p in power), f"{np.nanmean(power):.3f}")
    accuracy = MEASURES.index("accuracy")
    usual = [case for case in found if accuracy in case.all_cells()]
    share = np.mean([mcnemar_rejections(case.draws.counts, 5).mean() for case in usual])
    cells = ["" if m != "accuracy" else f"{share:.3f}" for m in MEASURES]
    table.add(MCNEMAR, *cells, "")
    yield table
    yield rule_table("Intervals that miss the true difference", *coverages(found, NAMED))


def layout_tables(source):
    """Other numbers of repetitions, and random halves."""
    found = source.cases("layouts")
    confirmed = source.cases("confirm")
    ten = [case for case in found if case.study.world.layout == "blocks"]
    for repeats in (2, 3, 4, 5, 10):
        # The first repetitions of five are those of a smaller design.
        chosen = ten if repeats == 10 else confirmed
        names = cell_names(chosen)
        rules = [for_repeats(CHOSEN, repeats), for_repeats(CHOSEN_SPREAD, repeats)]
        results = rule_levels(chosen, rules, n_repeats=repeats)
        results += published_levels(chosen, n_repeats=repeats)
        yield rule_table(f"{repeats} repetitions", results, names)
    random = [case for case in found if case.study.world.layout == "random"]
    names = cell_names(random)
    results = rule_levels(random, NAMED) + published_levels(random)
    yield rule_table("Five repetitions of random halves", results, names)


def fresh_tables(source):
    """New data sets of the two cells in which the rules are nearest to the level.

    They were found in the tuning and in the confirmation, so that neither can judge the
    rule that was corrected for the second one.
    """
    n_draws = max(
        1, round(FRESH * source.options.share / (30 if source.options.quick else 1))
    )
    for world, learner in HARDEST:
        draws = source.draws("fresh", world, learner, n_draws)
        summary = Summary.of(draws.difference, draws.variance)
        table = Table(f"Fresh data sets: {world.name}, {learner}", ("test", *MEASURES))
        for rule in (CHOSEN, FIRST_CHOICE, *NEIGHBOURS):
            rejected = rule.rejections(summary).sum(axis=0)
            named = [
                Rejected(rule.name, np.array([k]), np.array([n_draws])) for k in rejected
            ]
            cells = [
                with_error(r.levels[0], n_draws) + (" over" if r.n_over else "")
                for r in named
            ]
            table.add(rule.name, *cells)
        yield table


def variance_tables(source):
    """bcv_mcnemar with both variances, for learners whose training has much chance."""
    n_draws = max(
        1, round(UNSTEADY * source.options.share / (30 if source.options.quick else 1))
    )
    table = Table(
        "bcv_mcnemar, equal learners whose training has chance of its own",
        ("study", "data sets", "published variance", "default", "default differs"),
    )
    accuracy = MEASURES.index("accuracy")
    for study in TUNING + CONFIRMING:
        if study.champion not in UNSTABLE:
            continue
        draws = source.draws("variance", study.world, study.champion, n_draws)
        spread = Summary.of(draws.difference, draws.variance).spread[:, accuracy]
        least = mcnemar_least(spread, study.world.n, 5)
        found = [mcnemar_rejections(draws.counts, 5, least=one) for one in (0.0, least)]
        rejected = [Rejected("", np.array([r.sum()]), np.array([n_draws])) for r in found]
        cells = [
            with_error(r.levels[0], n_draws) + (" over" if r.n_over else "")
            for r in rejected
        ]
        larger = least > effective_halves(5) * draws.counts[:, 0]
        table.add(study.name, n_draws, *cells, f"{larger.mean():.3f}")
    yield table


STAGES = {
    "tune": tuning_tables,
    "confirm": confirmation_tables,
    "power": power_tables,
    "layouts": layout_tables,
    "fresh": fresh_tables,
    "variance": variance_tables,
}


def _published_table(title, found, names):
    return rule_table(title, published_levels(found), names)


def _mcnemar_table(what, found):
    result = mcnemar_levels(found)
    accuracy = [(case, measure) for case, measure in cell_names(found)
                if measure == "accuracy"]  # fmt: skip
    rules = rule_levels(found, NAMED, cells=_accuracy_only)
    yield rule_table(f"{what}: tests of accuracy", [result, *rules], accuracy)


def _accuracy_only(case):
    accuracy = MEASURES.index("accuracy")
    return [accuracy] if accuracy in case.cells() else []


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", help="folder that keeps what was drawn")
    parser.add_argument("--only", choices=tuple(STAGES), help="one part of the study")
    parser.add_argument("--quick", action="store_true", help="few studies and data sets")
    parser.add_argument("--share", type=float, default=1.0, help="of the data sets")
    parser.add_argument("--rst", action="store_true", help="print reStructuredText")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-jobs", type=int, default=-1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
