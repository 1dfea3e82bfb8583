"""Codes of caveats have words for a reason: the source gives each of them somewhere."""

from pathlib import Path

import skcompare.comparators  # which loads all that has flags
from skcompare._core.flags import FLAG_TEXTS

PACKAGE = Path(skcompare.__file__).parent


def test_flag_is_in_use():
    """Every code is given somewhere, so no words are kept for nothing."""
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "flags.py"
    )

    assert [] == [code for code in FLAG_TEXTS if f'"{code}"' not in source]
