"""Keys and sums of a plan, made of the columns of truth and answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from skcompare.evidence._record_losses import EPS
from skcompare.evidence._tally import TallyPlan
from skcompare.evidence._tally_columns import (
    best_class,
    bin_code,
    largest,
    sums_of_forecasts,
    sums_of_losses,
)

ROLES = (0, 1)


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of one classifier's answers: columns of arrays or of an engine.

    Attributes
    ----------
    label : column or None
        Positions of the predicted classes; without them the likeliest ones are.
    proba : sequence of columns or None
        Probabilities, a column a class.
    score : column or None
        What is ranked, where it is no probability.
    """

    label: Any = None
    proba: Sequence[Any] | None = None
    score: Any = None


@dataclass(frozen=True, slots=True)
class Derived:
    """Keys and sums of each record.

    Attributes
    ----------
    digits : dict of str to tuple of (column, int)
        Whole numbers from 0, with how many there are.
    raw : dict of str to column
        Other keys: scores as they are.
    sums : dict of str to column
        What is added up.
    """

    digits: dict[str, tuple[Any, int]]
    raw: dict[str, Any]
    sums: dict[str, Any]

    @property
    def sizes(self) -> dict[str, int]:
        """How many of each digit there are."""
        return {name: size for name, (_, size) in self.digits.items()}


class LevelOperations:
    """The operations for levels, which stay numbers in floating point, too."""

    def __init__(self, ops: Any) -> None:
        self.floor: Callable[[Any], Any] = ops.floor
        self.where: Callable[[Any, Any, Any], Any] = ops.where
        self.whole: Callable[[Any], Any] = _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def derived(ops: Any, plan: TallyPlan, y: Any, answers: Sequence[Given]) -> Derived:
    """The keys and sums of a plan.

    Parameters
    ----------
    ops : operations
        See :mod:`skcompare.evidence._tally_columns`.
    plan : TallyPlan
        What is counted.
    y : column of whole numbers
        Positions of the true classes.
    answers : pair of Given
        Those of champion and challenger.
    """
    k = len(plan.classes)
    digits: dict[str, tuple[Any, int]] = {"y": (y, k)}
    raw: dict[str, Any] = {}
    sums: dict[str, Any] = {}
    best = [_best(ops, plan, one) for one in answers]
    if plan.labels:
        labels = [
            own if one.label is None else one.label
            for own, one in zip(best, answers, strict=True)
        ]
        digits |= {f"label_{role}": (labels[role], k) for role in ROLES}
    for name in plan.losses:
        probas = [one.proba or () for one in answers]
        sums |= sums_of_losses(ops, name, y, probas, EPS if plan.eps is None else plan.eps)
    if plan.kind is not None:
        _add_calibration(ops, plan, y, answers, best, digits, sums)
    if plan.levels is not None:
        for role, (one, levels) in enumerate(zip(answers, plan.levels, strict=True)):
            score = one.score if one.proba is None else one.proba[plan.ranked]
            if levels.n_levels is None:
                raw[f"level_{role}"] = score
            else:
                digits[f"level_{role}"] = (
                    levels.codes(score, LevelOperations(ops)),
                    levels.n_levels,
                )
    return Derived(digits, raw, sums)


def _best(ops: Any, plan: TallyPlan, one: Given) -> Any:
    """Positions of the likeliest classes, where anything asks for them."""
    asked = plan.kind == "top_label" or (plan.labels and one.label is None)
    if one.proba is None or not asked:
        return None
    return ops.let(best_class(ops, one.proba))[0]


def _add_calibration(
    ops: Any,
    plan: TallyPlan,
    y: Any,
    answers: Sequence[Given],
    best: Sequence[Any],
    digits: dict[str, tuple[Any, int]],
    sums: dict[str, Any],
) -> None:
    """Bins and events of both, and sums of their probabilities."""
    probas = [one.proba or () for one in answers]
    if plan.kind == "binary":
        forecasts = [proba[plan.positive] for proba in probas]
        events = list(ops.let(ops.flag(y == plan.positive))) * 2
    else:
        forecasts = list(ops.let(*(largest(ops, proba) for proba in probas)))
        events = list(ops.let(*(ops.flag(one == y) for one in best)))
        # Of the binary events the true class tells all.
        digits |= {f"event_{role}": (events[role], 2) for role in ROLES}
    for role, edges in enumerate(plan.edges or ()):
        code = bin_code(ops, forecasts[role], edges)
        digits[f"bin_{role}"] = (code, len(edges) - 1)
    found = sums_of_forecasts(ops, (forecasts[0], forecasts[1]), (events[0], events[1]))
    sums |= {f"calibration.{name}": value for name, value in found.items()}


def parts_of(plan: TallyPlan, made: Derived) -> list[Derived]:
    """What is counted by levels, and what is added up, apart from each other.

    Levels make many cells and sums make wide ones. Two tables, a long and a wide one, take
    an engine half the time of one that is both, and less memory.
    """
    levels = {name for name in made.digits if name.startswith("level_")} | set(made.raw)
    if plan.one_scan or not levels or not made.sums:
        return [made]
    apart = {name for name in made.digits if name.startswith(("bin_", "event_"))}
    long = {name: value for name, value in made.digits.items() if name not in apart}
    hidden = levels | {"label_0", "label_1"}
    wide = {name: value for name, value in made.digits.items() if name not in hidden}
    return [Derived(long, made.raw, {}), Derived(wide, {}, made.sums)]
