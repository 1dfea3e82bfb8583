"""Tests of mean scores: which one suits items, its evidence, and the row that shows it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skcompare._registry.tests import ANY_LOSS, PairedTestEntry, get_test, paired_tests
from skcompare.comparators._engine import POWER, Prepared
from skcompare.comparators._result_row import result_row
from skcompare.evidence import ClusterSums, ContingencyTable, PairedLosses
from skcompare.evidence._item_evidence import NEGATED, item_evidence, why_no_evidence
from skcompare.predictions import ItemScores
from skcompare.reports import ComparisonRow, is_against
from skcompare.stats import PairedResult

MEAN_SCORE = "mean_score"
"""What is compared: the mean over the items."""
MEAN_GAIN = "difference of mean scores"
"""What the estimate of a test of means is called."""

BOUND = "bound"
"""The option by which a test is told how much two scores of an item can differ."""

DEFAULTS = {
    # Answered rightly or wrongly; in groups.
    (True, False): "mcnemar",
    (True, True): "clustered_mcnemar",
    (False, False): "paired_t",
    (False, True): "clustered_t",
}


def prepared_scores(
    scores: ItemScores,
    test: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    alternative: str | None = None,
) -> Prepared:
    """A test of mean scores with its evidence and options, ready to run.

    Parameters
    ----------
    scores : ItemScores
        Scores of both systems.
    test : str, optional
        Name of the test. By default McNemar's where each system answered each item once,
        rightly or wrongly, and the paired t test of the items' mean scores otherwise; of
        items in groups their versions for groups.
    options : mapping of str to object, optional
        Options of the test.
    alternative : {"two-sided", "less", "greater"}, optional
        Direction, for a test that has one.

    Returns
    -------
    prepared : Prepared
        Registry entry, evidence and options. Its results are positive where the challenger
        is better; those of losses are about negated scores, see :func:`item_row`.
    """
    given = dict(options or {})
    entry = get_test(default_item_test(scores) if test is None else test)
    check_item_options(entry, given)
    why = why_no_evidence(scores, entry.needs)
    if why:
        raise ValueError(
            f"{entry.name} cannot run. {why}. Use {default_item_test(scores)}."
        )
    if BOUND in entry.options and BOUND not in given and scores.bounds is not None:
        low, high = scores.bounds
        given[BOUND] = high - low
    if alternative is not None and "alternative" in entry.options:
        given["alternative"] = alternative
    return Prepared(entry, item_evidence(scores, entry.needs), given)


def default_item_test(scores: ItemScores) -> str:
    """The test that scores get when none is asked for."""
    return DEFAULTS[scores.right_or_wrong, scores.groups is not None]


def item_tests() -> list[PairedTestEntry]:
    """The tests that compare mean scores."""
    return [entry for entry in paired_tests().values() if _is_of_means(entry)]


def _is_of_means(entry: PairedTestEntry) -> bool:
    if entry.needs is PairedLosses:
        return ANY_LOSS in entry.measures
    return "accuracy" in entry.measures and entry.needs in (ContingencyTable, ClusterSums)


def valid_item_tests(scores: ItemScores) -> list[str]:
    """Names of the tests that are valid for these scores and need not be named."""
    return [
        entry.name
        for entry in item_tests()
        if entry.valid_for(scores.design)
        and not entry.caution
        and not why_no_evidence(scores, entry.needs)
        and (BOUND not in entry.options or scores.bounds is not None)
    ]


def check_item_options(entry: PairedTestEntry, options: Mapping[str, Any]) -> None:
    """Refuse a test that compares no mean scores, and options that it does not take."""
    known = [each.name for each in item_tests()]
    if entry.name not in known:
        raise ValueError(
            f"{entry.name} does not compare mean scores. Choose among {', '.join(known)}."
        )
    for name in options:
        if name not in entry.options:
            raise ValueError(
                f"{entry.name} has no option {name!r} for scores. Its options: "
                f"{', '.join(entry.options) or 'none'}."
            )


def item_row(prepared: Prepared, result: PairedResult, alpha: float) -> ComparisonRow:
    """The row of a result, in terms of scores."""
    return result_row(
        prepared.entry,
        _of_scores(result, prepared.evidence),
        measure=MEAN_SCORE,
        greater_is_better=True,
        alpha=alpha,
        note=result.remark,
    )


def _of_scores(result: PairedResult, evidence: Any) -> PairedResult:
    """A result about negated scores as one about scores."""
    if not isinstance(evidence, PairedLosses):
        return result
    name = result.estimate_name.replace(f"gain in mean {NEGATED} loss", MEAN_GAIN)
    return replace(
        result,
        estimate_name=name.replace("gain (", "difference ("),
        champion=None if result.champion is None else 0.0 - result.champion,
        challenger=None if result.challenger is None else 0.0 - result.challenger,
        greater_is_better=True,
    )


def items_needed(
    prepared: Prepared, row: ComparisonRow, *, alpha: float, alternative: str
) -> float | None:
    """Items at which a difference of the observed size would be found.

    None where the row decides, has no difference or an undefined p-value, or where the
    difference is in the direction that the test does not look in.
    """
    sample_size = prepared.entry.sample_size
    if sample_size is None or row.pvalue is None or not row.pvalue >= alpha:
        return None
    if row.difference == 0 or math.isnan(row.difference) or is_against(row, alternative):
        return None
    options = {"alternative": alternative} | prepared.options
    needed = sample_size(prepared.evidence, alpha=alpha, power=POWER, **options)
    return None if math.isnan(needed) else needed
