"""Several outputs: numbers with names and weights, and the predictions of one of them."""

from dataclasses import replace
from typing import Any

import numpy as np

from skcompare._core.validation import as_array
from skcompare._registry.metrics import FORECASTS
from skcompare._typing import FloatArray
from skcompare.predictions._forecasts import BY_VARIANCE, EACH, UNIFORM
from skcompare.predictions._predictions import EstimatorPredictions, Predictions


def one_output_of(predictions: Predictions, position: int) -> Predictions:
    """Reduce predictions to one output, whose numbers are vectors.

    Parameters
    ----------
    predictions : Predictions
        Predictions of several outputs.
    position : int
        Position of the output.
    """
    y = predictions.y
    return replace(
        predictions,
        y=None if y is None else y[:, position],
        estimators=tuple(one_output(role, position) for role in predictions.estimators),
        outputs=(),
        weights=None,
    )


def one_output(role: EstimatorPredictions, position: int) -> EstimatorPredictions:
    """Return the predictions of an estimator for one of several outputs."""
    arrays = {name: getattr(role, name) for name in FORECASTS}
    parts: dict[str, Any] = {
        name: array[:, position] for name, array in arrays.items() if array is not None
    }
    return replace(role, **parts)


OF_VARIANCES = ("r2", "explained_variance", "relative_squared_error")
"""Measures and losses that scikit-learn weights by variances too: they have no unit."""


def weights_of(
    predictions: Predictions, multioutput: Any = None, measure: Any = None
) -> FloatArray | None:
    """Return the weights of several outputs, with a sum of 1; None for a single output.

    Parameters
    ----------
    predictions : Predictions
        Predictions of numbers.
    multioutput : {"uniform_average", "variance_weighted"} or array-like, optional
        The weights; by default those of the predictions, which are equal if none are set.
    measure : object, optional
        Name of the measure or loss that is averaged.
    """
    n_outputs = len(predictions.outputs)
    if multioutput is None:
        if predictions.weights is not None or not n_outputs:
            return predictions.weights
        multioutput = UNIFORM
    if isinstance(multioutput, str) and multioutput == EACH:
        raise ValueError(
            f"multioutput={EACH!r} has a number for each output, and a test needs one. "
            f"Compare by a measure such as 'neg_mean_absolute_error[{EACH}]', with a row "
            "for each output, or by that of one output."
        )
    if not n_outputs:
        raise ValueError(
            f"`multioutput` is for predictions of several outputs. Got one output, and "
            f"multioutput={multioutput!r}. Leave it out."
        )
    if isinstance(multioutput, str):
        if multioutput == BY_VARIANCE and measure not in OF_VARIANCES:
            raise ValueError(
                f"multioutput={BY_VARIANCE!r} is for R² and the explained variance, which "
                f"have no unit. Got {measure!r}. Pass a weight for each output."
            )
        return _named_weights(predictions, multioutput)
    return _checked_weights(multioutput, n_outputs)


def _named_weights(predictions: Predictions, name: str) -> FloatArray:
    n_outputs = len(predictions.outputs)
    if name == UNIFORM:
        return np.full(n_outputs, 1 / n_outputs)
    if name != BY_VARIANCE:
        raise ValueError(
            f"`multioutput` must be {UNIFORM!r}, {BY_VARIANCE!r}, or a weight for each of "
            f"{n_outputs} outputs. Got {name!r}."
        )
    variances = np.var(predictions.y_predicted(), axis=0)
    if not variances.any():
        raise ValueError(
            f"multioutput={BY_VARIANCE!r} weights outputs by the variances of their "
            "targets. Got targets that are all equal. Pass weights, or collect targets "
            "that differ."
        )
    return np.asarray(variances / variances.sum())


def _checked_weights(values: Any, n_outputs: int) -> FloatArray:
    try:
        weights = as_array(values).astype(np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    good = weights.shape == (n_outputs,) and np.isfinite(weights).all()
    if not good or (weights < 0).any() or not weights.any():
        raise ValueError(
            f"Weights of outputs must be {n_outputs} numbers of at least 0, not all of "
            f"them 0: one per output, in their order. Got {values!r:.60}."
        )
    return np.asarray(weights / weights.sum())
