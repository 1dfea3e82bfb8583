"""Splits of scikit-learn's results: sizes, design, and checks that they are shared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skcompare._core.design import Design
from skcompare._typing import IntArray
from skcompare.predictions._fit_predict import seeded
from skcompare.predictions._split_info import (
    Split,
    SplitInfo,
    disjoint_split,
    is_constant,
    sizes_are_constant,
)

NOT_CHECKED = "splits-not-checked"


@dataclass(frozen=True, slots=True)
class CvSplits:
    """Sizes and design of splits, and the splits themselves if known."""

    n_train: Any
    n_test: Any
    design: Design
    flags: tuple[str, ...] = ()
    pairs: Sequence[Split] | None = None


def splits_of_outputs(
    outputs: Mapping[str, Any], n_splits: int, info: SplitInfo
) -> CvSplits:
    """Return the splits shared by outputs of `cross_validate`, checked if possible."""
    splits = {
        role: _splits_of_output(role, output["indices"], info)
        for role, output in outputs.items()
        if "indices" in output
    }
    flags = () if len(splits) == len(outputs) else (NOT_CHECKED,)
    splitter = None if info.cv is None else info.splitter()
    if splitter is not None and is_constant(splitter):
        if info.can_split:
            splits["`cv`"] = _splits_of(splitter, info)
    elif splitter is not None and not splits:
        raise ValueError(
            f"{splitter} shuffles again each time, so the outputs are of different splits. "
            "Give it a whole number as `random_state`, and run cross_validate again for "
            "both."
        )
    _check_same(splits, n_splits)
    pairs = next(iter(splits.values()), None)
    return _with_sizes(pairs, n_splits, info, splitter, flags)


def splits_of_pair(output: Any, n_splits: int, info: SplitInfo) -> CvSplits:
    """Return the splits of two classifiers that were cross-validated as one estimator.

    Both have the same splits, even if these are not known any more.
    """
    if "indices" in output:
        return splits_of_outputs({"the pair": output}, n_splits, info)
    if info.cv is None:
        return _with_sizes(None, n_splits, info, None, ())
    return splits_of_search(n_splits, info)


def splits_of_search(n_splits: int, info: SplitInfo, *, one_run: bool = True) -> CvSplits:
    """Return the splits that all candidates of a search share.

    A search runs its splitter once for all candidates, so they share the splits even if
    these are not known any more. `one_run` is False for searches that may run it again for
    other candidates.
    """
    splitter = info.splitter()
    constant = is_constant(splitter)
    flags = () if constant or one_run else (NOT_CHECKED,)
    pairs = None
    if info.can_split and constant:
        pairs = _splits_of(splitter, info)
        _check_same({"`cv`": pairs}, n_splits)
    elif info.can_split and not info.has_sizes and sizes_are_constant(splitter):
        # The records that were drawn are not known, but their number is.
        redrawn = _splits_of(seeded(splitter, np.random.RandomState(0)), info)
        n_train, n_test = _sizes(redrawn)
        info = replace(info, n_train=n_train, n_test=n_test)
    return _with_sizes(pairs, n_splits, info, splitter, flags)


def _with_sizes(
    pairs: Sequence[Split] | None,
    n_splits: int,
    info: SplitInfo,
    splitter: Any,
    flags: tuple[str, ...],
) -> CvSplits:
    """Return splits with their sizes, counted if splits are known, else as declared."""
    design = info.design_of(splitter, n_splits, pairs)
    if pairs is None and not info.has_sizes:
        raise ValueError(
            "The sizes of the training and test sets are not known. Pass `X` and `y` with "
            "a `cv` that makes the same splits each time; or `n_train` and `n_test`; or "
            "run cross_validate with return_indices=True."
        )
    if pairs is not None and info.has_sizes:
        raise ValueError(
            "The splits are known, and their sizes with them. Leave out `n_train` and "
            "`n_test`."
        )
    if pairs is None:
        return CvSplits(info.n_train, info.n_test, design, flags)
    return CvSplits(*_sizes(pairs), design, flags, pairs)


def _sizes(pairs: Sequence[Split]) -> tuple[IntArray, IntArray]:
    trains, tests = zip(*pairs)
    return np.array([len(train) for train in trains]), np.array(
        [len(test) for test in tests]
    )


def _splits_of_output(role: str, indices: Any, info: SplitInfo) -> list[Split]:
    """Return the splits in an output."""
    return _check_splits(role, zip(indices["train"], indices["test"]), info)


def _splits_of(splitter: Any, info: SplitInfo) -> list[Split]:
    """Return the splits that a splitter makes of the records."""
    return _check_splits("`cv`", info.split(splitter), info)


def _check_splits(name: str, splits: Iterable[Any], info: SplitInfo) -> list[Split]:
    """Return splits as positions; raise an error if training and test sets overlap."""
    return [
        disjoint_split(f"Split {k} of {name}", train, test, info.n_records)
        for k, (train, test) in enumerate(splits)
    ]


def _check_same(splits: Mapping[str, Sequence[Split]], n_splits: int) -> None:
    """Raise an error if splits differ, or if their number is not that of the scores."""
    for name, pairs in splits.items():
        if len(pairs) != n_splits:
            raise ValueError(
                f"There are scores on {n_splits} test sets, but {name} has {len(pairs)} "
                "splits. Pass what made the scores; of a generator, which is used up by "
                "now, the list of its splits."
            )
    (reference, pairs), *others = splits.items() if splits else [("", ())]
    for name, other_pairs in others:
        for k, (split_a, split_b) in enumerate(zip(pairs, other_pairs, strict=True)):
            for part, a, b in zip(("training", "test"), split_a, split_b, strict=True):
                if not _are_same(a, b):
                    raise ValueError(_difference(k, part, (reference, a), (name, b)))


def _are_same(a: IntArray, b: IntArray) -> bool:
    """Whether two sets have the same records, in any order."""
    if np.array_equal(a, b):
        return True
    return a.size == b.size and np.array_equal(np.sort(a), np.sort(b))


def _difference(
    k: int, part: str, set_a: tuple[str, IntArray], set_b: tuple[str, IntArray]
) -> str:
    (name_a, a), (name_b, b) = set_a, set_b
    return (
        f"Both classifiers must have the same splits, but the {part} sets of split {k} "
        f"differ: {a.size} records of {name_a}, {b.size} of {name_b}, "
        f"{np.intersect1d(a, b).size} in both. Give both one `cv`: a list of splits, or a "
        "splitter with a whole number as `random_state`."
    )
