"""What constructors of displays are given: results, and options by name."""

from collections.abc import Iterable
from typing import Any

from sklearn.exceptions import NotFittedError

from skcompare._core.sklearn_private import SideBySideMixin


def comparison_behind(result: Any) -> Any:
    """The comparison of a fitted comparator; anything else as it is.

    Raises
    ------
    NotFittedError
        If it is a comparator that is not fitted yet.
    """
    # Comparators are in a layer above, and are known by what they are for sklearn.
    if isinstance(result, SideBySideMixin) and not hasattr(result, "comparison_"):
        raise NotFittedError(
            f"This {type(result).__name__} is not fitted yet, so it has no comparison to "
            "draw. Call `fit` first."
        )
    return getattr(result, "comparison_", result)


def check_options(who: type, options: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options that the constructors of a display do not take."""
    names = sorted(set(known))
    if unknown := [name for name in options if name not in names]:
        raise TypeError(
            f"{who.__name__} has no option {', '.join(unknown)}. Known: {', '.join(names)}."
        )
