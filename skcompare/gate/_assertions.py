"""Gates in tests: assertions, the pytest fixture, and the report of all gates of a run.

The errors that a run of pytest shows as errors of usage are ValueErrors here, so that
gates outside of tests do not import pytest.
"""

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from xml.etree import ElementTree

from skcompare._core.atomic_write import check_writable, write_text
from skcompare._core.formatting import in_one_line, printable, round_up
from skcompare._core.report import (
    STOPPED,
    Report,
    html_page,
    junit_document,
    junit_suite,
    markdown_text,
    report_html_fragment,
    report_markdown,
    report_text,
)
from skcompare._core.times import check_horizon
from skcompare.comparators import PairedComparator
from skcompare.gate._conditions import AnyOf, Condition, Superior
from skcompare.gate._decision import (
    FAILED,
    NEEDED,
    PASSED,
    GateDecision,
    Outcome,
    decision_report,
    shown_part,
    size_text,
    unit_of,
)
from skcompare.gate._evaluate import Gate, judge_subject
from skcompare.gate._files import GateFiles, judge_files
from skcompare.gate._policy import PYPROJECT, Policy, load_policy
from skcompare.gate._subjects import check_alone, fitted_subject

BLIND = (
    "a blind gate reports nothing else, because a team that optimises against its reports "
    "would pass eventually without being better"
)


class GateNotPassed(AssertionError):
    """Exception raised if a gate does not pass, with reasons and advice.

    Parameters
    ----------
    decision : GateDecision
        The decision.

    Attributes
    ----------
    decision : GateDecision
        The decision.

    Examples
    --------
    >>> from skcompare.gate import GateNotPassed, assert_better
    >>> y, old, new = [0, 1] * 10, [0, 1] * 9 + [1, 0], [0, 1] * 9 + [0, 0]
    >>> try:
    ...     assert_better(y, old, new)
    ... except GateNotPassed as error:
    ...     print(error.decision.status)
    inconclusive
    """

    def __init__(self, decision: GateDecision) -> None:
        super().__init__(decision)
        self.decision = decision

    def __str__(self) -> str:
        return "\n".join(failure_lines(self.decision))


def failure_lines(decision: GateDecision) -> Iterator[str]:
    """Yield the lines of the error message: verdict, outcomes, flags and advice."""
    shown = shown_part(decision)
    report = decision_report(decision)
    yield f"{report.headline} ({size_text(shown)})"
    for reason in shown.reasons:
        yield f"  {STOPPED}: {in_one_line(reason)}"
    for check in [line for whole in report.checks for line in (whole, *whole.parts)]:
        yield f"  {check.number}. {in_one_line(check.name)}: {check.status}"
        yield from (f"     {in_one_line(reason)}" for reason in check.reasons)
    for note in report.notes:
        if note.name.startswith("flag"):
            yield f"  {note.name}: {in_one_line(note.text)}"
    for advice in [BLIND] if shown.blind else _to_do(shown):
        yield f"  what to do: {advice}"


def _to_do(decision: GateDecision) -> Iterator[str]:
    """Yield advice on the conditions that were not shown."""
    if decision.reasons:
        yield "mend what stopped the gate"
        return
    unit = unit_of(decision.outcomes)
    open_outcomes = [outcome for outcome in decision.outcomes if not outcome.passed]
    if any(outcome.status == FAILED for outcome in open_outcomes):
        yield f"keep the champion; more {unit} would show the same of this challenger"
        return
    needed, more = max(map(_records_needed, open_outcomes), key=lambda pair: pair[1])
    if math.isinf(more):
        yield "improve the challenger, or collect evidence that it is better after all"
    elif more > 0:
        yield (
            f"evaluate about {round_up(needed):,} {unit}, {round_up(more):,} more than "
            f"these, once; adding {unit} and testing again needs anytime=True or a ledger"
        )
    needs = [[leaf.records_needed for leaf in o.leaves] for o in open_outcomes]
    if any(all(needed is None for needed in own) for own in needs):
        yield "give each condition the evidence that it lacks, or leave it out"


def _records_needed(outcome: Outcome) -> tuple[float, float]:
    """Return the records needed in total and in addition, for an `AnyOf` the fewest."""
    pairs = [
        (leaf.records_needed, leaf.records_needed - leaf.n_records)
        for leaf in outcome.leaves
        if leaf.records_needed is not None
    ]
    return min(pairs, key=lambda pair: pair[1], default=(0.0, 0.0))


def assert_better(
    y_true: Any,
    champion: Any = None,
    challenger: Any = None,
    *conditions: Condition | AnyOf,
    by: str = "accuracy",
    margin: float | str = 0.0,
    where: Mapping[str, Any] | None = None,
    alpha: float = 0.05,
    X: Any = None,
    groups: Any = None,
    time: Any = None,
    horizon: int = 1,
    labels: Any = None,
    pos_label: Any = None,
    columns: Mapping[str, Any] | None = None,
    ledger: Any = None,
    blind: bool = False,
) -> GateDecision:
    """Raise an AssertionError unless a challenger is shown to be better than a champion.

    For tests: the error message states what was observed, what was required, how many more
    records would settle it, and what to do. It is :class:`Gate` with
    ``Superior(by, margin=margin, where=where)`` and `conditions`, all of which must be
    shown; its p-values are one-sided.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or PairedComparator
        True labels, or numbers, of records that neither was trained on; or a fitted
        comparator, followed by conditions only.
    champion, challenger : array-like or fitted estimator
        Predicted labels of shape (n_samples,), probabilities of shape (n_samples,) or
        (n_samples, n_classes), or both as ``{"labels": ..., "proba": ...}``; predicted
        numbers of shape (n_samples,), where `by` is a measure of numbers; or estimators
        that predict for `X`.
    *conditions : Superior, NonInferior, Equivalent or AnyOf
        Further conditions, all of which must be shown.
    by : str, default="accuracy"
        The measure by which the challenger must be better, such as "roc_auc",
        "precision[spam]" or "neg_mean_absolute_error".
    margin : float or str, default=0.0
        It must be better by more than this, or by more than a share of the champion's
        mean loss, such as "2 %".
    where : mapping of str to object, optional
        It must be better on this slice: names of `columns` with the value, or the list
        of values, that records must have.
    alpha : float, default=0.05
        Largest probability that the assertion passes if a condition does not hold.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features), optional
        Records that fitted classifiers predict for.
    groups : array-like of shape (n_samples,), optional
        Group of each record (patient, user), if records of a group may be dependent.
    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record, if consecutive records may be dependent. Groups
        are then series.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    labels : array-like of shape (n_classes,), optional
        All class labels, where `y_true` lacks some of them; for predictions.
    pos_label : label, optional
        The positive class of two.
    columns : mapping of str to array-like of shape (n_samples,), optional
        Columns that define slices.
    ledger : Ledger, str or path-like, optional
        Counts the looks at these records, for a test that runs repeatedly.
    blind : bool, default=False
        Whether to report only if the challenger passed. Needs `ledger`.

    Returns
    -------
    decision : GateDecision
        The decision, which has passed.

    Raises
    ------
    GateNotPassed
        An AssertionError, with the decision in `decision`, if a condition is not shown.
    ValueError, TypeError
        If the input cannot be evaluated. This is not a failed assertion.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.gate import NonInferior, assert_better
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> old = np.where(rng.random(1000) < 0.80, y, 1 - y)
    >>> new = np.where(rng.random(1000) < 0.88, y, 1 - y)
    >>> assert_better(y, old, new, NonInferior("f1_macro", margin=0.02)).status
    'passed'
    >>> assert_better(y, old, new, margin=0.05)
    Traceback (most recent call last):
        ...
    skcompare.gate._assertions.GateNotPassed: NOT PASSED (inconclusive): challenger ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    superior = Superior(by, margin=margin, where=where)
    options = {"groups": groups, "pos_label": pos_label, "columns": columns}
    options["time"] = time
    horizon = check_horizon(horizon, time)
    if isinstance(y_true, PairedComparator):
        check_alone(y_true, {"labels": labels, "X": X, **options})
        # The conditions follow the comparator directly, in the place of both roles.
        others = [
            condition
            for condition in (champion, challenger, *conditions)
            if condition is not None
        ]
        gate = Gate(superior, *others, alpha=alpha)
        return demand(gate.decide(y_true, ledger=ledger, blind=blind))
    gate = Gate(superior, *conditions, alpha=alpha)
    options["horizon"] = horizon
    roles = {"champion": champion, "challenger": challenger}
    _check_both(roles, X)
    if X is None:
        options["labels"] = labels
        return demand(gate.decide(y_true, roles, ledger=ledger, blind=blind, **options))
    if labels is not None:
        raise ValueError(
            "`labels` is for predictions; classifiers know their classes. Got it beside "
            "`X`. Leave it out."
        )
    start = perf_counter()
    subject = fitted_subject(gate.leaves, roles, X, y_true, **options)
    return demand(judge_subject(gate, subject, ledger, blind, start=start))


def demand(decision: GateDecision) -> GateDecision:
    """Return the decision if it passed, or raise :class:`GateNotPassed`."""
    __tracebackhide__ = True
    if not decision.passed:
        raise GateNotPassed(decision)
    return decision


def _check_both(roles: Mapping[str, Any], X: Any) -> None:
    """Check that both roles are predictions, or fitted classifiers with records in `X`."""
    for name, value in roles.items():
        if value is None or (X is None) == hasattr(value, "predict"):
            advice = "Pass the champion and the challenger after `y_true`."
            if value is not None:
                advice = "Pass records for classifiers, and none for predictions."
            raise TypeError(
                f"`{name}` must be predictions, or a fitted classifier that predicts for "
                f"the records in `X`. Got {type(value).__name__} "
                f"{'without' if X is None else 'with'} `X`. {advice}"
            )


SCHEMA = "skcompare.gate.tests"
SCHEMA_VERSION = 1
ERROR = "error"
NONE = "No gate decided anything."

SUMMARY = ("test", "status", "text")
"""Keys of an entry in summaries."""

Entry = dict[str, Any]
"""Decision of one gate, as plain values that travel between processes."""


class RunReport:
    """Report of all gates of a test run, written to a file.

    Parameters
    ----------
    path : str
        Path as given; its suffix determines the format.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.format = FORMATS[suffix_of(path)]
        # A test may change the working directory.
        self.file = Path(os.path.abspath(path))
        # Checked before the tests run.
        try:
            check_writable(path)
        except OSError as error:
            raise ValueError(f"--skcompare-report: {error}") from error

    def write(self, by_test: Mapping[str, Sequence[Entry]]) -> None:
        """Write all decisions, or leave the file unchanged on error."""
        entries = [entry for gates in by_test.values() for entry in gates]
        write_text(self.file, self.format.whole(entries))


def suffix_of(path: str) -> str:
    """Return the suffix that determines the format of a report."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(
            f"--skcompare-report must end in {', '.join(sorted(FORMATS))}. Got {path!r}."
        )
    return suffix


def body_of(suffix: str, test: str, text: str, decision: GateDecision | None) -> str:
    """Return the part of a report on one decision, or on the error that was raised.

    It is made where the test runs: another process may not know its measures.
    """
    if decision is None:
        report = Report(headline=text, outcome=ERROR)
    else:
        report = replace(decision_report(decision), data=decision.to_json(indent=None))
    return FORMATS[suffix].single(test, report)


class Format(NamedTuple):
    """Functions that format one decision, and the whole report."""

    single: Callable[[str, Report], str]
    whole: Callable[[Sequence[Entry]], str]


def _text(test: str, report: Report) -> str:
    return f"{test}\n{report_text(report).rstrip()}\n"


def _texts(entries: Sequence[Entry]) -> str:
    return "\n".join(entry["body"] for entry in entries) or f"{NONE}\n"


def _markdown(test: str, report: Report) -> str:
    return f"## {markdown_text(test)}\n\n{report_markdown(report)}"


def _html(test: str, report: Report) -> str:
    heading = f'<div class="skcompare"><h1>{escape(test)}</h1></div>'
    return heading + report_html_fragment(report)


def _html_page(entries: Sequence[Entry]) -> str:
    body = "\n".join(entry["body"] for entry in entries) or f"<p>{NONE}</p>"
    summaries = [{name: entry[name] for name in SUMMARY} for entry in entries]
    return html_page("Gates", body, json.dumps(summaries))


def _json(test: str, report: Report) -> str:
    return report.data or "null"


def _json_document(entries: Sequence[Entry]) -> str:
    values = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "passed": bool(entries) and all(entry["status"] == PASSED for entry in entries),
        "gates": [
            {name: entry[name] for name in SUMMARY}
            | {"decision": json.loads(entry["body"])}
            for entry in entries
        ],
    }
    return json.dumps(values, indent=2, allow_nan=False) + "\n"


def _junit(test: str, report: Report) -> str:
    return ElementTree.tostring(junit_suite(report, test), encoding="unicode")


def _junit_document(entries: Sequence[Entry]) -> str:
    suites = [ElementTree.fromstring(entry["body"]) for entry in entries]
    return junit_document(suites, "skcompare gates")


FORMATS = {
    ".html": Format(_html, _html_page),
    ".json": Format(_json, _json_document),
    ".md": Format(_markdown, _texts),
    ".txt": Format(_text, _texts),
    ".xml": Format(_junit, _junit_document),
}


class GateFixture:
    """Factory of gates that fail the test unless they pass, and appear in the summary.

    Parameters
    ----------
    request : pytest.FixtureRequest
        Request of the test.
    entries : list of dict
        List to which decisions are added.
    """

    def __init__(self, request: Any, entries: list[Entry]) -> None:
        self.test = printable(request.node.nodeid)
        self.folder = request.config.rootpath
        self.entries = entries
        path = request.config.getoption("skcompare_report")
        self.suffix = None if path is None else suffix_of(path)

    def __call__(self, *conditions: Condition | AnyOf, **settings: Any) -> "CheckedGate":
        """Create a gate with the arguments of :class:`~skcompare.gate.Gate`."""
        return CheckedGate(Gate(*conditions, **settings).decide, self)

    def policy(self, path: Any = PYPROJECT) -> "CheckedGate":
        """Load the gate of a policy file, with its columns and its ledger.

        Parameters
        ----------
        path : str or path-like, default="pyproject.toml"
            The file, relative to pytest's rootdir.
        """
        policy = load_policy(os.path.join(self.folder, path))
        return CheckedGate(partial(judge_paths, policy), self)

    def assert_better(self, *predictions: Any, **options: Any) -> GateDecision:
        """Call :func:`skcompare.gate.assert_better`, and record the decision."""
        __tracebackhide__ = True
        return self.checked(lambda: assert_better(*predictions, **options), True)

    def checked(self, decide: Callable[[], GateDecision], required: bool) -> GateDecision:
        """Make a decision, and record the decision or the error that was raised.

        If it is required, the test fails unless the gate passes.
        """
        __tracebackhide__ = True
        try:
            decision = decide()
        except GateNotPassed as error:
            decision = error.decision
        except Exception as error:
            self._tell("error", f"ERROR: {type(error).__name__}: {error}", None)
            raise
        self._tell(decision.status, one_line(decision), decision)
        return demand(decision) if required else decision

    def _tell(self, status: str, text: str, decision: GateDecision | None) -> None:
        text = in_one_line(text)
        body = self.suffix and body_of(self.suffix, self.test, text, decision)
        entry = {"test": self.test, "status": status, "text": text, "body": body}
        self.entries.append(entry)


class CheckedGate(NamedTuple):
    """Gate whose `check` fails the test unless the gate passes.

    Parameters
    ----------
    decide : callable
        Makes the decision: :meth:`Gate.decide`, or :func:`judge_paths` with a policy.
    fixture : GateFixture
        The fixture that records the decision.
    """

    decide: Callable[..., GateDecision]
    fixture: GateFixture

    def check(self, *data: Any, required: bool = True, **options: Any) -> GateDecision:
        """Evaluate predictions or files, and fail the test unless they pass.

        Parameters
        ----------
        *data, **options
            As for :meth:`Gate.decide`, or the files of a policy as for ``skcompare gate``.
        required : bool, default=True
            If False, the decision is only shown in the summary and in the report.
        """
        __tracebackhide__ = True
        return self.fixture.checked(lambda: self.decide(*data, **options), required)


def judge_paths(
    policy: Policy, *files: Any, data: Any = None, trust: Sequence[str] = ()
) -> GateDecision:
    """Evaluate files by a policy as ``skcompare gate`` does.

    Parameters
    ----------
    policy : Policy
        The policy.
    *files : str or path-like
        The champion's file and the challenger's, one file with the predictions of both, or
        two saved estimators.
    data : str or path-like, optional
        The records that saved estimators predict for.
    trust : sequence of str, default=()
        Types of saved estimators that are trusted in addition to the reviewed ones.
    """
    paths = map(os.fspath, files)
    records = None if data is None else os.fspath(data)
    inputs = GateFiles.of_policy(policy, *paths, data=records, trust=tuple(trust))
    return judge_files(inputs, policy)


def one_line(decision: GateDecision) -> str:
    """Format the verdict and the needs of open conditions in one line."""
    report = decision_report(decision)
    needs = [note.text for note in report.notes if note.name.startswith(NEEDED)]
    return "; ".join([report.headline, *dict.fromkeys(needs)])
