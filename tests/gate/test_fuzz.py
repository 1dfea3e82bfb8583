"""Malformed files and policies: one clear line and exit code 2, never a pass."""

import csv
import io
import json
import os
import random
import sys
import tomllib
from collections import Counter
from contextlib import contextmanager
from decimal import Decimal

import numpy as np
import pytest

from skcompare.cli import main
from skcompare.gate import Policy, Superior
from tests.gate.malformed_files import (
    bad_files,
    bad_numbers,
    fresh,
    good_files,
    good_numbers,
    good_policy,
    number_policy,
    seeded,
    write_policy,
)
from tests.gate.malformed_policies import GOOD, as_toml, bad_policy

pytestmark = pytest.mark.usefixtures("one_parser")

QUICK, MANY = 70, 10_000
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link")

_watched: list[str] | None = None


def _watch(event, arguments):
    """Notes every file that is opened for writing, and every change of a folder."""
    if _watched is None:
        return
    if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        path, mode, flags = arguments
        writes = any(c in (mode or "") for c in "wax+") or (flags or 0) & WRITING
        if writes:
            _watched.append(os.fspath(path))
    elif event in CHANGES:
        _watched.append(f"{event} {arguments[0]}")


sys.addaudithook(_watch)


@contextmanager
def nothing_written(folder):
    """What is opened for writing, created or removed fails the test."""
    global _watched
    before = listed(folder)
    _watched = []
    try:
        yield
    finally:
        written, _watched = _watched, None
    assert [] == written
    assert before == listed(folder)


def listed(folder):
    """Every file with what tells whether it was changed."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            stat = os.stat(os.path.join(path, name))
            found[path, name] = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    return found


def refused(arguments, capsys, words):
    """Asserts that a gate is refused by one clear line; returns the line."""
    code = main(["gate", *arguments])
    printed = capsys.readouterr()
    assert (2, "") == (code, printed.out), words
    lines = printed.err.splitlines()
    assert 1 == len(lines), (words, lines)
    assert lines[0].startswith("skcompare gate: error: "), (words, lines)
    assert "internal error" not in lines[0], (words, lines)
    assert "Traceback" not in lines[0], (words, lines)
    assert 40 < len(lines[0]) < 2100, (words, lines)
    return lines[0]


def malformed(case, seed, folder):
    """A malformed case: what is wrong, and the arguments."""
    rng = seeded(seed, case)
    if rng.random() < 0.6:
        return bad_files(rng, folder)
    words, policy = bad_policy(rng)
    paths = []
    for k, said in enumerate(("spam,ham", "ham,ham")):
        rows = zip((1, 2), ("spam", "ham"), said.split(","))
        path = folder / f"predictions{k}.csv"
        path.write_text("id,y,said\n" + "".join(f"{i},{y},{s}\n" for i, y, s in rows))
        paths.append(str(path))
    (folder / "train.csv").write_text("id\n7\n")
    return words, [*write_policy(folder, policy), *paths]


def check_malformed(n, seed, folder, capsys):
    """Runs so many malformed cases, and counts the different messages."""
    messages = Counter()
    for case in range(n):
        words, arguments = malformed(case, seed, fresh(folder))
        with nothing_written(folder):
            line = refused(arguments, capsys, (case, words))
        messages[line.split(": ")[2][:30]] += 1
    return messages


def test_malformed_input_is_refused(tmp_path, capsys):
    """A file or policy that is wrong in one way ends in exit code 2 and one line."""
    messages = check_malformed(QUICK, "quick", tmp_path, capsys)

    assert len(messages) > 20


@pytest.mark.slow
def test_ten_thousand_malformed_inputs_are_refused(tmp_path, capsys):
    """The same for 10,000 of them."""
    messages = check_malformed(MANY, "many", tmp_path, capsys)

    assert MANY == messages.total()
    assert len(messages) > 60


def test_good_input_is_judged(tmp_path, capsys):
    """What is spoilt is good before: nothing is refused for another reason."""
    for case in range(6):
        rng = seeded("good", case)
        paths = good_files(rng, fresh(tmp_path))
        arguments = ["gate", *write_policy(tmp_path, good_policy(rng)), *map(str, paths)]
        with nothing_written(tmp_path):
            code = main(arguments)
        printed = capsys.readouterr()
        assert (True, "") == (code in (0, 1), printed.err)

    assert Policy.from_dict(tomllib.loads(as_toml(GOOD))).gate.alpha == 0.05


# Numbers, and margins that are shares


def check_numbers(n, seed, folder, capsys):
    """Runs so many malformed cases of numbers, and counts the different messages."""
    messages = Counter()
    for case in range(n):
        words, arguments = bad_numbers(seeded(seed, case), fresh(folder))
        with nothing_written(folder):
            line = refused(arguments, capsys, (case, words))
        messages[line.split(": ")[2][:30]] += 1
    return messages


def test_malformed_numbers_are_refused(tmp_path, capsys):
    """A file of numbers that is wrong in one way ends in exit code 2 and one line."""
    assert len(check_numbers(60, "numbers", tmp_path, capsys)) > 10


@pytest.mark.slow
def test_many_malformed_numbers_are_refused(tmp_path, capsys):
    """The same for 2,000 of them."""
    assert 2_000 == check_numbers(2_000, "many numbers", tmp_path, capsys).total()


def test_good_numbers_are_judged(tmp_path, capsys):
    """What is spoilt is good before."""
    for case in range(10):
        rng = seeded("good numbers", case)
        paths = good_numbers(rng, fresh(tmp_path))
        policy = write_policy(tmp_path, number_policy(rng))
        assert main(["gate", *policy, *map(str, paths)]) in (0, 1)
        assert "" == capsys.readouterr().err


def test_shares_of_any_text():
    """A text is refused, or is the share that it says."""
    rng, accepted = random.Random(0), 0
    for _ in range(3_000):
        text = "".join(rng.choices("0123456789.%%% -+e,", k=rng.randint(1, 7)))
        try:
            share = Superior("neg_mean_absolute_error", text).share
        except ValueError:
            continue
        assert Decimal(text.replace("%", "").strip()) / 100 == pytest.approx(Decimal(share))
        assert 0 < share < 1
        accepted += 1
    assert accepted > 20


# Changed bytes: malformed or not, by chance


def changed(rng, stored):
    """Some bytes changed, cut out, put in or repeated."""
    stored = bytearray(stored)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(stored)) if stored else 0
        kind = rng.randrange(5)
        if kind == 0 and stored:
            stored[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and stored:
            stored[at] = rng.choice(b'0123456789,."[]{}\n\0 -easpmh\xff')
        elif kind == 2:
            del stored[at : at + rng.randint(1, 8)]
        elif kind == 3:
            stored[at:at] = rng.randbytes(rng.randint(1, 4))
        else:
            stored[at:at] = stored[at : at + rng.randint(1, 20)]
    return bytes(stored)


def read_anew(path):
    """The columns of a file, by other code than the package's."""
    if path.suffix in (".csv", ".tsv"):
        delimiter = "," if path.suffix == ".csv" else "\t"
        text = path.read_bytes().decode("utf-8-sig")
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        records = [{k.strip(): v.strip() for k, v in row.items()} for row in rows]
    elif path.suffix == ".jsonl":
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
        records = [json.loads(line) for line in lines if line.strip()]
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name].tolist() for name in arrays.files}
    else:
        from pyarrow import parquet

        return parquet.read_table(path).to_pydict()
    return {name: [record.get(name) for record in records] for name in records[0]}


def decided_anew(policy, paths):
    """The exit code, by joining records in plain Python."""
    requested = Policy.from_dict(tomllib.loads(policy.read_bytes().decode("utf-8-sig")))
    names = requested.data
    tables = [read_anew(path) for path in paths]
    keyed = [{str(i): k for k, i in enumerate(table[names.id or "id"])} for table in tables]
    ids = [*keyed[0]]
    assert [len(keyed[0])] * 2 == [len(table[names.id or "id"]) for table in tables]
    y = names.y or "y"
    truths = [
        [str(table[y][rows[i]]) for i in ids]
        for table, rows in zip(tables, keyed)
        if y in table
    ]
    assert all(truth == truths[0] for truth in truths)
    predictions = {}
    for role, table, rows in zip("ab", tables, keyed):
        order = [rows[i] for i in ids]
        labels = [str(table[names.label][k]) for k in order]
        proba = np.array([float(table[names.proba][k]) for k in order])
        predictions[role] = {"labels": labels, "proba": proba}
    decision = requested.gate.decide(
        truths[0], predictions, labels=names.labels, pos_label=names.pos_label
    )
    return 0 if decision.passed else 1


def check_changed(n, seed, folder, capsys, suffixes):
    """Changes bytes of good input; what is not refused is judged as it reads."""
    codes = Counter()
    for case in range(n):
        rng = seeded(seed, case)
        paths = good_files(rng, fresh(folder))
        if any(path.suffix not in suffixes for path in paths):
            continue
        options = write_policy(folder, good_policy(rng))
        policy = folder / "gate.toml"
        spoilt = rng.choice([policy, *paths])
        spoilt.write_bytes(changed(rng, spoilt.read_bytes()))
        arguments = [*options, *map(str, paths)]
        code = main(["gate", *arguments])
        codes[code] += 1
        printed = capsys.readouterr()
        if code == 2:
            assert 1 == len(printed.err.splitlines()), (case, printed.err)
            assert "internal error" not in printed.err, (case, printed.err)
            assert "" == printed.out
        else:
            assert decided_anew(policy, paths) == code, case
    return codes


def test_changed_bytes_are_refused_or_read_as_they_are(tmp_path, capsys):
    """Bytes changed at random are refused by one line, or are still a good file."""
    text = (".csv", ".tsv", ".jsonl", ".npz")
    codes = check_changed(60, "changed", tmp_path, capsys, text)

    assert codes[2] > 15


@pytest.mark.slow
def test_many_changed_bytes(tmp_path, capsys):
    """The same for more, Parquet files among them."""
    text = (".csv", ".tsv", ".jsonl", ".npz", ".parquet")
    codes = check_changed(1_000, "changed more", tmp_path, capsys, text)

    assert codes[2] > 400


def test_policy_of_any_text():
    """Random text is refused, whatever is in it."""
    rng = random.Random(0)
    for _ in range(50):
        text = "".join(chr(rng.randrange(32, 0x3000)) for _ in range(rng.randint(1, 60)))
        with pytest.raises((ValueError, TypeError)):
            Policy.from_dict({text: text, "condition": [{text: text}]})
