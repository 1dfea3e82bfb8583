"""The splits behind scikit-learn's own results: sizes, design, and whether shared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcompare._core.design import Design
from skcompare._typing import IntArray
from skcompare.predictions._fit_predict import seeded
from skcompare.predictions._split_info import (
    Split,
    ToldOfSplits,
    disjoint_split,
    is_constant,
    sizes_are_constant,
)

NOT_CHECKED = "splits-not-checked"


@dataclass(frozen=True, slots=True)
class CvSplits:
    """Sizes and design of splits, and the splits themselves where they are known."""

    n_train: Any
    n_test: Any
    design: Design
    flags: tuple[str, ...] = ()
    pairs: Sequence[Split] | None = None


def splits_of_outputs(
    outputs: Mapping[str, Any], n_splits: int, told: ToldOfSplits
) -> CvSplits:
    """The splits that outputs of `cross_validate` share, checked as far as they tell."""
    held = {
        role: _indices(role, output["indices"], told)
        for role, output in outputs.items()
        if "indices" in output
    }
    flags = () if len(held) == len(outputs) else (NOT_CHECKED,)
    splitter = None if told.cv is None else told.splitter()
    if splitter is not None and is_constant(splitter):
        if told.can_split:
            held["`cv`"] = _made(splitter, told)
    elif splitter is not None and not held:
        raise ValueError(
            f"{splitter} shuffles anew each time, so the outputs are of different splits. "
            "Give it a whole number as `random_state`, and run cross_validate again for "
            "both."
        )
    _check_same(held, n_splits)
    pairs = next(iter(held.values()), None)
    return _sized(pairs, n_splits, told, splitter, flags)


def splits_of_pair(output: Any, n_splits: int, told: ToldOfSplits) -> CvSplits:
    """The splits of two classifiers that were cross-validated as one estimator.

    They share them even where nobody can tell any more which these were.
    """
    if "indices" in output:
        return splits_of_outputs({"the pair": output}, n_splits, told)
    if told.cv is None:
        return _sized(None, n_splits, told, None, ())
    return splits_of_search(n_splits, told)


def splits_of_search(
    n_splits: int, told: ToldOfSplits, *, one_run: bool = True
) -> CvSplits:
    """The splits that all candidates of a search share.

    A search runs its splitter once for all candidates, so they share the splits even
    where nobody can tell any more which these were. `one_run` is False for searches that
    may run it again for other candidates.
    """
    splitter = told.splitter()
    constant = is_constant(splitter)
    flags = () if constant or one_run else (NOT_CHECKED,)
    pairs = None
    if told.can_split and constant:
        pairs = _made(splitter, told)
        _check_same({"`cv`": pairs}, n_splits)
    elif told.can_split and not told.has_sizes and sizes_are_constant(splitter):
        # Which records were drawn is not known, but how many.
        again = _made(seeded(splitter, np.random.RandomState(0)), told)
        n_train, n_test = _sizes(again)
        told = replace(told, n_train=n_train, n_test=n_test)
    return _sized(pairs, n_splits, told, splitter, flags)


def _sized(
    pairs: Sequence[Split] | None,
    n_splits: int,
    told: ToldOfSplits,
    splitter: Any,
    flags: tuple[str, ...],
) -> CvSplits:
    """Splits with their sizes, which are found where splits are known, else told."""
    design = told.design_of(splitter, n_splits, pairs)
    if pairs is None and not told.has_sizes:
        raise ValueError(
            "The sizes of the training and test sets are not known. Pass `X` and `y` with "
            "a `cv` that makes the same splits each time; or `n_train` and `n_test`; or "
            "run cross_validate with return_indices=True."
        )
    if pairs is not None and told.has_sizes:
        raise ValueError(
            "The splits are known, and their sizes with them. Leave out `n_train` and "
            "`n_test`."
        )
    if pairs is None:
        return CvSplits(told.n_train, told.n_test, design, flags)
    return CvSplits(*_sizes(pairs), design, flags, pairs)


def _sizes(pairs: Sequence[Split]) -> tuple[IntArray, IntArray]:
    trains, tests = zip(*pairs)
    return np.array([len(train) for train in trains]), np.array([len(t) for t in tests])


def _indices(role: str, indices: Any, told: ToldOfSplits) -> list[Split]:
    """The splits that an output holds."""
    return _checked(role, zip(indices["train"], indices["test"]), told)


def _made(splitter: Any, told: ToldOfSplits) -> list[Split]:
    """The splits that a splitter makes of the records."""
    return _checked("`cv`", told.split(splitter), told)


def _checked(who: str, splits: Iterable[Any], told: ToldOfSplits) -> list[Split]:
    """Splits as positions; refuses those that test what they train on."""
    return [
        disjoint_split(f"Split {k} of {who}", train, test, told.n_records)
        for k, (train, test) in enumerate(splits)
    ]


def _check_same(held: Mapping[str, Sequence[Split]], n_splits: int) -> None:
    """Refuse splits that differ, saying where, or of another number than the scores."""
    for who, pairs in held.items():
        if len(pairs) != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {who} has {len(pairs)} "
                "splits. Pass what made the scores; of a generator, which is used up by "
                "now, the list of its splits."
            )
    (first, pairs), *others = held.items() if held else [("", ())]
    for who, own in others:
        for k, (one, other) in enumerate(zip(pairs, own, strict=True)):
            for part, a, b in zip(("training", "test"), one, other, strict=True):
                if not _are_same(a, b):
                    raise ValueError(_difference(k, part, (first, a), (who, b)))


def _are_same(one: IntArray, other: IntArray) -> bool:
    """Whether two sets hold the same records, in whatever order they were shuffled."""
    if np.array_equal(one, other):
        return True
    return one.size == other.size and np.array_equal(np.sort(one), np.sort(other))


def _difference(
    k: int, part: str, one: tuple[str, IntArray], other: tuple[str, IntArray]
) -> str:
    (first, a), (second, b) = one, other
    return (
        f"Both classifiers must have the same splits, but the {part} sets of split {k} "
        f"differ: {a.size} records of {first}, {b.size} of {second}, "
        f"{np.intersect1d(a, b).size} in both. Give both one `cv`: a list of splits, or a "
        "splitter with a whole number as `random_state`."
    )
