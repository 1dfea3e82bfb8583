"""What ``import skcompare`` costs, against ``import sklearn.model_selection``.

Every round starts a fresh process for each of the two, in turn, and a third that imports
one after the other, for what comes on top where scikit-learn is in use anyway. Times are
those of the processor, which tell more than the clock where others use the machine; the
ratio is the median of those of the rounds, because a slow spell slows both. Compiled
modules are kept in a folder of this run, so that none is compiled while it is timed. Run

    python -m benchmarks.timing.imports

or with ``--help`` for the options. The limit is 1.15; the exit code is 1 above it.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

LIMIT = 1.15
PEER = "import sklearn.model_selection"
OURS = "import skcompare"
BOTH = f"{PEER}; {OURS}"


def seconds(code, environment):
    """Time of the processor that a fresh interpreter needs for a line of code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def rounds(n_rounds, lines, environment):
    """Times of each line, a list of one a round."""
    for line in lines:  # compiles, and brings the files into memory
        seconds(line, environment)
    times = {line: [] for line in lines}
    for _ in range(n_rounds):
        for line in lines:
            times[line].append(seconds(line, environment))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times = rounds(options.rounds, ["pass", PEER, OURS, BOTH], environment)
    medians = {line: statistics.median(found) for line, found in times.items()}
    for line, found in times.items():
        print(f"{line}: median {medians[line]:.3f} s, least {min(found):.3f} s")
    ratio = statistics.median(a / b for a, b in zip(times[OURS], times[PEER], strict=True))
    print(f"on top of scikit-learn: {medians[BOTH] - medians[PEER]:.3f} s")
    verdict = "passed" if ratio <= LIMIT else "not passed"
    print(f"ratio {ratio:.3f} (limit {LIMIT:g}): {verdict}")
    sys.exit(ratio > LIMIT)


if __name__ == "__main__":
    main()
