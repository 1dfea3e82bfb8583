"""Base class of the comparators of two and of several classifiers."""

from abc import ABCMeta, abstractmethod
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Bunch, check_random_state, column_or_1d, indexable
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import validate_data

from skcompare._analysis import predictions_required
from skcompare._core.design import Design
from skcompare._core.sklearn_private import (
    CallbackSupportMixin,
    Interval,
    SideBySideMixin,
    StrOptions,
    check_parameters,
    progress_of,
    with_callbacks,
)
from skcompare._core.validation import ALTERNATIVES, check_groups, check_labels, classes_of
from skcompare.comparators._dry_run import check_scored_classes, rehearse
from skcompare.comparators._meta_estimator import (
    SelectedClassifierMixin,
    fitting_flags,
    refuse_unrouted,
    routing_enabled,
    set_classifier_tags,
    set_input_tags,
    tags_of,
)
from skcompare.comparators._settings import Settings, make_splits, resolve_cv
from skcompare.exceptions import EstimatorFailedError
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import (
    LARGEST_SEED,
    PREFIT,
    Predictions,
    check_roles,
    check_target,
    collect_fitted,
    collect_predictions,
    describe,
    is_prefit,
    n_rows,
    seeded_generators,
    set_seeds,
    takes_no_seed,
)


class BaseComparator(
    CallbackSupportMixin,
    SelectedClassifierMixin,
    SideBySideMixin,
    MetaEstimatorMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Base class for comparators that fit classifiers on shared splits and compare them.

    A subclass defines the classifiers, the comparison and the selection.
    """

    # Only a router: the metadata are for the classifiers and the splitter.
    __metadata_request__fit = {"groups": UNUSED, "sample_weight": UNUSED}
    __metadata_request__score = {"sample_weight": UNUSED}

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cv": ["cv_object", StrOptions({PREFIT})],
        "scoring": [str, callable, list, tuple, dict],
        "tests": [str, list, tuple, dict],
        "alternative": [StrOptions(set(ALTERNATIVES))],
        "alpha": [Interval(Real, 0, 0.5, closed="right")],
        "pos_label": "no_validation",
        "allow_mixed": ["boolean"],
        "check_reproducible": ["boolean"],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    cv: Any
    scoring: Any
    tests: Any
    pos_label: Any
    allow_mixed: bool
    check_reproducible: bool
    refit: bool
    n_jobs: int | None
    verbose: int
    random_state: Any
    comparison_: Any

    @abstractmethod
    def _named_estimators(self) -> list[tuple[str, Any]]:
        """Return the classifiers with their names."""

    @abstractmethod
    def _settings(self) -> Settings:
        """Return the settings, checked before anything is fitted."""

    @abstractmethod
    def _compared(
        self, predictions: Predictions, settings: Settings, *, n_fits: int, start: float
    ) -> Any:
        """Compare the predictions."""

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        **params: Any,
    ) -> Self:
        """Fit and compare the classifiers.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Records, handed to the classifiers as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : array-like of shape (n_samples,), optional
            Group of each record, for the splitter and for tests that account for
            dependence within groups. The design is then grouped.
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
        prefit = self._check_roles(sample_weight, params)
        check_target(y, fitting=not prefit)
        X, y, groups, sample_weight = indexable(X, y, groups, sample_weight)
        if len(getattr(y, "shape", ())) == 2:
            # Warn of a column vector once, not in each fit.
            y = column_or_1d(y, warn=True)
        y_labels = check_labels("y", y)
        if groups is not None:
            check_groups(groups)
        validate_data(self, X=X, skip_check_array=True)
        if not prefit:
            check_scored_classes(settings.measures, classes_of(y_labels), self.pos_label)
        routed = self._route(groups, sample_weight, params)
        rng = check_random_state(self.random_state)
        if prefit:
            self.cv_: Any = PREFIT
            self.predictions_ = collect_fitted(
                self._named_estimators(),
                X,
                y_labels,
                required=predictions_required(settings.measures, settings.requested),
                groups=groups,
            )
        else:
            self.predictions_ = self._collect(X, y, y_labels, groups, settings, routed, rng)
        self.comparison_ = self._compared(
            self.predictions_,
            settings,
            n_fits=0 if prefit else self.predictions_.n_splits,
            start=start,
        )
        self.results_ = self.comparison_.results
        self.verdict_ = self.comparison_.verdict
        self.classes_ = self.predictions_.classes
        if hasattr(self, "selected_estimator_"):
            # The classifier that an earlier fit selected must not be used for this one.
            del self.selected_estimator_
        if self.refit:
            self._select(X, y, prefit, routed, rng)
        return self

    def _common_settings(self) -> dict[str, Any]:
        """Return the parameters that are settings of any comparison."""
        names = ("scoring", "tests", "alternative", "alpha", "adjust", "pos_label")
        return {name: getattr(self, name) for name in names}

    def _check_design(self, settings: Settings, design: Design) -> None:
        """Check that the settings suit the design; not needed for two classifiers."""

    def _check_roles(self, sample_weight: Any, params: dict[str, Any]) -> bool:
        """Check that the classifiers can be compared; return whether to skip fitting."""
        estimators = self._named_estimators()
        as_is = isinstance(self.cv, str) and self.cv == PREFIT
        check_roles(estimators, allow_mixed=self.allow_mixed, prefit=as_is)
        prefit = is_prefit(estimators, self.cv)
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
    ) -> Predictions:
        estimators = self._named_estimators()
        self.cv_ = resolve_cv(self.cv, y_labels, self.random_state)
        splits = make_splits(self.cv_, X, y_labels, groups, routed.splitter.split)
        self._check_design(settings, splits.design)
        responses = predictions_required(settings.measures, settings.requested)
        responses |= rehearse(settings, splits, classes_of(y_labels), y_labels)
        fit_params = [dict(routed[name].fit) for name, _ in estimators]
        twice = [n for n, e in estimators if self.check_reproducible or takes_no_seed(e)]
        return collect_predictions(
            estimators,
            X,
            y,
            y_labels,
            splits=splits.pairs,
            design=splits.design,
            required=responses,
            seeds=rng.randint(LARGEST_SEED, size=len(splits.pairs)).tolist(),
            groups=groups,
            fit_params=fit_params,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            progress=progress_of(self, len(estimators) * len(splits.pairs) + len(twice)),
            twice=twice,
            flags=(*splits.flags, *fitting_flags(estimators, fit_params)),
        )

    def _route(self, groups: Any, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """Return the metadata routed to the fits and to the splitter."""
        if routing_enabled():
            metadata = {"groups": groups, "sample_weight": sample_weight, **params}
            metadata = {k: value for k, value in metadata.items() if value is not None}
            return process_routing(self, "fit", **metadata)
        refuse_unrouted(params)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(
            splitter=Bunch(split={} if groups is None else {"groups": groups}),
            **{name: Bunch(fit=weights) for name, _ in self._named_estimators()},
        )

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
            selected = clone(selected)
            seed = int(rng.randint(LARGEST_SEED))
            set_seeds(selected, seed)
            try:
                with seeded_generators(seed):
                    selected.fit(X, y, **routed[name].fit)
            # Any error of a classifier is raised again with its name.
            except (Exception, SystemExit) as error:
                message = (
                    f"{name} ({describe(selected)}) was selected, and failed to fit on all "
                    f"{n_rows(X)} records: {type(error).__name__}: {error}"
                )
                raise EstimatorFailedError.of(message, error) from error
        self.selected_estimator_ = selected
        # The columns of its probabilities follow these, in the type of its predictions.
        self.classes_ = getattr(selected, "classes_", self.classes_)

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

    def _seed(self) -> int | None:
        """Return the seed for the report, or None if `random_state` is not an integer."""
        is_seed = isinstance(self.random_state, int | np.integer)
        return int(self.random_state) if is_seed else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        parts = tags_of(part for _, part in self._named_estimators())
        set_input_tags(tags, parts)
        if self.refit and parts:
            set_classifier_tags(tags, parts)
        return tags
