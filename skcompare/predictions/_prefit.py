"""The answers of fitted classifiers to a hold-out set, with all that is checked."""

from collections.abc import Mapping
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils import indexable

from skcompare._core.labels import check_groups, check_labels
from skcompare.predictions._collect import collect_fitted
from skcompare.predictions._describe import describe
from skcompare.predictions._predictions import PairedPredictions, Predictions
from skcompare.predictions._roles import check_roles, check_target, is_fitted


def pair_of_fitted(
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    wanted: frozenset[str],
    groups: Any = None,
    why: str,
) -> PairedPredictions:
    """What two fitted classifiers answer, as :func:`answers_of_fitted` asks them."""
    predictions = answers_of_fitted(roles, X, y, wanted=wanted, groups=groups, why=why)
    return predictions.pair(*roles)


def answers_of_fitted(
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    wanted: frozenset[str],
    groups: Any = None,
    why: str,
) -> Predictions:
    """What fitted classifiers answer; `why` says what needs them fitted.

    Parameters
    ----------
    roles : mapping of str to estimator
        The classifiers by their names, such as those of their roles.
    X, y, groups
        The records of the hold-out set, their labels and their groups.
    wanted : frozenset of {"labels", "scores"}
        What they are asked for.
    why : str
        The sentence that begins the message where one is not fitted.
    """
    named = list(roles.items())
    check_roles(named, allow_mixed=True, prefit=True)
    for name, estimator in named:
        if not is_fitted(estimator):
            raise NotFittedError(
                f"{why} `{name}` ({describe(estimator)}) is not fitted. Fit it on other "
                "records first."
            )
    check_target(y, fitting=False)
    X, y, groups = indexable(X, y, groups)
    if groups is not None:
        check_groups(groups)
    labels = check_labels("y_true", y)
    return collect_fitted(named, X, labels, wanted=wanted, groups=groups)
