"""What the options of the gate ask for: a policy, files, a ledger and reports."""

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from skcompare.cli._gate_reports import REPORTS
from skcompare.gate import Equivalent, Gate, Ledger, NonInferior, Policy, Superior
from skcompare.gate._conditions import Condition
from skcompare.gate._given_files import GateFiles
from skcompare.gate._ledger_file import lock_of
from skcompare.gate._policy import PYPROJECT, find_policy, load_policy
from skcompare.gate._policy_sections import TrainSettings
from skcompare.predictions._role_names import ROLES

KINDS: tuple[type[Condition], ...] = (Superior, NonInferior, Equivalent)

COLUMNS = (
    ("id", "that tells records apart, by which files are joined"),
    ("y", "of true labels"),
    ("label", "of labels, in each of two files"),
    ("proba", "of probabilities, in each of two files; once a class for several"),
    (
        "champion",
        "of the champion's answers, once a class for several; its file if no FILE is given",
    ),
    ("challenger", "of the challenger's answers, or its file, in the same way"),
    ("groups", "of the group (patient, user) of each record"),
    ("score", "of scores item by item; twice for two columns of one file"),
    ("item", "that tells scored items apart"),
    ("attempt", "that tells attempts at one item apart"),
)
SEVERAL = ("proba", "champion", "challenger", "score")


class Asked(NamedTuple):
    """What is asked for.

    Attributes
    ----------
    policy : Policy
        The conditions and columns, with what options change.
    files : GateFiles
        What is read.
    reports : dict of str to str
        Files of reports, by their format.
    kept : list of str
        Files that must not be overwritten.
    ledger : Ledger or None
        Where looks are counted.
    blind : bool
        Whether nothing but passed or not is told.
    pos_label : str or None
        The positive label as text.
    """

    policy: Policy
    files: GateFiles
    reports: dict[str, str]
    kept: list[str]
    ledger: Ledger | None
    blind: bool
    pos_label: str | None


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """The files, and the options."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the champion's and the challenger's file, joined by id; or one file with the "
        "columns of both: CSV, TSV, Parquet, JSON lines, npz; or two estimators (.skops); "
        "instead of two also --champion FILE --challenger FILE",
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="TOML file; by default the table [tool.skcompare.gate] of ./pyproject.toml",
    )
    for kind, margin in zip(KINDS, ("[:MARGIN]", ":MARGIN", ":MARGIN")):
        parser.add_argument(
            f"--{kind.name}",
            action="append",
            metavar=f"MEASURE{margin}",
            help="a condition, instead of a policy; may be repeated",
        )
    parser.add_argument("--alpha", type=float, metavar="LEVEL", help="of the gate")
    for name, words in COLUMNS:
        action = "append" if name in SEVERAL else "store"
        parser.add_argument(
            f"--{name}", action=action, metavar="COLUMN", help=f"column {words}"
        )
    parser.add_argument("--pos-label", metavar="LABEL", help="the positive class")
    parser.add_argument("--data", metavar="FILE", help="records that estimators answer")
    parser.add_argument(
        "--train", metavar="FILE", help="training records, of which none may be judged"
    )
    parser.add_argument(
        "--trust",
        action="append",
        metavar="TYPE",
        help="a type in saved estimators that is trusted; may be repeated",
    )
    parser.add_argument("--ledger", metavar="FILE", help="counts looks at these records")
    parser.add_argument(
        "--blind", action="store_true", help="tell passed or not, and nothing else"
    )
    parser.add_argument(
        "--format", default="text", choices=tuple(REPORTS), help="of what is printed"
    )
    for name in REPORTS:
        if name != "text":
            parser.add_argument(
                f"--{name}", metavar="FILE", help=f"also write the report as {name}"
            )


def asked_of(arguments: argparse.Namespace) -> Asked:
    """What the options ask for, with the policy they name."""
    given = _given_files(arguments)
    policy, path = _policy(arguments)
    train = policy.train
    if train is not None:
        train = replace(train, file=policy.path_of(train.file))
    if arguments.train is not None:
        id = None if train is None else train.id
        train = TrainSettings(_named("--train", arguments.train), id)
    files = GateFiles(
        tuple(_named("FILE", one) for one in given),
        None if arguments.data is None else _named("--data", arguments.data),
        train,
        tuple(arguments.trust or ()),
    )
    ledger, blind = _ledger(policy, arguments)
    reports = {name: getattr(arguments, name) for name in REPORTS if name != "text"}
    kept = [*files.inputs, *([] if path is None else [path])]
    if ledger is not None:
        kept += [os.fspath(ledger.path), str(lock_of(Path(ledger.path)))]
    return Asked(
        policy,
        files,
        {name: one for name, one in reports.items() if one is not None},
        kept,
        ledger,
        blind,
        arguments.pos_label,
    )


def _given_files(arguments: argparse.Namespace) -> list[str]:
    """The files by position, or those that --champion and --challenger name instead."""
    if arguments.files:
        return list(arguments.files)
    named = [getattr(arguments, role) or [] for role in ROLES]
    if [len(each) for each in named] != [1, 1]:
        raise ValueError(
            "A gate needs files: the champion's and the challenger's, by position or as "
            "--champion FILE --challenger FILE, or one file with the answers of both. Got "
            "none."
        )
    arguments.champion = arguments.challenger = None
    return [path for (path,) in named]


def _named(option: str, path: str) -> str:
    if not path or "\0" in path:
        raise ValueError(f"{option} needs the name of a file. Got {path!r}.")
    return path


def _policy(arguments: argparse.Namespace) -> tuple[Policy, str | None]:
    """The policy with what options change, and its file."""
    conditions = list(_conditions(arguments))
    path = arguments.policy
    if conditions and path is not None:
        raise ValueError(
            "Conditions are in the policy, or in options. Got --policy and "
            f"--{conditions[0].name}. Leave one of them out."
        )
    if conditions:
        policy = Policy(Gate(*conditions))
    elif path is not None:
        policy = load_policy(_named("--policy", path))
    else:
        policy, path = find_policy(), PYPROJECT
    given: dict[str, Any] = {}
    for name, _ in COLUMNS:
        value = getattr(arguments, name)
        if value is not None:
            several = name in SEVERAL
            given[name] = (
                value[0] if several and len(value) == 1 else _column_names(name, value)
            )
    policy = replace(policy, data=replace(policy.data, **given))
    if arguments.alpha is not None:
        policy = replace(policy, gate=policy.gate.at_level(arguments.alpha))
    return policy, path


def _column_names(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if len(set(value)) < len(value):
        raise ValueError(f"--{name} must name different columns. Got {', '.join(value)}.")
    return tuple(value)


def _conditions(arguments: argparse.Namespace) -> Iterator[Condition]:
    for kind in KINDS:
        for given in getattr(arguments, kind.name) or ():
            measure, margin = _measure_and_margin(kind.name, given)
            if margin is None and kind is not Superior:
                raise ValueError(
                    f"--{kind.name} needs a margin, as in --{kind.name} {given}:0.01."
                )
            # A margin of 0 is none, and superiority needs none.
            yield kind(measure, 0.0 if margin is None else margin)


def _measure_and_margin(option: str, given: str) -> tuple[str, float | None]:
    """A measure, and the number after the last colon; classes may have colons too."""
    measure, colon, rest = given.rpartition(":")
    if not colon or rest.endswith("]"):
        return given, None
    try:
        return measure, float(rest)
    except ValueError as error:
        raise ValueError(
            f"The margin of --{option} must be a number, as in --{option} {measure}:0.02. "
            f"Got {rest!r}."
        ) from error


def _ledger(policy: Policy, arguments: argparse.Namespace) -> tuple[Ledger | None, bool]:
    settings = policy.ledger
    blind = arguments.blind or (settings is not None and settings.blind)
    if settings is None:
        path = arguments.ledger
        return None if path is None else Ledger(_named("--ledger", path)), blind
    path = arguments.ledger
    path = policy.path_of(settings.path) if path is None else _named("--ledger", path)
    return Ledger(path, rule=settings.rule, looks=settings.looks), blind
