"""Long work shows how far it is, and ends when it is interrupted."""

import os
import re
import signal
import sys
import time
from importlib.util import find_spec
from types import SimpleNamespace

import joblib
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import (
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    cross_compare,
)
from skcompare._core import progress
from skcompare.cli import main

X, y = make_classification(60, 4, random_state=0)

needs_callbacks = pytest.mark.skipif(
    find_spec("rich") is None or find_spec("sklearn.callback") is None,
    reason="needs sklearn.callback",
)
pytestmark = pytest.mark.filterwarnings("ignore:There will be no")


def paired(**settings):
    comparator = PairedComparator(GaussianNB(), GaussianNB(), random_state=0, **settings)
    return comparator.fit(X, y)


def several(**settings):
    named = [(name, GaussianNB()) for name in "abc"]
    return MultipleComparator(named, random_state=0, **settings).fit(X, y)


def crossed(**settings):
    return cross_compare({"a": GaussianNB(), "b": GaussianNB()}, X, y, **settings)


CALLS = [(paired, 20), (several, 30), (crossed, 20)]


@pytest.fixture
def plain(monkeypatch):
    """Neither rich nor tqdm is installed."""
    for name in ("rich.console", "rich.progress", "tqdm"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("backend", ["sequential", "threading"])
@pytest.mark.parametrize(("call", "n_fits"), CALLS)
def test_plain_progress(plain, capsys, call, n_fits, backend):
    """Ten lines on stderr where it is no terminal; the last one is about all fits."""
    with joblib.parallel_config(backend, n_jobs=2):
        call(verbose=1)
    shown = capsys.readouterr()
    lines = [line.rstrip() for line in shown.err.splitlines()]

    assert "" == shown.out
    assert 10 == len(lines)
    assert re.fullmatch(
        rf"Fits: {n_fits // 10} of {n_fits}, 10%, \d:\d\d:\d\d left", lines[0]
    )
    assert f"Fits: {n_fits} of {n_fits}, 100%, 0:00:00 left" == lines[-1]


def test_plain_progress_in_a_terminal(plain, monkeypatch, capsys):
    """One line that is written again and again, also for the repeated fits."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    paired(verbose=1, check_reproducible=True)
    shown = capsys.readouterr().err

    assert 1 == shown.count("\n")
    assert 22 == len(re.findall(r"Fits: \d+ of 22, \d+%, \d:\d\d:\d\d left +[\r\n]", shown))
    assert shown.rstrip().endswith("Fits: 22 of 22, 100%, 0:00:00 left")


def test_results_that_come_at_once(plain, capsys):
    """A backend that returns all results together shows all lines at the end."""
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        paired(verbose=1)

    assert 10 == len(capsys.readouterr().err.splitlines())


@pytest.mark.parametrize(("call", "n_fits"), CALLS)
def test_tqdm(monkeypatch, capsys, call, n_fits):
    """tqdm is used where rich is not installed."""
    seen = []

    def bar(items, label, total, file):
        seen.append((label, total, file))
        for item in items:
            seen.append(item)
            yield item

    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=bar))
    call(verbose=1)

    assert ("Fits", n_fits, sys.stderr) == seen[0]
    assert n_fits == len(seen) - 1


@pytest.mark.skipif(find_spec("rich") is None, reason="needs rich")
@pytest.mark.parametrize(("call", "n_fits"), CALLS)
def test_rich(capsys, call, n_fits):
    """The bar of rich ends at 100 %, on stderr."""
    call(verbose=1)
    shown = capsys.readouterr()

    assert "" == shown.out
    assert re.search(r"Fits .* 100% \d:\d\d:\d\d", shown.err)


@pytest.mark.parametrize(("call", "n_fits"), CALLS)
def test_silence(capsys, call, n_fits):
    """By default nothing is printed."""
    call()

    assert ("", "") == capsys.readouterr()


@pytest.mark.newest
def test_messages_of_joblib(capsys):
    """More than 1 is for joblib."""
    paired(verbose=11)

    assert "out of  20" in "".join(capsys.readouterr())


class Recorder:
    """Callback of scikit-learn that is passed on to all estimators inside."""

    max_propagation_depth = None

    def __init__(self):
        self.begun, self.ended, self.calls = [], [], []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.estimator_name, context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context):
        self.ended.append((context.estimator_name, context.task_name, context.task_id))


@needs_callbacks
@pytest.mark.newest
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_reach_the_classifiers(n_jobs, tmp_path):
    """Each fit is reported once, with the steps of those that support callbacks."""
    recorder = Recorder()
    comparator = PairedComparator(
        LogisticRegression(), GaussianNB(), cv=3, cache=tmp_path, random_state=0
    ).set_callbacks(recorder)
    with joblib.parallel_config("threading", n_jobs=n_jobs):
        comparator.fit(X, y)
    fits = [
        (name, task_id)
        for name, task, task_id in recorder.ended
        if task == "fit" or "split" in task
    ]

    assert ["setup", "teardown"] == recorder.calls
    assert ("PairedComparator", "fit", 0) == recorder.begun[0] == recorder.ended[-1]
    assert [0, 2, 4] == sorted(k for name, k in fits if name == "LogisticRegression")
    assert {(f"challenger, split {k}", 2 * k + 1) for k in range(3)} == {
        (task, k) for name, task, k in recorder.ended if "split" in task
    }
    assert "lbfgs-iter" in {task for _, task, _ in recorder.ended}

    # Predictions that are read are reported without steps.
    recorder = Recorder()
    comparator.set_callbacks(recorder).fit(X, y)
    assert 7 == len(recorder.ended)
    assert sorted(recorder.begun) == sorted(recorder.ended)


@needs_callbacks
@pytest.mark.newest
def test_callbacks_of_a_pair():
    """Both fits of a pair are reported, with steps."""
    recorder = Recorder()
    pair = PairedEstimator(
        make_pipeline(StandardScaler(), LogisticRegression()), GaussianNB()
    )
    pair.set_callbacks(recorder)
    pair.fit(X, y)
    names = {name for name, _, _ in recorder.ended}

    assert {"PairedEstimator", "Pipeline", "LogisticRegression"} <= names
    assert ("PairedEstimator", "fit", 0) == recorder.ended[-1]


@needs_callbacks
@pytest.mark.newest
@pytest.mark.slow
def test_bars_inside_of_workers(capsys):
    """Bars of the classifiers come from other processes, and there is no second bar."""
    from sklearn.callback import ProgressBar

    comparator = PairedComparator(LogisticRegression(), GaussianNB(), cv=3, verbose=1)
    with joblib.parallel_config("loky", n_jobs=2):
        comparator.set_callbacks(ProgressBar()).fit(X, y)
    shown = capsys.readouterr()

    assert "" == shown.err
    assert 3 == shown.out.count("LogisticRegression - fit")
    assert "PairedComparator - champion, split 2" in shown.out


@needs_callbacks
@pytest.mark.newest
def test_callbacks_where_fits_run_elsewhere(monkeypatch):
    """On another machine the fits cannot send messages, and are reported when they end."""
    monkeypatch.setattr("skcompare.predictions._collect.within_reach", lambda n_jobs: False)
    recorder = Recorder()
    comparator = PairedComparator(LogisticRegression(), GaussianNB(), cv=3)
    comparator.set_callbacks(recorder).fit(X, y)

    assert ["fit and predict"] * 6 + ["fit"] == [task for _, task, _ in recorder.ended]


SCRIPT = """
import time
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
import skcompare.cli._main as main

class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(60)

main.KNeighborsClassifier = main.LogisticRegression = Slow
if __name__ == "__main__":
    raise SystemExit(main.main(["demo", "--n-jobs", "{n_jobs}"]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a terminal of POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_in_the_shell(tmp_path, n_jobs):
    """One line, exit code 130, and no process is left, also where workers just start."""
    path = tmp_path / "demo.py"
    path.write_text(SCRIPT.format(n_jobs=n_jobs))
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        # What a shell starts in the background inherits that interrupts are ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, str(path)])
    shown = b""
    while b"Fits" not in shown:
        shown += os.read(terminal, 1000)
    time.sleep(0.5)
    os.killpg(pid, signal.SIGINT)
    while True:
        try:
            new = os.read(terminal, 1000)
        except OSError:
            break
        shown += new
        if not new:
            break
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert 130 == code
    assert b"Traceback" not in shown
    assert shown.rstrip().endswith(b"skcompare demo: interrupted, nothing was decided")
    # joblib's resource tracker ends after the process that it serves.
    end = time.monotonic() + 10
    while running_in_group(pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert [] == running_in_group(pid)


def running_in_group(group):
    """Return the processes of a group that have not ended."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    state, _, own_group = file.read().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(own_group) == group and state != "Z":
                found.append(int(name))
    return found


@pytest.fixture
def at_once(plain, monkeypatch):
    """Work has a bar though it takes no second, where there are several parts of it."""
    monkeypatch.setattr(progress, "AFTER", 0.0)


def test_resampling_shows_a_bar(at_once, capsys):
    """Draws have a bar with `verbose=1` alone, and the same result."""
    options = {"scoring": "balanced_accuracy", "tests": {"bootstrap_difference": {}}}
    predictions = {"a": (X[:, 0] > 0).astype(int), "b": (X[:, 1] > 0).astype(int)}
    arrays = {name: own.repeat(100) for name, own in predictions.items()}
    quiet = compare(y.repeat(100), arrays, **options)
    assert "" == capsys.readouterr().err
    shown = compare(y.repeat(100), arrays, verbose=1, **options)
    lines = capsys.readouterr().err.splitlines()

    assert quiet.to_dict()["rows"] == shown.to_dict()["rows"]
    assert re.match(r"Resampling: \d+ of (\d+), ", lines[0])
    assert lines[-1].rstrip().endswith("100%, 0:00:00 left")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_reading_shows_a_bar_in_a_terminal(at_once, monkeypatch, capsys, tmp_path, suffix):
    """The shell shows how much of a file is read, where it is used by a person."""
    frame = pd.DataFrame({"y": y, "a": X[:, 0] > 0, "b": X[:, 1] > 0}).astype(int)
    frame, path = pd.concat([frame] * 300), tmp_path / f"records{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    command = ["compare", str(path), "--champion", "a", "--challenger", "b"]
    assert 0 == main(command)
    assert "" == capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert 0 == main(command)

    assert re.search(r"Reading .*records\..*: \d+ of \d+, 100%, ", capsys.readouterr().err)


def test_one_bar_at_a_time(at_once, capsys):
    """Work within work that has a bar has none, and it has one again afterwards."""
    with progress.shown_progress(1):
        for _ in progress.tracked(range(3), "Outer", 3):
            assert [0, 1, 2] == list(progress.tracked(range(3), "Inner", 3))
        list(progress.tracked(range(3), "Later", 3))
    assert [0, 1] == list(progress.tracked(range(2), "Quiet", 2))
    labels = [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()]

    # The first part of the outer work is over before its bar begins.
    assert ["Inner"] * 2 + ["Outer"] * 2 + ["Later"] * 2 == labels


def test_interrupted_work_shows_nothing_later(at_once, capsys):
    """Work that is left unfinished, and ends after its call, leaves later ones quiet."""
    with progress.shown_progress(1):
        unfinished = iter(progress.tracked(range(9), "Unfinished", 9))
        assert [0, 1, 2] == [next(unfinished) for _ in range(3)]
    unfinished.close()
    capsys.readouterr()

    assert [0, 1, 2] == list(progress.tracked(range(3), "Quiet", 3))
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("verbose", ["yes", -1, None, 0.5])
def test_unknown_verbosity(verbose):
    """It is a count, as in scikit-learn."""
    with pytest.raises(ValueError, match="`verbose` must be an integer of at least 0"):
        compare(y, {"a": y, "b": y}, verbose=verbose)
