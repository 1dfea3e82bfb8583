"""Conditions of a gate: superiority, non-inferiority and equivalence by a measure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar

from skcompare._analysis import PreparedTest
from skcompare._core.validation import check_count, check_switches, is_number
from skcompare._registry.metrics import (
    CLASSES,
    NUMBERS,
    loss_of,
    tested_instead,
    why_untestable,
)
from skcompare._registry.tests import PairedTestEntry, get_test, tests_for
from skcompare.comparators import MEAN_SCORE, item_tests
from skcompare.metrics import Measure, resolve_scoring
from skcompare.stats.margins import is_of_means, share_of
from skcompare.stats.planning import method_for
from skcompare.stats.scores import range_of


def bounds_of(measure: Measure | None) -> tuple[float, float]:
    """Return the least and the greatest value of a measure, infinite if unknown."""
    return range_of(None if measure is None else measure.metric)


EXACT = "mcnemar"
"""The test that has an exact method."""


def fields_set(instance: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults."""
    values = {}
    for attribute in fields(instance):
        value = getattr(instance, attribute.name)
        is_table = isinstance(value, Mapping)
        if value != attribute.default and (value or not is_table):
            values[attribute.name] = dict(value) if is_table else value
    return values


class Written:
    """Mixin whose `repr` shows only arguments that differ from their defaults."""

    def __repr__(self) -> str:
        values = fields_set(self)
        first = [values.pop("measure")] if "measure" in values else []
        parts = [repr(value) for value in (*first, *values.pop("conditions", ()))]
        parts += [f"{name}={value!r}" for name, value in values.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


def check_measure(measure: Measure) -> None:
    """Raise an error if a measure has no valid test, or is of each of several outputs."""
    if measure.is_of_each:
        raise ValueError(
            f"{measure.subject} is a measure of each output, and a condition is about one "
            "number. Name an output in brackets, in a condition for each."
        )
    instead = tested_instead(measure.metric)
    if instead:
        raise ValueError(
            f"{measure.subject} has no valid test, because "
            f"{why_untestable(measure.metric)}, and a gate needs one. Use {instead!r}."
        )
    if not _entries(measure):
        raise ValueError(
            f"No test of {measure.subject} is known, and a gate needs one. `skcompare "
            "list-tests` lists what is tested."
        )


def check_width(name: str, measure: Measure, margin: float) -> None:
    """Raise an error if a margin is not below the largest possible difference."""
    least, most = bounds_of(measure)
    width = most - least
    if margin >= width:
        raise ValueError(
            f"`margin` of {name}({measure.subject!r}) must be below {width:g}, the largest "
            f"difference that there can be. Got {margin!r}. With such a margin nothing "
            "could fail, or nothing pass."
        )


def check_relative(name: str, measure: str, scored: Measure | None) -> None:
    """Raise an error if a measure is not a mean loss, needed for a relative margin."""
    is_of_class = scored is not None and scored.label is not None and not scored.is_numeric
    if scored is None or is_of_class or loss_of(scored.metric) is None:
        instead = "a mean of losses, such as 'neg_mean_absolute_error'"
        if "root_mean_" in measure:
            # (1 + 0.02)² = 1 + 0.0404
            mean = measure.replace("root_mean_", "mean_")
            instead = f"{mean!r}, of which a margin of 4.04 % is one of 2 % of the root"
        raise ValueError(
            f"A relative margin is a share of the champion's mean loss, and {measure} is "
            f"not a mean of losses. Name the margin of {name} in units of the measure, or "
            f"choose {instead}."
        )


def check_exact(
    measure: Measure | None, test: str | None, options: Mapping[str, Any]
) -> None:
    """Raise an error if `exact` does not suit the measure, the test or its options."""
    if measure is not None and not get_test(EXACT).match(measure.metric):
        raise ValueError(
            f"`exact` is for accuracy. Got {measure.subject!r}, which has no exact test. "
            "Leave it out."
        )
    if test not in (None, EXACT) or "method" in options:
        got = f"test={test!r}" if test != EXACT else f"method={options['method']!r}"
        raise ValueError(f"`exact` chooses the method of {EXACT}. Got {got} as well.")


def _entries(measure: Measure | None) -> list[PairedTestEntry]:
    entries = item_tests() if measure is None else tests_for(measure.metric)
    return [
        entry
        for entry in entries
        if entry.kind == "difference" and "alternative" in entry.options
    ]


def tests_of(measure: Measure | None) -> str:
    """Format the names of the tests of a measure for messages."""
    return ", ".join(entry.name for entry in _entries(measure))


def checked_where(where: Any) -> Mapping[str, Any] | None:
    """Check the definition of a slice, and return a read-only copy."""
    if where is None:
        return None
    if not isinstance(where, Mapping) or not where:
        raise ValueError(
            f"`where` must be a dict of columns and values, such as {{'country': 'DE'}}. "
            f"Got {where!r}."
        )
    for name, value in where.items():
        values = value if isinstance(value, list | tuple) else [value]
        plain = all(isinstance(v, str | bool | int | float) for v in values)
        if not isinstance(name, str) or not plain or not values:
            raise ValueError(
                f"`where` must name columns and the value, or a list of values, that "
                f"records must have. Got {name!r}: {value!r}."
            )
    return MappingProxyType(
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in where.items()
        }
    )


def where_text(where: Mapping[str, Any] | None) -> str:
    if not where:
        return ""
    parts = [
        f"{name} in {', '.join(map(str, value))}"
        if isinstance(value, list)
        else f"{name} = {value}"
        for name, value in where.items()
    ]
    return f", where {' and '.join(parts)}"


def target_of(conditions: Iterable["Condition"]) -> str:
    """Return the target of the measures of conditions: "classes" or "numbers".

    Items that come scored have no target, and go with classes.
    """
    measures = [c.scored for c in conditions if c.scored is not None]
    numeric = [measure.subject for measure in measures if measure.is_numeric]
    others = [measure.subject for measure in measures if not measure.is_numeric]
    if numeric and others:
        raise ValueError(
            f"All conditions of a gate must be about one target. Got {numeric[0]!r}, of "
            f"predicted numbers, with {others[0]!r}, of classes. Use two gates."
        )
    return NUMBERS if numeric else CLASSES


def check_conditions(
    needed: str, conditions: tuple[Any, ...], kinds: tuple[type, ...], least: int
) -> None:
    """Raise an error if conditions are too few, of another type, or repeated."""
    unsuitable = [c for c in conditions if not isinstance(c, kinds)]
    if len(conditions) < least or unsuitable:
        types = [type(c).__name__ for c in unsuitable or conditions]
        raise ValueError(f"{needed}. Got {', '.join(types) or 'no condition'}.")
    dicts = [condition.to_dict() for condition in conditions]
    repeated = next((d for k, d in enumerate(dicts) if d in dicts[:k]), None)
    if repeated is not None:
        raise ValueError(f"Each condition must occur once. Got {repeated!r} twice.")


SET_BY_CONDITION = {"alternative", "null_value"}
"""Options of tests that the condition sets."""

ANYTIME = {"accuracy": "anytime_mcnemar"}
ANYTIME_LOSSES = "anytime_losses"


@dataclass(frozen=True, repr=False)
class Condition(Written):
    """Base class for conditions on the difference of a measure between two classifiers.

    Differences are challenger minus champion on a greater-is-better scale, so that a
    margin is a distance whatever the measure.
    """

    measure: str
    margin: float | str
    where: Mapping[str, Any] | None = field(default=None, kw_only=True, hash=False)
    test: str | None = field(default=None, kw_only=True)
    options: Mapping[str, Any] = field(default_factory=dict, kw_only=True, hash=False)
    exact: bool = field(default=False, kw_only=True)
    anytime: bool = field(default=False, kw_only=True)
    min_records: int | None = field(default=None, kw_only=True)
    min_discordant: int | None = field(default=None, kw_only=True)

    name: ClassVar[str]
    """Name of the kind of condition in policies."""

    verb: ClassVar[str]
    """Verb of the claim."""

    _sides: ClassVar[tuple[tuple[int, str], ...]]
    """Sign of the margin and alternative of each one-sided test."""

    def __post_init__(self) -> None:
        if not isinstance(self.measure, str):
            raise TypeError(
                f"The measure of a condition must be a name. Got "
                f"{type(self.measure).__name__}. Pass 'accuracy', 'precision[spam]' or "
                "another name of `skcompare list-metrics`."
            )
        check_switches(exact=self.exact, anytime=self.anytime)
        self._check_margin()
        for name in ("min_records", "min_discordant"):
            value = getattr(self, name)
            if value is not None:
                check_count(name, value)
        # Deeply frozen, so that the checked values are those that are judged.
        object.__setattr__(self, "where", checked_where(self.where))
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))
        self._check_test()

    @property
    def share(self) -> float | None:
        """Relative margin as a share of the champion's loss, or None if it is absolute."""
        return share_of(self.margin) if isinstance(self.margin, str) else None

    @property
    def boundaries(self) -> tuple[tuple[float, str], ...]:
        """Null value and alternative of each one-sided test that must reject.

        With a relative margin the null value is that of the reduction of the loss, as a
        share of the champion's.
        """
        margin = float(self.margin) if self.share is None else self.share
        return tuple((sign * margin, side) for sign, side in self._sides)

    @property
    def admits_worse(self) -> bool:
        """Whether a challenger that is worse by less than the margin may pass."""
        return self._sides[0][0] < 0

    def distance_at(self, champion: float) -> float:
        """Return the margin in units of the measure, beside the champion's value."""
        return float(self.margin) if self.share is None else self.share * abs(champion)

    @property
    def margin_text(self) -> str:
        """Margin as text."""
        return self.margin if isinstance(self.margin, str) else f"{self.margin:g}"

    @property
    def claim(self) -> str:
        """Claim to be shown, as text."""
        return f"{self.measure} {self.verb} by less than {self.margin_text}"

    @cached_property
    def scored(self) -> Measure | None:
        """Measure of the condition, or None for items that are already scored."""
        if self.measure == MEAN_SCORE:
            return None
        (measure,) = resolve_scoring(self.measure)
        return measure

    @property
    def text(self) -> str:
        """Text of the condition, with its slice."""
        return self.claim + where_text(self.where)

    @property
    def test_name(self) -> str | None:
        """Name of the requested test, or None for the default test of the design."""
        if self.test is not None or not self.anytime:
            return self.test
        metric = None if self.scored is None else self.scored.metric
        return ANYTIME.get(str(metric), ANYTIME_LOSSES)

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as a dict of plain values, as in a policy file."""
        values = fields_set(self)
        return {self.name: values.pop("measure"), **values}

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a mapping proxy cannot be pickled, but its dict can.
        return partial(type(self), **fields_set(self)), ()

    def _check_margin(self) -> None:
        if isinstance(self.margin, str):
            share = share_of(self.margin)
            if share is None:
                raise ValueError(
                    f"`margin` of {self.name}({self.measure!r}) must be a number in units "
                    "of the measure, or a share of the champion's loss, of more than 0 % "
                    f"and less than 100 %, such as '2 %'. Got {self.margin!r:.60}."
                )
            # One way of writing it, so that equal policies have equal digests.
            object.__setattr__(self, "margin", f"{100 * share:.12g} %")
            return
        if not is_number(self.margin) or not 0 < self.margin < math.inf:
            raise ValueError(
                f"`margin` of {self.name}({self.measure!r}) must be a number greater than "
                f"0. Got {self.margin!r} instead. A margin is a distance in the units of "
                "the measure; its direction comes from the condition."
            )

    def _check_test(self) -> None:
        """Check that measure, test and options are compatible."""
        if self.test is not None and self.anytime:
            raise ValueError(
                f"`anytime` chooses the test. Got test={self.test!r} as well. Pass one of "
                "them."
            )
        measure = self.scored
        if measure is not None:
            check_measure(measure)
        if self.share is not None:
            check_relative(self.name, self.measure, measure)
        elif measure is not None:
            check_width(self.name, measure, float(self.margin))
        if self.exact:
            check_exact(measure, self.test, self.options)
        allowed: tuple[str, ...] = ()
        name = self.test_name
        if name is not None:
            entry = get_test(name)
            if entry.kind != "difference" or "alternative" not in entry.options:
                raise ValueError(
                    f"A condition is about a difference with a direction. Got "
                    f"test={name!r}, a test of kind {entry.kind!r}. Choose among "
                    f"{tests_of(measure)}."
                )
            if measure is not None and not entry.match(measure.metric):
                raise ValueError(
                    f"{name} is not a test of {measure.subject}. Choose among "
                    f"{tests_of(measure)}."
                )
            if self.share is not None and not is_of_means(entry):
                raise ValueError(
                    f"A relative margin is of mean losses, and {name} tests no reduction "
                    "of them. Leave `test` and `anytime` out, or name the margin in units "
                    "of the measure."
                )
            allowed = (*entry.options, *entry.evidence_options)
        unknown = [o for o in self.options if o in SET_BY_CONDITION or o not in allowed]
        loss = None if measure is None else loss_of(measure.metric)
        if loss is not None and self.options.get("loss", loss.name) != loss.name:
            raise ValueError(
                f"{self.measure} is the mean of the loss {loss.name!r}. Got "
                f"loss={self.options['loss']!r}. Name the mean of that loss as the measure."
            )
        if unknown:
            reason = "needs `test`" if name is None else f"is not an option of {name}"
            advice = "Name a test and its options, or leave them out."
            if unknown[0] in SET_BY_CONDITION:
                reason, advice = "follows from the condition", "Leave it out."
            raise ValueError(
                f"Option {unknown[0]!r} of {self.name}({self.measure!r}) {reason}. {advice}"
            )


MANY_RECORDS, LEFT_TO_THE_TEST, RESAMPLES = 1_000, 50_000, 1_999
"""Between the first two numbers of records a bootstrap takes the third as its number of
resamples, in a second or two; of more records, the test itself takes fewer."""


def with_options(test: PreparedTest, condition: Condition) -> PreparedTest:
    """Set the options of a test that the condition leaves open.

    Accuracies are compared by mid-p where there is no margin, which from 100 records on
    passes with a probability of at most 0.059 at a level of 0.05; with fewer records, at a
    margin, and where an exact test is requested, by the unconditional exact test. That one
    takes up to 5,000 records here: with more, Tango's score is accurate enough at a margin
    that is not small, and the exact test given the discordant pairs is used elsewhere.
    """
    name, evidence = test.entry.name, test.evidence
    if name == "bootstrap_difference" and "n_resamples" not in condition.options:
        if MANY_RECORDS < evidence.n <= LEFT_TO_THE_TEST:
            test.options["n_resamples"] = RESAMPLES
    elif name == "mcnemar" and "method" not in condition.options:
        test.options["method"] = (
            "corrected"
            if evidence.fractional
            else method_for(evidence.n, float(condition.margin), condition.exact)
        )
    return test


@dataclass(frozen=True, repr=False)
class Superior(Condition):
    """Condition that the challenger is better, optionally by more than a margin.

    The null hypothesis is that the difference is at most `margin`.

    Parameters
    ----------
    measure : str
        Measure to compare: a name of :func:`skcompare.compare`'s `scoring`, of one class in
        brackets, such as "precision[malignant]".
    margin : float or str, default=0.0
        The challenger must be better by more than this, in units of the measure; or by
        more than a share of the champion's mean loss, such as "2 %".
    where : mapping of str to object, optional
        The slice: columns and the value, or the list of values, that records must have.
    test : str, optional
        Name of the test; by default the design's default test of the measure.
    options : mapping of str to object, optional
        Options of `test`.
    exact : bool, default=False
        Whether the test must keep its level exactly, whatever the number of records; for
        accuracy.
    anytime : bool, default=False
        Whether the test stays valid under any number of interim analyses of growing data.
    min_records, min_discordant : int, optional
        With fewer records, or fewer that exactly one classifier predicts correctly, the
        condition is inconclusive.

    Notes
    -----
    Accuracies of fewer than 100 records, at a margin, or with `exact`, are compared by an
    exact test: it passes wrongly with a probability of at most the level, whatever the
    number of records. The other tests are asymptotic, with an error rate of at most 0.06 at
    a level of 0.05: mid-p for 100 records or more without margin, and Tango's score for
    more than 5,000 at a margin of 100 records or more. A mean difference of losses (30
    records or more), of AUCs (20 of each class), of scores of labels (15 with different
    predictions, and 20 of each class if classes have equal weight), of calibration errors
    (100 records) and of groups (20, or fewer of even size) is tested with an allowance for
    skewness, because without it the tests pass twice as often as they should if errors are
    rare; with fewer the condition is inconclusive. For rankings and losses with a bound,
    the tests also allow for rare errors that no record shows: a margin below 3 / n cannot
    be shown for equal classifiers with n records, for rankings n records of the rarer
    class. The error rates are in :ref:`gate_error_rates`.

    Examples
    --------
    >>> from skcompare.gate import Superior
    >>> Superior("accuracy").text
    'accuracy is better'
    >>> Superior("roc_auc", margin=0.01, where={"country": "DE"}).text
    'roc_auc is better by more than 0.01, where country = DE'
    """

    margin: float | str = 0.0
    name: ClassVar[str] = "superior"
    _sides = ((1, "greater"),)

    @property
    def claim(self) -> str:
        """Claim to be shown, as text."""
        by = f" by more than {self.margin_text}" if self.margin else ""
        return f"{self.measure} is better{by}"

    def _check_margin(self) -> None:
        if self.margin != 0:
            super()._check_margin()


@dataclass(frozen=True, repr=False)
class NonInferior(Condition):
    """Condition that the challenger is worse by less than a margin, if at all.

    The null hypothesis is that the challenger is worse by `margin` or more.

    Parameters
    ----------
    measure : str
        Measure to compare, as for :class:`Superior`.
    margin : float or str
        The largest loss that does not matter, fixed before the data are seen: in units of
        the measure, or as a share of the champion's mean loss, such as "2 %".
    where, test, options, exact, anytime, min_records, min_discordant
        As for :class:`Superior`.

    Notes
    -----
    Accuracies of up to 5,000 records are compared by an exact test, of more by Tango's
    score where the margin is 100 records or more, and else by the exact test given the
    discordant pairs; other measures as by :class:`Superior`. Exact tests pass wrongly with
    a probability of at most the level, and the others with at most 0.06 at a level of 0.05
    (:ref:`gate_error_rates`).

    A margin as wide as the measure's range is an error. A margin that no challenger could
    exceed, because the champion is poor, is inconclusive, and one that a challenger without
    skill would meet is flagged "margin-admits-no-skill".

    With a margin of 2 %, the condition is that the mean of 1.02 times the champion's loss
    minus the challenger's is above 0. It is tested like any mean loss, and reported as the
    relative reduction of the loss with Fieller's limits, widened by the allowances.

    Examples
    --------
    >>> from skcompare.gate import NonInferior
    >>> NonInferior("precision[malignant]", margin=0.02).text
    'precision[malignant] is worse by less than 0.02'
    >>> NonInferior("neg_mean_absolute_error", margin="2 %").text
    'neg_mean_absolute_error is worse by less than 2 %'
    """

    name: ClassVar[str] = "noninferior"
    verb: ClassVar[str] = "is worse"
    _sides = ((-1, "greater"),)


@dataclass(frozen=True, repr=False)
class Equivalent(Condition):
    """Condition that the classifiers differ by less than a margin in either direction.

    The null hypothesis is that they differ by `margin` or more; two one-sided tests must
    reject it, each at the level of the gate.

    Parameters
    ----------
    measure : str
        Measure to compare, as for :class:`Superior`.
    margin : float or str
        The largest difference that does not matter, fixed before the data are seen: in
        units of the measure, or as a share of the champion's mean loss, such as "2 %".
    where, test, options, exact, anytime, min_records, min_discordant
        As for :class:`Superior`.

    Notes
    -----
    Accuracies of up to 5,000 records are compared by an exact test, of more by Tango's
    score where the margin is 100 records or more, and else by the exact test given the
    discordant pairs; other measures as by :class:`Superior`. Exact tests pass wrongly with
    a probability of at most the level, and the others with at most 0.06 at a level of 0.05
    (:ref:`gate_error_rates`).

    A margin as wide as the measure's range is an error. A margin that no challenger could
    exceed, because the champion is poor, is inconclusive, and one that a challenger without
    skill would meet is flagged "margin-admits-no-skill".

    Examples
    --------
    >>> from skcompare.gate import Equivalent
    >>> Equivalent("roc_auc", margin=0.01).text
    'roc_auc differs by less than 0.01'
    """

    name: ClassVar[str] = "equivalent"
    verb: ClassVar[str] = "differs"
    _sides = ((-1, "greater"), (1, "less"))


@dataclass(frozen=True, init=False, repr=False)
class AnyOf(Written):
    """Condition that at least one of several conditions holds.

    Their p-values are adjusted by Holm's method, because several conditions are several
    chances to pass by luck.

    Parameters
    ----------
    *conditions : Condition
        Two or more.

    Examples
    --------
    >>> from skcompare.gate import AnyOf, Superior
    >>> AnyOf(Superior("accuracy"), Superior("roc_auc")).text
    'accuracy is better, or roc_auc is better'
    """

    conditions: tuple[Condition, ...]
    name: ClassVar[str] = "any_of"

    def __init__(self, *conditions: Condition) -> None:
        needed = "AnyOf needs two or more of Superior, NonInferior and Equivalent"
        check_conditions(needed, conditions, (Condition,), 2)
        object.__setattr__(self, "conditions", tuple(conditions))

    @property
    def text(self) -> str:
        """Text of the conditions."""
        return ", or ".join(condition.text for condition in self.conditions)

    def to_dict(self) -> dict[str, Any]:
        """Return the conditions as a dict of plain values, as in a policy file."""
        return {self.name: [condition.to_dict() for condition in self.conditions]}


KINDS: dict[str, type[Condition]] = {
    kind.name: kind for kind in (Superior, NonInferior, Equivalent)
}
"""Kinds of conditions by their names in policies."""


def condition_of(values: Mapping[str, Any]) -> Condition | AnyOf:
    """Create a condition from the output of its `to_dict`."""
    if AnyOf.name in values:
        return AnyOf(*map(_single, values[AnyOf.name]))
    return _single(values)


def _single(values: Mapping[str, Any]) -> Condition:
    options = dict(values)
    (kind,) = (kind for name, kind in KINDS.items() if name in values)
    return kind(options.pop(kind.name), **options)
