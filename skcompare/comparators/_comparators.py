"""Comparators of two and of several classifiers, which fit them on shared splits."""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from os import PathLike
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Memory
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import (
    Bunch,
    ClassifierTags,
    RegressorTags,
    check_random_state,
    column_or_1d,
    get_tags,
    indexable,
)
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from skcompare._analysis import MAX_T, Settings, settings_of_several
from skcompare._core.progress import shown_progress
from skcompare._core.sklearn_private import (
    CallbackSupportMixin,
    Interval,
    SideBySideMixin,
    StrOptions,
    check_parameters,
    fit_reports,
    with_callbacks,
)
from skcompare._core.validation import ALTERNATIVES, classes_of
from skcompare._registry.metrics import CLASSES
from skcompare.comparators._compare import (
    check_scored_classes,
    compare_pair,
    compare_several,
)
from skcompare.comparators._role_names import (
    check_named_estimators,
    check_two_names,
    named_pairs,
)
from skcompare.comparators._splits import (
    Splits,
    make_splits,
    one_split,
    rehearse,
    resolve_cv,
    trained_again,
    trained_once,
)
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import (
    CHALLENGER,
    CHAMPION,
    LARGEST_SEED,
    PREFIT,
    Predictions,
    check_roles,
    check_target,
    collect_fitted,
    collect_predictions,
    fit_seeded,
    is_fitted,
    is_mixed,
    is_prefit,
    memory_of,
    n_rows,
    ordered_by,
    takes_no_seed,
    target_of,
    times_of,
    without_seeds,
)
from skcompare.reports import Comparison, MultipleComparison
from skcompare.stats.core import ADJUSTMENTS


def routing_enabled() -> bool:
    """Whether metadata routing is enabled."""
    return bool(get_config()["enable_metadata_routing"])


def refuse_unrouted(names: Iterable[str]) -> None:
    """Raise an error if there is metadata that needs routing."""
    if listed := ", ".join(names):
        raise ValueError(
            f"{listed} can be passed with metadata routing on only. Turn it on with "
            "sklearn.set_config(enable_metadata_routing=True) and let the classifiers "
            "request it."
        )


def routed_fit(
    comparator: Any, groups: Any, sample_weight: Any, params: dict[str, Any]
) -> Bunch:
    """Return the metadata of the fits, and of the splits if a comparator makes them."""
    if routing_enabled():
        metadata = {"groups": groups, "sample_weight": sample_weight, **params}
        metadata = {k: value for k, value in metadata.items() if value is not None}
        return process_routing(comparator, "fit", **metadata)
    refuse_unrouted(params)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return Bunch(
        splitter=Bunch(split={} if groups is None else {"groups": groups}),
        **{name: Bunch(fit=weights) for name, _ in comparator._named_estimators()},
    )


def tags_of(estimators: Iterable[Any]) -> list[Any]:
    """Return the tags of all estimators that define tags.

    Printing must work with any arguments; `fit` raises an error for invalid ones.
    """
    return [
        get_tags(part)
        for part in estimators
        if hasattr(part, "__sklearn_tags__") and not isinstance(part, type)
    ]


def set_input_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Set the input tags that all estimators have, and pairwise if any of them has it."""
    for name in ("sparse", "categorical", "string", "allow_nan"):
        values = [getattr(part.input_tags, name) for part in parts]
        setattr(tags.input_tags, name, bool(values) and all(values))
    tags.input_tags.pairwise = any(part.input_tags.pairwise for part in parts)


def set_predictor_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Set the tags of a classifier, multi-class if all are, or of a regressor."""
    if parts and all(part.estimator_type == "regressor" for part in parts):
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        return
    tags.estimator_type = "classifier"
    part_tags = [part.classifier_tags for part in parts if part.classifier_tags is not None]
    tags.classifier_tags = ClassifierTags(
        poor_score=any(each.poor_score for each in part_tags),
        multi_class=all(each.multi_class for each in part_tags),
    )


def fitting_flags(
    estimators: Sequence[tuple[str, Any]], fit_params: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the flags for frozen or fitted classifiers and for weighted fits."""
    flags: tuple[str, ...] = ()
    if is_mixed(estimators):
        flags = ("mixed-frozen",)
    elif any(_was_fitted(estimator) for _, estimator in estimators):
        flags = ("refitted",)
    if any("sample_weight" in params for params in fit_params):
        flags = (*flags, "weighted-fit")
    return flags


def _was_fitted(estimator: Any) -> bool:
    """Whether an estimator is fitted, and its clone, which is not, shows that it is not.

    A Gaussian process predicts by its prior before it is fitted.
    """
    return is_fitted(estimator) and not is_fitted(clone(estimator))


def _selected_has(method: str) -> Any:
    """Return a check that the selected classifier has a method.

    Before a classifier is selected, all of them must have the method.
    """

    def check(comparator: Any) -> bool:
        if not comparator.refit:
            raise AttributeError(
                f"{type(comparator).__name__} has {method} with refit=True only. Otherwise "
                "it is a comparison, and no classifier."
            )
        candidates = dict(comparator._named_estimators())
        if hasattr(comparator, "selected_estimator_"):
            candidates = {"selected_estimator_": comparator.selected_estimator_}
        for name, classifier in candidates.items():
            if not hasattr(classifier, method):
                raise AttributeError(
                    f"{type(comparator).__name__} has {method} if the classifier that it "
                    f"selects has it. `{name}` ({type(classifier).__name__}) has none."
                )
        return True

    return check


class BaseComparator(
    CallbackSupportMixin,
    SideBySideMixin,
    MetaEstimatorMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Base class for comparators that fit classifiers on shared splits and compare them.

    A subclass defines the classifiers, the comparison and the selection.
    """

    # Only a router: the metadata are for the classifiers and the splitter.
    __metadata_request__fit = dict.fromkeys(
        ("groups", "time", "horizon", "sample_weight"), UNUSED
    )
    __metadata_request__score = {"sample_weight": UNUSED}

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cv": ["cv_object", StrOptions({PREFIT})],
        "n_trainings": [Interval(Integral, 2, None, closed="left"), None],
        "scoring": [str, callable, list, tuple, dict, None],
        "tests": [str, list, tuple, dict],
        "alternative": [StrOptions(set(ALTERNATIVES))],
        "alpha": [Interval(Real, 0, 0.5, closed="right")],
        "pos_label": "no_validation",
        "allow_mixed": ["boolean"],
        "check_reproducible": ["boolean"],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "cache": [str, PathLike, Memory, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    cv: Any
    n_trainings: int | None
    scoring: Any
    tests: Any
    pos_label: Any
    allow_mixed: bool
    check_reproducible: bool
    refit: bool
    n_jobs: int | None
    cache: Any
    verbose: int
    random_state: Any
    comparison_: Any
    selected_estimator_: Any

    @abstractmethod
    def _named_estimators(self) -> list[tuple[str, Any]]:
        """Return the classifiers with their names."""

    @abstractmethod
    def _settings(self) -> Settings:
        """Return the settings, checked before anything is fitted."""

    @abstractmethod
    def _selected_name(self) -> str:
        """Return the name of the selected classifier."""

    @abstractmethod
    def _compared(
        self, predictions: Predictions, settings: Settings, **details: Any
    ) -> Any:
        """Compare the predictions."""

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        time: Any = None,
        horizon: int = 1,
        sample_weight: Any = None,
        **params: Any,
    ) -> Self:
        """Fit and compare the classifiers.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records, passed to the classifiers unchanged.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels; numbers if `scoring` is of regressors, of one or several outputs.
        groups : array-like of shape (n_samples,), optional
            Group of each record, for the splitter and for tests that account for
            dependence within groups. The design is then grouped.
        time : array-like of shape (n_samples,), optional
            Number or timestamp of each record, as for :func:`~skcompare.compare`: for
            fitted estimators, and for splits that train on earlier times than they test,
            which are then the default. Other splits in time order use the order of the
            records in X, and need `time` if `groups` are series.
        horizon : int, default=1
            Time points by which forecasts are ahead, or by which true labels are late; at
            least 1 more than the gap of splits.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for fitting; with metadata routing on, for the classifiers that
            request them.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        self : object
            The fitted comparator.
        """
        start = perf_counter()
        check_parameters(self)
        settings = self._settings()
        target = settings.target
        prefit = self._check_roles(sample_weight, params, target)
        y_labels = check_target(y, groups, fitting=not prefit, target=target)
        X, y, groups, sample_weight = indexable(X, y, groups, sample_weight)
        times = times_of(time, horizon, len(y_labels))
        if y_labels.ndim == 1 and len(getattr(y, "shape", ())) == 2:
            # Warn of a column vector once, not in each fit.
            y = column_or_1d(y, warn=True)
        validate_data(self, X=X, skip_check_array=True)
        if not prefit and target == CLASSES:
            check_scored_classes(settings.measures, classes_of(y_labels), self.pos_label)
        routed = routed_fit(self, groups, sample_weight, params)
        rng = check_random_state(self.random_state)
        if prefit:
            self.cv_: Any = PREFIT
            roles, required = self._named_estimators(), settings.required
            collected = collect_fitted(
                roles, X, y_labels, required=required, groups=groups, y_named=y
            )
            self.predictions_ = ordered_by(collected, times, horizon)
        else:
            split = routed.splitter.split
            splits = self._make_splits(X, y_labels, groups, split, target, times, horizon)
            self.predictions_ = self._collect(
                X, y, y_labels, groups, settings, routed, rng, splits
            )
        is_seed = isinstance(self.random_state, int | np.integer)
        self.comparison_ = self._compared(
            self.predictions_,
            settings,
            n_fits=0 if prefit else self.predictions_.n_splits,
            start=start,
            random_state=int(self.random_state) if is_seed else None,
        )
        self.results_ = self.comparison_.results
        self.verdict_ = self.comparison_.verdict
        if target == CLASSES:
            self.classes_ = self.predictions_.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        if hasattr(self, "selected_estimator_"):
            # The classifier that an earlier fit selected must not be used for this one.
            del self.selected_estimator_
        if self.refit:
            self._select(X, y, prefit, routed, rng)
        return self

    def _make_splits(
        self,
        X: Any,
        y: np.ndarray,
        groups: Any,
        params: Any,
        target: str,
        times: np.ndarray | None,
        horizon: int,
    ) -> Splits:
        """Make the splits; for several trainings the same split as often."""
        cv = self.cv
        if cv is None and self.n_trainings is not None:
            cv = one_split(target)
        self.cv_ = resolve_cv(cv, y, self.random_state, target, times, horizon)
        splits = make_splits(self.cv_, X, y, groups, params, times, horizon)
        if self.n_trainings is None:
            return splits
        return trained_again(splits, self.n_trainings)

    def _common_settings(self) -> dict[str, Any]:
        """Return the parameters that are settings of any comparison."""
        names = ("scoring", "tests", "alternative", "alpha", "adjust", "pos_label")
        settings = {name: getattr(self, name) for name in names}
        return settings | {"target": target_of(self._named_estimators())}

    def _check_roles(self, sample_weight: Any, params: dict[str, Any], target: str) -> bool:
        """Check that the classifiers can be compared; return whether to skip fitting."""
        estimators = self._named_estimators()
        as_is = isinstance(self.cv, str) and self.cv == PREFIT
        check_roles(estimators, allow_mixed=self.allow_mixed, prefit=as_is, target=target)
        prefit = is_prefit(estimators, self.cv)
        if prefit and self.n_trainings is not None:
            raise ValueError(
                "Fitted classifiers are not trained again. Got "
                f"n_trainings={self.n_trainings}. Pass unfitted ones with a `cv` of one "
                "split, or compare predictions of several trainings by compare_seeds."
            )
        metadata = [*params] if sample_weight is None else ["sample_weight", *params]
        if prefit and metadata:
            raise ValueError(
                "Nothing is fitted on a hold-out set, and its records count equally. Got "
                f"{', '.join(metadata)}. Leave it out."
            )
        return prefit

    def _collect(
        self,
        X: Any,
        y: Any,
        y_labels: np.ndarray,
        groups: Any,
        settings: Settings,
        routed: Bunch,
        rng: np.random.RandomState,
        splits: Splits,
    ) -> Predictions:
        estimators = self._named_estimators()
        if self.n_trainings is not None:
            estimators = [(name, without_seeds(part)) for name, part in estimators]
        rehearse(settings, splits, y_labels)
        fit_params = [dict(routed[name].fit) for name, _ in estimators]
        twice = [n for n, e in estimators if self.check_reproducible or takes_no_seed(e)]
        collected = collect_predictions(
            estimators,
            X,
            y,
            y_labels,
            splits=splits.pairs,
            design=splits.design,
            required=settings.required,
            seeds=rng.randint(LARGEST_SEED, size=len(splits.pairs)).tolist(),
            groups=groups,
            fit_params=fit_params,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            reports=fit_reports(self, len(estimators) * len(splits.pairs) + len(twice)),
            memory=memory_of(self.cache, self.random_state),
            twice=twice,
            flags=(*splits.flags, *fitting_flags(estimators, fit_params)),
        )
        if self.n_trainings is not None:
            return trained_once(collected, estimators)
        return splits.ordered(collected)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata that the classifiers and the splitter request.

        Returns
        -------
        routing : MetadataRouter
        """
        to_each = MethodMapping().add(caller="fit", callee="fit")
        to_each.add(caller="score", callee="score")
        to_split = MethodMapping().add(caller="fit", callee="split")
        is_splitter = hasattr(self.cv, "split")
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(**dict(self._named_estimators()), method_mapping=to_each)
            .add(
                splitter=self.cv if is_splitter else BlockRegularized5x2CV(),
                method_mapping=to_split,
            )
        )

    def _select(
        self, X: Any, y: Any, prefit: bool, routed: Bunch, rng: np.random.RandomState
    ) -> None:
        name = self._selected_name()
        selected = dict(self._named_estimators())[name]
        if not prefit:
            seed = int(rng.randint(LARGEST_SEED))
            failed = f"was selected, and failed to fit on all {n_rows(X)} records"
            selected = fit_seeded(name, selected, seed, X, y, routed[name].fit, failed)
        self.selected_estimator_ = selected
        # The columns of its probabilities follow these, in the type of its predictions.
        if hasattr(selected, "classes_"):
            self.classes_ = selected.classes_

    def _shown_estimators(self) -> list[tuple[str, Any, str]]:
        if not hasattr(self, "selected_estimator_"):
            return super()._shown_estimators()
        # The selected classifier is shown as it was fitted.
        name = self._selected_name()
        return [
            (role, self.selected_estimator_, "selected")
            if role == name
            else (role, estimator, "")
            for role, estimator in self._named_estimators()
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        parts = tags_of(part for _, part in self._named_estimators())
        set_input_tags(tags, parts)
        if self.refit and parts:
            set_predictor_tags(tags, parts)
        return tags

    @available_if(_selected_has("predict"))
    def predict(self, X: Any) -> Any:
        """Predict labels with the selected classifier; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._selected().predict(X)

    @available_if(_selected_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities with the selected classifier; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._selected().predict_proba(X)

    @available_if(_selected_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Predict log-probabilities with the selected classifier; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
        """
        return self._selected().predict_log_proba(X)

    @available_if(_selected_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Compute decision scores with the selected classifier; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._selected().decision_function(X)

    @available_if(_selected_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Score records by the selected classifier's own `score`; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            With metadata routing on, passed if the classifier requests it.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        score : float
            Accuracy for scikit-learn's classifiers.
        """
        selected = self._selected()
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            routed = process_routing(self, "score", **metadata, **params)
            metadata = routed[self._selected_name()].score
        else:
            refuse_unrouted(params)
        return float(selected.score(X, y, **metadata))

    def _selected(self) -> Any:
        check_is_fitted(self, "selected_estimator_")
        return self.selected_estimator_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a comparison and, with `refit=True`, a selected classifier."""
        needed = ["comparison_", *(["selected_estimator_"] if self.refit else [])]
        return all(hasattr(self, name) for name in needed)


class PairedComparator(BaseComparator):
    """Comparator that tests whether a challenger is better than a champion.

    Both estimators, two classifiers or two regressors, are cloned, fitted on the same
    training sets with the same seeds, and predict the same test sets; the design's valid
    test gives the verdict. By default the splits are a 5×2 block-regularized
    cross-validation and the test is :func:`~skcompare.stats.bcv_jackknife_t`, whose null
    hypothesis is that the two learning algorithms are equally good by the measure.

    Parameters
    ----------
    champion : estimator
        The classifier or regressor that runs today. It is never changed. Two fitted ones
        are compared as they are, with `cv="prefit"` or if wrapped in
        :class:`~sklearn.frozen.FrozenEstimator`.
    challenger : estimator
        The one that may replace it; treated in the same way.
    names : tuple of (str, str), optional
        Names of champion and challenger in reports, displays and JSON. By default they are
        described by their classes and parameters. The verdict names the role.
    cv : None, "prefit", int, splitter or iterable, default=None
        None is :class:`~skcompare.BlockRegularized5x2CV`, of whole groups if `groups` are
        passed to `fit`. If `time` is passed, None is 5 splits of the time points in their
        order, with a gap of `horizon` - 1. Both have a default test for every usual
        measure. "prefit" takes X and y as a hold-out set. Anything else as in scikit-learn.
        Splits that test later records than they train on, as those of
        :class:`~sklearn.model_selection.TimeSeriesSplit`, are in time order: see the notes.
    n_trainings : int, optional
        Number of trainings of each estimator on the only split of `cv`, by default a random
        one, stratified by class, that tests 30 % of the records. Every nested
        `random_state`, even one that is set, gets a new seed for each training, the same
        for both. The verdict is then about the two recipes with these training records, by
        :func:`~skcompare.stats.crossed_t`.
    scoring : str, callable, list of str, or dict, default=None
        Measures to compare: names of metrics of skcompare or scorers of scikit-learn, or
        scorers. The verdict comes from the first; a custom scorer sees stored predictions
        and the row numbers as X. By default "accuracy" for classifiers, and for regressors
        "r2", together with "neg_mean_absolute_error" and "neg_root_mean_squared_error".
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it. "all" takes every test that
        is valid for the design. A test that is not valid for the design runs only on
        request, and is flagged.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none", "max-t"} or \
None
        Adjustment of the p-values of all rows but the primary one; "max-t" is for several
        outputs on a hold-out, as for :func:`~skcompare.compare`.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier, or one within a pipeline or another classifier.
        By default this is an error, because it may have seen the test records.
    check_reproducible : bool, default=False
        Fit both classifiers twice on the first split, and flag the comparison as
        "not-reproducible" if the predictions differ. This is always done for a
        classifier that has a `random_state` which cannot be set.
    refit : bool, default=False
        Fit the selected classifier on all records and predict with it. The diagram of the
        comparator in a notebook marks it.
    n_jobs : int, optional
        Fits at a time, as in joblib.
    cache : str, path or joblib.Memory, optional
        Folder in which the predictions of each fit are stored as soon as they are made, and
        from which a later `fit` of the same inputs reads them: see the notes.
    verbose : int, default=0
        1 shows progress bars with the time left on stderr, of the fits and of resampling
        that takes long, with rich or tqdm if one of them is installed. With larger values
        joblib writes messages.
    random_state : int, RandomState instance or None, default=None
        Decides the splits and every nested `random_state` that is None. These get one seed
        per split, the same for both classifiers, so that identical classifiers give equal
        predictions; pass an int to get the same comparison at every call. The global
        generators of numpy, Python and torch (on the CPU) are seeded with it before each
        fit, and restored at the end; fits in threads share them.

    Attributes
    ----------
    verdict_ : {"challenger", "champion", "inconclusive"}
        From the primary measure's default test at `alpha`.
    comparison_ : Comparison
        The report: text, Markdown, HTML, JSON, frame.
    results_ : Results
        Rows by (measure, class or None, test), or by a unique measure or test.
    predictions_ : Predictions
        All predictions with their splits.
    cv_ : splitter or "prefit"
        The splitter that was used.
    selected_estimator_ : estimator
        With `refit=True`: the champion unless the evidence favours the challenger,
        fitted on all records.
    classes_ : ndarray of shape (n_classes,)
        Class labels; with `refit=True` those of `selected_estimator_`. Regressors have
        none.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    compare : Compares existing predictions.
    compare_seeds : Compares existing predictions of several trainings.

    Notes
    -----
    Identical classifiers give difference 0, p = 1 and an inconclusive verdict. With
    metadata routing off, `groups` go to the splitter and `sample_weight` to both fits; the
    evaluation counts every record once.

    With `cache`, a comparison that was interrupted, or lost a worker, resumes where it
    stopped when it is fitted again. Predictions are read only if nothing that affects them
    has changed: the parameters of the estimators and the modules of their classes, the
    records, weights, splits and seeds, the requested kinds of predictions, the versions of
    numpy, scipy, scikit-learn, skcompare and the estimators' packages, and scikit-learn's
    configuration. Otherwise, and where a file is damaged, the estimator is fitted.
    `random_state` must be an int, because the fits depend on the seed. The results are the
    same as without a cache; fit times are those of the first fit. The files are pickled:
    use only folders that nobody else can write to. Workers on other machines must have
    access to them too.

    ``set_callbacks`` takes callbacks of scikit-learn, such as
    :class:`~sklearn.callback.ProgressBar`, which reach the classifiers that support them
    where the fits run on this machine.

    If records are in time order, each test set must be later than its training set. The
    predictions of all test sets are then one series, in the order of the records in X or of
    the `time` that is passed to `fit`, and :func:`~skcompare.stats.diebold_mariano`
    compares them by any mean of a loss, and by other scores through the influences of the
    records: scores of labels and of errors from all predictions together, and those of
    ranks, such as the AUC, within the test sets. The conclusion is about the two methods,
    as they were trained along this series. The test is not available if records are tested
    twice, by overlapping windows, or if there are several series, named by `groups`,
    without `time`. A time point that a split cuts in two is in both its training and its
    test set. Further tests, such as :func:`~skcompare.stats.giacomini_white` and
    :func:`~skcompare.stats.fluctuation`, take
    :class:`~skcompare.evidence.OrderedDifferences`, an `evidence` of `comparison_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare import PairedComparator
    >>> X, y = load_iris(return_X_y=True)
    >>> comparator = PairedComparator(DummyClassifier(), GaussianNB(), random_state=0)
    >>> comparator.fit(X, y).verdict_
    'challenger'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseComparator._parameter_constraints,
        "champion": "no_validation",
        "challenger": "no_validation",
        "names": [tuple, list, None],
        "adjust": [StrOptions({*ADJUSTMENTS, MAX_T}), None],
    }

    def __init__(
        self,
        champion: Any,
        challenger: Any,
        *,
        names: Sequence[str] | None = None,
        cv: Any = None,
        n_trainings: int | None = None,
        scoring: Any = None,
        tests: Any = "auto",
        alternative: str = "two-sided",
        alpha: float = 0.05,
        adjust: str | None = "holm",
        pos_label: Any = None,
        allow_mixed: bool = False,
        check_reproducible: bool = False,
        refit: bool = False,
        n_jobs: int | None = None,
        cache: Any = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.champion = champion
        self.challenger = challenger
        self.names = names
        self.cv = cv
        self.n_trainings = n_trainings
        self.scoring = scoring
        self.tests = tests
        self.alternative = alternative
        self.alpha = alpha
        self.adjust = adjust
        self.pos_label = pos_label
        self.allow_mixed = allow_mixed
        self.check_reproducible = check_reproducible
        self.refit = refit
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose
        self.random_state = random_state

    def _named_estimators(self) -> list[tuple[str, Any]]:
        return [(CHAMPION, self.champion), (CHALLENGER, self.challenger)]

    def _settings(self) -> Settings:
        for role, estimator in self._named_estimators():
            if isinstance(estimator, tuple):
                raise TypeError(
                    f"`{role}` must be an estimator. Got a tuple. Names are passed beside "
                    "both: PairedComparator(champion, challenger, names=('old', 'new'))."
                )
        if self.names is not None:
            check_two_names(self.names)
        return Settings.parse(**self._common_settings())

    def _compared(
        self, predictions: Predictions, settings: Settings, **details: Any
    ) -> Comparison:
        if self.names is not None:
            roles = zip(predictions.estimators, self.names, strict=True)
            named = tuple(replace(role, description=name) for role, name in roles)
            self.predictions_ = predictions = replace(predictions, estimators=named)
        pair = predictions.pair(CHAMPION, CHALLENGER)
        with shown_progress(self.verbose):
            return compare_pair(pair, settings, **details)

    def _selected_name(self) -> str:
        return CHALLENGER if self.verdict_ == CHALLENGER else CHAMPION


class MultipleComparator(BaseComparator):
    """Comparator that tests which of several estimators are better than others.

    All estimators, classifiers or regressors, are cloned, fitted on the same training sets
    with the same seeds, and predict the same test sets: 10 fits each by default. Every pair
    is compared by the test that :class:`~skcompare.PairedComparator` would use, or every
    estimator with a control, and p-values are adjusted for the number of pairs. The null
    hypothesis of a pair is that its two learning algorithms are equally good.

    Parameters
    ----------
    estimators : list of (str, estimator), or dict of str to estimator
        Three or more classifiers, or regressors, with their names. They are never changed.
    cv : None, "prefit", int, splitter or iterable, default=None
        As for :class:`~skcompare.PairedComparator`.
    n_trainings : int, optional
        Number of trainings of each estimator on the only split of `cv`, as for
        :class:`~skcompare.PairedComparator`.
    scoring : str, callable, list of str, or dict, default=None
        Measures to compare. The verdict comes from the first. The default is that of
        :class:`~skcompare.PairedComparator`.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests of pairs, and of tests of all together such as "cochran_q", with
        options in a dict. "auto" takes the default tests of the design. A test that is not
        valid for the design runs only on request, and is flagged.
    control : str, optional
        Name of the classifier that each other one is compared with. By default all pairs
        are compared.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means better than the control; one-sided tests need one.
    alpha : float, default=0.05
        Family-wise error rate for the primary measure, if `adjust` controls it. Intervals
        of all differences hold simultaneously at level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"} or \
None, default="holm"
        Adjustment of the p-values of the pairs of one measure, as for
        :func:`~skcompare.stats.adjust_pvalues`. "max-t" is for accuracy, AUC, precision and
        mean losses on a hold-out, and has its own test for each.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.
    allow_mixed : bool, default=False
        Allow frozen and unfrozen classifiers together.
    check_reproducible : bool, default=False
        Fit all classifiers twice on the first split, and flag the comparison as
        "not-reproducible" if the predictions differ. This is always done for a classifier
        that has a `random_state` which cannot be set.
    refit : bool, default=False
        Fit the selected classifier on all records and predict with it.
    n_jobs : int, optional
        Fits at a time, as in joblib.
    cache : str, path or joblib.Memory, optional
        Folder in which the predictions of each fit are stored, as for
        :class:`~skcompare.PairedComparator`.
    verbose : int, default=0
        1 shows a progress bar with the time left, as for
        :class:`~skcompare.PairedComparator`.
    random_state : int, RandomState instance or None, default=None
        Decides the splits and every nested `random_state` that is None. These get one seed
        per split, the same for all classifiers.

    Attributes
    ----------
    verdict_ : str
        The name of the classifier that is better than every other one. With a control: the
        best of those that are better than it, or the control if all others are
        significantly worse. Otherwise "inconclusive".
    groups_ : tuple of tuple of str
        Groups of classifiers without significant differences, starting with that of the
        best one; none with a control.
    comparison_ : MultipleComparison
        The report: text, Markdown, HTML, JSON, frame.
    results_ : PairwiseResults
        Comparisons by (measure, class or None, test), or by a unique one of them.
    predictions_ : Predictions
        All predictions with their splits.
    cv_ : splitter or "prefit"
        The splitter that was used.
    selected_estimator_ : estimator
        With `refit=True`: the first of the classifiers, in the given order, that is not
        significantly worse than the best one, so list those you prefer to keep first. With
        a control it is the control, unless others are better, and then the best of these.
        It is fitted on all records.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    PairedComparator : Compares two classifiers.
    compare : Compares existing predictions.

    Notes
    -----
    Tests of all classifiers together are those that are valid for the design: on a
    hold-out Cochran's Q for accuracy, DeLong's joint test for the AUC, and a joint test of
    precision, recall and similar scores. No such test is known to be valid where
    classifiers are retrained on splits that share records. The adjusted p-values of the
    pairs hold their level without one.

    "holm" makes no assumption about the dependence of the pairs. It requires tests of pairs
    that hold their level at `alpha` over the number of pairs; their error rates are
    measured in ``benchmarks/validity/several/several_algorithms.py``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skcompare import MultipleComparator
    >>> X, y = load_iris(return_X_y=True)
    >>> comparator = MultipleComparator(
    ...     [
    ...         ("prior", DummyClassifier()),
    ...         ("Bayes", GaussianNB()),
    ...         ("neighbours", KNeighborsClassifier()),
    ...     ],
    ...     random_state=0,
    ... )
    >>> comparator.fit(X, y).verdict_
    'inconclusive'
    >>> comparator.groups_
    (('neighbours', 'Bayes'), ('prior',))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseComparator._parameter_constraints,
        "estimators": "no_validation",
        "control": [str, None],
        "adjust": [StrOptions({*ADJUSTMENTS, MAX_T}), None],
    }

    def __init__(
        self,
        estimators: Any,
        *,
        cv: Any = None,
        n_trainings: int | None = None,
        scoring: Any = None,
        tests: Any = "auto",
        control: str | None = None,
        alternative: str = "two-sided",
        alpha: float = 0.05,
        adjust: str | None = "holm",
        pos_label: Any = None,
        allow_mixed: bool = False,
        check_reproducible: bool = False,
        refit: bool = False,
        n_jobs: int | None = None,
        cache: Any = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.n_trainings = n_trainings
        self.scoring = scoring
        self.tests = tests
        self.control = control
        self.alternative = alternative
        self.alpha = alpha
        self.adjust = adjust
        self.pos_label = pos_label
        self.allow_mixed = allow_mixed
        self.check_reproducible = check_reproducible
        self.refit = refit
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get parameters, including those of the named estimators.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the estimators by name, and their parameters as
            ``name__parameter``.

        Returns
        -------
        params : dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if not deep:
            return params
        for name, estimator in named_pairs(self.estimators):
            params[name] = estimator
            if hasattr(estimator, "get_params"):
                nested = estimator.get_params(deep=True)
                params |= {f"{name}__{key}": value for key, value in nested.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, replace estimators by name, or set their parameters.

        Parameters
        ----------
        **params : dict
            `estimators` first, then estimators by name, then ``name__parameter``.

        Returns
        -------
        self : object
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        pairs = named_pairs(self.estimators)
        if any(name in params for name, _ in pairs):
            replaced = [(name, params.pop(name, estimator)) for name, estimator in pairs]
            is_dict = isinstance(self.estimators, Mapping)
            self.estimators = dict(replaced) if is_dict else replaced
        super().set_params(**params)
        return self

    @property
    def groups_(self) -> tuple[tuple[str, ...], ...]:
        """Groups of classifiers without significant differences, starting with the best."""
        check_is_fitted(self, "comparison_")
        groups: tuple[tuple[str, ...], ...] = self.comparison_.groups
        return groups

    def _named_estimators(self) -> list[tuple[str, Any]]:
        # Printing and tags must work with any arguments; `fit` checks them.
        return named_pairs(self.estimators)

    def _settings(self) -> Settings:
        check_named_estimators(self.estimators, self.get_params(deep=False))
        names = [name for name, _ in named_pairs(self.estimators)]
        return settings_of_several(
            names,
            self.control,
            in_trainings=self.n_trainings is not None,
            **self._common_settings(),
        )

    def _compared(
        self, predictions: Predictions, settings: Settings, **details: Any
    ) -> MultipleComparison:
        with shown_progress(self.verbose):
            return compare_several(predictions, settings, **details)

    def _selected_name(self) -> str:
        # From the fitted comparison, because parameters may have been set since.
        comparison: MultipleComparison = self.comparison_
        significant = {row.beats(comparison.alpha) for row in comparison.pairs}
        if comparison.control is not None:
            ranked = [row.name for row in comparison.classifiers]
            better = [name for name in ranked if (name, comparison.control) in significant]
            return better[0] if better else comparison.control
        best = comparison.comparisons[0].leader
        return next(
            name for name in comparison.descriptions if (best, name) not in significant
        )
