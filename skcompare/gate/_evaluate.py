"""Evaluation of the conditions of a gate against the evidence of their slices."""

import math
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np

from skcompare._analysis import IN_ORDER, PreparedTest, correlation_of_records, order_text
from skcompare._analysis.measures import (
    WORSE_THAN_NO_SKILL,
    are_worse_than_no_skill,
    value_without_skill,
)
from skcompare._core.flags import explain
from skcompare._core.times import check_horizon
from skcompare._core.validation import check_alpha, check_count, check_switches
from skcompare._registry.metrics import VALUES, loss_of
from skcompare._typing import FloatArray
from skcompare.comparators import COLLECTED, installed_versions
from skcompare.evidence import ContingencyTable, JointCounts
from skcompare.gate._boundaries import (
    decisive_record_text,
    limits_of,
    limits_text,
    opposite_text,
    pvalue_text,
    tested_sides,
)
from skcompare.gate._conditions import (
    AnyOf,
    Condition,
    Written,
    bounds_of,
    check_conditions,
    fields_set,
    target_of,
)
from skcompare.gate._decision import (
    FAILED,
    INCONCLUSIVE,
    NOT_PASSED,
    PASSED,
    GateDecision,
    Outcome,
    all_of,
    any_of,
)
from skcompare.gate._ledger import (
    Ledger,
    Taken,
    check_ledger_file,
    digests_of,
    finish_look,
    gate_digest,
    take_look,
)
from skcompare.gate._subjects import Inputs, PairSubject, Subject, Unsuited, subject_of
from skcompare.predictions import weights_of
from skcompare.stats import MarginResult, PairedResult, adjust_pvalues
from skcompare.stats.margins import SMALLEST
from skcompare.stats.planning import records_beyond_boundaries

POWER = 0.8

FEWEST, FEWEST_DISCORDANT = 20, 5
"""Fewest records, and fewest discordant pairs, from which a sample size is planned."""

TOO_FEW_TO_PLAN = "these records are too few to say how many would settle it"


def records_needed(
    condition: Condition, test: PreparedTest, sides: Sequence[MarginResult], alpha: float
) -> float | None:
    """Number of records needed to establish a condition if the observed difference is true.

    With a probability of 80 %: of accuracies by adding the probabilities of all tables, of
    scores of labels by simulation, and of other measures by the normal approximation with
    the skewness that the test allows for, of calibration errors with standard errors by
    resampling. Both boundaries of an equivalence are counted at once. Infinite where the
    observed difference is beyond a boundary, so that no number of records is enough; None
    where nothing, or almost nothing, is known.
    """
    if too_few_to_plan(test, sides) or any(
        math.isnan(side.result.estimate) for side in sides
    ):
        return None
    n = float(sides[0].result.n)
    method, exact = condition.options.get("method"), condition.exact
    needed = records_beyond_boundaries(
        test, sides, alpha, POWER, method=method, exact=exact
    )
    # These records did not settle it, so more of them are needed.
    if needed is None or math.isinf(needed):
        return needed
    return max(float(math.ceil(needed)), math.floor(n) + 1.0)


def too_few_to_plan(test: PreparedTest, sides: Sequence[MarginResult]) -> bool:
    """Whether the records are too few to estimate the true difference."""
    evidence = test.evidence
    if sides[0].result.n < FEWEST:
        return True
    if not isinstance(evidence, ContingencyTable) or any(s.null_value for s in sides):
        return False
    return 0 < evidence.n_discordant < FEWEST_DISCORDANT


ADMITS_NO_SKILL = "margin-admits-no-skill"


def admits_everything(condition: Condition, result: PairedResult) -> str:
    """Return the reason why no challenger could fail a condition, or an empty string.

    Even the worst value of the measure is within the margin of the observed value of the
    champion.
    """
    if not condition.admits_worse or result.champion is None:
        return ""
    lowest, highest = bounds_of(condition.scored)
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return ""
    greater_is_better = result.greater_is_better
    worst = lowest if greater_is_better else highest
    farthest = abs(result.champion - worst)
    if not farthest < condition.distance_at(result.champion):
        return ""
    worst_value = f"{condition.measure} of {worst:g}"
    return (
        f"nothing could fail: {worst_value}, the worst there is, would be worse by "
        f"{farthest:.4g} only than the champion's {result.champion:.4g}, and the margin is "
        f"{condition.margin_text}"
    )


def loss_of_a_constant(condition: Condition, subject: PairSubject) -> float | None:
    """Mean loss of the same number for every record: the better one of mean and median.

    None for measures that are not mean losses of predicted numbers, and without records. Of
    several outputs it is the mean with the weights of the measure.
    """
    measure, data = condition.scored, subject.data
    entry = None if measure is None else loss_of(measure.metric)
    has_records = data.y is not None and data.tally is None
    if measure is None or entry is None or entry.needs != VALUES or not has_records:
        return None
    options = {
        name: condition.options[name] for name in entry.options if name in condition.options
    }
    data = data if measure.label is None else measure.of_outputs(data)
    weights = weights_of(data, condition.options.get("multioutput"), entry.name)
    losses = partial(_constant_loss, partial(entry.function, **options))
    y = data.y_predicted()
    if weights is None:
        value = losses(y)
    else:
        of_outputs = zip(weights.tolist(), y.T, strict=True)
        value = sum(weight * losses(own) for weight, own in of_outputs if weight)
    return None if math.isnan(value) else value


def _constant_loss(loss: Any, y: FloatArray) -> float:
    """Mean loss of the better one of mean and median, or NaN if it is undefined."""
    constants = (np.full(len(y), middle) for middle in (np.mean(y), np.median(y)))
    with np.errstate(all="ignore"):
        means = [float(np.mean(loss(y, own))) for own in constants]
    return math.nan if any(map(math.isnan, means)) else min(means)


def skill_flag(condition: Condition, result: PairedResult, subject: Subject) -> str | None:
    """Return the flag about a classifier without skill, or None.

    Either one of the two is worse than it, or such a challenger would be within the margin.

    Parameters
    ----------
    condition : Condition
        The condition.
    result : PairedResult
        The result, with the values of both.
    subject : PairSubject or ItemSubject
        The predictions, of which the true classes are used; items have none.
    """
    if result.champion is None or not isinstance(subject, PairSubject):
        return None
    pair, pos_label = subject.pair, subject.pos_label
    value = value_without_skill(condition.scored, pair.predictions, pos_label)
    if pair.predictions.is_numeric:
        value = loss_of_a_constant(condition, subject)
    if value is None:
        return None
    values = result.champion, result.challenger
    if any(
        are_worse_than_no_skill(
            condition.scored, pair, values, result.greater_is_better, pos_label
        )
    ):
        return WORSE_THAN_NO_SKILL
    worse = result.champion - value if result.greater_is_better else value - result.champion
    within = condition.admits_worse and worse < condition.distance_at(result.champion)
    return ADMITS_NO_SKILL if within else None


def too_few_resamples(
    test: PreparedTest, sides: Sequence[MarginResult], alpha: float
) -> str:
    """Return the reason why the resamples are too few for a pass, or an empty string.

    A p-value from R resamples is at least about 1 / (R + 1). The interval at the level then
    excludes no more than that at any smaller one, which is nothing.
    """
    for side in sides:
        details, options = side.result.details, test.options
        if not {"resamples", "monte_carlo_error"} & set(details):
            continue
        if math.isnan(side.pvalue) or side.pvalue < alpha:
            continue
        at_level = side.result.confidence_interval(1 - alpha)
        if at_level == side.result.confidence_interval(1 - SMALLEST):
            n_resamples = details.get("resamples", options.get("n_resamples"))
            count = "so few" if n_resamples is None else f"{n_resamples:,.0f}"
            return (
                f"{count} resamples have no p-value below a level of {alpha:.2g}, so that "
                f"nothing can pass: request more than {math.ceil(1 / alpha):,} by "
                "n_resamples in the options of the condition, or for another test"
            )
    return ""


@dataclass(frozen=True, init=False, repr=False)
class Gate(Written):
    """Conditions that a challenger must be shown to meet before it replaces a champion.

    The gate passes if every condition is shown to hold, each by a test at level `alpha`. If
    one of them does not hold, it passes with a probability of at most `alpha`: a gate that
    passes wrongly has passed that condition wrongly, so no correction is needed
    (intersection-union test [1]_). If any of several conditions is sufficient, use
    :class:`AnyOf`, whose p-values are adjusted by Holm's method.

    Nothing else passes: an undefined p-value, an empty slice, too few records, or
    identical predictions.

    Parameters
    ----------
    *conditions : Superior, NonInferior, Equivalent or AnyOf
        Conditions that must be shown; at least one.
    alpha : float, default=0.05
        Level, below 1/2.
    min_records : int, optional
        Minimum number of records for every condition without its own number.
    min_discordant : int, optional
        Minimum number of discordant pairs, for tests that count them.
    tell_inconclusive : bool, default=False
        Whether the command line exits with code 3 instead of 1 if the gate is inconclusive.
    ignore_order : bool, default=False
        Whether a condition may pass by a test of independent records although the gains of
        neighbouring ones are correlated, as after sorting independent records. It is
        flagged "serially-correlated" in any case.

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

    conditions: tuple[Condition | AnyOf, ...]
    alpha: float = 0.05
    min_records: int | None = None
    min_discordant: int | None = None
    tell_inconclusive: bool = False
    ignore_order: bool = False

    def __init__(
        self,
        *conditions: Condition | AnyOf,
        alpha: float = 0.05,
        min_records: int | None = None,
        min_discordant: int | None = None,
        tell_inconclusive: bool = False,
        ignore_order: bool = False,
    ) -> None:
        kinds = "conditions: Superior, NonInferior, Equivalent or AnyOf"
        check_conditions(f"A gate needs {kinds}", conditions, (Condition, AnyOf), 1)
        alpha = check_alpha(alpha)
        if alpha >= 0.5:
            raise ValueError(
                f"`alpha` of a gate must be below 1/2. Got {alpha!r}. 0.05 is usual."
            )
        minima = {"min_records": min_records, "min_discordant": min_discordant}
        for name, value in minima.items():
            if value is not None:
                check_count(name, value)
        switches = {"tell_inconclusive": tell_inconclusive, "ignore_order": ignore_order}
        check_switches(**switches)
        settings = {"alpha": alpha, **minima, **switches}
        for name, setting in {"conditions": conditions, **settings}.items():
            object.__setattr__(self, name, setting)
        # Raises an error if the conditions are about several targets.
        target_of(self.leaves)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that define slices, without duplicates."""
        names = (name for leaf in self.leaves for name in leaf.where or ())
        return tuple(dict.fromkeys(names))

    @property
    def leaves(self) -> tuple[Condition, ...]:
        """Single conditions, including those within an `AnyOf`."""
        return tuple(
            leaf
            for condition in self.conditions
            for leaf in (
                condition.conditions if isinstance(condition, AnyOf) else (condition,)
            )
        )

    @property
    def target(self) -> str:
        """Target of the measures: "classes" or "numbers"."""
        return target_of(self.leaves)

    def at_level(self, alpha: float) -> Self:
        """Return a gate with the same conditions at another level.

        Parameters
        ----------
        alpha : float
            Level, below 1/2.

        Returns
        -------
        gate : Gate
            A new gate; this one is unchanged.

        Raises
        ------
        ValueError
            If `alpha` is not between 0 and 1/2.
        """
        settings = fields_set(self) | {"alpha": alpha}
        return type(self)(*settings.pop("conditions"), **settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as a dict of plain values, as in a policy file.

        Returns
        -------
        values : dict
            Keys as in a policy file; conditions are a list under the key "condition".
        """
        values = {"alpha": self.alpha, **fields_set(self)}
        conditions = values.pop("conditions")
        return values | {"condition": [condition.to_dict() for condition in conditions]}

    def decide(
        self,
        data: Any = None,
        predictions: Mapping[str, Any] | None = None,
        *,
        y_true: Any = None,
        id: str | None = None,
        groups: Any = None,
        time: Any = None,
        horizon: int = 1,
        labels: Any = None,
        pos_label: Any = None,
        columns: Mapping[str, Any] | None = None,
        train: Any = None,
        features: Sequence[str] = (),
        collect: int = COLLECTED,
        ledger: Any = None,
        blind: bool = False,
    ) -> GateDecision:
        """Evaluate the conditions by the predictions of two trained classifiers.

        Parameters
        ----------
        data, predictions, y_true, id, groups, time, horizon, labels, pos_label
            The hold-out set and the predictions for it, the champion's first, as for
            :func:`skcompare.compare`. Or `data` is a fitted
            :class:`~skcompare.PairedComparator`, alone, or the
            :class:`~skcompare.predictions.ItemScores` of systems that were scored item by
            item, which are evaluated by the measure "mean_score".
            True and predicted values are numbers if the measures of the conditions are of
            numbers, whatever their types.
        columns : mapping of str to array-like of shape (n_samples,), optional
            The columns that define slices, where `data` is not a frame or file that has
            them.
        train : frame, str or path-like, optional
            The records that a classifier was trained on. The evaluated records must not be
            among them, matched by the column `id`, or by equal values of `features`.
        features : sequence of str, default=()
            Columns by which training records without ids are recognised. Needs `train`.
        collect : int, default=10_000_000
            Largest number of records of a lazy frame or a Parquet file that are read into
            memory. More are counted in place, slice by slice, as by
            :func:`skcompare.compare`.
        ledger : Ledger, str or path-like, optional
            Counts the looks at these records and divides `alpha` among them; this look is
            tested at its share.
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
            If the input cannot be evaluated: columns that are missing, ids that do not
            match, labels that differ, records of the training data, or a measure that the
            predictions do not allow;
            a ledger that is broken, of other records, or that has no look left.
        OSError
            If the ledger cannot be written, or another process holds it.
        """
        start = perf_counter()
        checked_ledger = check_ledger(ledger, blind)
        order = time, check_horizon(horizon, time)
        inputs = Inputs(predictions, y_true, id, groups, labels, columns, train, *order)
        options = {"pos_label": pos_label, "collect": collect, "features": features}
        keep_ids = checked_ledger is not None
        subject = subject_of(data, inputs, self.leaves, keep_ids=keep_ids, **options)
        return judge_subject(self, subject, checked_ledger, blind, start=start)


WITHOUT_SKILL = (
    "one of the two agrees with the truth less often than by chance, so that its columns "
    "or classes may be wrong"
)


class Ready(NamedTuple):
    """Condition with its slice and its test, or with the reason why there is none."""

    condition: Condition
    subject: Subject
    n_records: int
    test: PreparedTest | None
    reason: str = ""


def ready_condition(condition: Condition, subject: Subject) -> Ready:
    """Make the slice and the test of a condition.

    Raises an error if the condition can never apply to this subject.
    """
    n_records = 0
    try:
        if condition.where is not None:
            subject = subject.part(condition.where)
        n_records = subject.n_records
        return Ready(condition, subject, n_records, subject.ready(condition))
    except Unsuited as error:
        return Ready(condition, subject, n_records, None, str(error))


def judge(
    gate: Gate,
    condition: Condition | AnyOf,
    tests: Iterator[Ready],
    planned: bool = True,
) -> Outcome:
    """Evaluate a condition, or several conditions of which any is enough.

    It takes the next one of the tests, or the next ones. With `planned` it has the number
    of records that would settle an open condition.

    The p-values of several are adjusted, and the reported limits have the level of
    Bonferroni's method, which holds for all of them together.
    """
    if not isinstance(condition, AnyOf):
        return _judge_one(gate, next(tests), gate.alpha, planned)
    share = gate.alpha / len(condition.conditions)
    parts = [_judge_one(gate, next(tests), share, planned) for _ in condition.conditions]
    raw = [math.nan if part.pvalue is None else part.pvalue for part in parts]
    adjusted = adjust_pvalues([1.0 if math.isnan(p) else p for p in raw], "holm")
    pairs = zip(parts, adjusted, strict=True)
    judged_parts = [_adjusted(part, float(p), gate.alpha) for part, p in pairs]
    outcome = any_of(condition, judged_parts)
    if outcome.status != INCONCLUSIVE:
        return outcome
    # One condition is enough, and is planned at the level of Bonferroni's method.
    needed = [part.records_needed for part in outcome.parts]
    counts = [count for count in needed if count is not None]
    return replace(outcome, records_needed=min(counts, default=None))


def _adjusted(part: Outcome, pvalue: float, alpha: float) -> Outcome:
    """Return an outcome with its adjusted p-value; a blocked outcome keeps its status."""
    if part.pvalue is None or math.isnan(part.pvalue):
        return part
    part = replace(part, adjusted_pvalue=pvalue)
    if part.status == INCONCLUSIVE and pvalue < alpha and not part.blocked:
        reason = f"adjusted p {pvalue_text(pvalue, alpha)} is below {alpha:g}"
        return replace(part, status=PASSED, reasons=(reason,), records_needed=None)
    return part


def _judge_one(gate: Gate, ready: Ready, alpha: float, planned: bool) -> Outcome:
    condition, test, reason = ready.condition, ready.test, ready.reason
    outcome = None
    if test is not None:
        try:
            outcome = _from_sides(ready, test, alpha, planned)
        except ValueError as error:
            reason = str(error)
    if outcome is None:
        reasons, n_records = (f"no evidence: {reason}",), ready.n_records
        return Outcome(condition, INCONCLUSIVE, reasons, level=alpha, n_records=n_records)
    outcome = _with_margin(outcome, condition, ready.subject)
    outcome = _with_order(gate, ready, outcome)
    return _with_minimum(gate, condition, outcome)


def _with_margin(outcome: Outcome, condition: Condition, subject: Subject) -> Outcome:
    """Flag or block an outcome if a classifier has no skill or the margin is too wide."""
    row = outcome.row
    if row is None or row.result is None:
        return outcome
    result = row.result
    if flag := skill_flag(condition, result, subject):
        outcome = replace(outcome, flags=(*outcome.flags, flag))
        if flag == WORSE_THAN_NO_SKILL and outcome.status != FAILED:
            outcome = _blocked(outcome, WITHOUT_SKILL, None)
    if reason := admits_everything(condition, result):
        return _blocked(outcome, reason, None)
    return outcome


def _with_order(gate: Gate, ready: Ready, outcome: Outcome) -> Outcome:
    """Flag or block an outcome if the gains of neighbouring records are alike.

    The test assumes that records are independent, so that its p-value is too small.
    """
    if not isinstance(ready.subject, PairSubject) or ready.test is None:
        return outcome
    correlation = correlation_of_records(ready.subject.pair, ready.test.evidence)
    if correlation is None or outcome.pvalue is None:
        return outcome
    outcome = replace(outcome, flags=(*outcome.flags, IN_ORDER))
    if gate.ignore_order or outcome.status == FAILED:
        return outcome
    reason = f"the gains of neighbouring records are correlated: {order_text(correlation)}"
    return _blocked(outcome, reason, None)


def _from_sides(ready: Ready, test: PreparedTest, alpha: float, planned: bool) -> Outcome:
    """Return the outcome of one-sided tests, all of which must reject."""
    condition = ready.condition
    tested = tested_sides(test, condition, alpha)
    sides = [side.result for side in tested]
    pvalue = max(side.pvalue for side in sides)
    if any(math.isnan(side.pvalue) for side in sides):
        pvalue = math.nan
    # Shown not to hold: beyond a boundary on the other side. Two tests share the level.
    share, opposite = alpha / len(sides), []
    if len(sides) == 1 or not pvalue < alpha:
        opposite = tested_sides(test, condition, share, opposite=True)
    limits = limits_of(test, tested, opposite, alpha)
    low, high = limits.low, limits.high
    row = test.row(limits.result, limits=(low, high), pvalue=pvalue)
    if math.isnan(pvalue):
        reason = next(side.reason for side in sides if side.reason)
        status = INCONCLUSIVE
    elif not pvalue < alpha and any(side.result.pvalue < share for side in opposite):
        status, reason = FAILED, opposite_text(test, opposite, limits, share)
    else:
        status = PASSED if pvalue < alpha else INCONCLUSIVE
        reason = limits_text(tested, limits, alpha)
    needed, reasons = None, [reason]
    if status == INCONCLUSIVE:
        decisive = decisive_record_text(test, condition, alpha)
        reasons += [] if decisive is None else [decisive]
    if status == INCONCLUSIVE and planned:
        if too_few := too_few_resamples(test, sides, alpha):
            reasons.insert(0, too_few)
        else:
            needed = records_needed(condition, test, sides, alpha)
            if too_few_to_plan(test, sides):
                reasons.append(TOO_FEW_TO_PLAN)
    return Outcome(
        condition,
        status,
        tuple(reasons),
        row=row,
        low=low,
        high=high,
        level=alpha,
        pvalue=pvalue,
        n_records=ready.n_records,
        n_discordant=_discordant(test),
        records_needed=needed,
        flags=row.flags,
        reduction=limits.reduction,
    )


def _discordant(test: PreparedTest) -> float | None:
    """Number of discordant pairs, or None if the test does not count them."""
    evidence = test.evidence
    if isinstance(evidence, JointCounts):
        evidence = evidence.contingency_table()
    return evidence.n_discordant if isinstance(evidence, ContingencyTable) else None


def _with_minimum(gate: Gate, condition: Condition, outcome: Outcome) -> Outcome:
    """Block an outcome if there are fewer records or discordant pairs than required."""
    least = condition.min_records or gate.min_records
    if least is not None and outcome.n_records < least:
        unit = "items" if condition.scored is None else "records"
        reason = f"{outcome.n_records:,} {unit}, and at least {least:,} are requested"
        return _blocked(outcome, reason, max(outcome.records_needed or 0.0, float(least)))
    n_discordant = outcome.n_discordant
    if n_discordant is None:
        if condition.min_discordant is None:
            return outcome
        reason = "discordant pairs are required, and this test counts none"
        return _blocked(outcome, reason, None)
    least = condition.min_discordant or gate.min_discordant
    if least is not None and n_discordant < least:
        needed = outcome.n_records * least / n_discordant if n_discordant else math.inf
        reason = f"{n_discordant:,g} discordant pairs, and at least {least:,} are requested"
        return _blocked(outcome, reason, max(outcome.records_needed or 0.0, needed))
    return outcome


def _blocked(outcome: Outcome, reason: str, needed: float | None) -> Outcome:
    return replace(
        outcome,
        status=INCONCLUSIVE,
        reasons=(reason, *outcome.reasons),
        records_needed=needed,
        blocked=True,
    )


def stops(subject: Subject) -> dict[str, str]:
    """Return the flags that keep any challenger from passing, with their explanations."""
    flags = ["same-predictions"] if subject.same_predictions else []
    return dict(zip(flags, explain(flags), strict=True))


def judged(
    gate: Gate,
    subject: Subject,
    tests: Iterable[Ready] | None = None,
    *,
    planned: bool = True,
) -> GateDecision:
    """Evaluate conditions; `planned` adds the records needed.

    `tests` are those of the leaves of the gate, by default made when they are judged, so
    that one slice at a time is in memory.
    """
    stopping = stops(subject)
    if tests is None:
        tests = (ready_condition(leaf, subject) for leaf in gate.leaves)
    remaining = iter(tests)
    outcomes = tuple(judge(gate, c, remaining, planned) for c in gate.conditions)
    return _decision(
        subject,
        status=INCONCLUSIVE if stopping else all_of(outcomes),
        outcomes=outcomes,
        alpha=gate.alpha,
        reasons=tuple(stopping.values()),
        flags=(*stopping, *subject.flags),
        fingerprint=subject.data.fingerprint,
    )


def _decision(subject: Subject, **values: Any) -> GateDecision:
    champion, challenger = subject.data.names
    return GateDecision(
        champion=champion,
        challenger=challenger,
        design=str(subject.data.design),
        n_records=subject.n_records,
        size=subject.size,
        versions=installed_versions(),
        **values,
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
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


def judge_subject(
    gate: Gate,
    subject: Subject,
    ledger: Any = None,
    blind: bool = False,
    *,
    start: float | None = None,
) -> GateDecision:
    """Evaluate the conditions of a gate on a subject, as a look if there is a ledger.

    With `start`, the time when it was begun, the decision has the seconds that it took.
    """
    checked_ledger = check_ledger(ledger, blind)
    if checked_ledger is None:
        decision = judged(gate, subject)
    else:
        # Warnings of NumPy can depend on the true labels.
        with warnings.catch_warnings(action="ignore") if blind else nullcontext():
            decision = _judge_as_look(gate, subject, checked_ledger, blind=blind)
    # So can the time.
    if blind or start is None:
        return decision
    return replace(decision, seconds=perf_counter() - start)


def _judge_as_look(
    gate: Gate, subject: Subject, ledger: Ledger, *, blind: bool
) -> GateDecision:
    """Evaluate a subject as one look, after the checks that must not spend it."""
    digests = digests_of(subject, gate.columns)
    holdout = digests.of_set(blind=blind)
    # Whether two systems have the same scores depends on true labels: not revealed.
    stopping = {} if blind and not isinstance(subject, PairSubject) else stops(subject)
    if stopping:
        # Nothing can pass, so nothing is spent, and no true label has a part in it.
        check_ledger_file(ledger, holdout, gate.alpha, blind=blind)
        if not blind:
            return judged(gate, subject)
        return _decision(
            subject,
            status=NOT_PASSED,
            outcomes=(),
            alpha=gate.alpha,
            reasons=tuple(stopping.values()),
            flags=tuple(stopping),
            blind=True,
        )
    # Errors of the configuration are raised here, before the look is spent.
    tests = [ready_condition(leaf, subject) for leaf in gate.leaves]
    looked_by = gate_digest(gate.to_dict()), digests.of_predictions(blind=blind)
    names = subject.data.names
    taken = take_look(ledger, holdout, gate.alpha, *looked_by, names, blind=blind)
    judge = _judged_blindly if blind else _judged_openly
    return judge(gate, subject, tests, taken)


def _judged_openly(
    gate: Gate, subject: Subject, tests: Sequence[Ready], taken: Taken
) -> GateDecision:
    decision = judged(gate.at_level(taken.look.level), subject, tests)
    before = finish_look(taken, decision.status)
    if decision.passed != (before == PASSED):
        # Two results of one look would be two chances; both must be a pass.
        reason = (
            f"look {taken.look.number} was evaluated before with the same predictions, as "
            f"{before}, and is now {decision.status}: other versions or resamples, and no "
            "pass"
        )
        reasons = (*decision.reasons, reason)
        decision = replace(decision, status=INCONCLUSIVE, reasons=reasons)
    return replace(decision, look=taken.summary(closed=False))


def _judged_blindly(
    gate: Gate, subject: Subject, tests: Sequence[Ready], taken: Taken
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
        before = finish_look(taken, result)
        status = PASSED if (before, result) == (PASSED, PASSED) else NOT_PASSED
    closed = status == PASSED or taken.state.passed is not None
    look = taken.summary(closed=closed)
    return _decision(
        subject, status=status, outcomes=(), alpha=level, look=look, blind=True
    )


def _blind_status(gate: Gate, subject: Subject, tests: Sequence[Ready]) -> str:
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
