"""Predictions from the output of scikit-learn's `cross_validate`."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from skcompare._core.design import Design
from skcompare._core.labels import check_labels, class_codes, classes_of, group_codes
from skcompare._typing import ArrayLike, IntArray
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions._collect import joined
from skcompare.predictions._cv_splits import splits_of_outputs
from skcompare.predictions._estimator_repr import describe, describe_all
from skcompare.predictions._fit_predict import (
    LABELS,
    SCORES,
    Outcome,
    askable,
    cut,
    predict,
)
from skcompare.predictions._frozen_rules import CHALLENGER, CHAMPION, fitted_pair
from skcompare.predictions._indexing import fingerprint, n_rows
from skcompare.predictions._predictions import PairedPredictions, Predictions
from skcompare.predictions._split_info import SplitInfo

NEEDED = ("estimator", "indices")


def predictions_from_cv_results(
    X: Any,
    y: ArrayLike,
    results: Mapping[str, Any],
    *,
    cv: Any = None,
    design: Design | str | None = None,
    groups: ArrayLike | None = None,
    required: frozenset[str] = frozenset({LABELS, SCORES}),
) -> Predictions:
    """Predict the test sets with classifiers fitted by scikit-learn's `cross_validate`.

    Each test set is predicted by the classifiers that were trained for it. Nothing is
    fitted, and the splits must be the same for all.

    Parameters
    ----------
    X, y : array-like, sparse matrix or frame
        Records and labels that were cross-validated, in the same order.
    results : mapping of str to dict
        For each classifier the output of :func:`sklearn.model_selection.cross_validate`
        with ``return_estimator=True`` and ``return_indices=True``; or one such output of
        a ``PairedEstimator``, which has the predictions of "champion" and "challenger".
    cv : splitter, int or iterable, optional
        Splitter of the results. Its design is that of the predictions, and if it makes
        the same splits each time, they must be those of the results. Without it the
        design follows from the indices: a hold-out, (repeated) K-fold cross-validation,
        5×2 with random halves or a repeated hold-out.
    design : Design or str, optional
        Design of the splits, such as "bcv", if neither `cv` nor indices show it: halves of
        a block-regularized cross-validation look like random ones.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    required : frozenset of {"labels", "scores"}
        Kinds of predictions to collect. Scores are probabilities, or decision values of a
        classifier without them; a classifier without both has labels only.

    Returns
    -------
    predictions : Predictions
        The :meth:`~Predictions.pair` of two names is the argument of `from_pair` of all
        evidence.

    Raises
    ------
    ValueError
        If estimators or indices were not returned, the splits differ, or X and y have
        other records.
    EstimatorFailedError
        If a classifier cannot predict, for example because its fit had failed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import BlockRegularized5x2CV
    >>> from skcompare.evidence import PairedBlocks
    >>> from skcompare.predictions import predictions_from_cv_results
    >>> from skcompare.stats import bcv_mcnemar
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    >>> results = {
    ...     "bayes": cross_validate(GaussianNB(), X, y, **keep),
    ...     "tree": cross_validate(DecisionTreeClassifier(random_state=0), X, y, **keep),
    ... }
    >>> predictions = predictions_from_cv_results(X, y, results, cv=cv)
    >>> blocks = PairedBlocks.from_pair(predictions.pair("bayes", "tree"))
    >>> print(f"{bcv_mcnemar(blocks).estimate:+.3f}")
    -0.005
    """
    labels = check_labels("y", y)
    if n_rows(X) != len(labels):
        raise ValueError(
            f"`X` and `y` must be the records that were split. Got {n_rows(X)} and "
            f"{len(labels)}."
        )
    results = _named_outputs(results)
    info = SplitInfo(X=X, y=y, cv=cv, groups=groups, design=design)
    n_splits = len(next(iter(results.values()))["estimator"])
    splits = splits_of_outputs(results, n_splits, info)
    tests = [test for _, test in splits.pairs or ()]
    classes = classes_of(labels)
    descriptions = describe_all([output["estimator"][0] for output in results.values()])
    return Predictions(
        classes=classes,
        y=class_codes("y", labels, classes),
        estimators=tuple(
            joined(name, description, _outcomes(name, output, X, tests, classes, required))
            for description, (name, output) in zip(
                descriptions, results.items(), strict=True
            )
        ),
        design=splits.design,
        records=np.concatenate(tests),
        bounds=np.cumsum([0, *map(len, tests)]),
        n_train=splits.n_train,
        groups=None if groups is None else group_codes(groups),
        fingerprint=fingerprint(X, labels, *tests),
        flags=_flags_of(info),
    )


def cross_validated_pair(
    champion: Any, challenger: Any, X: Any, y: ArrayLike | None, **options: Any
) -> PairedPredictions:
    """Predict labels with two classifiers fitted by `cross_validate`, in their roles."""
    results = outputs_of_roles(champion, challenger, X, y)
    predictions = predictions_from_cv_results(
        X,
        y,  # type: ignore[arg-type]
        results,
        required=frozenset({LABELS}),
        **options,
    )
    return predictions.pair(CHAMPION, CHALLENGER)


def outputs_of_roles(
    champion: Any, challenger: Any, X: Any, y: ArrayLike | None
) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by role, from two outputs or from one of a pair; requires X and y."""
    if X is None or y is None:
        raise ValueError(
            "The trained classifiers predict their test sets again. Pass the records and "
            "labels that were cross-validated as `X` and `y`."
        )
    if challenger is None:
        return _outputs_of_pair(champion)
    return _named_outputs({CHAMPION: champion, CHALLENGER: challenger})


def _named_outputs(results: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by classifier, checked to have trained classifiers and splits."""
    if not isinstance(results, Mapping) or not results:
        raise ValueError(
            "`results` must be a dict of names to outputs of cross_validate. Got "
            f"{type(results).__name__}."
        )
    if _is_output(results):
        return _outputs_of_pair(results)
    for name, output in results.items():
        _check_output(name, output)
        if fitted_pair(output["estimator"][0]) is not None:
            raise ValueError(
                f"The results of {name} are of a pair, which has a champion and a "
                "challenger. Pass them alone."
            )
    return results


def _outputs_of_pair(output: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return outputs by role, from the output of a cross-validated pair."""
    _check_output("the pair", output)
    pairs = [fitted_pair(estimator) for estimator in output["estimator"]]
    for k, (pair, estimator) in enumerate(zip(pairs, output["estimator"], strict=True)):
        if pair is None:
            raise ValueError(
                "One output alone must be of a PairedEstimator that was fitted on every "
                f"split. Got {type(estimator).__name__} on split {k}. Pass the outputs of "
                "both classifiers; or, if fits have failed, run cross_validate again with "
                "error_score='raise' to see why."
            )
    return {
        role: {
            "estimator": [pair[k] for pair in pairs if pair],
            "indices": output["indices"],
        }
        for k, role in enumerate((CHAMPION, CHALLENGER))
    }


def _is_output(results: Mapping[str, Any]) -> bool:
    """Whether a dict is itself an output, rather than a dict of names to outputs."""
    keys = ("fit_time", "score_time", "estimator")
    return any(key in results and not isinstance(results[key], Mapping) for key in keys)


def _check_output(name: str, output: Any) -> None:
    """Raise an error if an output lacks trained classifiers or splits."""
    lacking = [key for key in NEEDED if not _has(output, key)]
    if lacking:
        raise ValueError(
            f"The results of {name} must be what cross_validate gives with "
            "return_estimator=True and return_indices=True. Got "
            f"{type(output).__name__} without {' and '.join(map(repr, lacking))}."
        )


def _flags_of(info: SplitInfo) -> tuple[str, ...]:
    """Return the flags with which a splitter describes its splits of the records."""
    if not hasattr(info.cv, "describe"):
        return ()
    return tuple(info.cv.describe(info.X, info.y, info.groups).flags)


def _has(output: Any, key: str) -> bool:
    return isinstance(output, Mapping) and key in output


def _outcomes(
    name: str,
    output: Mapping[str, Any],
    X: Any,
    tests: Sequence[IntArray],
    classes: np.ndarray,
    kinds: frozenset[str],
) -> list[Outcome]:
    """Predict each test set with the corresponding classifier of an output."""
    outcomes = []
    for k, (estimator, test) in enumerate(zip(output["estimator"], tests, strict=True)):
        # A precomputed kernel has a column for each training record, in their order.
        pairwise = get_tags(estimator).input_tags.pairwise
        columns = np.asarray(output["indices"]["train"][k]) if pairwise else None
        start = perf_counter()
        try:
            predictions = predict(
                estimator,
                lambda: cut(X, test, columns),  # noqa: B023
                len(test),
                classes,
                askable(estimator, kinds),
            )
        # Any exception of an estimator is raised again with its name and the split.
        except (Exception, SystemExit) as error:
            message = (
                f"{name} ({describe(estimator)}) failed to predict split {k} "
                f"({len(test)} test records): {type(error).__name__}: {error}"
            )
            raise EstimatorFailedError.of(message, error) from error
        outcomes.append(
            Outcome(*predictions, _seconds(output, "fit_time", k), perf_counter() - start)
        )
    return outcomes


def _seconds(output: Mapping[str, Any], key: str, k: int) -> float:
    return float(output[key][k]) if key in output else float("nan")
