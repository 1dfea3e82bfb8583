"""Check that the tables on the pages are what their commands print.

Every `csv-table` below a command of `benchmarks/` belongs to that command. Here each of
these commands runs with few draws, which takes seconds, and what it prints is held against
what it printed when the tables were made; the tables themselves are held against a stamp of
theirs. So a test, a world or a page that changes alone is found. Run

    python benchmarks/page_tables.py

with the releases of `.ci/oldest-requirements.txt`, because numbers of other releases of
numpy and scikit-learn differ. Commands that need data of others, and those that add up all
tables, which takes minutes, are stamped by their source.

Tables that are folded on the pages are in files, below ``doc/user_guide/tables``. Where a
command was run anew, its tables replace those of the same titles, in files and on the page,
and the stamps of the page are made anew, by

    COMMAND --rst | python benchmarks/page_tables.py --fill PAGE
    python benchmarks/page_tables.py --update PAGE
"""

import argparse
import ast
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "doc" / "user_guide"
STAMPS = Path(__file__).with_suffix(".json")
COMMAND = re.compile(
    r" *\$ (python (-m benchmarks\.[\w.]+|benchmarks/precision_study\.py).*)"
)
TABLE = re.compile(r"( *)\.\. csv-table:: *(.*)")
IN_FILE = re.compile(r"^( *):file: (\S+)$", re.MULTILINE)
OF_OTHERS = ("DATA", "FOLDER")
"""Names of folders in commands that have data of others."""

FEW = {
    "any_score": "--draws 4 --resamples 99 --records 50 --groups 10",
    "binned_auc": "--draws 10 --records 10000 --repeats 1",
    "bisections": "--draws 40",
    "calibration": "--draws 4 --resampled 2",
    "clustered": "--draws 2",
    "crossed": "--draws 2000",
    "gate": "--draws 100 --loops 4",
    "item_scores": "--draws 10",
    "label_tests": "--draws 40 --permutations 9",
    "losses": "--draws 4",
    "mnist": "",
    "precision": "--draws 20 --permutations 9",
    "precision_global": "--draws 4 --classes 3 --records 300",
    "precision_groups": "--draws 10",
    "precision_resampling": "--draws 2 --n-jobs 1",
    "ranking": "--draws 4",
    "repeated_looks": "--draws 2",
    "roc_band": "--draws 4 --resamples 50 --sizes 50+50",
    "sample_size": "--repetitions 200 --datasets 2 --fits 10",
    "score_resampling": "--draws 2",
    "several_algorithms": "--draws 2",
    "several_classifiers": "--draws 4",
    "time_order": "--draws 200",
    "type1_bcv_mcnemar": "--repetitions 1000 --checked 2 --datasets 2",
    "updated_precision": "--draws 10 --resamples 99",
}
"""Options with which each script takes seconds; they overrule those of the page."""

NOT_EVERYWHERE = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
"""Instructions of some processors, with which numpy rounds exponentials differently."""

INSTEAD = {"bcv_catalogue": "--quick --n-jobs 1 --only tune effects"}
"""Options in place of those of the page, where one short run stands for all parts."""


def read_page(page):
    """The text of a page, with the tables that are in files where they are shown."""

    def shown(match):
        rows = (page.parent / match[2]).read_text(encoding="utf-8").rstrip("\n")
        return "\n" + indent(rows, match[1])

    return IN_FILE.sub(shown, page.read_text(encoding="utf-8"))


def commands_of(page):
    """Commands of a page with the text of their tables; those side by side share these."""
    lines = read_page(page).split("\n")
    starts = {table.start: table for table in tables_of(lines)}
    found, last = [], None
    for number, line in enumerate(lines):
        if command := COMMAND.match(line):
            beside = last is not None and COMMAND.match(lines[number - 1])
            if not beside:
                found.append(([], []))
            found[-1][0].append((command[1].rstrip("\\ "), script_of(command[2])))
            last = number
        elif found and (table := starts.get(number)):
            # Its text is the same wherever it stands on the page, as in a folded part.
            found[-1][1].append(dedent("\n".join(lines[number : table.end])))
    return [(commands, "\n".join(tables)) for commands, tables in found if tables]


@dataclass
class Place:
    """A table among lines: where it starts, where its options and it end."""

    title: str
    margin: str
    start: int
    rows: int
    end: int


def tables_of(lines):
    """The places of all tables among lines."""
    for start, line in enumerate(lines):
        if table := TABLE.match(line):
            inside, end = table[1] + " ", start + 1
            while end < len(lines) and (
                not lines[end].strip() or lines[end].startswith(inside)
            ):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            rows = start + 1
            while rows < end and lines[rows].strip():
                rows += 1
            yield Place(table[2], table[1], start, rows, end)


def fill(page, printed):
    """Put tables that a command printed in the places of those with their titles."""
    new, source = {}, printed.split("\n")
    for table in tables_of(source):
        rows = dedent("\n".join(source[table.rows + 1 : table.end]))
        new.setdefault(table.title, []).append(rows)
    lines = page.read_text(encoding="utf-8").split("\n")
    places = [table for table in tables_of(lines) if table.title in new]
    for title, own in new.items():
        number = sum(table.title == title for table in places)
        if number not in (0, len(own)):
            raise SystemExit(
                f"{page.name} has {number} tables with the title {title!r}, but {len(own)} "
                "are printed, so that it is not known which is which. Nothing is changed."
            )
    for table in reversed(places):
        rows = new[table.title].pop()
        options = "\n".join(lines[table.start : table.rows])
        if in_file := IN_FILE.search(options):
            (page.parent / in_file[2]).write_text(rows + "\n", encoding="utf-8")
        else:
            margin = table.margin + "   "
            lines[table.rows + 1 : table.end] = indent(rows, margin).split("\n")
    page.write_text("\n".join(lines), encoding="utf-8")
    filled = {table.title for table in places}
    for title in new:
        print(f"{title}: {'filled' if title in filled else 'not on the page'}")


def script_of(words):
    """The path, from the root, of a script that is run by its path or by ``-m``."""
    module = words.removeprefix("-m ")
    return words if module == words else module.replace(".", "/") + ".py"


def stamp(text):
    """A short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sources(script, seen=None):
    """A script and the modules of benchmarks that it imports, and these, and so on."""
    seen = set() if seen is None else seen
    if script in seen:
        return seen
    seen.add(script)
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            for folder in (ROOT, script.parent):
                module = folder / (name.replace(".", "/") + ".py")
                if module.exists() and "benchmarks" in module.parts:
                    sources(module, seen)
    return seen


def quick(command, script):
    """The command with few draws; None where it is stamped by its source."""
    name = Path(script).stem
    if name in INSTEAD:
        return (*shlex.split(command)[1:3], *INSTEAD[name].split())
    if name not in FEW or any(word in OF_OTHERS for word in command.split()):
        return None
    return (*shlex.split(command)[1:], *FEW[name].split())


def printed(words):
    """The output of a command."""
    # The same kernels whatever the processor, and no thread waits for another.
    fixed = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
             "OPENBLAS_CORETYPE": "Haswell", "PYTHONWARNINGS": "ignore",
             "NPY_DISABLE_CPU_FEATURES": NOT_EVERYWHERE,
             "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'benchmarks'}"}  # fmt: skip
    ran = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=os.environ | fixed, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise SystemExit(f"{shlex.join(words)} failed:\n{ran.stderr}")
    return ran.stdout


def source_text(script):
    """The code of a script and of the modules beside it that it imports.

    Without its imports, so that a module of the package may move.
    """
    return "\n".join(
        without_imports(path.read_text(encoding="utf-8"))
        for path in sorted(sources(ROOT / script))
    )


def without_imports(text):
    """The lines of a module that are neither blank nor an import."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines[node.lineno - 1 : node.end_lineno] = [""] * len(
                lines[node.lineno - 1 : node.end_lineno]
            )
    return "\n".join(line for line in lines if line.strip())


def stamps_of(names, jobs):
    """The stamps of all commands of these pages; a command that occurs twice runs once."""
    found = {name: commands_of(PAGES / name) for name in names}
    pairs = {pair for page in found.values() for commands, _ in page for pair in commands}
    short = {pair: quick(*pair) for pair in pairs}
    runs = sorted({words for words in short.values() if words})
    with ThreadPoolExecutor(jobs) as pool:
        outputs = dict(zip(runs, pool.map(printed, runs)))
    texts = {
        pair: outputs[words] if words else source_text(pair[1])
        for pair, words in short.items()
    }
    return {
        name: [
            {
                "commands": [command for command, _ in commands],
                "prints": stamp("\n".join(texts[pair] for pair in commands)),
                "tables": stamp(tables),
            }
            for commands, tables in page
        ]
        for name, page in found.items()
    }


def complaints(name, known, now):
    """What is not as it was stamped."""
    if [one["commands"] for one in known] != [one["commands"] for one in now]:
        yield f"{name}: its commands are others than those that were stamped"
        return
    for old, new in zip(known, now):
        command = old["commands"][0]
        if old["prints"] != new["prints"]:
            yield (
                f"{name}: what `{command}` prints, or its source where a run is long, "
                "is not as it was when its tables were made. Run it, put its tables on the "
                "page, and update the stamps"
            )
        elif old["tables"] != new["tables"]:
            yield (
                f"{name}: the tables below `{command}` are not those that were stamped. "
                "Put there what it prints, and update the stamps"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--only", nargs="+", metavar="PAGE", help="pages, such as error_rates.rst")
    add("--update", nargs="+", metavar="PAGE", default=[], help="pages to stamp anew")
    add("--jobs", type=int, default=os.cpu_count(), help="commands at a time")
    add("--fill", metavar="PAGE", help="page whose tables are those of standard input")
    options = parser.parse_args()
    if options.fill:
        fill(PAGES / options.fill, sys.stdin.read())
        return 0
    known = json.loads(STAMPS.read_text()) if STAMPS.exists() else {}
    names = [page.name for page in sorted(PAGES.glob("*.rst")) if commands_of(page)]
    wrong = [
        f"{name}: no such page has tables any more" for name in known if name not in names
    ]
    now = stamps_of(options.update or options.only or names, options.jobs)
    if not options.update:
        wrong += [
            c for name in now for c in complaints(name, known.get(name, []), now[name])
        ]
    else:
        known |= now
        kept = {name: known[name] for name in sorted(known) if name in names}
        STAMPS.write_text(json.dumps(kept, indent=1) + "\n")
    print("\n".join(wrong) or "The tables of all pages are what their commands print.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
