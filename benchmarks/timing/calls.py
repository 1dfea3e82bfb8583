"""CPU time of three everyday calls, in this checkout and at a commit.

`compare` of 1,000 labels, `PairedComparator` of two DummyClassifiers on 1,000 x 5, and a
gate on two files of 200 records. Both versions run in turn, each in a process of its own,
and the ratio is that of the medians.

    python benchmarks/timing/calls.py COMMIT [--repeats 5]
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

CALLS = """
import io, json, os, tempfile, warnings
from contextlib import redirect_stdout
from time import process_time
import numpy as np
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from skcompare import PairedComparator, compare
from skcompare.cli import main

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = rng.integers(2, size=1000)
old, new = (np.where(rng.random(1000) < share, y, 1 - y) for share in (0.8, 0.85))
X, labels = make_classification(1000, 5, random_state=0)
pair = DummyClassifier(), DummyClassifier(strategy="stratified", random_state=1)
folder = tempfile.mkdtemp()
for name, predicted in (("old", old), ("new", new)):
    rows = [f"{k},{p},{t}" for k, (p, t) in enumerate(zip(predicted[:200], y[:200]))]
    if name == "new":
        rows = [row.rpartition(",")[0] for row in rows]
    header = "id,said,y" if name == "old" else "id,said"
    with open(os.path.join(folder, name + ".csv"), "w") as file:
        file.write("\\n".join([header, *rows, ""]))
files = [os.path.join(folder, name + ".csv") for name in ("old", "new")]
calls = {
    "compare": (40, lambda: compare(y, {"old": old, "new": new})),
    "fit": (4, lambda: PairedComparator(*pair).fit(X, labels)),
    "gate": (20, lambda: main(["gate", *files, "--superior", "accuracy", "--id", "id",
                               "--label", "said"])),
}
times = {}
with redirect_stdout(io.StringIO()):
    for name, (n, call) in calls.items():
        call(), call()
        start = process_time()
        for _ in range(n):
            call()
        times[name] = (process_time() - start) / n
print(json.dumps(times))
"""


def timed(folder):
    """Seconds of each call by the package in a folder."""
    variables = os.environ | {"PYTHONPATH": str(folder)}
    variables |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", CALLS],
        env=variables, capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    return json.loads(ran.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", options.commit, "skcompare"],
            cwd=ROOT, capture_output=True, check=True,
        ).stdout  # fmt: skip
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(folder, filter="data")
        runs = [(timed(folder), timed(ROOT)) for _ in range(options.repeats)]
    print(f"{'':8} {options.commit[:9]:>9} {'checkout':>9} {'ratio':>6}")
    for name in runs[0][0]:
        before, now = (statistics.median(run[k][name] for run in runs) for k in (0, 1))
        print(f"{name:8} {before * 1e3:6.2f} ms {now * 1e3:6.2f} ms {now / before:6.2f}")


if __name__ == "__main__":
    main()
