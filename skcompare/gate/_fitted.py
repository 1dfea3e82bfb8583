"""The answers of two trained classifiers to a hold-out set, as what a gate judges."""

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils import indexable

from skcompare._labels import check_groups, check_labels
from skcompare._validation import as_array, check_same_length
from skcompare.comparators._roles import check_roles, check_target, is_fitted
from skcompare.comparators._tests import answers_wanted
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._subjects import PairSubject
from skcompare.predictions import collect_fitted, describe

__all__ = ["fitted_subject"]


def fitted_subject(
    conditions: Sequence[Condition | AnyOf],
    roles: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any,
    pos_label: Any,
    columns: Mapping[str, Any] | None,
) -> PairSubject:
    """What fitted classifiers answer, as far as the conditions need it."""
    named = list(roles.items())
    check_roles(named, allow_mixed=True, prefit=True)
    for name, estimator in named:
        if not is_fitted(estimator):
            raise NotFittedError(
                f"A gate judges trained classifiers. `{name}` ({describe(estimator)}) is "
                "not fitted. Fit it on other records first."
            )
    check_target(y, fitting=False)
    X, y, groups = indexable(X, y, groups)
    if groups is not None:
        check_groups(groups)
    labels = check_labels("y_true", y)
    wanted = _wanted(conditions)
    predictions = collect_fitted(named, X, labels, wanted=wanted, groups=groups)
    arrays = {name: as_array(column) for name, column in (columns or {}).items()}
    check_same_length({"y_true": labels}, arrays)
    return PairSubject(predictions.pair(*roles), arrays, pos_label)


def _wanted(conditions: Sequence[Condition | AnyOf]) -> frozenset[str]:
    """What must be answered for the measures and the tests that were asked for."""
    leaves = [
        leaf
        for one in conditions
        for leaf in (one.conditions if isinstance(one, AnyOf) else (one,))
    ]
    measures = [leaf.scored for leaf in leaves if leaf.scored is not None]
    tests: dict[str, dict[str, Any]] = {
        leaf.test_name: {} for leaf in leaves if leaf.test_name is not None
    }
    return answers_wanted(measures, tests or None)
