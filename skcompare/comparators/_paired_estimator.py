"""Two classifiers as one estimator for `cross_validate`, and the scorer of both."""

import math
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state, column_or_1d, indexable
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
)
from sklearn.utils.validation import validate_data

from skcompare._analysis.measures import Measure, RoleScores, Watch
from skcompare._core.sklearn_private import (
    CallbackSupportMixin,
    SideBySideMixin,
    check_parameters,
    fit_reports,
    with_callbacks,
)
from skcompare._core.validation import classes_of
from skcompare._registry.metrics import CLASSES, NUMBERS, VALUES
from skcompare.comparators._comparators import (
    routed_fit,
    set_input_tags,
    set_predictor_tags,
    tags_of,
)
from skcompare.comparators._compare import check_scored_classes
from skcompare.metrics import resolve_scoring
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    LARGEST_SEED,
    Predictions,
    check_roles,
    check_roles_to_fit,
    check_target,
    collect_fitted,
    describe,
    fingerprint,
    fit_seeded,
    fitted_pair,
    n_rows,
    one_class_of,
    target_of,
)

PREDICTION_METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score",
)


class PairedEstimator(
    CallbackSupportMixin, SideBySideMixin, MetaEstimatorMixin, BaseEstimator
):
    """Meta-estimator that fits a champion and a challenger together for `cross_validate`.

    Clones of both are fitted on the same records with the same seeds. Scorers of
    :func:`make_paired_scorer` score both and their difference, so that
    :func:`sklearn.model_selection.cross_validate` returns three columns per metric; with
    ``return_estimator=True`` and ``return_indices=True`` its output has all that
    :func:`compare_cv_results` needs for a verdict.

    A pair has two predictions for every record, so it has no `predict`: use `champion_` or
    `challenger_`. scikit-learn's own scorers reject it, because the score would be
    ambiguous.

    Parameters
    ----------
    champion, challenger : estimator
        Classifiers, or regressors: what runs today, and what may replace it. They are never
        changed.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.
    random_state : int, RandomState instance or None, default=None
        Decides every nested `random_state` that is None. Both classifiers get the same
        seed, so that identical classifiers predict alike. As for all estimators, an int
        gives the same seed in every split of a cross-validation, and None a different one
        in each.

    Attributes
    ----------
    champion_, challenger_ : estimator
        The fitted estimators.
    classes_ : ndarray of shape (n_classes,)
        Class labels of classifiers.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    make_paired_scorer : Scores both classifiers of a pair, and their difference.
    compare_cv_results : A verdict from the output of `cross_validate`.
    PairedComparator : Splits, fits and compares at once.

    Notes
    -----
    Folds given as an integer `cv` are stratified, as for every classifier. A pipeline may
    end in a pair, so that both share the steps before. With metadata routing off,
    `sample_weight` goes to both fits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import BlockRegularized5x2CV, PairedEstimator, make_paired_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = PairedEstimator(DecisionTreeClassifier(), GaussianNB(), random_state=0)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> scorer = make_paired_scorer("accuracy")
    >>> results = cross_validate(pair, X, y, cv=cv, scoring=scorer)
    >>> print(f"{results['test_accuracy_difference'].mean():+.3f}")
    +0.004
    """

    # Only a router: the metadata are for the two classifiers.
    __metadata_request__fit = {"sample_weight": UNUSED}

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "champion": "no_validation",
        "challenger": "no_validation",
        "allow_mixed": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        champion: Any,
        challenger: Any,
        *,
        allow_mixed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.champion = champion
        self.challenger = challenger
        self.allow_mixed = allow_mixed
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Fit clones of both classifiers.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records, passed to the classifiers unchanged.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; with metadata routing on, for the classifiers that request them.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        self : PairedEstimator
        """
        check_parameters(self)
        roles = self._named_estimators()
        target = target_of(roles)
        check_roles_to_fit(roles, allow_mixed=self.allow_mixed, target=target)
        y_labels = check_target(y, fitting=False, target=target)
        X, y, sample_weight = indexable(X, y, sample_weight)
        if y_labels.ndim == 1 and len(getattr(y, "shape", ())) == 2:
            # Warn of a column vector once, not in each fit.
            y = column_or_1d(y, warn=True)
        validate_data(self, X=X, skip_check_array=True)
        routed = routed_fit(self, None, sample_weight, params)
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        failed = f"failed to fit on {n_rows(X)} training records"
        reports, before = fit_reports(self, n_tasks=2), fingerprint(X)
        fits = (
            (
                role,
                fit_seeded(
                    *(role, estimator, seed, X, y, routed[role].fit, failed),
                    nullcontext if reports is None else partial(reports.of, k, role),
                ),
            )
            for k, (role, estimator) in enumerate(roles)
        )
        for role, fitted in fits if reports is None else reports.followed(fits):
            if role == CHAMPION and fingerprint(X) != before:
                raise ValueError(
                    f"champion ({describe(self.champion)}) changed the records while "
                    "fitting, so the challenger would learn from different ones. Set "
                    "copy=True in its transformers."
                )
            setattr(self, f"{role}_", fitted)
        if target == CLASSES:
            self.classes_ = classes_of(y_labels)
        elif hasattr(self, "classes_"):
            del self.classes_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata that the classifiers request.

        Returns
        -------
        routing : MetadataRouter
        """
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(
                **dict(self._named_estimators()),
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def __getattr__(self, name: str) -> Any:
        if name in PREDICTION_METHODS:
            raise AttributeError(
                f"A {type(self).__name__} has two predictions for every record, and no "
                f"{name!r}. Use its `champion_` or `challenger_`, or score both by "
                "make_paired_scorer.",
                name=name,
                obj=self,
            )
        return self.__getattribute__(name)

    def _named_estimators(self) -> list[tuple[str, Any]]:
        return [(CHAMPION, self.champion), (CHALLENGER, self.challenger)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        parts = tags_of((self.champion, self.challenger))
        set_input_tags(tags, parts)
        # Splits are stratified by the labels of classifiers, as scikit-learn does.
        set_predictor_tags(tags, parts)
        return tags


def make_paired_scorer(scoring: Any = None, *, pos_label: Any = None) -> "PairScorer":
    """Make a scorer of both classifiers of a pair and of their difference.

    The scorer returns three numbers per metric: ``<metric>_champion``,
    ``<metric>_challenger`` and ``<metric>_difference``, which is the challenger's minus the
    champion's on a greater-is-better scale: the difference of a loss is a gain. Each
    classifier predicts once for all metrics.

    Parameters
    ----------
    scoring : str, callable, list of str, or dict, default=None
        Metrics, as in :class:`PairedComparator`: names of metrics of skcompare or
        scorers of scikit-learn, with a class in brackets for one class against the rest,
        or scorers. A custom scorer sees stored predictions, and the records as they are.
        The default is that of :class:`PairedComparator`.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` of a fitted :class:`PairedEstimator`, or of a pipeline
        that ends in one, returns a dict of names to numbers. Use it where scikit-learn
        takes several scores: :func:`~sklearn.model_selection.cross_validate`, and searches
        with, for example, ``refit="accuracy_difference"``. `cross_val_score` and
        `learning_curve` need a single number, and reject it; pass them
        ``lambda pair, X, y: scorer(pair, X, y)["accuracy_difference"]``.

    Raises
    ------
    TypeError
        By the scorer, if the estimator is not a fitted pair.
    ValueError
        If `scoring` is not known; by the scorer, if a metric does not suit the classes, or
        `sample_weight` is passed: every record counts once, as in the tests.

    See Also
    --------
    PairedEstimator : The estimator that it scores.

    Notes
    -----
    On a test set where the score of either classifier is undefined, such as the AUC with
    one class only, all three numbers are NaN, with an
    :class:`~sklearn.exceptions.UndefinedMetricWarning`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import PairedEstimator, make_paired_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = PairedEstimator(DecisionTreeClassifier(max_depth=2), GaussianNB())
    >>> scorer = make_paired_scorer(["accuracy", "neg_log_loss"])
    >>> for name, score in scorer(pair.fit(X[::2], y[::2]), X[1::2], y[1::2]).items():
    ...     print(f"{name:24}{score:+.3f}")
    accuracy_champion       +0.947
    accuracy_challenger     +0.960
    accuracy_difference     +0.013
    neg_log_loss_champion   -0.197
    neg_log_loss_challenger -0.114
    neg_log_loss_difference +0.082
    """
    return PairScorer(scoring, pos_label)


class PairScorer:
    """Scorer of both classifiers of a pair; see :func:`make_paired_scorer`."""

    def __init__(self, scoring: Any, pos_label: Any) -> None:
        self.scoring = scoring
        self.pos_label = pos_label
        # An unknown name is an error before anything is fitted.
        self.measures = resolve_scoring(scoring)

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> dict[str, float]:
        """Score a fitted pair on records that it was not trained on.

        Parameters
        ----------
        estimator : PairedEstimator
            Fitted, or a fitted pipeline that ends in one.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **metadata : dict
            Refused.

        Returns
        -------
        scores : dict of str to float
        """
        _check_no_metadata(metadata)
        roles = fitted_pair(estimator)
        if roles is None:
            raise TypeError(
                "A paired scorer scores a fitted PairedEstimator, or a pipeline that ends "
                f"in one. Got {type(estimator).__name__}. Pass "
                "PairedEstimator(champion, challenger), fitted."
            )
        named_roles = list(zip((CHAMPION, CHALLENGER), roles))
        target = target_of(named_roles)
        measures = resolve_scoring(self.scoring, target)
        measured = NUMBERS if measures[0].is_numeric else CLASSES
        check_roles(named_roles, allow_mixed=True, prefit=True, target=measured)
        predictions = _collected(named_roles, X, y, measures)
        if len(predictions.classes) > 1:
            check_scored_classes(measures, predictions.classes, self.pos_label)
        scores: dict[str, float] = {}
        for measure in measures:
            champion, challenger = scores_of(predictions, measure, X, self.pos_label)
            sign = 1 if measure.greater_is_better else -1
            difference = sign * (challenger - champion)
            if not math.isfinite(difference):
                # The three means are then over the same test sets.
                champion = challenger = difference = math.nan
            scores[f"{measure.subject}_champion"] = champion
            scores[f"{measure.subject}_challenger"] = challenger
            scores[f"{measure.subject}_difference"] = difference
        return scores

    def get_metadata_routing(self) -> MetadataRequest:
        """Return an empty metadata request.

        Returns
        -------
        request : MetadataRequest
        """
        return MetadataRequest(owner="make_paired_scorer")

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this for each of several scorers, with routing off.
        return False

    def __repr__(self) -> str:
        named = {"scoring": self.scoring, "pos_label": self.pos_label}
        shown = (f"{name}={value!r}" for name, value in named.items() if value is not None)
        return f"make_paired_scorer({', '.join(shown).removeprefix('scoring=')})"


def _check_no_metadata(metadata: dict[str, Any]) -> None:
    names = [name for name, value in metadata.items() if value is not None]
    if names:
        raise ValueError(
            "A paired scorer counts every record once, because the tests have no version "
            f"for weights. Got {', '.join(names)}. Leave it out of scoring; the "
            "classifiers may still request it for their fits."
        )


def _collected(
    estimators: list[tuple[str, Any]], X: Any, y: Any, measures: Iterable[Measure]
) -> Predictions:
    """Predict a test set with fitted estimators, as far as the measures need it."""
    required = frozenset[str]().union(*(measure.required for measure in measures))
    target = NUMBERS if VALUES in required else CLASSES
    y_true = check_target(y, fitting=False, target=target)
    return collect_fitted(estimators, X, y_true, required=required, y_named=y)


def scores_of(
    predictions: Predictions, measure: Measure, X: Any, pos_label: Any = None
) -> list[float]:
    """Return the score of each classifier on one test set, with NaN for undefined scores.

    A custom scorer sees stored predictions and the records as they are. Warns if a score is
    undefined, or its scorer has warned.
    """
    if measure.label is not None and measure.is_numeric:
        predictions = measure.of_outputs(predictions)
    elif measure.label is not None:
        position = measure.position(predictions.classes)
        predictions, pos_label = one_class_of(predictions, position), True
    everything, watch = slice(0, predictions.n_records), Watch()
    scores = [
        RoleScores(predictions, role, measure, pos_label).of_part(everything, watch, X)
        for role in predictions.estimators
    ]
    if not np.isfinite(scores).all():
        reason = "" if watch.error is None else f": {watch.error}"
        warnings.warn(
            f"scoring {measure.subject!r} is undefined on this test set, and is set to "
            f"NaN{reason}",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    elif watch.warned:
        warnings.warn(
            f"The scorer of {measure.subject!r} warned about this test set. Call it alone "
            "on these records to see the reason.",
            UserWarning,
            stacklevel=4,
        )
    return scores


@dataclass(frozen=True)
class ClassScorer:
    """Scorer for scikit-learn by a measure of one class against the rest.

    Parameters
    ----------
    measure : Measure
        A measure with a class in brackets; greater is better.
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the score of a fitted classifier, or NaN with a warning if undefined."""
        predictions = _collected([("the classifier", estimator)], X, y, [self.measure])
        return scores_of(predictions, self.measure, X)[0]

    def get_metadata_routing(self) -> MetadataRequest:
        """Return an empty metadata request."""
        return MetadataRequest(owner=repr(self.measure.subject))

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this for each of several scorers, with routing off.
        return False
