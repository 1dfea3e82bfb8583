"""The structure of the package at any commit: lines, files, rooms, circles and ways.

    python benchmarks/structure.py                 # of this checkout
    python benchmarks/structure.py COMMIT [COMMIT]  # of commits, side by side
    python benchmarks/structure.py --list circles  # what is counted, one a line
    python benchmarks/structure.py --check          # what must hold, as the linters do

*Rooms* are the folders directly in `skcompare`, and each module beside them is a room of
its own. An import counts wherever it stands: in a function, for types only, and by a name
in a string. An import is *private* where it takes a module whose name begins with an
underscore from another room, or a private name. A *back arrow* is an import that goes
against the layers that import-linter is told. *Ways* are the functions and files of the
package that a call enters.
"""

import argparse
import ast
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "skcompare"

MOST_OF_FUNCTION, MOST_OF_MODULE, MOST_OF_FOLDER = 60, 600, 25
"""Lines of code in the body of a function and in a module, and modules in a folder."""

WAYS = """
import json, os, sys, tempfile, warnings
warnings.simplefilter("ignore")
import numpy as np
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
import skcompare, skcompare.gate
from skcompare import PairedComparator, compare
from skcompare.cli import main

X, y = make_classification(200, 5, random_state=0)
a, b = y.copy(), y.copy()
a[:60], b[:20] = 1 - a[:60], 1 - b[:20]
folder = tempfile.mkdtemp()
for name, said in (("old", a), ("new", b)):
    rows = [("id", "said") + (("y",) if name == "old" else ())]
    rows += [(k, s) + ((t,) if name == "old" else ())
             for k, (s, t) in enumerate(zip(said, y))]
    with open(os.path.join(folder, name + ".csv"), "w") as file:
        file.writelines(",".join(map(str, row)) + "\\n" for row in rows)
files = [os.path.join(folder, name + ".csv") for name in ("old", "new")]
calls = {
    "fit": lambda: PairedComparator(DummyClassifier(), GaussianNB()).fit(X, y),
    "compare": lambda: compare(y, {"a": a, "b": b}),
    "gate": lambda: main(["gate", *files, "--superior", "accuracy", "--id", "id",
                          "--label", "said"]),
}
found = {}
sys.stdout = open(os.devnull, "w")
for name, call in calls.items():
    call()  # what is imported late is there now
    seen = set()
    def watch(frame, event, argument, seen=seen):
        code = frame.f_code
        if event == "call" and "/skcompare/" in code.co_filename:
            seen.add((code.co_filename, code.co_name, code.co_firstlineno))
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    found[name] = len(seen), len({path for path, _, _ in seen})
sys.stdout = sys.__stdout__
print(json.dumps(found))
"""


def _assigned(node):
    """The name that a statement assigns, if it is one."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def code_lines(text):
    """Numbers of the lines that are neither blank, nor comments, nor docstrings."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (
            tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
            tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING,
        ):  # fmt: skip
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
            continue
        if isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return lines


class Structure:
    """The modules of a checkout, and what they import of each other."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = {}
        for path in sorted((self.root / PACKAGE).rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            self.paths[".".join(parts)] = path
        self.texts = {name: path.read_text() for name, path in self.paths.items()}
        self.imports = {name: set(self._imports(name)) for name in self.paths}

    def _imports(self, name):
        """Modules that a module imports, with the names that it takes of each."""
        package = name if self.paths[name].stem == "__init__" else name.rpartition(".")[0]
        named = {*self.paths} - {PACKAGE}
        for node in ast.walk(ast.parse(self.texts[name])):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._taken(alias.name, "")
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    up = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*up, base] if base else up)
                for alias in node.names:
                    yield from self._taken(base, alias.name)
            elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
                for string in ast.walk(node):
                    if isinstance(string, ast.Constant) and string.value in named:
                        yield string.value, ""

    def _taken(self, module, name):
        if f"{module}.{name}" in self.paths:
            yield f"{module}.{name}", ""
        elif module in self.paths:
            yield module, name

    @property
    def arrows(self):
        """Pairs of modules of which the first imports the second."""
        return {(a, b) for a, taken in self.imports.items() for b, _ in taken if a != b}

    def room(self, module):
        """The folder in the package, or the module beside the folders."""
        return ".".join(module.split(".")[:2])

    def sub_room(self, module):
        """The folder that a module lies in."""
        inside = self.paths[module].parent.relative_to(self.root).parts
        return ".".join(inside) if len(inside) > 1 else self.room(module)

    def circles(self, level=None):
        """Groups of modules, or of rooms, that import each other in a circle."""
        level = level or (lambda module: module)
        arrows = defaultdict(set)
        for a, b in self.arrows:
            if level(a) != level(b):
                arrows[level(a)].add(level(b))
        return [sorted(group) for group in components(arrows) if len(group) > 1]

    def private_imports(self):
        """Pairs of modules of which the first reaches into the room of the second."""
        found = set()
        for a, taken in self.imports.items():
            for b, name in taken:
                parts = (*b.split(".")[2:], name)
                hidden = any(p.startswith("_") and not p.startswith("__") for p in parts)
                if hidden and self.room(a) != self.room(b) and a != PACKAGE:
                    found.add(f"{a} -> {b}")
        return sorted(found)

    def back_arrows(self):
        """Imports against the layers of import-linter."""
        rank = self.layers()
        for a, b in sorted(self.arrows):
            one, other = rank.get(self.room(a)), rank.get(self.room(b))
            if one is not None and other is not None and other < one:
                yield f"{a} -> {b}"

    def layers(self):
        """The layer of each room, the highest first."""
        import tomllib

        settings = tomllib.loads((self.root / "pyproject.toml").read_text())
        contracts = settings["tool"]["importlinter"]["contracts"]
        layers = next(c["layers"] for c in contracts if c["type"] == "layers")
        rank = {}
        for k, layer in enumerate(layers):
            for name in layer.replace(":", "|").split("|"):
                rank[f"{PACKAGE}.{name.strip(' ()')}"] = k
        return rank

    def folders(self):
        """Modules a folder, without its `__init__`."""
        inside = Counter(
            str(path.parent.relative_to(self.root))
            for path in self.paths.values()
            if path.stem != "__init__"
        )
        return inside.most_common()

    def faults(self):
        """What must not be in any checkout, a line each."""
        for name, text in self.texts.items():
            lines, tree = code_lines(text), ast.parse(text)
            if len(lines) > MOST_OF_MODULE:
                yield f"{name} has {len(lines)} lines of code, more than {MOST_OF_MODULE}"
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    body = range(node.body[0].lineno, node.end_lineno + 1)
                    if (n := len(lines.intersection(body))) > MOST_OF_FUNCTION:
                        yield f"{name}.{node.name} has {n} lines of code"
            is_public = self.paths[name].stem in ("__init__", "exceptions")
            if not is_public and "__all__" in {n for n in map(_assigned, tree.body) if n}:
                yield f"{name} is private and has __all__"
        for n, folder in ((n, folder) for folder, n in self.folders()):
            if n > MOST_OF_FOLDER:
                yield f"{folder} has {n} modules, more than {MOST_OF_FOLDER}"
        for level in (None, self.room, self.sub_room):
            yield from (f"circle: {' '.join(group)}" for group in self.circles(level))
        yield from (f"back arrow: {arrow}" for arrow in self.back_arrows())
        yield from (f"private import: {arrow}" for arrow in self.private_imports())

    def ways(self):
        """Functions and files that three calls enter."""
        command = [sys.executable, "-W", "ignore", "-c", WAYS]
        ran = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"The ways cannot be followed: {ran.stderr[-500:]}")
        return json.loads(ran.stdout.splitlines()[-1])

    def measures(self):
        """What is printed, by name."""
        folder, most = self.folders()[0]
        found = {
            "code lines": sum(len(code_lines(text)) for text in self.texts.values()),
            "lines": sum(text.count("\n") for text in self.texts.values()),
            "files": len(self.paths),
            f"modules in {folder}": most,
            "folders above 25 modules": sum(n > 25 for _, n in self.folders()),
            "circles of modules": len(self.circles()),
            "circles of rooms": len(self.circles(self.room)),
            "circles of sub-rooms": len(self.circles(self.sub_room)),
            "back arrows": len([*self.back_arrows()]),
            "private imports between rooms": len([*self.private_imports()]),
        }
        for name, (functions, files) in self.ways().items():
            found[f"functions passed by {name}"] = functions
            found[f"files passed by {name}"] = files
        return found


def components(arrows):
    """Groups of nodes that reach each other, in the order of their first nodes."""
    reach = {node: reached(node, arrows) for node in sorted(arrows)}
    groups = (
        frozenset(b for b in reach[a] if a in reach.get(b, ()))
        for a in reach
        if a in reach[a]
    )
    return [*dict.fromkeys(groups)]


def reached(start, arrows):
    """Nodes to which arrows lead from a node, itself only in a circle."""
    found, waiting = set(), [start]
    while waiting:
        more = arrows.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return found


def of_commit(commit, folder):
    """The structure of a commit, which is unpacked into a folder."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return Structure(folder)


LISTS = {
    "circles": lambda s: [" ".join(group) for group in s.circles()],
    "rooms": lambda s: [" ".join(group) for group in s.circles(s.room)],
    "sub-rooms": lambda s: [" ".join(group) for group in s.circles(s.sub_room)],
    "back": Structure.back_arrows,
    "private": Structure.private_imports,
    "folders": lambda s: [f"{n} {folder}" for folder, n in s.folders()],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commits", nargs="*", metavar="COMMIT")
    parser.add_argument("--list", choices=LISTS, help="what is counted, one a line")
    parser.add_argument("--check", action="store_true", help="fail where a rule is broken")
    arguments = parser.parse_args()
    if arguments.check:
        faults = [*Structure(ROOT).faults()]
        print(*faults, sep="\n", end="\n" if faults else "")
        raise SystemExit(bool(faults))
    with tempfile.TemporaryDirectory() as folder:
        structures = {
            commit: of_commit(commit, Path(folder) / str(k))
            for k, commit in enumerate(arguments.commits)
        } or {"checkout": Structure(ROOT)}
        if arguments.list:
            for structure in structures.values():
                print("\n".join(LISTS[arguments.list](structure)))
            return
        columns = [structure.measures() for structure in structures.values()]
    names = list(dict.fromkeys(name for column in columns for name in column))
    width = max(map(len, names))
    print(" " * width, *(f"{commit[:12]:>12}" for commit in structures))
    for name in names:
        print(f"{name:{width}}", *(f"{column.get(name, ''):>12}" for column in columns))


if __name__ == "__main__":
    main()
