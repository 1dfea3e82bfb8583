"""Settings of a comparison: level, alternative, adjustment, splits and versions."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from skcompare._analysis import (
    MAX_T,
    RequestedTests,
    check_named,
    check_positive,
    named_of_several,
)
from skcompare._core.design import Design, design_of
from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
)
from skcompare.metrics import Measure, resolve_scoring
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.predictions import Split, disjoint_split, n_rows, seeded
from skcompare.stats.core import ADJUSTMENTS


def check_settings(alternative: Any, alpha: Any, adjust: Any) -> tuple[str, float, str]:
    """Check the alternative, level and adjustment for two classifiers."""
    if isinstance(adjust, str) and adjust == MAX_T:
        raise ValueError(
            "adjust='max-t' is for three or more classifiers. Got two. Choose among "
            f"{', '.join(ADJUSTMENTS)}."
        )
    return _checked(alternative, alpha, adjust, ADJUSTMENTS)


def check_settings_of_several(
    alternative: Any, alpha: Any, adjust: Any, control: Any, names: Sequence[str]
) -> tuple[str, float, str]:
    """Check the settings for three or more classifiers, including the control."""
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


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings of a comparison, with its measures and its requested tests."""

    measures: tuple[Measure, ...]
    requested: RequestedTests
    alternative: str
    alpha: float
    adjust: str
    pos_label: Any
    control: str | None = None

    @classmethod
    def parse(
        cls,
        scoring: Any,
        tests: Any,
        alternative: Any,
        alpha: Any,
        adjust: Any,
        pos_label: Any,
        control: Any = None,
        several: Sequence[str] = (),
    ) -> Self:
        """Check settings, which `several` names of three or more classifiers change."""
        checked = (
            check_settings_of_several(alternative, alpha, adjust, control, several)
            if several
            else check_settings(alternative, alpha, adjust)
        )
        requested = named_of_several(tests, checked[-1])
        measures = resolve_scoring(scoring)
        check_positive(requested, measures)
        if several:
            check_named(requested, measures, checked[-1])
        return cls(measures, requested, *checked, pos_label, control)


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


@dataclass(frozen=True, slots=True)
class Splits:
    """Train and test indices, their design, and caveats about them."""

    pairs: list[Split]
    design: Design
    flags: tuple[str, ...]


def resolve_cv(cv: Any, y: Any, random_state: Any) -> Any:
    """Return the splitter of a `cv` argument, seeded if its `random_state` is None."""
    if cv is None:
        return BlockRegularized5x2CV(random_state=random_state)
    if isinstance(cv, str):
        raise ValueError(
            f"`cv` must be None, 'prefit', a splitter, a number of folds or an iterable of "
            f"splits. Got {cv!r}."
        )
    if isinstance(cv, int) and not isinstance(cv, bool):
        check_count("cv", cv, least=2)
    splitter = check_cv(cv, y, classifier=True)
    if random_state is not None and getattr(splitter, "random_state", 0) is None:
        return seeded(splitter, check_random_state(random_state))
    return splitter


def make_splits(splitter: Any, X: Any, y: np.ndarray, groups: Any, params: Any) -> Splits:
    """Make all splits of a splitter once, to be shared by all classifiers."""
    flags: tuple[str, ...] = ()
    if hasattr(splitter, "describe"):
        flags = splitter.describe(X, y, **params).flags
    n = n_rows(X)
    pairs = [
        disjoint_split(f"Split {k}", train, test, n)
        for k, (train, test) in enumerate(splitter.split(X, y, **params))
    ]
    if not pairs:
        raise ValueError(f"`cv` must give at least one split. Got none from {splitter}.")
    design = design_of(splitter, len(pairs), grouped=groups is not None)
    return Splits(pairs, design, flags)
