"""Whether scikit-learn routes metadata, and what is refused where it does not."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn import get_config
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skcompare.predictions import is_fitted, is_mixed


def routing_enabled() -> bool:
    """Whether metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])


def refuse_unrouted(names: Iterable[str]) -> None:
    """Refuse metadata that can be passed on by routing only."""
    if given := ", ".join(names):
        raise ValueError(
            f"{given} can be passed with metadata routing on only. Turn it on by "
            "sklearn.set_config(enable_metadata_routing=True) and let the classifiers "
            "request it."
        )


def tags_of(estimators: Iterable[Any]) -> list[Any]:
    """The tags of all that have some.

    Printing must work whatever was passed; `fit` says what is wrong with it.
    """
    return [
        get_tags(part)
        for part in estimators
        if hasattr(part, "__sklearn_tags__") and not isinstance(part, type)
    ]


def set_input_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Take what all the estimators take; a kernel where one of them wants it."""
    for name in ("sparse", "categorical", "string", "allow_nan"):
        given = [getattr(part.input_tags, name) for part in parts]
        setattr(tags.input_tags, name, bool(given) and all(given))
    tags.input_tags.pairwise = any(part.input_tags.pairwise for part in parts)


def set_classifier_tags(tags: Any, parts: Sequence[Any]) -> None:
    """Be a classifier, of as many classes as all the estimators."""
    tags.estimator_type = "classifier"
    known = [part.classifier_tags for part in parts if part.classifier_tags is not None]
    tags.classifier_tags = ClassifierTags(
        poor_score=any(one.poor_score for one in known),
        multi_class=all(one.multi_class for one in known),
    )


def fitting_flags(
    estimators: Sequence[tuple[str, Any]], fit_params: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Flags of classifiers that came frozen or fitted, and of weights."""
    flags: tuple[str, ...] = ()
    if is_mixed(estimators):
        flags = ("mixed-frozen",)
    elif any(is_fitted(estimator) for _, estimator in estimators):
        flags = ("refitted",)
    if any("sample_weight" in params for params in fit_params):
        flags = (*flags, "weighted-fit")
    return flags


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
