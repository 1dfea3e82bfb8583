"""Two classifiers that fit together, as one estimator."""

from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import (
    Bunch,
    ClassifierTags,
    check_random_state,
    column_or_1d,
    indexable,
)
from sklearn.utils.metadata_routing import (
    UNUSED,
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
from skcompare.comparators._routing import refuse_unrouted, routing_enabled
from skcompare.comparators._tags import set_input_tags, tags_of
from skcompare.exceptions import EstimatorFailedError
from skcompare.predictions import LARGEST_SEED, describe, n_rows, set_seeds
from skcompare.predictions._fitted_pair import CHALLENGER, CHAMPION
from skcompare.predictions._generators import seeded_generators
from skcompare.predictions._roles import check_roles, check_target
from skcompare.predictions._rows import fingerprint

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

    .. versionadded:: 0.1
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
