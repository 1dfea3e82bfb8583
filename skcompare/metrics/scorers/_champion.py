"""The champion of a scorer: a fitted classifier, or its stored predictions."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import numpy as np
from sklearn import get_config
from sklearn.base import is_regressor

from skcompare._analysis.measures import StoredNumbers, StoredPredictions
from skcompare._core.sklearn_private import scores_itself
from skcompare._core.validation import (
    check_labels,
    check_numbers,
    check_pos_label,
    check_probabilities,
    check_same_order,
    classes_of,
    in_class_order,
    some_of,
)
from skcompare._registry.metrics import VALUES
from skcompare.exceptions import ChampionMismatchError, EstimatorFailedError
from skcompare.predictions import (
    LABELS,
    EstimatorPredictions,
    PairedPredictions,
    collect_fitted,
    describe,
    is_fitted,
    n_rows,
)

STORED_LABELS, STORED_SCORES = "champion_predictions", "champion_scores"
"""Names of the metadata with the champion's predictions."""

OF_PREDICT = frozenset({LABELS, VALUES})
"""Kinds of predictions that `predict` returns."""

PREDICTIONS = ("predict", "predict_proba", "decision_function")
ROUTING = (
    "Pass the predictions for all records, and let scikit-learn cut them to each test set "
    "by metadata routing: sklearn.set_config(enable_metadata_routing=True), then "
    "cross_validate(..., params={%r: predictions})."
)
PASSED = (
    "Pass params={{{0!r}: predictions}} to cross_validate or similar functions, or "
    "{0}=predictions to the fit and score of a search. Functions that route no "
    "metadata, such as permutation_importance, need a fitted champion."
)

_harmless: WeakSet[Any] = WeakSet()
"""Classifiers that are known to leave records unchanged.

The check takes longer than many predictions, and `permutation_importance` scores one
classifier hundreds of times.
"""


def stored_names(required: frozenset[str]) -> tuple[str, ...]:
    """Names of the metadata that hold these predictions."""
    labels = (STORED_LABELS,) if required & OF_PREDICT else ()
    return labels + ((STORED_SCORES,) if required - OF_PREDICT else ())


def check_champion(champion: Any, required: frozenset[str], takes_decision: bool) -> None:
    """Check that a champion is a fitted classifier with the needed predictions."""
    kind, stored = type(champion).__name__, stored_names(required)[0]
    if isinstance(champion, type) or not any(
        hasattr(champion, name) for name in PREDICTIONS
    ):
        raise TypeError(
            f"`champion` must be a fitted classifier. Got {champion!r:.80}. Stored "
            f"predictions are passed as metadata: scorer(estimator, X, y, {stored}=...)."
        )
    # Only tags show a regressor, and classifiers of other packages may lack them.
    is_numeric = hasattr(champion, "__sklearn_tags__") and is_regressor(champion)
    if is_numeric != (VALUES in required):
        expected, other = ("classifier", "regressor")[:: 1 if is_numeric else -1]
        raise TypeError(f"`champion` must be a {expected}. Got the {other} {kind}.")
    of_sklearn = hasattr(champion, "fit") and hasattr(champion, "__sklearn_tags__")
    if of_sklearn and not is_fitted(champion):
        raise ValueError(
            f"`champion` must be fitted before it can be scored against. Got a {kind} that "
            "is not. Fit it, on records that are not scored."
        )
    if required & OF_PREDICT and not hasattr(champion, "predict"):
        raise TypeError(
            f"`champion` must have predict for a test of labels. Got {kind}, which has "
            "not. Choose a test of probabilities, such as delong."
        )
    scores = PREDICTIONS[1:] if takes_decision else PREDICTIONS[1:2]
    if required - OF_PREDICT and not any(hasattr(champion, name) for name in scores):
        raise TypeError(
            f"`champion` must have {' or '.join(scores)}. Got {describe(champion)}, which "
            "has not. Choose a test of labels, such as mcnemar, or calibrate it by "
            "CalibratedClassifierCV."
        )


def check_stored(
    name: str, champion: Any, stored: Mapping[str, Any], names: tuple[str, ...], y: Any
) -> None:
    """Check that there is one champion, and that stored predictions match the records."""
    if champion is not None and stored:
        raise ValueError(
            f"{name} needs a champion: either a fitted classifier as `champion`, or its "
            f"predictions as {' and '.join(names)}. Got both. Leave one out."
        )
    missing = [key for key in names if key not in stored]
    if champion is None and missing:
        routed = get_config()["enable_metadata_routing"]
        advice = PASSED.format(missing[0]) if routed else ROUTING % missing[0]
        raise ValueError(
            f"{name} needs a champion: either a fitted classifier as `champion`, or its "
            f"predictions for these records as {' and '.join(missing)}. Got neither. "
            f"{advice}"
        )
    check_same_order({"y": y}, stored)
    n_records = n_rows(y)
    for key, values in stored.items():
        length = n_rows(values) if hasattr(values, "__len__") else None
        if length != n_records:
            raise ValueError(
                f"{key} must have one prediction per record, in the same order: expected "
                f"{n_records}. Got {'no array' if length is None else length}. A scorer "
                f"does not know which records it is given. {ROUTING % key}"
            )


def stored_champion(
    stored: Mapping[str, Any],
    estimator: Any,
    y: np.ndarray,
    *,
    pos_label: Any = None,
    takes_decision: bool = False,
    is_numeric: bool = False,
) -> StoredPredictions | StoredNumbers:
    """Make an estimator of the champion's stored predictions.

    Probabilities have a column for each class of the scored classifier or of the records,
    in sorted order; one number per record is that of the positive one of two classes.
    """
    if is_numeric:
        values = check_numbers(STORED_LABELS, stored[STORED_LABELS], several=True)
        return StoredNumbers(EstimatorPredictions("champion", "champion", values=values))
    labels = proba = decision = None
    labelled = {}
    if STORED_LABELS in stored:
        labels = labelled[STORED_LABELS] = check_labels(
            STORED_LABELS, stored[STORED_LABELS]
        )
    if getattr(estimator, "classes_", None) is not None:
        labelled["classes_"] = check_labels("classes_", estimator.classes_)
    classes = classes_of(y, **labelled)
    if STORED_SCORES in stored:
        scores = stored[STORED_SCORES]
        values = in_class_order(np.asarray(scores), scores, classes)
        is_first = values.ndim == 1 and check_pos_label(pos_label, classes) == 0
        in_unit = bool(((values >= 0) & (values <= 1)).all())
        if values.ndim == 1 and takes_decision and len(classes) == 2 and not in_unit:
            decision = np.asarray(-values if is_first else values, dtype=np.float64)
        else:
            proba = check_probabilities(STORED_SCORES, values, len(classes))
            proba = proba[:, ::-1] if is_first else proba
    return StoredPredictions(classes, labels, proba, decision)


def predictions_of_both(
    champion: Any,
    estimator: Any,
    X: Any,
    y: np.ndarray,
    required: frozenset[str],
    y_named: Any = None,
) -> PairedPredictions:
    """Collect the predictions of champion and challenger for the records.

    Several outputs have the names of the columns of `y_named`, if it is a frame.
    """
    if scores_itself(estimator):
        raise ValueError(
            f"{describe(estimator)} scores itself while it is fitted, on records that it "
            "has changed, and the champion cannot predict those. Stop early by "
            "scoring='loss' or a metric, and score against the champion afterwards."
        )
    both = {"champion": champion, "challenger": estimator}
    guarded = not all(_is_harmless(classifier) for classifier in both.values())
    try:
        collected = collect_fitted(
            list(both.items()),
            X,
            y,
            required=required,
            guarded=guarded,
            y_named=y_named,
        )
    except EstimatorFailedError as error:
        hint = _other_columns(champion, X) if str(error).startswith("champion") else ""
        if not hint:
            raise
        raise ChampionMismatchError(f"{error} {hint}") from error
    for classifier in both.values() if guarded else ():
        # Classifiers without weak references are checked every time.
        with suppress(TypeError):
            _harmless.add(classifier)
    _check_same_labels(champion, estimator, y)
    return collected.pair("champion", "challenger")


def _is_harmless(classifier: Any) -> bool:
    """Whether a classifier is known to leave the records unchanged."""
    if isinstance(classifier, StoredPredictions | StoredNumbers):
        return True
    try:
        return classifier in _harmless
    except TypeError:
        return False


def _other_columns(champion: Any, X: Any) -> str:
    """Advice for a scorer that receives only some features, or an empty string."""
    expected = getattr(champion, "n_features_in_", None)
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if expected is None or len(shape) != 2 or shape[1] == expected:
        return ""
    return (
        f"The champion knows {expected} features, and the scorer was given {shape[1]}, as "
        "by a selector of features or a classifier that scores while it is fitted. Route "
        f"stored predictions of the champion instead, as {STORED_LABELS} or "
        f"{STORED_SCORES}."
    )


def _check_same_labels(champion: Any, estimator: Any, y: np.ndarray) -> None:
    """Raise an error if the records have encoded labels that the champion does not know.

    `LogisticRegressionCV` of the oldest versions scores classes as -1 and 1, or as 0, 1
    and so on.
    """
    champion_classes, challenger_classes = (
        getattr(each, "classes_", None) for each in (champion, estimator)
    )
    if isinstance(champion, StoredPredictions) and champion.labels is not None:
        champion_classes = np.unique(champion.labels)
    if (
        champion_classes is None
        or challenger_classes is None
        or np.asarray(challenger_classes).dtype.kind not in "iuf"
    ):
        return
    encoded = any(
        np.array_equal(challenger_classes, codes)
        for codes in ([-1, 1], np.arange(len(challenger_classes)))
    )
    expected, available = np.asarray(champion_classes), np.union1d(challenger_classes, y)
    mismatched = np.setdiff1d(expected, available).size and np.setdiff1d(y, expected).size
    if encoded and mismatched:
        raise ValueError(
            f"`champion` must know the classes of the records. Got {some_of(expected)} of "
            f"the champion and {some_of(available)} here, which look like codes. "
            "LogisticRegressionCV encodes labels before it scores them in older versions "
            "of scikit-learn; use GridSearchCV instead."
        )
