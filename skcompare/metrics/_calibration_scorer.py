"""Calibration error against that of a champion, as a scorer of scikit-learn."""

from typing import Any, ClassVar

from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import PairedCalibration
from skcompare.metrics._paired_scorer import PairedScorer


class CalibrationScorer(PairedScorer):
    """Score a classifier by its calibration error against that of a champion.

    A scorer for ``scoring=`` of scikit-learn's `cross_validate`, `GridSearchCV`,
    `learning_curve`, `permutation_importance` and others. Each time it is called with a
    fitted classifier and test records it compares the squared calibration errors on these
    records by :func:`skcompare.stats.calibration_difference`.

    Parameters
    ----------
    champion : fitted classifier, optional
        What runs today, with predict_proba. It is used as it is, never cloned or fitted.
        Where it is left out its stored probabilities come as the metadata
        ``champion_scores``.
    returns : {"difference", "statistic", "confidence"}, default="difference"
        Squared calibration error of the champion less that of the scored classifier, so
        that greater is better; that difference in standard errors; or 1 - p of the test
        with ``alternative="greater"``.
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile", ...}, default="uniform"
        How bins are made, as of :class:`skcompare.evidence.PairedCalibration`; both
        classifiers need as many.
    pos_label : label, optional
        The class whose probabilities are compared, one of two.
    test : str, default="calibration_difference"
        A registered test of the calibration of two classifiers.
    **options
        Other options of the bins, ``edges`` and ``kind``, and of the test, such as
        ``method``. The default "analytic" takes milliseconds; "bootstrap" and
        "exchangeability" draw ``n_resamples`` at every call, and change nothing in the
        difference.

    Raises
    ------
    TypeError
        If the champion is no classifier or has no predict_proba.
    ValueError
        If the champion is not fitted, the test is none of calibration or an option is not
        one of it; when called, if there are neither a champion nor stored probabilities, or
        both, stored ones are not one a record, or weights are passed.

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
    it is, or worse: score on others, or route probabilities that it gave out of sample.

    The error is estimated without the bias of plug-in errors, and may be negative by
    chance. A constant probability at the share of events is perfectly calibrated: this
    score alone does not find useful classifiers, and belongs beside one of accuracy or
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

    .. versionadded:: 0.1
    """

    default_test: ClassVar[str] = "calibration_difference"

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
    def _why_not(cls, entry: PairedTestEntry) -> str:
        if entry.needs is not PairedCalibration:
            return (
                f"{cls.__name__} needs a test of the calibration of two classifiers. Got "
                f"{entry.name!r}, which is none"
            )
        return super()._why_not(entry)
