"""The parts of the study: which data are drawn, and what is a null hypothesis in them."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from bcv_scores_draws import Draws, Store
from bcv_scores_measures import MEASURES
from bcv_scores_rules import Summary
from bcv_scores_search import FINE, Notes, equal_values, half_power_value
from bcv_scores_worlds import CONFIRMING, OTHER_LAYOUTS, TUNING, Study
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

DRAWS = {
    "tune": {1: 1000, 2: 1000, 3: 500},
    "confirm": {1: 10000, 2: 10000, 3: 1000},
    "power": {1: 500, 2: 250, 3: 200},
    "layouts": {1: 2000, 2: 2000, 3: 2000},
}
"""Data sets a cell by how costly a study is; no more than `SEARCHED` in those whose equal
learners were searched, where each measure has data sets of its own."""
SEARCHED = 10_000
QUICK = 250
STUDIES = {
    "tune": TUNING,
    "confirm": CONFIRMING,
    "power": tuple(study for study in TUNING if study.search is None and study.cost < 3),
    "layouts": OTHER_LAYOUTS,
}
LEAST_DEFINED = 0.5
"""A cell with fewer defined data sets than this share is left out, and counted."""


@dataclass(frozen=True)
class Case:
    """Draws of a study, and the measures of which the null hypothesis is true."""

    study: Study
    value: float | None
    null: tuple[str, ...]
    draws: Draws

    @cached_property
    def summary(self):
        return self.first_repeats(None)

    def first_repeats(self, n_repeats):
        return Summary.of(self.draws.difference, self.draws.variance, n_repeats)

    def cells(self):
        """Measures with a true null hypothesis and enough defined data sets."""
        defined = np.isfinite(self.summary.mean).mean(axis=0)
        return [
            i for i, m in enumerate(MEASURES) if m in self.null and self._enough(i, defined)
        ]

    def all_cells(self):
        defined = np.isfinite(self.summary.mean).mean(axis=0)
        return [i for i in range(len(MEASURES)) if self._enough(i, defined)]

    def _enough(self, i, defined):
        varies = (self.summary.mean[:, i] ** 2 > 0).any()
        return bool(varies) and defined[i] >= LEAST_DEFINED


def cases(stage, folder, *, seed, n_jobs, quick=False, share=1.0):
    """All cases of a part, drawn where the store does not have them.

    `share` of the usual numbers of data sets are drawn.
    """
    plans = _plans(stage, folder, seed, n_jobs, quick, share)
    store_folder = str(folder)
    found = Parallel(n_jobs=n_jobs)(
        delayed(_drawn)(store_folder, stage, *plan, seed) for plan in plans
    )
    return [case for part in found for case in part]


def _plans(stage, folder, seed, n_jobs, quick, share):
    """Worlds with the studies on them, the searched value, the null, and the draws."""
    together = defaultdict(list)
    searched = []
    for study in STUDIES[stage]:
        if study.search is None:
            together[study.world].append(study)
        else:
            searched.append(study)
    groups = list(together.values())
    if quick:
        groups, searched = groups[::6], searched[::8]

    def draws(study):
        most = DRAWS[stage][study.cost] if study.search is None else SEARCHED
        usual = min(DRAWS[stage][study.cost], most)
        return QUICK if quick else max(100, int(share * usual))

    plans = []
    notes = str(folder / ("quick_searches" if quick else "searches"))
    if stage == "power":
        values = Parallel(n_jobs=n_jobs)(
            delayed(_half_power)(notes, group, seed) for group in groups
        )
        for group, value in zip(groups, values):
            plans.append((group, value, (), draws(group[0])))
        return plans
    for group in groups:
        null = group[0].measures or MEASURES
        plans.append((group, None, null, draws(group[0])))
    values = Parallel(n_jobs=n_jobs)(
        delayed(_equal)(notes, study, seed, QUICK if quick else None) for study in searched
    )
    for study, found in zip(searched, values):
        plans += [([study], v, (m,), draws(study)) for m, v in found.items()]
    return plans


def _half_power(notes, group, seed):
    pairs = _pairs(group)
    name = f"power-{group[0].world.name}-{'+'.join(map('-'.join, pairs))}-{seed}"
    with threadpool_limits(1), np.errstate(all="ignore"):
        return Notes(notes).get(
            name, lambda: half_power_value(group[0].world, pairs, seed + 77)
        )


def _equal(notes, study, seed, n_fine):
    n_fine = n_fine or (FINE if study.cost < 3 else FINE // 2)
    with threadpool_limits(1), np.errstate(all="ignore"):
        return Notes(notes).get(
            f"equal-{study.name}-{seed}-{n_fine}",
            lambda: equal_values(study, seed + 991, n_fine),
        )


def _pairs(group):
    return [(study.champion, study.challenger) for study in group]


def _drawn(folder, stage, group, value, null, n_draws, seed):
    with threadpool_limits(1), np.errstate(all="ignore"):
        store = Store(folder)
        draws = store.draws(stage, group[0].world, value, _pairs(group), n_draws, seed)
    return [Case(study, value, null, draws.pair(i)) for i, study in enumerate(group)]
