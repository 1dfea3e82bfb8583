"""Short descriptions of estimators."""

from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.pipeline import Pipeline


def describe(estimator: Any) -> str:
    """Return nested class names, such as "Pipeline(StandardScaler, LogisticRegression)"."""
    name = type(estimator).__name__
    if isinstance(estimator, Pipeline):
        steps = [
            describe(step)
            for _, step in estimator.steps
            if step not in (None, "passthrough")
        ]
        return f"{name}({', '.join(steps)})"
    # Only parameters are described; the default tree of a forest is not.
    parameters = (
        estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    )
    inner = parameters.get("estimator")
    return f"{name}({describe(inner)})" if hasattr(inner, "fit") else name


def describe_all(estimators: Sequence[Any]) -> list[str]:
    """Return descriptions, with the parameters that differ if descriptions are equal."""
    descriptions = [describe(estimator) for estimator in estimators]
    settings = [
        _differing(k, estimators) if descriptions.count(description) > 1 else ""
        for k, description in enumerate(descriptions)
    ]
    return [
        f"{description} with {differences}" if differences else description
        for description, differences in zip(descriptions, settings, strict=True)
    ]


def _differing(k: int, estimators: Sequence[Any], most: int = 3) -> str:
    """Return the plain parameters in which an estimator differs from others, as text."""
    parameters = [
        estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
        for estimator in estimators
    ]
    shown = [
        f"{name}={value!r}"
        for name, value in parameters[k].items()
        if isinstance(value, str | int | float | bool | None)
        and any(name in params and _differ(params[name], value) for params in parameters)
    ]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def _differ(a: Any, b: Any) -> bool:
    """Whether a value differs from a plain one; NaN is equal to NaN."""
    if isinstance(a, Iterable) and not isinstance(a, str):
        # An array, for example, would be compared element by element.
        return True
    return a != b and not (a != a and b != b)
