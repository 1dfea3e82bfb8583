"""The gate in the shell: policy and files in, a decision, reports and an exit code out."""

import argparse
import os
import traceback
import warnings
from dataclasses import replace
from time import perf_counter
from typing import Any

from skcompare.cli._gate_options import Asked, add_gate_options, asked_of
from skcompare.cli._gate_reports import REPORTS, check_targets, write_reports
from skcompare.cli._output import say, show
from skcompare.exceptions import EstimatorFailedError
from skcompare.gate import GateDecision
from skcompare.gate._files import subject_from_files
from skcompare.gate._looks import judge_subject
from skcompare.gate._outcomes import INCONCLUSIVE

COMMAND = "gate"
PASSED, NOT_PASSED, BAD_INPUT, NOTHING_SHOWN = range(4)
"""Exit codes."""

DEBUG = "SKCOMPARE_TRACEBACK"
"""The variable of the environment that asks for tracebacks, for reports of faults."""


def add_gate(commands: Any) -> None:
    """The command `gate` with its options."""
    words = "fail unless a challenger is shown to be good enough to replace the champion"
    parser = commands.add_parser(
        "gate",
        help=words,
        description=words,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_gate_options(parser)
    parser.set_defaults(run=run_gate)


EXAMPLE = """\
examples:
  skcompare gate --policy gate.toml champion.parquet challenger.parquet
  skcompare gate --superior accuracy --noninferior "recall[spam]:0.02" answers.csv
  skcompare gate --policy gate.toml old.skops new.skops --data holdout.parquet \\
      --junit gate.xml --markdown "$GITHUB_STEP_SUMMARY"

exit codes: 0 passed, 1 not passed, 2 bad input or configuration, and 3 inconclusive where
the policy has tell_inconclusive = true"""


def run_gate(arguments: argparse.Namespace) -> int:
    """Decide and report; whatever goes wrong is one line and no pass."""
    try:
        asked = asked_of(arguments)
        with warnings.catch_warnings(record=True) as caught:
            decision = _decided(asked)
        for words in dict.fromkeys(str(one.message) for one in caught):
            say(COMMAND, f"warning: {words}")
        write_reports(decision, asked.reports)
        tells = asked.policy.gate.tell_inconclusive
        return _printed(decision, arguments.format, tells)
    except KeyboardInterrupt:
        raise
    # Also what is no Exception: libraries that are not written in Python have panics, and
    # an estimator could ask to leave with code 0.
    except BaseException as error:
        if os.environ.get(DEBUG):
            traceback.print_exc()
        say(COMMAND, f"error: {_error_words(error)}")
        return BAD_INPUT


def _decided(asked: Asked) -> GateDecision:
    """The decision; what would be refused later is refused before a look is spent."""
    policy, ledger = asked.policy, asked.ledger
    check_targets(asked.reports, asked.kept)
    start = perf_counter()
    subject = subject_from_files(
        asked.files,
        policy.data,
        policy.gate,
        pos_label_text=asked.pos_label,
        keep_ids=ledger is not None,
    )
    decision = judge_subject(policy.gate, subject, ledger=ledger, blind=asked.blind)
    if asked.blind:
        # The time depends on the true labels, too.
        return decision
    return replace(decision, seconds=perf_counter() - start)


def _printed(decision: GateDecision, format: str, tell_inconclusive: bool) -> int:
    """Print the report; returns the exit code, whether anybody reads the report or not."""
    show(REPORTS[format](decision), is_text=format in ("text", "markdown"))
    if decision.passed:
        return PASSED
    is_told = tell_inconclusive and decision.status == INCONCLUSIVE
    return NOTHING_SHOWN if is_told else NOT_PASSED


def _error_words(error: BaseException) -> str:
    """What went wrong; a fault of ours is told apart from bad input."""
    if isinstance(
        error, ValueError | TypeError | ImportError | OSError | EstimatorFailedError
    ):
        # What is an argument in Python is an option here.
        words = str(error).replace("pass `pos_label`", "pass --pos-label")
        return words or type(error).__name__
    if isinstance(error, MemoryError):
        return "out of memory. Nothing was decided. Use fewer columns, or a larger machine."
    words = f"{type(error).__name__}: {str(error)[:200]}"
    return (
        f"internal error, nothing was decided ({words}). Please report it, with what is "
        f"printed when {DEBUG}=1 is set."
    )
