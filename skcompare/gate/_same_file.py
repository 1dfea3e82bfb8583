"""Whether two files are one: by another name, by a link, or as a copy."""

import os

AT_ONCE = 1 << 20
"""Bytes of each file that are compared at a time."""


def are_one_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file, also through links."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def hold_the_same(one: str, other: str) -> bool:
    """Whether two files hold the same bytes.

    Files of different content differ in their size or early on, so that this takes time
    for copies only. What is no regular file is read once, and not here.
    """
    if not (os.path.isfile(one) and os.path.isfile(other)):
        return False
    if os.path.getsize(one) != os.path.getsize(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        while True:
            part = first.read(AT_ONCE)
            if part != second.read(AT_ONCE):
                return False
            if not part:
                return True
