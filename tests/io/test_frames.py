"""Columns of frames and files as plain arrays."""

import builtins
import gzip
import itertools
import os
import sys
import tracemalloc
from datetime import datetime
from decimal import Decimal

import numpy as np
import pytest

from skcompare._io import columns as _columns
from skcompare._io import engine as _scan
from skcompare._io.columns import columns_of, frame_from_columns, source_of
from skcompare._io.engine import table_of
from skcompare.exceptions import MissingDependencyError

LIBRARIES = ("pandas", "polars", "pyarrow")
posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")


@pytest.fixture(params=LIBRARIES)
def library(request):
    """The libraries of frames that are installed."""
    pytest.importorskip("narwhals")
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture
def write(tmp_path):
    """Writes a text file and gives its path."""

    def write(text, name="predictions.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture
def without(monkeypatch):
    """Takes packages away."""

    def remove(*packages):
        imported = builtins.__import__

        def refuse(name, *args, **kwargs):
            if name.split(".")[0] in packages:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return imported(name, *args, **kwargs)

        for name in list(sys.modules):
            if name.split(".")[0] in packages:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(builtins, "__import__", refuse)

    return remove


def only_column(frame, name="x"):
    """The one column of a frame."""
    return columns_of(frame, [name])[name]


def pandas_series():
    """Columns of pandas by what they are made of, and what must come out."""
    pd = pytest.importorskip("pandas")
    text = np.array(["b", "a", "b"])
    made = {
        "object": (pd.Series(["b", "a", "b"], dtype=object), text),
        "string": (pd.Series(["b", "a", "b"], dtype="string"), text),
        "category": (pd.Series(pd.Categorical(["b", "a", "b"], ["z", "b", "a"])), text),
        "category of numbers": (pd.Series(pd.Categorical([3, 1, 3])), np.array([3, 1, 3])),
        "category of booleans": (
            pd.Series(pd.Categorical([True, False, True])),
            np.array([True, False, True]),
        ),
        "objects that are numbers": (
            pd.Series([3, 1, 3], dtype=object),
            np.array([3, 1, 3]),
        ),
        "objects that are booleans": (
            pd.Series([True, False, True], dtype=object),
            np.array([True, False, True]),
        ),
        "Int64": (pd.Series([3, 1, 3], dtype="Int64"), np.array([3, 1, 3])),
        "UInt8": (pd.Series([3, 1, 3], dtype="UInt8"), np.array([3, 1, 3], np.uint8)),
        "boolean": (
            pd.Series([True, False, True], dtype="boolean"),
            np.array([True, False, True]),
        ),
        "Float64": (pd.Series([0.5, 1, 0], dtype="Float64"), np.array([0.5, 1, 0])),
        "int8": (pd.Series([3, 1, 3], dtype="int8"), np.array([3, 1, 3], np.int8)),
        "float32": (pd.Series([0.5, 1, 0], dtype="f4"), np.array([0.5, 1, 0], np.float32)),
    }
    try:
        import pyarrow as pa
    except ImportError:
        return made
    return made | {
        "string[pyarrow]": (pd.Series(["b", "a", "b"], dtype="string[pyarrow]"), text),
        "Arrow's string": (
            pd.Series(["b", "a", "b"], dtype=pd.ArrowDtype(pa.string())),
            text,
        ),
        "Arrow's dictionary": (
            pd.Series(
                ["b", "a", "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
            ),
            text,
        ),
        "int64[pyarrow]": (
            pd.Series([3, 1, 3], dtype="int64[pyarrow]"),
            np.array([3, 1, 3]),
        ),
        "bool[pyarrow]": (
            pd.Series([True, False, True], dtype="bool[pyarrow]"),
            np.array([True, False, True]),
        ),
    }


def check_arrays(frame, expected):
    """The columns of the frame are these, in value and type."""
    found = columns_of(frame, list(expected))

    assert list(expected) == list(found)
    for name, array in expected.items():
        assert array.dtype == found[name].dtype, name
        np.testing.assert_array_equal(array, found[name], err_msg=name)


def test_columns_of_pandas():
    """Every type that pandas has for labels gives plain arrays of numpy."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    made = pandas_series()
    frame = pd.DataFrame({name: series for name, (series, _) in made.items()})

    check_arrays(frame, {name: array for name, (_, array) in made.items()})


def test_columns_of_polars():
    """Every type that Polars has for labels gives plain arrays of numpy."""
    pl = pytest.importorskip("polars")
    text = np.array(["b", "a", "b"])
    frame = pl.DataFrame(
        {
            "text": ["b", "a", "b"],
            "category": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
            "enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["z", "b", "a"])),
            "whole": pl.Series([3, 1, 3], dtype=pl.Int8),
            "boolean": [True, False, True],
            "fraction": [0.5, 1, 0],
            "decimal": pl.Series([Decimal("0.5"), Decimal("1.0"), Decimal("0.0")]),
        }
    )
    expected = {
        "text": text,
        "category": text,
        "enum": text,
        "whole": np.array([3, 1, 3], np.int8),
        "boolean": np.array([True, False, True]),
        "fraction": np.array([0.5, 1, 0]),
        "decimal": np.array([0.5, 1, 0]),
    }

    check_arrays(frame, expected)
    check_arrays(frame.lazy(), expected)


def test_columns_of_pyarrow():
    """Every type that Arrow has for labels gives plain arrays of numpy."""
    pa = pytest.importorskip("pyarrow")
    text = np.array(["b", "a", "b"])
    table = pa.table(
        {
            "text": pa.chunked_array([["b"], ["a", "b"]]),
            "long text": pa.array(["b", "a", "b"], pa.large_string()),
            "dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
            "dictionaries": pa.chunked_array(
                [
                    pa.array(["b"]).dictionary_encode(),
                    pa.array(["a", "b"]).dictionary_encode(),
                ]
            ),
            "dictionary of numbers": pa.array([3, 1, 3]).dictionary_encode(),
            "whole": [3, 1, 3],
            "boolean": [True, False, True],
            "fraction": [0.5, 1.0, 0.0],
            "decimal": [Decimal("0.5"), Decimal("1.0"), Decimal("0.0")],
        }
    )
    expected = {
        "text": text,
        "long text": text,
        "dictionary": text,
        "dictionaries": text,
        "dictionary of numbers": np.array([3, 1, 3]),
        "whole": np.array([3, 1, 3]),
        "boolean": np.array([True, False, True]),
        "fraction": np.array([0.5, 1, 0]),
        "decimal": np.array([0.5, 1, 0]),
    }

    check_arrays(table, expected)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_texts_without_arrow(without, name):
    """Texts and categories come out alike where pyarrow is not installed."""
    pytest.importorskip("narwhals")
    frames = pytest.importorskip(name)
    frame = frames.DataFrame({"text": ["b", "a", "b"], "category": ["b", "a", "b"]})
    if name == "pandas":
        frame = frame.astype({"text": object, "category": "category"})
    else:
        frame = frame.with_columns(frames.col("category").cast(frames.Categorical))
    without("pyarrow")

    check_arrays(frame, dict.fromkeys(["text", "category"], np.array(["b", "a", "b"])))


def test_only_named_columns_come_once(library):
    """Other columns are left alone, and a name that is given twice comes once."""
    frame = frame_from_columns({"x": [1, 2], "other": [3, 4], "z": [5, 6]}, library)

    assert ["z", "x"] == list(columns_of(frame, ["z", "x", "z"]))


def test_lazy_frames_compute_only_the_named_columns():
    """A column of a lazy frame that nobody named is not computed."""
    pl = pytest.importorskip("polars")

    def fail(value):
        raise AssertionError(f"{value} was computed")

    lazy = pl.LazyFrame({"x": [1, 2]}).with_columns(
        bad=pl.col("x").map_elements(fail, return_dtype=pl.Int64)
    )

    np.testing.assert_array_equal([1, 2], only_column(lazy))


def test_missing_values_are_refused(library):
    """A missing value is refused with its column and position."""
    for values in [["a", None, "b"], [1, None, 2], [True, None, False], [0.5, None, 0.1]]:
        frame = frame_from_columns({"x": values}, library)

        with pytest.raises(ValueError, match=r"`x` must not have missing .* Got 1, .* 1\."):
            columns_of(frame, ["x"])


def test_missing_values_of_pandas():
    """Missing values are found in every type of pandas."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    texts = ["a", "b", None]
    for kind, values in {
        "object": texts,
        "string": texts,
        "category": texts,
        "Int64": [1, 2, None],
        "boolean": [True, False, None],
        "f8": [0, 1, None],
    }.items():
        frame = pd.DataFrame({"x": pd.Series(values, dtype=kind)})

        with pytest.raises(ValueError, match=r"`x` must not have missing .* Got 1, .* 2\."):
            columns_of(frame, ["x"])


def test_nan_is_missing():
    """NaN is a missing value also where null is another thing."""
    pl = pytest.importorskip("polars")

    with pytest.raises(ValueError, match=r"`x` must not have missing .* position 1\."):
        columns_of(pl.DataFrame({"x": [0.5, float("nan")]}), ["x"])


def test_unknown_column(library):
    """A column that is not there is refused with the nearest names."""
    frame = frame_from_columns({"label": [1], "truth": [2]}, library)

    with pytest.raises(ValueError, match=r"'lable'.* Did you mean 'label'\? .*`frame`"):
        columns_of(frame, ["lable"])


def test_unknown_column_among_many(library):
    """Of a wide frame only some names are listed, the near ones first."""
    frame = frame_from_columns({f"feature_{i}": [i] for i in range(200)}, library)

    with pytest.raises(ValueError, match=r"mean 'feature_77'.* and 19\d more") as error:
        columns_of(frame, ["feature_77x"])
    assert 250 > len(str(error.value))


def test_values_of_several_parts_are_refused(library):
    """A column of lists is refused, because a record has one label."""
    frame = frame_from_columns({"x": [[0.1, 0.9], [0.4, 0.6]]}, library)

    with pytest.raises(ValueError, match=r"'x' must hold one value per record\. Got list"):
        columns_of(frame, ["x"])


def test_mixed_objects_stay_apart():
    """Numbers beside texts stay numbers, so that checks of labels see them."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    array = only_column(pd.DataFrame({"x": pd.Series([1, "a"], dtype=object)}))

    assert [1, "a"] == array.tolist()


def test_mixed_objects_far_down():
    """A number after many texts stays one too."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    items = ["a"] * 1000 + [1]

    assert items == only_column(pd.DataFrame({"x": items}, dtype=object)).tolist()


def test_dates():
    """Dates stay dates; they may be ids or groups."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    array = only_column(pd.DataFrame({"x": [datetime(2020, 1, 2), datetime(2020, 1, 1)]}))

    assert "M" == array.dtype.kind


def test_long_texts_are_objects(library):
    """A long text does not take its room for every record."""
    texts = ["a" * 1000, "b", "b"]
    array = only_column(frame_from_columns({"x": texts}, library))

    assert ("O", texts) == (array.dtype.kind, array.tolist())


def test_no_records(library):
    """A frame without records has empty columns; whoever needs records says so."""
    frame = frame_from_columns({"x": ["a"]}, library)[:0]

    assert 0 == len(only_column(frame))


def test_what_is_no_frame():
    """Anything else is refused by type."""
    pytest.importorskip("narwhals")
    for wrong in [[1, 2], {"x": [1]}, np.zeros((2, 2)), None, 3]:
        words = rf"must be a frame.* Got {type(wrong).__name__}"
        with pytest.raises(TypeError, match=words):
            columns_of(wrong, ["x"])


def test_old_narwhals_is_refused(monkeypatch):
    """Before 2.9 it made DuckDB count some records wrongly."""
    narwhals = pytest.importorskip("narwhals")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1.0]})
    monkeypatch.setattr(narwhals, "__version__", "2.10.1")
    assert columns_of(frame, ["x"])["x"].tolist() == [1.0]

    monkeypatch.setattr(narwhals, "__version__", "2.8.0")
    with pytest.raises(MissingDependencyError, match=r"narwhals 2\.8\.0 .*narwhals>=2\.9"):
        columns_of(frame, ["x"])


def test_frames_need_narwhals(without):
    """Without narwhals the message says what to install."""
    without("narwhals")

    with pytest.raises(MissingDependencyError, match=r"pip install (narwhals|pyarrow)"):
        columns_of(object(), ["x"])


def test_csv_files_need_nothing_else(write, without):
    """A CSV file needs neither narwhals nor a library of frames."""
    path = write("x,y\n1,a\n0,b\n")
    without("narwhals", *LIBRARIES)

    check_arrays(path, {"x": np.array([1, 0]), "y": np.array(["a", "b"])})


def test_types_in_csv_files(write):
    """Plain whole numbers, numbers and texts are distinguished, column by column."""
    for cells, expected in [
        (["1", "0", "-3"], np.array([1, 0, -3])),
        ([" 1", "0 ", "1"], np.array([1, 0, 1])),
        (["01", "1", "1"], np.array(["01", "1", "1"])),
        (["+1", "1", "1"], np.array(["+1", "1", "1"])),
        (["1_0", "1", "1"], np.array(["1_0", "1", "1"])),
        (["1", "0.5", "1e-3"], np.array([1, 0.5, 1e-3])),
        (["1.0", "0.0", "1.0"], np.array([1.0, 0.0, 1.0])),
        (["1", "0.5", "x"], np.array(["1", "0.5", "x"])),
        (["True", "False", "True"], np.array(["True", "False", "True"])),
        (["é ü", "ß", "ß"], np.array(["é ü", "ß", "ß"])),
        (["9223372036854775807", "0", "1"], np.array([2**63 - 1, 0, 1])),
        (["9223372036854775808", "0", "1"], np.array(["9223372036854775808", "0", "1"])),
    ]:
        path = write("x,other\n" + "".join(f"{cell},n/a\n" for cell in cells))

        check_arrays(path, {"x": expected})


def test_csv_columns_as_written(write):
    """Ids stay text, so that 1.10 and 1.1 are two."""
    path = write("x,y\n1.10,1\n1.1,0\n")
    found = columns_of(path, ["x", "y"], as_written=["x"])

    assert ["1.10", "1.1"] == found["x"].tolist()
    assert [1, 0] == found["y"].tolist()


def test_delimiter_by_name(write):
    """`.tsv` files have tabs, others commas, compressed or not."""
    for (name, delimiter), is_compressed in itertools.product(
        [("a.csv", ","), ("a.tsv", "\t"), ("a.TAB", "\t"), ("a", ",")], [False, True]
    ):
        content = f"x{delimiter}y\n1{delimiter}2\n".encode()
        if is_compressed:
            path = write(gzip.compress(content), f"{name}.gz")
        else:
            path = write(content, name)

        check_arrays(str(path), {"y": np.array([2])})


def test_csv_of_many_batches(write):
    """Records come in order, also when there are more than are read at a time."""
    n = 5000
    path = write("x,y\n\n" + "".join(f"{i % 7},t{i}\n\r\n" for i in range(n)))
    found = columns_of(path, ["x", "y"])

    assert [i % 7 for i in range(n)] == found["x"].tolist()
    assert [f"t{i}" for i in range(n)] == found["y"].tolist()


def test_csv_files_that_are_wrong(write):
    """What is wrong with a CSV file is said with the file and the record."""
    for text, message in [
        ("", "empty file"),
        ("\n\n", "empty file"),
        ("x,y\n", "at least one record"),
        ("x,x\n1,2\n", "several columns named x"),
        ("x,y\n1,2\n3\n", r"Record 2 of .*predictions.csv' has 1 fields. Expected 2"),
        ("x,y\n" + "1,2\n" * 3000 + "3,4,5\n", "Record 3001 .* has 3 fields"),
        ("x,y\n" + "1,2\n" * 3000 + " ,4\n", "Record 3001 .* empty field in column 'x'"),
        ("x,y\n1,2\n ,4\n,4\n", "Record 2 .* empty field in column 'x'"),
        ('x,y\n"1,2\n', "is not a CSV file"),
        ("z,y\n1,2\n", "Unknown column 'x'.* the columns of .*predictions.csv'"),
        (b"x,y\n\xff\xfe,2\n", "must be UTF-8"),
    ]:
        with pytest.raises(ValueError, match=message):
            columns_of(write(text), ["x"])


@pytest.mark.parametrize("text", ["a\0", "\0", "a\ud800"])
def test_texts_that_nobody_can_write(write, text):
    """numpy drops a null at the end, so that two texts would be one."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    frame = pd.DataFrame({"x": pd.Series(["a", text], dtype=object)})
    with pytest.raises(ValueError, match="Column 'x' must have texts that can be written"):
        columns_of(frame, ["x"])
    if "\0" in text:
        with pytest.raises(ValueError, match=r"'x' of .*predictions.csv' must have texts"):
            columns_of(write(f"x,y\na,1\n{text},2\n"), ["x"])


def test_a_path_with_a_null():
    """No file can have such a name."""
    with pytest.raises(ValueError, match="A path must not have a null in it"):
        columns_of("a\0.csv", ["x"])


def test_broken_gzip(write):
    """A compressed file that ends early is refused, and so is one that is none."""
    whole = gzip.compress(b"x,y\n" + b"1,2\n" * 1000)
    with pytest.raises(ValueError, match="is not a CSV file"):
        columns_of(write(whole[:-12], "short.csv.gz"), ["x"])
    with pytest.raises(OSError, match=r"Cannot read .*plain\.csv\.gz"):
        columns_of(write("x,y\n1,2\n", "plain.csv.gz"), ["x"])


@pytest.mark.parametrize("name", ["missing.csv", "missing.parquet"])
def test_missing_files(tmp_path, name):
    """A file that is not there is named."""
    with pytest.raises(FileNotFoundError, match=rf"Cannot read .*{name}"):
        columns_of(tmp_path / name, ["x"])


def test_other_columns_take_no_memory(write):
    """Reading one short column of a large file takes a part of its size."""
    path = write("x,y\n" + f"1,{'long ' * 200}\n" * 5000)
    tracemalloc.start()
    columns_of(path, ["x"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert os.path.getsize(path) / 2 > peak


@posix
def test_pipes_come_once():
    """A pipe is read once, for the names and for the columns."""
    reader, writer = os.pipe()
    with open(writer, "w") as file:
        file.write("x,y\n1,2\n3,4\n")

    check_arrays(f"/dev/fd/{reader}", {"y": np.array([2, 4])})
    os.close(reader)


@pytest.fixture
def parquet(tmp_path):
    """Writes columns to a Parquet file."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")

    def write(columns, name="predictions.parquet"):
        path = tmp_path / name
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, path, compression="none")
        return path

    return write


@pytest.fixture
def only_reader(monkeypatch):
    """Leaves one library that reads Parquet files, or none."""

    def refuse(nw, path):
        raise ImportError("not installed")

    def leave(library=None):
        for name in set(LIBRARIES) - {library}:
            monkeypatch.setattr(_columns, f"_opened_by_{name}", refuse)

    return leave


@pytest.fixture(params=LIBRARIES)
def reader(request, only_reader):
    """Each library that reads Parquet files, as the only one."""
    pytest.importorskip(request.param)
    only_reader(request.param)
    return request.param


def test_columns_of_parquet_files(parquet, reader):
    """Whichever library reads a Parquet file, the columns are the same."""
    pa = pytest.importorskip("pyarrow")
    path = parquet(
        {
            "text": ["b", "a", "b"],
            "category": pa.array(["b", "a", "b"]).dictionary_encode(),
            "whole": pa.array([3, 1, 3], pa.int8()),
            "boolean": [True, False, True],
            "fraction": [0.5, 1.0, 0.0],
            "a.b": [1, 2, 3],
        }
    )
    expected = {
        "text": np.array(["b", "a", "b"]),
        "category": np.array(["b", "a", "b"]),
        "whole": np.array([3, 1, 3], np.int8),
        "boolean": np.array([True, False, True]),
        "fraction": np.array([0.5, 1, 0]),
        "a.b": np.array([1, 2, 3]),
    }

    check_arrays(path, expected)
    check_arrays(str(path), dict(reversed(expected.items())))


@pytest.mark.parametrize("name", ["pyarrow", "polars"])
def test_only_named_columns_are_read(parquet, only_reader, name):
    """A damaged column does no harm as long as nobody names it."""
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip(name)
    only_reader(name)
    path = parquet({"x": [1, 2, 3], "other": ["some", "other", "text"]})
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
    with path.open("r+b") as file:
        file.seek(chunk.dictionary_page_offset or chunk.data_page_offset)
        file.write(b"\xff" * chunk.total_compressed_size)

    check_arrays(path, {"x": np.array([1, 2, 3])})
    with pytest.raises(
        ValueError, match=r"Cannot read .*predictions\.parquet' as a Parquet"
    ):
        columns_of(path, ["other"])


@pytest.mark.parametrize("name", ["duckdb", "polars"])
def test_damaged_files_on_an_engine(parquet, monkeypatch, name):
    """What an engine says of a damaged file is one error of this package."""
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip(name)
    monkeypatch.setattr(_scan, "READ_AT_ONCE", -1)
    for other in {"duckdb", "polars"} - {name}:
        monkeypatch.setattr(_scan, f"_scanned_by_{other}", refused_import)
    path = parquet({"x": ["some", "other", "text"]})
    assert [1, 1, 1] == table_of(source_of(path)).counted(["x"])[1].tolist()
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    content = bytearray(path.read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + 20] = b"\xff" * 20
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=r"Cannot read .*predictions\.parquet' as a Parquet"
    ):
        table_of(source_of(path)).counted(["x"])
    path.write_bytes(content[:20])
    with pytest.raises(
        ValueError, match=r"Cannot read .*predictions\.parquet' as a Parquet"
    ):
        table_of(source_of(path)).counted(["x"])


def refused_import(*_):
    """A library that is not installed."""
    raise ImportError("not installed")


def test_what_fails_badly_in_polars_is_an_error(parquet, only_reader, monkeypatch):
    """Where the code of Polars itself fails, it raises what is no Exception."""

    class PanicException(BaseException):
        """Has the name of that of Polars, which nobody can import."""

    def panic(nw, path):
        raise PanicException("called unwrap")

    only_reader(None)
    monkeypatch.setattr(_columns, "_opened_by_polars", panic)
    with pytest.raises(ValueError, match="as a Parquet file: called unwrap"):
        columns_of(parquet({"x": [1]}), ["x"])


def test_folders_of_parquet_files(parquet, tmp_path, reader):
    """A folder of Parquet files is one table."""
    (tmp_path / "all.parquet").mkdir()
    parquet({"x": [1, 2]}, "all.parquet/0.parquet")
    parquet({"x": [3]}, "all.parquet/1.parquet")

    check_arrays(tmp_path / "all.parquet", {"x": np.array([1, 2, 3])})


def test_parquet_files_with_something_wrong(parquet, write, reader):
    """Missing values, unknown columns and other files are named."""
    path = parquet({"x": ["a", None], "y": [1, 2]})

    with pytest.raises(ValueError, match=r"`x` must not have .* 1\. .* of .*\.parquet'"):
        columns_of(path, ["x"])
    with pytest.raises(ValueError, match=r"Unknown column 'z'.*predictions\.parquet"):
        columns_of(path, ["z"])
    with pytest.raises(ValueError, match=r"Cannot read .*wrong\.parquet' as a Parquet"):
        columns_of(write("x,y\n1,2\n", "wrong.parquet"), ["x"])


def test_parquet_files_need_a_library(parquet, only_reader, without):
    """Without a library that reads Parquet the message says what to install."""
    path = parquet({"x": [1]})
    only_reader(None)
    with pytest.raises(MissingDependencyError, match=r"needs pyarrow or polars\. Install"):
        columns_of(path, ["x"])
    without("narwhals")
    with pytest.raises(MissingDependencyError, match=r"pip install (narwhals|pyarrow)"):
        columns_of(path, ["x"])
