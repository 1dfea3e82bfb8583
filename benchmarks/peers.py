"""The table of the documentation: skcompare beside the fastest other package, by size.

For every method that some Python package has too, both are timed on the same arrays in the
same process, in turn, from the arrays to the number, so that counting and checking are part
of both. A row a size has

* the least time of skcompare, and where evidence is a step of its own, that of the test
  alone;
* the fastest other package, its least time, and how often ours goes into it. One that a
  trial shows to take longer than ``--limit`` is not timed: its time is predicted from
  smaller sizes and marked ``~``;
* the memory that each call adds to the process at most, measured in a fork;
* the least that any way of computing it takes (one read of the arrays, one bincount of
  ready codes, sorts of the scores), and how many of those our time is.

Both sides have one processor, and no garbage is collected while a call is timed.

Whether both give the same number is checked for each size that is run. The exit code is 1
if numbers differ where they should not, or if skcompare is slower where no reason is given.

    pip install ".[peers]"
    python benchmarks/peers.py
    python benchmarks/peers.py --only delong ece --sizes 1000 100000
    python benchmarks/peers.py --rst > doc/user_guide/peer_table.inc

Packages that are not installed are named and left out.
"""

import argparse
import functools
import importlib.metadata
import os
import platform
import sys
import warnings
from dataclasses import dataclass, field, replace

# Before numpy is imported: both sides have one processor, and one thread on it.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import peers_fits
import peers_labels
import peers_losses
import peers_scores
from peers_measure import (
    CLOCKS,
    growth,
    least_times,
    one_bincount,
    one_read,
    peak_memory,
    predicted,
    sorts,
)
from peers_table import show

PACKAGES = (
    "mlxtend",
    "statsmodels",
    "MLstatkit",
    "confidenceinterval",
    "scikit-learn",
    "scipy",
    "pandas",
    "torchmetrics",
    "torch",
    "netcal",
    "relplot",
    "model-diagnostics",
    "mapie",
)
SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)
WITH_MEMORY = 10**5
"""Smaller sizes take less memory than the system counts."""
EQUAL = 0.95
"""A ratio from here on is no slower than times vary from run to run."""


@dataclass
class Cell:
    """What was measured of one method at one size; times in seconds, memory in bytes."""

    n: int
    ours: float
    test: float | None
    peers: dict[str, float]
    guessed: set[str]
    floor: float | None
    memory: dict[str, int | None] = field(default_factory=dict)

    @property
    def fastest(self):
        """The fastest peer."""
        return min(self.peers, key=self.peers.get) if self.peers else None

    @property
    def ratio(self):
        """How often our time goes into that of the fastest peer."""
        return self.peers[self.fastest] / self.ours if self.peers else None

    @property
    def behind(self):
        """Whether the fastest peer is faster."""
        return self.ratio is not None and self.ratio < EQUAL


@dataclass
class Row:
    """All sizes of one method."""

    method: object
    cells: list[Cell] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    unequal: list[str] = field(default_factory=list)

    def times(self, name=None):
        """Measured times by size, ours or those of a peer."""
        if name is None:
            return {cell.n: cell.ours for cell in self.cells}
        return {
            cell.n: cell.peers[name]
            for cell in self.cells
            if name in cell.peers and name not in cell.guessed
        }

    def growths(self):
        """The exponents of ours and of the peer that is fastest at the greatest size."""
        last = self.cells[-1].fastest
        return growth(self.times()), growth(self.times(last)) if last else None


def same(method, mine, theirs):
    if method.rtol is None:
        return True
    mine, theirs = (np.ravel(np.asarray(one, dtype=float)) for one in (mine, theirs))
    return mine.shape == theirs.shape and np.allclose(
        mine, theirs, rtol=method.rtol, atol=method.atol
    )


def floor_of(method, given):
    """The least work, as a call; what it needs is made before."""
    if method.floor == "bincount":
        k = int(given[0].max()) + 1
        codes = (given[0] * k + given[1]) * k + given[2]
        return lambda: one_bincount(codes)
    if method.floor == "sorts":
        columns = [column.copy() for one in given[1:] for column in np.atleast_2d(one.T)]
        return lambda: sorts(*columns)
    calls = {"read": lambda: one_read(*given), "sort": lambda: sorts(given[-1])}
    return calls.get(method.floor)


def compared(row, given, options):
    """Callables of the peers to be timed, after each has been held against our number."""
    method, n = row.method, len(given[0])
    mine = method.ours(*given)
    calls, guesses = {}, {}
    for name, peer in method.peers.items():
        guess = predicted(row.times(name), n)
        if name in row.missing:
            continue
        if guess is not None and guess > options.limit:
            # Small sizes are not enough to predict that a call takes longer; a trial is.
            too_long = row.cells and name in row.cells[-1].guessed
            call = functools.partial(peer, *given)
            if too_long or peak_memory(call, options.limit) is None:
                guesses[name] = guess
                continue
        try:
            theirs = peer(*given)
        except ImportError as error:
            row.missing[name] = f"not installed ({error.name})"
            continue
        except Exception as error:
            row.missing[name] = f"{type(error).__name__} at {n:,} records: {error}"
            continue
        if not same(method, mine, theirs):
            found = f"{theirs!s:.80}, ours {mine!s:.80}"
            row.unequal.append(f"{name} at {n:,} records: {found}")
        calls[name] = lambda peer=peer: peer(*given)
    return calls, guesses


def measure(row, given, options):
    """Time and weigh a method at one size."""
    method = row.method
    calls, guesses = compared(row, given, options)
    ours = {"ours": lambda: method.ours(*given)}
    if method.test is not None:
        evidence = method.evidence(*given)
        ours["test"] = lambda: method.test(evidence)
    if (floor := floor_of(method, given)) is not None:
        ours["floor"] = floor
    taken = least_times(
        ours | {f"peer {name}": call for name, call in calls.items()},
        clock=options.clock,
        repeats=options.repeats,
        seconds=options.seconds,
    )
    cell = Cell(
        len(given[0]),
        taken["ours"],
        taken.get("test"),
        {name: taken[f"peer {name}"] for name in calls} | guesses,
        set(guesses),
        taken.get("floor"),
    )
    if cell.n >= WITH_MEMORY and not options.skip_memory:
        cell.memory["ours"] = peak_memory(ours["ours"], 10 * options.limit)
        if cell.fastest in calls:
            cell.memory["peer"] = peak_memory(calls[cell.fastest], 10 * options.limit)
    row.cells.append(cell)


def selected(words):
    """Methods in the order of the table; those whose name holds one of the words."""
    modules = peers_labels, peers_scores, peers_losses, peers_fits
    found = [
        replace(method, family=family)
        for module in modules
        for family, parts in module.FAMILIES.items()
        for part in parts
        for method in part()
    ]
    if not words:
        return found
    return [m for m in found if any(w.lower() in m.name.lower() for w in words)]


def measured(methods, options):
    """All rows; one set of data is in memory at a time."""
    rows = [Row(method) for method in methods]
    for n in sorted(options.sizes):
        by_data = {}
        for row in rows:
            if n <= row.method.largest:
                by_data.setdefault(row.method.data, []).append(row)
        for make, sharing in by_data.items():
            given = make(n)
            for row in sharing:
                print(f"{n:>10,}  {row.method.name}", file=sys.stderr, flush=True)
                measure(row, given, options)
    return [row for row in rows if row.cells]


def versions():
    """Installed peers with their versions, and the names of those that are not there."""
    there, absent = [], []
    for name in PACKAGES:
        try:
            there.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    return there, absent


def surroundings(options):
    """What a reader needs to judge the times."""
    there, absent = versions()
    said = [
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"one processor; {options.clock} clock, least of "
        f"{options.repeats} runs in turn or as many as go into {options.seconds:g} s.",
        f"Packages: {', '.join(there)}.",
    ]
    if absent:
        said.append(f"Not installed, and left out: {', '.join(absent)}.")
    return said


def failures(rows):
    """What is not as the table promises, in lines."""
    for row in rows:
        for text in row.unequal:
            yield f"{row.method.name}: another number from {text}"
        behind = [cell for cell in row.cells if cell.behind]
        if behind and not row.method.why:
            text = ", ".join(f"{c.n:,} ({c.fastest}, {c.ratio:.2f})" for c in behind)
            yield f"{row.method.name}: slower without a reason given, at {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--sizes", type=int, nargs="+", default=SIZES, help="records")
    add("--only", nargs="+", default=[], help="parts of the names of methods")
    add("--repeats", type=int, default=5, help="runs of each, in turn")
    add("--seconds", type=float, default=2.0, help="for all runs of a method at a size")
    add("--limit", type=float, default=4.0, help="seconds of a peer that is still run")
    add("--clock", choices=sorted(CLOCKS), default="wall")
    add("--skip-memory", action="store_true")
    add("--rst", action="store_true", help="print the page's tables")
    options = parser.parse_args()
    # Peers announce changes of their own, and divide by zero.
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rows = measured(selected(options.only), options)
    show(rows, surroundings(options), rst=options.rst)
    found = list(failures(rows))
    print("\n".join(found), file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
