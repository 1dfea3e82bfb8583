"""Results of trained nets in files that add up, and the tests that decide from them.

A file has a JSON object a line: the setting, a data set, some of its splits, and for each
role which test records it predicts rightly, as packed bits. Files may be joined, and lines
may come twice. Splits are not stored, since their seeds are.
"""

import base64
import json
import lzma
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.validity.splits.mnist.mnist_designs import ROLES, Setting, draw
from benchmarks.validity.splits.resampling.resampling_decisions import TESTS
from benchmarks.validity.splits.resampling.resampling_designs import FOLDS, layout
from skcompare.evidence import BlockDifferences
from skcompare.model_selection._hadamard import orthogonal_array
from skcompare.stats import bcv_jackknife_t

STORED = Path(__file__).with_name("mnist.jsonl.xz")
"""Results of an NVIDIA H100 with torch 2.11: 870 seconds."""


def line_of(setting, unit, rights):
    """A line for `rights`: boolean arrays by split, (roles, test records)."""
    packed = {
        role: base64.b64encode(np.packbits(np.concatenate(right))).decode()
        for role, right in zip(ROLES, zip(*rights))
    }
    head = {**setting._asdict(), "data_set": unit.number, "splits": list(unit.splits)}
    return json.dumps(head | packed, separators=(",", ":"))


def append(path, lines):
    """Write lines behind those of a file, and behind one that was cut off."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write("".join(f"{line}\n" for line in lines).encode())


class Results:
    """What files hold, by setting, data set and split; later lines take precedence."""

    def __init__(self, paths=()):
        self._rows = defaultdict(dict)
        for path in map(Path, paths):
            for row in _rows_of(path) if path.exists() else ():
                setting = Setting(*(row[name] for name in Setting._fields))
                for split in row["splits"]:
                    self._rows[setting][row["data_set"], split] = row

    @property
    def settings(self):
        return sorted(self._rows)

    def has(self, settings, unit):
        """Whether all splits of a unit are there in all settings."""
        keys = [(unit.number, split) for split in unit.splits]
        return all(key in self._rows.get(s, ()) for s in settings for key in keys)

    def right(self, setting, number, split):
        """Whether each role predicts each test record rightly, (roles, test records)."""
        row = self._rows[setting][number, split]
        if "right" not in row:  # read for the first time
            _, splits = draw(setting.seed, number, setting.records)
            sizes = [int(splits.test[each].sum()) for each in row["splits"]]
            right = np.stack([_unpacked(row[role], sum(sizes)) for role in ROLES])
            parts = np.split(right, np.cumsum(sizes)[:-1], axis=1)
            row["right"] = dict(zip(row["splits"], parts))
            for role in ROLES:
                del row[role]
        return row["right"][split]

    def numbers(self, setting, splits):
        """Data sets that have all of these splits."""
        there = self._rows[setting]
        numbers = sorted({number for number, _ in there})
        return [n for n in numbers if all((n, split) in there for split in splits)]

    def tables(self, setting, numbers, splits):
        """Tables of splits, (data sets, splits, 4): see `Splits.tables`."""
        tables = np.empty((len(numbers), len(splits), 4), dtype=np.int16)
        for row, number in zip(tables, numbers):
            for cells, split in zip(row, splits):
                champion, challenger = self.right(setting, number, split)
                cells[:] = np.bincount(2 * ~champion + ~challenger, minlength=4)
        return tables


def _rows_of(path):
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:  # cut off when a run was stopped
                continue


def _unpacked(text, n):
    bits = np.frombuffer(base64.b64decode(text), np.uint8)
    return np.unpackbits(bits, count=n) > 0


def places():
    """Splits of each design that tests ask for; see `resampling_designs.parts_of`."""
    where = {name: list(range(s.start, s.stop)) for name, s in layout(False).items()}
    where["holdout"] = where["repeated holdout"][:1]
    where["10 folds"] = where["10x10"][:FOLDS]
    where["3x2"] = [where["5x2"][k] for k in _three_of_five()]
    return where


def _three_of_five():
    """Splits of three repetitions of 5×2 that are a 3×2 block-regularized design.

    Two halvings of eight blocks make four blocks of two, and a third may be the one more
    that these have: its signs are the product of the others'.
    """
    sides = np.where(np.asarray(orthogonal_array(5), dtype=bool).T, 1, -1)
    for three in combinations(range(5), 3):
        if abs(sides[list(three)].prod(axis=0).sum()) == sides.shape[1]:
            return [2 * repeat + half for repeat in three for half in (0, 1)]
    raise AssertionError("Five halvings of eight blocks have three of four blocks.")


class _Asked(dict):
    """Tables of designs, which note what a test takes."""

    def __init__(self, *args):
        super().__init__(*args)
        self.names = []

    def __getitem__(self, name):
        self.names.append(name)
        return super().__getitem__(name)


def designs_of(test):
    """Names of the designs whose tables a test takes."""
    tables = {
        name: np.tile([3, 2, 1, 1], (1, len(where), 1)) for name, where in places().items()
    }
    parts = _Asked(tables)
    test.pvalues(parts)
    return set(parts.names)


def decide(test, results, setting):
    """P-values of a test, and the data sets that have its splits."""
    where = places()
    names = designs_of(test)
    splits = sorted({split for name in names for split in where[name]})
    numbers = results.numbers(setting, splits)
    parts = {name: results.tables(setting, numbers, where[name]) for name in names}
    return (test.pvalues(parts) if numbers else np.empty(0)), numbers


def jackknife_pvalues(results, setting):
    """P-values of `bcv_jackknife_t`, the default of 5×2 block-regularized splits."""
    where = places()["5x2"]
    numbers = results.numbers(setting, where)
    pvalues = [_jackknife(results, setting, number, where) for number in numbers]
    return np.array(pvalues), numbers


def _jackknife(results, setting, number, where):
    _, splits = draw(setting.seed, number, setting.records)
    differences = np.zeros((len(where) // 2, setting.records))
    in_first = np.zeros(differences.shape, dtype=bool)
    for k, split in enumerate(where):
        test = splits.test[split]
        champion, challenger = results.right(setting, number, split).astype(float)
        differences[k // 2, test] = challenger - champion
        in_first[k // 2, test] = k % 2 == 0
    return bcv_jackknife_t(BlockDifferences.from_records(differences, in_first)).pvalue


def tests():
    """Title, key and decision of every test that the splits of MNIST allow.

    The decision takes results and a setting, and returns p-values and data sets.
    """
    for test in TESTS:
        if not test.costly:
            yield test.title, test.key, lambda *args, test=test: decide(test, *args)
    yield "5×2 BCV jackknife t", "bcv_jackknife_t", jackknife_pvalues
