"""What the rules do in all cells (a study and a measure), and the tables of it."""

from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from bcv_scores_measures import MEASURES
from bcv_scores_rules import (
    ALPHA,
    CHOSEN,
    mcnemar_rejections,
    published_rejections,
    t_critical,
)
from scipy.stats import beta
from tables import Table, with_error

CONFIDENCE = 0.99
MCNEMAR = "bcv_mcnemar, published variance"


@dataclass(frozen=True)
class Rejected:
    """Rejections of one test in many cells."""

    name: str
    rejected: np.ndarray
    draws: np.ndarray
    alpha: float = ALPHA

    @property
    def levels(self):
        return self.rejected / self.draws

    @property
    def low(self):
        """Lower limits of Clopper and Pearson, one-sided 99.5 %."""
        tail = (1 - CONFIDENCE) / 2
        low = beta.ppf(tail, self.rejected, self.draws - self.rejected + 1)
        return np.where(self.rejected == 0, 0.0, low)

    @property
    def n_over(self):
        return int((self.low > self.alpha).sum())

    @property
    def accepted(self):
        return self.n_over == 0


def cell_names(cases):
    return [(case, MEASURES[i]) for case in cases for i in case.cells()]


def levels(cases, decide, name, cells=None, alpha=ALPHA):
    """Rejections by `decide(case) -> (draws, measures)` in the null cells of all cases."""
    rejected, draws = [], []
    for case in cases:
        chosen = case.cells() if cells is None else cells(case)
        if not chosen:
            continue
        decisions = decide(case)[:, chosen]
        defined = np.isfinite(case.summary.mean[:, chosen])
        rejected += (decisions & defined).sum(axis=0).tolist()
        draws += defined.sum(axis=0).tolist()
    return Rejected(name, np.array(rejected), np.array(draws), alpha)


def rule_levels(cases, rules, cells=None, n_repeats=None, alpha=ALPHA):
    """Rejections of rules, from the first `n_repeats` repetitions or from all."""
    summaries = {id(case): _summary(case, n_repeats) for case in cases}
    return [
        levels(
            cases,
            lambda case, rule=rule: rule.rejections(summaries[id(case)], alpha=alpha),
            rule.name, cells, alpha,
        )
        for rule in rules
    ]  # fmt: skip


def _summary(case, n_repeats):
    return case.summary if n_repeats is None else case.first_repeats(n_repeats)


def published_levels(cases, cells=None, n_repeats=None):
    """The same for tests of the literature."""
    found = defaultdict(dict)
    for case in cases:
        for name, decisions in published_rejections(_summary(case, n_repeats)).items():
            found[name][id(case)] = decisions
    return [
        levels(cases, lambda case, of=of: of[id(case)], name, cells)
        for name, of in found.items()
    ]


def mcnemar_levels(cases, n_repeats=5):
    """Rejections by bcv_mcnemar with the published variance."""
    accuracy = MEASURES.index("accuracy")

    def decide(case):
        rejected = mcnemar_rejections(case.draws.counts, n_repeats)
        return np.repeat(rejected[:, np.newaxis], len(MEASURES), axis=1)

    def cells(case):
        return [accuracy] if accuracy in case.cells() else []

    return levels(cases, decide, MCNEMAR, cells)


def powers(cases, rules):
    """Mean power a rule and measure, (rules, measures), over all defined cells."""
    found = []
    for rule in rules:
        sums, counts = np.zeros(len(MEASURES)), np.zeros(len(MEASURES))
        for case in cases:
            cells = case.all_cells()
            rejected = rule.rejections(case.summary)[:, cells]
            defined = np.isfinite(case.summary.mean[:, cells])
            sums[cells] += (rejected & defined).sum(axis=0) / defined.sum(axis=0)
            counts[cells] += 1
        found.append(sums / counts)
    return np.array(found)


def coverages(cases, rules):
    """Shares of intervals that miss the true difference, where the learners differ.

    The true difference is the mean over all draws of the cell.
    """

    def cells(case):
        return [i for i in case.all_cells() if MEASURES[i] not in case.null]

    def decide(rule):
        def of(case):
            return rule.rejections(case.summary, np.nanmean(case.summary.mean, axis=0))

        return of

    names = [(case, MEASURES[i]) for case in cases for i in cells(case)]
    return [levels(cases, decide(rule), rule.name, cells) for rule in rules], names


def rule_table(title, results, names, power=None, alpha=ALPHA):
    """Of every rule: cells over the level, the greatest levels and where, the mean."""
    columns = ["test", "cells", f"over {alpha:g}", "greatest level", "where", "mean level"]
    if power is not None:
        columns.append("mean power")
    table = Table(title, tuple(columns))
    for i, result in enumerate(results):
        if len(result.levels) == 0:
            continue
        # The cell that is most clearly high, not that of fewest draws.
        worst = int(np.argmax(result.low))
        case, measure = names[worst] if len(names) == len(result.levels) else (None, "")
        where = f"{measure}, {case.study.name}" if case else ""
        cells = [
            result.name, len(result.levels), result.n_over,
            with_error(result.levels[worst], result.draws[worst]), where,
            f"{result.levels.mean():.4f}",
        ]  # fmt: skip
        if power is not None:
            cells.append("" if power[i] is None else f"{power[i]:.3f}")
        table.add(*cells)
    return table


def measure_table(title, results, names):
    """Greatest and mean level of every test by measure."""
    table = Table(title, ("test", *MEASURES))
    measures = np.array([measure for _, measure in names])
    for result in results:
        cells = []
        for measure in MEASURES:
            mine = measures == measure
            if len(measures) != len(result.levels) or not mine.any():
                cells.append("")
                continue
            level = result.levels[mine]
            over = int((result.low[mine] > ALPHA).sum())
            cells.append(f"{level.max():.3f} ({level.mean():.3f}; {over} of {mine.sum()})")
        table.add(result.name, *cells)
    return table


def study_table(title, result, names):
    """Levels of one test, a row a study and a column a measure."""
    table = Table(title, ("study", "data sets", *MEASURES))
    rows = {}
    for (case, measure), level, n in zip(names, result.levels, result.draws):
        key = case.study.name
        rows.setdefault(key, {})[measure] = f"{level:.4f}", n
    for key, row in rows.items():
        most = max(n for _, n in row.values())
        table.add(key, most, *(row.get(measure, ("",))[0] for measure in MEASURES))
    return table


def undefined_table(cases):
    """Cells with undefined scores, which the rules did not decide."""
    table = Table("Undefined scores", ("study", "measure", "share of data sets"))
    for case in cases:
        defined = np.isfinite(case.summary.mean).mean(axis=0)
        shares = Counter(
            {m: 1 - d for m, d in zip(MEASURES, defined) if d < 0.995 and m in case.null}
        )
        for measure, share in shares.items():
            table.add(case.study.name, measure, f"{share:.3f}")
    return table


def ratio_table(title, cases):
    """What W and s2 say of the variance of the mean, by measure: theory has 1 and 1."""
    table = Table(title, ("study", "value", "measure", "0.5 W / variance",
                          "0.9 s2 / variance", "bias / standard deviation"))  # fmt: skip
    for case in cases:
        s = case.summary
        for i in case.cells():
            variance = np.nanvar(s.mean[:, i])
            table.add(
                case.study.name,
                "" if case.value is None else f"{case.value:.4g}",
                MEASURES[i],
                f"{np.nanmean(s.within[:, i]) / 2 / variance:.3f}",
                f"{0.9 * np.nanmean(s.spread[:, i]) / variance:.3f}",
                f"{np.nanmean(s.mean[:, i]) / variance**0.5:.3f}",
            )
    return table


def factor_table(title, cases, rule=CHOSEN):
    """Which factor of the squared standard error would make the level exactly .05."""
    table = Table(
        title, ("measure", "cells", "median", "9 of 10 cells", "greatest", "where")
    )
    critical = t_critical(ALPHA, rule.df) ** 2
    found = defaultdict(list)
    for case in cases:
        error = rule.squared_error(case.summary)
        for i in case.cells():
            defined = np.isfinite(case.summary.mean[:, i])
            square, own = case.summary.mean[defined, i] ** 2, error[defined, i]
            ratio = np.divide(square, own, out=np.zeros_like(own), where=own > 0)
            factor = np.quantile(ratio, 1 - ALPHA) / critical
            found[MEASURES[i]].append((factor, case.study.name))
    for measure in filter(found.get, MEASURES):
        factors = np.array([factor for factor, _ in found[measure]])
        greatest, where = max(found[measure])
        table.add(
            measure, len(factors), f"{np.median(factors):.2f}",
            f"{np.quantile(factors, 0.9):.2f}", f"{greatest:.2f}", where,
        )  # fmt: skip
    return table
