"""Caveats about how classifiers were fitted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skcompare.predictions._roles import is_fitted, is_mixed


def fitting_flags(
    estimators: Sequence[tuple[str, Any]], fit_params: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Flags of classifiers that came frozen or fitted, and of weights."""
    flags: tuple[str, ...] = ()
    if is_mixed(estimators):
        flags = ("mixed-frozen",)
    elif any(is_fitted(estimator) for _, estimator in estimators):
        flags = ("refitted",)
    if any("sample_weight" in params for params in fit_params):
        flags = (*flags, "weighted-fit")
    return flags
