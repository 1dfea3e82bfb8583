"""How much the numbers of the study depend on the forest and on the split.

The paper has one split and one forest of each data set. A printed value is within range
if its rounding meets the range of the values of repeated forests, or of repeated splits.
"""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from precision_study_fits import PARTITIONED, r_sample
from precision_study_paper import NAMES, ROWS, Row, bounds
from precision_study_tables import BAYES, RETINA, all_found, pvalue, share
from validity._lib.tables import Table

from skcompare.evidence import JointCounts
from skcompare.stats import precision_score, replicability

SHOWN = {
    "nb": "NB",
    "rf": "RF",
    "gs": "P-GS",
    "gw": "P-GW",
    "ratio": "RP",
    "ratio_p": "P-RP",
}
TESTS = ("gs", "gw", "ratio_p")
IMPLAUSIBLE = ((RETINA, 0, "gs", "gw"), ("wilt", "w", "gw", "ratio_p"))
SUBSAMPLE = 600
TEST_SHARES = (0.2, 0.3, 0.4, 0.5, 0.6)
SAMPLE_SHARES = (1.0, 0.8, 0.6, 0.4)


class Ranges(NamedTuple):
    """A value of the paper, and what it is over forests and over splits."""

    bayes: str
    row: Row
    field: str
    values: dict[str, np.ndarray]

    @property
    def printed(self):
        return getattr(self.row, self.field)

    @property
    def within(self):
        """The repeats whose range holds the printed value; None without such repeats."""
        return {
            kind: meets(self.printed, values) if len(values) else None
            for kind, values in self.values.items()
        }

    @property
    def cells(self):
        """Class, value, what the paper prints, and the ranges."""
        write = pvalue if self.field in TESTS else share
        ends = [
            dict.fromkeys((write(values.min()), write(values.max()))) if len(values) else ""
            for values in self.values.values()
        ]
        ranges = [" to ".join(each) for each in ends]
        where = NAMES[self.row.data], self.row.shown
        return *where, SHOWN[self.field], self.printed, *ranges


def range_tables(study, n_repeats, trees, names):
    """Every value with its ranges, those outside, and how many are within."""
    study = replace(study, trees={**study.trees, "RF1": trees})
    drawn = tuple(name for name in names if name not in PARTITIONED)
    seeds = range(1, n_repeats + 1)
    repeats = {
        "forests": [all_found(study, names, repeat=seed) for seed in seeds],
        "splits": [all_found(study, drawn, split=seed, repeat=seed) for seed in seeds],
    }
    ranges = [
        Ranges(
            bayes,
            row,
            field,
            {kind: values_of(found, row, bayes, field) for kind, found in repeats.items()},
        )
        for bayes, row, field in product(BAYES.values(), ROWS, SHOWN)
        if row.data in names
    ]
    heads = ("data set", "class", "value", "paper", "forests", "splits")
    outside = Table("Outside all ranges", ("naive Bayes", *heads))
    tables = []
    for bayes in BAYES.values():
        table = Table(f"Ranges, {described(bayes)}", (*heads, "within range"))
        for one in ranges:
            if one.bayes == bayes:
                inside = [kind for kind, within in one.within.items() if within]
                table.add(*one.cells, " and ".join(inside) or "no")
                if not inside:
                    outside.add(described(bayes), *one.cells)
        tables.append(table)
    proportions = proportion_table(repeats["forests"])
    return *tables, outside, proportions, counted(ranges, n_repeats, trees)


def proportion_table(forests):
    """Two pairs of p-values of the paper that no forest has."""
    table = Table(
        "p of one test over p of another, forests",
        ("data set", "class", "p / p", "paper", *(described(b) for b in BAYES.values())),
    )
    for data, label, first, second in IMPLAUSIBLE:
        row = next(row for row in ROWS if (row.data, row.label) == (data, label))
        cells = []
        for bayes in BAYES.values():
            known = [found.get((data, label, bayes)) for found in forests]
            ratios = [getattr(one, first) / getattr(one, second) for one in known if one]
            if ratios:
                cells.append(f"{np.nanmin(ratios):.2f} to {np.nanmax(ratios):.2f}")
        if cells:
            printed = float(getattr(row, first)) / float(getattr(row, second))
            what = f"{SHOWN[first]} / {SHOWN[second]}"
            table.add(NAMES[data], row.shown, what, f"{printed:g}", *cells)
    return table


def values_of(repeats, row, bayes, field):
    """The defined values of one cell of Table 5 or 6."""
    key = (row.data, row.label, bayes)
    values = np.array([getattr(found[key], field) for found in repeats if key in found])
    return values[~np.isnan(values)]


def meets(printed, values):
    """Whether a value that is printed so can be in the range."""
    least, greatest = bounds(printed)
    noise = 1e-12
    return bool(least <= values.max() + noise and values.min() <= greatest + noise)


def counted(ranges, n_repeats, trees):
    """Values of the paper within the ranges, and all of them."""
    table = Table(
        f"Values of the paper within the range of {n_repeats} repeats, {trees} trees",
        ("naive Bayes", "repeats of", *SHOWN.values()),
    )
    for bayes, kind in product(BAYES.values(), ("forests", "splits")):
        cells = []
        for field in SHOWN:
            own = [one for one in ranges if (one.bayes, one.field) == (bayes, field)]
            known = [one.within[kind] for one in own if one.within[kind] is not None]
            cells.append(f"{sum(known)} of {len(known)}")
        table.add(described(bayes), kind, *cells)
    return table


def described(bayes):
    return "scikit-learn" if bayes == "NB" else "rules of R"


def phishing_table(study, n_repeats):
    """Precisions of naive Bayes on phishing, with its codes as numbers or as categories."""
    rows = [row for row in ROWS if row.data == "phishing"]
    learners = {
        "scikit-learn, numbers": "NB",
        "scikit-learn, categories": "NB categorical",
        "rules of R, numbers": "NB R",
        "rules of R, categories": "NB R, factors",
    }
    heads = [f"{row.shown}{what}" for row in rows for what in ("", f", {n_repeats} splits")]
    table = Table("Phishing: precisions of naive Bayes", ("naive Bayes", *heads))
    table.add("paper", *(cell for row in rows for cell in (row.nb, "")))
    for shown, learner in learners.items():
        cells = []
        for row in rows:
            values = [
                precision_of(study, learner, row.label, split)
                for split in (None, *range(1, n_repeats + 1))
            ]
            cells += [share(values[0])]
            cells += [f"{share(min(values[1:]))} to {share(max(values[1:]))}"]
        table.add(shown, *cells)
    return table


def precision_of(study, learner, label, split):
    predictions = study.predictions("phishing", learner, split=split)
    truth = study.truth("phishing", split)
    return float(np.mean(truth[predictions == label] == label))


def figure_3(study, n_repeats, trees):
    """Replicability of the score test of class 0 of diabetic retinopathy.

    600 records, parts of them, and parts of these as test set, split anew each time.
    """
    study = replace(study, trees={**study.trees, "RF1": trees})
    truth = study.all_classes(RETINA)
    records = r_sample(len(truth), SUBSAMPLE, study.seed)
    table = Table(
        f"Figure 3: replicability over {n_repeats} splits, {trees} trees (rejections)",
        ("records", *(f"{share:.0%} test" for share in TEST_SHARES)),
    )
    for part in SAMPLE_SHARES:
        cells = []
        kept = records[: round(part * SUBSAMPLE)]
        for test_share in TEST_SHARES:
            results = Parallel(study.n_jobs)(
                delayed(score_of_part)(study, kept, test_share, repeat)
                for repeat in range(n_repeats)
            )
            found = replicability(results)
            cells.append(f"{found.value:.2f} ({found.rejections})")
        table.add(len(kept), *cells)
    return table


def score_of_part(study, kept, test_share, repeat):
    """The score test of class 0 after a split of the records that are kept."""
    (truth, forest), (_, bayes) = (
        study.part_predictions(RETINA, learner, kept, test_share, repeat)
        for learner in ("RF1", "NB R")
    )
    counts = JointCounts.from_predictions(truth, forest, bayes)
    return precision_score(counts, label=0)
