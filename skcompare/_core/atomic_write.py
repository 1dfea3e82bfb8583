"""Atomic writing of files, and a check of the unpacked size of compressed files."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LARGEST_RATIO, ALWAYS_FINE = 200, 1 << 30
"""Largest ratio of unpacked to packed size, and number of bytes that is always allowed."""


def check_unpacked(text: str, unpacked: int, packed: int, advice: str) -> None:
    """Raise an error if a file unpacks to far more than its own size.

    Parameters
    ----------
    text : str
        Name of the file in messages.
    unpacked, packed : int
        Bytes of its content, as far as they are known, and of the file.
    advice : str
        Advice if the file is correct.
    """
    if unpacked > max(ALWAYS_FINE, LARGEST_RATIO * packed):
        raise ValueError(
            f"{text} would take {unpacked:,} bytes or more when it is unpacked, more than "
            f"{LARGEST_RATIO} times its size. {advice}"
        )


def is_special(path: Any) -> bool:
    """Whether a path is that of a pipe or a device, which can always be written."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _target_and_unfinished(path: Any) -> tuple[Path, Path]:
    """Return the file to replace, and the one in its folder that is written first."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write {str(path)!r}: no such folder.")
    writer = f"{os.getpid()}-{threading.get_ident()}"
    return target, target.with_name(f".{target.name}.{writer}")


def check_writable(path: Any, *, probed: bool = True) -> None:
    """Raise an error if a file could not be written, before its content is made.

    Permissions alone do not show whether the file that is written first can be created, so
    that it is created, and removed, if `probed`.
    """
    target, unfinished = _target_and_unfinished(path)
    if is_special(target) or not probed:
        return
    try:
        unfinished.touch(exist_ok=False)
        unfinished.unlink()
    except OSError as error:
        raise type(error)(
            f"Cannot write {str(path)!r}: its folder accepts no new file of this name "
            f"({error.strerror})."
        ) from error


@contextmanager
def replaced_on_success(path: Any, *, synced: bool = False) -> Iterator[Path]:
    """Yield a path to write to, which replaces the target if the block succeeds.

    A link is followed and permissions are kept. A target that is not a regular file, such
    as a pipe or a device, is written directly. With `synced`, the file is on disk before it
    replaces the target, and the new entry of the folder before this returns, so that the
    file survives a loss of power.
    """
    target, unfinished = _target_and_unfinished(path)
    if is_special(target):
        yield target
        return
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
        # The error of a full disk names no file.
        if error.errno is not None:
            error.filename = error.filename or str(path)
        raise
    finally:
        unfinished.unlink(missing_ok=True)


def _sync(path: Path, flags: int) -> None:
    """Wait until a file, or the entries of a folder, are on disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Any, text: str) -> None:
    """Write a text file atomically."""
    with replaced_on_success(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
