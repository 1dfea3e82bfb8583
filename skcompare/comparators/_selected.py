"""Answers through the classifier that a comparison selected."""

from abc import abstractmethod
from typing import Any

from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skcompare.comparators._routing import refuse_unrouted, routing_enabled


def _selected_has(method: str) -> Any:
    """Whether the comparator answers like the selected classifier.

    Before it is known which one that will be, all classifiers must have the method.
    """

    def check(comparator: Any) -> bool:
        if not comparator.refit:
            raise AttributeError(
                f"{type(comparator).__name__} has {method} with refit=True only. Otherwise "
                "it is a comparison, and no classifier."
            )
        candidates = dict(comparator._named_estimators())
        if hasattr(comparator, "selected_estimator_"):
            candidates = {"selected_estimator_": comparator.selected_estimator_}
        for name, classifier in candidates.items():
            if not hasattr(classifier, method):
                raise AttributeError(
                    f"{type(comparator).__name__} has {method} if the classifier that it "
                    f"selects has it. `{name}` ({type(classifier).__name__}) has none."
                )
        return True

    return check


class SelectedClassifierMixin:
    """Methods of a classifier that are those of `selected_estimator_`.

    They exist with `refit=True` only, and as far as the selected classifier has them.
    """

    refit: bool
    selected_estimator_: Any

    @abstractmethod
    def _selected_name(self) -> str:
        """The classifier that the comparison selects."""

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

    @available_if(_selected_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of the selected classifier's probabilities; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
        """
        return self._selected().predict_log_proba(X)

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
    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Score of the selected classifier, its own; with `refit=True` only.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            With metadata routing on, passed where the classifier asks for it.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        score : float
            Accuracy for scikit-learn's classifiers.
        """
        selected = self._selected()
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            routed = process_routing(self, "score", **given, **params)
            given = routed[self._selected_name()].score
        else:
            refuse_unrouted(params)
        return float(selected.score(X, y, **given))

    def _selected(self) -> Any:
        check_is_fitted(self, "selected_estimator_")
        return self.selected_estimator_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a comparison, and a classifier if one is to be selected."""
        needed = ["comparison_", *(["selected_estimator_"] if self.refit else [])]
        return all(hasattr(self, name) for name in needed)
