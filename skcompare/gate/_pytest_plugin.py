"""The `gate` fixture of pytest; pytest itself loads no more than ``_skcompare_pytest``."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from skcompare._core.formatting import in_one_line, printable
from skcompare.gate._assert_better import demand, judge_better
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._decision import GateDecision
from skcompare.gate._files import subject_from_files
from skcompare.gate._gate import Gate
from skcompare.gate._given_files import GateFiles
from skcompare.gate._policy import PYPROJECT, Policy, load_policy
from skcompare.gate._pytest_report import Told, body_of, suffix_of
from skcompare.gate._with_ledger import judge_subject
from skcompare.gate.ledger._ledger import Ledger
from skcompare.gate.report._report import headline, lines, settles, shown_part


class GateFixture:
    """Makes gates that fail the test unless they pass, and that the summary shows.

    Parameters
    ----------
    request : pytest.FixtureRequest
        The test.
    told : list of dict
        Where decisions are told.
    """

    def __init__(self, request: pytest.FixtureRequest, told: list[Told]) -> None:
        self.test = printable(request.node.nodeid)
        self.folder = request.config.rootpath
        self.told = told
        path = request.config.getoption("skcompare_report")
        self.suffix = None if path is None else suffix_of(path)

    def __call__(self, *conditions: Condition | AnyOf, **settings: Any) -> "CheckedGate":
        """A gate with conditions, and settings of :class:`~skcompare.gate.Gate`."""
        return CheckedGate(Gate(*conditions, **settings), self)

    def policy(self, path: Any = PYPROJECT) -> "CheckedPolicy":
        """The gate of a policy file, with its columns and its ledger.

        Parameters
        ----------
        path : str or path-like, default="pyproject.toml"
            The file, relative to pytest's rootdir.
        """
        return CheckedPolicy(load_policy(os.path.join(self.folder, path)), self)

    def assert_better(self, *answers: Any, **words: Any) -> GateDecision:
        """As :func:`skcompare.gate.assert_better`, and the summary shows it."""
        __tracebackhide__ = True
        return demand(self.decided(lambda: judge_better(*answers, **words)))

    def decided(self, decide: Callable[[], GateDecision]) -> GateDecision:
        """A decision that was told; so is an error, which is no pass."""
        __tracebackhide__ = True
        try:
            decision = decide()
        except Exception as error:
            self._tell("error", f"ERROR: {type(error).__name__}: {error}", None)
            raise
        self._tell(decision.status, one_line(decision), decision)
        return decision

    def _tell(self, status: str, words: str, decision: GateDecision | None) -> None:
        words = in_one_line(words)
        body = self.suffix and body_of(self.suffix, self.test, words, decision)
        told = {"test": self.test, "status": status, "words": words, "body": body}
        self.told.append(told)


class CheckedGate:
    """A gate whose `check` fails the test unless it passes.

    Parameters
    ----------
    gate : Gate
        What is asked.
    fixture : GateFixture
        Where it is told.
    """

    def __init__(self, gate: Gate, fixture: GateFixture) -> None:
        self.gate = gate
        self.fixture = fixture

    def check(self, *data: Any, required: bool = True, **words: Any) -> GateDecision:
        """Judge answers as :meth:`Gate.decide` does, and fail the test unless they pass.

        Parameters
        ----------
        *data, **words
            As for :meth:`Gate.decide`.
        required : bool, default=True
            False only tells what was decided, in the summary and in the report.
        """
        __tracebackhide__ = True
        decision = self.fixture.decided(lambda: self.gate.decide(*data, **words))
        return demand(decision) if required else decision


class CheckedPolicy:
    """The gate of a policy, whose `check` judges files.

    Parameters
    ----------
    policy : Policy
        What is asked, and where it is.
    fixture : GateFixture
        Where it is told.
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
            The champion's file and the challenger's, one file with the answers of both,
            or two saved estimators.
        data : str or path-like, optional
            The records that saved estimators answer.
        trust : sequence of str, default=()
            Types of saved estimators that are trusted beside the reviewed ones.
        required : bool, default=True
            False only tells what was decided, in the summary and in the report.
        """
        __tracebackhide__ = True
        names = tuple(map(os.fspath, files))
        records = None if data is None else os.fspath(data)
        decision = self.fixture.decided(lambda: self._decide(names, records, tuple(trust)))
        return demand(decision) if required else decision

    def _decide(
        self, names: tuple[str, ...], data: str | None, trust: tuple[str, ...]
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
            GateFiles(names, data, train, trust),
            policy.data,
            policy.gate,
            keep_ids=ledger is not None,
        )
        blind = settings is not None and settings.blind
        return judge_subject(policy.gate, subject, ledger=ledger, blind=blind)


def one_line(decision: GateDecision) -> str:
    """The verdict, and what would settle what is open."""
    known = shown_part(decision)
    words = [settles(outcome) for _, outcome in lines(known)]
    return "; ".join([headline(known), *dict.fromkeys(filter(None, words))])
