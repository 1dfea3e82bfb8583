"""Names of several classifiers or classes that fit and can still be told apart."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from skcompare._core.formatting import in_one_line
from skcompare.plots._style import LONGEST, literal

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BEFORE = 2
"""Letters that are kept before the first one in which two long names differ."""


def distinct(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Shortened names as matplotlib shows them."""
    return [literal(name) for name in shortened(names, longest)]


def shortened(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Names of at most `longest` letters, each another one.

    Long names that begin alike are cut where they do, so that the end in which they differ
    is seen; those that cannot be told apart like this get the number of their place.
    """
    words = [in_one_line(str(name)) for name in names]
    shown = [_cut(name, longest) for name in words]
    for repeated in _repeated(shown):
        places = [k for k, name in enumerate(shown) if name == repeated]
        shared = _shared([words[k] for k in places])
        for k in places:
            shown[k] = _cut(_without_middle(words[k], shared, longest), longest)
    for repeated in _repeated(shown):
        for k in [k for k, name in enumerate(shown) if name == repeated]:
            mark = f" ({k + 1})"
            shown[k] = f"{_cut(words[k], longest - len(mark))}{mark}"
    return shown


def marks_of(codes: Sequence[str]) -> dict[str, str]:
    """A small raised number for each different code, in order."""
    return {
        code: str(number).translate(SUPERSCRIPTS)
        for number, code in enumerate(dict.fromkeys(codes), start=1)
    }


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def _repeated(shown: Sequence[str]) -> list[str]:
    return [name for name, often in Counter(shown).items() if often > 1]


def _shared(words: Sequence[str]) -> int:
    """Letters with which all of several words begin."""
    columns = enumerate(zip(*words, strict=False))
    return next(
        (k for k, letters in columns if len(set(letters)) > 1), min(map(len, words))
    )


def _without_middle(name: str, shared: int, longest: int) -> str:
    """A name that begins as others do, cut before the place where it differs."""
    head = longest // 3
    start = max(head + 1, shared - BEFORE)
    room = longest - head - 1
    if len(name) - start < room:
        start = len(name) - room
    return f"{name[:head].rstrip()}…{name[start:]}"
