"""Output of the command line: reports on stdout, and errors of one line on stderr."""

import os
import sys
from contextlib import suppress
from typing import TextIO

from skcompare._core.formatting import in_one_line, without_commands

LONGEST = 2_000
"""Largest number of characters of an error message."""


def show(text: str, *, is_text: bool = True) -> None:
    """Print a report, ignoring a closed pipe.

    Parameters
    ----------
    text : str
        Report to print.
    is_text : bool, default=True
        Whether it is text or Markdown, in which services look for commands; other formats
        are written without them.

    Raises
    ------
    OSError
        If it cannot be printed, except because no one reads it.
    """
    try:
        print(without_commands(text) if is_text else text, flush=True)
    except OSError as error:
        _give_up(sys.stdout)
        if error.errno is not None:
            error.filename = error.filename or "standard output"
        if not isinstance(error, BrokenPipeError):
            raise


def say(command: str, text: str) -> None:
    """Print an error or a warning to stderr in one line, if possible.

    Parameters
    ----------
    command : str
        Command that prints it.
    text : str
        Text of the message.
    """
    line = in_one_line(text)
    short = line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
    try:
        print(
            without_commands(f"skcompare {command}: {short}"), file=sys.stderr, flush=True
        )
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Redirect a closed stream, so that Python does not raise again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
