"""Reports of skore as input: of estimators on a test set, and of cross-validation."""

from collections.abc import Mapping
from typing import Any

import joblib
import numpy as np

from skcompare.comparators import MultipleComparator, PairedComparator, compare_cv_results
from skcompare.exceptions import MissingDependencyError
from skcompare.reports import Comparison, MultipleComparison


def compare_skore_reports(
    champion: Any, challenger: Any = None, **options: Any
) -> Comparison | MultipleComparison:
    """Compare the estimators of reports of skore.

    Nothing is fitted. Estimators with a test set are compared on it as trained models;
    those of cross-validation reports on their test sets, as learning algorithms, by the
    test that is valid for the splits.

    Parameters
    ----------
    champion : EstimatorReport, CrossValidationReport or ComparisonReport
        Report of the champion; or, without `challenger`, a report that compares two
        estimators, of which the first is the champion, or more estimators with one test
        set.
    challenger : EstimatorReport or CrossValidationReport, optional
        Report of the challenger, on the same records.
    **options
        `scoring`, `tests`, `alternative`, `alpha`, `adjust` and `pos_label` (by default
        that of the first report) of :class:`~skcompare.PairedComparator`; of more than
        two estimators those of :class:`~skcompare.MultipleComparator`; of cross-validation
        reports those of :func:`~skcompare.compare_cv_results`, such as `groups`.

    Returns
    -------
    comparison : Comparison or MultipleComparison
        Rows, verdict, and the report in several formats.

    Raises
    ------
    MissingDependencyError
        If skore is not installed.
    TypeError
        If an argument is not a report of skore, or the reports are of different kinds.
    ValueError
        If the reports have different records.

    Examples
    --------
    >>> import skore  # doctest: +SKIP
    >>> from skcompare.integrations import compare_skore_reports
    >>> report = skore.compare([report_of_old, report_of_new])  # doctest: +SKIP
    >>> comparison = compare_skore_reports(report)  # doctest: +SKIP
    """
    try:
        from skore import ComparisonReport, CrossValidationReport, EstimatorReport
    except ImportError as error:
        raise MissingDependencyError(
            "Reports of skore need skore. Install it with `pip install skore`."
        ) from error
    reports = {"champion": champion, "challenger": challenger}
    if challenger is None and isinstance(champion, ComparisonReport):
        reports = dict(champion.reports_)
    for kind in (EstimatorReport, CrossValidationReport):
        if all(isinstance(report, kind) for report in reports.values()):
            of_kind = _compare_fitted if kind is EstimatorReport else _compare_splits
            pos_label = next(iter(reports.values())).pos_label
            own = {} if pos_label is None else {"pos_label": pos_label}
            return of_kind(reports, own | options)
    listed = ", ".join(type(report).__name__ for report in reports.values())
    raise TypeError(
        "Pass two reports of one kind, EstimatorReport or CrossValidationReport, or one "
        f"ComparisonReport of such reports. Got {listed}."
    )


def _compare_fitted(
    reports: Mapping[str, Any], options: Mapping[str, Any]
) -> Comparison | MultipleComparison:
    """Compare fitted estimators on the test set that all reports have."""
    (first_name, first), *others = reports.items()
    for name, report in others:
        _check_same(first_name, first.y_test, name, report.y_test, "y_test")
        _check_same(first_name, first.X_test, name, report.X_test, "X_test")
    estimators = [(name, report.estimator_) for name, report in reports.items()]
    comparator: Any
    if len(estimators) == 2:
        fitted = [estimator for _, estimator in estimators]
        comparator = PairedComparator(*fitted, cv="prefit", **options)
    else:
        comparator = MultipleComparator(estimators, cv="prefit", **options)
    comparison: Comparison | MultipleComparison
    comparison = comparator.fit(first.X_test, first.y_test).comparison_
    return comparison


def _compare_splits(reports: Mapping[str, Any], options: Mapping[str, Any]) -> Comparison:
    """Compare the estimators of two cross-validation reports, on their test sets."""
    if len(reports) != 2:
        raise ValueError(
            "Cross-validation reports are compared in pairs. Got "
            f"{len(reports)} of them. Pass the champion's and the challenger's, or compare "
            "several estimators with MultipleComparator."
        )
    (first_name, first), (name, second) = reports.items()
    _check_same(first_name, first.y, name, second.y, "y")
    _check_same(first_name, first.X, name, second.X, "X")
    X, y = first.X, first.y
    return compare_cv_results(_cv_results(first), _cv_results(second), X, y, **options)


def _cv_results(report: Any) -> dict[str, Any]:
    """Return a report as `cross_validate` would: estimators and indices of the splits."""
    train, test = zip(*report.split_indices)
    estimators = [fold.estimator_ for fold in report.reports_]
    return {"estimator": estimators, "indices": {"train": train, "test": test}}


def _check_same(first_name: str, first: Any, name: str, other: Any, part: str) -> None:
    """Raise an error if two reports have different records."""
    # By their digests where values may be missing, or the matrix is sparse.
    if first is other or joblib.hash(first) == joblib.hash(other):
        return
    is_sparse = hasattr(first, "tocsr") or hasattr(other, "tocsr")
    if is_sparse or not np.array_equal(np.asarray(first), np.asarray(other)):
        raise ValueError(
            f"The reports of {first_name} and {name} must have the same records in the "
            f"same order. Got a different `{part}`. Make both with the same records."
        )
