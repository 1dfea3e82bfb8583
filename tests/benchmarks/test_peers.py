"""The script behind the table of other packages."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the benchmarks are not here")


@pytest.fixture
def measure(monkeypatch):
    """The module that takes the times."""
    monkeypatch.syspath_prepend(FOLDER)
    import peers_measure

    return peers_measure


@pytest.mark.slow
@pytest.mark.parametrize("rst", [False, True])
def test_it_runs_without_any_other_package(rst):
    """Rows of scikit-learn alone, whose numbers must be ours."""
    command = [sys.executable, str(FOLDER / "peers.py"), "--sizes", "1000", "100000"]
    options = ["--only", "both confusion", "brier score of one", "--repeats", "1"]
    found = subprocess.run(
        [*command, *options, *["--rst"] * rst],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert "Both confusion matrices" in found.stdout
    assert "Brier score of one classifier" in found.stdout
    assert rst == (".. csv-table::" in found.stdout)
    assert "another number" not in found.stderr
    assert "Traceback" not in found.stderr


def test_growth(measure):
    """The exponent of a power law is found, without the small sizes."""
    for exponent in (0.5, 1.0, 2.0):
        times = {n: 3e-9 * n**exponent for n in (10**4, 10**5, 10**6)} | {10: 5.0}

        assert exponent == pytest.approx(measure.growth(times))


def test_growth_of_one_size(measure):
    """One size does not grow."""
    assert measure.growth({1000: 1.0}) is None


def test_prediction(measure):
    """Time grows as the last two sizes did, linearly at least; never from greater sizes."""
    for times, expected in [
        ({10: 1.0}, 10.0),
        ({10: 1.0, 50: 5.0}, 10.0),
        ({10: 1.0, 50: 25.0}, 100.0),
        ({10: 1.0, 50: 1.0}, 2.0),
    ]:
        assert expected == pytest.approx(measure.predicted(times, 100))
    assert measure.predicted({1000: 1.0}, 100) is None


def test_no_garbage_is_collected_while_a_call_is_timed(measure):
    """Neither side pays for what the other leaves."""
    seen = []
    calls = {"one": lambda: seen.append(gc.isenabled())}
    measure.least_times(calls, clock="wall", repeats=2, seconds=0.01, most=2)

    assert {False} == set(seen)
    assert gc.isenabled()


def test_every_call_runs_in_turn(measure):
    """All calls have the same number of rounds, at least as many as requested.

    Short ones run three times in a row.
    """
    seen = []
    calls = {name: lambda name=name: seen.append(name) for name in "ab"}
    found = measure.least_times(calls, clock="wall", repeats=3, seconds=0.01, most=5)

    assert {"a", "b"} == set(found)
    rows = [*"aaabbb"]
    assert rows * (len(seen) // len(rows)) == seen
    assert 3 * len(rows) <= len(seen)
