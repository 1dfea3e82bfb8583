"""Two classifiers that fit together, as one estimator."""

import math
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Bunch, ClassifierTags, check_random_state, column_or_1d, indexable
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import validate_data

from skcompare._core.labels import check_labels, classes_of
from skcompare._core.sklearn_private import (
    CallbackSupportMixin,
    SideBySideMixin,
    check_parameters,
    progress_of,
    with_callbacks,
)
from skcompare.comparators._dry_run import check_scored_classes
from skcompare.comparators._meta_estimator import (
    refuse_unrouted,
    routing_enabled,
    set_input_tags,
    tags_of,
)
from skcompare.comparators._score_on_data import scores_of, told
from skcompare.exceptions import EstimatorFailedError
from skcompare.metrics import resolve_scoring
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    LARGEST_SEED,
    check_roles,
    check_target,
    collect_fitted,
    describe,
    fingerprint,
    fitted_pair,
    n_rows,
    seeded_generators,
    set_seeds,
)

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


class PairedClassifier(
    CallbackSupportMixin, SideBySideMixin, MetaEstimatorMixin, BaseEstimator
):
    """Fit a champion and a challenger together, for scikit-learn's own cross_validate.

    A fit makes clones of both and fits them on the same records with the same seeds.
    Scorers of :func:`make_paired_scorer` score both and their difference, so that
    :func:`sklearn.model_selection.cross_validate` gives three columns a metric; with
    ``return_estimator=True`` and ``return_indices=True`` its output has all that
    :func:`compare_cv_results` needs for a verdict.

    A pair has two answers to every record, and so it has no `predict`: ask `champion_`
    or `challenger_`. scikit-learn's own scorers refuse it, because nobody could tell whose
    score it is.

    Parameters
    ----------
    champion, challenger : estimator
        Classifiers: what runs today, and what may replace it. They are never changed.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.
    random_state : int, RandomState instance or None, default=None
        Decides every nested `random_state` that is None. Both classifiers get the same
        seed, so that identical classifiers answer alike. As for all estimators, an int is
        the same seed in every split of a cross-validation, and None another one in each.

    Attributes
    ----------
    champion_, challenger_ : estimator
        The fitted classifiers.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    make_paired_scorer : Scores both classifiers of a pair, and their difference.
    compare_cv_results : A verdict from what `cross_validate` returned.
    PairedComparator : Splits, fits and compares at once.

    Notes
    -----
    Integer numbers of folds are stratified, as for every classifier. A pipeline may end in
    a pair, so that both share the steps before. With metadata routing off,
    `sample_weight` goes to both fits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import BlockRegularized5x2CV, PairedClassifier, make_paired_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = PairedClassifier(DecisionTreeClassifier(), GaussianNB(), random_state=0)
    >>> cv = BlockRegularized5x2CV(random_state=0)
    >>> scorer = make_paired_scorer("accuracy")
    >>> results = cross_validate(pair, X, y, cv=cv, scoring=scorer)
    >>> print(f"{results['test_accuracy_difference'].mean():+.3f}")
    +0.004
    """

    # A router only: what it is given is for the two classifiers.
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
            Records, handed to the classifiers as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights; with metadata routing on, where a classifier asks for them.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        self : PairedClassifier
        """
        check_parameters(self)
        self._check_roles()
        check_target(y, fitting=False)
        X, y, sample_weight = indexable(X, y, sample_weight)
        if len(getattr(y, "shape", ())) == 2:
            # A column is warned of once, rather than by each fit.
            y = column_or_1d(y, warn=True)
        validate_data(self, X=X, skip_check_array=True)
        routed = self._route(sample_weight, params)
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        fits = (
            (role, self._fitted(role, X, y, routed, seed))
            for role, _ in self._named_estimators()
        )
        progress, before = progress_of(self, n_tasks=2), fingerprint(X)
        for role, fitted in progress(fits) if progress else fits:
            if role == CHAMPION and fingerprint(X) != before:
                raise ValueError(
                    f"champion ({describe(self.champion)}) changed the records while "
                    "fitting, so the challenger would learn from others. Set copy=True in "
                    "its transformers."
                )
            setattr(self, f"{role}_", fitted)
        self.classes_ = classes_of(check_labels("y", y))
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata that the classifiers request.

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
        if name in ANSWERS:
            raise AttributeError(
                f"A {type(self).__name__} has two answers to every record, and no "
                f"{name!r}. Ask its `champion_` or `challenger_`, or score both by "
                "make_paired_scorer.",
                name=name,
                obj=self,
            )
        return self.__getattribute__(name)

    def _named_estimators(self) -> list[tuple[str, Any]]:
        return [(CHAMPION, self.champion), (CHALLENGER, self.challenger)]

    def _check_roles(self) -> None:
        """Refuse what cannot be fitted as a pair."""
        estimators = self._named_estimators()
        check_roles(estimators, allow_mixed=self.allow_mixed, prefit=False)
        if all(isinstance(estimator, FrozenEstimator) for _, estimator in estimators):
            raise ValueError(
                "At least one classifier must be fitted here. Got two frozen ones. Compare "
                "these on a hold-out set by PairedComparator(..., cv='prefit')."
            )

    def _fitted(self, role: str, X: Any, y: Any, routed: Bunch, seed: int) -> Any:
        """A clone of one classifier, fitted."""
        estimator = clone(getattr(self, role))
        set_seeds(estimator, seed)
        try:
            with seeded_generators(seed):
                estimator.fit(X, y, **routed[role].fit)
        # Whatever an estimator raises is passed on with its name.
        except (Exception, SystemExit) as error:
            message = (
                f"{role} ({describe(estimator)}) failed to fit on {n_rows(X)} training "
                f"records: {type(error).__name__}: {error}"
            )
            raise EstimatorFailedError.of(message, error) from error
        return estimator

    def _route(self, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """What goes to the two fits."""
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            return process_routing(self, "fit", **given, **params)
        refuse_unrouted(params)
        return Bunch(champion=Bunch(fit=given), challenger=Bunch(fit=given))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Splitters are asked for class labels, as by every classifier.
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        set_input_tags(tags, tags_of((self.champion, self.challenger)))
        return tags


def make_paired_scorer(scoring: Any = "accuracy", *, pos_label: Any = None) -> "PairScorer":
    """Score both classifiers of a pair, and their difference, within scikit-learn.

    The scorer gives three numbers a metric: ``<metric>_champion``,
    ``<metric>_challenger`` and ``<metric>_difference``, which is the challenger's less the
    champion's on a greater-is-better scale: the difference of a loss is a gain. Each
    classifier answers once for all metrics.

    Parameters
    ----------
    scoring : str, callable, list of str, or dict, default="accuracy"
        What is scored, as in :class:`PairedComparator`: names of metrics of skcompare or
        scorers of scikit-learn, with a class in brackets for one class against the rest,
        or scorers. A custom scorer sees stored answers, and the records as they are.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` of a fitted :class:`PairedClassifier`, or of a pipeline
        that ends in one, gives a dict of names to numbers. It goes where scikit-learn
        takes several scores: :func:`~sklearn.model_selection.cross_validate`, and
        searches with, for example, ``refit="accuracy_difference"``. `cross_val_score` and
        `learning_curve` take one number, and refuse it.

    Raises
    ------
    TypeError
        By the scorer, if the estimator is no fitted pair.
    ValueError
        If `scoring` is not known; by the scorer, if a metric does not suit the classes, or
        `sample_weight` is passed: every record counts once, as in the tests.

    See Also
    --------
    PairedClassifier : The estimator that it scores.

    Notes
    -----
    On a test set where the score of either classifier is undefined, as the AUC where there
    is one class only, all three numbers are NaN, with an
    :class:`~sklearn.exceptions.UndefinedMetricWarning`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import PairedClassifier, make_paired_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = PairedClassifier(DecisionTreeClassifier(max_depth=2), GaussianNB())
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
    """A scorer that asks both classifiers of a pair; see :func:`make_paired_scorer`."""

    def __init__(self, scoring: Any, pos_label: Any) -> None:
        self.scoring = scoring
        self.pos_label = pos_label
        self.measures = resolve_scoring(scoring)

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> dict[str, float]:
        """Score a fitted pair on records that it was not trained on.

        Parameters
        ----------
        estimator : PairedClassifier
            Fitted, or a fitted pipeline that ends in one.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **metadata : dict
            Refused.

        Returns
        -------
        scores : dict of str to float
        """
        _refuse(metadata)
        roles = fitted_pair(estimator)
        if roles is None:
            raise TypeError(
                "A paired scorer scores a fitted PairedClassifier, or a pipeline that ends "
                f"in one. Got {type(estimator).__name__}. Pass "
                "PairedClassifier(champion, challenger), fitted."
            )
        predictions = collect_fitted(
            list(zip((CHAMPION, CHALLENGER), roles)),
            X,
            check_labels("y", y),
            wanted=frozenset[str]().union(*(measure.wanted for measure in self.measures)),
        )
        if len(predictions.classes) > 1:
            check_scored_classes(self.measures, predictions.classes, self.pos_label)
        scores: dict[str, float] = {}
        for measure in self.measures:
            found = scores_of(predictions, measure, X, self.pos_label)
            champion, challenger = told(measure, *found)
            sign = 1 if measure.greater_is_better else -1
            difference = sign * (challenger - champion)
            if not math.isfinite(difference):
                # Means over test sets are then of the same test sets.
                champion = challenger = difference = math.nan
            scores[f"{measure.subject}_champion"] = champion
            scores[f"{measure.subject}_challenger"] = challenger
            scores[f"{measure.subject}_difference"] = difference
        return scores

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn hands this scorer beside records and labels: nothing.

        Returns
        -------
        request : MetadataRequest
        """
        return MetadataRequest(owner="make_paired_scorer")

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer among several, with routing off.
        return False

    def __repr__(self) -> str:
        words = "" if self.pos_label is None else f", pos_label={self.pos_label!r}"
        return f"make_paired_scorer({self.scoring!r}{words})"


def _refuse(metadata: dict[str, Any]) -> None:
    given = [name for name, value in metadata.items() if value is not None]
    if given:
        raise ValueError(
            "A paired scorer counts every record once, because the tests have no version "
            f"for weights. Got {', '.join(given)}. Leave it out of scoring; the "
            "classifiers may still ask for it in their fits."
        )
