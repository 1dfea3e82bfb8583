"""Numbers, texts, messages and names are those that were frozen."""

from difflib import unified_diff

import pytest

from tests.frozen.write import SECTIONS, near, path_of, text_of

# They are those of the newest dependencies, and take a minute and more.
pytestmark = [pytest.mark.newest, pytest.mark.slow]


def test_nothing_has_changed():
    """Run ``python -m tests.frozen.write`` where a change is meant, and read it."""
    for section in SECTIONS:
        old = path_of(section).read_text(encoding="utf-8").splitlines()
        new = text_of(section).splitlines()
        same = len(old) == len(new) and all(map(near, old, new))
        changed = list(unified_diff(old, new, "frozen", "now", lineterm="", n=0))

        assert same, "\n".join(changed[:40])
