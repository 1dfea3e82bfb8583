"""Predictions from plain arrays: a hold-out set answered by trained classifiers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._design import HOLDOUT, Design
from skcompare._labels import check_labels, class_codes, classes_of
from skcompare._typing import ArrayLike
from skcompare._validation import (
    as_array,
    check_groups,
    check_pos_label,
    check_probabilities,
    check_same_length,
    integral,
)
from skcompare.predictions._predictions import Answers, Predictions
from skcompare.predictions._rows import fingerprint

__all__ = ["predictions_from_arrays"]


def predictions_from_arrays(
    y_true: ArrayLike,
    answers: Mapping[str, ArrayLike],
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
) -> Predictions:
    """Answers of trained classifiers on one hold-out set.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    answers : mapping of str to array-like
        For each classifier its predicted labels of shape (n_samples,), its
        probabilities of shape (n_samples, n_classes), or for two classes its
        probabilities of `pos_label`, of shape (n_samples,). Fractions in [0, 1] that are
        no labels are read as probabilities. The predicted label is the class of the
        largest probability, the first one where they are equal.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them. Columns of probabilities
        are in their sorted order.
    pos_label : label, optional
        The class that a single column of probabilities is of. By default the greater
        of two numeric or boolean labels; strings have no default.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    """
    truth = check_labels("y_true", y_true)
    arrays = {name: as_array(values) for name, values in answers.items()}
    check_same_length(y_true=truth, **arrays)
    base = (
        truth if labels is None else np.concatenate([truth, check_labels("labels", labels)])
    )
    are_labels = {name: _are_labels(values, base) for name, values in arrays.items()}
    predicted = {
        name: check_labels(name, values)
        for name, values in arrays.items()
        if are_labels[name]
    }
    classes = classes_of(base, **predicted)
    positive = check_pos_label(pos_label, classes)
    collected = []
    for name, values in arrays.items():
        if name in predicted:
            codes, proba = class_codes(name, predicted[name], classes), None
        else:
            proba = _probabilities(name, values, classes, positive)
            codes = proba.argmax(axis=1).astype(np.min_scalar_type(-len(classes)))
        collected.append(Answers(name, name, codes, proba))
    group_codes = None
    if groups is not None:
        check_groups(groups)
        group_codes = np.unique(as_array(groups), return_inverse=True)[1]
        check_same_length(y_true=truth, groups=group_codes)
    return Predictions(
        classes=classes,
        y=class_codes("y_true", truth, classes),
        answers=tuple(collected),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=group_codes,
        fingerprint=fingerprint(truth),
        flags=() if groups is None else ("grouped-records",),
    )


def _are_labels(values: np.ndarray, known: np.ndarray) -> bool:
    if values.ndim == 2 and values.shape[1] > 1:
        return False
    if values.dtype.kind != "f":
        return True
    # Numbers beside string labels can only be probabilities; numbers beside numeric
    # labels are probabilities as soon as one of them is a fraction.
    return known.dtype.kind not in "US" and bool(integral(values[np.isfinite(values)]))


def _probabilities(
    name: str, values: np.ndarray, classes: np.ndarray, positive: int | None
) -> np.ndarray:
    if values.ndim == 2 and values.shape[1] > 1:
        if values.shape[1] != len(classes):
            raise ValueError(
                f"`{name}` has probabilities of {values.shape[1]} classes, but the labels "
                f"have {len(classes)}: {classes.tolist()[:10]}. Pass all class labels as "
                "`labels`."
            )
        return check_probabilities(name, values, len(classes))
    if len(classes) != 2:
        raise ValueError(
            f"`{name}` has one column of probabilities, which needs two classes. Got "
            f"{len(classes)}. Pass a column a class, or all class labels as `labels`."
        )
    proba = check_probabilities(name, values.reshape(len(values)), 2)
    if positive is None and classes.dtype.kind in "US":
        raise ValueError(
            f"`{name}` has probabilities of one of {classes.tolist()}. Say of which: pass "
            "`pos_label`."
        )
    return proba[:, ::-1] if positive == 0 else proba
