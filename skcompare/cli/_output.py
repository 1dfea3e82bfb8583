"""What the shell shows: reports on one stream, and an error in one line on the other."""

import os
import sys
from contextlib import suppress
from typing import TextIO

from skcompare._core.formatting import in_one_line, without_commands

LONGEST = 2_000
"""Letters of a line of an error."""


def show(text: str, *, is_text: bool = True) -> None:
    """Print a report, whether anybody reads it or not.

    Parameters
    ----------
    text : str
        The report.
    is_text : bool, default=True
        Whether it is text or Markdown, in which services look for commands; other formats
        are written without.

    Raises
    ------
    OSError
        If it cannot be printed for another reason than that nobody reads it.
    """
    try:
        print(without_commands(text) if is_text else text, flush=True)
    except OSError as error:
        _give_up(sys.stdout)
        if error.errno is not None:
            error.filename = error.filename or "standard output"
        if not isinstance(error, BrokenPipeError):
            raise


def say(command: str, words: str) -> None:
    """One line of an error or a warning; where it cannot be printed, it is lost.

    Parameters
    ----------
    command : str
        The command that says it.
    words : str
        What it says.
    """
    line = in_one_line(words)
    short = line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
    try:
        print(
            without_commands(f"skcompare {command}: {short}"), file=sys.stderr, flush=True
        )
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Python must not try again, and complain, when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
