"""Mutants of statistics and evidence: does another set of tests kill as many?

    python benchmarks/mutants.py draw --seed 0 --n 400     # writes mutants.txt, once
    python benchmarks/mutants.py run --out before.txt      # goes on where it was stopped
    python benchmarks/mutants.py compare before.txt after.txt

A mutant is one change of one function. It is named by the function, a digest of its body,
the kind of change and the ordinal of the place among those of its kind in the function, so
that it is found again after its module was renamed, merged or moved; one that is not there
any more is "not found". Underscores in front of names do not count.

`run` copies the checkout, collects its tests and docstring examples once, but for tests
marked slow or newest, and forks. First each test runs, and the statements of mutants that
it reaches are noted; this map is kept beside the results. Then a mutant's code takes the
place of its function's, in a forked process, and those tests run until one fails, the
quickest case of each test function first. What failed must pass without the mutant, after
the same tests; otherwise the mutant is tried without this test. A test that takes far too
long counts as failed: "timed out".

What was computed while modules were imported, and what other processes compute, is not
mutated. Both runs need the same version of Python, and Linux.
"""

import argparse
import ast
import builtins
import contextlib
import copy
import dataclasses
import gc
import hashlib
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import _lru_cache_wrapper, partial
from pathlib import Path
from types import CodeType, FunctionType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "skcompare"
LIST = Path(__file__).with_name("mutants.txt")

DRAWN = (
    *("stats/core", "stats/accuracy", "stats/losses", "stats/margins", "stats/ranking"),
    *("stats/scores", "evidence/labels", "evidence/losses", "evidence/scores"),
)
"""Rooms that mutants are drawn from."""

TESTS = ("tests", PACKAGE)
MARKS = "not slow and not newest"

SECONDS = 20.0
"""Seconds that a test may take with a mutant, beside ten times what it takes without."""

MEMORY = 6 << 30
"""Octets that a forked process may take in addition."""

KILLED = ("killed", "timed out")

# The places of a function


ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
NEGATED = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
EXTREMES = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax",
    "all": "any", "floor": "ceil",
}  # fmt: skip
EXTREMES |= {other: one for one, other in EXTREMES.items()}

NO_CODE = {"annotation", "returns", "decorator_list", "type_comment", "type_params"}
NO_PLACE = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.pattern)
SAME_WITHOUT = {"dtype", "out", "copy", "order", "stacklevel", "strict"}
"""Keywords that hardly change a value."""


@dataclass
class Site:
    """A place of a function that can be changed, and the statement that it is in."""

    kind: str
    statement: ast.stmt
    node: ast.AST
    change: object
    """Function that changes the tree and returns what now stands there."""


def shown(node):
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 120 else text[:117] + "..."


def sites(function):
    """The places of a function, in the order of its text."""
    return [
        Site(kind, statement, changed, change)
        for node, statement, put in walk(function, function)
        for kind, changed, change in changes(node, put)
    ]


def walk(node, statement):
    """Nodes that are code, each with its statement and a function that replaces it."""
    for name, value in ast.iter_fields(node):
        if name in NO_CODE:
            continue
        children = value if isinstance(value, list) else [value]
        for k, child in enumerate(children):
            if not isinstance(child, ast.AST) or isinstance(child, NO_PLACE):
                continue
            if isinstance(child, ast.keyword) and child.arg in SAME_WITHOUT:
                continue
            inner = child if isinstance(child, ast.stmt) else statement
            yield child, inner, partial(replace, node, name, k)
            yield from walk(child, inner)


def replace(parent, name, k, new):
    if isinstance(getattr(parent, name), list):
        getattr(parent, name)[k] = new
    else:
        setattr(parent, name, new)
    return new


def changes(node, put):
    """Changes of a node: the kind, what changes, and a function that changes it."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            if type(op) in BOUNDARY:
                yield "boundary", node, partial(operator, node, k, BOUNDARY)
            yield "negated", node, partial(operator, node, k, NEGATED)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield "arithmetic", node, partial(assign, node, "op", ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "boolean operator", node, partial(assign, node, "op", other())
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        kind = "not" if isinstance(node.op, ast.Not) else "unary"
        yield kind, node, partial(put, node.operand)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "boolean", node, partial(assign, node, "value", not node.value)
        elif isinstance(node.value, int | float):
            yield "constant", node, partial(assign, node, "value", node.value + 1)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        opposite = ast.UnaryOp(ast.Not(), node.test)
        yield "branch", node.test, partial(replace, node, "test", 0, opposite)
    else:
        yield from changes_of_other(node, put)


def changes_of_other(node, put):
    """Changes of names and of values that are handed on."""
    if isinstance(node, ast.Name) and node.id in EXTREMES:
        yield "extreme", node, partial(assign, node, "id", EXTREMES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in EXTREMES:
        yield "extreme", node, partial(assign, node, "attr", EXTREMES[node.attr])
    elif isinstance(node, ast.keyword | ast.Return) and node.value is not None:
        if not isinstance(node.value, ast.Constant) or node.value.value is not None:
            kind = "keyword" if isinstance(node, ast.keyword) else "return"
            yield kind, node, partial(assign, node, "value", ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call", node, partial(put, ast.Pass())


def operator(node, k, others):
    node.ops[k] = others[type(node.ops[k])]()
    return node


def assign(node, name, value):
    setattr(node, name, value)
    return node


# Functions and mutants of a checkout


@dataclass
class Function:
    """A function of a checkout."""

    path: Path
    name: str
    node: ast.FunctionDef

    @property
    def line(self):
        return min(n.lineno for n in [self.node, *self.node.decorator_list])

    @property
    def key(self):
        """As code objects have it."""
        return str(self.path), self.name, self.line

    def digest(self):
        """Digest of the code, whatever the underscores that names begin with."""
        node = copy.deepcopy(self.node)
        node.name, node.decorator_list = "", []
        for inner in ast.walk(node):
            for name in ("annotation", "returns"):
                if getattr(inner, name, None) is not None:
                    setattr(inner, name, ast.Constant(0))
            if isinstance(getattr(inner, "body", None), list):
                inner.body = [s for s in inner.body if not is_no_code(s)]
        text = re.sub(r"'_+(?=\w)", "'", ast.dump(node))
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def is_no_code(statement):
    """Whether a statement is an import or a docstring."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return isinstance(statement.value.value, str)
    return isinstance(statement, ast.Import | ast.ImportFrom)


def functions(path, tree=None):
    """The functions of a module and its classes, each with what is nested in it."""

    def inside(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield Function(path, prefix + child.name, child)
            elif isinstance(child, ast.ClassDef):
                yield from inside(child, f"{prefix}{child.name}.")
            elif not isinstance(child, ast.expr):
                yield from inside(child, prefix)

    return [*inside(tree or ast.parse(path.read_text(encoding="utf-8")), "")]


def bare(text):
    """A text with names that begin with no underscore."""
    return re.sub(r"\b_+(?=[A-Za-z])", "", text)


@dataclass(frozen=True)
class Mutant:
    """A line of the list."""

    function: str
    digest: str
    kind: str
    ordinal: int
    change: str

    def __str__(self):
        return "\t".join(map(str, vars(self).values()))

    @classmethod
    def from_line(cls, line):
        function, digest, kind, ordinal, change = line.rstrip("\n").split("\t")
        return cls(function, digest, kind, int(ordinal), change)


def mutants_of(function):
    """All mutants of a function."""
    digest, ordinals = function.digest(), Counter()
    for k, site in enumerate(sites(function.node)):
        copied = sites(copy.deepcopy(function.node))[k]
        change = f"{shown(site.node)} -> {shown(copied.change())}"
        yield Mutant(function.name, digest, site.kind, ordinals[site.kind], change)
        ordinals[site.kind] += 1


def draw(seed, n):
    """A sample of the mutants of functions whose results differ."""
    every = [f for path in modules(ROOT) for f in functions(path)]
    twins = Counter((bare(f.name), f.digest()) for f in every)
    rooms = {ROOT / PACKAGE / room for room in DRAWN}
    found = [
        mutant
        for f in every
        if f.path.parent in rooms and twins[bare(f.name), f.digest()] == 1
        # The code of a function that loses its `super` does not fit into it.
        if "super()" not in ast.unparse(f.node)
        for mutant in mutants_of(f)
    ]
    print(
        f"{len(found)} mutants of {len({(m.function, m.digest) for m in found})} functions"
    )
    return sorted(random.Random(seed).sample(found, n), key=str)


def modules(root):
    return sorted((root / PACKAGE).rglob("*.py"))


class Checkout:
    """The functions of a checkout, by name and by digest."""

    def __init__(self, root):
        self.by_name, self.by_digest = defaultdict(list), defaultdict(list)
        for path in modules(root):
            for function in functions(path):
                self.by_name[bare(function.name)].append(function)
                self.by_digest[function.digest()].append(function)

    def find(self, mutant):
        """The function and the number of the place that a mutant now has, or None."""
        named = self.by_name[bare(mutant.function)]
        same = self.by_digest[mutant.digest]
        groups = {
            "": [f for f in same if f in named],
            "By its name only": named,
            "By its digest only": same,
        }
        for how, group in groups.items():
            places = [(f, k) for f in group if (k := self._place(f, mutant)) is not None]
            if len(places) == 1:
                if how:
                    print(f"{how}, in {places[0][0].path.name}: {mutant}", flush=True)
                return places[0]
        return None

    def _place(self, function, mutant):
        """The number of the place of a function that is a mutant's, or None."""
        every = [*enumerate(sites(function.node))]
        kind = [k for k, site in every if site.kind == mutant.kind]
        old = bare(mutant.change.partition(" -> ")[0])
        alike = [k for k in kind if bare(shown(every[k][1].node)) == old]
        if kind[mutant.ordinal : mutant.ordinal + 1] in [[k] for k in alike]:
            return kind[mutant.ordinal]
        return alike[0] if len(alike) == 1 else None


# Code in the place of other code


class Code:
    """The functions that are loaded, and new code for them."""

    def __init__(self):
        self.loaded, self.caches = defaultdict(list), []
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                code = thing.__code__
                key = code.co_filename, code.co_qualname, code.co_firstlineno
                self.loaded[key].append(thing)
            elif isinstance(thing, _lru_cache_wrapper):
                module = getattr(thing, "__module__", None) or ""
                if module.partition(".")[0] in (PACKAGE, "tests"):
                    self.caches.append(thing)

    def clear(self):
        for cache in self.caches:
            cache.cache_clear()

    def put(self, tree, path, keys):
        """The code of a changed module in the place of what some functions have."""
        codes, todo = {}, [compile(ast.fix_missing_locations(tree), path, "exec", 0, True)]
        while todo:
            code = todo.pop()
            codes[path, code.co_qualname, code.co_firstlineno] = code
            todo += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for key in keys:
            if not self.loaded[key]:
                raise LookupError(f"{key} is not loaded")
            for function in self.loaded[key]:
                function.__code__ = codes[key]

    def mutate(self, function, place):
        """Put a mutant in the place of its function."""
        tree, fresh = self._fresh(function.path)
        arguments = fresh[function.key].node.args
        before = [ast.dump(n) if n else "" for n in defaults_of(arguments)]
        sites(fresh[function.key].node)[place].change()
        self.put(tree, str(function.path), [function.key])
        after = defaults_of(arguments)
        for k, (old, new) in enumerate(zip(before, after, strict=True)):
            if new is not None and old != ast.dump(new):
                for loaded in self.loaded[function.key]:
                    set_default(loaded, arguments, k, new)

    def mark(self, found):
        """Let functions say which of some places' statements they come to."""
        by_path = defaultdict(list)
        for number, (function, place) in found.items():
            by_path[function.path].append((number, function.key, place))
        for path, places in by_path.items():
            tree, fresh = self._fresh(path)
            marks = defaultdict(list)
            for number, key, place in places:
                node = fresh[key].node
                statement = sites(node)[place].statement
                # A default value counts wherever the function is called.
                first = node.body[is_no_code(node.body[0])]
                marks[first if statement is node else statement].append(number)
            Marker(marks).visit(tree)
            self.put(tree, str(path), {key for _, key, _ in places})

    def _fresh(self, path):
        """A module's tree, and its functions in this tree."""
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return tree, {f.key: f for f in functions(path, tree)}


class Marker(ast.NodeTransformer):
    """Puts a call before statements that says that they are come to."""

    def __init__(self, marks):
        self.marks = marks

    def visit(self, node):
        self.generic_visit(node)
        if not isinstance(node, ast.stmt) or node not in self.marks:
            return node
        call = ast.parse(f"__reached__({tuple(self.marks[node])})").body[0]
        for inner in ast.walk(call):
            ast.copy_location(inner, node)
        return [call, node]


def defaults_of(arguments):
    return [*arguments.defaults, *arguments.kw_defaults]


def set_default(function, arguments, k, node):
    """Give a loaded function another default value."""
    code = compile(ast.Expression(node), "default", "eval", 0, True)
    value = eval(code, function.__globals__)
    if k < len(arguments.defaults):
        values = list(function.__defaults__)
        values[k] = value
        function.__defaults__ = tuple(values)
    else:
        name = arguments.kwonlyargs[k - len(arguments.defaults)].arg
        function.__kwdefaults__ = {**function.__kwdefaults__, name: value}


# Tests in forked processes


class Child:
    """A forked process that calls a function, and the values that this writes."""

    def __init__(self, call):
        self.reader, writer = os.pipe()
        self.rest = b""
        self.folder = tempfile.mkdtemp()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._settle()
                with open(writer, "w", buffering=1) as lines:
                    call(lambda value: print(json.dumps(value), file=lines))
            finally:
                os._exit(0)
        os.close(writer)

    def _settle(self):
        """Print nothing, share no temporary folder, and take limited memory."""
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        silent = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(silent, number)
        tempfile.tempdir = self.folder
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = self.folder
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGESIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    def read(self):
        """What was written since, and whether that was the end."""
        data = os.read(self.reader, 1 << 20)
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [json.loads(line) for line in lines], not data

    def end(self):
        """Kill what still runs, and processes that it started."""
        for stop in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError):
                stop(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.reader)
        shutil.rmtree(self.folder, ignore_errors=True)


def ready(children):
    """Children that have written, or ended, within a second."""
    readers = {child.reader: child for child in children}
    return [readers[reader] for reader in select.select(list(readers), [], [], 1.0)[0]]


class Runner:
    """Plugin of pytest that calls a function with itself, once the tests are collected."""

    def __init__(self, then):
        self.then = then
        self.failed = self.passed = False
        self.reached, self.shared = set(), defaultdict(set)

    def pytest_configure(self, config):
        try:
            from hypothesis import HealthCheck, settings
        except ImportError:
            return
        checks = list(HealthCheck)
        options = {"database": None, "deadline": None, "derandomize": True}
        settings.register_profile("mutants", **options, suppress_health_check=checks)
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed:
            pytest.exit("Some tests cannot be collected.", returncode=1)
        self.items = session.items
        # The collector lists no function that tests have frozen.
        gc.unfreeze()
        self.code = Code()
        gc.freeze()
        self.then(self)
        return True

    def pytest_runtest_logreport(self, report):
        self.failed |= report.failed
        self.passed |= report.passed and report.when == "call"

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What several tests share is reached by each of them."""
        if fixturedef.scope == "function":
            return (yield)
        outer, self.reached = self.reached, set()
        try:
            return (yield)
        finally:
            self.shared[fixturedef.baseid, fixturedef.argname] |= self.reached
            self.reached = outer

    def run(self, numbers):
        """Run tests, one after the other; yields before and after each."""
        for number, following in zip(numbers, [*numbers[1:], None]):
            self.failed = self.passed = False
            yield number, False
            item = self.items[number]
            after = None if following is None else self.items[following]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            yield number, True


def chunks_of(items, most=50):
    """Numbers of tests that one process runs one after the other: of one file."""
    files = defaultdict(list)
    for number, item in enumerate(items):
        files[item.path].append(number)
    return [n[k : k + most] for n in files.values() for k in range(0, len(n), most)]


def map_of(runner, found, processes):
    """Seconds of each test that passes, and the tests that reach each mutant."""
    chunks = chunks_of(runner.items)
    taken, jobs = os.pipe()
    os.write(jobs, b"".join(k.to_bytes(4, "big") for k in range(len(chunks))))
    os.close(jobs)

    def work(say):
        builtins.__reached__ = lambda numbers: runner.reached.update(numbers)
        runner.code.mark(found)
        while job := os.read(taken, 4):
            for number, done in runner.run(chunks[int.from_bytes(job, "big")]):
                if not done:
                    runner.code.clear()
                    runner.reached = set()
                    start = time.perf_counter()
                    continue
                seconds = round(time.perf_counter() - start, 3)
                item, reached = runner.items[number], set(runner.reached)
                for (base, name), more in runner.shared.items():
                    if name in item.fixturenames and item.nodeid.startswith(base):
                        reached |= more
                say([number, seconds, runner.passed, runner.failed, sorted(reached)])

    children = [Child(work) for _ in range(processes)]
    os.close(taken)
    try:
        return gathered(runner.items, found, children)
    finally:
        for child in children:
            child.end()


def gathered(items, found, children):
    """The map, of what children say of the tests."""
    seconds, reaching, n_done = {}, {number: [] for number in found}, 0
    while children:
        for child in ready(children):
            values, ended = child.read()
            for number, needed, passed, failed, reached in values:
                n_done += 1
                if n_done % 1000 == 0:
                    print(f"{n_done} of {len(items)} tests", flush=True)
                if failed:
                    print(f"fails without a mutant: {items[number].nodeid}", flush=True)
                elif passed:
                    seconds[items[number].nodeid] = needed
                    for mutant in reached:
                        reaching[mutant].append(items[number].nodeid)
            if ended:
                child.end()
                children.remove(child)
    if n_done < len(items):
        raise SystemExit(f"Only {n_done} of {len(items)} tests ran: a process was lost.")
    return seconds, reaching


def in_order(tests, seconds):
    """Tests in the order in which they are tried: of each function the quickest first."""
    cases = defaultdict(list)
    for test in sorted(set(tests), key=lambda test: (seconds[test], test)):
        cases[test.partition("[")[0]].append(test)
    ranked = [(k, seconds[t], t) for group in cases.values() for k, t in enumerate(group)]
    return [test for _, _, test in sorted(ranked)]


@dataclass
class Trial:
    """A mutant that is tried, or the tests up to a failed one without it."""

    mutant: Mutant
    place: tuple
    tests: list
    verdict: str = ""
    last: int | None = None
    at: int = -1
    since: float = 0.0
    start: float = 0.0

    @property
    def control(self):
        return self.last is not None


class Trials:
    """Mutants that are tried in forked processes, and what came of them."""

    def __init__(self, runner, seconds, file):
        self.runner, self.seconds, self.file = runner, seconds, file
        self.numbers = {item.nodeid: k for k, item in enumerate(runner.items)}

    def run(self, trials, processes):
        running = {}
        try:
            self._run(trials[::-1], running, processes)
        finally:
            for child in running:
                child.end()

    def _run(self, trials, running, processes):
        while trials or running:
            while trials and len(running) < processes:
                trial = trials.pop()
                trial.at, trial.since = -1, time.perf_counter()
                trial.start = trial.start or trial.since
                running[Child(partial(self._work, trial))] = trial
            outcomes = {}
            for child in ready(running):
                if outcome := self._heard(child, running[child]):
                    outcomes[child] = outcome
            for child, trial in running.items():
                late = time.perf_counter() - trial.since > self._limit(trial)
                if late and child not in outcomes:
                    outcomes[child] = "timed out"
            for child, outcome in outcomes.items():
                child.end()
                if (again := self._judge(running.pop(child), outcome)) is not None:
                    trials.append(again)

    def _work(self, trial, say):
        try:
            if not trial.control:
                self.runner.code.mutate(*trial.place)
        except (LookupError, ValueError, TypeError) as error:
            say(f"error: {error}")
            return
        self.runner.code.clear()
        tests = trial.tests[: trial.last + 1] if trial.control else trial.tests
        numbers = [self.numbers[test] for test in tests]
        for k, (_, done) in enumerate(self.runner.run(numbers)):
            if not done:
                say(k // 2)
            elif self.runner.failed:
                say("killed")
                return
        say("survived")

    def _heard(self, child, trial):
        """What a child says of the end of its trial; None before the end."""
        values, ended = child.read()
        for value in values:
            if isinstance(value, str):
                return value
            trial.at, trial.since = value, time.perf_counter()
        # It ended without a word, as where memory is lacking.
        return "killed" if ended else None

    def _limit(self, trial):
        usual = self.seconds[trial.tests[trial.at]] if trial.at >= 0 else 0.0
        return SECONDS + 10 * usual

    def _judge(self, trial, outcome):
        """Write a verdict, or return what is to be tried next."""
        failed = outcome in KILLED
        if not trial.control and failed and trial.at >= 0:
            return dataclasses.replace(trial, verdict=outcome, last=trial.at)
        if trial.control and failed:
            # The test fails by itself, so that nothing follows from it.
            print(f"fails without a mutant: {trial.tests[trial.at]}", flush=True)
            tests = trial.tests[: trial.at] + trial.tests[trial.at + 1 :]
            return dataclasses.replace(trial, tests=tests, verdict="", last=None)
        if trial.control:
            test = trial.tests[trial.last]
            self.write(trial, trial.verdict, trial.last + 1, test)
        elif failed:
            self.write(trial, "error: lost before its first test")
        else:
            self.write(trial, outcome, len(trial.tests))
        return None

    def write(self, trial, verdict, n_tests=0, test=""):
        now = time.perf_counter()
        seconds = f"{now - (trial.start or now):.1f}"
        print(verdict, n_tests, seconds, test, trial.mutant, sep="\t", file=self.file)
        self.file.flush()


# Commands


def read_results(path):
    """Verdict and line of each mutant of a file of results, by mutant."""
    found = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            verdict, _, _, test, mutant = line.split("\t", 4)
            found[mutant] = verdict, test
    return found


def digest_of(root):
    """Digest of what a run depends on."""
    digest = hashlib.sha256(sys.version.encode() + MARKS.encode())
    for name in ("conftest.py", "pyproject.toml", *TESTS):
        paths = [root / name] if (root / name).is_file() else (root / name).rglob("*.*")
        for path in sorted(paths):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def run(out, processes):
    """Try the mutants of the list that have no line in the results."""
    start = time.perf_counter()
    # Whoever ends it leaves no process and no folder behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    head = f"# {digest_of(ROOT)}"
    if out.exists() and out.read_text(encoding="utf-8").splitlines()[:1] != [head]:
        raise SystemExit(f"{out} is of another checkout. Name another file by --out.")
    if not out.exists():
        out.write_text(f"{head}\n", encoding="utf-8")
    lines = LIST.read_text(encoding="utf-8").splitlines()
    mutants = [*map(Mutant.from_line, lines)]
    with tempfile.TemporaryDirectory() as folder, open(out, "a", encoding="utf-8") as file:
        root = Path(folder).resolve() / "checkout"
        ignored = shutil.ignore_patterns(".git", "__pycache__", "_build", ".*_cache")
        shutil.copytree(ROOT, root, ignore=ignored, symlinks=True)
        checkout, done = Checkout(root), read_results(out)
        found = {mutant: checkout.find(mutant) for mutant in mutants}

        def then(runner):
            places = {k: found[m] for k, m in enumerate(mutants) if found[m] is not None}
            path = out.with_suffix(".map.json")
            seconds, reaching = mapped(path, [head, *lines], runner, places, processes)
            trials = Trials(runner, seconds, file)
            todo = [
                Trial(mutant, found[mutant], in_order(reaching.get(k, ()), seconds))
                for k, mutant in enumerate(mutants)
                if str(mutant) not in done
            ]
            for trial in todo:
                if trial.place is None:
                    trials.write(trial, "not found")
            trials.run([trial for trial in todo if trial.place is not None], processes)

        collect(root, then)
    print(Counter(verdict for verdict, _ in read_results(out).values()))
    print(f"{time.perf_counter() - start:.0f} seconds")


def mapped(path, key, runner, places, processes):
    """The map that is kept in a file, or a new one."""
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return kept["seconds"], {int(k): v for k, v in kept["reaching"].items()}
    start = time.perf_counter()
    seconds, reaching = map_of(runner, places, processes)
    kept = {"key": key, "seconds": seconds, "reaching": reaching}
    path.write_text(json.dumps(kept), encoding="utf-8")
    needed = time.perf_counter() - start
    print(f"{len(seconds)} tests mapped in {needed:.0f} seconds", flush=True)
    return seconds, reaching


def collect(root, then):
    """Collect the tests of a copy of the checkout, and call a function with them."""
    for name in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    os.environ["PYTHONPATH"] = str(root)
    tempfile.tempdir = str(root.parent)
    sys.path[0] = str(root)
    os.chdir(root)
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "--capture=sys", "-n", "0"]
    if code := pytest.main([*options, "-m", MARKS, *TESTS], plugins=[Runner(then)]):
        raise SystemExit(int(code))


def compare(before, after):
    """List the mutants that were killed before and are not after."""
    first, then = read_results(before), read_results(after)
    killed = [mutant for mutant, (verdict, _) in first.items() if verdict in KILLED]
    lost = 0
    for mutant in killed:
        verdict, _ = then.get(mutant, ("not tried", ""))
        if verdict not in KILLED:
            print(verdict, mutant, f"before by {first[mutant][1]}", sep="\t")
            lost += 1
    more = [m for m, (v, _) in then.items() if v in KILLED and m not in killed]
    print(f"{lost} of {len(killed)} that were killed are not any more; {len(more)} now are")
    return lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("draw", help="write the list of mutants")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--n", type=int, default=400)
    command = commands.add_parser("run", help="try the mutants of the list")
    command.add_argument("--out", type=Path, required=True)
    command.add_argument("--processes", type=int, default=os.cpu_count())
    command = commands.add_parser("compare", help="list what is not killed any more")
    command.add_argument("before", type=Path)
    command.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "draw":
        lines = "".join(f"{mutant}\n" for mutant in draw(options.seed, options.n))
        LIST.write_text(lines, encoding="utf-8")
    elif options.command == "run":
        run(options.out.resolve(), options.processes)
    else:
        return 1 if compare(options.before, options.after) else 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
