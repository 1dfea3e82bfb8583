"""Command `completion`: a script by which a shell completes commands and options."""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from skcompare.cli._gate import show
from skcompare.exceptions import MissingDependencyError

SHELLS = ("bash", "fish", "zsh")
FILES = ("FILE", "STATE")
"""Names of values that are paths."""

EXAMPLE = """\
examples:
  skcompare completion bash > ~/.local/share/bash-completion/completions/skcompare
  skcompare completion fish > ~/.config/fish/completions/skcompare.fish
  skcompare completion zsh > ~/.zfunc/_skcompare    # with ~/.zfunc in fpath"""


def add_completion(
    commands: Any, make_parser: Callable[[], argparse.ArgumentParser]
) -> None:
    """Add the command `completion`.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    make_parser : callable
        Return the parser of the whole command line.
    """
    description = "print a script by which a shell completes commands and options"
    parser = commands.add_parser(
        "completion",
        help=description,
        description=description,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.set_defaults(run=partial(_completion, make_parser))


def _completion(
    make_parser: Callable[[], argparse.ArgumentParser], arguments: argparse.Namespace
) -> None:
    try:
        import shtab
    except ImportError as error:
        raise MissingDependencyError(
            "Completion needs shtab. Install it with `pip install shtab`."
        ) from error
    parser = make_parser()
    for action in _actions(parser):
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    show(shtab.complete(parser, arguments.shell), is_text=False)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
