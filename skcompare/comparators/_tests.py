"""Which tests run on which measures, decided before anything is fitted."""

from collections.abc import Iterable, Mapping
from typing import Any

from skcompare._design import Design, remedy
from skcompare._registry import PairedTestEntry, get_test, tests_for
from skcompare.evidence import ScoreDifferences
from skcompare.metrics import Measure
from skcompare.predictions import LABELS, SCORES

__all__ = ["NamedTests", "answers_wanted", "default_test", "named_tests", "no_test_note"]

NamedTests = Mapping[str, Mapping[str, Any]]
"""Options by the names of tests that were asked for."""

SET_ELSEWHERE = "alternative"


def named_tests(tests: Any) -> NamedTests | None:
    """The tests asked for with their options; None for "auto"."""
    if isinstance(tests, str):
        if tests == "auto":
            return None
        tests = [tests]
    if isinstance(tests, Mapping):
        asked = {name: dict(options) for name, options in tests.items()}
    elif isinstance(tests, Iterable):
        asked = {name: {} for name in tests}
    else:
        raise TypeError(
            "`tests` must be 'auto', a name, a list of names, or a dict of names and "
            f"options. Got {type(tests).__name__}."
        )
    if not asked:
        raise ValueError("`tests` must have at least one name, or be 'auto'. Got none.")
    for name, options in asked.items():
        _check_options(get_test(name), options)
    return asked


def _check_options(entry: PairedTestEntry, options: Mapping[str, Any]) -> None:
    if SET_ELSEWHERE in options:
        raise ValueError(
            f"The direction is one for all tests. Got 'alternative' among the options of "
            f"{entry.name}. Pass `alternative` beside `tests`."
        )
    free = [name for name in entry.options if name != SET_ELSEWHERE]
    for name in options:
        if name not in free:
            raise ValueError(
                f"{entry.name} has no option {name!r}. Its options: "
                f"{', '.join(free) or 'none'}."
            )


def default_test(measure: str, design: Design) -> PairedTestEntry | None:
    """The test that a measure gets when none is asked for; None if none is valid."""
    valid = tests_for(measure, design)
    return valid[0] if valid else None


def answers_wanted(measures: Iterable[Measure], asked: NamedTests | None) -> frozenset[str]:
    """What the classifiers must answer for these measures and tests."""
    wanted = frozenset[str]().union(*(measure.wanted for measure in measures))
    for name in asked or ():
        needs = get_test(name).needs
        if needs is not ScoreDifferences:
            wanted |= getattr(needs, "wanted", frozenset({LABELS, SCORES}))
    return wanted


def no_test_note(measure: str, design: Design) -> str:
    """Why a measure has no p-value, and the designs that would give one."""
    known = tests_for(measure)
    if not known:
        return f"no test of {measure} is known: the difference is shown alone"
    ways = [f"{remedy(name)} for {entry.name}" for entry in known for name in entry.designs]
    return (
        f"no test of {measure} is valid for {design}; use {', or '.join(ways)}, or ask for "
        "a test by name"
    )
