"""Base class of displays of several classifiers, with its constructors."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from skcompare._registry.entries import keywords_of
from skcompare._typing import ArrayLike
from skcompare.plots._base import Display, check_options
from skcompare.plots._run_tests import ACCURACY
from skcompare.plots.several._several import Several, several_of, several_of_predictions
from skcompare.predictions import (
    LABELS,
    SCORES,
    Predictions,
    predictions_from_arrays,
    predictions_from_cv_results,
    predictions_of_fitted,
)


class SeveralDisplay(Display):
    """Base class of displays of several classifiers by one measure.

    A subclass is made of them by `_of`, which all constructors call. Options of those that
    take predictions, beside their own:

    - `measure`, by default "accuracy"; with probabilities "roc_auc" or a loss per record;
    - `adjust`, the adjustment of p-values: "max-t" on a hold-out by default, and "holm"
      where that is not valid;
    - `control`, the classifier that the others are compared with, and `alternative`;
    - `alpha`, the level; `pos_label`, the positive class of two;
    - `n_resamples` and `random_state` of "max-t".
    """

    @classmethod
    @abstractmethod
    def _of(cls, several: Several) -> Self:
        """Create the display, without drawing it."""

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the predictions of fitted classifiers for a hold-out set.

        Parameters
        ----------
        estimators : list of (str, estimator), or dict of str to estimator
            Fitted classifiers with their names.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records of a hold-out set.
        y : array-like of shape (n_samples,)
            True labels.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            `measure`, `adjust`, `control`, `alternative`, `alpha`, `pos_label`,
            `n_resamples` and `random_state`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        predictions = predictions_of_fitted(
            _by_name(estimators),
            X,
            y,
            required=_predictions_needed(options),
            groups=groups,
            why="Pictures show what trained classifiers predict.",
        )
        return cls._drawn(cls.of_result(predictions, **options), ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        predictions: Mapping[str, Any],
        *,
        labels: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot precomputed predictions for a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        predictions : mapping of str to array-like or to mapping
            For each classifier its labels of shape (n_samples,), its probabilities of shape
            (n_samples, n_classes), or for two classes of shape (n_samples,); or both as
            ``{"labels": ..., "proba": ...}``.
        labels : array-like of shape (n_classes,), optional
            All class labels, where `y_true` lacks some.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        pos_label : label, optional
            The positive class of two.
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            `measure`, `adjust`, `control`, `alternative`, `alpha`, `n_resamples` and
            `random_state`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        if not isinstance(predictions, Mapping):
            raise TypeError(
                "`predictions` must be a mapping of names and predictions, such as "
                f"{{'A': labels, 'B': labels}}. Got {type(predictions).__name__}."
            )
        collected = predictions_from_arrays(
            y_true, predictions, labels=labels, pos_label=pos_label, groups=groups
        )
        display = cls.of_result(collected, pos_label=pos_label, **options)
        return cls._drawn(display, ax)

    @classmethod
    def from_cv_results(
        cls,
        results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = None,
        design: Any = None,
        groups: ArrayLike | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the predictions of classifiers fitted by `cross_validate`.

        Parameters
        ----------
        results : mapping of str to dict
            For each classifier the output of :func:`sklearn.model_selection.cross_validate`
            with ``return_estimator=True`` and ``return_indices=True``, on the same splits.
        X, y : array-like, sparse matrix or frame
            The records and labels that were cross-validated, in the same order.
        cv : splitter, int or iterable, optional
            The splitter that made the splits, as for
            :func:`~skcompare.compare_cv_results`.
        design : Design or str, optional
            Design of the splits, where `cv` does not determine it. Where the design has no
            valid test, no differences are reported, and the picture states this.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user).
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            `measure`, `adjust`, `control`, `alternative`, `alpha`, `pos_label`,
            `n_resamples` and `random_state`.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        predictions = predictions_from_cv_results(
            X,
            y,
            results,
            cv=cv,
            design=design,
            groups=groups,
            required=_predictions_needed(options),
        )
        return cls._drawn(cls.of_result(predictions, **options), ax)

    @classmethod
    def from_result(
        cls, result: Any, *, measure: Any = None, ax: Any = None, **options: Any
    ) -> Self:
        """Plot the classifiers of a result.

        Parameters
        ----------
        result : MultipleComparison, fitted MultipleComparator, PairwiseComparison, \
Predictions, or result of pairwise_mcnemar or pairwise_delong
            Source of the numbers, which may have been read from JSON.
        measure : str or tuple, optional
            The comparison of a MultipleComparison to draw; by default the primary one.
        ax : matplotlib Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            Options of :meth:`from_predictions`, where `result` has only predictions.

        Returns
        -------
        display : Display
            The display, drawn.
        """
        return cls._drawn(cls.of_result(result, measure=measure, **options), ax)

    @classmethod
    def of_result(cls, result: Any, *, measure: Any = None, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : MultipleComparison, PairwiseComparison or others
            As for :meth:`from_result`.
        measure : str or tuple, optional
            The comparison of a MultipleComparison to show.
        **options : dict
            Options of :meth:`from_predictions`, where `result` has only predictions.

        Returns
        -------
        display : Display
            Its `frame()` needs no matplotlib.
        """
        if isinstance(result, Predictions):
            check_options(cls, options, keywords_of(several_of_predictions))
            measure_option = {} if measure is None else {"measure": measure}
            return cls._of(several_of_predictions(result, **measure_option, **options))
        if options:
            raise ValueError(
                f"{', '.join(options)}: the tests have run already. Leave this out, or "
                "pass the predictions."
            )
        return cls._of(several_of(result, measure))


def _by_name(estimators: Any) -> dict[str, Any]:
    """Return a dict of classifiers by name, and check that names are unique."""
    pairs = estimators.items() if isinstance(estimators, Mapping) else estimators
    try:
        items = [(name, estimator) for name, estimator in pairs]
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`estimators` must be a list of (name, classifier), or a dict of names and "
            f"classifiers. Got {type(estimators).__name__}."
        ) from error
    by_name = dict(items)
    if len(by_name) < len(items):
        names = ", ".join(str(name) for name, _ in items)
        raise ValueError(f"Each classifier must have a name of its own. Got {names}.")
    return by_name


def _predictions_needed(options: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds of predictions to collect: labels, and scores if needed."""
    by_labels = options.get("measure", ACCURACY) == ACCURACY
    return frozenset({LABELS}) if by_labels else frozenset({LABELS, SCORES})
