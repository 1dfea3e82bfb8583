"""Answers through the classifier that a comparison selected."""

from typing import Any

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

__all__ = ["SelectedClassifierMixin"]


def _selected_has(method: str) -> Any:
    """Whether the comparator answers like the selected classifier."""

    def check(comparator: Any) -> bool:
        if not comparator.refit:
            raise AttributeError(
                f"{type(comparator).__name__} has {method} with refit=True only. Otherwise "
                "it is a comparison, and no classifier."
            )
        selected = getattr(comparator, "selected_estimator_", comparator._incumbent)
        return hasattr(selected, method)

    return check


class SelectedClassifierMixin:
    """Methods of a classifier that are those of `selected_estimator_`.

    They exist with `refit=True` only, and as far as the selected classifier has them.
    """

    selected_estimator_: Any

    @available_if(_selected_has("predict"))
    def predict(self, X: Any) -> Any:
        """Labels of the selected classifier; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._selected().predict(X)

    @available_if(_selected_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the selected classifier; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._selected().predict_proba(X)

    @available_if(_selected_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Decision scores of the selected classifier; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._selected().decision_function(X)

    @available_if(_selected_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the selected classifier, its own; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
            Accuracy for scikit-learn's classifiers.
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._selected().score(X, y, **weights))

    def _selected(self) -> Any:
        check_is_fitted(self, "selected_estimator_")
        return self.selected_estimator_
