"""Comparison of several classifiers on shared splits."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skcompare._analysis import MAX_T, max_t_family
from skcompare._core.design import Design
from skcompare._core.sklearn_private import StrOptions
from skcompare.comparators._base import BaseComparator
from skcompare.comparators._compare_several import compare_several
from skcompare.comparators._settings import Settings
from skcompare.predictions import Predictions
from skcompare.reports import MultipleComparison
from skcompare.stats.core import ADJUSTMENTS

TAKEN = ("splitter", "method_mapping", "inconclusive")
"""Names that are reserved by metadata routing and by verdicts."""


class NamedEstimatorsMixin(BaseEstimator):
    """Mixin for access to named estimators and their parameters by name."""

    estimators: Any

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
            self.estimators = [
                (name, params.pop(name, estimator)) for name, estimator in pairs
            ]
        super().set_params(**params)
        return self


def check_named_estimators(estimators: Any, parameters: Iterable[str], least: int) -> None:
    """Check that `estimators` are named estimators, without reserved names."""
    if not _is_named(estimators):
        raise TypeError(
            "`estimators` must be a list of pairs of a name and a classifier. Got "
            f"{estimators!r:.80}. Write [('old', LogisticRegression()), ...]."
        )
    names = [name for name, _ in estimators]
    if len(names) < least:
        raise ValueError(
            f"`estimators` must have at least {least} classifiers. Got {len(names)}. Use "
            "PairedComparator for two."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"Names of classifiers must differ. Got {', '.join(names)}.")
    for name in names:
        if not name.strip() or "__" in name or name in (*parameters, *TAKEN):
            raise ValueError(
                "A classifier's name must not be empty, have two underscores in a row, or "
                f"be one of {', '.join(sorted({*parameters, *TAKEN}))}. Got {name!r}."
            )


def named_pairs(estimators: Any) -> list[tuple[str, Any]]:
    """Return the named estimators as a list, which is empty if `estimators` is invalid."""
    return [(name, part) for name, part in estimators] if _is_named(estimators) else []


def _is_named(estimators: Any) -> bool:
    return isinstance(estimators, Sequence) and all(
        isinstance(pair, Sequence)
        and not isinstance(pair, str)
        and len(pair) == 2
        and isinstance(pair[0], str)
        for pair in estimators
    )


class MultipleComparator(NamedEstimatorsMixin, BaseComparator):
    """Comparator that tests which of several classifiers are better than others.

    All classifiers are cloned, fitted on the same training sets with the same seeds, and
    predict the same test sets: 10 fits each by default. Every pair is compared by the test
    that :class:`~skcompare.PairedComparator` would use, or every classifier with a control,
    and p-values are adjusted for the number of pairs. The null hypothesis of a pair is that
    its two learning algorithms are equally good.

    Parameters
    ----------
    estimators : list of (str, estimator)
        Three or more classifiers with their names. They are never changed.
    cv : None, "prefit", int, splitter or iterable, default=None
        As for :class:`~skcompare.PairedComparator`.
    scoring : str, callable, list of str, or dict, default="accuracy"
        Measures to compare. The verdict comes from the first.
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
        Probability of any false finding by the primary measure, if `adjust` controls it.
        Intervals of all differences hold simultaneously at level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"} or \
None, default="holm"
        Adjustment of the p-values of the pairs of one measure, as for
        :func:`~skcompare.stats.adjust_pvalues`. "max-t" is for accuracy, AUC and precision
        on a hold-out, and has its own test of each.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.
    allow_mixed : bool, default=False
        Allow frozen classifiers beside others.
    check_reproducible : bool, default=False
        Fit all classifiers twice on the first split, and flag the comparison as
        "not-reproducible" if the predictions differ. This is always done for a classifier
        that has a `random_state` which cannot be set.
    refit : bool, default=False
        Fit the selected classifier on all records and predict with it.
    n_jobs : int, optional
        Fits at a time, as in joblib.
    verbose : int, default=0
        As in joblib.
    random_state : int, RandomState instance or None, default=None
        Decides the splits and every nested `random_state` that is None. These get one seed
        per split, the same for all classifiers.

    Attributes
    ----------
    verdict_ : str
        The name of the classifier that is better than every other one. With a control: of
        the best of those that are better than it, or the control if all are found worse.
        Else "inconclusive".
    groups_ : tuple of tuple of str
        Groups of classifiers that are not significantly different, that of the best one
        first; none with a control.
    comparison_ : MultipleComparison
        The report: text, Markdown, HTML, JSON, frame.
    results_ : PairwiseResults
        Comparisons by (measure, class or None, test), or by a unique one of them.
    predictions_ : Predictions
        All predictions with their splits.
    cv_ : splitter or "prefit"
        The splitter that was used.
    selected_estimator_ : estimator
        With `refit=True`: the first of the classifiers, in the order given, that the best
        one is not significantly better than. So put those first that you would rather
        keep. With a control it is the control, unless others are better, and then the best
        of these. It is fitted on all records.
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

    "holm" makes no assumption about how the pairs depend on each other. It needs tests of
    pairs that hold their level at `alpha` over the number of pairs; how far they do is
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
        scoring: Any = "accuracy",
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
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
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
        self.verbose = verbose
        self.random_state = random_state

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
        parameters = inspect.signature(type(self)).parameters
        check_named_estimators(self.estimators, parameters, least=3)
        names = [name for name, _ in self.estimators]
        settings = self._common_settings()
        return Settings.parse(**settings, control=self.control, several=names)

    def _check_design(self, settings: Settings, design: Design) -> None:
        if settings.adjust == MAX_T:
            for measure in settings.measures:
                max_t_family(measure, design)

    def _compared(
        self, predictions: Predictions, settings: Settings, *, n_fits: int, start: float
    ) -> MultipleComparison:
        return compare_several(
            predictions, settings, n_fits=n_fits, start=start, random_state=self._seed()
        )

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
