"""Tests of Giacomini and White, and of Clark and West, in time order."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.fft import dct

from skcompare._core.design import Design
from skcompare._core.validation import check_groups, check_numbers, check_same_length
from skcompare._registry.tests import takes_evidence
from skcompare._typing import ArrayLike, FloatArray
from skcompare.evidence import OrderedDifferences, order_of
from skcompare.predictions import PairedPredictions
from skcompare.stats.core._result import Flagged, PairedResult
from skcompare.stats.core._tails import chi2_pvalue, f_pvalue, student_pvalue
from skcompare.stats.time._diebold_mariano import check_length, diebold_mariano, span_of
from skcompare.stats.time._long_run_variance import FEWEST_COSINES, chosen_smoothing

SPARE_COSINES = 3
"""Cosines beyond the number of instruments."""

MOST_COSINES = 8
"""Largest number of cosines for products of differences with earlier ones."""


@dataclass(frozen=True, slots=True)
class ConditionalResult(Flagged):
    """Result of a test of equal conditional ability; unpacks to `(statistic, pvalue)`.

    Attributes
    ----------
    statistic, pvalue : float
        Chi-squared for forecasts one step ahead, F for others.
    df : tuple of float
        Its degrees of freedom.
    n : int
        Number of time points that were used.
    parts : tuple of mappings
        For each regime its label, the number of time points, the mean difference (positive
        favours the challenger) with its standard error, and the p-value of that alone.
    flags : tuple of str
        Codes of caveats.
    """

    statistic: float
    pvalue: float
    df: tuple[float, ...]
    n: int
    parts: tuple[Mapping[str, Any], ...] = ()
    flags: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))


@takes_evidence
def giacomini_white(
    ordered: OrderedDifferences,
    *,
    instruments: ArrayLike | None = None,
    regimes: ArrayLike | None = None,
) -> ConditionalResult:
    """Test whether what is known beforehand predicts which of two models will be better.

    The null hypothesis is that the expected difference of the losses is 0 given anything
    that was known when the forecasts were made [1]_: in particular given the last
    difference, or the regime. It is about the forecasts of these models as they were made,
    with what they had learned, so that refitted models and rolling windows may be compared.

    Parameters
    ----------
    ordered : OrderedDifferences
        Differences in time order.
    instruments : array-like of shape (n_times,) or (n_times, n_instruments), optional
        Numbers that were known before the forecast of each time point. By default the
        difference `horizon` time points before. A constant is added. Of differences of
        splits in time order ``ordered.times`` are the positions of the records that were
        tested, so that ``column[ordered.times]`` are the instruments of a column of X.
    regimes : array-like of shape (n_times,), optional
        Regime of each time point (weekday, market, season), known beforehand; in place of
        instruments. The question is then whether the models are equal in all regimes.

    Returns
    -------
    result : ConditionalResult
        With the mean difference of each regime as `parts`.

    Raises
    ------
    ValueError
        If there are fewer than 8 time points for each step of the horizon, if instruments
        depend on each other, or a regime has fewer than 2 time points.

    Notes
    -----
    With q instruments h_t, differences d_t and Z_t = h_t d_t, the statistic is T times the
    mean of Z by the inverse of its variance by the mean of Z. One step ahead Z_t cannot be
    predicted, so that the variance is the mean of Z Z' and the reference chi-squared with q
    degrees of freedom (equation 4 of [1]_). Further ahead the variance is that of cosines B
    as in :func:`diebold_mariano`, as few as suit any of the products, and
    (B - q + 1) / (B q) times the statistic is compared with F of q and B - q + 1 degrees of
    freedom [2]_. Given the last difference, whose products are skewed, B is at most 8, and
    there is a degree of freedom less. Equal forecasts have p = 1.
    ``benchmarks/validity/time/conditional.py`` measures a type I error of 4 to 5.8 % one
    step ahead, and of 2.9 to 5.2 % four steps ahead (standard error 0.5 %).

    References
    ----------
    .. [1] Giacomini, R. and White, H. (2006). "Tests of conditional predictive ability."
       Econometrica 74(6), 1545-1578.
    .. [2] Sun, Y. (2013). "A heteroskedasticity and autocorrelation robust F test using an
       orthonormal series variance estimator." Econometrics Journal 16(1), 1-26.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import giacomini_white
    >>> rng = np.random.default_rng(0)
    >>> weekend = np.arange(280) % 7 > 4
    >>> gains = np.where(weekend, 0.5, -0.2) + rng.normal(size=280)
    >>> ordered = OrderedDifferences.from_differences(gains)
    >>> result = giacomini_white(ordered, regimes=weekend)
    >>> print(f"chi-squared = {result.statistic:.1f}, p = {result.pvalue:.4f}")
    chi-squared = 15.0, p = 0.0005
    >>> for part in result.parts:
    ...     print(f"{part['regime']}: {part['difference']:+.2f}, p = {part['pvalue']:.3f}")
    False: -0.17, p = 0.016
    True: +0.39, p = 0.002
    """
    check_length(ordered, "giacomini_white")
    differences = ordered.sums * (ordered.n_times / ordered.n)
    known, parts = _instruments(differences, ordered.horizon, instruments, regimes)
    used = differences[len(differences) - len(known) :]
    products = known * (used / _size(used))[:, np.newaxis]
    n, q = products.shape
    if not used.any():
        return ConditionalResult(0.0, 1.0, (float(q),), n, parts, ("degenerate",))
    if ordered.horizon == 1:
        statistic = _wald(products, products.T @ products / n)
        return ConditionalResult(
            statistic, chi2_pvalue(statistic, q)[0], (float(q),), n, parts
        )
    # The products of differences with earlier ones are skewed.
    is_skewed = regimes is None and instruments is None
    most = MOST_COSINES if is_skewed else None
    variance, number = _variance(products, span_of(ordered), most)
    statistic = (number - q + 1) / (number * q) * _wald(products, variance)
    df = float(q), float(number - q + 1 - is_skewed)
    return ConditionalResult(statistic, f_pvalue(statistic, *df)[0], df, n, parts)


def _instruments(
    differences: FloatArray, horizon: int, instruments: Any, regimes: Any
) -> tuple[FloatArray, tuple[Mapping[str, Any], ...]]:
    """Instruments of the last time points, and the parts of the result."""
    n = len(differences)
    if regimes is not None and instruments is not None:
        raise ValueError(
            "`regimes` are instruments of their own. Got both. Pass one of them."
        )
    if regimes is not None:
        labels = check_groups(regimes)
        check_same_length(differences=differences, regimes=labels)
        names, codes = np.unique(labels, return_inverse=True)
        parts = tuple(
            _part(name, differences[codes == code]) for code, name in enumerate(names)
        )
        return (codes[:, np.newaxis] == np.arange(len(names))).astype(np.float64), parts
    if instruments is None:
        last = differences[:-horizon]
        return np.stack([np.ones(n - horizon), last / _size(last)], axis=1), ()
    columns = np.asarray(instruments)
    columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
    check_same_length(differences=differences, instruments=columns)
    known = [check_numbers("instruments", column) for column in columns.T]
    return np.stack([np.ones(n), *known], axis=1), ()


def _size(differences: FloatArray) -> float:
    """Largest size of differences, whose unit does not matter; 1 if all are 0."""
    return float(np.abs(differences).max(initial=0.0)) or 1.0


def _part(name: Any, differences: FloatArray) -> Mapping[str, Any]:
    n, mean = len(differences), float(differences.mean())
    if n < 2:
        raise ValueError(
            f"Each regime needs at least 2 time points. Got {n} of {name!r}. Merge it with "
            "another."
        )
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    pvalue = 1.0 if mean == 0 else math.nan
    if error > 0:
        pvalue = student_pvalue(mean / error, n - 1, "two-sided")[0]
    label = name.item() if hasattr(name, "item") else name
    return {"regime": label, "n": n, "difference": mean, "se": error, "pvalue": pvalue}


def _wald(products: FloatArray, variance: FloatArray) -> float:
    mean, n = products.mean(axis=0), len(products)
    # In units of the deviations, so that the unit of an instrument does not matter.
    scale = np.sqrt(np.diag(variance))
    if (scale > 0).all():
        scaled = variance / np.outer(scale, scale)
        if np.linalg.cond(scaled) < 1e12:
            distance = mean / scale
            return float(n * distance @ np.linalg.solve(scaled, distance))
    raise ValueError(
        "The products of instruments and differences must vary on their own. Got one that "
        "is 0, or that follows from others. Leave it out, or merge regimes."
    )


def _variance(products: FloatArray, span: int, most: int | None) -> tuple[FloatArray, int]:
    """Long-run variance of the products by cosines, and their number.

    As many cosines as suit all products, and the largest allowance for their bias.
    """
    centred = products - products.mean(axis=0)
    transforms = dct(centred, type=2, norm="ortho", axis=0)[1:]
    varying = np.square(transforms[:, centred.any(axis=0)])
    smoothings = [chosen_smoothing(squares, span) for squares in varying.T]
    number = min((each.number for each in smoothings), default=FEWEST_COSINES)
    number = max(min(number, most or number), products.shape[1] + SPARE_COSINES)
    allowance = max((each.allowance for each in smoothings), default=0.0)
    chosen = transforms[:number]
    return chosen.T @ chosen / number / (1 - allowance), number


def clark_west(
    y_true: ArrayLike | PairedPredictions,
    champion: ArrayLike | None = None,
    challenger: ArrayLike | None = None,
    *,
    time: ArrayLike | None = None,
    horizon: int | None = None,
) -> PairedResult:
    """Compare the squared errors of two nested models by Clark and West's test.

    The null hypothesis is that the champion, the smaller model, is right, and the
    challenger adds parameters that are 0. Their estimation makes the challenger's squared
    errors larger, by about the squared distance of both forecasts, which is subtracted
    [1]_. The test is about the models in the population, and one-sided: a larger model
    cannot be worse there.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or PairedPredictions
        Observed numbers; or the predictions of two regressors, such as the evidence of a
        comparison: ``clark_west(comparison.evidence(PairedPredictions))``.
    champion, challenger : array-like of shape (n_samples,)
        Forecasts of the smaller model, and of the larger one that contains it; left out
        where predictions have them.
    time, horizon
        As for :meth:`~skcompare.evidence.OrderedDifferences.from_losses`; of predictions
        as for :meth:`~skcompare.evidence.OrderedDifferences.from_pair`.

    Returns
    -------
    result : PairedResult
        `estimate` is the adjusted gain in mean squared error.

    Notes
    -----
    The adjusted difference of a record is (y - f₁)² - (y - f₂)² + (f₁ - f₂)², equation 2.2
    of [1]_, which is tested by :func:`diebold_mariano`. As a test of the forecasts as they
    were made use :func:`giacomini_white`. Equal forecasts have p = 1.

    References
    ----------
    .. [1] Clark, T. E. and West, K. D. (2007). "Approximately normal tests for equal
       predictive accuracy in nested models." Journal of Econometrics 138(1), 291-311.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.stats import clark_west
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = 0.2 * x + rng.normal(size=200)
    >>> result = clark_west(y, np.zeros(200), 0.3 * x)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.3f}")
    0.072, p = 0.043
    """
    order: dict[str, Any] = {"time": time, "horizon": 1 if horizon is None else horizon}
    design: Design | None = None
    if isinstance(y_true, PairedPredictions):
        pair, order = y_true, order_of(y_true, time, horizon)
        if champion is not None or challenger is not None or not _are_single(pair):
            raise ValueError(
                "clark_west takes predictions of one number by two regressors, alone. Got "
                "others, or forecasts as well. Pass `y_true`, `champion` and `challenger`."
            )
        y_true, design = pair.predictions.y_predicted(), pair.design
        champion, challenger = (role.values for role in pair.roles)
    numbers = {
        "y_true": check_numbers("y_true", y_true),
        "champion": check_numbers("champion", champion),
        "challenger": check_numbers("challenger", challenger),
    }
    check_same_length(numbers)
    y, small, large = numbers.values()
    adjusted = (y - small) ** 2 - (y - large) ** 2 + (small - large) ** 2
    ordered = OrderedDifferences.from_differences(adjusted, **order)
    if design is not None and design.window:
        # Windows that slide limit the number of cosines.
        ordered = replace(ordered, design=design)
    result = diebold_mariano(ordered, alternative="greater")
    return result.with_fields(
        test="clark_west", estimate_name="adjusted gain in mean squared error"
    )


def _are_single(pair: PairedPredictions) -> bool:
    """Whether predictions are of one number per record."""
    return pair.predictions.is_numeric and not pair.predictions.outputs
