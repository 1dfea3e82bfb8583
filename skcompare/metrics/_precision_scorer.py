"""Precision against that of a champion, as a scorer of scikit-learn."""

from typing import Any, ClassVar

from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import JointCounts
from skcompare.metrics._paired_scorer import PairedScorer


class PrecisionScorer(PairedScorer):
    """Score a classifier by its precision against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the precisions of one class on these
    records by a registered test.

    Parameters
    ----------
    champion : fitted classifier, optional
        What runs today. It is used as it is, never cloned or fitted. Where it is left out
        its stored answers come as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Precision of the scored classifier less that of the champion; the signed root of
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
        answers, or both, stored answers are not one a record, or weights are passed.

    Warns
    -----
    UndefinedMetricWarning
        If the test is undefined on the records, for example because a classifier never
        gives the class. A difference or statistic is NaN then, which `GridSearchCV` ranks
        last; the confidence is 0, because an undefined p counts as 1. Use
        `warnings.simplefilter("error")` to make it an error.

    Notes
    -----
    A champion that was trained on records that are scored knows their answers, and looks
    better than it is: cross-validate the challenger on records that the champion has not
    seen, or store answers that the champion gave out of sample, as `cross_val_predict`
    does, and route these.

    The confidence is 0 also where both classifiers answer alike, since p is 1 then. The
    scores of several test sets are not independent, and their mean is no test; to choose
    among candidates it is of use, to claim that one is better use `PairedComparator`. In
    `permutation_importance` the champion is given the permuted records too, so that what
    is measured is how its disadvantage depends on a feature.

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

    Stored answers are cut to each test set by metadata routing:

    >>> import sklearn
    >>> stored = champion.predict(X_new)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     again = cross_val_score(
    ...         LogisticRegression(), X_new, y_new, scoring=PrecisionScorer(), cv=3,
    ...         params={"champion_predictions": stored},
    ...     )
    >>> bool((again == scores).all())
    True

    .. versionadded:: 0.1
    """

    default_test: ClassVar[str] = "precision_both_scores"

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
    def _why_not(cls, entry: PairedTestEntry) -> str:
        if entry.needs is not JointCounts or "label" not in entry.options:
            return (
                f"{cls.__name__} needs a test of the precision of one class. Got "
                f"{entry.name!r}, which is none"
            )
        return super()._why_not(entry)
