"""Files that appear whole or not at all."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LARGEST_RATIO, ALWAYS_FINE = 200, 1 << 30
"""A file may be so many times as large when it is unpacked, or have so many bytes."""


def check_unpacked(words: str, unpacked: int, packed: int, advice: str) -> None:
    """Refuse a small file that would fill the memory.

    Parameters
    ----------
    words : str
        What messages call the file.
    unpacked, packed : int
        Bytes of what is in it, as far as that is known, and of the file.
    advice : str
        What to do if the file is right.
    """
    if unpacked > max(ALWAYS_FINE, LARGEST_RATIO * packed):
        raise ValueError(
            f"{words} would take {unpacked:,} bytes or more when it is unpacked, more than "
            f"{LARGEST_RATIO} times its size. {advice}"
        )


@contextmanager
def replaced_on_success(path: Any, *, synced: bool = False) -> Iterator[Path]:
    """A path beside the target to write to, which takes its place when all went well.

    A link is followed and permissions are kept. What is no regular file, such as a pipe
    or a device, is written directly. With `synced` the file is on disk before it takes its
    place, and its place is before this returns, so that it outlasts a loss of power.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write {str(path)!r}: no such folder.")
    if target.exists() and not target.is_file():
        yield target
        return
    writer = f"{os.getpid()}-{threading.get_ident()}"
    unfinished = target.with_name(f".{target.name}.{writer}")
    try:
        yield unfinished
        if synced:
            _sync(unfinished, os.O_RDWR)
        if target.exists():
            shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
        if synced:
            # Some systems cannot sync a folder; the file is in its place already.
            with suppress(OSError):
                _sync(target.parent, os.O_RDONLY)
    except OSError as error:
        # A full disk says so without a name.
        if error.errno is not None:
            error.filename = error.filename or str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def _sync(path: Path, flags: int) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Any, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replaced_on_success(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
