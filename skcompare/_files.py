"""Files that appear whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["replaced_on_success", "write_text"]


@contextmanager
def replaced_on_success(path: Any) -> Iterator[Path]:
    """A path beside the target to write to, which takes its place when all went well.

    A link is followed and permissions are kept. What is no regular file, such as a pipe
    or a device, is written directly.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write {str(path)!r}: no such folder.")
    if target.exists() and not target.is_file():
        yield target
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield unfinished
        if target.exists():
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: Any, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replaced_on_success(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
