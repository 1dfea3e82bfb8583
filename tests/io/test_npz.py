"""Arrays of `.npz` files as columns of labels, probabilities, ids and groups."""

import io
import zipfile

import numpy as np
import pytest

from skcompare import compare
from skcompare._io.columns import columns_of, source_of
from skcompare.predictions import predictions_from_arrays, predictions_from_frame
from tests.common.made_up import check_made_up

COLUMNS = {
    "id": np.array([3, 1, 2, 5], np.uint16),
    "y": np.array(["no", "yes", "no", "yes"]),
    "old": np.array(["no", "no", "no", "yes"]),
    "proba": np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.3, 0.7]]),
    "day": np.array(["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-05"], "M8[D]"),
    "right": np.array([True, False, True, False]),
}


@pytest.fixture(params=[np.savez, np.savez_compressed])
def save(request, tmp_path):
    """Writes arrays to a file, compressed or not, and gives its path."""

    def write(arrays, name="predictions.npz"):
        path = tmp_path / name
        request.param(path, **arrays)
        return path

    return write


@pytest.fixture
def pack(tmp_path):
    """Writes members of any content to a file and gives its path."""

    def write(members, name="predictions.npz"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members:
                archive.writestr(member, content)
        return tmp_path / name

    return write


def stored(array):
    """What a member has of an array."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


def described(descr, shape, data=b"", fortran=False):
    """A member that says of itself what is not so."""
    words = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    words = words.ljust(118 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words.encode() + data


def test_columns(save):
    """Arrays come as they were saved, those of two dimensions whole or in parts."""
    path = save(COLUMNS)
    parts = {f"proba[{i}]": COLUMNS["proba"][:, i] for i in range(2)}
    found = columns_of(path, [*COLUMNS, *parts])

    assert ["id", "y", "old", "proba", "proba[0]", "proba[1]"] == source_of(path).names[:6]
    for name, array in (COLUMNS | parts).items():
        assert array.dtype == found[name].dtype, name
        np.testing.assert_array_equal(array, found[name], err_msg=name)


def test_types_of_other_machines(save):
    """Numbers of any order of bytes and texts of bytes come as those of this machine."""
    for dtype in [">i4", ">f8", "f4", "f2", ">U3", "S3"]:
        array = np.array([1, 0, 2]).astype(dtype)
        found = columns_of(save({"x": array}), ["x"])["x"]

        assert found.dtype.isnative
        assert "S" != found.dtype.kind
        assert [str(one) for one in array.astype(str)] == [str(one) for one in found]


def test_probabilities_by_name(save):
    """An array of two dimensions is probabilities, as are its columns in a list."""
    path = save(COLUMNS | {"fortran": np.asfortranarray(COLUMNS["proba"])})
    expected = predictions_from_arrays(COLUMNS["y"], {"new": COLUMNS["proba"]})
    for columns in ("proba", "fortran", ["proba[0]", "proba[1]"]):
        found = predictions_from_frame(path, "y", {"new": columns}, id="id")
        np.testing.assert_array_equal(expected["new"].proba, found["new"].proba)
    one = predictions_from_frame(path, "y", {"new": "proba[1]"}, pos_label="yes")
    np.testing.assert_array_equal(expected["new"].proba[:, 1], one["new"].proba[:, 1])


def test_joined_by_id(save):
    """Files in any order of their records are joined by numbers or by dates."""
    for key in ["id", "day"]:
        order = [2, 0, 3, 1]
        first = save({name: COLUMNS[name] for name in (key, "y", "old")}, "first.npz")
        second = save({name: COLUMNS[name][order] for name in (key, "proba")}, "second.npz")
        found = predictions_from_frame(
            first, "y", {"old": "old", "new": (second, "proba")}, id=key
        )

        np.testing.assert_array_equal(COLUMNS["proba"], found["new"].proba)


def test_tables_in_other_roles(save):
    """Truth, labels, ids and groups have one value per record."""
    path = save(COLUMNS)
    for y_true, predictions, words, message in [
        ("proba", {"a": "old"}, {}, r"`y_true` must be a column with one .* \(4, 2\)"),
        ("y", {"a": "old"}, {"id": "proba"}, "`id` must be a column with one value"),
        ("y", {"a": "old"}, {"groups": "proba"}, "`groups` must be a column with one"),
        ("y", {"a": ["proba", "proba"]}, {}, r"`a` must be .* 'proba\[0\]', 'proba\[1\]'"),
        ("y", {"a": {"labels": "proba", "proba": "proba"}}, {}, "`labels of a` must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            predictions_from_frame(path, y_true, predictions, **words)


def test_arrays_that_nobody_asks_for(pack):
    """What stands beside the columns may be anything, and is not read."""
    objects = described("'|O'", "(2,)", b"cos\nsystem\n")
    path = pack(
        [
            ("x.npy", stored(np.array([1, 2]))),
            ("threshold.npy", stored(np.array(0.5))),
            ("objects.npy", objects),
            ("huge.npy", described("'<f8'", "(10000000000000,)")),
            ("long.npy", stored(np.zeros(7))),
            ("notes.txt", b"some words"),
        ]
    )

    assert [1, 2] == columns_of(path, ["x"])["x"].tolist()


def test_arrays_that_are_wrong(pack):
    """What is wrong with an array is said with its name and the file."""
    for content, message in [
        (stored(np.array(0.5)), r"must have one value per record, .* Got shape \(\)"),
        (stored(np.zeros((2, 2, 2))), r"Got shape \(2, 2, 2\)"),
        (stored(np.zeros((2, 0))), r"Got shape \(2, 0\)"),
        (stored(np.array([["a"], ["b"]])), r"Got shape \(2, 1\) of <U1"),
        (stored(np.zeros(2, [("a", int), ("b", float)])), "must hold numbers.* Got .*'a'"),
        (stored(np.zeros(2, complex)), "must hold numbers, .* Got complex128"),
        (described("'|O'", "(2,)", bytes(16)), "Got Python objects, which only pickle"),
        (described("'<f8'", "(2,)", bytes(8)), "is damaged: it has 8 bytes where .* 16"),
        (described("'<f8'", "(2,)", bytes(24)), "is damaged: it has 24 bytes"),
        (described("'<f8'", "(10000000000000,)"), "is damaged: it has 0 bytes where"),
        (described("'<f8'", "(-2,)"), r"an array has shape \(-2,\)"),
        (described("'<f8'", "(True + 1,)"), "Cannot read .* as an .npz file"),
        (described("'<f9'", "(2,)"), "Cannot read .* as an .npz file"),
        (described("'<U0'", "(2,)"), "must hold numbers, texts"),
        (described("'<U1'", "(2,)", b"\xff" * 8), "characters that Unicode does not have"),
        (
            described("'<U1'", "(1,)", b"\x00\xd8\x00\x00"),
            "characters that Unicode does not",
        ),
        (described("'|b1'", "(2,)", b"\x01\x02"), "neither True nor False"),
        (described("'|S1'", "(2,)", b"a\xff"), "bytes that are not ASCII"),
        (stored(np.array([0.5, np.nan, 1])), "Record 2 of array 'x' .* missing value"),
        (stored(np.array([[0.5, 1], [np.nan, 1]])), "Record 2 of array 'x' .* missing"),
        (stored(np.array(["NaT", "2020-01-01"], "M8[D]")), "Record 1 of array 'x'"),
        (stored(np.zeros(0)), "at least one record. Got empty arrays"),
        (b"\x93NUMPY\x03\x00" + bytes(20), "version .3, 0. of the format"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "description of 4,294,967,295 characters"),
        (b"no array", "Cannot read .* as an .npz file"),
        (b"", "Cannot read .* as an .npz file"),
    ]:
        path = pack([("x.npy", content)])
        with pytest.raises(ValueError, match=message) as error:
            columns_of(path, ["x"])
        assert "predictions.npz" in str(error.value)


def test_arrays_of_other_lengths(save):
    """Columns have one entry per record each."""
    path = save({"x": np.zeros(3), "y": np.zeros(2)})

    with pytest.raises(ValueError, match="one entry per record: x has 3, y has 2"):
        columns_of(path, ["x", "y"])


def test_a_bomb_is_not_unpacked(pack, monkeypatch):
    """A small file that holds very much is refused before it is read."""
    monkeypatch.setattr("skcompare._io.npz.LARGEST", 1 << 20)
    path = pack([("x.npy", stored(np.zeros(100_000))), ("y.npy", stored(np.zeros(50_000)))])

    assert 1 << 20 > path.stat().st_size
    assert 100_000 == len(columns_of(path, ["x"])["x"])
    with pytest.raises(ValueError, match="They say that they have 1,200,000"):
        columns_of(path, ["x", "y"])


def test_files_that_are_wrong(pack, save, tmp_path):
    """What is no archive of arrays is named."""
    with pytest.raises(ValueError, match="must have at least one array"):
        columns_of(pack([("notes.txt", b"words")]), ["x"])
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = pack([("x.npy", stored(np.zeros(1)))] * 2)
    with pytest.raises(ValueError, match="several arrays are called 'x'"):
        columns_of(path, ["x"])
    with pytest.raises(ValueError, match=r"Unknown column 'z'.*predictions\.npz"):
        columns_of(save(COLUMNS), ["z"])
    with pytest.raises(FileNotFoundError, match=r"Cannot read .*none\.npz"):
        columns_of(tmp_path / "none.npz", ["x"])
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(OSError, match="Cannot read"):
        columns_of(tmp_path / "folder.npz", ["x"])


def check_damaged(path, draw_number, draw_bytes):
    """A file with other bytes somewhere, or too few, is read or refused by one error."""
    file = io.BytesIO()
    np.savez(file, **COLUMNS)
    content = bytearray(file.getvalue())
    at, some = draw_number(len(content) - 1), draw_bytes()
    content[at : at + len(some)] = some
    if draw_number(1):
        del content[draw_number(len(content)) :]
    path.write_bytes(content)
    refused = ""
    try:
        columns_of(path, source_of(path).names)
    except (ValueError, OSError) as error:
        refused = str(error)
    assert not refused or path.name in refused
    return refused


@pytest.mark.slow
def test_damaged_files(tmp_path):
    """Wherever hypothesis damages a file, it is read or refused by one error."""
    from hypothesis import strategies as st

    def check(data):
        check_damaged(
            tmp_path / "damaged.npz",
            lambda most: data.draw(st.integers(0, most)),
            lambda: data.draw(st.binary(max_size=4)),
        )

    check_made_up(check, lambda st: st.data(), 150)


def test_some_damaged_files(tmp_path):
    """Damage in thirty places: most is refused by one error, some does no harm."""
    rng = np.random.default_rng(0)
    refused = [
        check_damaged(
            tmp_path / "damaged.npz",
            lambda most: int(rng.integers(most + 1)),
            lambda: rng.bytes(4),
        )
        for _ in range(30)
    ]

    assert 0 < refused.count("") < 15


def test_compare(save):
    """Two columns of one file are compared."""
    y = np.arange(40) % 2
    path = save({"y": y, "old": y * (np.arange(40) % 3 > 0), "new": y})
    comparison = compare(path, {"old": "old", "new": "new"}, y_true="y")

    assert 1.0 == comparison.results["mcnemar"].result.challenger
