"""What sums of clusters are made of, in words where it is something else."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skcompare._core.labels import check_groups
from skcompare._core.validation import some_of
from skcompare._typing import IntArray
from skcompare.evidence._agreement import check_classes, check_whole
from skcompare.evidence._cluster_cells import ClusterCells, check_cells, tables_of
from skcompare.evidence._contingency import CELLS
from skcompare.evidence._patterns import check_classifier_names

if TYPE_CHECKING:
    from skcompare.evidence._clusters import ClusterSums

ROLES = ("champion", "challenger")


def check_answerers(names: Iterable[str] | None, k: int) -> tuple[str, ...]:
    if k < 2:
        raise ValueError(
            f"Cluster sums need answers of at least two classifiers. Got {k}. Pass an "
            "array of labels a classifier after `y_true`."
        )
    return check_classifier_names(ROLES if names is None and k == 2 else names, k)


def check_repetition(answers: Sequence[Any], names: tuple[str, ...]) -> None:
    if len(answers) != len(names):
        raise ValueError(
            f"Each repetition must have answers of {len(names)} classifiers: "
            f"{', '.join(names)}. Got {len(answers)}."
        )


def group_positions(groups: Any, n: int) -> tuple[np.ndarray | None, IntArray]:
    """The different groups, sorted, and the position of each record's; 0 without groups."""
    if groups is None:
        return None, np.zeros(n, dtype=np.int64)
    labels, codes = np.unique(groups, return_inverse=True)
    return labels, codes


def check_two(sums: "ClusterSums", name: str) -> None:
    if sums.n_classifiers != 2:
        raise ValueError(
            f"{name} needs answers of two classifiers. Got {sums.n_classifiers}: "
            f"{', '.join(sums.names)}. Make sums of two of them."
        )


def check_tables(sums: "ClusterSums", name: str) -> None:
    """Refuse sums that have no table of two classifiers for each group."""
    check_two(sums, name)
    if sums.tables is None:
        raise ValueError(
            "The predictions have no groups. Pass `groups`, the group of each record, or "
            "use a test of independent records, such as mcnemar."
        )


def plain_list(values: np.ndarray | None) -> list[Any] | None:
    """What JSON can hold: numbers, or text, also of dates."""
    if values is None:
        return None
    return (values.astype(str) if values.dtype.kind in "mMS" else values).tolist()


def checked_tables(sums: "ClusterSums", n_groups: int) -> IntArray:
    if sums.counts is not None or sums.classes is not None:
        raise ValueError(
            "`classes` and `counts` are about `cells`. Got None for `cells`. Pass all "
            "three, or `tables` and `groups` alone."
        )
    values = check_whole("tables", sums.tables)
    if values.ndim != 2 or values.shape[1] != 4 or values.shape[0] != n_groups:
        raise ValueError(
            f"`tables` must have shape (n_groups, 4) with a row a group. Got "
            f"{values.shape} and {n_groups} groups. The four counts are "
            f"{', '.join(CELLS)}."
        )
    empty = int((values.sum(axis=1) == 0).sum())
    if not n_groups or empty:
        raise ValueError(
            "Each group must have at least one record, and there must be a group. Got "
            f"{n_groups} groups, {empty} of them empty. Leave empty groups out."
        )
    return values


def check_each_once(groups: np.ndarray) -> None:
    twice = groups[1:][groups[1:] == groups[:-1]]
    if len(twice):
        raise ValueError(
            f"Each of `groups` must occur once. Got {some_of(np.unique(twice))} more "
            "often. Add the tables of one group."
        )


def group_labels(groups: Any) -> np.ndarray:
    """Groups as an array of numbers or of strings."""
    if groups is None:
        raise ValueError(
            "`groups` must be the group of each record. Got None. Without groups, count "
            "with ContingencyTable and use a test of independent records."
        )
    return check_groups(groups).copy()


def checked_labels(sums: "ClusterSums", order: IntArray) -> dict[str, Any]:
    """Cells, and what follows from them, with their groups in order."""
    classes = check_classes(sums.classes)
    width = np.shape(sums.cells)[-1] if np.ndim(sums.cells) == 2 else 0
    shape = [len(order), *[len(classes)] * max(0, width - 1)]
    cells, counts = check_cells(sums.cells, sums.counts, shape)
    if sums.groups is not None:
        moved = np.empty_like(order)
        moved[order] = np.arange(len(order))
        cells = np.column_stack([moved[cells[:, 0]], cells[:, 1:]])
        cells, counts = check_cells(cells, counts, shape)
        if len(np.unique(cells[:, 0])) < len(order):
            raise ValueError(
                "Each group must have at least one record. Got groups without one. Leave "
                "empty groups out."
            )
    tables = None
    if sums.groups is not None and width == 4:
        tables = tables_of(ClusterCells(cells, counts), len(order))
    by_default = sums.names is None or (tuple(sums.names) == ROLES and width != 4)
    return {
        "classes": classes,
        "cells": cells,
        "counts": counts,
        "tables": tables,
        "names": check_answerers(None if by_default else sums.names, width - 2),
    }


def check_alike(one: "ClusterSums", other: "ClusterSums") -> None:
    """Refuse sums of other classifiers, of another kind, or with other labels."""
    if (one.cells is None) != (other.cells is None) or (one.groups is None) != (
        other.groups is None
    ):
        raise ValueError(
            "Only sums of one kind can be merged: both with labels or both of tables, both "
            "with groups or both without. Make both in the same way."
        )
    if one.names != other.names:
        raise ValueError(
            "Only answers of the same classifiers can be merged. Got "
            f"{', '.join(one.names)} and {', '.join(other.names)}."
        )
    if one.groups is not None and _is_text(one.groups) != _is_text(other.groups):
        raise ValueError(
            "Only groups with labels of one type can be merged. Got "
            f"{some_of(one.groups)} and {some_of(other.groups)}. Convert one of them."
        )


def _is_text(labels: np.ndarray) -> bool:
    return labels.dtype.kind in "US"
