"""What the comparators of two and of several classifiers share: from fit to selection."""

from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Bunch, check_random_state, get_tags, indexable
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import validate_data

from skcompare._labels import check_groups, check_labels, classes_of
from skcompare._sklearn_private import CallbackSupportMixin, progress_of, with_callbacks
from skcompare._validation import check_switches
from skcompare.comparators._class_options import check_positive
from skcompare.comparators._rehearsal import check_scored_classes, rehearse
from skcompare.comparators._roles import (
    check_roles,
    check_target,
    is_fitted,
    is_mixed,
    is_prefit,
)
from skcompare.comparators._routing import routing_enabled
from skcompare.comparators._selected import SelectedClassifierMixin
from skcompare.comparators._splits import PREFIT, make_splits, resolve_cv
from skcompare.comparators._tests import Asked, answers_wanted, named_tests
from skcompare.metrics import Measure, resolve_scoring
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import (
    Predictions,
    collect_fitted,
    collect_predictions,
    set_seeds,
)

__all__ = ["BaseComparator"]

LARGEST_SEED = np.iinfo(np.int32).max


class BaseComparator(
    CallbackSupportMixin,
    SelectedClassifierMixin,
    MetaEstimatorMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Fits classifiers on shared splits, has their answers compared, and selects one.

    A subclass says which classifiers there are, which one stays if nothing speaks against
    it, and how their answers are compared.
    """

    # A router only: what it is given is for the classifiers and the splitter.
    __metadata_request__fit = {"groups": UNUSED, "sample_weight": UNUSED}

    cv: Any
    scoring: Any
    tests: Any
    pos_label: Any
    allow_mixed: bool
    refit: bool
    n_jobs: int | None
    verbose: int
    random_state: Any
    comparison_: Any

    @abstractmethod
    def _named_estimators(self) -> list[tuple[str, Any]]:
        """The classifiers with their names."""

    @abstractmethod
    def _check_settings(self) -> None:
        """Refuse settings before anything is fitted."""

    @abstractmethod
    def _compared(
        self,
        predictions: Predictions,
        measures: Sequence[Measure],
        asked: Asked,
        *,
        n_fits: int,
        start: float,
    ) -> Any:
        """The comparison of the answers."""

    @abstractmethod
    def _selected_name(self) -> str:
        """The classifier that the comparison selects."""

    @property
    @abstractmethod
    def _incumbent(self) -> Any:
        """The classifier that is selected if nothing speaks against it."""

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
            Group of each record, for the splitter and for tests that allow for records of
            a group being alike. The design is then grouped.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for fitting; with metadata routing on, where a classifier asks for
            them.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        self : object
            The fitted comparator.
        """
        start = perf_counter()
        check_switches(allow_mixed=self.allow_mixed, refit=self.refit)
        self._check_settings()
        asked, measures = named_tests(self.tests), resolve_scoring(self.scoring)
        check_positive(asked, measures)
        prefit = self._check_roles(sample_weight, params)
        check_target(y, fitting=not prefit)
        X, y, groups, sample_weight = indexable(X, y, groups, sample_weight)
        y_labels = check_labels("y", y)
        if groups is not None:
            check_groups(groups)
        validate_data(self, X=X, skip_check_array=True)
        if not prefit:
            check_scored_classes(measures, classes_of(y_labels), self.pos_label)
        routed = self._route(groups, sample_weight, params)
        wanted = answers_wanted(measures, asked)
        rng = check_random_state(self.random_state)
        if prefit:
            self.cv_: Any = PREFIT
            self.predictions_ = collect_fitted(
                self._named_estimators(), X, y_labels, wanted=wanted, groups=groups
            )
        else:
            self.predictions_ = self._collect(X, y, y_labels, groups, wanted, routed, rng)
        self.comparison_ = self._compared(
            self.predictions_,
            measures,
            asked,
            n_fits=0 if prefit else self.predictions_.n_splits,
            start=start,
        )
        self.results_ = self.comparison_.results
        self.verdict_ = self.comparison_.verdict
        self.classes_ = self.predictions_.classes
        if self.refit:
            self._select(X, y, prefit, routed, rng)
        return self

    def _check_roles(self, sample_weight: Any, params: dict[str, Any]) -> bool:
        """Refuse what cannot be compared; returns whether all are used as they are."""
        estimators = self._named_estimators()
        as_is = isinstance(self.cv, str) and self.cv == PREFIT
        check_roles(estimators, allow_mixed=self.allow_mixed, prefit=as_is)
        prefit = is_prefit(estimators, self.cv)
        given = [*params] if sample_weight is None else ["sample_weight", *params]
        if prefit and given:
            raise ValueError(
                "Nothing is fitted on a hold-out set, and its records count equally. Got "
                f"{', '.join(given)}. Leave it out."
            )
        return prefit

    def _collect(
        self,
        X: Any,
        y: Any,
        y_labels: np.ndarray,
        groups: Any,
        wanted: frozenset[str],
        routed: Bunch,
        rng: np.random.RandomState,
    ) -> Predictions:
        estimators = self._named_estimators()
        self.cv_ = resolve_cv(self.cv, y_labels, self.random_state)
        splits = make_splits(self.cv_, X, y_labels, groups, routed.splitter.split)
        asked, measures = named_tests(self.tests), resolve_scoring(self.scoring)
        rehearse(asked, measures, splits, np.unique(y_labels))
        flags = splits.flags
        if is_mixed(estimators):
            flags = (*flags, "mixed-frozen")
        elif any(is_fitted(estimator) for _, estimator in estimators):
            flags = (*flags, "refitted")
        if any("sample_weight" in routed[name].fit for name, _ in estimators):
            flags = (*flags, "weighted-fit")
        return collect_predictions(
            estimators,
            X,
            y,
            y_labels,
            splits=splits.pairs,
            design=splits.design,
            wanted=wanted,
            seeds=rng.randint(LARGEST_SEED, size=len(splits.pairs)).tolist(),
            groups=groups,
            fit_params=[dict(routed[name].fit) for name, _ in estimators],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            progress=progress_of(self, len(estimators) * len(splits.pairs)),
            flags=flags,
        )

    def _route(self, groups: Any, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """What goes to the fits and to the splitter."""
        if routing_enabled():
            given = {"groups": groups, "sample_weight": sample_weight, **params}
            given = {name: value for name, value in given.items() if value is not None}
            return process_routing(self, "fit", **given)
        if params:
            raise ValueError(
                f"{', '.join(params)} can be passed with metadata routing on only. Turn it "
                "on by sklearn.set_config(enable_metadata_routing=True) and let the "
                "classifiers request it."
            )
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(
            splitter=Bunch(split={} if groups is None else {"groups": groups}),
            **{name: Bunch(fit=weights) for name, _ in self._named_estimators()},
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata that the classifiers and the splitter request.

        Returns
        -------
        routing : MetadataRouter
        """
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        is_splitter = hasattr(self.cv, "split")
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(**dict(self._named_estimators()), method_mapping=to_fit)
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
            set_seeds(selected, int(rng.randint(LARGEST_SEED)))
            selected.fit(X, y, **routed[name].fit)
        self.selected_estimator_ = selected

    def _seed(self) -> int | None:
        """The seed for the report, where there is one."""
        is_seed = isinstance(self.random_state, int | np.integer)
        return int(self.random_state) if is_seed else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # Printing must work whatever was passed; `fit` says what is wrong with it.
        parts = [
            get_tags(part)
            for _, part in self._named_estimators()
            if hasattr(part, "__sklearn_tags__")
        ]
        for name in ("sparse", "categorical", "string", "allow_nan"):
            given = [getattr(part.input_tags, name) for part in parts]
            setattr(tags.input_tags, name, bool(given) and all(given))
        tags.input_tags.pairwise = any(part.input_tags.pairwise for part in parts)
        if self.refit and parts:
            tags.estimator_type = "classifier"
            tags.classifier_tags = parts[0].classifier_tags
        return tags
