"""The pages of the families teach in one order, by numbers that were measured."""

import re

import pytest

from doc.tests.pages import GUIDE, sections, tables

pytestmark = pytest.mark.skipif(not GUIDE.is_dir(), reason="the pages are not here")

FAMILIES = [
    "labels",
    "scores",
    "precision",
    "losses",
    "calibration",
    "ranking",
    "any_score",
    "agreement",
    "groups",
    "item_scores",
    "bcv_mcnemar",
    "resampling",
    "several",
    "planning",
    "anytime",
    "gate",
]
PARTS = [
    "The question",
    "A worked example",
    "What is assumed",
    "Measured error rates",
    "What next",
]


def test_a_family_page_has_its_parts():
    """Question, worked example, assumptions, error rates, and where to read on."""
    for family in FAMILIES:
        titles = list(sections(GUIDE / f"{family}.rst"))

        assert [title for title in titles if title in PARTS] == PARTS
        assert titles[0] == PARTS[0]
        assert titles[-1] == PARTS[-1]


def test_a_worked_example_shows_its_numbers():
    """It is computed on the page."""
    for family in FAMILIES:
        assert ">>> " in sections(GUIDE / f"{family}.rst")["A worked example"]


def test_error_rates_were_measured():
    """A table is a part of one that a command prints, here or on a page that is named."""
    for family in FAMILIES:
        page = GUIDE / f"{family}.rst"
        section = sections(page)["Measured error rates"]
        titles = re.findall(r"\.\. csv-table:: (.*)", section)
        linked = re.findall(r":(?:doc|ref):`(\w+)`", section)
        measured = {}
        for name in (name for name in linked if name.endswith("error_rates")):
            measured |= tables(GUIDE / f"{name}.rst")

        assert titles
        if "python -m benchmarks." in section:
            continue
        for title in titles:
            assert title in measured, (
                f"no page that the section links has a table {title!r}"
            )
            (head, *rows), (names, *values) = tables(page)[title], measured[title]
            columns = [names.index(name) for name in head]
            known = [[value[column] for column in columns] for value in values]
            missing = [_line(row) for row in rows if row not in known]
            assert [] == missing, f"rows that {title!r} does not have (any more)"


def _line(row):
    return ",".join(row)


def test_which_test_names_the_families():
    """Who looks for a test finds the page of each family."""
    text = (GUIDE / "which_test.rst").read_text(encoding="utf-8")
    linked = set(re.findall(r":doc:`(\w+)`", text))

    assert set() == set(FAMILIES) - linked
