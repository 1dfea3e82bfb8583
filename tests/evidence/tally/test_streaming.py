"""A stream whose process is killed ends with exactly the evidence of the whole."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from skcompare.evidence import (
    ClusterSums,
    ContingencyTable,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoreBins,
    load_checkpoint,
)

BATCHES = 9

# What a user writes, but for the lines with `kill_at`: the process kills itself there, as
# the system would, with no chance to finish anything.
STREAM = """
import os, signal, sys
import numpy as np
from skcompare.evidence import (
    JointCounts, PairedLosses, load_checkpoint, save_checkpoint,
)

path, batches, kill_at = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def die_half_way(file, *args, **arrays):
    file.write(b"PK half of it")
    file.flush()
    die()

def batch(number):
    rng = np.random.default_rng(number)
    y, (a, b) = rng.integers(2, size=50), rng.random((2, 50))
    return {
        "joint": JointCounts.from_predictions(y, a > 0.5, b > 0.4),
        "losses": PairedLosses.from_predictions(y, a, b, keep_values=False),
    }

evidence, position = load_checkpoint(path, start=0)
print("from", position, flush=True)
while position < batches:
    new = batch(position)
    evidence = {name: evidence.get(name, 0) + new[name] for name in new}
    position += 1
    if position % 2 == 0 or position == batches:
        if kill_at == f"before {position}":
            die()
        if kill_at == f"writing {position}":
            np.savez = die_half_way
        if kill_at == f"written {position}":
            os.replace = die
        save_checkpoint(path, evidence, position)
        if kill_at == f"after {position}":
            die()
print("done", flush=True)
"""


def run(path, kill_at):
    """Where a process began, and whether it came to its end."""
    command = [sys.executable, "-c", STREAM, str(path), str(BATCHES), kill_at]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    killed = -signal.SIGKILL if kill_at else 0
    assert killed == done.returncode, done.stderr
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_between_batches_and_while_writing(tmp_path, monkeypatch):
    """No batch is lost or counted twice, wherever the process was killed."""
    path = tmp_path / "stream.npz"

    assert ["from", "0"] == run(path, "writing 2")
    [unfinished] = tmp_path.iterdir()
    assert unfinished.name.startswith(".stream.npz.")
    assert ["from", "0"] == run(path, "before 4")
    assert 2 == load_checkpoint(path).position
    assert ["from", "2"] == run(path, "written 6")
    assert 4 == load_checkpoint(path).position
    assert ["from", "4"] == run(path, "after 8")
    assert ["from", "8", "done"] == run(path, "")

    whole = tmp_path / "whole.npz"
    monkeypatch.setattr(sys, "argv", ["stream", str(whole), str(BATCHES), ""])
    exec(compile(STREAM, "stream", "exec"), {})
    assert whole.read_bytes() == path.read_bytes()
    evidence, position = load_checkpoint(path)
    assert BATCHES == position
    y, a, b = records()
    losses = PairedLosses.from_predictions(y, a, b, keep_values=False)
    assert JointCounts.from_predictions(y, a > 0.5, b > 0.4) == evidence["joint"]
    assert losses.n == evidence["losses"].n
    assert losses.means == pytest.approx(evidence["losses"].means, rel=1e-12)


def test_evidence_that_stays_small(tmp_path):
    """Counts, moments, and cells of bins and levels take no more room for more batches."""
    rng = np.random.default_rng(0)
    y, (a, b), groups = rng.integers(2, size=99), rng.random((2, 99)), np.arange(99) % 7
    score_bins, names = ScoreBins.uniform(16), {"groups": groups, "keep_values": False}
    pieces = [
        ContingencyTable.from_predictions(y, a > 0.5, b > 0.5),
        JointCounts.from_predictions(y, a > 0.5, b > 0.5),
        PairedLosses.from_predictions(y, a, b, keep_values=False),
        PairedLosses.from_predictions(y, a, b, **names),
        PairedCalibration.from_predictions(y, a, b).reduced(),
        PlacementValues.from_predictions(y, a, b, score_bins=score_bins),
        ClusterSums.from_predictions(y, a > 0.5, b > 0.5, groups=groups),
    ]
    path = tmp_path / "evidence.npz"

    for one in pieces:
        one.save(path)
        size = path.stat().st_size
        sum([one] * 9).save(path)
        # The numbers in the header may be longer.
        assert abs(path.stat().st_size - size) < 200, type(one)


def records():
    """The records of all batches."""
    parts = []
    for number in range(BATCHES):
        rng = np.random.default_rng(number)
        parts.append(np.vstack([rng.integers(2, size=50), rng.random((2, 50))]))
    y, a, b = np.hstack(parts)
    return y.astype(int), a, b
