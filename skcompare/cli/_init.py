"""Command `init`: a policy of a gate, written for the files that it will judge."""

import argparse
import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from skcompare._core.atomic_write import write_text
from skcompare._io.readers import list_formats
from skcompare.cli._gate import (
    add_conditions,
    add_option,
    check_targets,
    columns_named,
    conditions_of,
    input_files,
    judged,
    show,
)
from skcompare.gate import (
    PYPROJECT,
    Columns,
    GateFiles,
    Policy,
    Proposal,
    judge_files,
    non_inferior,
    propose_policy,
)

TARGET = "gate.toml"

HEAD = """\
# What a challenger must show before it replaces the champion: all of it, at this level.
# Proposed by `skcompare init`. Set level and margins before new records are evaluated.
"""

SUPERIOR = "# Better than the champion; with `margin = 0.01` by more than that."
NON_INFERIOR = "# Worse by less than the margin, the largest loss that does not matter."
SLICES = """\
# Each slice has its own condition. Every further one makes a pass less likely, so choose
# those that matter, and remove the "#".
"""
DATA = "# The columns of the files, and what they are."
GROUPS = """\
# Records of one patient or user are dependent. If a column identifies them, name it:
"""
TAIL = """\
# None of the evaluated records may be among the training records:
# [train]
# file = "train.csv"

# Every challenger is a look at the same records. A ledger counts them, and spends alpha:
# [ledger]
# path = "looks.jsonl"
"""
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Pattern of keys that TOML needs no quotes for."""


def add_init(commands: Any) -> None:
    """Add the command `init` with its options."""
    description = "write the policy of a gate for files of predictions, and run it once"
    parser = commands.add_parser("init", help=description, description=description)
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="the champion's and the challenger's file, or one with the columns of both: "
        f"{list_formats()}; instead of two also --champion FILE --challenger FILE",
    )
    add_option(parser, "policy", "FILE", "of the policy (gate.toml)", default=TARGET)
    text = "replace the file of the policy if it exists"
    parser.add_argument("--force", action="store_true", help=text)
    add_conditions(parser, "a condition, instead of the proposed ones; may be repeated")
    parser.set_defaults(run=_init)


def _init(arguments: argparse.Namespace) -> None:
    path, paths = arguments.policy, input_files(arguments)
    check_targets({"policy": path}, paths)
    if os.path.basename(path) == PYPROJECT:
        raise ValueError(
            f"--policy must be a separate file. Got {path!r}. Write {TARGET}, and copy "
            "it under the prefix tool.skcompare.gate by hand."
        )
    if os.path.lexists(path) and not arguments.force:
        raise FileExistsError(
            f"{path!r} exists. Pass --force to replace it, or --policy FILE to write "
            "another one."
        )
    proposal = propose_policy(
        paths,
        Columns(**columns_named(arguments)),
        conditions_of(arguments),
        arguments.pos_label,
    )
    if arguments.alpha is not None:
        gate = proposal.policy.gate.at_level(arguments.alpha)
        proposal = replace(proposal, policy=replace(proposal.policy, gate=gate))
    text = policy_text(proposal)
    # What is written is what is judged here, and nothing is written if it cannot be.
    policy = Policy.from_dict(tomllib.loads(text), folder=os.path.dirname(path) or ".")
    files = GateFiles.of_policy(policy, *paths)
    decision = judged("init", partial(judge_files, files, policy))
    write_text(path, text)
    show(f"{decision}\n\n{_next_step(path, paths)}")


def _next_step(path: str, files: list[str]) -> str:
    """Return what was written, and the command that judges by it."""
    command = shlex.join(["skcompare", "gate", "--policy", path, *files])
    return (
        f"Wrote {path}. Read it, and set level and margins before new records are "
        "evaluated:\na verdict is not valid for margins that were chosen after it. The "
        f"next command is\n  {command}"
    )


def policy_text(proposal: Proposal) -> str:
    """Return a policy as TOML, with comments that say what may be changed.

    Parameters
    ----------
    proposal : Proposal
        The policy, and what may be added to it.
    """
    policy = proposal.policy
    values = policy.to_dict()
    lines = [f"{HEAD}alpha = {toml_value(policy.gate.alpha)}", ""]
    for values_of_condition in values["condition"]:
        about = SUPERIOR if "superior" in values_of_condition else NON_INFERIOR
        lines += [about, *_table("[[condition]]", values_of_condition), ""]
    lines += _slices(proposal)
    if data := values.get("data"):
        lines += [DATA, *_table("[data]", data)]
    if proposal.groups:
        lines += GROUPS.splitlines()
        lines += [f"# groups = {toml_value(name)}" for name in proposal.groups]
    return "\n".join([*lines, "", TAIL])


def _slices(proposal: Proposal) -> Iterator[str]:
    """Yield a condition for each value of each column of slices, as comments."""
    if not proposal.slices:
        return
    first = proposal.policy.to_dict()["condition"][0]
    measure = next(iter(first.values()))
    yield from SLICES.splitlines()
    for name, levels in proposal.slices.items():
        for level in levels:
            condition = non_inferior(str(measure), where={name: level})
            for line in _table("[[condition]]", condition.to_dict()):
                yield f"# {line}"
            yield ""


def _table(title: str, values: Mapping[str, Any]) -> list[str]:
    return [title, *(f"{_key(key)} = {toml_value(own)}" for key, own in values.items())]


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def toml_value(value: Any) -> str:
    """Return a plain value as TOML: text, a number, true or false, an array or a table."""
    if isinstance(value, Mapping):
        parts = (f"{_key(key)} = {toml_value(own)}" for key, own in value.items())
        return f"{{ {', '.join(parts)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    # Of text, numbers and booleans, JSON is TOML.
    return json.dumps(value, ensure_ascii=False)
