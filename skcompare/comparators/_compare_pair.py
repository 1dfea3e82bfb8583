"""From the answers of two classifiers to a comparison."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from skcompare._core.validation import check_pos_label
from skcompare.comparators._advice import advice_for
from skcompare.comparators._class_options import with_classes
from skcompare.comparators._engine import PairEngine
from skcompare.comparators._evidence_behind import EvidenceBehind, usual_options
from skcompare.comparators._tests import Asked
from skcompare.comparators._versions import installed_versions
from skcompare.metrics import Measure
from skcompare.predictions import PairedPredictions
from skcompare.reports import Comparison, ComparisonRow, decide
from skcompare.stats import adjust_pvalues


def compare_pair(
    pair: PairedPredictions,
    measures: Sequence[Measure],
    asked: Asked,
    *,
    alternative: str,
    alpha: float,
    adjust: str,
    pos_label: Any = None,
    n_fits: int = 0,
    seconds: float | None = None,
    random_state: Any = None,
) -> Comparison:
    """Test every measure and decide from the first one.

    Each measure gets the default test of the design, and the tests asked for that
    measure it; a test that measures nothing else gets a row of its own. Without true
    labels there is no measure, and the answers are compared with each other.
    """
    predictions = pair.predictions
    check_pos_label(pos_label, predictions.classes)
    known = predictions.y is not None
    asked = with_classes(asked, predictions.classes)
    engine = PairEngine(pair, asked, alternative, alpha, pos_label)
    needed, primary = None, measures[0] if known else None
    if known:
        rows = [
            row
            for k, measure in enumerate(measures)
            for row in engine.about(measure).rows(measure, k == 0)
        ]
        rows += engine.rows_of_other_tests(measures)
        needed = engine.about(measures[0]).records_needed(rows[0], measures[0])
    else:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs true labels: without them no "
                "classifier is better. Pass `y_true`, or leave `alternative` out."
            )
        rows = engine.rows_without_truth()
    rows = with_adjusted(rows, adjust)
    conclusion = decide(
        rows[0],
        alpha=alpha,
        alternative=alternative,
        records_needed=needed,
        flags=predictions.flags,
    )
    return Comparison(
        rows=tuple(rows),
        conclusion=conclusion,
        champion=pair.champion.description,
        challenger=pair.challenger.description,
        design=pair.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        seconds=seconds,
        alpha=alpha,
        alternative=alternative,
        adjust=adjust,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
        advice=advice_for(pair, engine.evidence, primary, conclusion.winner),
        source=EvidenceBehind(pair, pos_label, usual_options(asked)),
    )


def with_adjusted(rows: list[ComparisonRow], adjust: str) -> list[ComparisonRow]:
    """Adjust the p-values of all rows but the primary one, which is tested at alpha."""
    others = [k for k, row in enumerate(rows) if not row.primary and row.pvalue is not None]
    if adjust == "none" or not others:
        return rows
    adjusted = adjust_pvalues([rows[k].pvalue for k in others], adjust)  # type: ignore[misc]
    for k, pvalue in zip(others, adjusted, strict=True):
        rows[k] = replace(rows[k], adjusted_pvalue=float(pvalue))
    return rows
