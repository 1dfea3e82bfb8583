"""Command `skcompare gate`, and the output of commands: reports, and errors of one line."""

import argparse
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from skcompare._core.atomic_write import check_writable, is_special, write_text
from skcompare._core.formatting import in_one_line, without_commands
from skcompare._core.validation import check_count
from skcompare._io.readers import are_one_file, list_formats
from skcompare.exceptions import EstimatorFailedError
from skcompare.gate import (
    INCONCLUSIVE,
    KINDS,
    OF_FORECASTS,
    PYPROJECT,
    Condition,
    Gate,
    GateDecision,
    GateFiles,
    Policy,
    Superior,
    checked_table,
    find_policy,
    judge_files,
    load_policy,
)
from skcompare.predictions import ROLES

REPORTS = ("text", "markdown", "json", "junit", "html")

JOB_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Environment variable with the path of the summary of a job."""


def check_targets(targets: Mapping[str, str], kept: Sequence[str]) -> None:
    """Raise an error if a report could not be written, before any test runs.

    Parameters
    ----------
    targets : mapping of str to str
        File of each report, by its format.
    kept : sequence of str
        Files that must not be overwritten.
    """
    files: list[str] = []
    for name, path in targets.items():
        if not path:
            raise ValueError(f"--{name} needs the name of a file. Got an empty one.")
        for needed in kept:
            if are_one_file(path, needed):
                raise ValueError(
                    f"--{name} {path!r} would overwrite {needed!r}, which the gate "
                    "needs. Name another file."
                )
        if any(are_one_file(path, earlier) for earlier in files):
            raise ValueError(f"Two reports cannot be in one file. Got {path!r} twice.")
        if not is_special(path):
            files.append(path)
    # Nothing is written where another report could not be.
    for probed, (name, path) in product((False, True), targets.items()):
        try:
            check_writable(path, probed=probed)
        except OSError as error:
            raise type(error)(f"--{name}: {error}") from error


def write_reports(decision: GateDecision, targets: Mapping[str, str]) -> None:
    """Write each report atomically.

    Steps of a job append to its summary, so a report there is appended at its end.
    """
    texts = {name: formatted(decision, name) for name in targets}
    summary = os.environ.get(JOB_SUMMARY)
    for name, path in targets.items():
        text = texts[name]
        existing = ""
        if summary and os.path.isfile(path) and are_one_file(path, summary):
            existing = Path(path).read_text(encoding="utf-8")
            existing += "" if not existing or existing.endswith("\n") else "\n"
        line_end = "" if text.endswith("\n") else "\n"
        try:
            write_text(path, f"{existing}{text}{line_end}")
        except OSError as error:
            reason = error.strerror or str(error)
            raise type(error)(f"--{name}: cannot write {path!r}: {reason}.") from error


COLUMNS = {
    "id": "that identifies records, by which files are joined",
    "y": "of true labels, or of true numbers; once per output",
    "label": "of labels, in each of two files",
    "proba": "of probabilities, in each of two files; once per class",
    "value": "of predicted numbers, in each of two files, or KIND=COLUMN: std=, "
    "quantile:0.1=, interval:0.9=LOW,HIGH or samples=; once per output",
    "champion": "of the champion's predictions, once per class; its file if no "
    "FILE is given",
    "challenger": "of the challenger's predictions, or its file, in the same way",
    "groups": "of the group (patient, user) of each record; with --time of the series",
    "time": "of the time of each record, in any order: numbers, or timestamps such as "
    "2026-01-31",
    "score": "of scores item by item; twice for two columns of one file",
    "item": "that identifies scored items",
    "attempt": "that distinguishes attempts at one item",
}
"""Descriptions of columns by the names of their options."""
REPEATABLE = ("y", "proba", "value", "champion", "challenger", "score")
WITH_KINDS = ("value", "champion", "challenger")
"""Options of columns that may have a kind of forecast before them."""

KIND = re.compile(r"(values|std|samples|(?:quantile|interval):[^=]*)=(.*)", re.DOTALL)
"""Pattern of a column with its kind, such as std=s or quantile:0.1=q10."""


def add_option(parser: Any, name: str, value: str, text: str, **settings: Any) -> None:
    """Add an option with the name of its value and its description."""
    parser.add_argument(f"--{name}", metavar=value, help=text, **settings)


def add_column(parser: Any, name: str, *aliases: str, **settings: Any) -> None:
    """Add the option that names a column."""
    text = f"column {COLUMNS[name]}"
    parser.add_argument(f"--{name}", *aliases, metavar="COLUMN", help=text, **settings)


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command `gate`."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the champion's and the challenger's file, joined by id; or one file with the "
        f"columns of both: {list_formats()}; or two estimators (.skops); instead of two "
        "also --champion FILE --challenger FILE",
    )
    text = "TOML file; by default the table [tool.skcompare.gate] of ./pyproject.toml"
    add_option(parser, "policy", "FILE", text)
    add_conditions(parser, "a condition, instead of a policy; may be repeated")
    add_option(parser, "data", "FILE", "records that estimators predict")
    add_option(parser, "train", "FILE", "training records, none of which may be evaluated")
    text = "a type in saved estimators that is trusted; may be repeated"
    add_option(parser, "trust", "TYPE", text, action="append")
    add_option(parser, "ledger", "FILE", "counts looks at these records")
    parser.add_argument(
        "--blind", action="store_true", help="report passed or not, and nothing else"
    )
    parser.add_argument(
        "--format", default="text", choices=REPORTS, help="format of the output"
    )
    for name in REPORTS[1:]:
        add_option(parser, name, "FILE", f"also write the report as {name}")


def add_conditions(parser: argparse.ArgumentParser, text: str) -> None:
    """Add the options for conditions, their level and the columns of files."""
    for kind in KINDS.values():
        value = "MEASURE[:MARGIN]" if kind is Superior else "MEASURE:MARGIN"
        add_option(parser, kind.name, value, text, action="append")
    add_option(parser, "alpha", "LEVEL", "level of the gate", type=float)
    for name in COLUMNS:
        add_column(parser, name, action="append" if name in REPEATABLE else "store")
    text = "time points by which forecasts are ahead (1); needs --time"
    add_option(parser, "horizon", "H", text, type=int)
    add_option(parser, "pos-label", "LABEL", "the positive class")


def requested_of(
    arguments: argparse.Namespace,
) -> tuple[Policy, dict[str, str], Callable[..., GateDecision]]:
    """Return the policy, files for reports by format, and a function that decides."""
    paths = input_files(arguments)
    policy, path = _policy(arguments)
    files = GateFiles.of_policy(
        policy,
        *(_check_path("FILE", file) for file in paths),
        data=_check_path("--data", arguments.data),
        train=_check_path("--train", arguments.train),
        trust=tuple(arguments.trust or ()),
        pos_label=arguments.pos_label,
        ledger=_check_path("--ledger", arguments.ledger),
        blind=arguments.blind,
    )
    targets = {name: getattr(arguments, name) for name in REPORTS[1:]}
    reports = {name: file for name, file in targets.items() if file is not None}
    check_targets(reports, [*files.used, *([] if path is None else [path])])
    return policy, reports, partial(judge_files, files, policy)


def input_files(arguments: argparse.Namespace) -> list[str]:
    """Return the input files, positional or named by --champion and --challenger."""
    if arguments.files:
        return list(arguments.files)
    paths_by_role = [getattr(arguments, role) or [] for role in ROLES]
    if [len(paths) for paths in paths_by_role] != [1, 1]:
        raise ValueError(
            "A gate needs files: the champion's and the challenger's, by position or as "
            "--champion FILE --challenger FILE, or one file with the predictions of both. "
            "Got none."
        )
    arguments.champion = arguments.challenger = None
    return [path for (path,) in paths_by_role]


def _check_path(option: str, path: Any) -> Any:
    """Return the path of a file, or None for an option that was left out."""
    if path is not None and (not path or "\0" in path):
        raise ValueError(f"{option} needs the name of a file. Got {path!r}.")
    return path


def _policy(arguments: argparse.Namespace) -> tuple[Policy, str | None]:
    """Return the policy, updated by the options, and the path of its file."""
    conditions = conditions_of(arguments)
    path = arguments.policy
    if conditions and path is not None:
        raise ValueError(
            "Conditions are in the policy, or in options. Got --policy and "
            f"--{conditions[0].name}. Leave one of them out."
        )
    if conditions:
        policy = Policy(Gate(*conditions))
    elif path is not None:
        policy = load_policy(_check_path("--policy", path))
    else:
        policy, path = find_policy(), PYPROJECT
    columns = columns_named(arguments)
    policy = replace(policy, data=replace(policy.data, **columns))
    if arguments.alpha is not None:
        policy = replace(policy, gate=policy.gate.at_level(arguments.alpha))
    return policy, path


def columns_named(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the columns that options name, by the keys of a policy."""
    values = {name: getattr(arguments, name) for name in COLUMNS}
    columns: dict[str, Any] = {
        name: columns_of_option(name, value)
        for name, value in values.items()
        if value is not None
    }
    if isinstance(columns.get("value"), dict):
        forecast = columns.pop("value")
        columns |= {"value": forecast.pop("values", None)} | forecast
    if arguments.horizon is not None:
        columns["horizon"] = check_count("--horizon", arguments.horizon)
    return columns


def columns_of_option(name: str, value: str | list[str]) -> Any:
    """Return the column of an option, or all columns of one that was repeated.

    Columns with kinds are a dict of these, as in a policy.
    """
    if isinstance(value, str):
        return value
    matches = [KIND.fullmatch(text) for text in value] if name in WITH_KINDS else []
    if any(matches):
        return _forecast_columns(name, value, matches)
    if len(set(value)) < len(value):
        raise ValueError(f"--{name} must name different columns. Got {', '.join(value)}.")
    return _one_or_all(tuple(value))


def _one_or_all(columns: tuple[Any, ...]) -> Any:
    """Return the only entry, or the entries of several outputs or classes."""
    return columns[0] if len(columns) == 1 else columns


def _forecast_columns(
    name: str, texts: Sequence[str], matches: Sequence[re.Match[str] | None]
) -> dict[str, Any]:
    """Return the columns of each kind, where those without a kind are the numbers."""
    named: dict[tuple[str, str | None], tuple[Any, ...]] = {}
    for text, match in zip(texts, matches, strict=True):
        kind, columns = ("values", text) if match is None else match.groups()
        is_list = kind.startswith(("interval:", "samples"))
        own = tuple(columns.split(",")) if is_list else columns
        kind, colon, share = kind.partition(":")
        key = (f"{kind}s", share) if colon else (kind, None)
        # Once for each of several outputs.
        named[key] = (*named.get(key, ()), own)
    forecast: dict[str, Any] = {}
    for (kind, level), entries in named.items():
        if level is None:
            forecast[kind] = _one_or_all(entries)
        else:
            forecast.setdefault(kind, {})[level] = _one_or_all(entries)
    return checked_table(forecast, OF_FORECASTS, f"--{name}")


def conditions_of(arguments: argparse.Namespace) -> list[Condition]:
    """Return the conditions that options name."""
    return list(_conditions(arguments))


def _conditions(arguments: argparse.Namespace) -> Iterator[Condition]:
    for kind in KINDS.values():
        for text in getattr(arguments, kind.name) or ():
            measure, margin = _measure_and_margin(kind.name, text)
            if margin is None and kind is not Superior:
                raise ValueError(
                    f"--{kind.name} needs a margin, as in --{kind.name} {text}:0.01."
                )
            # Superiority needs no margin, which is a margin of 0.
            yield kind(measure, 0.0 if margin is None else margin)


def _measure_and_margin(option: str, text: str) -> tuple[str, float | str | None]:
    """Split a condition into measure and margin at its last colon."""
    measure, colon, number = text.rpartition(":")
    if not colon or number.endswith("]"):
        return text, None
    if "%" in number:
        return measure, number
    try:
        return measure, float(number)
    except ValueError as error:
        raise ValueError(
            f"The margin of --{option} must be a number, as in --{option} {measure}:0.02, "
            f"or a share of the champion's loss, such as '2 %'. Got {number!r}."
        ) from error


COMMAND = "gate"
PASSED, NOT_PASSED, BAD_INPUT, NOTHING_SHOWN = range(4)
"""Exit codes."""

DEBUG = "SKCOMPARE_TRACEBACK"
"""Environment variable that turns on tracebacks, for bug reports."""


def add_gate(commands: Any) -> None:
    """Add the command `gate` with its options."""
    description = (
        "fail unless a challenger is shown to be good enough to replace the champion"
    )
    parser = commands.add_parser(
        "gate",
        help=description,
        description=description,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_gate_options(parser)
    parser.set_defaults(run=run_gate)


EXAMPLE = """\
examples:
  skcompare gate --policy gate.toml champion.parquet challenger.parquet
  skcompare gate --superior accuracy --noninferior "recall[spam]:0.02" predictions.csv
  skcompare gate --policy gate.toml old.skops new.skops --data holdout.parquet \\
      --junit gate.xml --markdown "$GITHUB_STEP_SUMMARY"

exit codes: 0 passed, 1 not passed, 2 bad input or configuration, and 3 inconclusive where
the policy has tell_inconclusive = true"""


def run_gate(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code; errors are printed in one line."""
    try:
        policy, reports, decide = requested_of(arguments)
        decision = judged(COMMAND, decide)
        write_reports(decision, reports)
        text = formatted(decision, arguments.format)
        show(text, is_text=arguments.format in ("text", "markdown"))
        if decision.passed:
            return PASSED
        is_told = policy.gate.tell_inconclusive and decision.status == INCONCLUSIVE
        return NOTHING_SHOWN if is_told else NOT_PASSED
    except KeyboardInterrupt:
        raise
    # Not only Exception: libraries in other languages may panic, and an estimator could
    # call sys.exit(0).
    except BaseException as error:
        if os.environ.get(DEBUG):
            traceback.print_exc()
        say(COMMAND, f"error: {_error_text(error)}")
        return BAD_INPUT


def judged(command: str, decide: Callable[..., GateDecision]) -> GateDecision:
    """Return the decision; warnings are printed in one line each."""
    with warnings.catch_warnings(record=True) as caught:
        decision = decide(start=perf_counter())
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(command, f"warning: {message}")
    return decision


def _error_text(error: BaseException) -> str:
    """Format an error, distinguishing internal errors from bad input."""
    if isinstance(
        error, ValueError | TypeError | ImportError | OSError | EstimatorFailedError
    ):
        # Arguments in Python are options here.
        text = str(error).replace("pass `pos_label`", "pass --pos-label")
        return text or type(error).__name__
    if isinstance(error, MemoryError):
        return "out of memory. Nothing was decided. Use fewer columns, or a larger machine."
    text = f"{type(error).__name__}: {str(error)[:200]}"
    return (
        f"internal error, nothing was decided ({text}). Please report it, with what is "
        f"printed when {DEBUG}=1 is set."
    )


LONGEST = 2_000
"""Largest number of characters of an error message."""


def formatted(result: Any, format: str) -> str:
    """Return the report of a decision or a comparison in a format."""
    return str(result) if format == "text" else getattr(result, f"to_{format}")()


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
