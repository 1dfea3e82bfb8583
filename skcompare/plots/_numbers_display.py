"""Base class of displays of predicted numbers, and the number they are drawn against."""

import math
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import in_one_line, shortened
from skcompare._core.validation import check_choice, check_numbers
from skcompare._registry.metrics import NUMBERS
from skcompare._registry.tests import options_of
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.plots._annotation import Finding
from skcompare.plots.drawing._base import PairDisplay, check_options, check_targets
from skcompare.plots.drawing._style import literal
from skcompare.predictions import PairedPredictions

LABELS = {
    "target": "True {}",
    "prediction": "Mean prediction of {}",
    "champion": "{} predicted by the champion",
    "challenger": "{} predicted by the challenger",
}
"""Numbers of a record by the name of the option, with the labels of their axes."""

UNNAMED = {
    "target": "True value",
    "prediction": "Mean of both predictions",
    "champion": "Prediction of the champion",
    "challenger": "Prediction of the challenger",
}
"""Labels without the name of the quantity."""

LONGEST = 48
"""Largest number of characters of the label of an axis."""

WIDE = 15.0
"""Ratio of the largest to the median number from which an axis is logarithmic."""

GIVEN = "Given number"
"""Label of numbers that were passed, without a name."""

TESTED = ("holdout", "grouped holdout")
"""Designs of independent records, or groups of them, which have limits."""

LARGEST_SHARE = 0.1
"""Share of the drawn records that are those with the largest values."""

USUAL, FAR = 0.98, 1.5
"""Share of the records that set the drawn range, where others are far beyond, and the ratio
of the whole to this range from which it is used."""


class NumbersDisplay(PairDisplay):
    """Base class of displays of the predicted numbers of two regressors."""

    needs = PairedPredictions
    targets = (NUMBERS,)


class GainsDisplay(NumbersDisplay):
    """Base class of displays of the gains of records, by a loss and its options.

    A subclass is made of the predictions, and of their losses.
    """

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator or PairedPredictions
            Source of the numbers.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            Its `frame()` needs no matplotlib.
        """
        names = cls._evidence_options()
        check_options(cls, options, (*names, *cls._own_options()))
        check_targets(cls, result, cls.targets)
        of_loss = {name: options.pop(name) for name in names if name in options}
        pair = cls._evidence_of(result, cls.needs, {})
        losses = cls._evidence_of(result, PairedLosses, of_loss)
        return cls._of(pair, losses, **options)._named_by(result)

    @classmethod
    def _evidence_options(cls) -> tuple[str, ...]:
        return options_of(PairedLosses, "from_pair")


def groups_in(pair: PairedPredictions) -> IntArray | None:
    """Return the group of each prediction, or None if the records have none."""
    groups, records = pair.predictions.groups, pair.predictions.records
    return groups if groups is None or records is None else groups[records]


def number_of(
    pair: PairedPredictions, by: str | ArrayLike, quantity: str
) -> tuple[FloatArray, str]:
    """Return a number for each prediction, and its label.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions of numbers.
    by : {"target", "prediction", "champion", "challenger"} or array-like of shape \
(n_samples,)
        The number.
    quantity : str
        Name of the target, or of an array; may be empty.
    """
    predictions = pair.predictions
    if not isinstance(by, str):
        values = check_numbers("by", by)
        if len(values) != predictions.n_records:
            raise ValueError(
                f"`by` must have a number for each of {predictions.n_records} records. Got "
                f"{len(values)}."
            )
        records = predictions.records
        return values if records is None else values[records], quantity or GIVEN
    check_choice("by", by, tuple(LABELS))
    label = LABELS[by].format(quantity) if quantity else UNNAMED[by]
    if by == "target":
        return predictions.y_predicted(), label[:1].upper() + label[1:]
    first, second = (np.asarray(role.values, dtype=np.float64) for role in pair.roles)
    # Halves, so that the sum of two large numbers does not overflow.
    numbers = {
        "prediction": first / 2 + second / 2,
        "champion": first,
        "challenger": second,
    }
    return numbers[by], label[:1].upper() + label[1:]


def is_wide(values: FloatArray) -> bool:
    """Whether positive numbers span so much that their axis is logarithmic."""
    return bool(values.min() > 0 and values.max() > WIDE * np.median(values))


def axis_text(label: str) -> str:
    """Return the label of an axis, shortened."""
    return literal(shortened(in_one_line(label), LONGEST))


def short(value: float, digits: int = 4, *, signed: bool = False) -> str:
    """Format a number with some significant digits, and without an exponent if usual."""
    sign = "+" if signed else ""
    if value and not 1e-4 <= abs(value) < 1e6:
        return f"{value:{sign}.{digits - 1}e}"
    whole = math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:{sign}.{max(0, digits - 1 - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def gain_text(gain: float) -> str:
    """Format a gain with its sign."""
    return short(gain, 3, signed=True)


def lines_of(finding: Finding) -> list[str]:
    """Return lines of text on a mean gain, which are not broken before the p-value."""
    return [line.replace("p = ", "p\xa0=\xa0") for line in finding.lines("Mean gain")]


def why_no_limits(pair: PairedPredictions) -> str:
    """Explain why there are no limits; empty if there are."""
    design = pair.design
    if design.name not in TESTED:
        return f"no band is valid for {design}"
    predictions = pair.predictions
    units = predictions.n_records
    if predictions.groups is not None:
        units = len(np.unique(predictions.groups))
    return "" if units > 1 else "one record or group shows no variation"


def thinned(values: FloatArray, most: int) -> IntArray:
    """Return positions of at most `most` records, of values in the order of a number."""
    n = len(values)
    if n <= most:
        return np.arange(n)
    extreme = np.argsort(-np.abs(values), kind="stable")[: round(LARGEST_SHARE * most)]
    others = np.setdiff1d(np.arange(n), extreme, assume_unique=True)
    spaced = np.linspace(0, len(others) - 1, most - len(extreme)).round().astype(np.int64)
    return np.sort(np.concatenate([extreme, others[spaced]]))


def usual_range(values: FloatArray) -> tuple[float, float]:
    """Return the range of values to draw: all, or those of most records; 0 is in it."""
    ordered = np.sort(values)
    n = len(ordered)
    cut = int((1 - USUAL) / 2 * n)
    low, high = min(0.0, float(ordered[0])), max(0.0, float(ordered[-1]))
    usual = min(0.0, float(ordered[cut])), max(0.0, float(ordered[n - 1 - cut]))
    if usual[1] > usual[0] and high - low > FAR * (usual[1] - usual[0]):
        low, high = usual
    return (low, high) if high > low else (-1.0, 1.0)
