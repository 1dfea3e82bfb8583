"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["replaced_on_success", "write_text"]


@contextmanager
def replaced_on_success(path: Any) -> Iterator[Path]:
    """A path beside the target to write to, which takes its place when all went well."""
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: Any, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replaced_on_success(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
