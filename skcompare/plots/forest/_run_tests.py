"""Registered tests of a pair of classifiers, run for displays of intervals."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from skcompare._analysis import (
    ComparisonRow,
    PairEngine,
    named_tests,
    why_unsuited,
    with_adjusted,
    with_classes,
)
from skcompare._core.validation import check_alternative, check_choice
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.metrics import resolve_scoring
from skcompare.plots.forest._interval_rows import IntervalRow, interval_row
from skcompare.predictions import PairedPredictions, Predictions
from skcompare.stats.core import ADJUSTMENTS

OF_TESTS = ("tests", "alternative", "adjust", "pos_label")
"""Options of tests that are run for a display, beside the level."""
HOLM = "holm"
"""Default adjustment of p-values."""
RATIO = "relative_precision"
"""Default test of a ratio."""


def rows_of_tests(
    pair: PairedPredictions,
    kind: str,
    *,
    alpha: float,
    tests: Any = None,
    alternative: str = "two-sided",
    adjust: str = HOLM,
    pos_label: Any = None,
) -> tuple[IntervalRow, ...]:
    """Run the requested tests, or by default those suitable for the predictions."""
    check_alternative(alternative)
    check_choice("adjust", adjust, ADJUSTMENTS)
    requested = None if tests is None else named_tests(tests)
    if requested is None and kind == "ratio":
        requested = {RATIO: {}}
    requested = with_classes(requested, pair.predictions.classes)
    engine = PairEngine(pair, requested, alternative, alpha, pos_label)
    rows = _usual_rows(engine) if requested is None else _rows_by_name(engine, kind)
    intervals = [interval_row(row, alpha) for row in with_adjusted(rows, adjust)]
    if tests is None and kind == "ratio" and not ratios_suit(pair.design):
        intervals = untested(intervals, pair.design)
    return tuple(intervals)


def _usual_rows(engine: PairEngine) -> list[ComparisonRow]:
    """Return the rows of the measures that are compared by default."""
    measures = resolve_scoring([*_measures_of(engine.pair.alone)])
    return [row for k, m in enumerate(measures) for row in engine.rows(m, k == 0)]


def _measures_of(predictions: Predictions) -> Iterator[str]:
    """Yield the measures compared by default."""
    yield "accuracy"
    is_binary = len(predictions.classes) == 2
    if is_binary and all(
        role.has_proba or role.has_decision for role in predictions.estimators
    ):
        yield "roc_auc"
    if all(role.has_proba for role in predictions.estimators):
        yield "binary_brier_loss" if is_binary else "multiclass_brier_loss"


def _rows_by_name(engine: PairEngine, kind: str) -> list[ComparisonRow]:
    """Return the rows of the requested tests, of all classes for tests of one class."""
    for entry in engine.other_tests([]):
        _check(entry, engine, kind)
    return engine.rows_of_other_tests([])


def _check(entry: PairedTestEntry, engine: PairEngine, kind: str) -> None:
    if entry.kind != kind:
        displays = {"ratio": "RelativePrecisionDisplay", "difference": "ForestDisplay"}
        display = displays.get(entry.kind)
        hint = f" Use {display}." if display else " Read it from its result."
        raise ValueError(
            f"This picture shows estimates of kind {kind!r}. Got {entry.name}, which is of "
            f"kind {entry.kind!r}.{hint}"
        )
    if reason := why_unsuited(entry, engine.pair.alone):
        raise ValueError(
            f"{reason}. Choose another test, or give the predictions it needs."
        )
    if engine.alternative != "two-sided" and "alternative" not in entry.options:
        raise ValueError(
            f"{entry.name} has no direction. Got alternative={engine.alternative!r}. "
            "Choose another test, or leave `alternative` out."
        )


def refuse_options(result: Any, names: Iterable[str], alpha: float | None) -> None:
    """Raise an error for options of tests that have already run."""
    if joined := ", ".join(names):
        raise ValueError(
            f"{joined}: the tests have run already. Leave this out, or pass the "
            "predictions of a pair."
        )
    own = getattr(result, "alpha", alpha)
    if alpha is not None and own != alpha:
        raise ValueError(f"`alpha` of the result is {own:g}. Got {alpha:g}. Leave it out.")


def ratios_suit(design: Any) -> bool:
    """Whether the default test of a ratio is valid for a design."""
    return get_test(RATIO).valid_for(design)


def untested(rows: Iterable[IntervalRow], design: Any) -> list[IntervalRow]:
    """Reduce rows to their estimates, because no test is valid for the design."""
    reason = f"no test of a ratio is valid for {design}"
    return [
        replace(
            row,
            test=None,
            low=None,
            high=None,
            pvalue=None,
            adjusted_pvalue=None,
            level=None,
            flags=(),
            note="; ".join(filter(None, (row.note, reason))),
        )
        for row in rows
    ]
