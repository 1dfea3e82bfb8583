"""Tables 5 to 11 of the paper beside what skcompare makes of fitted classifiers.

The champion is the random forest and the challenger naive Bayes, so that ratios are NB / RF
as in the paper. In Table 9 NB is the champion of every pair, so that odds ratios are those
of the others against NB.

The paper has one split and one forest of each data set. How much its numbers depend on them
is in the ranges: a printed value is within range if its rounding meets the range of the
values of repeated forests, or of repeated splits.
"""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from precision_study_fits import PARTITIONED, r_sample
from precision_study_paper import (
    COMBINED,
    CROSS_VALIDATED,
    NAMES,
    ODDS_RATIOS,
    ROWS,
    SCORE_TABLE_7,
    SEVERAL,
    UPDATED,
    Row,
    bounds,
    rows_of,
)
from validity._lib.tables import Table

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import (
    gee_precision,
    pairwise_precision,
    precision_lancaster,
    precision_score,
    precision_several,
    precision_wald,
    relative_precision,
    replicability,
    updated_precision,
)

BAYES = {"": "NB", ", R": "NB R"}
"""What is added to the head of a column, and the naive Bayes in it."""

FOUR = ("NB", "RF1", "SVM", "RF2")
RETINA = "diabetic_retinopathy"
PREVALENCE_OF_1 = 0.7
"""Solves equation (28) for the paper's Table 10; the paper does not print it."""


class Found(NamedTuple):
    """One class: precisions, p-values, and the ratio with its interval."""

    nb: float
    rf: float
    gs: float
    gw: float
    ratio: float
    low: float
    high: float
    ratio_p: float


def counts_of(study, name, bayes, **which):
    """Predictions of the random forest and of naive Bayes to the test records."""
    predictions = [study.predictions(name, learner, **which) for learner in ("RF1", bayes)]
    truth = study.truth(name, which.get("split"))
    return JointCounts.from_predictions(truth, *predictions)


def found_of(counts, label):
    """The tests of Tables 5 and 6 of one class."""
    ratio = relative_precision(counts, label=label)
    return Found(
        ratio.challenger,
        ratio.champion,
        precision_score(counts, label=label).pvalue,
        precision_wald(counts, label=label).pvalue,
        ratio.estimate,
        *ratio.confidence_interval(),
        ratio.pvalue,
    )


def all_found(study, names=tuple(NAMES), **which):
    """The same for every row of Table 5 and both kinds of naive Bayes."""
    found = {}
    for name, bayes in product(names, BAYES.values()):
        counts = counts_of(study, name, bayes, **which)
        for row in rows_of(name):
            found[name, row.label, bayes] = found_of(counts, row.label)
    return found


def class_table(study, title, heads, cells):
    """A row of each class in Table 5, with what both kinds of naive Bayes give."""
    found = all_found(study)
    table = Table(title, ("data set", "class", *heads))
    for row in ROWS:
        both = [found[row.data, row.label, bayes] for bayes in BAYES.values()]
        table.add(NAMES[row.data], row.shown, *cells(row, both))
    return table


def table_5(study):
    """Precisions, and p of the generalized score and the Wald test."""
    heads = beside_paper("NB", "P-GS", "P-GW")
    return class_table(
        study,
        "Table 5: precisions of naive Bayes and random forest, score and Wald tests",
        (*heads[:3], "RF paper", "RF", *heads[3:]),
        lambda row, both: (
            row.nb,
            *(share(one.nb) for one in both),
            row.rf,
            share(both[0].rf),
            row.gs,
            *(pvalue(one.gs) for one in both),
            row.gw,
            *(pvalue(one.gw) for one in both),
        ),
    )


def table_6(study):
    """Relative precision, NB / RF."""
    return class_table(
        study,
        "Table 6: relative precision NB / RF with 95 % intervals",
        beside_paper("RP", "P"),
        lambda row, both: (
            f"{row.ratio} ({row.low}, {row.high})",
            *(interval(one.ratio, one.low, one.high) for one in both),
            row.ratio_p,
            *(pvalue(one.ratio_p) for one in both),
        ),
    )


def table_7(study):
    """p of the score test of each class, and Lancaster's combination of them."""
    found = all_found(study, tuple(COMBINED))
    heads = beside_paper("P-GS", "combined")
    table = Table("Table 7: all classes combined", ("data set", "class", *heads))
    for name, printed in COMBINED.items():
        combined = [
            pvalue(precision_lancaster(counts_of(study, name, bayes), test="score").pvalue)
            for bayes in BAYES.values()
        ]
        for i, row in enumerate(rows_of(name)):
            table.add(
                NAMES[name],
                row.shown,
                SCORE_TABLE_7.get((name, row.label), row.gs),
                *(pvalue(found[name, row.label, bayes].gs) for bayes in BAYES.values()),
                *((printed, *combined) if i == 0 else [""] * 3),
            )
    return table


def four_of(study, name, bayes):
    """Predictions of the four classifiers of Table 8."""
    learners = (bayes, *FOUR[1:])
    predictions = [study.predictions(name, learner) for learner in learners]
    return ClusterSums.from_predictions(study.truth(name), *predictions, names=FOUR)


def table_8(study):
    """Four classifiers: are their precisions equal?"""
    heads = [f"{name}{more}" for name in FOUR for more in (" paper", "")]
    heads.insert(2, "NB, R")
    tests = [f"P {test}{more}" for test in ("score", "Wald") for more in BAYES]
    table = Table(
        "Table 8: precisions of four classifiers",
        ("data set", "class", *heads, "P paper", *tests),
    )
    for (name, label), (*printed, p) in SEVERAL.items():
        sums = [four_of(study, name, bayes) for bayes in BAYES.values()]
        shares = [one.class_rows().moments("precision", label).shares for one in sums]
        cells = [each for pair in zip(printed, map(share, shares[0])) for each in pair]
        cells.insert(2, share(shares[1][0]))
        shown = next(row.shown for row in rows_of(name) if row.label == label)
        pvalues = [
            pvalue(precision_several(one, label=label, method=method).pvalue)
            for method in ("score", "wald")
            for one in sums
        ]
        table.add(NAMES[name], shown, *cells, p, *pvalues)
    return table


def table_9(study):
    """Odds ratios of wilt, class N, against naive Bayes."""
    heads = [f"{what}{more}" for what in ("each 95 %", "together 95 %") for more in BAYES]
    table = Table(
        "Table 9: odds ratios of precision against NB, wilt, class N",
        ("comparison", "OR paper", *(f"OR, {head}" for head in heads)),
    )
    own, together = (
        [
            pairwise_precision(
                four_of(study, "wilt", bayes),
                label="n",
                control="NB",
                scale="odds ratio",
                method="wald",
                adjust=adjust,
            )
            for bayes in BAYES.values()
        ]
        for adjust in ("none", "max-t")
    )
    for name, (ratio, low, high) in ODDS_RATIOS.items():
        cells = [interval(*odds_ratio(one, name)) for one in (*own, *together)]
        table.add(f"{name} vs NB", f"{ratio} ({low}, {high})", *cells)
    return table


def odds_ratio(result, name):
    """The estimate of a classifier against the control, with its limits."""
    at = result.challenger.index(name)
    return result.estimate[at], result.low[at], result.high[at]


def table_10(study):
    """Precisions at the prevalence that solves the paper's table."""
    found = {
        (bayes, label): updated_precision(
            counts_of(study, RETINA, bayes),
            label=label,
            prevalence=PREVALENCE_OF_1 if label == 1 else 1 - PREVALENCE_OF_1,
        )
        for bayes in BAYES.values()
        for label in (0, 1)
    }
    heads = beside_paper("old", "updated")
    table = Table(
        f"Table 10: precisions at a prevalence of {PREVALENCE_OF_1} of class 1",
        ("method", "class", *heads, *(f"95 % interval{more}" for more in BAYES)),
    )
    for (method, label), (old, updated) in UPDATED.items():
        role = int(method == "NB")
        parts = [found[bayes, label].parts[role] for bayes in BAYES.values()]
        table.add(
            method,
            label,
            old,
            *(share(part["precision"]) for part in parts),
            updated,
            *(share(part["updated_precision"]) for part in parts),
            *(f"({share(part['low'])}, {share(part['high'])})" for part in parts),
        )
    return table


def folds_of(study, bayes, repeats):
    """Predictions of the forest and of naive Bayes to all records, in these repetitions."""
    predictions = (
        [study.fold_predictions(RETINA, learner, repeat) for learner in ("RF1", bayes)]
        for repeat in repeats
    )
    return ClusterSums.from_repeats(study.all_classes(RETINA), predictions)


def table_11(study):
    """Wald statistics of marginal models over cross-validation.

    The columns of ranges are of the ten repetitions, each by itself.
    """
    ten = range(10)
    single = {b: [folds_of(study, b, [i]) for i in ten] for b in BAYES.values()}
    pooled = {b: folds_of(study, b, ten) for b in BAYES.values()}
    head = [f"{what}{more}" for more in BAYES for what in ("10-fold", "range")]
    heads = ("10-fold paper", *head, *beside_paper("10×10-fold"))
    table = Table(
        "Table 11: Wald statistics over cross-validation, diabetic retinopathy",
        ("class", *heads),
    )
    for label, shown in ((1, "DISEASE"), (0, "NON-DISEASE")):
        once, ten_times = CROSS_VALIDATED[shown]
        cells = [once]
        for sums in single.values():
            results = [gee_precision(one, label=label) for one in sums]
            values = [result.statistic**2 for result in results]
            cells += [wald(results[0]), f"{min(values):.1f} to {max(values):.1f}"]
        cells.append(ten_times)
        cells += [wald(gee_precision(sums, label=label)) for sums in pooled.values()]
        table.add(f"{shown} ({label})", *cells)
    return table


def wald(result):
    """A chi-squared statistic with its p-value."""
    return f"{result.statistic**2:.1f} ({pvalue(result.pvalue)})"


def beside_paper(*values):
    """Heads of columns: of the paper, and of both kinds of naive Bayes."""
    return [f"{value}{more}" for value in values for more in (" paper", *BAYES)]


def share(value):
    return "–" if np.isnan(value) else f"{value:.2f}"


def pvalue(value):
    """As the paper prints it."""
    if np.isnan(value):
        return "–"
    if value < 0.0001:
        return "<0.0001"
    return f"{value:.1g}" if value < 0.095 else f"{value:.2f}"


def interval(estimate, low, high):
    return f"{share(estimate)} ({share(low)}, {share(high)})"


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
    """Every value with its ranges, and how many are within."""
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
    tables = []
    for bayes in BAYES.values():
        table = Table(f"Ranges, {described(bayes)}", (*heads, "within range"))
        for one in ranges:
            if one.bayes == bayes:
                inside = [kind for kind, within in one.within.items() if within]
                table.add(*one.cells, " and ".join(inside) or "no")
        tables.append(table)
    proportions = proportion_table(repeats["forests"])
    return *tables, proportions, counted(ranges, n_repeats, trees)


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
