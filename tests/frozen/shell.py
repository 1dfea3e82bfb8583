"""What the shell prints, and its exit codes."""

import contextlib
import io
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np

from skcompare.cli import main

POLICY = '[data]\nid = "id"\nlabel = "said"\n[[condition]]\nsuperior = "accuracy"\n'
FILES = {
    "gate.toml": POLICY,
    "tells.toml": f"tell_inconclusive = true\n{POLICY}",
    "wrong.toml": POLICY.replace("superior", "suprior"),
    "margin.toml": POLICY.replace("superior", "noninferior"),
    "broken.toml": "[data\n",
    "empty.csv": "",
    "head.csv": "id,said\n",
    "strange.csv": "id,said\n1,maybe\n2,0\n",
    "two.csv": "y,champion,challenger\n" + "yes,yes,no\nno,no,no\nyes,no,yes\n" * 5,
    "gaps.csv": "y,champion,challenger\nyes,,no\nno,no,no\n",
    "scores.csv": "y,champion,challenger\n"
    + "1,0.7,0.8\n0,0.2,0.4\n1,0.4,0.9\n0,0.6,0.1\n" * 9,
    "items.csv": "item,score\n" + "".join(f"{k},{k % 7 / 7}\n" for k in range(40)),
    "more.csv": "item,score\n" + "".join(f"{k},{k % 5 / 5}\n" for k in range(40)),
}
COMMANDS = """
--help
compare --help
gate --help
monitor --help
demo --help
list-tests --help
list-metrics --help
list-tests
list-metrics
demo
demo --nothing
nothing
monitor stream.json
monitor stream.txt two.csv
compare two.csv
compare two.csv --tests all
compare two.csv --alpha 0.2 --alternative greater
compare two.csv --format markdown
compare two.csv --format json
compare two.csv --html report.html --json report.json
compare two.csv --alpha 2
compare two.csv --tests mcnemr
compare two.csv --scoring roc_auc
compare two.csv --y truth
compare two.csv --champion old
compare gaps.csv
compare empty.csv
compare head.csv
compare missing.csv
compare scores.csv
compare scores.csv --scoring binary_brier_loss,roc_auc --pos-label 1
compare scores.csv --tests all --pos-label 1
compare --scores items.csv more.csv --score score --item item
compare items.csv --score score
gate old.csv new.csv --policy gate.toml
gate old.csv worse.csv --policy gate.toml
gate old.csv even.csv --policy gate.toml
gate old.csv even.csv --policy tells.toml
gate old.csv new.csv --policy margin.toml
gate old.csv new.csv --policy wrong.toml
gate old.csv new.csv --policy broken.toml
gate old.csv new.csv --policy missing.toml
gate old.csv new.csv --superior accuracy
gate old.csv new.csv --superior accuracy --id id --label said
gate old.csv new.csv --noninferior accuracy:0.05 --id id --label said
gate old.csv new.csv --noninferior accuracy --id id --label said
gate old.csv strange.csv --policy gate.toml
gate old.csv head.csv --policy gate.toml
gate old.csv empty.csv --policy gate.toml
gate old.csv missing.csv --policy gate.toml
gate old.csv --policy gate.toml
gate new.csv old.csv --policy gate.toml
gate old.csv new.csv --policy gate.toml --ledger looks.jsonl
gate old.csv new.csv --policy gate.toml --ledger looks.jsonl --blind
gate old.csv new.csv --policy gate.toml --format json
gate old.csv new.csv --policy gate.toml --format junit
gate old.csv new.csv --policy gate.toml --format markdown --junit gate.xml
gate old.csv new.csv --policy gate.toml --html gate.html --markdown gate.md
""".strip().splitlines()


def write_files(folder):
    """Files of labels, of which the second is better, worse and as good."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    for name, accuracy in (("old", 0.7), ("new", 0.9), ("worse", 0.4), ("even", 0.7)):
        said = np.where(rng.random(200) < accuracy, y, 1 - y)
        columns = {"id": range(200), "y": y, "said": said}
        if name != "old":
            del columns["y"]
        rows = [columns, *zip(*columns.values(), strict=True)]
        text = "".join(f"{','.join(map(str, row))}\n" for row in rows)
        (folder / f"{name}.csv").write_text(text)
    for name, text in FILES.items():
        (folder / name).write_text(text)


def run(command):
    """The exit code of a command, and what it prints."""
    printed, complained = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(complained),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            code = main(command.split())
        except SystemExit as error:
            code = error.code
    return code, printed.getvalue(), complained.getvalue()


def lines():
    """Every command with its code, its output and its errors."""
    before, width = Path.cwd(), os.environ.get("COLUMNS")
    summary = os.environ.pop("GITHUB_STEP_SUMMARY", None)
    os.environ["COLUMNS"] = "88"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write_files(folder)
        os.chdir(folder)
        try:
            for command in COMMANDS:
                code, printed, complained = run(command)
                yield f"==== skcompare {command} | {code}"
                yield printed.replace(str(folder), "FOLDER")
                yield f"-- {complained.replace(str(folder), 'FOLDER')}"
            written = sorted(path.name for path in folder.iterdir())
            yield f"==== written | {', '.join(written)}"
        finally:
            os.chdir(before)
            if width is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = width
            if summary is not None:
                os.environ["GITHUB_STEP_SUMMARY"] = summary
