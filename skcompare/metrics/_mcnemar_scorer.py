"""Accuracy against that of a champion, as a scorer of scikit-learn."""

from typing import Any, ClassVar

from skcompare._registry.tests import PairedTestEntry
from skcompare.metrics._paired_scorer import PairedScorer


class McNemarScorer(PairedScorer):
    """Score a classifier by its accuracy against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it runs McNemar's test,
    :func:`skcompare.stats.mcnemar`, on the records that exactly one of it and the champion
    answers rightly.

    Parameters
    ----------
    champion : fitted classifier, optional
        What runs today. It is used as it is, never cloned or fitted. Where it is left out
        its stored labels come as the metadata ``champion_predictions``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Accuracy of the scored classifier less that of the champion; the signed root of
        McNemar's chi-squared, (b - c) / sqrt(b + c) for b records that only the scored
        classifier answers rightly and c that only the champion does; or 1 - p of the
        test with ``alternative="greater"``. Greater is better for each.
    method : {"mid-p", "exact", "asymptotic", "corrected", "exact-unconditional", \
"permutation"}, default="mid-p"
        How the p-value of the confidence is computed. The signed root is the same for each,
        but for "corrected" that of the chi-squared with continuity correction.
    **options
        Other options of the test: ``n_resamples`` and ``random_state`` of "permutation",
        and for the confidence ``null_value``, such as -0.02 for the confidence that the
        scored classifier is at most 0.02 worse.

    Raises
    ------
    TypeError
        If the champion is no classifier or has no predict, or a test is named.
    ValueError
        If the champion is not fitted or an option is not one of the test; when called, if
        there are neither a champion nor stored answers, or both, stored answers are not one
        a record, or weights are passed.

    See Also
    --------
    PairedScorer : The same for any registered test, with notes that hold for this one too.

    Notes
    -----
    A champion that was trained on records that are scored looks better than it is: score on
    others, or route answers that it gave out of sample.

    Without a record that exactly one of both answers rightly, difference and signed root
    are 0 and the confidence is 0, since p is 1.

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

    .. versionadded:: 0.1
    """

    default_test: ClassVar[str] = "mcnemar"

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
    def _why_not(cls, entry: PairedTestEntry) -> str:
        if entry.name != cls.default_test:
            return f"{cls.__name__} runs {cls.default_test}, and PairedScorer others"
        return super()._why_not(entry)
