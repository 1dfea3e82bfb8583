"""What every run of pytest loads of skcompare, where skcompare is installed.

It stands beside the package rather than in it, because `import skcompare` loads what it
extends of scikit-learn, which runs that use no gate should not pay for. The rest is in
``skcompare.gate._pytest_plugin``, imported when the fixture or the option is used.
"""

from typing import Any

import pytest

GATES = pytest.StashKey[list[dict[str, Any]]]()
"""What the gates of a test decided, as plain values that travel between processes."""

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
    """Collect what gates decide in the process that hears of every test."""
    if hasattr(config, "workerinput"):
        return
    path = config.getoption("skcompare_report")
    report = None
    if path is not None:
        from skcompare.gate._pytest_report import Report

        report = Report(path)
    config.pluginmanager.register(Gates(report), PLUGIN)


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> Any:
    """Gates that fail the test unless they pass, and that the summary shows.

    ``gate(Superior("accuracy")).check(y_true, {"old": old, "new": new})`` judges
    conditions, ``gate.policy().check("old.csv", "new.csv")`` files by the policy of the
    project, and ``gate.assert_better(y_true, old, new)`` is as the function.
    """
    from skcompare.gate._pytest_plugin import GateFixture

    # A test that runs again begins anew.
    request.node.stash[GATES] = []
    return GateFixture(request, request.node.stash[GATES])


# The older form of a wrapper, which every pytest with a stash knows.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Send what the gates of a test decided with its last report."""
    outcome = yield
    if call.when == "teardown" and item.stash.get(GATES, None):
        outcome.get_result().skcompare_gates = item.stash[GATES]


class Gates:
    """What all gates decided, by test, in the order in which the tests ended.

    Parameters
    ----------
    report : Report, optional
        Where it is written at the end.
    """

    def __init__(self, report: Any = None) -> None:
        self.report = report
        self.by_test: dict[str, list[dict[str, Any]]] = {}
        self.trouble = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a test sent; of a test that ran again, what it sent last."""
        found = getattr(report, "skcompare_gates", None)
        if found:
            self.by_test[report.nodeid] = found

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
        """Show a line for each decision."""
        if not self.by_test and self.report is None:
            return
        terminalreporter.section("skcompare gates")
        for found in self.by_test.values():
            for told in found:
                verdict, _, rest = told["words"].partition(":")
                colour = "green" if told["status"] == "passed" else "red"
                terminalreporter.write(verdict, **{colour: True})
                terminalreporter.write(f" {told['test']}:{rest}\n")
        if not self.by_test:
            terminalreporter.write_line("no gate decided anything")
        if self.trouble:
            terminalreporter.write_line(self.trouble, red=True)
        elif self.report is not None:
            terminalreporter.write_line(f"report: {self.report.path}")
