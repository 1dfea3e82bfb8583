"""The answers of two trained classifiers to a hold-out set, as what a gate judges."""

from collections.abc import Mapping, Sequence
from typing import Any

from skcompare._core.validation import as_array, check_same_length
from skcompare.comparators._tests import answers_wanted
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._subjects import PairSubject
from skcompare.predictions._prefit import pair_of_fitted


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
    pair = pair_of_fitted(
        roles,
        X,
        y,
        wanted=_wanted(conditions),
        groups=groups,
        why="A gate judges trained classifiers.",
    )
    arrays = {name: as_array(column) for name, column in (columns or {}).items()}
    check_same_length({"y_true": pair.predictions.y}, arrays)
    return PairSubject(pair, arrays, pos_label)


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
