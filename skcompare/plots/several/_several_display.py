"""Base class of displays of several classifiers, with its constructors."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from skcompare._analysis import (
    MAX_T,
    PairwiseComparison,
    Settings,
    SeveralEngine,
    comparison_of,
    max_t_family,
)
from skcompare._core.flags import explain
from skcompare._core.validation import check_alpha, check_alternative, check_choice
from skcompare._registry.metrics import (
    CLASSES,
    NUMBERS,
    VALUES,
    LossEntry,
    keywords_of,
    loss_of,
)
from skcompare._typing import ArrayLike
from skcompare.metrics import Measure, resolve_scoring
from skcompare.plots.drawing._base import (
    Display,
    check_options,
    comparison_behind,
    target_behind,
)
from skcompare.predictions import (
    LABELS,
    SCORES,
    Predictions,
    predictions_from_arrays,
    predictions_from_cv_results,
    predictions_of_fitted,
)
from skcompare.stats import PairwiseResult
from skcompare.stats.core import ADJUSTMENTS

ACCURACY = "accuracy"
AUTO, HOLM = "auto", "holm"


def comparison_in(
    result: Any, measure: Any = None
) -> tuple[PairwiseComparison, int | None]:
    """Return the comparison of several classifiers in a result, and its tested records.

    Parameters
    ----------
    result : MultipleComparison, fitted MultipleComparator, PairwiseComparison, or result
            of pairwise_mcnemar or pairwise_delong
        Source of the numbers.
    measure : str or tuple, optional
        Key of the comparison in the `results` of a MultipleComparison; by default the
        primary one.
    """
    holder = comparison_behind(result)
    if hasattr(holder, "comparisons"):
        comparison = holder.comparisons[0] if measure is None else holder.results[measure]
        return comparison, holder.n_tested
    if measure is not None:
        raise ValueError(
            "`measure` chooses among the comparisons of a MultipleComparison. Got "
            f"measure={measure!r} and {type(result).__name__}, which is about one. Leave "
            "it out."
        )
    if isinstance(holder, PairwiseComparison):
        return holder, None
    if not isinstance(holder, PairwiseResult):
        raise TypeError(
            "`result` must be a MultipleComparison, a fitted MultipleComparator, a "
            "PairwiseComparison, or what pairwise_mcnemar or pairwise_delong gave. Got "
            f"{type(result).__name__}. Two classifiers have a ForestDisplay."
        )
    if holder.test == "pairwise_precision":
        raise TypeError(
            f"The result of {holder.test} has no differences on the scale of the measure. "
            "Pass what pairwise_mcnemar or pairwise_delong gave, or a MultipleComparison."
        )
    return comparison_of(holder), holder.n


def compared(
    predictions: Predictions,
    *,
    measure: Any = None,
    adjust: str = AUTO,
    control: str | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    pos_label: Any = None,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseComparison:
    """Compare all pairs by the default test of the measure for the design."""
    alpha = check_alpha(alpha)
    check_choice("adjust", adjust, (AUTO, *ADJUSTMENTS, MAX_T))
    check_alternative(alternative)
    if len(predictions.names) < 2:
        raise ValueError(
            f"At least two classifiers are needed. Got {', '.join(predictions.names)}."
        )
    target = NUMBERS if predictions.is_numeric else CLASSES
    resolved, requested = _measure(measure, target), None
    if adjust == AUTO:
        is_drawn = resolved.metric in (ACCURACY, "roc_auc")
        adjust = MAX_T if is_drawn and predictions.design.name == "holdout" else HOLM
    if adjust == MAX_T:
        draws = {"n_resamples": n_resamples, "random_state": random_state}
        requested = {max_t_family(resolved, predictions.design).test: draws}
    settings = Settings(
        (resolved,), requested, alternative, alpha, adjust, pos_label, control
    )
    return SeveralEngine(predictions, resolved, settings).comparisons()[0]


def mean_loss(loss: LossEntry, estimator: Any, X: Any, y: Any) -> float:
    """Score a classifier by the mean of a registered loss."""
    positions = np.searchsorted(estimator.classes_, y)
    return float(np.mean(loss.function(positions, estimator.predict_proba(X))))


def _measure(name: Any, target: str = CLASSES) -> Measure:
    """Return a measure by the name of a score or of a loss, by default of the target."""
    try:
        return resolve_scoring(None if name is None else [name], target)[0]
    except ValueError:
        loss = loss_of(name) if isinstance(name, str) else None
        if loss is None or loss.target == NUMBERS:
            raise
        return Measure(name, False, frozenset({SCORES}), partial(mean_loss, loss), name)


def names_in(comparison: PairwiseComparison) -> tuple[str, ...]:
    """Return the names of the classifiers, the best one first."""
    return tuple(row.name for row in comparison.classifiers)


def adjusted_text(comparison: PairwiseComparison) -> str:
    """Name the p-values that decide."""
    adjust = comparison.adjust
    return "p" if adjust == "none" else f"p adjusted by {adjust}"


class SeveralDisplay(Display):
    """Base class of displays of several classifiers by one measure.

    A subclass is made of them by `_of`, which all constructors call. Options of those that
    take predictions, beside their own:

    - `measure`, by default "accuracy"; with probabilities "roc_auc" or a loss per record;
      of numbers "r2" by default, or another measure of them (arrays whose true values have
      fractions are numbers);
    - `adjust`, the adjustment of p-values: "max-t" on a hold-out by default, and "holm"
      where that is not valid;
    - `control`, the classifier that the others are compared with, and `alternative`;
    - `alpha`, the level; `pos_label`, the positive class of two;
    - `n_resamples` and `random_state` of "max-t".
    """

    several: PairwiseComparison

    @classmethod
    @abstractmethod
    def _of(cls, several: PairwiseComparison, n_records: int | None) -> Self:
        """Create the display, without drawing it."""

    @abstractmethod
    def _text(self) -> str:
        """Return the summary without caveats."""

    def _sentences(self) -> list[str]:
        """Return sentences on the classifiers and on their differences."""
        return [self._text().removesuffix("."), *explain(self.several.flags)]

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
        by_name = _by_name(estimators)
        predictions = predictions_of_fitted(
            by_name,
            X,
            y,
            required=_predictions_needed(options, target_behind([*by_name.items()])),
            groups=groups,
            why="Pictures show what trained classifiers predict.",
        )
        return cls.of_result(predictions, **options).plot(ax=ax)

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
        required = _predictions_needed(options, target_behind((), y_true))
        collected = predictions_from_arrays(
            y_true,
            predictions,
            labels=labels,
            pos_label=pos_label,
            groups=groups,
            target=NUMBERS if VALUES in required else CLASSES,
        )
        display = cls.of_result(collected, pos_label=pos_label, **options)
        return display.plot(ax=ax)

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
        return cls.of_result(predictions, **options).plot(ax=ax)

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
        return cls.of_result(result, measure=measure, **options).plot(ax=ax)

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
            check_options(cls, options, keywords_of(compared))
            comparison = compared(result, measure=measure, **options)
            n_records: int | None = result.n_tested
        elif options:
            raise ValueError(
                f"{', '.join(options)}: the tests have run already. Leave this out, or "
                "pass the predictions."
            )
        else:
            comparison, n_records = comparison_in(result, measure)
        # The picture has the pairs, and not the test of all together.
        return cls._of(replace(comparison, omnibus=None), n_records)


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


def _predictions_needed(
    options: Mapping[str, Any], target: str = CLASSES
) -> frozenset[str]:
    """Return the kinds of predictions to collect, of the measure or of the target."""
    required = _measure(options.get("measure"), target).required
    return required if VALUES in required else frozenset({LABELS}) | required
