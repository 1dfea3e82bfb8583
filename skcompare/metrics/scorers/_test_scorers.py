"""Scorers of scikit-learn against a champion, for one subject each."""

from typing import Any, ClassVar

from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import (
    ClassPlacementValues,
    JointCounts,
    PairedCalibration,
    PlacementValues,
)
from skcompare.metrics.scorers._paired_scorer import PairedScorer


class McNemarScorer(PairedScorer):
    """Score a classifier by its accuracy against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it runs McNemar's test,
    :func:`skcompare.stats.mcnemar`, on the records that exactly one of it and the champion
    predicts correctly.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use. It is never cloned or fitted. Where it is left out its
        stored labels are passed as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Accuracy of the scored classifier minus that of the champion; the signed root of
        McNemar's chi-squared, (b - c) / sqrt(b + c) for b records that only the scored
        classifier predicts correctly and c that only the champion does; or 1 - p of the
        test with ``alternative="greater"``. Greater is better for each.
    method : {"mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", \
"permutation"}, default="mid-p"
        How the p-value of the confidence is computed. The signed root is the same for each,
        except that "corrected" has that of the chi-squared with continuity correction.
    **options
        Other options of the test: ``n_resamples`` and ``random_state`` of "permutation",
        and for the confidence ``null_value``, such as -0.02 for the confidence that the
        scored classifier is at most 0.02 worse.

    Raises
    ------
    TypeError
        If the champion is not a classifier or has no predict, or a test is named.
    ValueError
        If the champion is not fitted or an option is not one of the test; when called, if
        there are neither a champion nor stored predictions, or both, stored predictions
        are not one per record, or weights are passed.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored looks better than it is: score on
    others, or route its out-of-sample predictions.

    Without a record that exactly one of both predicts correctly, difference and signed
    root are 0 and the confidence is 0, since p is 1.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate, train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.metrics import McNemarScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = DecisionTreeClassifier(random_state=0).fit(X_old, y_old)
    >>> scoring = {
    ...     returns: McNemarScorer(champion, returns=returns)
    ...     for returns in ("difference", "statistic", "confidence")
    ... }
    >>> scores = cross_validate(LogisticRegression(), X_new, y_new, scoring=scoring, cv=3)
    >>> for returns in scoring:
    ...     print(returns, scores[f"test_{returns}"].round(2))
    difference [-0.06  0.16  0.04]
    statistic [-1.    2.31  0.58]
    confidence [0.17 0.99 0.71]
    """

    default_test: ClassVar[str] = "mcnemar"
    subject: ClassVar[str] = "accuracies by McNemar"

    def __init__(
        self,
        champion: Any = None,
        *,
        returns: str = "difference",
        method: str = "mid-p",
        **options: Any,
    ) -> None:
        if "test" in options:
            raise TypeError(
                f"{type(self).__name__} runs {self.default_test}, and has no `test`. Got "
                f"test={options['test']!r}. Choose the `method`, or use PairedScorer."
            )
        super().__init__(
            self.default_test, champion, returns=returns, method=method, **options
        )

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        return entry.name == cls.default_test


class DeLongScorer(PairedScorer):
    """Score a classifier by its area under the ROC curve against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares both areas on these records by DeLong's
    test, :func:`skcompare.stats.delong`.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use, with predict_proba or decision_function. It is never cloned
        or fitted. Where it is left out its stored scores are passed as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        AUC of the scored classifier minus that of the champion; the difference in standard
        errors; or 1 - p of the test with ``alternative="greater"``. Greater is better for
        each.
    pos_label : label, optional
        The positive one of two classes; by default the second in sorted order. Areas are
        the same for either, but stored scores of one column are those of this class.
    test : str, default="delong"
        "delong" for two classes; "delong_ovr" or "delong_ovo" for two or more, the mean of
        the areas of each class against the rest, or of each pair of classes.
    **options
        Other options of the test, such as ``score`` and ``rare`` of "delong_ovr", and for
        the confidence ``null_value``, such as -0.01 for the confidence that the scored
        classifier is at most 0.01 worse.

    Raises
    ------
    TypeError
        If the champion is not a classifier, or has neither predict_proba nor
        decision_function.
    ValueError
        If the champion is not fitted, has more than two classes for "delong", the test is
        not one of AUCs, or an option is not one of the test; when called, if there are
        neither a champion nor stored scores, or both, stored scores are not one per record,
        or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two records. A difference or statistic is NaN then, and
        the confidence is 0. Stratified test sets avoid it.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored looks better than it is: score on
    others, or route its out-of-sample scores.

    Stored scores are one number per record, of any scale, greater for the positive class;
    or probabilities with a column for each class in sorted order.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV, train_test_split
    >>> from sklearn.svm import LinearSVC
    >>> from skcompare.metrics import DeLongScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = LinearSVC(C=0.01, random_state=0).fit(X_old[:, :5], y_old)
    >>> scores = champion.decision_function(X_new[:, :5])
    >>> import sklearn
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     search = GridSearchCV(
    ...         LogisticRegression(), {"C": [0.001, 1.0]}, scoring=DeLongScorer(), cv=3
    ...     ).fit(X_new, y_new, champion_scores=scores)
    >>> search.best_params_, float(round(search.best_score_, 3))
    ({'C': 0.001}, -0.019)
    """

    default_test: ClassVar[str] = "delong"
    subject: ClassVar[str] = "AUCs"

    def __init__(
        self,
        champion: Any = None,
        *,
        returns: str = "difference",
        pos_label: Any = None,
        test: str = default_test,
        **options: Any,
    ) -> None:
        if pos_label is not None:
            options = {"pos_label": pos_label, **options}
        super().__init__(test, champion, returns=returns, **options)

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        return entry.needs in (PlacementValues, ClassPlacementValues)


class PrecisionScorer(PairedScorer):
    """Score a classifier by its precision against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the precisions of one class on these
    records by a registered test.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use. It is never cloned or fitted. Where it is left out its
        stored predictions are passed as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Precision of the scored classifier minus that of the champion; the signed root of
        the test statistic, positive where the scored classifier is better; or 1 - p of the
        test with ``alternative="greater"``. Greater is better for each.
    label : label, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    test : str, default="precision_both_scores"
        A registered test of joint counts that takes a label, such as "relative_precision"
        or "updated_precision".
    **options
        Options of the test, such as ``prevalence`` of "updated_precision".

    Raises
    ------
    ValueError
        If the champion is not fitted, the test is unknown or is of no class, or an option
        is not one of the test; when called, if there are neither a champion nor stored
        predictions, or both, stored predictions are not one per record, or weights are
        passed.

    Warns
    -----
    UndefinedMetricWarning
        If the test is undefined on the records, for example because a classifier never
        predicts the class. A difference or statistic is then NaN, which `GridSearchCV`
        ranks last; the confidence is 0, because an undefined p counts as 1. Use
        `warnings.simplefilter("error")` to make it an error.

    Notes
    -----
    A champion that was trained on records that are scored knows their labels, and looks
    better than it is: cross-validate the challenger on records that the champion has not
    seen, or store out-of-sample predictions of the champion, as of `cross_val_predict`,
    and route these.

    The confidence is 0 also where both classifiers predict the same, since p is 1 then.
    The scores of several test sets are not independent, and their mean is no test; use it
    to choose among candidates, and `PairedComparator` to claim that one is better. In
    `permutation_importance` the champion gets the permuted records too, so that the result
    is how its disadvantage depends on a feature.

    `TunedThresholdClassifierCV` takes no scorer that calls the classifier itself, as this
    one does; tune the threshold by a metric, and score what it gives.

    Sample weights are refused, as the test has no version for them. With metadata routing
    on they may still go to the fit of a classifier.

    See Also
    --------
    PairedScorer : The same for any registered test.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score, train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.metrics import PrecisionScorer
    >>> X, y = make_classification(600, flip_y=0.2, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = DecisionTreeClassifier(random_state=0).fit(X_old, y_old)
    >>> scorer = PrecisionScorer(champion)
    >>> scorer
    PrecisionScorer(champion=DecisionTreeClassifier(random_state=0))
    >>> scores = cross_val_score(LogisticRegression(), X_new, y_new, scoring=scorer, cv=3)
    >>> print(scores.round(2))
    [-0.05  0.06  0.09]

    Stored predictions are cut to each test set by metadata routing:

    >>> import sklearn
    >>> stored = champion.predict(X_new)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     again = cross_val_score(
    ...         LogisticRegression(), X_new, y_new, scoring=PrecisionScorer(), cv=3,
    ...         params={"champion_predictions": stored},
    ...     )
    >>> bool((again == scores).all())
    True
    """

    default_test: ClassVar[str] = "precision_both_scores"
    subject: ClassVar[str] = "the precision of one class"

    def __init__(
        self,
        champion: Any = None,
        *,
        returns: str = "difference",
        label: Any = None,
        test: str = default_test,
        **options: Any,
    ) -> None:
        super().__init__(test, champion, returns=returns, label=label, **options)

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        return entry.needs is JointCounts and "label" in entry.options


class CalibrationScorer(PairedScorer):
    """Score a classifier by its calibration error against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the squared calibration errors on these
    records by :func:`skcompare.stats.calibration_difference`.

    Parameters
    ----------
    champion : fitted classifier, optional
        The classifier in use, with predict_proba. It is never cloned or fitted. Where it
        is left out its stored probabilities are passed as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Squared calibration error of the champion minus that of the scored classifier, so
        that greater is better; that difference in standard errors; or 1 - p of the test
        with ``alternative="greater"``.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile", ...}, default="uniform"
        Placement of the bins, as of :class:`skcompare.evidence.PairedCalibration`; both
        classifiers need the same number.
    pos_label : label, optional
        The class whose probabilities are compared, one of two.
    test : str, default="calibration_difference"
        A registered test of the calibration of two classifiers.
    **options
        Other options of the bins, ``edges`` and ``kind``, and of the test, such as
        ``method``. The default "analytic" takes milliseconds; "bootstrap" and
        "exchangeability" draw ``n_resamples`` at every call, and do not change the
        difference.

    Raises
    ------
    TypeError
        If the champion is not a classifier or has no predict_proba.
    ValueError
        If the champion is not fitted, the test is not one of calibration or an option is
        not one of it; when called, if there are neither a champion nor stored
        probabilities, or both, stored ones are not one per record, or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If the difference has no variance. The statistic is NaN then, and the confidence 0.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored may look better calibrated than
    it is, or worse: score on others, or route its out-of-sample probabilities.

    The error is estimated without the bias of plug-in errors, and may be negative by
    chance. A constant probability at the share of events is perfectly calibrated: this
    score alone does not find useful classifiers; use it together with one of accuracy or
    ranking.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score, train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skcompare.metrics import CalibrationScorer
    >>> X, y = make_classification(2000, n_informative=4, n_redundant=14, random_state=0)
    >>> X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
    >>> champion = GaussianNB().fit(X_old, y_old)
    >>> scorer = CalibrationScorer(champion, returns="statistic", n_bins=10)
    >>> scores = cross_val_score(LogisticRegression(), X_new, y_new, scoring=scorer, cv=2)
    >>> print(scores.round(1))
    [1.9 4.4]
    """

    default_test: ClassVar[str] = "calibration_difference"
    subject: ClassVar[str] = "the calibration of two classifiers"

    def __init__(
        self,
        champion: Any = None,
        *,
        returns: str = "difference",
        n_bins: int = 15,
        strategy: str = "uniform",
        pos_label: Any = None,
        test: str = default_test,
        **options: Any,
    ) -> None:
        super().__init__(
            test,
            champion,
            returns=returns,
            n_bins=n_bins,
            strategy=strategy,
            pos_label=pos_label,
            **options,
        )

    @classmethod
    def _suits(cls, entry: PairedTestEntry) -> bool:
        return entry.needs is PairedCalibration
