"""Checks of the state of champion and challenger: frozen, fitted or neither."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_clusterer, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from skcompare._core.validation import (
    check_groups,
    check_labels,
    check_not_missing,
    check_numbers,
    classes_of,
)
from skcompare._registry.metrics import CLASSES, NUMBERS, VALUES
from skcompare.predictions._collect import collect_fitted, describe
from skcompare.predictions._predictions import CHALLENGER, CHAMPION, Predictions

PREFIT = "prefit"
"""Value of `cv` for classifiers that are used as they are."""

NamedEstimators = Sequence[tuple[str, Any]]


OF_OTHER_TARGET: dict[str, tuple[Callable[..., bool], str, str]] = {
    CLASSES: (
        is_regressor,
        "regressor",
        "which is compared by a measure of numbers, such as 'r2'",
    ),
    NUMBERS: (
        is_classifier,
        "classifier",
        "which is compared by a measure of classes, such as 'accuracy'",
    ),
}
"""Estimators that do not predict a target: how they are recognised, named and compared."""


def target_of(estimators: NamedEstimators) -> str:
    """Return what estimators predict: numbers if all are regressors, or else classes."""
    # Only tags show a regressor, and classifiers of other packages may lack them.
    are_regressors = [
        hasattr(part, "__sklearn_tags__")
        and not isinstance(part, type)
        and is_regressor(part)
        for _, part in estimators
    ]
    return NUMBERS if all(are_regressors) else CLASSES


def check_roles(
    estimators: NamedEstimators, *, allow_mixed: bool, prefit: bool, target: str = CLASSES
) -> None:
    """Check that all estimators predict the target, and all or none of them are frozen."""
    predictor = "regressor" if target == NUMBERS else "classifier"
    for name, estimator in estimators:
        if isinstance(estimator, type):
            raise TypeError(
                f"`{name}` must be a {predictor} instance. Got the class "
                f"{estimator.__name__}. Add parentheses: {estimator.__name__}()."
            )
        lacking = [
            method
            for method in ("fit", "get_params", "predict")
            if not hasattr(estimator, method)
        ]
        if lacking == ["predict"] and hasattr(type(estimator), "predict"):
            # A stack of classifiers has no predict before it is fitted.
            lacking = [] if is_classifier(estimator) else lacking
        if lacking:
            raise TypeError(
                f"`{name}` must be a scikit-learn {predictor} with fit, get_params and "
                f"predict. Got {type(estimator).__name__}, without {', '.join(lacking)}."
            )
        for is_other_kind, kind, advice in (
            OF_OTHER_TARGET[target],
            (is_clusterer, "clusterer", "which is not supported yet"),
            (is_outlier_detector, "outlier detector", "which is not supported yet"),
        ):
            if is_other_kind(estimator):
                raise ValueError(
                    f"`{name}` must be a {predictor}. Got the {kind} "
                    f"{describe(estimator)}, {advice}."
                )
    if is_mixed(estimators) and not (allow_mixed or prefit):
        raise ValueError(
            "All classifiers must be frozen, or none, also within a pipeline. Got some of "
            "each: the comparison would mix a trained model with a learning algorithm, and "
            "leak if the frozen model has seen these records. Unfreeze it, or pass "
            "allow_mixed=True."
        )


def check_roles_to_fit(
    estimators: NamedEstimators, *, allow_mixed: bool, target: str
) -> None:
    """Check the estimators, of which at least one must be fitted on the records."""
    check_roles(estimators, allow_mixed=allow_mixed, prefit=False, target=target)
    if all(_frozen(estimators)):
        raise ValueError(
            "At least one classifier must be fitted on these records. Got frozen ones "
            "only. Compare them on a hold-out set by PairedComparator(..., cv='prefit'), "
            "or unfreeze one."
        )


def is_prefit(estimators: NamedEstimators, cv: Any) -> bool:
    """Whether the classifiers are used without fitting, on a hold-out set."""
    if isinstance(cv, str) and cv == PREFIT:
        for name, estimator in estimators:
            if not is_fitted(estimator):
                raise NotFittedError(
                    f"cv='prefit' needs fitted classifiers. `{name}` "
                    f"({describe(estimator)}) is not fitted. Fit it on other records first."
                )
        return True
    if not all(_frozen(estimators)):
        return False
    if cv is not None:
        raise ValueError(
            "All classifiers are frozen, so X and y are a hold-out set and `cv` must be "
            f"None or 'prefit'. Got {cv!r}. Unfreeze them to refit on every split."
        )
    return True


def is_mixed(estimators: NamedEstimators) -> bool:
    """Whether frozen classifiers are mixed with other ones, or nested in them."""
    frozen = _frozen(estimators)
    return (any(frozen) and not all(frozen)) or any(map(_holds_frozen, estimators))


def is_frozen(estimator: Any) -> bool:
    """Whether an estimator is a trained model that is never fitted again."""
    return isinstance(estimator, FrozenEstimator)


def _frozen(estimators: NamedEstimators) -> list[bool]:
    return [is_frozen(estimator) for _, estimator in estimators]


def _holds_frozen(item: tuple[str, Any]) -> bool:
    """Whether a classifier that is not frozen itself contains a frozen one."""
    estimator = item[1]
    if isinstance(estimator, FrozenEstimator):
        return False
    nested = estimator.get_params(deep=True).values()
    return any(
        isinstance(value, FrozenEstimator) and is_classifier(value) for value in nested
    )


def is_fitted(estimator: Any) -> bool:
    """Whether an estimator is fitted."""
    try:
        check_is_fitted(estimator)
    except (NotFittedError, TypeError):
        return False
    return True


def check_target(
    y: Any, groups: Any = None, *, fitting: bool, target: str = CLASSES
) -> NDArray[Any]:
    """Check that the target is a single column of class labels, or of numbers.

    Numbers may have several columns, one per output. Returns these, and checks the groups
    of the records too, if there are any.
    """
    if groups is not None:
        check_groups(groups)
    if target == NUMBERS:
        return check_numbers("y", y, several=True)
    array = np.asarray(y)
    if array.ndim == 1:
        check_not_missing("y", array)
    kind = type_of_target(y, input_name="y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. `y` must be class labels of shape (n_samples,), "
            "binary or multiclass. Numbers are compared by measures of numbers, such as "
            "'r2'; multilabel and multi-output targets are not supported yet."
        )
    labels = check_labels("y", y)
    if fitting and len(classes_of(labels)) < 2:
        raise ValueError(
            "`y` must have at least two classes to fit classifiers. Got one class only. "
            "Collect records of another class."
        )
    return labels


def fitted_pair(estimator: Any) -> tuple[Any, Any] | None:
    """Return the fitted champion and challenger of a pair, or None if there are none.

    If a pipeline ends in a pair, they are pipelines with the same first steps.
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
    """Return a fitted pipeline with another fitted last step."""
    new = copy(pipeline)
    new.steps = [*pipeline.steps[:-1], (name, last)]
    return new


def predictions_of_fitted(
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    required: frozenset[str],
    groups: Any = None,
    why: str,
) -> Predictions:
    """Predict a hold-out set with fitted estimators; raise an error if one is not fitted.

    Parameters
    ----------
    roles : mapping of str to estimator
        Classifiers by their names, such as those of their roles; or regressors.
    X, y, groups
        Records of the hold-out set, their labels or numbers, and their groups.
    required : frozenset of {"labels", "scores"}, or of "values"
        Kinds of predictions to collect: of classifiers, or the numbers of regressors.
    why : str
        First sentence of the message if one is not fitted.
    """
    estimators = list(roles.items())
    target = NUMBERS if VALUES in required else CLASSES
    check_roles(estimators, allow_mixed=True, prefit=True, target=target)
    for name, estimator in estimators:
        if not is_fitted(estimator):
            raise NotFittedError(
                f"{why} `{name}` ({describe(estimator)}) is not fitted. Fit it on other "
                "records first."
            )
    checked = check_target(y, groups, fitting=False, target=target)
    X, _, groups = indexable(X, checked, groups)
    return collect_fitted(
        estimators,
        X,
        checked,
        required=required,
        groups=groups,
        y_named=y,
    )
