"""Checks of the settings of a comparison, and versions of the packages it uses."""

import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from skcompare._core.validation import check_alpha, check_alternative, check_choice
from skcompare.comparators._joint_pairwise_tests import MAX_T
from skcompare.stats.core import ADJUSTMENTS


def check_settings(alternative: Any, alpha: Any, adjust: Any) -> tuple[str, float, str]:
    """Check direction, level and adjustment for two classifiers."""
    if isinstance(adjust, str) and adjust == MAX_T:
        raise ValueError(
            "adjust='max-t' is for three or more classifiers. Got two. Choose among "
            f"{', '.join(ADJUSTMENTS)}."
        )
    return _checked(alternative, alpha, adjust, ADJUSTMENTS)


def check_settings_of_several(
    alternative: Any, alpha: Any, adjust: Any, control: Any, names: Sequence[str]
) -> tuple[str, float, str]:
    """Check the same for three or more classifiers, and the control if there is one."""
    settings = _checked(alternative, alpha, adjust, (*ADJUSTMENTS, MAX_T))
    if control is not None:
        check_choice("control", control, tuple(names))
    elif settings[0] != "two-sided":
        raise ValueError(
            f"alternative={alternative!r} needs a control that the others are compared "
            "with, because all pairs have no direction of their own. Pass `control`, or "
            "use alternative='two-sided'."
        )
    return settings


def _checked(
    alternative: Any, alpha: Any, adjust: Any, choices: tuple[str, ...]
) -> tuple[str, float, str]:
    return (
        check_alternative(alternative),
        check_alpha(alpha),
        check_choice("adjustment", "none" if adjust is None else adjust, choices),
    )


@cache
def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a comparison uses."""
    from skcompare._version import __version__

    packages = ("scikit-learn", "numpy", "scipy", "joblib")
    versions = {package: version(package) for package in packages}
    return {"skcompare": __version__, "python": platform.python_version(), **versions}
