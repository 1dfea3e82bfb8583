"""Codes of caveats and the words that readers see."""

import re
import warnings

import pytest

from skcompare import compare  # which loads all that has flags
from skcompare._core import flags
from skcompare._core.flags import FLAG_TEXTS, explain, register_flag
from skcompare._core.formatting import (
    INFERENCE_TEXT,
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
    shared_decimals,
)
from skcompare._typing import Inference


def test_flag():
    """A code is stable and readable, and its words are one clause for a reader."""
    for code in FLAG_TEXTS:
        text = FLAG_TEXTS[code]

        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code)
        assert text == text.strip()
        assert len(text) > 20
        assert not text.endswith(".")
        assert text[0].islower()


def test_explain():
    """Codes come with their words, each once, in order; an unknown one is no error."""
    explained = explain(["degenerate", "no-words-yet", "degenerate", "small-class"])

    assert 3 == len(explained)
    assert f"degenerate: {FLAG_TEXTS['degenerate']}" == explained[0]
    assert "no-words-yet: no text known" == explained[1]
    assert explained[2].startswith("small-class: ")
    assert [] == explain([])


def test_register_flag(monkeypatch):
    """A flag of somebody else's test gets words once, and never loses its meaning."""
    monkeypatch.setattr(flags, "FLAG_TEXTS", dict(FLAG_TEXTS))

    assert "toy-flag" == register_flag("toy-flag", "the toy is broken")
    assert "toy-flag" == register_flag("toy-flag", "the toy is broken")
    assert ["toy-flag: the toy is broken"] == explain(["toy-flag"])
    with pytest.raises(ValueError, match=r"'toy-flag' exists and means: the toy is bro"):
        register_flag("toy-flag", "something else")
    with pytest.raises(ValueError, match="'degenerate' exists"):
        register_flag("degenerate", "something else")


def test_pvalue_in_text():
    """Two significant digits, never 0, and undefined where it is."""
    for pvalue, words in [
        (float("nan"), "undefined"),
        (0.0, "< 1e-300"),
        (2.2250738585072014e-308, "< 1e-300"),
        (9.99e-301, "< 1e-300"),
        (1e-300, "1.0e-300"),
        (1.234e-20, "1.2e-20"),
        (0.00001234, "1.2e-05"),
        (0.0001234, "0.00012"),
        (0.0349, "0.035"),
        (0.05, "0.05"),
        (0.049999, "0.05"),
        (0.5, "0.5"),
        (0.994, "0.99"),
        (0.995, "1"),
        (1.0, "1"),
    ]:
        assert words == format_pvalue(pvalue)


def test_pvalue_is_never_shown_as_zero():
    """No p-value of any size prints as 0."""
    for exponent in range(-330, 1):
        words = format_pvalue(float(f"1e{exponent}"))
        assert words.startswith("<") or float(words) > 0


def test_confidence_is_never_shown_as_certainty():
    """A late look at a hold-out set has a small level, and no confidence of 100 %."""
    for alpha, words in [
        (0.05, "95 %"),
        (0.025, "97.5 %"),
        (0.00566, "99.43 %"),
        (1e-6, "99.9999 %"),
    ]:
        assert words == format_confidence(alpha)


def test_subjects_have_text():
    """Each kind of inference has its words for reports."""
    assert set(Inference.__args__) == set(INFERENCE_TEXT)
    assert all(INFERENCE_TEXT.values())


def test_flags_are_no_warnings(capfd):
    """A degenerate comparison is flagged and warns of nothing."""
    y = [0, 1, 1]
    with warnings.catch_warnings(action="error"):
        comparison = compare(y, {"a": y, "b": y})

    assert "degenerate" in comparison.results["mcnemar"].flags
    assert ("", "") == capfd.readouterr()


def test_decimals():
    """Limits of a short interval are distinguished, as far as nine decimals can."""
    for difference, low, high, decimals in [
        (0.05, 0.01, 0.09, 3),
        (0.00012, 0.0001, 0.00014, 6),
        (0.0084, 0.0083, 0.0085, 5),
        (0.0084, None, None, 3),
        (float("nan"), 0.5, 0.5, 3),
        (0.2, 0.2 - 1e-12, 0.2 + 1e-12, 9),
        (250.5, 200.25, 999.0, 3),
        (1250.5, 1200.25, 1300.75, 2),
        (9000.0, -12_000.5, None, 1),
        (3.2e8, 3.1e8, 3.3e8, 0),
    ]:
        assert decimals == decimals_for(difference, low, high)


def test_huge_and_tiny_numbers():
    """They have an exponent, except rounding errors, which are 0."""
    for value, decimals, text in [
        (324_015_034.6, 0, "+3.240e+08"),
        (-99_999_999.0, 0, "-99999999"),
        (3.24e-10, 9, "+3.240e-10"),
        (-3.24e-10, 3, "0.000"),
        (2e-17, 9, "0.000000000"),
        (float("-inf"), 3, "-inf"),
    ]:
        assert text == format_number(value, decimals, signed=True)


def test_decimals_beside():
    """No limit looks like the value unless it is that, or differs by rounding alone."""
    for value, limits, decimals in [
        (0, (0.01, 0.09), 3),
        (0, (0.0003, 0.09), 4),
        (0, (0.0006, 0.09), 3),
        (1, (0.99996, None), 5),
        (0, (-0.5, 1e-12), 3),
        (0, (float("-inf"), float("nan")), 3),
    ]:
        assert decimals == decimals_for(float("nan"), *limits, beside=(value,))


def test_decimals_of_one_unit():
    """Three decimals, or three digits of the largest where that is tiny."""
    for values, decimals in (
        ([0.5, 0.25], 3),
        ([0.0, None, float("nan")], 3),
        ([0.0012, 0.0031], 5),
        ([5.4e-7, 8.2e-7], 9),
        ([48.2, -51.0], 3),
        ([12345.0, 2.0], 1),
    ):
        assert decimals == shared_decimals(values)
