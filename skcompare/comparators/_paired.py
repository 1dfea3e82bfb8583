"""The main door: two classifiers, shared splits, a verdict."""

from numbers import Integral
from time import perf_counter
from typing import Any

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
from skcompare.comparators._engine import compare_pair
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
from skcompare.comparators._settings import check_settings
from skcompare.comparators._splits import PREFIT, make_splits, resolve_cv
from skcompare.comparators._tests import answers_wanted, named_tests
from skcompare.metrics import resolve_scoring
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import (
    Predictions,
    collect_fitted,
    collect_predictions,
    set_seeds,
)

__all__ = ["PairedComparator"]

CHAMPION, CHALLENGER = "champion", "challenger"
LARGEST_SEED = np.iinfo(np.int32).max


class PairedComparator(
    CallbackSupportMixin, SelectedClassifierMixin, MetaEstimatorMixin, BaseEstimator
):
    """Tell whether a challenger classifier is really better than a champion.

    Both classifiers are cloned, fitted on the same training sets with the same seeds, and
    answer the same test sets; the design's valid test gives the verdict. By default the
    splits are a 5×2 block-regularized cross-validation and the test is
    :func:`~skcompare.stats.bcv_mcnemar`, whose null hypothesis is that the two learning
    algorithms have equal accuracy.

    Parameters
    ----------
    champion, challenger : estimator
        Classifiers: what runs today, and what may replace it. They are never changed.
        Two fitted ones are compared as they are with `cv="prefit"` or wrapped in
        :class:`~sklearn.frozen.FrozenEstimator`.
    cv : None, "prefit", int, splitter or iterable, default=None
        None is :class:`~skcompare.BlockRegularized5x2CV`. "prefit" takes
        X and y as a hold-out set. Anything else as in scikit-learn.
    scoring : str, callable, list of str, or dict, default="accuracy"
        What is compared: names of metrics of skcompare or scorers of scikit-learn, or
        scorers. The verdict comes from the first; a custom scorer sees stored answers
        and the row numbers as X.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it. "all" takes every test that
        is valid for the design. A test that is not valid
        for the design runs only when asked for, and is flagged.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        How the p-values of all rows but the primary one are adjusted.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.
    refit : bool, default=False
        Fit the selected classifier on all records and answer through it.
    n_jobs : int, optional
        Fits at a time, as in joblib.
    verbose : int, default=0
        As in joblib.
    random_state : int, RandomState instance or None, default=None
        Decides the splits and every nested `random_state` that is None. These get a
        seed a split, the same for both classifiers, so that identical classifiers give
        equal answers; pass an int for the same comparison at every call.

    Attributes
    ----------
    verdict_ : {"challenger", "champion", "inconclusive"}
        From the primary measure's default test at `alpha`.
    comparison_ : Comparison
        The report: text, Markdown, HTML, JSON, frame.
    results_ : Results
        Rows by (measure, class or None, test), or by a unique measure or test.
    predictions_ : Predictions
        All answers with their splits.
    cv_ : splitter or "prefit"
        What made the splits.
    selected_estimator_ : estimator
        With `refit=True`: the champion unless the evidence favours the challenger,
        fitted on all records.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    compare : Compares answers that exist already.

    Notes
    -----
    Identical classifiers give difference 0, p = 1 and an inconclusive verdict. With
    metadata routing off, `groups` go to the splitter and `sample_weight` to both fits; the
    evaluation counts every record once.

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

    .. versionadded:: 0.1
    """

    # A router only: what it is given is for the classifiers and the splitter.
    __metadata_request__fit = {"groups": UNUSED, "sample_weight": UNUSED}

    def __init__(
        self,
        champion: Any,
        challenger: Any,
        *,
        cv: Any = None,
        scoring: Any = "accuracy",
        tests: Any = "auto",
        alternative: str = "two-sided",
        alpha: float = 0.05,
        adjust: str | None = "holm",
        pos_label: Any = None,
        allow_mixed: bool = False,
        refit: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.champion = champion
        self.challenger = challenger
        self.cv = cv
        self.scoring = scoring
        self.tests = tests
        self.alternative = alternative
        self.alpha = alpha
        self.adjust = adjust
        self.pos_label = pos_label
        self.allow_mixed = allow_mixed
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        **params: Any,
    ) -> "PairedComparator":
        """Fit and compare both classifiers.

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
        self : PairedComparator
        """
        start = perf_counter()
        alternative, alpha, adjust = check_settings(
            self.alternative, self.alpha, self.adjust
        )
        check_switches(allow_mixed=self.allow_mixed, refit=self.refit)
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
                self._estimators(), X, y_labels, wanted=wanted, groups=groups
            )
        else:
            self.predictions_ = self._collect(X, y, y_labels, groups, wanted, routed, rng)
        is_seed = isinstance(self.random_state, Integral)
        self.comparison_ = compare_pair(
            self.predictions_.pair(CHAMPION, CHALLENGER),
            measures,
            asked,
            alternative=alternative,
            alpha=alpha,
            adjust=adjust,
            pos_label=self.pos_label,
            n_fits=0 if prefit else self.predictions_.n_splits,
            seconds=perf_counter() - start,
            random_state=int(self.random_state) if is_seed else None,
        )
        self.results_ = self.comparison_.results
        self.verdict_ = self.comparison_.verdict
        self.classes_ = self.predictions_.classes
        if self.refit:
            self._select(X, y, prefit, routed, rng)
        return self

    def _check_roles(self, sample_weight: Any, params: dict[str, Any]) -> bool:
        """Refuse what cannot be compared; returns whether both are used as they are."""
        estimators = self._estimators()
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

    def _estimators(self) -> list[tuple[str, Any]]:
        return [(CHAMPION, self.champion), (CHALLENGER, self.challenger)]

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
        self.cv_ = resolve_cv(self.cv, y_labels, self.random_state)
        splits = make_splits(self.cv_, X, y_labels, groups, routed.splitter.split)
        asked, measures = named_tests(self.tests), resolve_scoring(self.scoring)
        rehearse(asked, measures, splits, np.unique(y_labels))
        flags = splits.flags
        if is_mixed(self._estimators()):
            flags = (*flags, "mixed-frozen")
        elif any(is_fitted(estimator) for _, estimator in self._estimators()):
            flags = (*flags, "refitted")
        if any("sample_weight" in routed[name].fit for name, _ in self._estimators()):
            flags = (*flags, "weighted-fit")
        progress = progress_of(self, 2 * len(splits.pairs))
        return collect_predictions(
            self._estimators(),
            X,
            y,
            y_labels,
            splits=splits.pairs,
            design=splits.design,
            wanted=wanted,
            seeds=rng.randint(LARGEST_SEED, size=len(splits.pairs)).tolist(),
            groups=groups,
            fit_params=[dict(routed[name].fit) for name, _ in self._estimators()],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            progress=progress,
            flags=flags,
        )

    def _route(self, groups: Any, sample_weight: Any, params: dict[str, Any]) -> Bunch:
        """What goes to the two fits and to the splitter."""
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
            champion=Bunch(fit=weights),
            challenger=Bunch(fit=weights),
            splitter=Bunch(split={} if groups is None else {"groups": groups}),
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
            .add(champion=self.champion, challenger=self.challenger, method_mapping=to_fit)
            .add(
                splitter=self.cv if is_splitter else BlockRegularized5x2CV(),
                method_mapping=to_split,
            )
        )

    def _select(
        self, X: Any, y: Any, prefit: bool, routed: Bunch, rng: np.random.RandomState
    ) -> None:
        name = CHALLENGER if self.verdict_ == CHALLENGER else CHAMPION
        selected = getattr(self, name)
        if not prefit:
            selected = clone(selected)
            set_seeds(selected, int(rng.randint(LARGEST_SEED)))
            selected.fit(X, y, **routed[name].fit)
        self.selected_estimator_ = selected

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        pair = (self.champion, self.challenger)
        # Printing must work whatever was passed; `fit` says what is wrong with it.
        parts = [get_tags(part) for part in pair if hasattr(part, "__sklearn_tags__")]
        for name in ("sparse", "categorical", "string", "allow_nan"):
            given = [getattr(part.input_tags, name) for part in parts]
            setattr(tags.input_tags, name, bool(given) and all(given))
        tags.input_tags.pairwise = any(part.input_tags.pairwise for part in parts)
        if self.refit and parts:
            tags.estimator_type = "classifier"
            tags.classifier_tags = parts[0].classifier_tags
        return tags
