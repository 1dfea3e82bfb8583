"""Command `monitor`: a stream whose batches are files, with its state in another file."""

import argparse
import json
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from skcompare._core.formatting import decimals_for, format_interval
from skcompare._core.validation import ALTERNATIVES
from skcompare._registry.metrics import CLASSES, tested_loss
from skcompare.cli._gate import add_option, show
from skcompare.comparators import COLLECTED, compare
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.metrics import resolve_scoring
from skcompare.predictions import ROLES, ColumnRoles
from skcompare.stats import AnytimeMonitor

ACCURACY = "accuracy"

SETTINGS = ("alternative", "null_value", "confidence_level", "bound", "unit")
"""Options that are fixed when the state is made."""


def add_monitor(
    commands: Any,
    add_columns: Callable[[argparse.ArgumentParser], None],
    columns_of: Callable[[argparse.Namespace], ColumnRoles],
    label_of: Callable[[str | None, ColumnRoles], Any],
) -> None:
    """Add the command `monitor`.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    add_columns, columns_of, label_of : callable
        Add the options of a file and its columns, choose the columns, and convert a label.
    """
    description = (
        "add a file of new records to a stream, and test all of it by an anytime-valid test"
    )
    parser = commands.add_parser("monitor", help=description, description=description)
    parser.add_argument(
        "state",
        metavar="STATE",
        help="file of the stream, .json or .npz, which is made by the first call",
    )
    add_columns(parser)
    add_option(parser, "pos-label", "LABEL", "the class to which the probabilities belong")
    text = "the measure: accuracy, or a mean of a loss such as neg_mean_absolute_error"
    add_option(parser, "scoring", "NAME", text, default=ACCURACY)
    text = "name of the batch, which is counted once; by default a digest of the files"
    add_option(parser, "name", "TEXT", text)
    parser.add_argument("--alternative", choices=ALTERNATIVES)
    text = "difference under the null hypothesis; 0 by default"
    add_option(parser, "null-value", "NUMBER", text, type=float)
    text = "of all intervals; 0.95 by default"
    add_option(parser, "confidence-level", "LEVEL", text, type=float)
    text = "largest possible difference of the losses of a unit, where it is not known"
    add_option(parser, "bound", "NUMBER", text, type=float)
    text = "step of the test: each record, or the mean of each batch, such as a day"
    parser.add_argument("--unit", choices=("record", "batch"), help=text)
    text = "largest number of records of a Parquet file to read into memory"
    add_option(parser, "collect", "N", text, type=int, default=COLLECTED)
    parser.add_argument("--format", default="text", choices=("text", "json"))
    parser.set_defaults(run=partial(_monitor, columns_of, label_of))


def _monitor(
    columns_of: Callable[[argparse.Namespace], ColumnRoles],
    label_of: Callable[[str | None, ColumnRoles], Any],
    arguments: argparse.Namespace,
) -> None:
    monitor = _opened(arguments)
    if arguments.file is not None:
        roles = columns_of(arguments)
        name = arguments.name or _digest(arguments)
        batch = _evidence(roles, label_of(arguments.pos_label, roles), arguments)
        monitor.update(batch, name=name)
        monitor.save(arguments.state)
    if arguments.format == "json":
        show(json.dumps(_values(monitor), indent=2), is_text=False)
    else:
        show("\n".join([str(monitor), *_last_look(monitor)]))


def _opened(arguments: argparse.Namespace) -> AnytimeMonitor:
    """Return the monitor of the state, or a new one, with the settings of the options."""
    options = {name: getattr(arguments, name) for name in SETTINGS}
    options = {name: value for name, value in options.items() if value is not None}
    if Path(arguments.state).exists():
        monitor = AnytimeMonitor.load(arguments.state)
        for name, value in options.items():
            if getattr(monitor, name) != value:
                raise ValueError(
                    f"--{name.replace('_', '-')} is fixed when the stream begins. Got "
                    f"{value!r}, and {arguments.state} has {getattr(monitor, name)!r}. "
                    "Leave it out, or begin another stream."
                )
        return monitor
    if arguments.file is None:
        raise ValueError(
            f"There is no {arguments.state} yet. Pass FILE, the first batch of records, "
            "with true values and two columns of predictions."
        )
    by_record = options.get("unit") != "batch" and arguments.scoring == ACCURACY
    return AnytimeMonitor("anytime_mcnemar" if by_record else "anytime_losses", **options)


def _evidence(roles: ColumnRoles, pos_label: Any, arguments: argparse.Namespace) -> Any:
    """Return the evidence of a file: a table of correct predictions, or losses."""
    (measure,) = resolve_scoring([arguments.scoring], CLASSES)
    loss = None if arguments.scoring == ACCURACY else tested_loss(measure.metric)
    if arguments.scoring != ACCURACY and (loss is None or measure.label is not None):
        raise ValueError(
            f"--scoring must be accuracy or a mean of a loss of each record. Got "
            f"{arguments.scoring!r}. Losses are, for example, neg_brier_score and "
            "neg_mean_absolute_error."
        )
    options = {"scoring": [arguments.scoring], "collect": arguments.collect}
    comparison: Any = compare(roles, roles.predictions, pos_label=pos_label, **options)
    if loss is None:
        return comparison.evidence(ContingencyTable)
    return comparison.evidence(PairedLosses, loss=loss.name)


def _digest(arguments: argparse.Namespace) -> str:
    """Return the digest of the files of a batch, which is the same for the same records."""
    paths = [arguments.file, *(getattr(arguments, f"{role}_file") for role in ROLES)]
    digest = sha256()
    for path in filter(None, paths):
        with Path(path).open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    return f"sha256:{digest.hexdigest()[:16]}"


def _last_look(monitor: AnytimeMonitor) -> list[str]:
    """Return a line on the last look, by itself."""
    if not monitor.history:
        return []
    look, name = monitor.history[-1], monitor.names[-1]
    decimals = decimals_for(look.estimate, look.low, look.high, least=4)
    batch = "" if name is None else f", after the batch {name}"
    limits = format_interval((look.low, look.high), decimals)
    return [f"last look by itself {limits}{batch}"]


def _values(monitor: AnytimeMonitor) -> Mapping[str, Any]:
    """Return the conclusion as plain values."""
    low, high = monitor.confidence_interval()
    undefined = low != low
    return {
        "test": monitor.test,
        "unit": monitor.unit,
        "n": monitor.n,
        "looks": len(monitor.history),
        "estimate": monitor.estimate,
        "low": None if undefined else low,
        "high": None if undefined else high,
        "pvalue": monitor.pvalue,
        "decided": monitor.decided,
        "flags": list(monitor.flags),
        "last": monitor.history[-1]._asdict() | {"name": monitor.names[-1]},
    }
