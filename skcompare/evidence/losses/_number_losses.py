"""Losses of predicted numbers, record by record.

A loss is a function of true and of predicted numbers, most often one expression of both,
see :func:`skcompare.evidence.record_loss`. Domains and values are those of scikit-learn's
metrics, which are means of these losses.
"""

import math
from typing import Any

import numpy as np

from skcompare._core.validation import is_number
from skcompare._registry.metrics import NUMBERS, record_loss
from skcompare._typing import FloatArray
from skcompare.evidence.core._named_losses import least_target


@record_loss(
    "squared_error",
    measures="mean_squared_error",
    target=NUMBERS,
    expression=True,
)
def squared_error(ops: Any, y: Any, predicted: Any) -> Any:
    """How far is a predicted number from the true one, squared?

    Its mean is scikit-learn's ``mean_squared_error``. The mean of the target has the least
    expected loss.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers.

    Returns
    -------
    losses : column
        In squared units of the target, at least 0.
    """
    (error,) = ops.let(y - predicted)
    return error * error


@record_loss(
    "absolute_error",
    measures="mean_absolute_error",
    target=NUMBERS,
    expression=True,
)
def absolute_error(ops: Any, y: Any, predicted: Any) -> Any:
    """How far is a predicted number from the true one?

    Its mean is scikit-learn's ``mean_absolute_error``. The median of the target has the
    least expected loss.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers.

    Returns
    -------
    losses : column
        In the units of the target, at least 0.
    """
    return ops.abs(y - predicted)


@record_loss(
    "pinball_loss",
    measures="mean_pinball_loss",
    target=NUMBERS,
    expression=True,
)
def pinball_loss(ops: Any, y: Any, predicted: Any, *, alpha: float = 0.5) -> Any:
    """How far is a predicted quantile from the number, weighted by its side [1]_?

    Its mean is scikit-learn's ``mean_pinball_loss``. The quantile of level `alpha` has the
    least expected loss.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True numbers, and predicted quantiles.
    alpha : float, default=0.5
        Level of the quantile, between 0 and 1. A number above the quantile costs `alpha`
        times the distance, and one below it ``1 - alpha`` times. The default is half of
        the absolute error.

    Returns
    -------
    losses : column
        In the units of the target, at least 0.

    References
    ----------
    .. [1] Koenker, R. and Bassett, G. (1978). "Regression quantiles." Econometrica 46(1),
       33-50.
    """
    if not is_number(alpha) or not 0 < alpha < 1:
        raise ValueError(
            f"`alpha` of pinball_loss must be a number between 0 and 1. Got {alpha!r}. It "
            "is the level of the predicted quantile: 0.5 for the median."
        )
    return pinball(ops, y, predicted, alpha)


def pinball(ops: Any, y: Any, quantile: Any, level: float) -> Any:
    """Return the pinball loss of a quantile of a level."""
    (above,) = ops.let(y - quantile)
    return ops.where(above >= 0, level * above, (level - 1.0) * above)


@record_loss("huber_loss", title="Huber loss", target=NUMBERS, expression=True)
def huber_loss(ops: Any, y: Any, predicted: Any, *, delta: float = 1.0) -> Any:
    """How far is a predicted number from the true one, squared only if it is near [1]_?

    Half the squared error up to `delta`, and a line with the same slope beyond, so that
    few records with large errors count less than in the squared error.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers.
    delta : float, default=1.0
        Error from which on the loss is a line, in the units of the target: fix it before
        the records are seen.

    Returns
    -------
    losses : column
        In squared units of the target, at least 0.

    References
    ----------
    .. [1] Huber, P. J. (1964). "Robust estimation of a location parameter." The Annals of
       Mathematical Statistics 35(1), 73-101.
    """
    if not is_number(delta) or not 0 < delta < math.inf:
        raise ValueError(
            f"`delta` of huber_loss must be a number above 0. Got {delta!r}. It is the "
            "error from which on the loss is a line, in the units of the target."
        )
    (error,) = ops.let(ops.abs(y - predicted))
    return ops.where(error <= delta, 0.5 * error * error, delta * (error - 0.5 * delta))


@record_loss("log_cosh_loss", title="log-cosh loss", target=NUMBERS, expression=True)
def log_cosh_loss(ops: Any, y: Any, predicted: Any) -> Any:
    """How far is a predicted number from the true one, by log cosh of the error?

    About half the squared error where the error is much smaller than 1, in the units of the
    target, and the absolute error less log 2 where it is much larger.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers.

    Returns
    -------
    losses : column
        At least 0. Errors of any size have one without overflow, and small ones keep their
        digits.
    """
    (error,) = ops.let(ops.abs(y - predicted))
    (square,) = ops.let(error * error)
    small: Any = 0.0
    for coefficient in reversed(_LOG_COSH):
        small = square * (coefficient + small)
    # Beyond 1/2 the loss is so large that a logarithm of nearly 1 loses nothing.
    large = error + (ops.log(1.0 + ops.exp(-2.0 * error)) - math.log(2))
    return ops.where(error < 0.5, small, large)


def _log_cosh_series(n_terms: int) -> list[float]:
    """Coefficients of x², x⁴, ... of log cosh x, whose derivative t has t' = 1 - t²."""
    slopes = [1.0]
    for k in range(1, n_terms):
        products = sum(slopes[i] * slopes[k - 1 - i] for i in range(k))
        slopes.append(-products / (2 * k + 1))
    return [slope / (2 * k + 2) for k, slope in enumerate(slopes)]


_LOG_COSH = _log_cosh_series(18)
"""Up to 1/2 the next term is below the rounding error."""


@record_loss(
    "squared_log_error",
    measures="mean_squared_log_error",
    target=NUMBERS,
    expression=True,
)
def squared_log_error(ops: Any, y: Any, predicted: Any) -> Any:
    """How far apart are the logarithms of 1 plus the numbers, squared?

    Its mean is scikit-learn's ``mean_squared_log_error``. For large numbers it is about
    the square of their relative error.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers, above -1.

    Returns
    -------
    losses : column
        At least 0.
    """
    advice = "Compare them by squared_error, or shift true and predicted numbers together."
    y, predicted = (
        ops.checked(values, values > -1, f"squared_log_error needs {what} above -1", advice)
        for what, values in (("true numbers", y), ("predictions", predicted))
    )
    # One logarithm of a quotient, because the difference of two would lose digits.
    least = ops.where(y < predicted, y, predicted)
    (distance,) = ops.let(_log1p(ops, ops.abs(y - predicted) / (1.0 + least)))
    return distance * distance


def _log1p(ops: Any, values: Any) -> Any:
    """Return log(1 + x), with the digits of small x (Kahan)."""
    (values,) = ops.let(values)
    (whole,) = ops.let(1.0 + values)
    (rest,) = ops.let(whole - 1.0)
    scale = values / ops.where(rest == 0, 1.0, rest)
    return ops.where(rest == 0, values, ops.log(whole) * scale)


def _percentage_of_columns(
    ops: Any, y: Any, predicted: Any, *, least: float | None = None
) -> Any:
    """Return the loss of absolute_percentage_error where no median is known."""
    if least is None:
        raise ValueError(
            "absolute_percentage_error compares targets with their median by default, "
            "which is not a sum over records. Pass `least`, the least absolute target "
            "that is accepted, or compare by absolute_error or squared_log_error."
        )
    _check_least(least)
    (size,) = ops.let(ops.abs(y))
    expected = f"absolute_percentage_error needs targets that are not 0, or below {least:g}"
    size = ops.checked(size, (size >= least) & (size > 0.0), expected, OF_PERCENTAGE)
    return ops.abs(y - predicted) / size


OF_PERCENTAGE = (
    "Compare by absolute_error or squared_log_error, drop these records for all models, "
    "or pass `least`."
)


def _check_least(least: float | None) -> None:
    if least is not None and not (is_number(least) and 0 <= least < math.inf):
        raise ValueError(
            "`least` of absolute_percentage_error must be a number of at least 0. Got "
            f"{least!r}. It is the least absolute target that is accepted."
        )


@record_loss(
    "absolute_percentage_error",
    measures="mean_absolute_percentage_error",
    target=NUMBERS,
    expression=_percentage_of_columns,
)
def absolute_percentage_error(
    y: FloatArray, predicted: FloatArray, *, least: float | None = None
) -> FloatArray:
    """How far is a predicted number from the true one, as a share of the true one?

    Its mean is scikit-learn's ``mean_absolute_percentage_error``. The loss has no upper
    limit where the target is near zero: a record with a target of a thousandth of the
    others counts as a thousand of them. scikit-learn divides zeros by 2.2e-16; here such
    targets are refused.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted numbers.
    least : float, optional
        Least absolute target, in its units; smaller ones, and zeros, are refused. By
        default a thousandth of the median absolute target.

    Returns
    -------
    losses : ndarray of shape (n_samples,)
        Shares of the true numbers, not percentages, at least 0.
    """
    _check_least(least)
    sizes = np.abs(y)
    limit = least_target(y) if least is None else least
    wrong = (sizes < limit) | (sizes == 0)
    if wrong.any():
        raise ValueError(
            "absolute_percentage_error divides by the true numbers, so that few near zero "
            f"decide the mean. Got {int(wrong.sum())} below {limit:.3g}, the first at "
            f"position {int(np.argmax(wrong))}. {OF_PERCENTAGE}"
        )
    return np.abs(y - predicted) / sizes


OF_DEVIANCE = "Compare them by squared_error, or by a deviance of another power."


@record_loss(
    "poisson_deviance",
    title="Poisson deviance",
    measures="mean_poisson_deviance",
    target=NUMBERS,
    expression=True,
)
def poisson_deviance(ops: Any, y: Any, predicted: Any) -> Any:
    """How much less likely is a count by its predicted rate than by itself [1]_?

    Its mean is scikit-learn's ``mean_poisson_deviance``.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True numbers of at least 0, and predictions above 0.

    Returns
    -------
    losses : column
        ``2 (y log(y / predicted) - y + predicted)``, at least 0.

    References
    ----------
    .. [1] McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition,
       table 2.1. Chapman and Hall.
    """
    return _deviance(ops, "poisson_deviance", y, predicted, 1)


@record_loss(
    "gamma_deviance",
    measures="mean_gamma_deviance",
    target=NUMBERS,
    expression=True,
)
def gamma_deviance(ops: Any, y: Any, predicted: Any) -> Any:
    """How much less likely is a positive number by its predicted mean than by itself [1]_?

    Its mean is scikit-learn's ``mean_gamma_deviance``. It depends on the quotient of
    both numbers only.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers, above 0.

    Returns
    -------
    losses : column
        ``2 (log(predicted / y) + y / predicted - 1)``, at least 0.

    References
    ----------
    .. [1] McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, 2nd edition,
       table 2.1. Chapman and Hall.
    """
    return _deviance(ops, "gamma_deviance", y, predicted, 2)


@record_loss(
    "tweedie_deviance",
    title="Tweedie deviance",
    measures="mean_tweedie_deviance",
    target=NUMBERS,
    expression=True,
)
def tweedie_deviance(ops: Any, y: Any, predicted: Any, *, power: float = 0) -> Any:
    """How much less likely is a number by its predicted mean than by itself [1]_?

    Its mean is scikit-learn's ``mean_tweedie_deviance``, with its domains. The variance of
    the target is that of its mean to the `power`.

    Parameters
    ----------
    ops : operations
        Operations of an expression, see :func:`skcompare.evidence.record_loss`.
    y, predicted : column
        True and predicted numbers. Predictions are above 0 unless `power` is 0. True
        numbers are at least 0 where it is 1 or more, and above 0 where it is 2 or more.
    power : float, default=0
        0 is the squared error, 1 the Poisson and 2 the gamma deviance, between 1 and 2 are
        sums of a Poisson number of gamma terms, and 3 is the inverse Gaussian deviance.
        Between 0 and 1 no distribution has this variance.

    Returns
    -------
    losses : column
        At least 0.

    References
    ----------
    .. [1] Jørgensen, B. (1987). "Exponential dispersion models." Journal of the Royal
       Statistical Society B 49(2), 127-162.
    """
    is_power = is_number(power) and math.isfinite(power)
    if not is_power or 0 < power < 1:
        raise ValueError(
            "`power` of tweedie_deviance must be a number up to 0, or of at least 1. Got "
            f"{power!r}. 1 is the Poisson deviance and 2 the gamma deviance."
        )
    return _deviance(ops, f"tweedie_deviance of power {power:g}", y, predicted, power)


def _deviance(ops: Any, name: str, y: Any, predicted: Any, power: float) -> Any:
    """Return the unit deviance of a power, for numbers in its domain.

    It is 2 ∫ (y - t) / t^power dt from the prediction to the true number.
    """
    if power != 0:
        needs = f"{name} needs predictions above 0"
        predicted = ops.checked(predicted, predicted > 0, needs, OF_DEVIANCE)
    if 1 <= power < 2:
        needs = f"{name} needs true numbers of at least 0"
        y = ops.checked(y, y >= 0, needs, OF_DEVIANCE)
    elif power >= 2:
        y = ops.checked(y, y > 0, f"{name} needs true numbers above 0", OF_DEVIANCE)
    y, predicted = ops.let(y, predicted)
    if power == 0:
        return (y - predicted) * (y - predicted)
    if power == 1:
        half = y * _log_quotient(ops, y, predicted) - y + predicted
    elif power == 2:
        half = (y - predicted) / predicted - _log_quotient(ops, y, predicted)
    else:
        excess = (y - predicted) / predicted
        positive = ops.where(y > 0, y, 0.0) / predicted
        powers = (positive ** (2.0 - power) - 1.0) / (2.0 - power) - excess
        half = predicted ** (2.0 - power) * powers / (1.0 - power)
    # Rounding may leave less than nothing of equal numbers.
    (loss,) = ops.let(2.0 * half)
    return ops.where(loss <= 0, 0.0, loss)


def _log_quotient(ops: Any, y: Any, predicted: Any) -> Any:
    """Return log(y / predicted), or 0 for y = 0, which is multiplied by it."""
    # A quotient of roots does not overflow, and a difference of logarithms loses digits.
    (roots,) = ops.let(ops.sqrt(y) / ops.sqrt(predicted))
    return 2.0 * ops.log(ops.where(y > 0, roots, 1.0))
