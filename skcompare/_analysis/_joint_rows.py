"""Rows of a comparison whose p-values and intervals are adjusted together."""

from collections.abc import Sequence
from dataclasses import replace

from skcompare._analysis._comparison import ComparisonRow, PairEngine
from skcompare._analysis.measures import Measure
from skcompare._registry.tests import get_test
from skcompare.stats.several import max_t, unit_influences

TESTED_JOINTLY = (
    "paired_t",
    "clustered_t",
    "crossed_t",
    "influence_difference",
    "loss_permutation",
    "permutation_difference",
    "records_t",
)
"""Tests of a difference that is a sum over the records, by whose joint distribution rows
are adjusted by "max-t"; permutations replace the others where nothing varies."""


def simultaneous(
    engine: PairEngine,
    rows: Sequence[ComparisonRow],
    measures: Sequence[Measure | None],
) -> list[ComparisonRow]:
    """Adjust the rows after the first by the joint distribution of their statistics.

    Their intervals hold together as well.

    Parameters
    ----------
    engine : PairEngine
        The engine that made the rows.
    rows : sequence of ComparisonRow
        The rows, the primary one first.
    measures : sequence of Measure or None
        The measure of each row; None for tests of other measures.
    """
    first, *others = rows
    results, units = [], []
    for row, measure in zip(others, measures[1:], strict=True):
        own = None
        if row.test in TESTED_JOINTLY and measure is not None:
            entry, about = get_test(row.test), engine.about(measure)
            own = unit_influences(about.prepared(entry, measure, row.measure).evidence)
        if own is None or row.result is None:
            raise ValueError(
                "adjust='max-t' needs what each record of a hold-out contributes to a "
                f"difference, as paired_t and influence_difference have it. Got "
                f"{row.subject} by {row.test or 'no test'}, and {engine.pair.design}. "
                "Choose 'holm', which is valid for every test."
            )
        results.append(row.result)
        units.append(own)
    if not others:
        return [first]
    joint = max_t(
        results,
        units,
        [str(row.key) for row in others],
        alternative=engine.alternative,
        confidence_level=1 - engine.alpha,
    )
    adjusted = [first]
    for row, result, pvalue in zip(others, results, joint.pvalues.tolist(), strict=True):
        low, high = result.confidence_interval(joint.level)
        adjusted.append(replace(row, low=low, high=high, adjusted_pvalue=pvalue))
    return adjusted
