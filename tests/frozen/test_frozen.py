"""Numbers, texts, messages and names are those that were frozen."""

import re
from difflib import unified_diff

import pytest

from tests.frozen.write import SECTIONS, path_of, text_of

# They are those of the newest dependencies, and take a minute and more.
pytestmark = [pytest.mark.newest, pytest.mark.slow]

NUMBER = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+|-?\d+\.\d{9,}(?:e[+-]?\d+)?")
NEAR = 1e-9
"""Processors differ in the last digits; other digits are another number."""


def near(old, new):
    """Whether two lines are the same but for last digits."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    values = ((_value(one), _value(other)) for one, other in pairs)
    return all(one == pytest.approx(other, rel=NEAR, abs=NEAR) for one, other in values)


def _value(text):
    return float.fromhex(text) if "0x" in text else float(text)


def test_nothing_has_changed():
    """Run ``python -m tests.frozen.write`` where a change is meant, and read it."""
    for section in SECTIONS:
        old = path_of(section).read_text(encoding="utf-8").splitlines()
        new = text_of(section).splitlines()
        same = len(old) == len(new) and all(map(near, old, new))
        changed = list(unified_diff(old, new, "frozen", "now", lineterm="", n=0))

        assert same, "\n".join(changed[:40])
