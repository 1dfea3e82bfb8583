"""Short words for an estimator."""

from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["describe"]


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
