"""What estimators within a meta-estimator tell about it."""

from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.utils import ClassifierTags, get_tags


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
