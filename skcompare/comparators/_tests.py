"""Which tests run on which measures, decided before anything is fitted."""

from collections.abc import Iterable, Mapping, Sequence
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
    asked: dict[str, dict[str, Any]]
    if isinstance(tests, Mapping):
        asked = {name: _options(name, options) for name, options in tests.items()}
    elif isinstance(tests, Iterable):
        asked = {get_test(name).name: {} for name in tests}
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


def _options(name: Any, options: Any) -> dict[str, Any]:
    if not isinstance(options, Mapping):
        raise TypeError(
            f"The options of test {name!r} must be a dict. Got {options!r}. Pass {{}} for "
            "none."
        )
    return dict(options)


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


def default_test(measure: Measure, design: Design) -> PairedTestEntry | None:
    """The test that a measure gets when none is asked for; None if none is valid."""
    valid = tests_for(measure.metric, design)
    return valid[0] if valid else None


def answers_wanted(measures: Iterable[Measure], asked: NamedTests | None) -> frozenset[str]:
    """What the classifiers must answer for these measures and tests."""
    wanted = frozenset[str]().union(*(measure.wanted for measure in measures))
    for name in asked or ():
        needs = get_test(name).needs
        if needs is not ScoreDifferences:
            wanted |= getattr(needs, "wanted", frozenset({LABELS, SCORES}))
    return wanted


def no_test_note(measure: Measure, design: Design) -> str:
    """Why a measure has no p-value, and the designs that would give one."""
    known = tests_for(measure.metric)
    if not known:
        return f"no test of {measure.name} is known: the difference is shown alone"
    reason = f"no test of {measure.name} is valid for {design}"
    names = [name for entry in known for name in entry.designs]
    if design.grouped:
        ways = [name for name in names if name.startswith("grouped ")]
        if not ways:
            return f"{reason}: none accounts for the dependence within groups"
    elif design.kind == "time ordered":
        ways = [name for name in names if name == "holdout"]
        reason += ", and shuffled splits would ignore the order of time"
    else:
        ways = [name for name in names if not name.startswith("grouped ")]
    advice = [
        f"{remedy(name)} for {_named_for(name, known)}" for name in dict.fromkeys(ways)
    ]
    return f"{reason}; use {', or '.join(advice)}" if advice else reason


def _named_for(design_name: str, entries: Sequence[PairedTestEntry]) -> str:
    return ", ".join(entry.name for entry in entries if design_name in entry.designs)
