"""Names of the models that are compared."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skcompare.predictions import CHALLENGER, CHAMPION, ROLES

PAIRS = (
    ROLES,
    ("baseline", "candidate"),
    ("before", "after"),
    ("control", "treatment"),
    ("current", "next"),
    ("incumbent", "contender"),
    ("old", "new"),
    ("production", "candidate"),
    ("production", "staging"),
)
"""Usual names for the two roles, that of the champion first."""

WORD = re.compile(r"[^\W\d_]+")


def check_role_names(champion: str, challenger: str) -> None:
    """Raise an error if the names suggest that champion and challenger are swapped.

    Parameters
    ----------
    champion, challenger : str
        Names of champion and challenger, such as those of their files.
    """
    first, second = (
        {word.lower() for word in WORD.findall(name)} for name in (champion, challenger)
    )
    # One of the names of the roles themselves is enough.
    is_swapped = first & {*ROLES} == {CHALLENGER} or second & {*ROLES} == {CHAMPION}
    if is_swapped or any(new in first and old in second for old, new in PAIRS):
        raise ValueError(
            f"The champion comes first, but the names suggest the opposite: {champion!r} "
            f"is taken for the champion and {challenger!r} for the challenger. Exchange "
            "them, or rename them."
        )


def named_predictions(data: Any, unnamed: Sequence[Any], champion: Any) -> Any:
    """Return predictions by name, of two models also where they are passed without names.

    Parameters
    ----------
    data : object
        True labels, a frame or a file.
    unnamed : sequence
        All predictions by name and None, or those of champion and challenger.
    champion : object
        Those of the champion, if they were passed by keyword.

    Returns
    -------
    predictions : object
        A mapping if there are predictions of two.
    """
    for each in (data, *unnamed, champion):
        if hasattr(type(each), "fit"):
            # Of its type, because a frame may have a column of that name.
            raise TypeError(
                "compare takes predictions of trained models. Got a model, "
                f"{type(each).__name__}. Use PairedComparator(champion, challenger).fit("
                "X, y), which trains both; or predict records that neither was trained on: "
                "compare(y_true, champion.predict(X), challenger.predict(X))."
            )
    first, challenger, *others = unnamed
    if others:
        raise TypeError(
            "compare takes the predictions of two models without names. Got those of "
            f"{len(unnamed)}. Name them: compare(y_true, {{'a': ..., 'b': ..., 'c': ...}})."
        )
    if challenger is None and champion is None:
        if isinstance(first, (str, os.PathLike)) or hasattr(first, "columns"):
            raise ValueError(
                "compare takes one file or frame and names of columns. Got a second "
                f"{type(first).__name__} without a column. Join two by ids: "
                "compare('old.csv', {'old': 'p', 'new': ('new.csv', 'p')}, y_true='y', "
                "id='id')."
            )
        return first
    if (first is None) is (champion is None) or challenger is None:
        raise TypeError(
            "`champion` and `challenger` are passed together, and instead of other "
            "predictions. Write compare(y_true, champion=..., challenger=...), or name the "
            "predictions: compare(y_true, {'old': ..., 'new': ...})."
        )
    pair = (champion if first is None else first, challenger)
    are_columns = all(isinstance(column, str) for column in pair) and pair[0] != pair[1]
    return dict(zip(pair if are_columns else ROLES, pair))


def checked_names(predictions: Any) -> Mapping[str, Any]:
    if not isinstance(predictions, Mapping) or len(predictions) < 2:
        count: Any = type(predictions).__name__
        if isinstance(predictions, Mapping):
            count = len(predictions)
        raise ValueError(
            "`predictions` must be a dict of at least two entries, the champion's first. "
            f"Got {count}. Write {{'old': ..., 'new': ...}}; two arrays need no names as "
            "compare(y_true, champion, challenger)."
        )
    for name in predictions:
        if not isinstance(name, str) or not name.strip() or name == "inconclusive":
            raise ValueError(
                "Names of classifiers must be non-empty strings and not "
                f"'inconclusive', which is a verdict. Got {name!r}. Choose another name."
            )
    if len(predictions) == 2:
        check_role_names(*predictions)
    return predictions


def check_two_names(names: Sequence[str]) -> None:
    """Check the names of champion and challenger, which must differ."""
    if len(names) != 2 or names[0] == names[1]:
        raise ValueError(
            "`names` must be two names that differ, the champion's first, such as "
            f"('old', 'new'). Got {names!r:.80}."
        )
    checked_names(dict.fromkeys(names))


TAKEN = ("splitter", "method_mapping", "inconclusive")
"""Names that are reserved by metadata routing and by verdicts."""


def check_named_estimators(estimators: Any, parameters: Iterable[str]) -> None:
    """Check that `estimators` are named estimators, without reserved names."""
    if not _is_named(estimators):
        raise TypeError(
            "`estimators` must be a dict of names with estimators, or a list of pairs of "
            f"both. Got {estimators!r:.80}. Write {{'old': LogisticRegression(), ...}}."
        )
    names = [name for name, _ in named_pairs(estimators)]
    if len(names) < 3:
        raise ValueError(
            f"`estimators` must have at least 3 classifiers. Got {len(names)}. Use "
            "PairedComparator for two, with `names`."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"Names of classifiers must differ. Got {', '.join(names)}.")
    for name in names:
        if not name.strip() or "__" in name or name in (*parameters, *TAKEN):
            raise ValueError(
                "A classifier's name must not be empty, have two underscores in a row, or "
                f"be one of {', '.join(sorted({*parameters, *TAKEN}))}. Got {name!r}."
            )


def named_pairs(estimators: Any) -> list[tuple[str, Any]]:
    """Return the named estimators as a list, which is empty if `estimators` is invalid."""
    if not _is_named(estimators):
        return []
    pairs = estimators.items() if isinstance(estimators, Mapping) else estimators
    return [(name, part) for name, part in pairs]


def _is_named(estimators: Any) -> bool:
    if isinstance(estimators, Mapping):
        return all(isinstance(name, str) for name in estimators)
    return isinstance(estimators, Sequence) and all(
        isinstance(pair, Sequence)
        and not isinstance(pair, str)
        and len(pair) == 2
        and isinstance(pair[0], str)
        for pair in estimators
    )
