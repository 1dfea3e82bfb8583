"""Decisions that count as looks at a hold-out set, reported in full or blindly."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from skcompare.comparators import installed_versions
from skcompare.gate._conditions import GateConditions
from skcompare.gate._decision import GateDecision
from skcompare.gate._evaluate import Ready, judged, ready_condition, stops
from skcompare.gate._outcomes import INCONCLUSIVE, NOT_PASSED, PASSED
from skcompare.gate._subjects import PairSubject, Subject
from skcompare.gate.ledger._digests import digests_of, gate_digest
from skcompare.gate.ledger._ledger import (
    Ledger,
    Taken,
    as_ledger,
    check_ledger_file,
    finish_look,
    take_look,
)


def check_ledger(ledger: Any, blind: Any) -> Ledger | None:
    """Check `ledger` and `blind`, and return the ledger or None."""
    if not isinstance(blind, bool):
        raise TypeError(f"`blind` must be True or False. Got {blind!r}.")
    if ledger is None and not blind:
        return None
    if ledger is None:
        raise ValueError(
            "A blind gate stops at the first challenger that passes, and needs a ledger "
            "that remembers. Pass `ledger`."
        )
    if not isinstance(ledger, Ledger | str | os.PathLike):
        raise TypeError(
            f"`ledger` must be a Ledger or the path of one. Got {type(ledger).__name__}."
        )
    return as_ledger(ledger)


def judge_subject(
    gate: GateConditions, subject: Subject, *, ledger: Any = None, blind: bool = False
) -> GateDecision:
    """Judge the conditions of a gate on a subject, as a look if there is a ledger."""
    checked_ledger = check_ledger(ledger, blind)
    if checked_ledger is None:
        return judged(gate, subject)
    return look_at(gate, subject, checked_ledger, blind=blind)


def look_at(
    gate: GateConditions, subject: Subject, ledger: Ledger, *, blind: bool
) -> GateDecision:
    """Judge a subject as one look of a ledger.

    Errors of the configuration are raised before the look is spent.
    """
    if not blind:
        return _judge_as_look(gate, subject, ledger, blind=False)
    with warnings.catch_warnings():
        # Warnings of NumPy can depend on the true labels.
        warnings.simplefilter("ignore")
        return _judge_as_look(gate, subject, ledger, blind=True)


def _judge_as_look(
    gate: GateConditions, subject: Subject, ledger: Ledger, *, blind: bool
) -> GateDecision:
    digests = digests_of(subject, gate.columns)
    holdout = digests.of_set(blind=blind)
    # Whether two systems have the same scores depends on true labels: not revealed.
    stopping = {} if blind and not isinstance(subject, PairSubject) else stops(subject)
    if stopping:
        # Nothing can pass, so nothing is spent, and no true label has a part in it.
        check_ledger_file(ledger, holdout, gate.alpha, blind=blind)
        if not blind:
            return judged(gate, subject)
        decision = _blind_decision(gate, subject, NOT_PASSED, gate.alpha)
        return replace(decision, reasons=tuple(stopping.values()), flags=tuple(stopping))
    # Errors of the configuration are raised here, before the look is spent.
    tests = [ready_condition(leaf, subject) for leaf in gate.leaves]
    taken = take_look(
        ledger,
        holdout,
        gate.alpha,
        gate_digest(gate.to_dict()),
        digests.of_predictions(blind=blind),
        subject.names,
        blind=blind,
    )
    judge = _judged_blindly if blind else _judged_openly
    return judge(gate, subject, tests, ledger, taken)


def _judged_openly(
    gate: GateConditions,
    subject: Subject,
    tests: Sequence[Ready],
    ledger: Ledger,
    taken: Taken,
) -> GateDecision:
    decision = judged(gate.at_level(taken.look.level), subject, tests)
    before = finish_look(ledger, taken, decision.status)
    if decision.passed != (before == PASSED):
        # Two results of one look would be two chances; both must be a pass.
        reason = (
            f"look {taken.look.number} was judged before with the same predictions, as "
            f"{before}, and is now {decision.status}: other versions or resamples, and no "
            "pass"
        )
        reasons = (*decision.reasons, reason)
        decision = replace(decision, status=INCONCLUSIVE, reasons=reasons)
    return replace(decision, look=taken.summary(ledger.path, closed=False))


def _judged_blindly(
    gate: GateConditions,
    subject: Subject,
    tests: Sequence[Ready],
    ledger: Ledger,
    taken: Taken,
) -> GateDecision:
    """Decide whether the gate passes, revealing nothing else about the true labels.

    Until the first pass a team sees "not passed" each time, as it would have without the
    records: its challengers are a sequence that was fixed before, however it makes them.
    An error due to the true labels would be a third result, and is "not passed".
    """
    level = taken.look.level
    status = taken.look.status
    if status != NOT_PASSED:
        result = _blind_status(gate.at_level(level), subject, tests)
        before = finish_look(ledger, taken, result)
        status = PASSED if (before, result) == (PASSED, PASSED) else NOT_PASSED
    closed = status == PASSED or taken.state.passed is not None
    decision = _blind_decision(gate, subject, status, level)
    return replace(decision, look=taken.summary(ledger.path, closed=closed))


def _blind_status(gate: GateConditions, subject: Subject, tests: Sequence[Ready]) -> str:
    try:
        # The records needed are not reported, and the time of computing them would
        # distinguish an inconclusive gate from a failed one.
        passed = judged(gate, subject, tests, planned=False).passed
    except (ImportError, MemoryError, OSError):
        # Lack of resources, whatever the labels are; the look can be repeated.
        raise
    except Exception:
        passed = False
    return PASSED if passed else NOT_PASSED


def _blind_decision(
    gate: GateConditions, subject: Subject, status: str, level: float
) -> GateDecision:
    champion, challenger = subject.names
    return GateDecision(
        status=status,
        outcomes=(),
        alpha=level,
        champion=champion,
        challenger=challenger,
        design=str(subject.design),
        n_records=subject.n_records,
        size=subject.size,
        blind=True,
        versions=installed_versions(),
    )
