"""Columns of files, as named by command-line options."""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import check_column, source_of
from skcompare._io.engine import table_of
from skcompare._io.readers import Source, list_formats
from skcompare.comparators import compare_scores
from skcompare.predictions import ColumnRoles
from skcompare.reports import Comparison

Y, CHAMPION, CHALLENGER = "y", "champion", "challenger"
ROLES = (CHAMPION, CHALLENGER)
DEFAULT_NAMES = (Y, *ROLES)


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a file and its columns of true labels and predictions."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help=f"{list_formats()} file with true labels and two columns of predictions",
    )
    for name, description in (
        (Y, "true labels"),
        (CHAMPION, "the champion's labels, or probabilities"),
        (CHALLENGER, "the challenger's labels, or probabilities"),
    ):
        parser.add_argument(f"--{name}", metavar="COLUMN", help=f"column of {description}")
    for name in ROLES:
        parser.add_argument(
            f"--{name}-file",
            metavar="FILE",
            help=f"file of the {name}'s predictions, where it is another one; needs --id",
        )
    parser.add_argument(
        "--groups",
        "--group",
        metavar="COLUMN",
        help="column of the group (patient, user) of each record",
    )
    parser.add_argument(
        "--id",
        "--item",
        metavar="COLUMN",
        help="column that tells records apart, by which files are joined",
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="of CSV files; by default a tab for .tsv files, otherwise a comma",
    )


def named_columns(arguments: argparse.Namespace) -> ColumnRoles:
    """Choose the columns by the options, or by the column names of the files.

    Without options, the columns are "y", "champion" and "challenger" if the file has
    these, or the three columns of a file with three, in order. In a file of predictions,
    it may be the only column other than the ids.
    """
    delimiter = checked_delimiter(arguments.delimiter)
    main = source_of(arguments.file, delimiter=delimiter)
    sources = {Y: main, CHAMPION: main, CHALLENGER: main}
    for role in ROLES:
        path = getattr(arguments, f"{role}_file")
        if path is not None:
            sources[role] = source_of(path, delimiter=delimiter)
            if arguments.id is None:
                raise ValueError(
                    f"--{role}-file needs --id, the column that tells records apart and "
                    "that both files have."
                )
    columns = _columns_of_roles(arguments, sources)
    names = _display_names(arguments, columns)
    predictions = {names[role]: (sources[role], columns[role]) for role in ROLES}
    y = columns[Y]
    with_truth = {
        sources[role].key: (sources[role], y)
        for role in ROLES
        if y in sources[role].names and columns[role] != y
    }
    with_truth.pop(main.key, None)
    if with_truth:
        # Raises if the files have other true labels.
        ColumnRoles(main, y, {}, arguments.id, same=[*with_truth.values()]).read()
    return ColumnRoles(main, y, predictions, arguments.id, arguments.groups)


def distinct_labels(roles: ColumnRoles) -> NDArray[Any]:
    """Return the distinct true labels."""
    table = table_of(roles.frame)
    if table is not None:
        return table.counted([roles.y_true])[0][0]
    truth = roles.read().truth
    assert truth is not None
    return np.unique(truth)


def checked_delimiter(delimiter: str | None) -> str | None:
    """Check a delimiter, and return one character, or None for the default."""
    delimiter = "\t" if delimiter in ("\\t", "tab") else delimiter
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter must be one character. Got {delimiter!r}.")
    return delimiter


def _columns_of_roles(
    arguments: argparse.Namespace, sources: dict[str, Source]
) -> dict[str, str]:
    """Choose the columns of true labels, champion and challenger."""
    options = {role: getattr(arguments, role) for role in DEFAULT_NAMES}
    if arguments.id is not None:
        for role in DEFAULT_NAMES:
            _check_option("--id", arguments.id, sources[role])
    columns = {
        role: _column_of_role(role, options[role], sources, arguments.id)
        for role in options
    }
    candidates = _other_columns(sources[Y], arguments.id)
    in_order = len(candidates) == 3 and not set(DEFAULT_NAMES) <= set(candidates)
    if in_order and not any(options.values()) and len(_keys(sources)) == 1:
        columns = dict(zip(DEFAULT_NAMES, candidates))
    for role, name in columns.items():
        _check_option(f"--{role}", name, sources[role])
    places = {(sources[role].key, name) for role, name in columns.items()}
    if len(places) < 3:
        raise ValueError(
            "--y, --champion and --challenger must be three columns. Got "
            f"{', '.join(columns.values())}."
        )
    return columns


def _column_of_role(
    role: str, option: str | None, sources: dict[str, Source], id: str | None
) -> str:
    if option is not None:
        return option
    candidates = _other_columns(sources[role], id)
    is_own_file = sources[role].key != sources[Y].key
    return (
        candidates[0]
        if is_own_file and role not in candidates and len(candidates) == 1
        else role
    )


def _other_columns(source: Source, id: str | None) -> list[str]:
    """Names of the columns other than the ids."""
    return [name for name in source.names if name != id]


def _keys(sources: dict[str, Source]) -> set[Any]:
    return {source.key for source in sources.values()}


def _check_option(option: str, name: str, source: Source) -> None:
    is_split = source.typed or len(source.names) > 1
    hint = "" if is_split else " Is --delimiter right?"
    check_column(source, name, f" Name one by {option}.{hint}")


def _display_names(
    arguments: argparse.Namespace, columns: dict[str, str]
) -> dict[str, str]:
    """Names of the classifiers in reports: columns, or files if the columns are equal."""
    if columns[CHAMPION] != columns[CHALLENGER]:
        return {role: columns[role] for role in ROLES}
    return {role: getattr(arguments, f"{role}_file") or arguments.file for role in ROLES}


PREDICTION_OPTIONS = (
    "y",
    "champion",
    "challenger",
    "champion_file",
    "challenger_file",
    "pos_label",
    "scoring",
    "collect",
)
"""Options about predictions, which do not apply to scores."""

SCORE_OPTIONS = ("score", "attempt")


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for files of scores and their columns."""
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
    """Compare the scores that the options name."""
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
    labels = names if len(paths) == 1 or paths[0] == paths[1] else paths
    return compare_scores(
        *sources,
        score=names[0] if len(names) == 1 else tuple(names),
        item="item" if arguments.id is None else arguments.id,
        group=arguments.groups,
        attempt=arguments.attempt,
        names=None if len(set(labels)) < 2 else labels,
        **settings,
    )


def check_no_scores(arguments: argparse.Namespace) -> None:
    """Check that a file of predictions is passed, without options of scores."""
    if arguments.file is None:
        raise ValueError(
            "Pass FILE, a file with true labels and two columns of predictions, or "
            "--scores with files of scores item by item."
        )
    for name in SCORE_OPTIONS:
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} is about --scores. Leave it out, or pass --scores.")


def _check_alone(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Raise an error if a file or options of predictions are passed with scores."""
    if arguments.file is not None:
        raise ValueError(
            f"--scores takes all files. Got {arguments.file!r} before it. Put both files "
            "after --scores."
        )
    for name in PREDICTION_OPTIONS:
        if getattr(arguments, name) != parser.get_default(name):
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} is about predictions for records. Got it beside --scores. "
                "Leave it out."
            )
