"""Metadata routing, tags and delegated methods of the meta-estimators."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn import get_config
from sklearn.utils import Bunch, ClassifierTags, RegressorTags, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skcompare.predictions import is_fitted, is_mixed


def routing_enabled() -> bool:
    """Whether metadata routing is enabled."""
    return bool(get_config()["enable_metadata_routing"])


def refuse_unrouted(names: Iterable[str]) -> None:
    """Raise an error if there is metadata that needs routing."""
    if listed := ", ".join(names):
        raise ValueError(
            f"{listed} can be passed with metadata routing on only. Turn it on by "
            "sklearn.set_config(enable_metadata_routing=True) and let the classifiers "
            "request it."
        )


def routed_fit(
    comparator: Any, groups: Any, sample_weight: Any, params: dict[str, Any]
) -> Bunch:
    """Return the metadata of the fits, and of the splits if a comparator makes them."""
    if routing_enabled():
        metadata = {"groups": groups, "sample_weight": sample_weight, **params}
        metadata = {k: value for k, value in metadata.items() if value is not None}
        return process_routing(comparator, "fit", **metadata)
    refuse_unrouted(params)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return Bunch(
        splitter=Bunch(split={} if groups is None else {"groups": groups}),
        **{name: Bunch(fit=weights) for name, _ in comparator._named_estimators()},
    )


def tags_of(estimators: Iterable[Any]) -> list[Any]:
    """Return the tags of all estimators that define tags.

    Printing must work with any arguments; `fit` raises an error for invalid ones.
    """
    return [
        get_tags(part)
        for part in estimators
        if hasattr(part, "__sklearn_tags__") and not isinstance(part, type)
    ]


def set_input_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Set the input tags that all estimators have, and pairwise if any of them has it."""
    for name in ("sparse", "categorical", "string", "allow_nan"):
        values = [getattr(part.input_tags, name) for part in parts]
        setattr(tags.input_tags, name, bool(values) and all(values))
    tags.input_tags.pairwise = any(part.input_tags.pairwise for part in parts)


def set_predictor_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Set the tags of a classifier, multi-class if all are, or of a regressor."""
    if all(part.estimator_type == "regressor" for part in parts):
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        return
    tags.estimator_type = "classifier"
    part_tags = [part.classifier_tags for part in parts if part.classifier_tags is not None]
    tags.classifier_tags = ClassifierTags(
        poor_score=any(each.poor_score for each in part_tags),
        multi_class=all(each.multi_class for each in part_tags),
    )


def fitting_flags(
    estimators: Sequence[tuple[str, Any]], fit_params: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the flags for frozen or fitted classifiers and for weighted fits."""
    flags: tuple[str, ...] = ()
    if is_mixed(estimators):
        flags = ("mixed-frozen",)
    elif any(is_fitted(estimator) for _, estimator in estimators):
        flags = ("refitted",)
    if any("sample_weight" in params for params in fit_params):
        flags = (*flags, "weighted-fit")
    return flags


def _selected_has(method: str) -> Any:
    """Return a check that the selected classifier has a method.

    Before a classifier is selected, all of them must have the method.
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
    """Mixin for methods that are delegated to `selected_estimator_`.

    They exist only with `refit=True`, and only if the selected classifier has them.
    """

    refit: bool
    selected_estimator_: Any

    @abstractmethod
    def _selected_name(self) -> str:
        """Return the name of the selected classifier."""

    @available_if(_selected_has("predict"))
    def predict(self, X: Any) -> Any:
        """Predict labels with the selected classifier; requires `refit=True`.

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
        """Predict probabilities with the selected classifier; requires `refit=True`.

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
        """Predict log-probabilities with the selected classifier; requires `refit=True`.

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
        """Compute decision scores with the selected classifier; requires `refit=True`.

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
        """Score records by the selected classifier's own `score`; requires `refit=True`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            With metadata routing on, passed if the classifier requests it.
        **params : dict
            Further metadata to route; refused with metadata routing off.

        Returns
        -------
        score : float
            Accuracy for scikit-learn's classifiers.
        """
        selected = self._selected()
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        if routing_enabled():
            routed = process_routing(self, "score", **metadata, **params)
            metadata = routed[self._selected_name()].score
        else:
            refuse_unrouted(params)
        return float(selected.score(X, y, **metadata))

    def _selected(self) -> Any:
        check_is_fitted(self, "selected_estimator_")
        return self.selected_estimator_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a comparison and, with `refit=True`, a selected classifier."""
        needed = ["comparison_", *(["selected_estimator_"] if self.refit else [])]
        return all(hasattr(self, name) for name in needed)
