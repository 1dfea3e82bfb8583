"""Checks of conditions: measures with a valid test, and slices that can be cut."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from skcompare._registry.metrics import tested_instead
from skcompare._registry.tests import PairedTestEntry, get_test, tests_for
from skcompare.comparators._scored_items import item_tests
from skcompare.gate._measure_ranges import widest
from skcompare.metrics import Measure

EXACT = "mcnemar"
"""The test that has an exact method."""


class Written:
    """What is shown as it is written, without settings that are the default."""

    def __repr__(self) -> str:
        one: Any = self
        parts: list[str] = []
        for each in fields(one):
            value = getattr(one, each.name)
            if each.name == "conditions":
                parts += map(repr, value)
            elif each.name == "measure":
                parts.append(repr(value))
            elif value and value != each.default:
                plain = dict(value) if isinstance(value, Mapping) else value
                parts.append(f"{each.name}={plain!r}")
        return f"{type(self).__name__}({', '.join(parts)})"


def check_measure(measure: Measure) -> None:
    """Refuse a measure without a test that is valid for some design."""
    instead = tested_instead(measure.metric)
    if instead:
        raise ValueError(
            f"{measure.subject} has no valid test, because its bias differs between "
            f"classifiers, and a gate needs one. Use {instead!r}."
        )
    if not _entries(measure):
        raise ValueError(
            f"No test of {measure.subject} is known, and a gate needs one. `skcompare "
            "list-tests` lists what is tested."
        )


def check_width(name: str, measure: Measure, margin: float) -> None:
    """Refuse a margin that no two classifiers can differ by."""
    width = widest(measure)
    if margin >= width:
        raise ValueError(
            f"`margin` of {name}({measure.subject!r}) must be below {width:g}, the largest "
            f"difference that there can be. Got {margin!r}. With such a margin nothing "
            "could fail, or nothing pass."
        )


def check_exact(
    measure: Measure | None, test: str | None, options: Mapping[str, Any]
) -> None:
    """Refuse to promise an exact test of what has none, or by another method."""
    if measure is not None and not get_test(EXACT).match(measure.metric):
        raise ValueError(
            f"`exact` is for accuracy. Got {measure.subject!r}, which has no exact test. "
            "Leave it out."
        )
    if test not in (None, EXACT) or "method" in options:
        got = f"test={test!r}" if test != EXACT else f"method={options['method']!r}"
        raise ValueError(f"`exact` chooses the method of {EXACT}. Got {got} as well.")


def _entries(measure: Measure | None) -> list[PairedTestEntry]:
    known = item_tests() if measure is None else tests_for(measure.metric)
    return [
        entry
        for entry in known
        if entry.kind == "difference" and "alternative" in entry.options
    ]


def tests_of(measure: Measure | None) -> str:
    """Names of the tests of a measure, for messages."""
    return ", ".join(entry.name for entry in _entries(measure))


def checked_where(where: Any) -> Mapping[str, Any] | None:
    """A slice: columns and the value, or list of values, that records must have."""
    if where is None:
        return None
    if not isinstance(where, Mapping) or not where:
        raise ValueError(
            f"`where` must be a dict of columns and values, such as {{'country': 'DE'}}. "
            f"Got {where!r}."
        )
    for name, value in where.items():
        values = value if isinstance(value, list | tuple) else [value]
        plain = all(isinstance(one, str | bool | int | float) for one in values)
        if not isinstance(name, str) or not plain or not values:
            raise ValueError(
                f"`where` must name columns and the value, or a list of values, that "
                f"records must have. Got {name!r}: {value!r}."
            )
    return MappingProxyType(
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in where.items()
        }
    )


def where_words(where: Mapping[str, Any] | None) -> str:
    if not where:
        return ""
    parts = [
        f"{name} in {', '.join(map(str, value))}"
        if isinstance(value, list)
        else f"{name} = {value}"
        for name, value in where.items()
    ]
    return f", where {' and '.join(parts)}"


def check_distinct(conditions: tuple[Any, ...]) -> None:
    """Refuse a condition that is there twice."""
    known = [one.to_dict() for one in conditions]
    twice = next((one for k, one in enumerate(known) if one in known[:k]), None)
    if twice is not None:
        raise ValueError(f"Each condition must be there once. Got {twice!r} twice.")
