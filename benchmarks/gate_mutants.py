"""Formulas that are changed on purpose: would the tests notice?

Each mutant is one change of a statistic of the gate, for which some tests must fail. Run

    python benchmarks/gate_mutants.py

which copies the checkout, changes one place after the other, and runs the tests each time;
it ends with code 1 where a mutant survives, or where its place is no longer there.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

MUTANTS = {
    # By file: what stands there, what takes its place
    "gate/_evaluate.py": [
        ("share = gate.alpha / len(condition.conditions)", "share = gate.alpha"),
        ("share = alpha / len(sides)", "share = alpha"),
        ("pvalue = max(side.pvalue", "pvalue = min(side.pvalue"),
        ("PASSED if pvalue < alpha", "PASSED if pvalue < 2 * alpha"),
        ("outcome.n_records < least", "outcome.n_records < least - 1"),
        ("n_discordant < least", "n_discordant < least - 1"),
        ("outcome.status != FAILED:", "False:"),
        ("if not farthest < condition.margin", "if farthest < condition.margin"),
        ("decision.passed != (before == PASSED)", "False"),
    ],
    "stats/margins/_margin_test.py": [
        ("UNEVEN = 2.0", "UNEVEN = 4.0"),
        ("UNEVEN = 2.0", "UNEVEN = 1.0"),
        ("weights.sum() ** 2 / (weights**2)", "2 * weights.sum() ** 2 / (weights**2)"),
        ("skewness = third / square**1.5", "skewness = -third / square**1.5"),
        ("units / (units - 1))\n    return", "1.0)\n    return"),
        ("FEW_OF_A_CLASS = 20", "FEW_OF_A_CLASS = 10"),
        ("SUPPOSED = 10.0", "SUPPOSED = 1.0"),
        ("TIMES = 2.0", "TIMES = 1.0"),
        ('"records": Floor(2.0, 30)', '"records": Floor(1.0, 30)'),
        ('"records": Floor(2.0, 30)', '"records": Floor(2.0, 15)'),
        ('"groups": Floor(2.0, 20)', '"groups": Floor(1.0, 20)'),
        ('"groups": Floor(2.0, 20)', '"groups": Floor(2.0, 10)'),
        ("OTHER = Floor(2.0, 20)", "OTHER = Floor(2.0, 10)"),
        ("- skewness / 6\n", "+ skewness / 6\n"),
        ("/ self.moments.error / 3)", "/ self.moments.error / 2)"),
        ("outward(-skewness, ", "outward(skewness, "),
        ("against = abs(skewness)", "pass"),
        ("self.df) + skewness / 6)", "self.df))"),
        ("pvalue = max(pvalue, other", "pvalue = min(pvalue, other"),
        ("wider = min if", "wider = max if"),
        ("if pvalue < alpha and not beyond:", "if False:"),
    ],
    "gate/_decision.py": [
        ("all(outcome.passed for outcome", "any(outcome.passed for outcome"),
    ],
    "gate/_ledger.py": [
        ("(1 + math.log2(number + 1))", "(1 + math.log2(number))"),
    ],
}


def survives(folder, name, old, new, tests, processes):
    """Whether all tests pass with a change; None where there is nothing to change."""
    path = folder / "skcompare" / name
    whole = path.read_text(encoding="utf-8")
    if whole.count(old) < 1:
        return None
    path.write_text(whole.replace(old, new, 1), encoding="utf-8")
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-n", str(processes)]
            + ["-p", "no:cacheprovider", "-m", "not slow", *tests],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(whole, encoding="utf-8")
    return ran.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", nargs="+", default=["tests/gate", "tests/stats/margins"])
    parser.add_argument("--only", nargs="+", type=int, help="numbers of mutants")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    lived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(
            ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", "_build")
        )
        mutants = [(name, *one) for name, each in MUTANTS.items() for one in each]
        for number, (name, old, new) in enumerate(mutants, 1):
            if options.only and number not in options.only:
                continue
            lives = survives(copy, name, old, new, options.tests, options.processes)
            words = {None: "is not there", True: "SURVIVES", False: "is noticed"}[lives]
            lived += lives is not False
            print(
                f"{number:>3} {name}: {old.strip()!r} to {new.strip()!r} {words}",
                flush=True,
            )
    print(f"{lived} not noticed")
    return 1 if lived else 0


if __name__ == "__main__":
    raise SystemExit(main())
