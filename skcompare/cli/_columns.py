"""Columns of files, as named by command-line options."""

import argparse
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import check_column, columns_of, source_of
from skcompare._io.engine import table_of
from skcompare._io.readers import Source, list_formats
from skcompare.comparators import compare_scores
from skcompare.predictions import arrays_from_frame, check_same_truth
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


class NamedColumns(NamedTuple):
    """Columns of true labels, predictions, ids and groups, with their files.

    Attributes
    ----------
    main : Source
        File of the true labels.
    y : str
        Its column of true labels.
    predictions : dict of str to tuple
        File and column of champion and challenger, by their names.
    id, groups : str or None
        Columns of ids and of groups.
    """

    main: Source
    y: str
    predictions: dict[str, tuple[Source, str]]
    id: str | None
    groups: str | None

    @property
    def typed(self) -> bool:
        """Whether all files store the types of their columns, unlike CSV."""
        return self.main.typed and all(
            source.typed for source, _ in self.predictions.values()
        )

    def labels(self) -> NDArray[Any]:
        """Return the distinct true labels."""
        table = table_of(self.main)
        if table is None:
            return np.unique(columns_of(self.main, [self.y])[self.y])
        return table.counted([self.y])[0][0]

    def check_truth(self) -> None:
        """Check that all files with true labels have the same ones."""
        sources = {
            source.key: source
            for source, column in self.predictions.values()
            if source.key != self.main.key and self.y in source.names and column != self.y
        }
        if sources:
            check_same_truth(self.main, self.y, list(sources.values()), self.id)

    def read(
        self,
    ) -> tuple[NDArray[Any], dict[str, NDArray[Any]], NDArray[Any] | None]:
        """Read true labels, predictions of champion and challenger by name, and groups."""
        truth, predictions, groups = arrays_from_frame(
            self.main, self.y, self.predictions, id=self.id, groups=self.groups
        )
        assert truth is not None
        return truth, predictions, groups


def named_columns(arguments: argparse.Namespace) -> NamedColumns:
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
    return NamedColumns(main, columns[Y], predictions, arguments.id, arguments.groups)


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
