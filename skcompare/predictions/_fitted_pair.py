"""A pair of classifiers that was fitted as one estimator, taken apart again."""

from copy import copy
from typing import Any

from sklearn.pipeline import Pipeline

from skcompare.predictions._role_names import CHALLENGER, CHAMPION


def fitted_pair(estimator: Any) -> tuple[Any, Any] | None:
    """The fitted champion and challenger within a pair; None where there are none.

    Of a pipeline that ends in a pair they are pipelines with the same first steps.
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        roles = fitted_pair(last)
        if roles is None:
            return None
        champion, challenger = (_ending_in(estimator, name, role) for role in roles)
        return champion, challenger
    if not all(hasattr(estimator, f"{role}_") for role in (CHAMPION, CHALLENGER)):
        return None
    return estimator.champion_, estimator.challenger_


def _ending_in(pipeline: Pipeline, name: str, last: Any) -> Pipeline:
    """A fitted pipeline with another fitted last step."""
    other = copy(pipeline)
    other.steps = [*pipeline.steps[:-1], (name, last)]
    return other
