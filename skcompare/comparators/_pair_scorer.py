"""The scorer of a pair: both classifiers and their difference, in three columns."""

import math
from typing import Any

from sklearn.utils.metadata_routing import MetadataRequest

from skcompare._core.labels import check_labels
from skcompare.comparators._real_scores import scores_of, told
from skcompare.comparators._rehearsal import check_scored_classes
from skcompare.metrics import resolve_scoring
from skcompare.predictions import collect_fitted
from skcompare.predictions._fitted_pair import CHALLENGER, CHAMPION, fitted_pair


def make_paired_scorer(scoring: Any = "accuracy", *, pos_label: Any = None) -> "PairScorer":
    """Score both classifiers of a pair, and their difference, within scikit-learn.

    The scorer gives three numbers a metric: ``<metric>_champion``,
    ``<metric>_challenger`` and ``<metric>_difference``, which is the challenger's less the
    champion's on a greater-is-better scale: the difference of a loss is a gain. Each
    classifier answers once for all metrics.

    Parameters
    ----------
    scoring : str, callable, list of str, or dict, default="accuracy"
        What is scored, as in :class:`PairedComparator`: names of metrics of skcompare or
        scorers of scikit-learn, with a class in brackets for one class against the rest,
        or scorers. A custom scorer sees stored answers, and the records as they are.
    pos_label : label, optional
        The positive class of two; scorers then see classes 0 and 1.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` of a fitted :class:`PairedClassifier`, or of a pipeline
        that ends in one, gives a dict of names to numbers. It goes where scikit-learn
        takes several scores: :func:`~sklearn.model_selection.cross_validate`, and
        searches with, for example, ``refit="accuracy_difference"``. `cross_val_score` and
        `learning_curve` take one number, and refuse it.

    Raises
    ------
    TypeError
        By the scorer, if the estimator is no fitted pair.
    ValueError
        If `scoring` is not known; by the scorer, if a metric does not suit the classes, or
        `sample_weight` is passed: every record counts once, as in the tests.

    See Also
    --------
    PairedClassifier : The estimator that it scores.

    Notes
    -----
    On a test set where the score of either classifier is undefined, as the AUC where there
    is one class only, all three numbers are NaN, with an
    :class:`~sklearn.exceptions.UndefinedMetricWarning`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import PairedClassifier, make_paired_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> pair = PairedClassifier(DecisionTreeClassifier(max_depth=2), GaussianNB())
    >>> scorer = make_paired_scorer(["accuracy", "neg_log_loss"])
    >>> for name, score in scorer(pair.fit(X[::2], y[::2]), X[1::2], y[1::2]).items():
    ...     print(f"{name:24}{score:+.3f}")
    accuracy_champion       +0.947
    accuracy_challenger     +0.960
    accuracy_difference     +0.013
    neg_log_loss_champion   -0.197
    neg_log_loss_challenger -0.114
    neg_log_loss_difference +0.082

    .. versionadded:: 0.1
    """
    return PairScorer(scoring, pos_label)


class PairScorer:
    """A scorer that asks both classifiers of a pair; see :func:`make_paired_scorer`."""

    def __init__(self, scoring: Any, pos_label: Any) -> None:
        self.scoring = scoring
        self.pos_label = pos_label
        self.measures = resolve_scoring(scoring)

    def __call__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> dict[str, float]:
        """Score a fitted pair on records that it was not trained on.

        Parameters
        ----------
        estimator : PairedClassifier
            Fitted, or a fitted pipeline that ends in one.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **metadata : dict
            Refused.

        Returns
        -------
        scores : dict of str to float
        """
        _refuse(metadata)
        roles = fitted_pair(estimator)
        if roles is None:
            raise TypeError(
                "A paired scorer scores a fitted PairedClassifier, or a pipeline that ends "
                f"in one. Got {type(estimator).__name__}. Pass "
                "PairedClassifier(champion, challenger), fitted."
            )
        predictions = collect_fitted(
            list(zip((CHAMPION, CHALLENGER), roles)),
            X,
            check_labels("y", y),
            wanted=frozenset[str]().union(*(measure.wanted for measure in self.measures)),
        )
        if len(predictions.classes) > 1:
            check_scored_classes(self.measures, predictions.classes, self.pos_label)
        scores: dict[str, float] = {}
        for measure in self.measures:
            found = scores_of(predictions, measure, X, self.pos_label)
            champion, challenger = told(measure, *found)
            sign = 1 if measure.greater_is_better else -1
            difference = sign * (challenger - champion)
            if not math.isfinite(difference):
                # Means over test sets are then of the same test sets.
                champion = challenger = difference = math.nan
            scores[f"{measure.subject}_champion"] = champion
            scores[f"{measure.subject}_challenger"] = challenger
            scores[f"{measure.subject}_difference"] = difference
        return scores

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn hands this scorer beside records and labels: nothing.

        Returns
        -------
        request : MetadataRequest
        """
        return MetadataRequest(owner="make_paired_scorer")

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer among several, with routing off.
        return False

    def __repr__(self) -> str:
        words = "" if self.pos_label is None else f", pos_label={self.pos_label!r}"
        return f"make_paired_scorer({self.scoring!r}{words})"


def _refuse(metadata: dict[str, Any]) -> None:
    given = [name for name, value in metadata.items() if value is not None]
    if given:
        raise ValueError(
            "A paired scorer counts every record once, because the tests have no version "
            f"for weights. Got {', '.join(given)}. Leave it out of scoring; the "
            "classifiers may still ask for it in their fits."
        )
