"""Answers in frames that stay where they are: what is counted there is compared here."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from skcompare._typing import ArrayLike
from skcompare.comparators._engine import PairEngine
from skcompare.comparators._result_row import with_classes
from skcompare.comparators._tally_evidence import tallied_pair
from skcompare.comparators._tally_request import asked_by, check_holds
from skcompare.comparators._test_selection import Asked as AskedTests
from skcompare.evidence import LABELS, Asked, EngineTally, Tally, tally_predictions
from skcompare.metrics import Measure
from skcompare.predictions import (
    EngineColumns,
    PairedPredictions,
    Predictions,
    columns_on_engine,
    predictions_from_frame,
)

COLLECTED = 10_000_000
"""Records that are read into memory, where every test has them."""


def counted_pair(
    frame: Any,
    y_true: Any,
    answers: Mapping[str, Any],
    measures: Sequence[Measure],
    asked: AskedTests,
    *,
    collect: int,
    alternative: str,
    alpha: float,
    id: str | None,
    groups: Any,
    labels: ArrayLike | None,
    pos_label: Any,
) -> PairedPredictions | None:
    """Champion and challenger of a frame as counts and sums of its records.

    None where there are no more than `collect` records, which are better read: every
    test has them then.
    """
    wanted = partial(
        _wanted, measures, asked, alternative=alternative, alpha=alpha, pos_label=pos_label
    )

    columns = columns_on_engine(frame, y_true, answers, id=id, groups=groups)
    if columns is not None:
        if columns.table.n_records() <= collect:
            return None
        return pair_on_engine(columns, wanted, labels, pos_label)
    if collect > 0:
        # It is in memory, or small.
        return None
    predictions = predictions_from_frame(
        frame, y_true, answers, id=id, groups=groups, labels=labels, pos_label=pos_label
    )
    return _in_memory(predictions, wanted)


def pair_on_engine(
    columns: EngineColumns,
    wanted: Callable[[PairedPredictions], Asked],
    labels: ArrayLike | None,
    pos_label: Any,
) -> PairedPredictions:
    """Champion and challenger of a table as counts and sums of its records.

    `wanted` says what is to be counted, of a pair that nothing is known of but its classes
    and which answers there are.
    """
    grouped = columns.groups is not None
    look = EngineTally(columns, Asked(labels=True, pos_label=pos_label), labels)
    scored = {name: kind != LABELS for name, kind in look.kinds.items()}
    if not any(scored.values()):
        # Labels are counted as they are, which shows the classes as well.
        tally = look.tally()
        wanted(tallied_pair(tally.classes, scored, grouped=grouped))
        return pair_of_tally(tally, scored)
    classes = look.classes()
    needed = wanted(tallied_pair(classes, scored, grouped=grouped))
    return pair_of_tally(look.asking(needed, classes).tally(), scored)


def _in_memory(predictions: Predictions, wanted: Any) -> PairedPredictions:
    scored = {one.name: one.has_proba for one in predictions.answers}
    grouped = predictions.groups is not None
    asked = wanted(tallied_pair(predictions.classes, scored, grouped=grouped))
    return pair_of_tally(tally_predictions(predictions, asked), scored)


def tallied_comparison(
    tally: Tally, measures: Sequence[Measure], asked: AskedTests, **settings: Any
) -> PairedPredictions:
    """Champion and challenger of a tally that holds what a comparison needs."""
    pair = pair_of_tally(tally)
    check_holds(tally, _wanted(measures, asked, pair, **settings))
    return pair


def _wanted(
    measures: Sequence[Measure],
    asked: AskedTests,
    pair: PairedPredictions,
    *,
    alternative: str,
    alpha: float,
    pos_label: Any,
) -> Asked:
    """What is to be counted for a comparison of these two."""
    named = with_classes(asked, pair.predictions.classes)
    engine = PairEngine(pair, named, alternative, alpha, pos_label)
    return asked_by(engine, measures, pos_label=pos_label)


def pair_of_tally(
    tally: Tally, scored: Mapping[str, bool] | None = None
) -> PairedPredictions:
    """Champion and challenger of a tally."""
    if scored is None:
        of_proba = tally.plan.needs_proba or tally.plan.levels is not None
        scored = dict.fromkeys(tally.names, of_proba)
    return tallied_pair(
        tally.classes, dict(scored), grouped=tally.plan.grouped, tally=tally
    )
