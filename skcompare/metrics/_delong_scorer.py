"""Area under the ROC curve against that of a champion, as a scorer of scikit-learn."""

from typing import Any, ClassVar

from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import ClassPlacementValues, PlacementValues
from skcompare.metrics._paired_scorer import PairedScorer


class DeLongScorer(PairedScorer):
    """Score a classifier by its area under the ROC curve against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares both areas on these records by DeLong's
    test, :func:`skcompare.stats.delong`.

    Parameters
    ----------
    champion : fitted classifier, optional
        What runs today, with predict_proba or decision_function. It is used as it is, never
        cloned or fitted. Where it is left out its stored scores come as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        AUC of the scored classifier less that of the champion; the difference in standard
        errors; or 1 - p of the test with ``alternative="greater"``. Greater is better for
        each.
    pos_label : label, optional
        The positive one of two classes; by default the second in sorted order. Areas are
        the same for either, but stored scores of one column are about this class.
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
        If the champion is no classifier, or has neither predict_proba nor
        decision_function.
    ValueError
        If the champion is not fitted, knows more than two classes for "delong", the test is
        none of AUCs, or an option is not one of the test; when called, if there are neither
        a champion nor stored scores, or both, stored scores are not one a record, or
        weights are passed.

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
    others, or route scores that it gave out of sample.

    Stored scores are one number a record, of any scale, greater for the positive class; or
    probabilities with a column for each class in sorted order.

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

    .. versionadded:: 0.1
    """

    default_test: ClassVar[str] = "delong"

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
    def _why_not(cls, entry: PairedTestEntry) -> str:
        of_areas = entry.needs in (PlacementValues, ClassPlacementValues)
        if not of_areas:
            return f"{cls.__name__} needs a test of AUCs. Got {entry.name!r}, which is none"
        return super()._why_not(entry)
