"""Gate: conditions that a challenger must be shown to meet, also asserted by tests."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from skcompare._core.formatting import in_one_line
from skcompare._core.report import STOPPED
from skcompare.comparators import COLLECTED, PairedComparator
from skcompare.gate._conditions import AnyOf, Condition, GateConditions, Superior
from skcompare.gate._decision import (
    FAILED,
    GateDecision,
    Outcome,
    decision_report,
    shown_part,
    size_text,
    unit_of,
)
from skcompare.gate._evaluate import check_ledger, judge_subject
from skcompare.gate._subjects import check_alone, fitted_subject, subject_of
from skcompare.reports import round_up


@dataclass(frozen=True, init=False, repr=False)
class Gate(GateConditions):
    """Conditions that a challenger must be shown to meet before it replaces a champion.

    The gate passes where every condition is shown to hold, each by a test at level
    `alpha`. Where one of them does not hold, it passes with a probability of at most
    `alpha`: a gate that passes by mistake has passed that condition by mistake, so that no
    correction is needed (intersection-union test [1]_). Conditions of which any is enough
    are an :class:`AnyOf`, whose p-values are adjusted by Holm's method.

    Everything else is no pass: an undefined p-value, an empty slice, too few records, or
    identical predictions.

    Parameters
    ----------
    *conditions : Superior, NonInferior, Equivalent or AnyOf
        Conditions that must be shown; at least one.
    alpha : float, default=0.05
        Level, below 1/2.
    min_records : int, optional
        Fewest records of every condition that sets no other number.
    min_discordant : int, optional
        Fewest discordant pairs, for conditions by tests that count them.
    tell_inconclusive : bool, default=False
        Whether the command line distinguishes a gate that concluded nothing from one that
        failed, by exit code 3 instead of 1.

    References
    ----------
    .. [1] Berger, R. L. and Hsu, J. C. (1996). "Bioequivalence trials, intersection-union
       tests and equivalence confidence sets." Statistical Science 11(4), 283-319.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.gate import Gate, NonInferior, Superior
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> old = np.where(rng.random(1000) < 0.80, y, 1 - y)
    >>> new = np.where(rng.random(1000) < 0.88, y, 1 - y)
    >>> gate = Gate(Superior("accuracy"), NonInferior("f1_macro", margin=0.02))
    >>> decision = gate.decide(y, {"old": old, "new": new})
    >>> decision.status
    'passed'
    """

    def decide(
        self,
        data: Any = None,
        predictions: Mapping[str, Any] | None = None,
        *,
        y_true: Any = None,
        id: str | None = None,
        groups: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        columns: Mapping[str, Any] | None = None,
        train: Any = None,
        features: Sequence[str] = (),
        collect: int = COLLECTED,
        ledger: Any = None,
        blind: bool = False,
    ) -> GateDecision:
        """Judge the conditions by the predictions of two trained classifiers.

        Parameters
        ----------
        data, predictions, y_true, id, groups, labels, pos_label
            The hold-out set and the predictions for it, the champion's first, as for
            :func:`skcompare.compare`. Or `data` is a fitted
            :class:`~skcompare.PairedComparator`, alone, or the
            :class:`~skcompare.predictions.ItemScores` of systems that were scored item by
            item, which are judged by the measure "mean_score".
        columns : mapping of str to array-like of shape (n_samples,), optional
            The columns that define slices, where `data` is no frame or file that has
            them.
        train : frame, str or path-like, optional
            The records that a classifier was trained on. The judged records must not be
            among them, by the column `id`, or by equal values of `features`.
        features : sequence of str, default=()
            Columns by which training records without ids are recognised. Needs `train`.
        collect : int, default=10_000_000
            Largest number of records of a lazy frame or a Parquet file that are read into
            memory. More are counted in place, slice by slice, as by
            :func:`skcompare.compare`.
        ledger : Ledger, str or path-like, optional
            Counts the looks at these records and spends `alpha` over them; this look is
            judged at its share.
        blind : bool, default=False
            Whether to report only if the challenger passed; after the first pass no other
            challenger passes on the set of the ledger. Needs `ledger`.

        Returns
        -------
        decision : GateDecision
            Passed, failed or inconclusive, with reasons; passed or not passed if blind.

        Raises
        ------
        ValueError
            If a gate cannot judge the input: columns that are missing, ids that do not
            match, labels that differ, records of the training data, or a measure that the
            predictions do not allow;
            a ledger that is broken, of other records, or that has no look left.
        OSError
            If the ledger cannot be written, or another process holds it.
        """
        start = perf_counter()
        checked_ledger = check_ledger(ledger, blind)
        subject = subject_of(
            data,
            predictions,
            y_true=y_true,
            id=id,
            groups=groups,
            labels=labels,
            pos_label=pos_label,
            columns=columns,
            conditions=self.leaves,
            collect=collect,
            train=train,
            features=features,
            keep_ids=checked_ledger is not None,
        )
        return judge_subject(self, subject, checked_ledger, blind, start=start)


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
    if any(_unknown(outcome) for outcome in open_outcomes):
        yield "give each condition the evidence that it lacks, or leave it out"


def _records_needed(outcome: Outcome) -> tuple[float, float]:
    """Return the records needed in total and in addition, for an `AnyOf` the fewest."""
    pairs = [
        (leaf.records_needed, leaf.records_needed - leaf.n_records)
        for leaf in outcome.leaves
        if leaf.records_needed is not None
    ]
    return min(pairs, key=lambda pair: pair[1], default=(0.0, 0.0))


def _unknown(outcome: Outcome) -> bool:
    return all(leaf.records_needed is None for leaf in outcome.leaves)


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
