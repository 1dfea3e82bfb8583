"""Whether the nodes of saved trees exist.

scikit-learn's compiled code follows the numbers of child nodes, features and records that a
tree holds without looking whether there are such, so that a file that was made to harm
could read foreign memory. A tree that scikit-learn made has children after their parents,
which also means that following them ends.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Ensembles that hand records to their trees without checking how many features these have.
UNCHECKED = ("sklearn.ensemble._forest", "sklearn.ensemble._gb")


class BrokenTreeError(ValueError):
    """A tree names nodes, features or records that do not exist."""


def check_contents(estimator: Any) -> None:
    """Refuse trees with nodes that do not exist, anywhere in an estimator."""
    for owner, held in _held_objects(estimator):
        name = f"{type(held).__module__}.{type(held).__name__}"
        check = CHECKS.get(name)
        if check is not None:
            try:
                check(held, getattr(owner, "n_features_in_", None))
            except (AttributeError, IndexError, KeyError, TypeError) as error:
                raise BrokenTreeError(f"{name} is not complete: {error}") from error
        if type(held).__module__ in UNCHECKED and hasattr(held, "estimators_"):
            _check_members(held)


def _held_objects(root: Any) -> Iterator[tuple[Any, Any]]:
    """Everything that an estimator holds, with the object whose attribute holds it."""
    seen: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = [(None, root)]
    while waiting:
        owner, value = waiting.pop()
        if isinstance(value, str | bytes | int | float | None) or id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, dict):
            waiting += [(owner, one) for one in value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += [(owner, one) for one in value]
        elif isinstance(value, np.ndarray):
            if value.dtype == object:
                waiting += [(owner, one) for one in value.ravel()]
        else:
            yield owner, value
            waiting += [(value, one) for one in getattr(value, "__dict__", {}).values()]


def _check_members(ensemble: Any) -> None:
    for member in np.asarray(ensemble.estimators_, dtype=object).ravel():
        _check(
            getattr(member, "n_features_in_", None) == ensemble.n_features_in_,
            "a tree has other features than its ensemble",
        )


def _check(holds: Any, words: str) -> None:
    if not holds:
        raise BrokenTreeError(words)


def _check_children(
    left: NDArray[Any], right: NDArray[Any], inner: NDArray[np.bool_]
) -> None:
    """Inner nodes have two children, both of which come later and exist."""
    places = np.arange(len(inner))
    for child in (left, right):
        after = (child > places) & (child < len(inner))
        _check(after[inner].all(), "a node of a tree has a child that does not exist")


def _check_tree(tree: Any, n_features: int | None) -> None:
    _check(0 < tree.node_count == tree.capacity, "a tree has another number of nodes")
    _check(tree.n_features == n_features, "a tree has other features than its estimator")
    inner = tree.children_left != -1
    _check_children(tree.children_left, tree.children_right, inner)
    used = tree.feature[inner]
    _check(((used >= 0) & (used < tree.n_features)).all(), "a tree uses an unknown feature")


def _check_predictor(predictor: Any, n_features: int | None) -> None:
    nodes = predictor.nodes
    _check(nodes.ndim == 1 and len(nodes), "a tree has no nodes")
    inner = nodes["is_leaf"] == 0
    _check_children(nodes["left"].astype(int), nodes["right"].astype(int), inner)
    used = nodes["feature_idx"][inner]
    known = n_features is not None and ((used >= 0) & (used < n_features)).all()
    _check(known, "a tree uses an unknown feature")
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets"):
        bitsets = getattr(predictor, name)
        _check(bitsets.ndim == 2 and bitsets.shape[1] == 8, "a tree has no categories")
        _check((sets < len(bitsets)).all(), "a tree uses unknown categories")


def _check_search_tree(tree: Any, n_features: int | None) -> None:
    data, records, nodes, bounds = map(np.asarray, tree.get_arrays())
    n, n_nodes = len(data), len(nodes)
    places = np.arange(n_nodes)
    _check(
        len(records) == n and ((records >= 0) & (records < n)).all(),
        "a search tree names a record that does not exist",
    )
    start, end = nodes["idx_start"], nodes["idx_end"]
    _check(
        n_nodes and ((start >= 0) & (start <= end) & (end <= n)).all(),
        "a node of a search tree has records that do not exist",
    )
    _check(
        (nodes["is_leaf"][2 * places + 2 >= n_nodes] != 0).all(),
        "a node of a search tree has a child that does not exist",
    )
    _check(
        bounds.ndim == 3
        and bounds.shape[1] == n_nodes
        and bounds.shape[2] == data.shape[1],
        "a search tree has other bounds than nodes",
    )
    # Levels and nodes are counts of their own beside the arrays.
    levels, counted = tree.__getstate__()[5:7]
    _check(counted == n_nodes == 2**levels - 1, "a search tree has another number of nodes")


CHECKS = {
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": _check_predictor,
    "sklearn.neighbors._ball_tree.BallTree": _check_search_tree,
    "sklearn.neighbors._kd_tree.KDTree": _check_search_tree,
    "sklearn.tree._tree.Tree": _check_tree,
}
