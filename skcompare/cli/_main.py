"""Command line `skcompare`: parser, subcommands and exit codes."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare._core.atomic_write import write_text
from skcompare._core.formatting import in_one_line
from skcompare._core.validation import ALTERNATIVES
from skcompare._registry.metrics import metrics
from skcompare._registry.tests import paired_tests
from skcompare._version import __version__
from skcompare.cli._columns import (
    add_column_options,
    add_score_options,
    check_no_scores,
    distinct_labels,
    named_columns,
    scores_compared,
)
from skcompare.cli._gate import add_gate
from skcompare.cli._output import say, show
from skcompare.comparators import COLLECTED, PairedComparator, compare
from skcompare.predictions import ColumnRoles
from skcompare.reports import Comparison, MultipleComparison

MEASURES = ("accuracy", "balanced_accuracy", "roc_auc", "multiclass_brier_loss")


def demo_comparison(*, n_jobs: int | None, random_state: int, alpha: float) -> Comparison:
    """Compare logistic regression and gradient boosting on breast cancer records."""
    X, y = load_breast_cancer(return_X_y=True)
    comparator = PairedComparator(
        make_pipeline(StandardScaler(), LogisticRegression()),
        HistGradientBoostingClassifier(),
        scoring=list(MEASURES),
        alpha=alpha,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    return comparator.fit(X, y).comparison_


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
    arguments = _parser().parse_args(argv)
    try:
        code = arguments.run(arguments)
    except KeyboardInterrupt:
        say(arguments.command, "interrupted, nothing was decided")
        return INTERRUPTED
    except (ValueError, TypeError, ImportError, OSError) as error:
        say(arguments.command, f"error: {error}")
        return BAD_INPUT
    return code or PASSED


class Parser(argparse.ArgumentParser):
    """Argument parser that reports errors in one line."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, with an error for `--option=--`, which argparse would accept."""
        arguments = sys.argv[1:] if args is None else list(args)
        for argument in arguments:
            if argument.startswith("--") and argument.endswith("=--"):
                self.error(f"argument {argument[:-3]}: expected one value. Got '--'")
        return super().parse_known_args(arguments, namespace)

    def error(self, message: str) -> NoReturn:
        """Exit with a message about invalid options."""
        text = in_one_line(message)
        self.exit(BAD_INPUT, f"{self.prog}: error: {text}. See `{self.prog} --help`.\n")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="skcompare",
        description="Tell whether a challenger is really better than a champion.",
    )
    parser.add_argument("--version", action="version", version=f"skcompare {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_demo(commands)
    _add_compare(commands)
    add_gate(commands)
    for name, run, description in (
        ("list-tests", _list_tests, "list the tests and the designs they are valid for"),
        ("list-metrics", _list_metrics, "list the metrics"),
    ):
        commands.add_parser(name, help=description, description=description).set_defaults(
            run=run
        )
    return parser


def _add_demo(commands: Any) -> None:
    description = "compare two classifiers on scikit-learn's breast-cancer records"
    demo = commands.add_parser("demo", help=description, description=description)
    demo.add_argument("--n-jobs", type=int, metavar="N", help="fits at a time")
    demo.add_argument("--random-state", type=int, default=0, metavar="SEED")
    _add_report_options(demo)
    demo.set_defaults(run=_demo)


def _add_compare(commands: Any) -> None:
    description = (
        "compare two columns of predictions in a file, or files of scores item by item"
    )
    parser = commands.add_parser("compare", help=description, description=description)
    add_column_options(parser)
    add_score_options(parser)
    parser.add_argument(
        "--pos-label", metavar="LABEL", help="the class that the probabilities are of"
    )
    parser.add_argument(
        "--scoring",
        default="accuracy",
        metavar="NAMES",
        help="measures, separated by commas; precision[spam] is that of one class",
    )
    parser.add_argument(
        "--tests",
        default="auto",
        metavar="NAMES",
        help="tests, separated by commas; all for every valid one",
    )
    parser.add_argument("--alternative", default="two-sided", choices=ALTERNATIVES)
    parser.add_argument(
        "--collect",
        type=int,
        default=COLLECTED,
        metavar="N",
        help="most records of Parquet files that are read into memory; more are counted "
        "by DuckDB or Polars",
    )
    _add_report_options(parser)
    parser.set_defaults(run=partial(_compare, parser))


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--alpha", type=float, default=0.05, metavar="LEVEL")
    parser.add_argument("--format", default="text", choices=tuple(_FORMATS))
    parser.add_argument("--html", metavar="FILE", help="also write a self-contained page")
    parser.add_argument("--json", metavar="FILE", help="also write the result as JSON")


_FORMATS: dict[str, Callable[[Comparison | MultipleComparison], str]] = {
    "text": str,
    "markdown": lambda comparison: comparison.to_markdown(),
    "json": lambda comparison: comparison.to_json(),
}


def _demo(arguments: argparse.Namespace) -> None:
    comparison = demo_comparison(
        n_jobs=arguments.n_jobs, random_state=arguments.random_state, alpha=arguments.alpha
    )
    _report(comparison, arguments)


def _compare(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    tests = [name.strip() for name in arguments.tests.split(",")]
    settings: dict[str, Any] = {
        "tests": tests[0] if len(tests) == 1 else tests,
        "alternative": arguments.alternative,
        "alpha": arguments.alpha,
    }
    if arguments.scores is not None:
        _report(scores_compared(arguments, parser, settings), arguments)
        return
    check_no_scores(arguments)
    roles = named_columns(arguments)
    settings["scoring"] = [name.strip() for name in re.split(SEPARATOR, arguments.scoring)]
    comparison = compare(
        roles.frame,
        roles.predictions,
        y_true=roles.y_true,
        id=roles.id,
        groups=roles.groups,
        pos_label=_as_label(arguments.pos_label, roles),
        collect=arguments.collect,
        **settings,
    )
    _report(comparison, arguments)


def _as_label(text: str | None, roles: ColumnRoles) -> Any:
    """Convert a label from text to the type of the labels in the file."""
    if text is None:
        return None
    by_text = {str(label): label for label in distinct_labels(roles).tolist()}
    return by_text.get(text, text)


def _report(
    comparison: Comparison | MultipleComparison, arguments: argparse.Namespace
) -> None:
    if arguments.html:
        write_text(arguments.html, comparison.to_html())
    if arguments.json:
        write_text(arguments.json, comparison.to_json())
    show(_FORMATS[arguments.format](comparison), is_text=arguments.format != "json")


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
