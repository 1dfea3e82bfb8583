"""Precision at a given prevalence, with influences of records and resamples."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, polygamma

from skcompare._core.validation import is_number
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import JointCounts
from skcompare.stats.core._limits import Pair
from skcompare.stats.scores._bootstrap import ResampledDifferences

UNIFORM = "uniform"

NOISE = 1e-12
"""Differences of shares up to this are rounding."""


def precision_at(sensitivity: Any, false_alarms: Any, prevalence: Any) -> FloatArray:
    """Precision at a prevalence, by Bayes' theorem; NaN without predictions of the class.

    Equation (28) of Gondara, with the rate of false alarms, 1 - specificity.
    """
    true_positives = np.asarray(sensitivity * prevalence)
    predicted = true_positives + false_alarms * (1 - prevalence)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(
                predicted > 0,
                true_positives / np.where(predicted > 0, predicted, 1),
                np.nan,
            )
        )


@dataclass(frozen=True, slots=True)
class Prevalence:
    """Share of a class in the population where the classifiers will be used.

    Parameters
    ----------
    value : float or None
        None is the share in the sample, whatever it is.
    beta : tuple of two float or None
        Parameters of a Beta distribution of which `value` is the mean.
    text : str
        Text that says where it comes from.
    """

    value: float | None
    beta: tuple[float, float] | None
    text: str

    @property
    def logit_variance(self) -> float:
        """Variance of the log odds of the prevalence."""
        if self.beta is None:
            return 0.0
        return float(sum(polygamma(1, parameter) for parameter in self.beta))

    def describe(self, used: float) -> str:
        """Format the prevalence, without a number for that of the sample."""
        if self.value is None:
            return "the prevalence of the sample"
        return f"a prevalence of {used:.4g} ({self.text})"

    def drawn(self, size: int, rng: np.random.Generator) -> Any:
        """Draw a prevalence for each resample."""
        return self.value if self.beta is None else rng.beta(*self.beta, size=size)


def resolve_prevalence(prevalence: Any, n_classes: int) -> Prevalence:
    """Create a `Prevalence` from a number, "uniform", a pair of numbers or None."""
    if prevalence is None:
        return Prevalence(None, None, "of the sample")
    if isinstance(prevalence, str) and prevalence == UNIFORM and n_classes > 1:
        return Prevalence(1 / n_classes, None, "equal classes")
    if is_number(prevalence) and 0 < prevalence < 1:
        return Prevalence(float(prevalence), None, "as given")
    is_pair = isinstance(prevalence, tuple | list) and len(prevalence) == 2
    if is_pair and all(
        is_number(parameter) and 0 < parameter < math.inf for parameter in prevalence
    ):
        a, b = map(float, prevalence)
        return Prevalence(a / (a + b), (a, b), f"uncertain, Beta({a:g}, {b:g})")
    raise ValueError(
        "`prevalence` must be a number between 0 and 1, 'uniform' (of two or more "
        "classes), a pair of positive parameters of a Beta distribution, or None for the "
        f"share in the sample. Got {prevalence!r} instead. Pass 0.02 for a class that is "
        "2 % of the records."
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClassCells:
    """Counts of records by truth and both predictions, for one class against the rest.

    Parameters
    ----------
    counts : ndarray of shape (..., 2, 2, 2)
        Axes: truth not of the class or of it, and the same for the predictions of champion
        and challenger. Leading axes are resamples.
    """

    counts: IntArray

    @classmethod
    def of_class(cls, joint: JointCounts, label: Any) -> "ClassCells":
        """Return the counts of one class against the rest."""
        return cls(joint.for_class(label).to_array())

    @property
    def swapped(self) -> "ClassCells":
        """Cells with the roles exchanged."""
        return ClassCells(np.swapaxes(self.counts, -2, -1))

    @property
    def alike(self) -> bool:
        """Whether both classifiers predict the class for the same records."""
        return not (self.counts[..., 0, 1] + self.counts[..., 1, 0]).any()

    @property
    def of_it(self) -> Any:
        """Number of records of the class."""
        return self.counts[..., 1, :, :].sum(axis=(-2, -1))

    @property
    def others(self) -> Any:
        """Number of records of other classes."""
        return self.counts[..., 0, :, :].sum(axis=(-2, -1))

    @property
    def named(self) -> tuple[IntArray, IntArray]:
        """Numbers of incorrect and correct predictions of the class, by classifier."""
        champion = self.counts[..., 1, :].sum(axis=-1)
        challenger = self.counts[..., :, 1].sum(axis=-1)
        both = np.stack([champion, challenger], axis=-1)
        return both[..., 0, :], both[..., 1, :]

    @property
    def precisions(self) -> FloatArray:
        """Precisions of both classifiers in the sample; NaN without predictions."""
        false, correct = self.named
        return precision_at(correct, false, 0.5)

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """Return sensitivities and false positive rates; NaN without records."""
        false, correct = self.named
        with np.errstate(invalid="ignore", divide="ignore"):
            sensitivity = correct / np.asarray(self.of_it)[..., np.newaxis]
            false_alarms = false / np.asarray(self.others)[..., np.newaxis]
        return sensitivity, false_alarms

    def precisions_at(self, prevalence: Any) -> FloatArray:
        """Return precisions of shape (..., 2) at prevalences of shape (...)."""
        if prevalence is None:
            return self.precisions
        sensitivity, false_alarms = self.rates()
        return precision_at(sensitivity, false_alarms, np.asarray(prevalence)[..., None])

    def influences(self, prevalence: float | None, stratify: bool) -> FloatArray:
        """Influence of a record of each cell on the logarithms of both precisions.

        The sum of the squares over the records is the variance. Where the share of the
        class is given, or fixed by the design, it comes from the rates within the class and
        outside it alone, through log(false alarms / sensitivity).

        Returns
        -------
        moves : ndarray of shape (2, 2, 2, 2)
            The first axis is the classifier.
        """
        truth, *predictions = np.indices((2, 2, 2))
        if prevalence is None and stratify and self.of_it and self.others:
            # A single class is a single stratum, whose share of 0 or 1 cannot weight the
            # rates.
            prevalence = float(self.of_it / (self.of_it + self.others))
        precisions = self.precisions_at(prevalence)
        false, correct = self.named
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.array(
                [
                    prediction * (truth - p) / ((false[i] + correct[i]) * p)
                    if prevalence is None
                    else self._within_classes(i, prediction, truth, prevalence, p)
                    for i, (prediction, p) in enumerate(
                        zip(predictions, precisions, strict=True)
                    )
                ]
            )

    def _within_classes(
        self, role: int, prediction: IntArray, truth: IntArray, prevalence: float, p: float
    ) -> FloatArray:
        """Influence on one log precision, through sensitivity and false positive rate."""
        sensitivity, alarms = (rates[role] for rates in self.rates())
        class_weight = (1 - p) / (self.of_it * sensitivity)
        # Finite also without false alarms, where the precision is 1.
        odds = (1 - prevalence) / prevalence
        rest_weight = p * odds / (self.others * sensitivity)
        in_class = truth * (prediction - sensitivity) * class_weight
        return np.asarray(in_class - (1 - truth) * (prediction - alarms) * rest_weight)


def without_rounding(values: Any, *numbers: float) -> FloatArray:
    """Replace values by 0 or by one of the numbers if equal up to rounding."""
    for number in (0.0, *numbers):
        values = np.where(np.abs(values - number) <= NOISE, number, values)
    return np.asarray(values, dtype=np.float64)


def drawn_cells(
    cells: ClassCells, n_resamples: int, stratify: bool, rng: np.random.Generator
) -> ClassCells:
    """Resample the records with both predictions, as counts of the eight cells.

    Swapped roles have the same resamples, with the roles swapped.
    """
    counts = cells.counts
    if counts.ravel().tolist() < cells.swapped.counts.ravel().tolist():
        return drawn_cells(cells.swapped, n_resamples, stratify, rng).swapped
    if not stratify:
        drawn = _multinomial(counts.ravel(), n_resamples, rng)
        return ClassCells(drawn.reshape(-1, 2, 2, 2))
    parts = [_multinomial(part.ravel(), n_resamples, rng) for part in counts]
    return ClassCells(np.stack(parts, axis=1).reshape(-1, 2, 2, 2))


def _multinomial(counts: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Resample the records of the cells; empty cells stay empty."""
    drawn = np.zeros((size, len(counts)), dtype=np.int64)
    occurring = np.flatnonzero(counts)
    if len(occurring):
        n = counts.sum()
        drawn[:, occurring] = rng.multinomial(n, counts[occurring] / n, size=size)
    return drawn


def acceleration_of(moves: FloatArray, counts: IntArray) -> float:
    """Acceleration of Efron (1987, equation 6.6), from the influences of the cells."""
    variance = float((counts * moves**2).sum())
    if variance == 0:
        return 0.0
    return float((counts * moves**3).sum() / (6 * variance**1.5))


@dataclass(frozen=True, slots=True, eq=False)
class CautiousResamples:
    """Resampled values of an estimate, some of them possibly undefined.

    An undefined value counts as beyond every limit, on either side, so that it widens the
    interval and raises p. No limit passes the estimate, as percentiles may where nearly all
    resampled values lie on one side of it; the p-value towards that side is at least 1/2
    then.

    Parameters
    ----------
    values : ndarray of shape (n_defined,)
        Sorted.
    undefined : int
        Number of resamples without a value.
    estimate : float
        The observed value.
    shift, acceleration : float
        Efron's z0 and a.
    """

    values: FloatArray
    undefined: int
    estimate: float
    shift: float = 0.0
    acceleration: float = 0.0

    @classmethod
    def of(
        cls, values: FloatArray, estimate: float, acceleration: float | None
    ) -> "CautiousResamples":
        """Create resamples from values, BCa-corrected if there is an acceleration."""
        defined = np.sort(values[~np.isnan(values)])
        undefined = len(values) - len(defined)
        if acceleration is None or not len(defined):
            return cls(defined, undefined, estimate)
        # Resamples equal to the estimate count half on either side.
        below = (np.mean(defined < estimate) + np.mean(defined <= estimate)) / 2
        bound = 1 / (len(defined) + 1)
        shift = float(ndtri(min(max(below, bound), 1 - bound)))
        return cls(defined, undefined, estimate, shift, acceleration)

    def _towards(self, alternative: str) -> ResampledDifferences:
        """Return the resamples, with undefined values against the alternative."""
        undefined = np.full(self.undefined, math.inf)
        parts = (-undefined, self.values) if alternative == "greater" else (
            self.values, undefined,
        )  # fmt: skip
        return ResampledDifferences(np.concatenate(parts), self.shift, self.acceleration)

    def pvalue(self, alternative: str, null: float = 0.0) -> float:
        """Return the least level at which the limits exclude the null value."""
        if alternative == "two-sided":
            return min(1.0, *(2 * self.pvalue(side, null) for side in ("greater", "less")))
        pvalue = self._towards(alternative).pvalue(alternative, null)
        on_side = self.estimate > null if alternative == "greater" else self.estimate < null
        return pvalue if on_side else max(pvalue, 0.5)

    def error_of(self, alternative: str, null: float = 0.0) -> float:
        """Return the standard error of the p-value due to the drawing of resamples."""
        if alternative == "two-sided":
            sides = ("greater", "less")
            return 2 * self.error_of(min(sides, key=lambda side: self.pvalue(side, null)))
        resampled = self._towards(alternative)
        return resampled.error_of(self.pvalue(alternative, null), alternative, null)

    def limits(self, bounds: Pair, confidence_level: float, alternative: str) -> Pair:
        """Return the limits of the values that are not rejected."""
        low, _ = self._towards("greater").limits(bounds, confidence_level, alternative)
        _, high = self._towards("less").limits(bounds, confidence_level, alternative)
        return min(low, self.estimate), max(high, self.estimate)


def log_ratios(precisions: FloatArray) -> FloatArray:
    """Log ratios of the precisions, challenger over champion; NaN where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms: Any = np.log(precisions)
        return np.asarray(logarithms[..., 1] - logarithms[..., 0])
