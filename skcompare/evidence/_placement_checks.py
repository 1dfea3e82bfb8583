"""What placement values are made of, in words where it is something else."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_groups
from skcompare._core.validation import as_array, some_of
from skcompare._typing import FloatArray
from skcompare.predictions import Answers


def check_score(name: str, values: Any) -> FloatArray:
    """Scores of shape (n_samples,) as float64: finite, and no two of them made one.

    An order is all that is taken from scores, so what cannot be ordered exactly as it was
    given is refused.
    """
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must have shape (n_samples,). Got {array.shape}. Of probabilities "
            "pass the column of the positive class."
        )
    if array.dtype.kind not in "biufO":
        raise ValueError(
            f"`{name}` must be numbers, greater for the positive class. Got dtype "
            f"{array.dtype}. Predicted labels are compared by tests of labels."
        )
    try:
        score = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"`{name}` must be numbers, greater for the positive class. Got "
            f"{_not_a_number(array)}."
        ) from None
    _check_finite(name, score)
    if array.dtype.kind in "iuO" or array.dtype.itemsize > score.dtype.itemsize:
        _check_exact(name, array, score)
    return score


def _not_a_number(array: np.ndarray) -> str:
    for at, value in enumerate(array.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{value!r} at position {at}"
    return "objects that cannot be converted together"


def _check_finite(name: str, score: FloatArray) -> None:
    # A sum is not finite as soon as a value is not, and quicker than asking each.
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(score.sum())
    if finite or np.isfinite(score).all():
        return
    at = int(np.argmin(np.isfinite(score)))
    raise ValueError(
        f"`{name}` must be finite. Got {score[at]} at position {at}. Drop records without "
        "a score, and write infinite ones as numbers beyond all others."
    )


def _check_exact(name: str, array: np.ndarray, score: FloatArray) -> None:
    """Refuse numbers that float64 rounds, because it may make ties of them."""
    if array.dtype.kind in "iu" and (
        array.dtype.itemsize < 8 or np.abs(score).max(initial=0.0) < 2.0**53
    ):
        return
    pairs = zip(array.tolist(), score.tolist(), strict=True)
    rounded = next((one for one, other in pairs if one != other), None)
    if rounded is not None:
        raise ValueError(
            f"`{name}` has numbers such as {rounded!r} that float64 rounds, so that "
            "different scores may become one. Pass their ranks."
        )


def check_mask(positive: Any) -> NDArray[np.bool_]:
    """Whether each record is of the positive class, in an own array."""
    array = np.asarray(positive)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            "`positive` must have shape (n_samples,), with a record at least. Got "
            f"{array.shape}."
        )
    is_plain = array.dtype.kind in "iuf" and ((array == 0) | (array == 1)).all()
    if array.dtype.kind != "b" and not is_plain:
        raise ValueError(
            "`positive` must be True or False. Got other values, of dtype "
            f"{array.dtype}. From labels, use PlacementValues.from_predictions."
        )
    return array.astype(bool)


def check_scores(scores: Any, names: Sequence[str], n: int) -> FloatArray:
    """A copy of the scores, of shape (n_scores, n_samples)."""
    rows = np.empty((len(names), n))
    for row, name, values in zip(rows, names, scores, strict=True):
        score = check_score(f"scores of {name}", values)
        if len(score) != n:
            raise ValueError(
                f"`scores` must have shape (n_scores, {n}), a row a classifier. Got a row "
                f"of {len(score)}."
            )
        row[:] = score
    return rows


def check_names(names: Iterable[str] | None, k: int) -> tuple[str, ...]:
    """Names of the classifiers, each another."""
    if not k:
        raise ValueError(
            "Placement values need scores of one classifier at least. Got none. Pass an "
            "array a classifier after `y_true`."
        )
    if names is None:
        return tuple(f"classifier {i}" for i in range(1, k + 1))
    known = (names,) if isinstance(names, str) else tuple(names)
    if len(known) != k or len(set(known)) < k or not all(isinstance(s, str) for s in known):
        raise ValueError(
            f"`names` must be {k} different strings, one a classifier. Got {known!r}."
        )
    return known


def check_record_groups(groups: Any, n: int) -> NDArray[Any] | None:
    """The group of each record in an own array, or None."""
    if groups is None:
        return None
    labels = check_groups(groups).copy()
    if len(labels) != n:
        raise ValueError(
            f"`groups` must have one entry a record. Got {len(labels)} for {n} records."
        )
    labels.setflags(write=False)
    return labels


def joined_groups(
    one: NDArray[Any] | None, other: NDArray[Any] | None
) -> NDArray[Any] | None:
    """The groups of two shards; records of one label are of one group."""
    if one is None or other is None:
        if one is not other:
            raise ValueError(
                "Only one of the shards has groups. Pass `groups` for both, or for neither."
            )
        return None
    if (one.dtype.kind in "US") != (other.dtype.kind in "US"):
        raise ValueError(
            "Only groups with labels of one type can be merged. Got "
            f"{some_of(one)} and {some_of(other)}. Convert one of them."
        )
    return np.concatenate([one, other])


def score_of(answers: Answers, column: int) -> FloatArray:
    """Scores of one of two classes, greater for it."""
    if answers.proba is not None:
        return answers.proba[:, column]
    if answers.decision is None:
        raise ValueError(
            f"The predictions of {answers.name} have no scores. Pass probabilities or "
            "decision scores, or use a test of labels, such as mcnemar."
        )
    if answers.decision.ndim == 2:
        return answers.decision[:, column]
    # One column of decision scores is greater for the second class.
    return answers.decision if column == 1 else -answers.decision
