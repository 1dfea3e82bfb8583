"""Predictions of recipes that were trained several times, for one test set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import cycle, islice
from typing import Any

import numpy as np

from skcompare._core.design import design_of_trainings
from skcompare._registry.metrics import CLASSES
from skcompare._typing import ArrayLike
from skcompare.predictions._from_frames import ColumnRoles
from skcompare.predictions._predictions import (
    ABOUT_ALL,
    EstimatorPredictions,
    Predictions,
    n_rows,
    predictions_from_arrays,
)


def predictions_of_trainings(
    y_true: ArrayLike,
    predictions: Mapping[str, Any],
    *,
    paired: bool | None = None,
    fixed: bool = False,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    target: str = CLASSES,
) -> Predictions:
    """Construct predictions of several trainings of each recipe from arrays.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, or numbers.
    predictions : mapping of str to sequence
        For each recipe one entry per training, as in :func:`predictions_from_arrays`.
    paired : bool, optional
        Whether trainings of one position belong together. By default they do if their
        numbers are equal.
    fixed : bool, default=False
        Whether the trainings are taken as they are.
    labels, pos_label, target
        As in :func:`predictions_from_arrays`.
    """
    trainings = {name: each_training(name, own) for name, own in predictions.items()}
    counts = {name: len(own) for name, own in trainings.items()}
    _check_records(y_true, trainings)
    if paired and len(set(counts.values())) > 1:
        listed = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise ValueError(
            f"Paired trainings must be equal in number. Got {listed}. Pass paired=False, "
            "or leave it out."
        )
    alone = {
        f"{name}, training {k}": entry
        for name, own in trainings.items()
        for k, entry in enumerate(own)
    }
    of_classes = {"labels": labels, "pos_label": pos_label, "target": target}
    collected = predictions_from_arrays(y_true, alone, **of_classes)
    n, most, roles = collected.n_records, max(counts.values()), iter(collected.estimators)
    joined = [_joined(name, [*islice(roles, k)], most) for name, k in counts.items()]
    return replace(
        collected,
        estimators=tuple(joined),
        design=design_of_trainings(counts.values(), paired, fixed),
        records=np.tile(np.arange(n), most),
        bounds=n * np.arange(most + 1),
    )


def _check_records(y_true: ArrayLike, trainings: Mapping[str, Sequence[Any]]) -> None:
    """Raise an error if the first training of a recipe has other records than the truth."""
    if y_true is None:
        raise ValueError(
            "Recipes are compared by their errors, which needs true labels or numbers. Got "
            "none. Pass them as the first argument."
        )
    n = n_rows(y_true)
    for name, (first, *_) in trainings.items():
        if isinstance(first, str):
            raise ValueError(
                f"`{name}` must be predictions of each training, of shape (n_trainings, "
                f"{n}). Got names, {first!r} being the first. For columns of a frame or "
                "file pass that as the first argument, and `y_true`; of a frame of "
                "predictions pass `frame.to_numpy().T`."
            )
        if isinstance(first, Mapping) or n_rows(first) == n:
            continue
        if len(trainings[name]) == n:
            raise ValueError(
                f"`{name}` must be predictions of each training, one row each, of shape "
                f"(n_trainings, {n}). Got the shape ({n}, {n_rows(first)}). Transpose it."
            )
        raise ValueError(
            f"`{name}` must be predictions of each training, of shape (n_trainings, {n}), "
            f"as there are {n} true values. Got {n_rows(first)} in the first of "
            f"{len(trainings[name])}. Pass a list of the trainings' arrays, or join the "
            "predictions for the records first."
        )


def read_trainings(
    data: Any, predictions: Mapping[str, Any], y_true: Any, id: str | None
) -> tuple[Any, dict[str, list[Any]]]:
    """Return true labels, and predictions of each training, from columns of a table.

    Parameters
    ----------
    data : frame or path
        The table with the column `y_true`.
    predictions : mapping of str to list
        For each recipe one entry per training: a column, a list of columns, or a pair of
        another table and its column or columns.
    y_true : str
        Column of true labels or numbers.
    id : str, optional
        Column by which tables are joined.
    """
    if not isinstance(y_true, str):
        raise ValueError(
            "`y_true` names the column of the true labels of a frame or file. Got "
            f"{y_true!r}. Pass its name."
        )
    trainings = {name: each_training(name, own) for name, own in predictions.items()}
    keys = [(name, k) for name, own in trainings.items() for k in range(len(own))]
    columns = {f"{name}, training {k}": trainings[name][k] for name, k in keys}
    values = ColumnRoles(data, y_true, columns, id).read()
    read: dict[str, list[Any]] = {name: [] for name in trainings}
    for (name, _), key in zip(keys, columns, strict=True):
        read[name].append(values.predictions[key])
    return values.truth, read


def each_training(name: str, trainings: Any) -> Sequence[Any]:
    """Return the predictions, or the columns, of each training of a recipe."""
    if isinstance(trainings, Mapping | str) or not isinstance(trainings, Iterable):
        raise ValueError(
            f"`{name}` must be predictions of each training, of shape (n_trainings, "
            f"n_samples) or a list of them. Got {type(trainings).__name__}. Pass a list, "
            "with one entry for each training."
        )
    entries = list(trainings)
    named = str, tuple, Mapping
    if not entries or any(
        not isinstance(entry, named) and np.ndim(entry) == 0 for entry in entries
    ):
        raise ValueError(
            f"`{name}` must be predictions of each training, of shape (n_trainings, "
            f"n_samples). Got the shape {np.asarray(trainings).shape}. Pass a list, with "
            "one array for each training, or use compare for one training."
        )
    return entries


def _joined(
    name: str, trainings: Sequence[EstimatorPredictions], most: int
) -> EstimatorPredictions:
    """Join the predictions of trainings; fewer than `most` are repeated."""
    first = trainings[0]
    arrays: dict[str, Any] = {}
    for field in fields(EstimatorPredictions):
        if field.name in ABOUT_ALL or getattr(first, field.name) is None:
            continue
        values = [getattr(role, field.name) for role in trainings]
        if any(own is None for own in values):
            raise ValueError(
                f"All trainings of {name} must predict the same, such as labels or "
                f"probabilities. Got {field.name} of some. Pass the same kind for all."
            )
        arrays[field.name] = np.concatenate([*islice(cycle(values), most)])
    return replace(first, name=name, description=name, n_trainings=len(trainings), **arrays)
