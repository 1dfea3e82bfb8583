"""What cross_compare scores by: scikit-learn's scorers, and metrics of this package."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from skcompare._core.validation import some_of
from skcompare.comparators._real_scores import ClassScorer
from skcompare.metrics import get_scorer, resolve_scoring
from skcompare.metrics._measures import named_scoring


def scorers_of(
    estimators: Sequence[tuple[str, Any]],
    scoring: Any,
    classes: np.ndarray,
    *,
    raise_exc: bool,
) -> list[Any]:
    """A scorer for each estimator; they differ where each has its own `score` only."""
    given = _as_scorers(scoring, classes)
    scorers = []
    for name, estimator in estimators:
        if given is None and not hasattr(estimator, "score"):
            raise TypeError(
                f"Without `scoring` each classifier needs a `score` method. {name} "
                f"({type(estimator).__name__}) has none. Pass `scoring`, such as "
                "'accuracy'."
            )
        scorers.append(check_scoring(estimator, given, raise_exc=raise_exc))
    return scorers


def metric_names(scoring: Any) -> tuple[str, ...] | None:
    """Names of several metrics; None where there is one, or a callable that names them."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        return None
    return tuple(str(name) for name in scoring)


def _as_scorers(scoring: Any, classes: np.ndarray) -> Any:
    """The same in what scikit-learn takes; metrics of this package become scorers."""
    if scoring is None or callable(scoring):
        return scoring
    if isinstance(scoring, str):
        return _scorer_of(scoring, classes)
    named = named_scoring(scoring)
    if not isinstance(scoring, Mapping) and any(name is not one for name, one in named):
        raise TypeError(
            f"A list of `scoring` must hold names. Got {[one for _, one in named]!r:.100}. "
            "Pass a dict to name scorers."
        )
    return {
        name: _scorer_of(value, classes) if isinstance(value, str) else value
        for name, value in named
    }


def _scorer_of(name: str, classes: np.ndarray) -> Any:
    """A named scorer, which must suit the classes before anything is fitted."""
    (measure,) = resolve_scoring(name)
    try:
        measure.check_classes(classes)
    except ValueError as error:
        why = error.__cause__ or error
        raise ValueError(
            f"scoring {name!r} does not suit the {len(classes)} classes "
            f"{some_of(classes)}: {why} Name the class in brackets, such as "
            f"'precision[{classes[-1]}]', or choose a multi-class scorer, such as "
            "'f1_macro'."
        ) from error
    if not measure.greater_is_better:
        raise ValueError(
            f"cross_compare scores as scikit-learn does, so that greater is better. Got "
            f"the loss {name!r}. Pass 'neg_{name}'."
        )
    return get_scorer(name) if measure.label is None else ClassScorer(measure)
