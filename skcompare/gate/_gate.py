"""Gate: conditions that a challenger must be shown to meet, also asserted by tests."""

import math
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

from skcompare._core.formatting import in_one_line
from skcompare._core.report import STOPPED
from skcompare.comparators import PairedComparator
from skcompare.gate._conditions import AnyOf, Condition, Superior
from skcompare.gate._decision import (
    FAILED,
    GateDecision,
    Outcome,
    decision_report,
    shown_part,
    size_text,
    unit_of,
)
from skcompare.gate._evaluate import Gate, judge_subject
from skcompare.gate._subjects import check_alone, fitted_subject
from skcompare.reports import round_up

BLIND = (
    "a blind gate tells no more, because a team that climbs on what a gate tells passes "
    "sooner or later without being better"
)


class GateNotPassed(AssertionError):
    """Exception raised if a gate does not pass, with reasons and advice.

    Parameters
    ----------
    decision : GateDecision
        The decision.

    Attributes
    ----------
    decision : GateDecision
        The decision.

    Examples
    --------
    >>> from skcompare.gate import GateNotPassed, assert_better
    >>> y, old, new = [0, 1] * 10, [0, 1] * 9 + [1, 0], [0, 1] * 9 + [0, 0]
    >>> try:
    ...     assert_better(y, old, new)
    ... except GateNotPassed as error:
    ...     print(error.decision.status)
    inconclusive
    """

    def __init__(self, decision: GateDecision) -> None:
        super().__init__(decision)
        self.decision = decision

    def __str__(self) -> str:
        return "\n".join(failure_lines(self.decision))


def failure_lines(decision: GateDecision) -> Iterator[str]:
    """Yield the lines of the error message: verdict, outcomes, flags and advice."""
    shown = shown_part(decision)
    report = decision_report(decision)
    yield f"{report.headline} ({size_text(shown)})"
    for reason in shown.reasons:
        yield f"  {STOPPED}: {in_one_line(reason)}"
    for check in [line for whole in report.checks for line in (whole, *whole.parts)]:
        yield f"  {check.number}. {in_one_line(check.name)}: {check.status}"
        yield from (f"     {in_one_line(reason)}" for reason in check.reasons)
    for note in report.notes:
        if note.name.startswith("flag"):
            yield f"  {note.name}: {in_one_line(note.text)}"
    for advice in [BLIND] if shown.blind else _to_do(shown):
        yield f"  what to do: {advice}"


def _to_do(decision: GateDecision) -> Iterator[str]:
    """Yield advice on the conditions that were not shown."""
    if decision.reasons:
        yield "mend what stopped the gate"
        return
    unit = unit_of(decision.outcomes)
    open_outcomes = [outcome for outcome in decision.outcomes if not outcome.passed]
    if any(outcome.status == FAILED for outcome in open_outcomes):
        yield f"keep the champion; more {unit} would show the same of this challenger"
        return
    needed, more = max(map(_records_needed, open_outcomes), key=lambda pair: pair[1])
    if math.isinf(more):
        yield "improve the challenger, or collect evidence that it is better after all"
    elif more > 0:
        yield (
            f"judge about {round_up(needed):,} {unit}, {round_up(more):,} more than "
            f"these, and look at them once; who adds {unit} and looks again needs "
            "anytime=True or a ledger"
        )
    needs = [[leaf.records_needed for leaf in o.leaves] for o in open_outcomes]
    if any(all(needed is None for needed in own) for own in needs):
        yield "give each condition the evidence that it lacks, or leave it out"


def _records_needed(outcome: Outcome) -> tuple[float, float]:
    """Return the records needed in total and in addition, for an `AnyOf` the fewest."""
    pairs = [
        (leaf.records_needed, leaf.records_needed - leaf.n_records)
        for leaf in outcome.leaves
        if leaf.records_needed is not None
    ]
    return min(pairs, key=lambda pair: pair[1], default=(0.0, 0.0))


def assert_better(
    y_true: Any,
    champion: Any = None,
    challenger: Any = None,
    *conditions: Condition | AnyOf,
    by: str = "accuracy",
    margin: float = 0.0,
    where: Mapping[str, Any] | None = None,
    alpha: float = 0.05,
    X: Any = None,
    groups: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    columns: Mapping[str, Any] | None = None,
    ledger: Any = None,
    blind: bool = False,
) -> GateDecision:
    """Raise an AssertionError unless a challenger is shown to be better than a champion.

    For tests: the error message states what was observed, what was required, how many more
    records would settle it, and what to do. It is :class:`Gate` with
    ``Superior(by, margin=margin, where=where)`` and `conditions`, all of which must be
    shown; its p-values are one-sided.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or PairedComparator
        True labels of records that neither classifier was trained on; or a fitted
        comparator, which only conditions may follow.
    champion, challenger : array-like or fitted classifier
        Predicted labels of shape (n_samples,), probabilities of shape (n_samples,) or
        (n_samples, n_classes), or both as ``{"labels": ..., "proba": ...}``; or
        classifiers that predict for `X`.
    *conditions : Superior, NonInferior, Equivalent or AnyOf
        Further conditions, all of which must be shown.
    by : str, default="accuracy"
        The measure by which the challenger must be better, such as "roc_auc" or
        "precision[spam]".
    margin : float, default=0.0
        It must be better by more than this.
    where : mapping of str to object, optional
        It must be better on this slice: names of `columns` with the value, or the list
        of values, that records must have.
    alpha : float, default=0.05
        Probability, at most, that the assertion holds where a condition does not.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features), optional
        Records that fitted classifiers predict for.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user), where records of a group may be similar.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them; for predictions.
    pos_label : label, optional
        The positive class of two.
    columns : mapping of str to array-like of shape (n_samples,), optional
        Columns that slices are cut by.
    ledger : Ledger, str or path-like, optional
        Counts the looks at these records, where a test runs again and again.
    blind : bool, default=False
        Whether to report only if the challenger passed. Needs `ledger`.

    Returns
    -------
    decision : GateDecision
        The decision, which has passed.

    Raises
    ------
    GateNotPassed
        An AssertionError, with the decision in `decision`, if a condition is not shown.
    ValueError, TypeError
        If a gate cannot judge the input. That is no failed assertion.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.gate import NonInferior, assert_better
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> old = np.where(rng.random(1000) < 0.80, y, 1 - y)
    >>> new = np.where(rng.random(1000) < 0.88, y, 1 - y)
    >>> assert_better(y, old, new, NonInferior("f1_macro", margin=0.02)).status
    'passed'
    >>> assert_better(y, old, new, margin=0.05)
    Traceback (most recent call last):
        ...
    skcompare.gate._gate.GateNotPassed: NOT PASSED (inconclusive): challenger ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    superior = Superior(by, margin=margin, where=where)
    options = {"groups": groups, "pos_label": pos_label, "columns": columns}
    if isinstance(y_true, PairedComparator):
        check_alone(y_true, {"labels": labels, "X": X, **options})
        # The conditions follow the comparator directly, in the place of both roles.
        others = [
            condition
            for condition in (champion, challenger, *conditions)
            if condition is not None
        ]
        gate = Gate(superior, *others, alpha=alpha)
        return demand(gate.decide(y_true, ledger=ledger, blind=blind))
    gate = Gate(superior, *conditions, alpha=alpha)
    roles = {"champion": champion, "challenger": challenger}
    _check_both(roles, X)
    if X is None:
        options["labels"] = labels
        return demand(gate.decide(y_true, roles, ledger=ledger, blind=blind, **options))
    if labels is not None:
        raise ValueError(
            "`labels` is for predictions; classifiers know their classes. Got it beside "
            "`X`. Leave it out."
        )
    start = perf_counter()
    subject = fitted_subject(gate.leaves, roles, X, y_true, **options)
    return demand(judge_subject(gate, subject, ledger, blind, start=start))


def demand(decision: GateDecision) -> GateDecision:
    """Return the decision if it passed, or raise :class:`GateNotPassed`."""
    __tracebackhide__ = True
    if not decision.passed:
        raise GateNotPassed(decision)
    return decision


def _check_both(roles: Mapping[str, Any], X: Any) -> None:
    """Check that both roles are predictions, or fitted classifiers with records in `X`."""
    for name, value in roles.items():
        if value is None:
            raise TypeError(
                f"`{name}` must be predictions or a fitted classifier. Got None. Pass the "
                "champion and the challenger after `y_true`."
            )
        if X is None and hasattr(value, "predict"):
            raise TypeError(
                f"`{name}` is a classifier, which needs records to predict. Pass them as "
                "`X`."
            )
        if X is not None and not hasattr(value, "predict"):
            raise TypeError(
                f"`{name}` must be a fitted classifier where `X` is given. Got "
                f"{type(value).__name__}. Pass a classifier, or leave `X` out and pass "
                "predictions for both."
            )
