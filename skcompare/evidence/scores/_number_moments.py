"""Means and products of the numbers that two models predict, with those of the target."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import check_count, check_numbers, check_same_length
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence.core._storage import Mergeable
from skcompare.predictions import VALUES, PairedPredictions

NOISE = 1e-13
"""A standard deviation up to this share of the size of the numbers is rounding error."""

VANISHED = 1e-150
"""Smaller deviations count as 0: their squares underflow."""

EXCHANGED = np.array([1, 0, 2, 3])
SIGNS = np.array([1.0, 1.0, -1.0, 1.0])
"""Columns of champion, challenger, their difference and the target with exchanged roles."""


def _as_moments(name: str, values: Any) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(
            f"`{name}` must be finite. Got {array.tolist()}. Divide all numbers by one "
            "number, if they are too large for their squares."
        )
    return array


def _swapped(moments: FloatArray) -> FloatArray:
    for axis in range(moments.ndim):
        columns = EXCHANGED[: len(moments)]
        signs = SIGNS[: len(moments)].reshape(-1, *[1] * (moments.ndim - 1 - axis))
        moments = moments.take(columns, axis=axis) * signs
    return moments + 0.0


def _moments_of(columns: list[FloatArray]) -> tuple[int, FloatArray, FloatArray]:
    """Number of records, means, and products of the deviations from the means."""
    rows = np.stack(columns)
    n = rows.shape[1]
    if not n:
        raise ValueError("Moments need at least one record. Got none.")
    with np.errstate(over="ignore", invalid="ignore"):
        means = rows.mean(axis=1)
        rows -= means[:, np.newaxis]
        # The mean of large numbers is rounded; that of their deviations corrects it.
        rest = rows.mean(axis=1)
        rows -= rest[:, np.newaxis]
        # Equal numbers have no deviations, whatever their mean was rounded to.
        constant = (rows == rows[:, :1]).all(axis=1)
        rows[constant] = 0.0
        return n, means + rest, rows @ rows.T


@dataclass(frozen=True, slots=True, eq=False)
class NumberMoments(Mergeable):
    """Base class of moments of two predictions and of their difference.

    The difference has moments of its own, because those computed from two nearly equal
    predictions would have no correct digits.
    """

    n: int = field(metadata={"check": check_count})
    means: FloatArray = field(
        metadata=array_of(_as_moments, "n_columns") | {"swap": _swapped}
    )
    products: FloatArray = field(
        metadata=array_of(_as_moments, "n_columns", "n_columns") | {"swap": _swapped}
    )
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({VALUES})
    n_columns: ClassVar[int]

    def _check_together(self) -> None:
        if len(self.means) != self.n_columns:
            raise ValueError(
                f"`means` of {type(self).__name__} must have shape ({self.n_columns},). "
                f"Got {self.means.shape}."
            )

    @property
    def deviation(self) -> float:
        """Standard deviation of the differences; 0 if within rounding error."""
        size = math.hypot(*self.sizes)
        return _deviation(float(self.products[2, 2]), self.n - 1, size)

    @property
    def sizes(self) -> tuple[float, ...]:
        """Root mean square of each column."""
        deviations = np.sqrt(np.diag(self.products) / self.n)
        return tuple(np.hypot(self.means, deviations).tolist())

    @property
    def are_constant(self) -> tuple[bool, ...]:
        """Whether the numbers of each column do not vary."""
        squares = np.diag(self.products).tolist()
        return tuple(
            _deviation(square, self.n, size) == 0
            for square, size in zip(squares, self.sizes)
        )

    @property
    def of_means(self) -> tuple[float, float]:
        """Squares of the mean of both predictions, and its products with the difference.

        As sums over the records, of deviations from the means.
        """
        s = self.products.tolist()
        return (s[0][0] + s[1][1] + 2 * s[0][1]) / 4, (s[0][2] + s[1][2]) / 2

    def _merged(self, other: Self) -> Self:
        """Moments of the records of both (Chan, Golub and LeVeque 1983)."""
        n = self.n + other.n
        step = other.means - self.means
        between = self.n * (other.n / n) * np.outer(step, step)
        return replace(
            self,
            n=n,
            means=self.means + other.n / n * step,
            products=self.products + other.products + between,
        )


def _deviation(squares: float, divisor: int, size: float) -> float:
    """Standard deviation of a sum of squares; 0 if within rounding error of a size."""
    deviation = math.sqrt(max(0.0, squares) / divisor) if divisor > 0 else 0.0
    return deviation if deviation > max(NOISE * size, VANISHED) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class AgreementMoments(NumberMoments):
    """Moments of two predictions of numbers, for their agreement without the truth.

    Parameters
    ----------
    n : int
        Number of records.
    means : array-like of shape (3,)
        Of the champion's predictions, of the challenger's, and of their difference,
        challenger minus champion.
    products : array-like of shape (3, 3)
        Sums over the records of the products of their deviations from these means.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMoments
    >>> moments = AgreementMoments.from_predictions([1.0, 2.0, 4.0], [2.0, 2.0, 5.0])
    >>> moments.n, moments.means.round(3).tolist()
    (3, [2.333, 3.0, 0.667])
    """

    n_columns: ClassVar[int] = 3
    needs_truth: ClassVar[bool] = False

    @classmethod
    def from_predictions(
        cls, champion: ArrayLike, challenger: ArrayLike
    ) -> "AgreementMoments":
        """Compute the moments of predicted numbers for one set of records.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Predicted numbers.
        """
        return cls(*_moments_of(_checked(champion=champion, challenger=challenger)))

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "AgreementMoments":
        """Compute the moments of the pooled predictions for all test sets."""
        columns = _columns(*_values_of(pair))
        return cls(*_moments_of(columns), design=pair.design)


@dataclass(frozen=True, slots=True, eq=False)
class CorrelationMoments(NumberMoments):
    """Moments of two predictions of numbers and of the target, for their correlations.

    Parameters
    ----------
    n : int
        Number of records.
    means : array-like of shape (4,)
        Of the champion's predictions, of the challenger's, of their difference, challenger
        minus champion, and of the target.
    products : array-like of shape (4, 4)
        Sums over the records of the products of their deviations from these means.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import CorrelationMoments
    >>> y, old, new = [1, 2, 3, 4], [1, 1, 3, 3], [0, 1, 3, 5]
    >>> moments = CorrelationMoments.from_predictions(y, old, new)
    >>> moments.n, moments.means.tolist()
    (4, [2.0, 2.25, 0.25, 2.5])
    """

    n_columns: ClassVar[int] = 4
    least_records: ClassVar[int] = 4

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, champion: ArrayLike, challenger: ArrayLike
    ) -> "CorrelationMoments":
        """Compute the moments of predicted and true numbers for one set of records.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True numbers.
        champion, challenger : array-like of shape (n_samples,)
            Predicted numbers.
        """
        checked = _checked(y_true=y_true, champion=champion, challenger=challenger)
        return cls(*_moments_of([*checked[1:], checked[0]]))

    @classmethod
    def from_correlations(
        cls, champion: float, challenger: float, between: float, n: int
    ) -> "CorrelationMoments":
        """Construct from three published correlations.

        Parameters
        ----------
        champion, challenger : float
            Correlation of each prediction with the target.
        between : float
            Correlation of both predictions.
        n : int
            Number of records.

        Raises
        ------
        ValueError
            If no three variables have such correlations.
        """
        check_count("n", n)
        matrix = np.array(
            [[1, between, champion], [between, 1, challenger], [champion, challenger, 1]],
            dtype=np.float64,
        )
        if not np.isfinite(matrix).all() or np.linalg.eigvalsh(matrix)[0] < -1e-12:
            raise ValueError(
                "The three correlations must be those of some variables, which have a "
                f"matrix without negative eigenvalues. Got {champion!r} and "
                f"{challenger!r} with the target, and {between!r} between the predictions."
            )
        columns = np.array([[1, 0, 0], [0, 1, 0], [-1, 1, 0], [0, 0, 1]])
        return cls(n, np.zeros(4), n * (columns @ matrix @ columns.T))

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "CorrelationMoments":
        """Compute the moments of the pooled predictions for all test sets."""
        values = _values_of(pair)
        y = np.array(pair.predictions.y_predicted(), dtype=np.float64)
        return cls(*_moments_of([*_columns(*values), y]), design=pair.design)


def _checked(**arrays: Any) -> list[FloatArray]:
    """Check columns of numbers, and return them with those of the roles transformed."""
    checked = {name: check_numbers(name, values) for name, values in arrays.items()}
    check_same_length(checked)
    columns = _columns(checked.pop("champion"), checked.pop("challenger"))
    return [*checked.values(), *columns]


def _columns(champion: FloatArray, challenger: FloatArray) -> list[FloatArray]:
    """Return two predictions of each record with their difference."""
    with np.errstate(over="ignore"):
        return [champion, challenger, challenger - champion]


def _values_of(pair: PairedPredictions) -> tuple[FloatArray, FloatArray]:
    if not pair.predictions.is_numeric:
        raise ValueError(
            "Moments of predictions are those of numbers. Got predictions of classes. Use "
            "tests of scores or of labels."
        )
    first, second = (np.asarray(role.values, dtype=np.float64) for role in pair.roles)
    return first, second
