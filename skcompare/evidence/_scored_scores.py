"""What can be scored: means of values a record, and functions that are called in a loop."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skcompare._typing import FloatArray, IntArray

Bounds = tuple[float, float]
Outcome = tuple[float, str]
"""A score, or NaN and why it is undefined."""


class PreparedScore(Protocol):
    """A score of some records as a function of their weights."""

    def values(self, weights: IntArray) -> FloatArray:
        """The score for each row of weights; NaN where it is undefined."""

    def slopes(self, weights: IntArray) -> FloatArray | None:
        """Derivatives by each weight, a row of weights; None where it has none."""


class PairScore(Protocol):
    """A score of one classifier's answers."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def bounds(self) -> Bounds:
        """The least and the greatest value."""

    @property
    def looped(self) -> bool:
        """Whether it is found for one weighting after the other, which takes long."""

    @property
    def studentised(self) -> bool:
        """Whether its error changes with an exchange of answers, and is known."""

    def on_one_scale(self, answers: np.ndarray) -> np.ndarray:
        """Answers such that those of two classifiers can stand for each other."""

    def prepared(self, y: IntArray, answers: np.ndarray, rows: IntArray) -> PreparedScore:
        """The score of these records, as a function of their weights."""


@dataclass(frozen=True, slots=True)
class RecordMean:
    """Mean of a value a record, such as 1 for a right answer or a loss.

    .. versionadded:: 0.1
    """

    name: str = "accuracy"
    bounds: Bounds = (0.0, 1.0)

    looped: ClassVar[bool] = False
    studentised: ClassVar[bool] = False

    def on_one_scale(self, answers: FloatArray) -> FloatArray:
        """The values as they are."""
        return answers

    def prepared(self, y: IntArray, answers: FloatArray, rows: IntArray) -> "_Mean":
        """The score of these records, as a function of their weights."""
        return _Mean(answers)


@dataclass(frozen=True, slots=True)
class _Mean:
    records: FloatArray

    def values(self, weights: IntArray) -> FloatArray:
        """The weighted mean a row."""
        return np.einsum("ij,j->i", weights, self.records) / weights.sum(axis=1)

    def slopes(self, weights: IntArray) -> FloatArray:
        """Derivatives of the mean by each weight."""
        total = weights.sum(axis=1, keepdims=True)
        return (self.records - self.values(weights)[:, np.newaxis]) / total


@dataclass(frozen=True)
class LoopedScore:
    """A score that is found for one weighting after the other, from repeated records."""

    name: str
    bounds: Bounds = (-np.inf, np.inf)

    looped: ClassVar[bool] = True
    studentised: ClassVar[bool] = False

    def outcome(self, y: IntArray, answers: np.ndarray, rows: IntArray) -> Outcome:
        """The score of some records; where it is undefined NaN, and why."""
        raise NotImplementedError

    def on_one_scale(self, answers: np.ndarray) -> np.ndarray:
        """The answers as they are, because nobody knows what they are for."""
        return answers

    def prepared(self, y: IntArray, answers: np.ndarray, rows: IntArray) -> "_Loop":
        """The score of these records, as a function of their weights."""
        # As they came: of equal scores a function may take those that come first.
        order = np.argsort(rows, kind="stable")
        return _Loop(self, y[order], answers[order], rows[order], order)


@dataclass(frozen=True, slots=True)
class _Loop:
    score: LoopedScore
    y: IntArray
    answers: np.ndarray
    rows: IntArray
    order: IntArray

    def values(self, weights: IntArray) -> FloatArray:
        """The score of the records repeated as often as each row of weights says."""
        return np.array([self._value(one) for one in weights], dtype=np.float64)

    def _value(self, weights: IntArray) -> float:
        taken = np.repeat(np.arange(len(weights)), weights.take(self.order))
        if not len(taken):
            return float("nan")
        return self.score.outcome(self.y[taken], self.answers[taken], self.rows[taken])[0]

    def why_undefined(self) -> str:
        """What the score says of the records as they are."""
        return self.score.outcome(self.y, self.answers, self.rows)[1]

    def slopes(self, weights: IntArray) -> None:
        """None: nobody knows them."""
        return


@dataclass(frozen=True)
class FunctionScore(LoopedScore):
    """A user's own `function(y_true, answers)` as a score.

    .. versionadded:: 0.1
    """

    function: Callable[..., Any] = max
    classes: np.ndarray | None = None

    def outcome(self, y: IntArray, answers: np.ndarray, rows: IntArray) -> Outcome:
        """The score of some records; where it is undefined NaN, and why."""
        truth = y if self.classes is None else self.classes[y]
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                value = number_of(self.name, self.function(truth, answers))
            except ValueError as error:
                return float("nan"), str(error)
        # scikit-learn warns and returns 0 for what is 0 / 0.
        for warning in caught:
            if issubclass(warning.category, UndefinedMetricWarning):
                return float("nan"), str(warning.message)
        return value, ""


def number_of(name: str, value: Any) -> float:
    """A score as a number; an array of one is one, as in scikit-learn."""
    if hasattr(value, "item"):
        with suppress(ValueError):
            value = value.item()
    if isinstance(value, Real):
        return float(value)
    raise TypeError(
        f"scoring {name!r} must give one number. Got {type(value).__name__}. Pass a dict "
        "of scorers for several."
    )
