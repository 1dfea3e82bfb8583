"""Scores item by item: the options that say where they are, and their comparison."""

import argparse
from typing import Any

from skcompare._io.columns import source_of
from skcompare.cli._columns import checked_delimiter
from skcompare.comparators import compare_scores
from skcompare.reports import Comparison

OF_ANSWERS = (
    "y",
    "champion",
    "challenger",
    "champion_file",
    "challenger_file",
    "pos_label",
    "scoring",
    "collect",
)
"""Options of answers, which scores have no use for."""

OF_SCORES = ("score", "attempt")


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """The files of scores and their columns."""
    parser.add_argument(
        "--scores",
        nargs="+",
        metavar="FILE",
        help="instead of FILE: the champion's and the challenger's scores item by item, "
        "such as JSON lines; or one file with two columns of scores",
    )
    parser.add_argument(
        "--score",
        metavar="COLUMN",
        help="column of the scores ('score'), or the champion's and the challenger's, "
        "separated by a comma",
    )
    parser.add_argument(
        "--attempt",
        metavar="COLUMN",
        help="column that tells attempts at one item apart",
    )


def scores_compared(
    arguments: argparse.Namespace,
    parser: argparse.ArgumentParser,
    settings: dict[str, Any],
) -> Comparison:
    """The comparison of the scores that the options name."""
    _check_alone(arguments, parser)
    paths = arguments.scores
    if len(paths) > 2:
        raise ValueError(
            "--scores takes two files, the champion's first, or one with two columns of "
            f"scores. Got {len(paths)}."
        )
    names = [name.strip() for name in (arguments.score or "score").split(",")]
    if len(names) > 2 or (len(names) == 1 and len(paths) == 1):
        raise ValueError(
            "--score names a column of two files, or two columns of one or two files, "
            f"separated by a comma. Got {', '.join(names)} and {len(paths)} "
            f"file{'s' if len(paths) > 1 else ''}."
        )
    delimiter = checked_delimiter(arguments.delimiter)
    sources = [source_of(path, delimiter=delimiter) for path in paths]
    called = names if len(paths) == 1 or paths[0] == paths[1] else paths
    return compare_scores(
        *sources,
        score=names[0] if len(names) == 1 else tuple(names),
        item="item" if arguments.id is None else arguments.id,
        group=arguments.groups,
        attempt=arguments.attempt,
        names=None if len(set(called)) < 2 else called,
        **settings,
    )


def check_no_scores(arguments: argparse.Namespace) -> None:
    """Refuse options of scores beside a file of answers."""
    if arguments.file is None:
        raise ValueError(
            "Pass FILE, a file with true labels and two columns of answers, or --scores "
            "with files of scores item by item."
        )
    for name in OF_SCORES:
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} is about --scores. Leave it out, or pass --scores.")


def _check_alone(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuse what is about answers to records."""
    if arguments.file is not None:
        raise ValueError(
            f"--scores takes all files. Got {arguments.file!r} before it. Put both files "
            "after --scores."
        )
    for name in OF_ANSWERS:
        if getattr(arguments, name) != parser.get_default(name):
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} is about answers to records. Got it beside --scores. Leave it "
                "out."
            )
