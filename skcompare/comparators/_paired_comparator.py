"""Comparison of two classifiers on shared splits."""

from time import perf_counter
from typing import Any, ClassVar

from skcompare._core.sklearn_private import StrOptions
from skcompare.comparators._base import BaseComparator
from skcompare.comparators._compare_pair import compare_pair
from skcompare.comparators._settings import Settings
from skcompare.predictions import Predictions
from skcompare.reports import Comparison
from skcompare.stats.core import ADJUSTMENTS

CHAMPION, CHALLENGER = "champion", "challenger"


class PairedComparator(BaseComparator):
    """Comparator that tests whether a challenger classifier is better than a champion.

    Both classifiers are cloned, fitted on the same training sets with the same seeds, and
    predict the same test sets; the design's valid test gives the verdict. By default the
    splits are a 5×2 block-regularized cross-validation and the test is
    :func:`~skcompare.stats.bcv_mcnemar`, whose null hypothesis is that the two learning
    algorithms have equal accuracy.

    Parameters
    ----------
    champion : estimator
        The classifier that runs today. It is never changed. Two fitted ones are compared
        as they are with `cv="prefit"` or wrapped in
        :class:`~sklearn.frozen.FrozenEstimator`.
    challenger : estimator
        The classifier that may replace it; treated in the same way.
    cv : None, "prefit", int, splitter or iterable, default=None
        None is :class:`~skcompare.BlockRegularized5x2CV`. "prefit" takes
        X and y as a hold-out set. Anything else as in scikit-learn.
    scoring : str, callable, list of str, or dict, default="accuracy"
        Measures to compare: names of metrics of skcompare or scorers of scikit-learn, or
        scorers. The verdict comes from the first; a custom scorer sees stored predictions
        and the row numbers as X.
    tests : "auto", "all", str, list of str, or dict of str to dict, default="auto"
        Names of tests, with options in a dict. "auto" takes the design's default test
        of every measure; the primary measure always has it. "all" takes every test that
        is valid for the design. A test that is not valid for the design runs only on
        request, and is flagged.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    alpha : float, default=0.05
        Level of the verdict; intervals have level 1 - `alpha`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"} or None
        Adjustment of the p-values of all rows but the primary one.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.
    allow_mixed : bool, default=False
        Allow exactly one frozen classifier.
    check_reproducible : bool, default=False
        Fit both classifiers twice on the first split, and flag the comparison as
        "not-reproducible" if the predictions differ. This is always done for a
        classifier that has a `random_state` which cannot be set.
    refit : bool, default=False
        Fit the selected classifier on all records and predict with it.
    n_jobs : int, optional
        Fits at a time, as in joblib.
    verbose : int, default=0
        As in joblib.
    random_state : int, RandomState instance or None, default=None
        Decides the splits and every nested `random_state` that is None. These get one
        seed per split, the same for both classifiers, so that identical classifiers give
        equal predictions; pass an int for the same comparison at every call. The global
        generators of numpy, Python and torch (on the CPU) are seeded with it in each fit,
        and restored afterwards; fits in threads share them.

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
        Class labels; with `refit=True` those of `selected_estimator_`.
    n_features_in_, feature_names_in_
        As in scikit-learn, where X has them.

    See Also
    --------
    compare : Compares existing predictions.

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
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseComparator._parameter_constraints,
        "champion": "no_validation",
        "challenger": "no_validation",
        "adjust": [StrOptions(set(ADJUSTMENTS)), None],
    }

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
        check_reproducible: bool = False,
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
        self.check_reproducible = check_reproducible
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _named_estimators(self) -> list[tuple[str, Any]]:
        return [(CHAMPION, self.champion), (CHALLENGER, self.challenger)]

    def _settings(self) -> Settings:
        return Settings.parse(**self._common_settings())

    def _compared(
        self, predictions: Predictions, settings: Settings, *, n_fits: int, start: float
    ) -> Comparison:
        return compare_pair(
            predictions.pair(CHAMPION, CHALLENGER),
            settings,
            n_fits=n_fits,
            seconds=perf_counter() - start,
            random_state=self._seed(),
        )

    def _selected_name(self) -> str:
        return CHALLENGER if self.verdict_ == CHALLENGER else CHAMPION
