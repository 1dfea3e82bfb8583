"""Short words for an estimator."""

from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.pipeline import Pipeline


def describe(estimator: Any) -> str:
    """Class names from the outside in: "Pipeline(StandardScaler, LogisticRegression)"."""
    name = type(estimator).__name__
    if isinstance(estimator, Pipeline):
        steps = [
            describe(step)
            for _, step in estimator.steps
            if step not in (None, "passthrough")
        ]
        return f"{name}({', '.join(steps)})"
    # Only a parameter is part of the description; a forest's default tree is not.
    parameters = (
        estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    )
    inner = parameters.get("estimator")
    return f"{name}({describe(inner)})" if hasattr(inner, "fit") else name


def describe_all(estimators: Sequence[Any]) -> list[str]:
    """Descriptions, with the parameters that differ where they would be the same."""
    words = [describe(estimator) for estimator in estimators]
    settings = [
        _differing(k, estimators) if words.count(word) > 1 else ""
        for k, word in enumerate(words)
    ]
    return [
        f"{word} with {given}" if given else word
        for word, given in zip(words, settings, strict=True)
    ]


def _differing(k: int, estimators: Sequence[Any], most: int = 3) -> str:
    """Values of the plain parameters in which an estimator differs from others."""
    given = [
        estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
        for estimator in estimators
    ]
    shown = [
        f"{name}={value!r}"
        for name, value in given[k].items()
        if isinstance(value, str | int | float | bool | None)
        and any(name in other and _differ(other[name], value) for other in given)
    ]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def _differ(one: Any, other: Any) -> bool:
    """Whether a setting differs from a plain one; NaN is the same setting as NaN."""
    if isinstance(one, Iterable) and not isinstance(one, str):
        # An array, for example, would be compared value by value.
        return True
    return one != other and not (one != one and other != other)
