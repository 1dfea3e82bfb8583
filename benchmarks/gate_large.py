"""A gate on two files of 10^7 records, joined by id: seconds and memory.

    python benchmarks/gate_large.py make FOLDER               # two Parquet files
    python benchmarks/gate_large.py run FOLDER                # labels: McNemar's test
    python benchmarks/gate_large.py run FOLDER --auc          # and areas by DeLong's

`make` writes champion.parquet (id, y, label, p) and challenger.parquet (id, label, p), each
in an order of its own. `run` starts `skcompare gate` with two threads at most, which
imports, reads, joins, checks and tests, and prints its seconds, those of the processor, and
its greatest memory. The exit code is 1 above 10 seconds or 1.5 GB, with areas above 15
seconds or 2 GB.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

LIMITS = {False: (10.0, 1.5), True: (15.0, 2.0)}
"""Seconds and GB, without and with areas under the ROC curve."""

CHAMPION, CHALLENGER = "champion.parquet", "challenger.parquet"
ROW_GROUP = 1 << 20


def make(folder, n_rows, seed=0):
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n_rows)
    y = (rng.random(n_rows) < 1 / (1 + np.exp(1 - 1.5 * z))).astype(np.int8)
    for name, noise in ((CHAMPION, 0.6), (CHALLENGER, 0.5)):
        p = 1 / (1 + np.exp(1 - 1.3 * z - noise * rng.standard_normal(n_rows)))
        columns = {"id": np.arange(n_rows), "y": y, "label": (p >= 0.5).astype(np.int8)}
        columns["p"] = p
        if name == CHALLENGER:
            del columns["y"]
        order = rng.permutation(n_rows)
        table = pa.table({key: values[order] for key, values in columns.items()})
        parquet.write_table(table, folder / name, row_group_size=ROW_GROUP)


def run(folder, with_auc):
    """Run the gate in a process of its own, and say what it took."""
    command = [sys.executable, "-m", "skcompare", "gate", "--id", "id", "--y", "y"]
    command += ["--label", "label", "--superior", "accuracy"]
    if with_auc:
        command += ["--proba", "p", "--pos-label", "1", "--noninferior", "roc_auc:0.01"]
    command += [str(folder / CHAMPION), str(folder / CHALLENGER)]
    threads = {f"{name}_NUM_THREADS": "2" for name in ("OMP", "OPENBLAS", "MKL")}
    start = time.perf_counter()
    subprocess.run(command, check=True, env=os.environ | threads)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Linux counts in units of 1024 bytes, macOS in bytes.
    gigabytes = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
    processor = used.ru_utime + used.ru_stime
    print(f"  seconds{seconds:>17.1f}, {processor:.1f} of the processor")
    print(f"  memory in GB{gigabytes:>12.2f}")
    most_seconds, most_gigabytes = LIMITS[with_auc]
    return seconds <= most_seconds and gigabytes <= most_gigabytes


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="write both files to a folder")
    making.add_argument("folder", type=Path)
    making.add_argument("--rows", type=float, default=1e7)
    running = commands.add_parser("run", help="measure a gate on both")
    running.add_argument("folder", type=Path)
    running.add_argument("--auc", action="store_true", help="areas as well")
    requested = parser.parse_args()
    if requested.command == "make":
        make(requested.folder, int(requested.rows))
        return 0
    return 0 if run(requested.folder, requested.auc) else 1


if __name__ == "__main__":
    sys.exit(main())
