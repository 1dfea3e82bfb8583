"""Tests and adjustments that suit no comparison of several, refused before any fit."""

from collections.abc import Mapping, Sequence
from typing import Any

from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.comparators._class_options import is_about
from skcompare.comparators._families import MAX_T, max_t_family, options_of_several
from skcompare.comparators._tests import Asked, named_tests
from skcompare.metrics import Measure

OMNIBUS = "omnibus"


def named_of_several(tests: Any, adjust: Any) -> Asked:
    """The tests asked for with their options, among them those of the adjustment."""
    return named_tests(tests, options_of_several(adjust))


def check_named(asked: Asked, measures: Sequence[Measure], adjust: str) -> None:
    """Refuse a test that was asked for and cannot say which of several differ."""
    if adjust == MAX_T:
        _check_max_t(asked, measures)
        return
    if not asked or isinstance(asked, str):
        return
    for name in asked:
        entry = get_test(name)
        _check_about(entry, measures, asked)
        if entry.kind != "difference" and not is_omnibus(entry):
            raise ValueError(
                f"{name} is no test of a difference, which says who is better. Several "
                "classifiers need one for their pairs, such as mcnemar, or a test of all "
                "together, such as cochran_q. Compare two at a time."
            )


def is_omnibus(entry: PairedTestEntry) -> bool:
    """Whether a test is one of all classifiers together."""
    return entry.kind == OMNIBUS and hasattr(entry.needs, "from_predictions_of")


def _check_about(
    entry: PairedTestEntry,
    measures: Sequence[Measure],
    asked: Mapping[str, Mapping[str, Any]],
) -> None:
    """Refuse a test of something that is not measured."""
    if not any(is_about(entry, measure, asked) for measure in measures):
        subjects = ", ".join(measure.subject for measure in measures)
        raise ValueError(
            f"{entry.name} measures {', '.join(entry.measures)}, and several classifiers "
            f"are compared by {subjects}. Add it to `scoring`, or compare two at a time."
        )


def _check_max_t(asked: Asked, measures: Sequence[Measure]) -> None:
    """Refuse tests that "max-t" would not run: it has one for each measure."""
    families = {max_t_family(measure).test: max_t_family(measure) for measure in measures}
    given = {"all": {}} if isinstance(asked, str) else (asked or {})
    for name, options in given.items():
        if name != "all" and is_omnibus(get_test(name)):
            _check_about(get_test(name), measures, given)
        elif name not in families:
            raise ValueError(
                f"With adjust='max-t' the pairs are tested by {', '.join(families)}. Got "
                f"tests={name!r}. Leave it out, or choose adjust='holm', which is for "
                "every test."
            )
        elif others := sorted(set(options) - {*families[name].free_options}):
            raise ValueError(
                f"With adjust='max-t' {name} takes "
                f"{', '.join(families[name].free_options)}. Got {', '.join(others)}. Leave "
                "it out, or choose adjust='holm'."
            )
