"""Predictions of trained classifiers for a hold-out set, from plain arrays."""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import (
    as_array,
    check_labels,
    check_pos_label,
    check_probabilities,
    check_same_length,
    class_codes,
    encode_labels,
    group_codes,
    in_class_order,
    integral,
    some_of,
)
from skcompare._typing import ArrayLike
from skcompare.predictions._predictions import (
    EstimatorPredictions,
    Predictions,
    fingerprint,
)

LABELS = "labels"
ROUNDING = 1e-9
"""Tolerance of means that count as equal."""

KINDS = {LABELS: "labels", "proba": "probabilities"}
"""Keys of both kinds of predictions of a classifier, and their names in messages."""


def predictions_from_arrays(
    y_true: ArrayLike | None,
    predictions: Mapping[str, Any],
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
) -> Predictions:
    """Construct predictions of trained classifiers for one hold-out set from arrays.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or None
        True labels; None if they are unknown.
    predictions : mapping of str to array-like or to mapping
        For each classifier its predicted labels of shape (n_samples,), its
        probabilities of shape (n_samples, n_classes), or for two classes its
        probabilities of `pos_label`, of shape (n_samples,). Fractions in [0, 1] that are
        no labels are read as probabilities. The predicted label is the class of the
        largest probability, the first one of ties. For a classifier that decides
        otherwise, for example by a threshold, pass both as
        ``{"labels": ..., "proba": ...}``.
    labels : array-like of shape (n_classes,), optional
        All class labels, if `y_true` lacks some that predictions have. Columns of
        probabilities are in their sorted order.
    pos_label : label, optional
        Class of a single column of probabilities. By default the greater of two numeric
        or boolean labels; strings have no default.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    """
    parts = [part for name, value in predictions.items() for part in parts_of(name, value)]
    arrays = {part.title: _prediction_array(part.value) for part in parts}
    truth_by_name = {} if y_true is None else {"y_true": y_true}
    check_same_length(truth_by_name, arrays)
    check_same_order(truth_by_name, {part.title: part.value for part in parts})
    declared = [] if labels is None else [check_labels("labels", labels)]
    truth = None if y_true is None else check_labels("y_true", y_true)
    occurring = [*declared, *([] if truth is None else [truth])]
    predicted = {
        part.title: check_labels(part.title, arrays[part.title])
        for part in parts
        if part.kind == LABELS
        or (part.kind is None and _are_labels(arrays[part.title], occurring))
    }
    classes, true_codes, codes = _encode(truth, declared, predicted)
    positive = check_pos_label(pos_label, classes)
    fields: dict[str, dict[str, Any]] = {name: {} for name in predictions}
    for part in parts:
        own = fields[part.name]
        if part.title in predicted:
            own["labels"] = codes[part.title]
            continue
        ordered = in_class_order(arrays[part.title], part.value, classes)
        own["proba"] = _probabilities(part.title, ordered, classes, positive)
        if part.kind is None:
            best = own["proba"].argmax(axis=1)
            own["labels"] = best.astype(np.min_scalar_type(-len(classes)))
    for name, own in fields.items():
        if LABELS in fields[name] and any(p.kind for p in parts if p.name == name):
            _check_agreement(name, own["labels"], own["proba"], classes)
    collected = [EstimatorPredictions(name, name, **own) for name, own in fields.items()]
    own_groups = None if groups is None else group_codes(groups)
    if own_groups is not None:
        check_same_length({parts[0].title: collected[0].labels}, {"groups": own_groups})
    return Predictions(
        classes=classes,
        y=true_codes,
        estimators=tuple(collected),
        design=Design(HOLDOUT.kind, grouped=groups is not None),
        groups=own_groups,
        fingerprint="" if truth is None else fingerprint(truth),
        flags=("no-truth",) if truth is None else (),
    )


class Part(NamedTuple):
    """Labels or probabilities of a classifier; `kind` is None if not specified."""

    name: str
    title: str
    kind: str | None
    value: Any


def parts_of(name: str, value: Any) -> list[Part]:
    """Return the parts of one classifier: one array, or labels and probabilities."""
    if not isinstance(value, Mapping):
        return [Part(name, name, None, value)]
    if set(value) != set(KINDS):
        raise ValueError(
            f"`{name}` must have 'labels' and 'proba' where it is a dict. Got "
            f"{', '.join(map(repr, value)) or 'nothing'}. Pass both, or one of them "
            "without a dict."
        )
    return [Part(name, f"{kind} of {name}", key, value[key]) for key, kind in KINDS.items()]


def _prediction_array(values: Any) -> np.ndarray:
    """Convert labels or probabilities to an array; numbers among objects become floats."""
    array = as_array(values)
    if array.dtype.kind == "O" and array.size:
        items = array.ravel().tolist()
        if any(isinstance(item, float | Decimal) for item in items[:1000]):
            with suppress(TypeError, ValueError):
                return array.astype(np.float64)
    return array


def check_same_order(*arrays: Mapping[str, Any]) -> None:
    """Raise an error if Series have the same index in different orders."""
    indexed = [
        (name, values.index)
        for mapping in arrays
        for name, values in mapping.items()
        if hasattr(values, "index") and hasattr(values.index, "equals")
    ]
    for name, index in indexed[1:]:
        first_name, first_index = indexed[0]
        if not index.equals(first_index) and index.sort_values().equals(
            first_index.sort_values()
        ):
            raise ValueError(
                f"`{first_name}` and `{name}` have the same index in different orders. "
                "Bring them into one order, for example by `reindex`, or pass plain arrays."
            )


def _encode(
    truth: np.ndarray | None, declared: list[np.ndarray], predicted: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray | None, dict[str, np.ndarray]]:
    """Return the classes, and true and predicted labels as positions among them."""
    if truth is not None:
        # Declared labels are classes in addition to those that occur; they come first, so
        # that predictions are compared with them too.
        base = np.concatenate([*declared, truth]) if declared else truth
        classes, (base_codes, *predicted_codes) = encode_labels(
            base, predicted, closed=not declared
        )
        true_codes = base_codes[len(base) - len(truth) :]
        if declared:
            _check_among(declared[0], {"y_true": truth, **predicted})
        return classes, true_codes, dict(zip(predicted, predicted_codes, strict=True))
    if not declared and not predicted:
        raise ValueError(
            "Probabilities without true labels do not say which classes they are of. Pass "
            "all class labels as `labels`."
        )
    arrays = [*(("labels", labels) for labels in declared), *predicted.items()]
    (reference, base), *other_arrays = arrays
    classes, (base_codes, *predicted_codes) = encode_labels(
        base, dict(other_arrays), reference=reference
    )
    codes = predicted_codes if declared else [base_codes, *predicted_codes]
    return classes, None, dict(zip(predicted, codes, strict=True))


def _check_among(labels: np.ndarray, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise an error if labels are not among the declared ones."""
    all_labels = np.unique(labels)
    for name, values in arrays.items():
        class_codes(name, values, all_labels)


def _are_labels(values: np.ndarray, label_arrays: list[np.ndarray]) -> bool:
    if values.ndim == 2 and values.shape[1] > 1:
        return False
    if values.dtype.kind != "f":
        return True
    finite = values[np.isfinite(values)]
    # With string labels, numbers can only be probabilities; with numeric labels, numbers
    # are probabilities as soon as one of them is a fraction, or all are 0 or 1 and the
    # labels are not.
    if any(labels.dtype.kind in "US" for labels in label_arrays) or not integral(finite):
        return False
    certain = bool(((finite == 0) | (finite == 1)).all())
    return not (
        certain and label_arrays and not np.isin(finite, np.concatenate(label_arrays)).all()
    )


def _check_agreement(
    name: str, labels: np.ndarray, proba: np.ndarray, classes: np.ndarray
) -> None:
    """Raise an error if labels contradict probabilities, often those of the wrong class.

    Labels may be chosen by any threshold, but must not be rarer if the probability of
    their class is larger.
    """
    if not len(labels):
        return
    own_proba = np.take_along_axis(proba, labels[:, None].astype(np.intp), axis=1)[:, 0]
    shares = np.bincount(labels, minlength=len(classes)) / len(labels)
    if own_proba.mean() >= shares @ proba.mean(axis=0) - ROUNDING:
        return
    share = float((proba.argmax(axis=1) != labels).mean())
    if share <= 0.5 and not _is_reversed(proba, labels):
        return
    is_binary = len(classes) == 2
    advice = (
        "Is `pos_label` right, of which a single column has the probabilities?"
        if is_binary
        else "Are the columns in the order of the sorted classes?"
    )
    raise ValueError(
        f"Labels of `{name}` disagree with its probabilities in {share:.0%} of records: "
        f"the larger the probability of a label, the rarer the label. {advice}"
    )


def _is_reversed(proba: np.ndarray, labels: np.ndarray) -> bool:
    """Whether all records of a label have lower probabilities of the label than others."""
    is_first = labels == 0
    if proba.shape[1] != 2 or is_first.all() or not is_first.any():
        return False
    return bool(proba[is_first, 0].max() < proba[~is_first, 0].min())


def _probabilities(
    name: str, values: np.ndarray, classes: np.ndarray, positive: int | None
) -> np.ndarray:
    if values.dtype.kind in "US":
        raise ValueError(
            f"`{name}` must be numbers in [0, 1]. Got texts, such as "
            f"{some_of(values.ravel(), 1)}. Name the column of probabilities."
        )
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
            f"{len(classes)}. Pass one column per class, or all class labels as `labels`."
        )
    proba = check_probabilities(name, values.reshape(len(values)), 2)
    if positive is None and classes.dtype.kind in "US":
        raise ValueError(
            f"`{name}` has probabilities of one of {classes.tolist()}. Say of which: pass "
            "`pos_label`."
        )
    return proba[:, ::-1] if positive == 0 else proba
