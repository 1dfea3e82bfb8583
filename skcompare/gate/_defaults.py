"""What a condition chooses where its user does not: a test, and options of tests."""

from typing import Any

from skcompare._core.design import Design
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.gate._conditions import Condition
from skcompare.gate._power_of_counts import method_for

MANY_RECORDS, LEFT_TO_THE_TEST, RESAMPLES = 1_000, 50_000, 1_999
"""Between so many records a bootstrap takes so many resamples, in a second or two; of
more, the test itself takes fewer."""

AT_MARGIN = {"precision_both_scores": "precision_difference"}
"""Tests whose interval is no inversion of them beyond equality, and what takes their place
where a condition has a margin."""


def options_of(
    condition: Condition, entry: PairedTestEntry, evidence: Any
) -> dict[str, Any]:
    """Options of the test of a condition beside those that were asked for.

    Accuracies are compared by mid-p where there is no margin, which from 100 records on
    passes with a probability of at most 0.059 at a level of 0.05; of fewer records, at a
    margin, and where an exact test is asked for, by the exact test that is unconditional.
    That one takes up to 5,000 records here: of more, Tango's score is near enough at a
    margin that is not small, and the exact test given the discordant pairs takes the place
    of it elsewhere.
    """
    if entry.name == "bootstrap_difference" and "n_resamples" not in condition.options:
        few = MANY_RECORDS < evidence.n <= LEFT_TO_THE_TEST
        return {"n_resamples": RESAMPLES} if few else {}
    if entry.name != "mcnemar" or "method" in condition.options:
        return {}
    if evidence.fractional:
        return {"method": "corrected"}
    return {"method": method_for(evidence.n, condition.margin, condition.exact)}


def test_at_margin(
    condition: Condition, entry: PairedTestEntry | None, design: Design
) -> PairedTestEntry | None:
    """The test of a condition that names none, from the design's default test."""
    if entry is None or not condition.margin or entry.name not in AT_MARGIN:
        return entry
    other = get_test(AT_MARGIN[entry.name])
    return other if other.valid_for(design) else entry
