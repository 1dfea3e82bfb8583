"""The command `skcompare seeds`: recipes that were trained several times."""

import argparse
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from skcompare._analysis import MAX_T
from skcompare._core.validation import ALTERNATIVES
from skcompare._io.columns import source_of
from skcompare._io.readers import list_formats
from skcompare.cli._gate import add_column, add_option
from skcompare.comparators import compare_seeds
from skcompare.predictions import ROLES
from skcompare.stats.core import ADJUSTMENTS


def add_seeds(commands: Any, add_report: Callable[..., None], report: Any) -> None:
    """Add the command, with the options of reports."""
    description = (
        "compare training recipes by the predictions of several trainings of each for one "
        "test set"
    )
    parser = commands.add_parser("seeds", help=description, description=description)
    text = f"{list_formats()} file with true labels, or numbers, and predictions"
    parser.add_argument("file", metavar="FILE", help=text)
    text = "column of the true labels, or numbers (y)"
    add_option(parser, "y", "COLUMN", text, default="y")
    for name in ROLES:
        text = (
            f"column of a training of the {name}, once for each training; several columns "
            "of probabilities are separated by commas, and FILE:COLUMN is a column of "
            "another file, which needs --id"
        )
        add_option(parser, name, "COLUMN", text, action="append", required=True)
    add_column(parser, "id", "--item")
    text = "trainings at the same position are not a pair, although their numbers are equal"
    parser.add_argument("--separate", action="store_true", help=text)
    text = "what the conclusion is about"
    parser.add_argument(
        "--population", default="recipes", choices=("recipes", "models"), help=text
    )
    text = "recipe of which one training is passed, and which is meant as that model"
    parser.add_argument("--fixed", choices=ROLES, help=text)
    text = "measures, separated by commas"
    add_option(parser, "scoring", "NAMES", text)
    add_option(parser, "pos-label", "LABEL", "the class to which the probabilities belong")
    parser.add_argument("--alternative", default="two-sided", choices=ALTERNATIVES)
    text = "adjustment of the p-values of all rows but the first"
    choices = (*ADJUSTMENTS, MAX_T)
    parser.add_argument("--adjust", default=ADJUSTMENTS[0], choices=choices, help=text)
    add_report(parser)
    parser.set_defaults(run=partial(_seeds, report))


COMMA = r",(?![^\[]*\])"
"""Pattern of a comma outside the brackets of a measure of one class."""


def _seeds(report: Callable[..., None], arguments: argparse.Namespace) -> None:
    scoring = arguments.scoring
    if scoring is not None:
        scoring = [name.strip() for name in re.split(COMMA, scoring)]
    champion, challenger = (
        [_column(text, arguments.id) for text in getattr(arguments, role)] for role in ROLES
    )
    comparison = compare_seeds(
        arguments.file,
        champion,
        challenger,
        y_true=arguments.y,
        id=arguments.id,
        paired=False if arguments.separate else None,
        population=arguments.population,
        fixed=arguments.fixed,
        scoring=scoring,
        pos_label=_label(arguments),
        alternative=arguments.alternative,
        alpha=arguments.alpha,
        adjust=arguments.adjust,
    )
    report(comparison, arguments)


def _column(text: str, id: str | None) -> Any:
    """Return a column, several columns, or those of another file."""
    path, _, columns = text.rpartition(":")
    names = [name.strip() for name in columns.split(",")]
    column: Any = names[0] if len(names) == 1 else names
    if not path:
        return column
    if id is None:
        raise ValueError(
            f"{text!r} is a column of another file, which needs --id, the column that "
            "identifies records and that all files have."
        )
    return source_of(path), column


def _label(arguments: argparse.Namespace) -> Any:
    """Return the positive label, as a number if it is one."""
    text = arguments.pos_label
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text
