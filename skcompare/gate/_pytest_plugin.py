"""Fixture `gate` of pytest, loaded by ``_skcompare_pytest`` on first use."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from skcompare._core.formatting import in_one_line, printable
from skcompare.gate._assert_better import assert_better, demand
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._decision import GateDecision
from skcompare.gate._exceptions import GateNotPassed
from skcompare.gate._file_columns import GateFiles
from skcompare.gate._files import subject_from_files
from skcompare.gate._gate import Gate
from skcompare.gate._policy import PYPROJECT, Policy, load_policy
from skcompare.gate._pytest_report import Entry, body_of, suffix_of
from skcompare.gate._with_ledger import judge_subject
from skcompare.gate.ledger._ledger import Ledger
from skcompare.gate.report._report import NEEDED, decision_report


class GateFixture:
    """Factory of gates that fail the test unless they pass, and appear in the summary.

    Parameters
    ----------
    request : pytest.FixtureRequest
        Request of the test.
    entries : list of dict
        List to which decisions are added.
    """

    def __init__(self, request: pytest.FixtureRequest, entries: list[Entry]) -> None:
        self.test = printable(request.node.nodeid)
        self.folder = request.config.rootpath
        self.entries = entries
        path = request.config.getoption("skcompare_report")
        self.suffix = None if path is None else suffix_of(path)

    def __call__(self, *conditions: Condition | AnyOf, **settings: Any) -> "CheckedGate":
        """Create a gate with the arguments of :class:`~skcompare.gate.Gate`."""
        return CheckedGate(Gate(*conditions, **settings), self)

    def policy(self, path: Any = PYPROJECT) -> "CheckedPolicy":
        """Load the gate of a policy file, with its columns and its ledger.

        Parameters
        ----------
        path : str or path-like, default="pyproject.toml"
            The file, relative to pytest's rootdir.
        """
        return CheckedPolicy(load_policy(os.path.join(self.folder, path)), self)

    def assert_better(self, *predictions: Any, **options: Any) -> GateDecision:
        """Call :func:`skcompare.gate.assert_better`, and record the decision."""
        __tracebackhide__ = True

        def decide() -> GateDecision:
            try:
                return assert_better(*predictions, **options)
            except GateNotPassed as error:
                return error.decision

        return demand(self.decided(decide))

    def decided(self, decide: Callable[[], GateDecision]) -> GateDecision:
        """Make a decision, and record the decision or the error that was raised."""
        __tracebackhide__ = True
        try:
            decision = decide()
        except Exception as error:
            self._tell("error", f"ERROR: {type(error).__name__}: {error}", None)
            raise
        self._tell(decision.status, one_line(decision), decision)
        return decision

    def _tell(self, status: str, text: str, decision: GateDecision | None) -> None:
        text = in_one_line(text)
        body = self.suffix and body_of(self.suffix, self.test, text, decision)
        entry = {"test": self.test, "status": status, "text": text, "body": body}
        self.entries.append(entry)


class CheckedGate:
    """Gate whose `check` fails the test unless the gate passes.

    Parameters
    ----------
    gate : Gate
        The gate.
    fixture : GateFixture
        The fixture that records the decision.
    """

    def __init__(self, gate: Gate, fixture: GateFixture) -> None:
        self.gate = gate
        self.fixture = fixture

    def check(self, *data: Any, required: bool = True, **options: Any) -> GateDecision:
        """Judge predictions by :meth:`Gate.decide`, and fail the test unless they pass.

        Parameters
        ----------
        *data, **options
            As for :meth:`Gate.decide`.
        required : bool, default=True
            If False, the decision is only shown in the summary and in the report.
        """
        __tracebackhide__ = True
        decision = self.fixture.decided(lambda: self.gate.decide(*data, **options))
        return demand(decision) if required else decision


class CheckedPolicy:
    """Gate of a policy, whose `check` judges files.

    Parameters
    ----------
    policy : Policy
        The policy.
    fixture : GateFixture
        The fixture that records the decision.
    """

    def __init__(self, policy: Policy, fixture: GateFixture) -> None:
        self.policy = policy
        self.fixture = fixture

    def check(
        self,
        *files: Any,
        data: Any = None,
        trust: Sequence[str] = (),
        required: bool = True,
    ) -> GateDecision:
        """Judge files as ``skcompare gate`` does, and fail the test unless they pass.

        Parameters
        ----------
        *files : str or path-like
            The champion's file and the challenger's, one file with the predictions of
            both, or two saved estimators.
        data : str or path-like, optional
            The records that saved estimators predict for.
        trust : sequence of str, default=()
            Types of saved estimators that are trusted in addition to the reviewed ones.
        required : bool, default=True
            If False, the decision is only shown in the summary and in the report.
        """
        __tracebackhide__ = True
        paths = tuple(map(os.fspath, files))
        records = None if data is None else os.fspath(data)
        decision = self.fixture.decided(lambda: self._decide(paths, records, tuple(trust)))
        return demand(decision) if required else decision

    def _decide(
        self, paths: tuple[str, ...], data: str | None, trust: tuple[str, ...]
    ) -> GateDecision:
        policy, settings = self.policy, self.policy.ledger
        train = policy.train
        if train is not None:
            train = replace(train, file=policy.path_of(train.file))
        ledger = None
        if settings is not None:
            path = policy.path_of(settings.path)
            ledger = Ledger(path, rule=settings.rule, looks=settings.looks)
        subject = subject_from_files(
            GateFiles(paths, data, train, trust),
            policy.data,
            policy.gate,
            keep_ids=ledger is not None,
        )
        blind = settings is not None and settings.blind
        return judge_subject(policy.gate, subject, ledger=ledger, blind=blind)


def one_line(decision: GateDecision) -> str:
    """Format the verdict and the needs of open conditions in one line."""
    report = decision_report(decision)
    needs = [note.text for note in report.notes if note.name.startswith(NEEDED)]
    return "; ".join([report.headline, *dict.fromkeys(needs)])
