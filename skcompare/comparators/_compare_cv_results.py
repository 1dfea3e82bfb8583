"""Comparison of outputs of scikit-learn's `cross_validate`."""

from dataclasses import replace
from typing import Any

from skcompare._analysis import predictions_required
from skcompare._core.design import Design
from skcompare._core.validation import (
    check_groups,
    check_labels,
    check_switches,
    classes_of,
)
from skcompare._typing import ArrayLike
from skcompare.comparators._compare import Settings, compare_pair
from skcompare.comparators._splits import check_scored_classes
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    check_roles_to_fit,
    check_target,
    is_mixed,
    outputs_of_roles,
    predictions_from_cv_results,
)
from skcompare.reports import Comparison


def compare_cv_results(
    champion: Any,
    challenger: Any = None,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    cv: Any = None,
    design: Design | str | None = None,
    groups: ArrayLike | None = None,
    scoring: Any = "accuracy",
    tests: Any = "auto",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    adjust: str | None = "holm",
    pos_label: Any = None,
    allow_mixed: bool = False,
) -> Comparison:
    """Compare two classifiers fitted by scikit-learn's `cross_validate`.

    Nothing is fitted: each test set is predicted by the classifiers that were trained for
    it, and the comparison is the one that :class:`PairedComparator` makes on the same
    splits.

    Parameters
    ----------
    champion : dict
        Output of :func:`sklearn.model_selection.cross_validate` with
        ``return_estimator=True`` and ``return_indices=True``: for the champion; or, without
        `challenger`, for a :class:`PairedEstimator`, which holds both.
    challenger : dict, optional
        The same for the challenger, on the same splits.
    X, y : array-like, sparse matrix or frame
        The records and labels that were cross-validated, in the same order.
    cv : splitter, int or iterable, optional
        The splitter that was used; its design determines which tests are valid. If it
        makes the same splits each time, they must be those of the results. Without it the
        design is inferred from the indices: a hold-out, (repeated) K-fold
        cross-validation, 5×2 with random halves or a repeated hold-out.
    design : Design or str, optional
        How the records were split, such as "bcv", if neither `cv` nor the indices show
        it: halves of a block-regularized cross-validation look like random ones.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user); the design is then grouped.
    scoring, tests, alternative, alpha, adjust, pos_label
        As in :class:`PairedComparator`. The scores of `cross_validate` are not needed:
        each measure is computed from the predictions.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.

    Returns
    -------
    comparison : Comparison
        Rows, verdict, and the report in many forms.

    Raises
    ------
    ValueError
        If estimators or indices were not returned, the splits differ, or X and y have
        different records.
    EstimatorFailedError
        If a classifier cannot predict, for example because its fit had failed.

    See Also
    --------
    PairedEstimator : Both classifiers as one estimator for `cross_validate`.
    cross_compare : `cross_validate` for several classifiers at once.
    skcompare.evidence.ScoreDifferences.from_cv_results : From the scores alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare import BlockRegularized5x2CV, compare_cv_results
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    >>> old = cross_validate(DummyClassifier(), X, y, **keep)
    >>> new = cross_validate(GaussianNB(), X, y, **keep)
    >>> compare_cv_results(old, new, X, y, cv=cv).verdict
    'challenger'
    """
    settings = Settings.parse(scoring, tests, alternative, alpha, adjust, pos_label)
    check_switches(allow_mixed=allow_mixed)
    outputs = outputs_of_roles(champion, challenger, X, y)
    fitted = [(role, output["estimator"][0]) for role, output in outputs.items()]
    check_roles_to_fit(fitted, allow_mixed=allow_mixed)
    check_target(y, fitting=True)
    check_scored_classes(settings.measures, classes_of(check_labels("y", y)), pos_label)
    if groups is not None:
        check_groups(groups)
    predictions = predictions_from_cv_results(
        X,
        y,  # type: ignore[arg-type]
        outputs,
        cv=cv,
        design=design,
        groups=groups,
        required=predictions_required(settings.measures, settings.requested),
    )
    if is_mixed(fitted):
        predictions = replace(predictions, flags=(*predictions.flags, "mixed-frozen"))
    return compare_pair(
        predictions.pair(CHAMPION, CHALLENGER), settings, n_fits=predictions.n_splits
    )
