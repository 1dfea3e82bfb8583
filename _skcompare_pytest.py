"""Entry point of the pytest plugin, loaded by every run where skcompare is installed.

It stands beside the package rather than in it, because `import skcompare` loads the parts
of scikit-learn that it extends, which runs without a gate should not pay for. The rest is
in ``skcompare.gate._assertions``, imported when the fixture or the option is used.
"""

from typing import Any

import pytest

GATES = pytest.StashKey[list[dict[str, Any]]]()
"""Decisions of the gates of a test, as plain values that travel between processes."""

PLUGIN = "skcompare-gates"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for a report."""
    parser.getgroup("skcompare").addoption(
        "--skcompare-report",
        metavar="PATH",
        help="write what the gates of the tests decided to a file ending in .html, .json, "
        ".md, .txt or .xml (JUnit)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the decisions of gates, in the process that gets all test reports."""
    if hasattr(config, "workerinput"):
        return
    path = config.getoption("skcompare_report")
    report = None
    if path is not None:
        from skcompare.gate._assertions import RunReport

        try:
            report = RunReport(path)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(Gates(report), PLUGIN)


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> Any:
    """Return gates that fail the test unless they pass, and that the summary shows.

    ``gate(Superior("accuracy")).check(y_true, {"old": old, "new": new})`` judges
    conditions, ``gate.policy().check("old.csv", "new.csv")`` files by the policy of the
    project, and ``gate.assert_better(y_true, old, new)`` is as the function.
    """
    from skcompare.gate._assertions import GateFixture

    # A test that runs again starts from an empty list.
    request.node.stash[GATES] = []
    return GateFixture(request, request.node.stash[GATES])


# The older form of a wrapper, which every pytest with a stash supports.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Send the decisions of the gates of a test with its last report."""
    outcome = yield
    if call.when == "teardown" and item.stash.get(GATES, None):
        outcome.get_result().skcompare_gates = item.stash[GATES]


class Gates:
    """Decisions of all gates, by test, in the order in which the tests ended.

    Parameters
    ----------
    report : RunReport, optional
        The report to write at the end.
    """

    def __init__(self, report: Any = None) -> None:
        self.report = report
        self.by_test: dict[str, list[dict[str, Any]]] = {}
        self.trouble = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the decisions of a test; of a test that ran again, the last ones."""
        entries = getattr(report, "skcompare_gates", None)
        if entries:
            self.by_test[report.nodeid] = entries

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report."""
        if self.report is None:
            return
        try:
            self.report.write(self.by_test)
        except OSError as error:
            self.trouble = f"no report was written: {error}"
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show one line per decision."""
        if not self.by_test and self.report is None:
            return
        terminalreporter.section("skcompare gates")
        for entries in self.by_test.values():
            for entry in entries:
                verdict, _, rest = entry["text"].partition(":")
                colour = "green" if entry["status"] == "passed" else "red"
                terminalreporter.write(verdict, **{colour: True})
                terminalreporter.write(f" {entry['test']}:{rest}\n")
        if not self.by_test:
            terminalreporter.write_line("no gate decided anything")
        if self.trouble:
            terminalreporter.write_line(self.trouble, red=True)
        elif self.report is not None:
            terminalreporter.write_line(f"report: {self.report.path}")
