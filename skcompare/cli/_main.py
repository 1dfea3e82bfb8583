"""Command line `skcompare`: parser, subcommands, columns of files and exit codes."""

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare._analysis import MAX_T
from skcompare._core.atomic_write import write_text
from skcompare._core.formatting import in_one_line, shortened
from skcompare._core.progress import shown_progress
from skcompare._core.validation import ALTERNATIVES, LONGEST_SHOWN
from skcompare._io.columns import check_column, source_of
from skcompare._io.engine import table_of
from skcompare._io.readers import Source, list_formats
from skcompare._registry.metrics import metrics
from skcompare._registry.tests import paired_tests
from skcompare._version import __version__
from skcompare.cli._cite import add_cite
from skcompare.cli._completion import add_completion
from skcompare.cli._gate import (
    add_column,
    add_gate,
    add_option,
    columns_of_option,
    formatted,
    say,
    show,
)
from skcompare.cli._init import add_init
from skcompare.cli._monitor import add_monitor
from skcompare.cli._seeds import add_seeds
from skcompare.comparators import COLLECTED, PairedComparator, compare, compare_scores
from skcompare.gate import (
    ONE_OF_THEM,
    Columns,
    chosen_columns,
    has_truth,
    names_in,
    placed_in,
    true_columns,
)
from skcompare.predictions import CHALLENGER, CHAMPION, ROLES, ColumnRoles
from skcompare.reports import Comparison, MultipleComparison
from skcompare.stats.core import ADJUSTMENTS

Y = "y"
DEFAULT_NAMES = (Y, *ROLES)
ROLE_FILES = tuple(f"{role}_file" for role in ROLES)


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a file and its columns of true labels and predictions."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help=f"{list_formats()} file with true labels, or numbers, and two columns of "
        "predictions",
    )
    add_column(parser, Y, action="append")
    for name in ROLES:
        text = (
            f"column of the {name}'s labels, probabilities or predicted numbers, or "
            "KIND=COLUMN: std=, quantile:0.1=, interval:0.9=LOW,HIGH or samples=; once per "
            "class or output"
        )
        add_option(parser, name, "COLUMN", text, action="append")
    for name in ROLES:
        text = f"file of the {name}'s predictions, where it is another one; needs --id"
        add_option(parser, f"{name}-file", "FILE", text)
    add_column(parser, "groups", "--group")
    add_column(parser, "time")
    text = "time points by which forecasts are ahead (1); needs --time"
    add_option(parser, "horizon", "H", text, type=int, default=1)
    add_column(parser, "id", "--item")
    text = "of CSV files; by default a tab for .tsv files, otherwise a comma"
    add_option(parser, "delimiter", "CHARACTER", text)


def named_columns(arguments: argparse.Namespace) -> ColumnRoles:
    """Choose the columns by the options, or by the column names of the files.

    Without options, the columns are "y", "champion" and "challenger" if the file has
    these, or the three columns of a file with three, in order. In a file of predictions,
    it may be the only column other than the ids.
    """
    delimiter = checked_delimiter(arguments.delimiter)
    main = source_of(arguments.file, delimiter=delimiter)
    sources = {Y: main, CHAMPION: main, CHALLENGER: main}
    files = {role: getattr(arguments, f"{role}_file") for role in ROLES}
    for role, path in files.items():
        if path is not None:
            sources[role] = source_of(path, delimiter=delimiter)
            if arguments.id is None:
                raise ValueError(
                    f"--{role}-file needs --id, the column that identifies records and "
                    "that both files have."
                )
    columns = _columns_of_roles(arguments, sources)
    names = columns
    if columns[CHAMPION] == columns[CHALLENGER]:
        names = {role: file or arguments.file for role, file in files.items()}
    elif not all(isinstance(columns[role], str) for role in ROLES):
        names = {role: role for role in ROLES}
    predictions = {names[role]: placed_in(sources[role], columns[role]) for role in ROLES}
    y = columns[Y] if isinstance(columns[Y], str) else list(columns[Y])
    others = {sources[role].key: sources[role] for role in ROLES if columns[role] != y}
    same = [
        (None, (source, y))
        for key, source in others.items()
        if key != main.key and all(name in source.names for name in names_in(y))
    ]
    return ColumnRoles(
        main,
        y,
        predictions,
        arguments.id,
        arguments.groups,
        same=same,
        time=arguments.time,
        horizon=arguments.horizon,
    )


def columns_of_two_files(arguments: argparse.Namespace) -> ColumnRoles:
    """Choose the columns of the champion's and the challenger's file, as a gate does."""
    for role in ROLES:
        if getattr(arguments, f"{role}_file") is not None:
            raise ValueError(
                f"--{role}-file is for one FILE. Got two, the champion's and the "
                "challenger's. Leave it out."
            )
    delimiter = checked_delimiter(arguments.delimiter)
    paths = (arguments.file, arguments.challengers)
    sources = [source_of(path, delimiter=delimiter) for path in paths]
    texts = {role: getattr(arguments, role) for role in DEFAULT_NAMES}
    named = {
        role: columns_of_option(role, text) for role, text in texts.items() if text
    } | {name: getattr(arguments, name) for name in ("id", "groups", "time", "horizon")}
    try:
        columns = Columns(**named)
        y = true_columns(columns)
        if not has_truth(sources[0], y) and has_truth(sources[1], y):
            # A gate must not trust a challenger's file alone, but here both are the user's.
            columns = replace(columns, y_from=CHALLENGER)
        return chosen_columns(sources, columns, ())
    except ValueError as error:
        # A policy has keys for what are options here.
        text = str(error).replace(ONE_OF_THEM, "--champion and --challenger")
        keys = (*DEFAULT_NAMES, "id", "groups", "time")
        raise ValueError(re.sub(rf"by `({'|'.join(keys)})`", r"by --\1", text)) from None


def checked_delimiter(delimiter: str | None) -> str | None:
    """Check a delimiter, and return one character, or None for the default."""
    delimiter = "\t" if delimiter in ("\\t", "tab") else delimiter
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter must be one character. Got {delimiter!r}.")
    return delimiter


def _columns_of_roles(
    arguments: argparse.Namespace, sources: dict[str, Source]
) -> dict[str, Any]:
    """Choose the columns of true labels, champion and challenger."""
    texts = {role: getattr(arguments, role) for role in DEFAULT_NAMES}
    options = {
        role: None if named is None else columns_of_option(role, named)
        for role, named in texts.items()
    }
    if arguments.id is not None:
        for role in DEFAULT_NAMES:
            _check_option("--id", arguments.id, sources[role])
    columns = {
        role: _column_of_role(role, options[role], sources, arguments.id)
        for role in options
    }
    candidates = _other_columns(sources[Y], arguments.id)
    one_file = len({source.key for source in sources.values()}) == 1
    in_order = len(candidates) == 3 and not set(DEFAULT_NAMES) <= set(candidates)
    if in_order and not any(options.values()) and one_file:
        columns = dict(zip(DEFAULT_NAMES, candidates))
    for role, named in columns.items():
        for name in names_in(named):
            _check_option(f"--{role}", name, sources[role])
    truth, first, second = (
        {(sources[role].key, name) for name in names_in(columns[role])} for role in columns
    )
    if truth & (first | second) or first == second:
        listed = [name for named in columns.values() for name in names_in(named)]
        raise ValueError(
            "--y, --champion and --challenger must be three columns. Got "
            f"{', '.join(listed)}."
        )
    return columns


def _column_of_role(
    role: str, option: Any, sources: dict[str, Source], id: str | None
) -> Any:
    if option is not None:
        return option
    candidates = _other_columns(sources[role], id)
    is_own_file = sources[role].key != sources[Y].key
    is_clear = is_own_file and role not in candidates and len(candidates) == 1
    return candidates[0] if is_clear else role


def _other_columns(source: Source, id: str | None) -> list[str]:
    """Names of the columns other than the ids."""
    return [name for name in source.names if name != id]


def _check_option(option: str, name: str, source: Source) -> None:
    is_split = source.typed or len(source.names) > 1
    hint = "" if is_split else " Is --delimiter right?"
    check_column(source, name, f" Name one by {option}.{hint}")


PREDICTION_OPTIONS = (*DEFAULT_NAMES, *ROLE_FILES, "pos_label", "scoring", "collect")
"""Options about predictions, which do not apply to scores."""

SCORE_OPTIONS = ("score", "attempt", "lower_is_better")


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for files of scores and their columns."""
    text = (
        "instead of FILE: the champion's and the challenger's scores item by item, "
        "such as JSON lines; or one file with two columns of scores"
    )
    add_option(parser, "scores", "FILE", text, nargs="+")
    text = (
        "column of the scores ('score'), or the champion's and the challenger's, "
        "separated by a comma"
    )
    add_option(parser, "score", "COLUMN", text)
    add_column(parser, "attempt")
    text = "the scores are losses, such as absolute errors"
    parser.add_argument("--lower-is-better", action="store_true", default=None, help=text)


def scores_compared(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser, settings: dict[str, Any]
) -> Comparison:
    """Compare the scores that the options name."""
    _check_alone(arguments, parser)
    paths = arguments.scores
    names = [name.strip() for name in (arguments.score or "score").split(",")]
    if max(len(paths), len(names)) > 2 or (len(names) == 1 and len(paths) == 1):
        raise ValueError(
            "--scores takes two files, the champion's first, or one with two columns of "
            "scores; --score names a column of two files, or two columns of one or two "
            f"files, separated by a comma. Got {', '.join(names)} and {len(paths)} "
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
        time=arguments.time,
        horizon=arguments.horizon,
        attempt=arguments.attempt,
        names=None if len(set(labels)) < 2 else labels,
        greater_is_better=not arguments.lower_is_better,
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
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is about --scores. Leave it out, or pass --scores.")


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


MEASURES = ("accuracy", "balanced_accuracy", "multiclass_brier_loss")


PASSED, BAD_INPUT, INTERRUPTED = 0, 2, 130

SEPARATOR = r",(?![^\[]*\])"
"""Pattern of a comma outside the brackets of a measure of one class."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    code : int
        0, or 2 for bad input; that of a gate states its decision. 130 if the user
        interrupted it.
    """
    # Windows terminals may not encode "×"; a report must not end in a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        with shown_progress(int(sys.stderr.isatty())):
            code = arguments.run(arguments)
    except KeyboardInterrupt:
        say(arguments.command, "interrupted, nothing was decided")
        return INTERRUPTED
    except (ValueError, TypeError, ImportError, OSError) as error:
        text = in_options(str(error), parser.options_of(arguments.command))
        say(arguments.command, f"error: {text}")
        return BAD_INPUT
    return code or PASSED


PARAMETER = re.compile(r"(?<![(,])(?<![(,] )\b([a-z_]+)=('[^']*'|-?[\d.]*\d)|`([a-z_]+)`")
"""A parameter in a message, with a value or in backticks, unless it is in code."""


def in_options(text: str, options: Collection[str]) -> str:
    """Replace parameters of functions in a message by the options of a command.

    Parameters
    ----------
    text : str
        Message, such as "Pass fixed='champion', or leave `fixed` out."
    options : collection of str
        Options of the command, such as "--fixed".
    """

    def option_of(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        option = f"--{name.replace('_', '-')}"
        if option not in options:
            return match[0]
        return f"{option} {shlex.quote(match[2].strip(QUOTE))}" if match[2] else option

    return PARAMETER.sub(option_of, text)


QUOTE = "'"


class Parser(argparse.ArgumentParser):
    """Argument parser that reports errors in one line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, with an error for `--option=--`, which argparse would accept."""
        arguments = sys.argv[1:] if args is None else list(args)
        for argument in arguments:
            if argument.startswith("--") and argument.endswith("=--"):
                self.error(f"argument {argument[:-3]}: expected one value. Got '--'")
        parsed, unknown = super().parse_known_args(arguments, namespace)
        if unknown:
            self.error(self._about_unknown(unknown))
        return parsed, unknown

    def options_of(self, command: str) -> Collection[str]:
        """Return the options of a command."""
        groups = self._subparsers._group_actions if self._subparsers else []
        choices: Any = next((each.choices for each in groups if each.choices), {})
        return set(choices[command]._option_string_actions)

    def _about_unknown(self, arguments: Sequence[str]) -> str:
        """Return a message on unknown arguments, with the closest option."""
        text = f"unrecognized arguments: {shortened(' '.join(arguments), LONGEST_SHOWN)}"
        option = arguments[0].partition("=")[0]
        if not option.startswith("-"):
            takes_files = any(
                each.metavar == "FILE" for each in self._positionals._group_actions
            )
            return f"{text} (files come together, before options)" if takes_files else text
        near = get_close_matches(option, self._option_string_actions, n=1)
        return f"{text} (did you mean {near[0]}?)" if near else text

    def error(self, message: str) -> NoReturn:
        """Exit with a message about invalid options."""
        text = in_one_line(message)
        self.exit(BAD_INPUT, f"{self.prog}: error: {text}. See `{self.prog} --help`.\n")


def _parser() -> Parser:
    parser = Parser(
        prog="skcompare",
        description="Test whether a challenger is really better than a champion.",
    )
    parser.add_argument("--version", action="version", version=f"skcompare {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_demo(commands)
    _add_compare(commands)
    add_seeds(commands, _add_report_options, _report)
    add_gate(commands)
    add_init(commands)
    add_monitor(commands, add_column_options, named_columns, _as_label)
    add_cite(commands)
    add_completion(commands, _parser)
    for name, run, description in (
        ("list-tests", _list_tests, "list the tests and the designs they are valid for"),
        ("list-metrics", _list_metrics, "list the metrics"),
    ):
        commands.add_parser(name, help=description, description=description).set_defaults(
            run=run
        )
    return parser


def _add_demo(commands: Any) -> None:
    description = (
        "compare two classifiers on scikit-learn's handwritten digits, or two regressors "
        "on its records of diabetes"
    )
    demo = commands.add_parser("demo", help=description, description=description)
    text = "compare two regressors"
    demo.add_argument("--regression", action="store_true", help=text)
    demo.add_argument("--n-jobs", type=int, metavar="N", help="number of parallel fits")
    demo.add_argument("--random-state", type=int, default=0, metavar="SEED")
    _add_report_options(demo)
    demo.set_defaults(run=_demo)


def _add_compare(commands: Any) -> None:
    description = (
        "compare two columns of predictions in a file, two files of predictions, or files "
        "of scores item by item"
    )
    parser = commands.add_parser("compare", help=description, description=description)
    add_column_options(parser)
    parser.add_argument(
        "challengers",
        nargs="?",
        metavar="FILE",
        help="file of the challenger's predictions; the first is then the champion's. Both "
        "are joined by their ids, and either has the true labels",
    )
    add_score_options(parser)
    add_option(parser, "pos-label", "LABEL", "the class to which the probabilities belong")
    text = (
        "measures, separated by commas; precision[spam] is that of one class; by default "
        "accuracy of labels, and r2 with two errors of numbers"
    )
    add_option(parser, "scoring", "NAMES", text)
    text = "tests, separated by commas; all for every valid one"
    add_option(parser, "tests", "NAMES", text, default="auto")
    parser.add_argument("--alternative", default="two-sided", choices=ALTERNATIVES)
    text = (
        "adjustment of the p-values of all rows but the first; max-t for each of several "
        "outputs"
    )
    choices = (*ADJUSTMENTS, MAX_T)
    parser.add_argument("--adjust", default=ADJUSTMENTS[0], choices=choices, help=text)
    text = (
        "largest number of records of a Parquet file to read into memory; more are "
        "counted by DuckDB or Polars"
    )
    add_option(parser, "collect", "N", text, type=int, default=COLLECTED)
    _add_report_options(parser)
    parser.set_defaults(run=partial(_compare, parser))


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--alpha", type=float, default=0.05, metavar="LEVEL")
    parser.add_argument("--format", default="text", choices=("text", "markdown", "json"))
    add_option(parser, "html", "FILE", "also write a self-contained page")
    add_option(parser, "json", "FILE", "also write the result as JSON")


def _demo(arguments: argparse.Namespace) -> None:
    """Compare two classifiers or regressors on records of scikit-learn."""
    if arguments.regression:
        X, y = load_diabetes(return_X_y=True)
        models, scoring = (Ridge(), BayesianRidge()), None
    else:
        X, y = load_digits(return_X_y=True)
        linear = make_pipeline(StandardScaler(), LogisticRegression())
        models, scoring = (linear, KNeighborsClassifier()), list(MEASURES)
    comparator = PairedComparator(
        *models,
        scoring=scoring,
        alpha=arguments.alpha,
        n_jobs=arguments.n_jobs,
        verbose=int(sys.stderr.isatty()),
        random_state=arguments.random_state,
    )
    _report(comparator.fit(X, y).comparison_, arguments)


def _compare(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    tests = [name.strip() for name in arguments.tests.split(",")]
    settings: dict[str, Any] = {
        "tests": tests[0] if len(tests) == 1 else tests,
        "alternative": arguments.alternative,
        "alpha": arguments.alpha,
        "adjust": arguments.adjust,
    }
    if arguments.scores is not None:
        _report(scores_compared(arguments, parser, settings), arguments)
        return
    check_no_scores(arguments)
    two_files = arguments.challengers is not None
    roles = columns_of_two_files(arguments) if two_files else named_columns(arguments)
    if arguments.scoring is not None:
        names = re.split(SEPARATOR, arguments.scoring)
        settings["scoring"] = [name.strip() for name in names]
    comparison = compare(
        roles,
        roles.predictions,
        pos_label=_as_label(arguments.pos_label, roles),
        collect=arguments.collect,
        **settings,
    )
    _report(comparison, arguments)


def _as_label(text: str | None, roles: ColumnRoles) -> Any:
    """Convert a label from text to the type of the labels in the file."""
    if text is None:
        return None
    table = table_of(roles.frame)
    if table is not None:
        labels = table.counted([roles.y_true])[0][0]
    else:
        truth: Any = roles.read().truth
        labels = np.unique(truth)
    return {str(label): label for label in labels.tolist()}.get(text, text)


def _report(
    comparison: Comparison | MultipleComparison, arguments: argparse.Namespace
) -> None:
    for name in ("html", "json"):
        if path := getattr(arguments, name):
            write_text(path, formatted(comparison, name))
    format = arguments.format
    show(formatted(comparison, format), is_text=format != "json")


def _list_tests(arguments: argparse.Namespace) -> None:
    _print_entries(
        paired_tests(),
        lambda entry: (
            f"{', '.join(entry.measures)}; valid for {', '.join(entry.designs)}"
            + (f"; by name only: {entry.caution}" if entry.caution else "")
        ),
    )


def _list_metrics(arguments: argparse.Namespace) -> None:
    _print_entries(
        metrics(),
        lambda entry: (
            f"of {entry.response_method}; "
            f"{'greater' if entry.greater_is_better else 'lower'} is better"
        ),
    )


def _print_entries(entries: Mapping[str, Any], facts: Callable[[Any], str]) -> None:
    width = max(map(len, entries))
    lines = []
    for name in sorted(entries):
        lines.append(f"{name.ljust(width)}  {entries[name].question}")
        lines.append(f"{' ' * width}  {facts(entries[name])}")
    show("\n".join(lines))
