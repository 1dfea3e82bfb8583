"""Whether the labels of answers are those of the records, in the same spelling."""

import unicodedata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._validation import some_of


def check_comparable(
    name: str, own: NDArray[Any], reference: str, known: NDArray[Any]
) -> None:
    """Refuse labels of another type or spelling, or none of which is known.

    Parameters
    ----------
    name, reference : str
        What messages call the answers, and what they are held against.
    own, known : ndarray of shape (n_labels,)
        The different labels of each.
    """
    is_text, known_is_text = own.dtype.kind in "US", known.dtype.kind in "US"
    if is_text != known_is_text:
        raise ValueError(
            f"`{name}` has {_type(is_text)} labels (such as {some_of(own[:1])}) but "
            f"`{reference}` has {_type(known_is_text)} ones (such as "
            f"{some_of(known[:1])}). Convert one of them."
        )
    extra = np.setdiff1d(own, known)
    if is_text and len(extra):
        folded = {_folded(label): str(label) for label in known}
        for label in extra:
            twin = folded.get(_folded(label))
            if twin is not None:
                raise ValueError(
                    f"`{name}` has the label {str(label)!a} where `{reference}` has "
                    f"{twin!a}. Labels must match exactly, in case, spaces, quotation "
                    "marks and Unicode form."
                )
    if len(extra) == len(own) and len(known) > 1:
        raise ValueError(
            f"`{name}` has no label in common with `{reference}`: {some_of(own)} against "
            f"{some_of(known)}. Map them to the same labels."
        )


def _folded(label: Any) -> str:
    """What is left of a label without case, spaces, quotation marks and Unicode form."""
    text = unicodedata.normalize("NFKC", str(label)).strip().strip("'\"").strip()
    return unicodedata.normalize("NFKC", text.casefold())


def _type(is_text: bool) -> str:
    return "string" if is_text else "numeric"


def check_no_other(
    name: str, own: NDArray[Any], reference: str, known: NDArray[Any]
) -> None:
    """Refuse labels that no record has: a class coded otherwise would count as wrong."""
    extra = np.setdiff1d(own, known)
    if len(extra):
        raise ValueError(
            f"`{name}` has labels that no record of `{reference}` has: {some_of(extra)}. "
            f"`{reference}` has {some_of(known)}. Code them alike; where they are classes "
            "that these records happen to lack, name all classes by `labels`."
        )


def check_spelled_once(reference: str, known: NDArray[Any]) -> None:
    """Refuse two classes that are one text in two Unicode forms."""
    if known.dtype.kind != "U":
        return
    seen: dict[str, str] = {}
    for label in known.tolist():
        twin = seen.setdefault(unicodedata.normalize("NFC", label), label)
        if twin != label:
            raise ValueError(
                f"`{reference}` has the label {label!r} in two Unicode forms, "
                f"{twin!a} and {label!a}. Normalize it, for example by "
                "unicodedata.normalize('NFC', label)."
            )
