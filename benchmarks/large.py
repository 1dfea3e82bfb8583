"""Comparisons of 10^8 records where they are: seconds and memory.

    python benchmarks/large.py make big.parquet               # 10^8 records, 1.7 GB
    python benchmarks/large.py run big.parquet                # on DuckDB
    python benchmarks/large.py run big.parquet --engine polars
    python benchmarks/large.py check                          # 10^6 records on all engines
    python benchmarks/large.py make numbers.parquet --numbers # a target and two predictions
    python benchmarks/large.py run numbers.parquet --numbers
    python benchmarks/large.py check --numbers

`make` writes true labels, two predicted labels and two probabilities. `run` compares the
two by McNemar's and Bowker's tests, kappa, the precision of each class, Brier losses,
calibration errors and areas under the ROC curve, from what the engine counted, with the
seconds and the greatest memory of this process and its children. The exit code is 1 above
30 seconds or 2 GB. `check` holds the same numbers from DuckDB, Polars, Dask and PySpark
against those of numpy.

With `--numbers` they are a target and two predicted numbers, in single precision, which are
compared as `skcompare.compare` does by default: by R², the mean absolute error and the root
mean squared error, with the ratio of the mean squared errors beside them.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from skcompare.evidence import (
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoredPair,
    TallyRequest,
    tally_arrays,
    tally_frame,
)
from skcompare.stats import (
    bowker,
    calibration_difference,
    cohen_kappa,
    delong,
    influence_difference,
    mcnemar,
    paired_t,
    precision_score,
    relative_loss,
)

SECONDS, GIGABYTES = 30.0, 2.0
ENGINES = ("duckdb", "polars", "dask", "pyspark")
AT_ONCE = 1_000_000
PREDICTIONS = {
    "champion": {"labels": "a", "proba": "p_a"},
    "challenger": {"labels": "b", "proba": "p_b"},
}
ASKED = TallyRequest(
    labels=True, losses=("binary_brier_loss",), calibration=True, ranking=True
)


def batches(n_rows, seed=0):
    """Records of two calibrated-looking models, a million at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, n_rows, AT_ONCE):
        n = min(AT_ONCE, n_rows - start)
        z = rng.standard_normal(n)
        y = rng.random(n) < chance(1.5 * z - 1)
        p_a = chance(1.2 * z - 1 + 0.6 * rng.standard_normal(n))
        p_b = chance(1.3 * z - 1 + 0.5 * rng.standard_normal(n))
        labels = {"y": y, "a": p_a >= 0.5, "b": p_b >= 0.5}
        yield {k: v.astype(np.int8) for k, v in labels.items()} | {"p_a": p_a, "p_b": p_b}


def chance(score):
    return 1 / (1 + np.exp(-score))


NUMBERS = {"champion": "p_a", "challenger": "p_b"}
OF_NUMBERS = TallyRequest(
    losses=("relative_squared_error", "squared_error", "absolute_error"),
    scores=("neg_root_mean_squared_error",),
)


def batches_of_numbers(n_rows, seed=0):
    """Skewed numbers and two predictions of them in single precision."""
    rng = np.random.default_rng(seed)
    for start in range(0, n_rows, AT_ONCE):
        n = min(AT_ONCE, n_rows - start)
        y = np.exp(rng.standard_normal(n, dtype=np.float32))
        errors = rng.standard_normal((2, n), dtype=np.float32)
        p_a, p_b = y * np.exp(0.3 * errors[0]), y * np.exp(0.298 * errors[1])
        yield {"y": y, "p_a": p_a.astype(np.float32), "p_b": p_b.astype(np.float32)}


def make(path, n_rows, made=batches):
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    for columns in made(n_rows):
        table = pa.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def opened(engine, path):
    """The file on an engine, and what to close."""
    if engine == "duckdb":
        import duckdb

        return duckdb.read_parquet(str(path)), lambda: None
    if engine == "polars":
        import polars

        return polars.scan_parquet(path), lambda: None
    if engine == "dask":
        from dask import dataframe
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        client = Client(cluster)

        def close():
            client.close()
            cluster.close()

        return dataframe.read_parquet(path), close
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session.read.parquet(str(path)), session.stop


def summed(frame):
    """What an engine sums of numbers."""
    return tally_frame(frame, "y", NUMBERS, OF_NUMBERS)


def rows_of_numbers(losses, roots):
    """Estimates and statistics by name."""
    results = {f"paired t of {name}": paired_t(own) for name, own in losses.items()}
    results["ratio of MSEs"] = relative_loss(losses["squared_error"])
    results["RMSE"] = influence_difference(roots)
    rows = {}
    for name, result in results.items():
        rows[f"{name}: estimate"] = result.estimate
        rows[f"{name}: statistic"] = result.statistic
    return rows


def numbers_of_sums(tally):
    """Estimates and statistics from what an engine summed."""
    losses = {name: PairedLosses.from_tally(tally, loss=name) for name in OF_NUMBERS.losses}
    (score,) = OF_NUMBERS.scores
    return rows_of_numbers(losses, ScoredPair.from_tally(tally, score=score))


def numbers_of_records(columns):
    """Estimates and statistics of the records themselves."""
    y, *predicted = (columns[name].astype(np.float64) for name in ("y", *NUMBERS.values()))
    losses = {
        name: PairedLosses.from_predictions(y, *predicted, loss=name)
        for name in OF_NUMBERS.losses
    }
    (score,) = OF_NUMBERS.scores
    return rows_of_numbers(losses, ScoredPair.from_predictions(y, *predicted, score=score))


def counted(frame, two_scans=False):
    """What an engine counts; the classes are known, so that it need not look for them."""
    requested = replace(ASKED, one_scan=not two_scans)
    return tally_frame(frame, "y", PREDICTIONS, requested, labels=[0, 1])


def counted_by_numpy(columns, score_bins):
    predictions = {
        role: {kind: columns[name] for kind, name in own.items()}
        for role, own in PREDICTIONS.items()
    }
    return tally_arrays(columns["y"], predictions, replace(ASKED, score_bins=score_bins))


def numbers(tally):
    """Estimates and statistics by name."""
    joint = JointCounts.from_tally(tally)
    losses = PairedLosses.from_tally(tally)
    calibration = PairedCalibration.from_tally(tally)
    placements = PlacementValues.from_tally(tally)
    results = {
        "McNemar": mcnemar(joint.contingency_table(), method="asymptotic"),
        "Bowker": bowker(joint.agreement_matrix()),
        "kappa": cohen_kappa(joint.agreement_matrix()),
        "precision of 0": precision_score(joint, label=0),
        "precision of 1": precision_score(joint, label=1),
        "Brier": paired_t(losses),
        "squared calibration error": calibration_difference(calibration),
        "DeLong": delong(placements),
    }
    rows = {}
    for name, result in results.items():
        rows[f"{name}: estimate"] = result.estimate
        rows[f"{name}: statistic"] = result.statistic
    for role in ("champion", "challenger"):
        rows[f"ECE of {role}"] = calibration.error(role)
    champion, challenger = placements.aucs.tolist()
    rows |= {"AUC of champion": champion, "AUC of challenger": challenger}
    rows["bound on the error of both AUCs"] = float(max(placements.auc_bounds))
    return {name: float("nan") if v is None else float(v) for name, v in rows.items()}


class Memory:
    """The greatest memory of this process and its children, in GB."""

    def __init__(self):
        self.greatest = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._done.set()
        self._thread.join()

    def _watch(self):
        while not self._done.wait(0.05):
            self.greatest = max(self.greatest, resident(os.getpid()) / 1e6)


def resident(pid):
    """Kilobytes of a process and its children that are in memory; 0 where unknown."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        tasks = Path(f"/proc/{pid}/task").iterdir()
        children = [(task / "children").read_text().split() for task in tasks]
    except OSError:
        return 0
    own = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
    return sum(map(int, own)) + sum(resident(int(c)) for each in children for c in each)


def run(path, engine, two_scans, of_numbers=False):
    frame, close = opened(engine, path)
    with Memory() as memory:
        start = time.perf_counter()
        tally = summed(frame) if of_numbers else counted(frame, two_scans)
        engine_seconds = time.perf_counter() - start
        rows = numbers_of_sums(tally) if of_numbers else numbers(tally)
        seconds = time.perf_counter() - start
    close()
    scans = "two scans" if two_scans else "one scan"
    print(f"{tally.n:,} records on {engine} by {scans}, {os.cpu_count()} cores")
    for name, value in rows.items():
        print(f"  {name:<40}{value:>16.10g}")
    print(f"  seconds{seconds:>49.1f}, {engine_seconds:.1f} of them on the engine")
    print(f"  memory in GB{memory.greatest:>44.2f}")
    return seconds <= SECONDS and memory.greatest <= GIGABYTES


def check(n_rows, engines, of_numbers=False):
    made = batches_of_numbers if of_numbers else batches
    parts = list(made(n_rows))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    right = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        make(path, n_rows, made)
        for engine in engines:
            frame, close = opened(engine, path)
            start = time.perf_counter()
            tally = summed(frame) if of_numbers else counted(frame, two_scans=True)
            found = numbers_of_sums(tally) if of_numbers else numbers(tally)
            seconds = time.perf_counter() - start
            close()
            if of_numbers:
                expected = numbers_of_records(columns)
            else:
                expected = numbers(counted_by_numpy(columns, tally.plan.score_bins))
            largest = max(
                abs(found[name] - value) / max(abs(value), 1e-3)
                for name, value in expected.items()
                if value == value
            )
            right &= largest < 1e-9
            print(
                f"{engine:<10}{len(found)} numbers of {n_rows:,} records, relative "
                f"distance from numpy at most {largest:.1e}, {seconds:.1f} s"
            )
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="write records to a Parquet file")
    making.add_argument("path")
    making.add_argument("--rows", type=float, default=1e8)
    running = commands.add_parser("run", help="compare the records of a file")
    running.add_argument("path")
    running.add_argument("--engine", choices=ENGINES, default="duckdb")
    running.add_argument(
        "--two-scans",
        action="store_true",
        help="count levels and add up one after the other",
    )
    checking = commands.add_parser("check", help="hold engines against numpy")
    checking.add_argument("--rows", type=float, default=1e6)
    checking.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    for command in (making, running, checking):
        command.add_argument(
            "--numbers", action="store_true", help="of predicted numbers, not of classes"
        )
    requested = parser.parse_args()
    of_numbers = requested.numbers
    if requested.command == "make":
        made = batches_of_numbers if of_numbers else batches
        make(requested.path, int(requested.rows), made)
        return 0
    if requested.command == "run":
        engine, two_scans = requested.engine, requested.two_scans
        return 0 if run(requested.path, engine, two_scans, of_numbers) else 1
    return 0 if check(int(requested.rows), requested.engines, of_numbers) else 1


if __name__ == "__main__":
    sys.exit(main())
