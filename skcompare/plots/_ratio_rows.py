"""Ratios of whatever was compared, a row each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import get_test
from skcompare.evidence import JointCounts
from skcompare.plots._interval_rows import IntervalRow, subject_of
from skcompare.plots._run_tests import (
    RATIOS,
    ratio_unit,
    ratios_suit,
    row_of_result,
    silence_words,
    untested,
)
from skcompare.stats import PairedResult, PrecisionByClass, precision_by_class

ROLES = ("champion", "challenger")
OF_PAIRS = "discordant_odds_ratio"
"""A test of a ratio that is about no class, on a scale of its own."""

Ratios = tuple[tuple[IntervalRow, ...], float, str, tuple[str, ...]]
"""Rows with their level, their adjustment, and remarks."""


def ratios_of_classes(classes: PrecisionByClass) -> Ratios:
    """The ratio of every class, with the p-value of the test that was asked for."""
    rows = []
    for k, row in enumerate(classes.forest("ratio")["rows"]):
        silent = [role for role in ROLES if not getattr(classes, f"n_{role}")[k]]
        found = IntervalRow(
            name=subject_of(classes.score, row["label"]),
            test=classes.test,
            estimate=row["estimate"],
            low=row["low"],
            high=row["high"],
            pvalue=float(classes.pvalue[k]),
            adjusted_pvalue=row["adjusted_pvalue"],
            alternative=classes.alternative,
            level=classes.interval_level,
            unit=RATIOS[0],
            flags=flags_of_class(classes, k),
            note=silence_words(silent),
            measure=classes.score,
            champion=float(classes.champion[k]),
            challenger=float(classes.challenger[k]),
        )
        rows.append(found)
    remark = f"Intervals are Wald's of the log ratio, and p-values those of {classes.test}."
    return tuple(rows), alpha_of(classes.confidence_level), classes.adjust, (remark,)


def ratios_of_comparison(comparison: Any) -> Ratios:
    """The ratios among the rows, or those of the answers behind the comparison."""
    alpha = comparison.alpha
    found = [row for row in comparison.rows if row.result and ratio_unit(row.result)]
    rows = [
        replace(
            row_of_result(row.result, row.measure, label=row.label, alpha=alpha),
            adjusted_pvalue=row.adjusted_pvalue,
            flags=row.flags,
        )
        for row in found
        if row.test != OF_PAIRS
    ]
    if rows:
        return by_class(rows), alpha, comparison.adjust, ()
    if comparison.source is None:
        raise ValueError(
            "This comparison has no test of a ratio, and no answers to run one on. Compare "
            "with tests=['relative_precision'], or from answers."
        )
    counts = comparison.evidence(JointCounts)
    classes = precision_by_class(counts, confidence_level=1 - alpha)
    if not ratios_suit(classes.design):
        rows = untested(ratios_of_classes(classes)[0], classes.design)
        return tuple(rows), alpha, classes.adjust, ()
    return ratios_of_classes(classes)


def flags_of_class(classes: PrecisionByClass, k: int) -> tuple[str, ...]:
    """Caveats of a class, with that of records for which its test is not valid."""
    flags = classes.class_flags[k]
    return flags if ratios_suit(classes.design) else ("invalid-design", *flags)


def ratios_of_results(result: Any, alpha: float) -> list[IntervalRow]:
    """Rows of single results, or of lists and dicts of them."""
    named: list[tuple[str, Any]]
    if isinstance(result, Mapping):
        named = [(str(name), one) for name, one in result.items()]
    elif isinstance(result, (list, tuple)):
        named = [("", one) for one in result]
    else:
        named = [("", result)]
    rows = []
    for name, one in named:
        if not isinstance(one, PairedResult):
            raise TypeError(
                "`result` must be a Comparison, a fitted PairedComparator, "
                "PrecisionByClass, answers of a pair, a PairedResult, or a list or dict of "
                f"these results. Got {type(one).__name__}."
            )
        if not ratio_unit(one):
            raise ValueError(
                f"{one.test or 'This result'} estimates no ratio, but: "
                f"{one.estimate_name}. Use ForestDisplay for differences."
            )
        measure = get_test(one.test).measures[0] if one.test else one.estimate_name
        about = one.remark.partition(",")[0].removeprefix("class ")
        # The words have labels as they are written in Python.
        label = about.removesuffix(" against the rest").strip("'\"") or None
        row = row_of_result(one, measure, label=label, alpha=alpha)
        rows.append(replace(row, name=name) if name else row)
    if not rows:
        raise ValueError("A list of results must have at least one. Got none.")
    return rows


def by_class(rows: Sequence[IntervalRow]) -> tuple[IntervalRow, ...]:
    """The rows of each class together, in the order in which classes come first."""
    classes = list(dict.fromkeys(map(_class_of, rows)))
    return tuple(row for one in classes for row in rows if _class_of(row) == one)


def _class_of(row: IntervalRow) -> str:
    return row.name.partition("[")[2] or row.name
