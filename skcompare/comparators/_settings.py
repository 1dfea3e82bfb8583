"""Settings of a comparison that are checked before anything is fitted."""

from typing import Any

from skcompare._validation import check_alpha, check_alternative, check_choice
from skcompare.stats._adjust import ADJUSTMENTS

__all__ = ["check_settings"]


def check_settings(alternative: Any, alpha: Any, adjust: Any) -> tuple[str, float, str]:
    """Direction, level and adjustment, checked before anything is fitted."""
    if isinstance(adjust, str) and adjust == "max-t":
        raise ValueError(
            "adjust='max-t' is for three or more classifiers. Got two. Choose among "
            f"{', '.join(ADJUSTMENTS)}."
        )
    return (
        check_alternative(alternative),
        check_alpha(alpha),
        check_choice("adjustment", "none" if adjust is None else adjust, ADJUSTMENTS),
    )
