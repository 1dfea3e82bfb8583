"""Splits of a `cv` argument, checked, with their design."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from skcompare._core.design import Design, design_of
from skcompare._core.validation import check_count
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import Split, disjoint_split, n_rows, seeded


@dataclass(frozen=True, slots=True)
class Splits:
    """Train and test indices, their design, and caveats about them."""

    pairs: list[Split]
    design: Design
    flags: tuple[str, ...]


def resolve_cv(cv: Any, y: Any, random_state: Any) -> Any:
    """Return the splitter of a `cv` argument, seeded if it has no seed of its own."""
    if cv is None:
        return BlockRegularized5x2CV(random_state=random_state)
    if isinstance(cv, str):
        raise ValueError(
            f"`cv` must be None, 'prefit', a splitter, a number of folds or an iterable of "
            f"splits. Got {cv!r}."
        )
    if isinstance(cv, int) and not isinstance(cv, bool):
        check_count("cv", cv, least=2)
    splitter = check_cv(cv, y, classifier=True)
    if random_state is not None and getattr(splitter, "random_state", 0) is None:
        return seeded(splitter, check_random_state(random_state))
    return splitter


def make_splits(splitter: Any, X: Any, y: np.ndarray, groups: Any, params: Any) -> Splits:
    """Make all splits of a splitter once, so that every classifier sees the same."""
    flags: tuple[str, ...] = ()
    if hasattr(splitter, "describe"):
        flags = splitter.describe(X, y, **params).flags
    n = n_rows(X)
    pairs = [
        disjoint_split(f"Split {k}", train, test, n)
        for k, (train, test) in enumerate(splitter.split(X, y, **params))
    ]
    if not pairs:
        raise ValueError(f"`cv` must give at least one split. Got none from {splitter}.")
    design = design_of(splitter, len(pairs), grouped=groups is not None)
    return Splits(pairs, design, flags)
