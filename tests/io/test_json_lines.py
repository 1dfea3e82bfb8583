"""JSON lines as columns of labels, probabilities, ids and groups."""

import gzip
import json
import math
import os

import numpy as np
import pytest

from skcompare import compare
from skcompare._io.columns import columns_of, source_of
from skcompare._io.readers import JSON_BATCH
from tests.common.made_up import check_made_up

LINES = (
    '{"id": 3, "y": "no", "p": 0.5, "right": true, "messages": [{"role": "user"}]}\n'
    "\n"
    '{"p": 1, "id": 1, "y": "yes", "right": false, "messages": []}\r\n'
    ' {"id": 2, "y": "no", "p": 0, "right": true, "more": null}'
)


@pytest.fixture
def write(tmp_path):
    """Writes a file and gives its path."""

    def write(text, name="predictions.jsonl"):
        path = tmp_path / name
        content = text.encode() if isinstance(text, str) else text
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def test_columns(write):
    """Columns are of whole numbers, fractions, text or booleans, by their values."""
    for name in ["a.jsonl", "a.NDJSON", "a.jsonl.gz", "a.ndjson.gz"]:
        path = write(LINES, name)
        expected = {
            "id": np.array([3, 1, 2]),
            "y": np.array(["no", "yes", "no"]),
            "p": np.array([0.5, 1, 0]),
            "right": np.array([True, False, True]),
        }
        found = columns_of(path, list(expected))

        assert [*expected, "messages"] == source_of(path).names
        for column, array in expected.items():
            assert array.dtype == found[column].dtype
            assert array.tolist() == found[column].tolist()


def test_a_byte_order_mark_is_no_value(write):
    """A mark at the start, as some editors write it, is left out."""
    assert [1] == columns_of(write(b'\xef\xbb\xbf{"x": 1}'), ["x"])["x"].tolist()


def test_many_batches(write):
    """Records come in order, also when there are more than are read at a time."""
    n = JSON_BATCH + 100
    lines = "".join(f'{{"x": {i}, "t": "{i % 7}"}}\n' for i in range(n))
    found = columns_of(write(lines), ["x", "t"])

    assert list(range(n)) == found["x"].tolist()
    assert [str(i % 7) for i in range(n)] == found["t"].tolist()


def test_a_fraction_after_many_whole_numbers(write):
    """A column whose batches have whole numbers or fractions is of fractions."""
    lines = '{"x": 1}\n' * 5000 + '{"x": 0.5}\n'

    assert [1.0] * 5000 + [0.5] == columns_of(write(lines), ["x"])["x"].tolist()


def test_whole_numbers_are_exact(write):
    """Ids of up to 64 bits are distinguished."""
    ids = [2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
    lines = "".join(f'{{"x": {one}}}\n' for one in ids)

    assert ids == columns_of(write(lines), ["x"])["x"].tolist()


def test_files_that_are_wrong(write):
    """What is wrong is said with the file and the line."""
    for text, message in [
        ("", "at least one record. Got an empty file"),
        ("\n \n", "at least one record. Got an empty file"),
        ('{"x": 1}\n{"x": 1\n', "Line 2 .* is not JSON: Expecting ',' delimiter at"),
        ('{"x": 1}\n\n[1]\n', "Line 3 .* must be an object. Got an array"),
        ('{"x": 1}\n"x"\n', "Line 2 .* must be an object. Got a value"),
        ('{"x": 1}{"x": 1}\n', "Line 1 .* has more than one value"),
        ('{"x": 1} {"y": 2}\n', "Line 1 .* has more than one value"),
        ('{"x": NaN}\n', "Line 1 .* is not JSON: it has NaN, which is not a JSON number"),
        ('{"x": 1, "z": -Infinity}\n', "it has -Infinity, which is not a JSON number"),
        ('{"x": 1, "x": 1}\n', "Line 1 .* an object has the name 'x' more than once"),
        ('{"x": 1, "z": {"a": 1, "a": 2}}\n', "the name 'a' more than once"),
        ('{"x": 1}\n{"y": 1}\n', "Line 2 .* has no value in column 'x'. Drop records"),
        ('{"x": 1}\n{"x": null}\n', "Line 2 .* has no value in column 'x'. Drop records"),
        ('{"x": [1]}\n', "Line 1 .* has an array in column 'x'"),
        ('{"x": 1}\n{"x": {"a": 1}}\n', "Line 2 .* has an object in column 'x'"),
        ('{"x": 1}\n{"x": "1"}\n', "Got numbers in line 1 and text in line 2. Write"),
        ('{"x": true}\n{"x": 1}\n', "Got true and false in line 1 and numbers in line 2"),
        ('{"x": 1}\n' * 5000 + '{"x": "a"}', "numbers in line 1 and text in line 5001"),
        ('{"x": 9223372036854775808}\n', "Line 1 .* too large: 9223372036854775808"),
        ('{"x": 1e999}\n', "Line 1 .* too large for a fraction"),
        ('{"x": ' + "9" * 400 + ', "y": 1}\n{"x": 0.5}', "Line 1 .* too large"),
        ('{"x": 0.5}\n{"x": 9007199254740993}', "in line 2 a whole number above 2\\*\\*53"),
        ('{"x": 9007199254740993}\n' * 5000 + '{"x": 0.5}', "in line 1 a whole number"),
        ('{"x": ' + "9" * 5000 + "}\n", "Line 1 .* is not JSON|too large"),
        ('{"x": 1, "y": ' + "[" * 200_000 + "\n", "Line 1 .* is nested too deeply"),
        (
            '{"x": "\\ud800"}\n',
            r"Column 'x' of .* texts that can be written. Got '\\ud800'",
        ),
        ('{"x": "a"}\n{"x": "a\\u0000"}\n', r"that can be written. Got 'a\\x00'"),
        ('{"z": 1}\n', "Unknown column 'x'. Known: z"),
        (b'{"x": "\xff"}\n', "must be UTF-8"),
        ('{"x": "é"}\n'.encode("utf-16"), "must be UTF-8"),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            columns_of(write(text), ["x"])
        assert 400 > len(str(error.value))
        assert "predictions.jsonl" in str(error.value)


def test_broken_gzip(write, tmp_path):
    """A compressed file that ends early is refused, and so is one that is none."""
    path = write(LINES, "a.jsonl.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ValueError, match="is not a JSON lines file"):
        columns_of(path, ["id"])
    path.write_bytes(LINES.encode())
    with pytest.raises(OSError, match=r"Cannot read .*a\.jsonl\.gz"):
        columns_of(path, ["id"])
    with pytest.raises(FileNotFoundError, match=r"Cannot read .*none\.jsonl"):
        columns_of(tmp_path / "none.jsonl", ["id"])


def test_a_line_without_end(write, monkeypatch):
    """A compressed file of a few letters cannot fill the memory with one line."""
    monkeypatch.setattr("skcompare._io.readers.LONGEST_LINE", 1000)
    for name in ("a.jsonl.gz", "a.csv.gz"):
        with pytest.raises(ValueError, match="has a line of more than 1,000 characters"):
            columns_of(write("x" * 5000, name), ["x"])


def test_files_are_only_read(write):
    """A file that nobody may write to is read, and stays as it is."""
    path = write(LINES)
    os.chmod(path, 0o444)
    before = path.read_bytes(), path.stat().st_mtime_ns
    columns_of(path, ["id"])

    assert before == (path.read_bytes(), path.stat().st_mtime_ns)


def read_or_refused(path):
    """All columns of a file, and what was said where it was refused."""
    try:
        return columns_of(path, source_of(path).names), ""
    except ValueError as error:
        return {}, str(error)


def check_values(path, values):
    """They come back as they were written, or there is one clear error."""
    path.write_text("".join(json.dumps({"x": v}) + "\n" for v in values), encoding="utf-8")
    found, refused = read_or_refused(path)
    if refused:
        assert path.name in refused
        return
    assert values == found["x"].tolist()
    kinds = {type(value) for value in values}
    assert len(kinds - {int, float}) + bool(kinds & {int, float}) == 1
    assert not any(isinstance(v, float) and math.isnan(v) for v in values)


def check_bytes(path, content):
    """A file that holds them is read, or refused by one clear error."""
    path.write_bytes(content)
    found, refused = read_or_refused(path)

    assert found or path.name in refused


def a_few_values(st):
    """One to four values of any kind that JSON has."""
    kinds = st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)
    return st.lists(st.one_of(*kinds), min_size=1, max_size=4)


@pytest.mark.slow
def test_any_values_come_back_or_are_refused(tmp_path):
    """A column has exactly the values that were written, or there is one clear error."""
    path = tmp_path / "values.jsonl"
    check_made_up(lambda values: check_values(path, values), a_few_values, 100)


@pytest.mark.slow
def test_any_bytes(tmp_path):
    """Whatever a file holds, it is read or refused by one clear error."""
    path = tmp_path / "bytes.jsonl"
    check_made_up(
        lambda content: check_bytes(path, content), lambda st: st.binary(max_size=60), 100
    )


def test_some_values_come_back_or_are_refused(tmp_path):
    """So it is with one to four of some that are near the edges."""
    some = [None, True, 0, -1, 2**63, 10**30, -0.0, 0.5, 1e-320, math.inf, math.nan]
    some += ["", "a", "0", "é\x00\n"]
    rng = np.random.default_rng(0)
    drawn = [rng.choice(len(some), size=1 + k % 4) for k in range(30)]
    for chosen in [[k] for k in range(len(some))] + [one.tolist() for one in drawn]:
        check_values(tmp_path / "values.jsonl", [some[k] for k in chosen])


def test_some_bytes(tmp_path):
    """So it is with bytes at random, and with beginnings of lines."""
    rng = np.random.default_rng(0)
    cut = [LINES.encode()[:k] for k in range(0, len(LINES), 7)]
    for content in [b"", b"\n", b"null", b"[1]\n", *cut]:
        check_bytes(tmp_path / "bytes.jsonl", content)
        check_bytes(tmp_path / "bytes.jsonl", content + rng.bytes(3))


def test_compare(write):
    """Two files of predictions are compared, joined by ids of numbers."""
    truth = [i % 2 for i in range(40)]
    old = "".join(
        json.dumps({"id": i, "y": y, "said": int(i % 3 > 0) if y else 0}) + "\n"
        for i, y in enumerate(truth)
    )
    new = "".join(json.dumps({"id": i, "said": i % 2}) + "\n" for i in reversed(range(40)))
    comparison = compare(
        write(old, "old.jsonl"),
        {"old": "said", "new": (write(new, "new.jsonl"), "said")},
        y_true="y",
        id="id",
    )

    assert 0.0 < comparison.results["mcnemar"].difference
    assert 1.0 == comparison.results["mcnemar"].result.challenger
