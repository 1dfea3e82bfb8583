"""Whether classifiers that are fitted again predict the same."""

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from skcompare.predictions._answer import Outcome, is_seed, set_seeds

NOT_REPRODUCIBLE = "not-reproducible"


def takes_no_seed(estimator: Any) -> bool:
    """Whether an estimator has a `random_state` that stays as it is when seeds are set.

    It may take no number, or belong to an estimator in a grid of a search.
    """
    try:
        seeded = clone(estimator)
        set_seeds(seeded, 0)
    # Whatever is wrong with an estimator is said by its first fit, with its name.
    except Exception:
        return False
    return any(not _is_set(value) for value in _random_states(seeded))


def _is_set(random_state: Any) -> bool:
    return isinstance(random_state, Integral | np.random.RandomState | np.random.Generator)


def _random_states(value: Any) -> Iterator[Any]:
    """The random states of an estimator and of all estimators that it holds."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from _random_states(one)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for key, own in value.get_params(deep=True).items():
            if is_seed(key):
                yield own
            elif isinstance(own, list | tuple | Mapping):
                yield from _random_states(own)


def are_alike(first: Outcome, second: Outcome) -> bool:
    """Whether predictions are the same, but for the order in which sums were added up."""
    pairs = [(getattr(first, n), getattr(second, n)) for n in ("proba", "decision")]
    return bool(np.all(first.labels == second.labels)) and all(
        one is None or np.allclose(one, other, atol=1e-6) for one, other in pairs
    )
