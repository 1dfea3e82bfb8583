"""Forecasts of numbers from arrays: the numbers, and how uncertain they are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._core.validation import (
    as_array,
    check_numbers,
    check_positive,
    check_same_length,
    check_same_order,
    is_number,
    some_of,
)
from skcompare._registry.metrics import FORECASTS, QUANTILES, SAMPLES, STD, VALUES
from skcompare._typing import ArrayLike, FloatArray

INTERVALS = "intervals"
OF_NUMBERS = frozenset({*FORECASTS, INTERVALS})
"""What may be passed of predicted numbers."""

UNIFORM, BY_VARIANCE, EACH = "uniform_average", "variance_weighted", "raw_values"
MULTIOUTPUT = (UNIFORM, BY_VARIANCE, EACH)
"""Names of scikit-learn for weights of outputs: equal, by their variances, and none."""


def forecast_of(name: str, forecast: Any, truth: Mapping[str, ArrayLike]) -> dict[str, Any]:
    """Return the fields of checked numbers, with their deviations and quantiles."""
    if not isinstance(forecast, Mapping):
        return {VALUES: check_numbers(name, forecast, several=True)}
    if set(forecast) == {VALUES}:
        return {VALUES: check_numbers(name, forecast[VALUES], several=True)}
    quantiles = _quantiles(name, forecast)
    levels = tuple(sorted(quantiles))
    unknown = set(forecast) - OF_NUMBERS
    values = forecast.get(VALUES, quantiles.get(0.5))
    samples = _samples(name, forecast[SAMPLES]) if SAMPLES in forecast else None
    if values is None and samples is not None:
        values = samples.mean(axis=-1)
    if unknown or values is None:
        raise ValueError(
            f"`{name}` must have 'values' or the quantile of level 0.5, or 'samples', and "
            "may have 'std', 'quantiles' by level and 'intervals' by coverage. Got "
            f"{', '.join(map(repr, forecast)) or 'nothing'} with levels {levels}."
        )
    fields = {VALUES: check_numbers(name, values, several=True)}
    named = {f"std of {name}": forecast[STD]} if STD in forecast else {}
    named |= {f"quantile {level:g} of {name}": quantiles[level] for level in levels}
    arrays = {
        title: check_numbers(title, own, several=True) for title, own in named.items()
    }
    drawn = {} if samples is None else {f"samples of {name}": samples}
    check_same_length({name: fields[VALUES]}, arrays, drawn)
    means = {title: draws[..., 0] for title, draws in drawn.items()}
    for title, array in {**arrays, **means}.items():
        check_outputs(title, array, fields[VALUES], name)
    limits = {
        f"interval {c:g} of {name}": i for c, i in forecast.get(INTERVALS, {}).items()
    }
    draws = {f"samples of {name}": forecast.get(SAMPLES)}
    check_same_order({**truth, name: values}, named, limits, draws)
    if samples is not None:
        fields[SAMPLES] = samples
    if STD in forecast:
        std = arrays.pop(f"std of {name}")
        fields[STD] = check_positive(f"std of {name}", std, several=True)
    if arrays:
        fields[QUANTILES] = np.stack([*arrays.values()], axis=-1)
        falls = np.diff(fields[QUANTILES], axis=-1) < 0
        crossing = falls.reshape(len(falls), -1).any(axis=1)
        if crossing.any():
            raise ValueError(
                f"Quantiles of `{name}` must not fall as their level rises. Got "
                f"{int(crossing.sum())} records where they do, the first at position "
                f"{int(np.argmax(crossing))}. Sort them for each record."
            )
    return fields | {"levels": levels}


def _samples(name: str, draws: Any) -> FloatArray:
    """Return draws from predicted distributions, which are the last axis."""
    array = as_array(draws)
    if array.ndim not in (2, 3) or not all(array.shape[1:]):
        raise ValueError(
            f"Samples of `{name}` must be an array of shape (n_samples, n_draws), with the "
            "draws of each record in a row, or (n_samples, n_outputs, n_draws). Got shape "
            f"{array.shape}."
        )
    values = check_numbers(f"samples of {name}, row by row", array.reshape(-1))
    draws = values.reshape(array.shape)
    # One output is a vector, as in check_numbers.
    return draws[:, 0] if draws.shape[1:-1] == (1,) else draws


def columns_by_level(name: str, forecast: Mapping[str, Any]) -> dict[Any, str]:
    """Return the columns of a forecast: "values" and "std", and quantiles by level."""
    single = {kind: forecast[kind] for kind in (VALUES, STD) if kind in forecast}
    return single | _quantiles(name, forecast)


def _quantiles(name: str, forecast: Mapping[str, Any]) -> dict[float, Any]:
    """Return predicted quantiles by level, of which an interval has two."""
    pairs: list[tuple[float, Any]] = []
    for kind in (QUANTILES, INTERVALS):
        own = forecast.get(kind, {})
        shares = list(own) if hasattr(own, "items") else [type(own)]
        if not all(is_number(share) and 0 < share < 1 for share in shares):
            raise ValueError(
                f"{kind!r} of `{name}` must be a dict with levels or coverages between 0 "
                f"and 1 as keys. Got {', '.join(map(repr, shares[:5]))}."
            )
        for share, values in own.items():
            if kind == QUANTILES:
                pairs.append((share, values))
            else:
                low, high = _limits(name, values)
                pairs += [((1 - share) / 2, low), ((1 + share) / 2, high)]
    # Nine tenths of the records leave out 0.05 on either side, not 0.04999999999999999.
    rounded = [(round(float(level), 12), values) for level, values in pairs]
    quantiles = dict(rounded)
    if len(quantiles) < len(rounded):
        raise ValueError(
            f"`{name}` must have each quantile once. Got the levels "
            f"{sorted(level for level, _ in rounded)}."
        )
    return quantiles


def _limits(name: str, limits: Any) -> Any:
    """Return low and high limits of intervals; MAPIE's arrays have a third axis."""
    pair, shape = limits, f"{len(limits)} entries"
    if not isinstance(limits, tuple):
        array = np.atleast_1d(as_array(limits))
        pair, shape = array.reshape(len(array), -1).T, f"shape {array.shape}"
        if array.ndim == 3 and array.shape[2] == 2:
            pair = array[..., 0], array[..., 1]
    if len(pair) != 2:
        raise ValueError(
            f"Intervals of `{name}` must be a tuple (low, high), or an array of shape "
            f"(n_samples, 2) or (n_samples, n_outputs, 2). Got {shape}."
        )
    return pair


def check_outputs(
    name: str, values: FloatArray, truth: FloatArray, reference: str = "y_true"
) -> None:
    """Raise an error if predicted numbers are not of as many outputs as the true ones."""
    if values.shape[1:] != truth.shape[1:]:
        n_true, n_predicted = (
            1 if array.ndim == 1 else array.shape[1] for array in (truth, values)
        )
        raise ValueError(
            f"`{name}` must predict a number for each of {n_true} output"
            f"{'s' * (n_true > 1)} of a record. Got {n_predicted}. Pass one column per "
            f"output, in the order of those of `{reference}`."
        )


def names_of_outputs(
    y_true: Any, n_outputs: int, names: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the names of several outputs: passed, of columns, or their positions."""
    if names is None:
        names = column_names(y_true) or [str(k) for k in range(n_outputs)]
    named = tuple(map(str, names))
    if len(named) != n_outputs or len(set(named)) < n_outputs:
        raise ValueError(
            f"Names of outputs must be {n_outputs} different ones. Got {len(named)}: "
            f"{some_of(np.array(named))}."
        )
    if reserved := [name for name in named if name in MULTIOUTPUT or not name.strip()]:
        raise ValueError(
            f"Outputs must not be named {reserved[0]!r}, which stands for all of them or "
            "for none. Rename it."
        )
    return named


def outputs_of(y: Any, numbers: FloatArray) -> tuple[str, ...]:
    """Return the names of the outputs of a target, of which `numbers` are the values."""
    return names_of_outputs(y, numbers.shape[1]) if numbers.ndim == 2 else ()


def column_names(data: Any) -> list[str]:
    """Names of the columns of a frame; empty for arrays."""
    names = getattr(data, "column_names", None)
    return [
        str(name) for name in (getattr(data, "columns", ()) if names is None else names)
    ]


def check_same_outputs(name: str, forecast: Any, outputs: Sequence[str]) -> None:
    """Raise an error if columns have the names of the outputs in another order."""
    columns = column_names(forecast)
    if columns != list(outputs) and set(columns) == set(outputs):
        raise ValueError(
            f"Columns of `{name}` must be in the order of those of `y_true`. Got "
            f"{', '.join(columns[:5])} beside {', '.join(outputs[:5])}. Bring them into "
            "one order."
        )
