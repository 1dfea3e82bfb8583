"""Predictions from columns of frames and files, joined by ids."""

import numpy as np
import pytest

from skcompare._io.columns import frame_from_columns
from skcompare.predictions import ColumnRoles, predictions_from_frame
from skcompare.predictions._predictions import predictions_from_arrays

LIBRARIES = ("pandas", "polars", "pyarrow")
COLUMNS = {
    "record": [3, 1, 2, 5],
    "truth": ["b", "a", "b", "a"],
    "old": ["b", "b", "b", "a"],
    "new": ["b", "a", "a", "a"],
    "p_a": [0.1, 0.8, 0.5, 0.7],
    "p_b": [0.9, 0.2, 0.5, 0.3],
    "patient": ["x", "x", "y", "z"],
}


def arrays_of(*arguments, **settings):
    """The truth, the predictions and the groups that columns hold."""
    return ColumnRoles(*arguments, **settings).read()[:3]


@pytest.fixture(params=LIBRARIES)
def library(request):
    """The libraries of frames that are installed."""
    pytest.importorskip("narwhals")
    pytest.importorskip(request.param)
    return request.param


@pytest.fixture
def frame_of():
    """Makes a frame of pandas from some columns, in an order of records."""
    pytest.importorskip("narwhals")
    pytest.importorskip("pandas")

    def make(columns, order=None):
        order = range(len(next(iter(columns.values())))) if order is None else order
        picked = {name: [values[i] for i in order] for name, values in columns.items()}
        return frame_from_columns(picked, "pandas")

    return make


@pytest.fixture
def csv_file(tmp_path):
    """Writes columns to a CSV file."""

    def write(columns, name="predictions.csv"):
        lines = [",".join(columns)]
        lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def some(*names):
    """Some of the columns."""
    return {name: COLUMNS[name] for name in names}


def check_equal(expected, actual):
    """Two sets of predictions are the same."""
    assert expected.names == actual.names
    assert (expected.design, expected.fingerprint) == (actual.design, actual.fingerprint)
    assert expected.classes.tolist() == actual.classes.tolist()
    for name in ("y", "groups"):
        np.testing.assert_array_equal(getattr(expected, name), getattr(actual, name))
    for one, other in zip(expected.estimators, actual.estimators, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        np.testing.assert_array_equal(one.proba, other.proba)


def test_columns_are_as_good_as_arrays(library):
    """Labels, probabilities of one class and of all, and groups, by their columns."""
    frame = frame_from_columns(COLUMNS, library)
    names = {"labels": "old", "one": "p_b", "all": ["p_a", "p_b"]}
    arrays = {
        "labels": COLUMNS["old"],
        "one": COLUMNS["p_b"],
        "all": np.column_stack([COLUMNS["p_a"], COLUMNS["p_b"]]),
    }

    check_equal(
        predictions_from_arrays(
            COLUMNS["truth"], arrays, pos_label="b", groups=COLUMNS["patient"]
        ),
        predictions_from_frame(frame, "truth", names, pos_label="b", groups="patient"),
    )


@pytest.mark.parametrize("name", ["predictions.csv", "predictions.parquet"])
def test_files_are_as_good_as_frames(tmp_path, csv_file, frame_of, name):
    """Files give what frames give."""
    path = tmp_path / name
    frame = frame_of(COLUMNS)
    if name.endswith(".csv"):
        csv_file(COLUMNS)
    else:
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    predictions = {"old": "old", "new": ["p_a", "p_b"]}

    for one in (path, str(path)):
        check_equal(
            predictions_from_frame(frame, "truth", predictions, groups="patient"),
            predictions_from_frame(one, "truth", predictions, groups="patient"),
        )


def test_without_true_labels(frame_of):
    """Predictions come without the truth where nobody knows it."""
    truth, predictions, groups = arrays_of(
        frame_of(COLUMNS), None, {"old": "old", "new": "new"}
    )

    assert truth is None
    assert groups is None
    assert COLUMNS["new"] == predictions["new"].tolist()


def test_join_is_by_id_whatever_the_order(frame_of):
    """Frames in any order of their records give the predictions of one frame."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        expected = predictions_from_frame(
            frame_of(COLUMNS),
            "truth",
            {"old": "old", "new": ["p_a", "p_b"]},
            groups="patient",
        )
        actual = predictions_from_frame(
            frame_of(some("record", "truth", "patient")),
            "truth",
            {
                "old": (frame_of(some("record", "old"), rng.permutation(4)), "old"),
                "new": (
                    frame_of(some("record", "p_a", "p_b"), rng.permutation(4)),
                    ["p_a", "p_b"],
                ),
            },
            id="record",
            groups="patient",
        )

        check_equal(expected, actual)


def test_join_against_a_dictionary():
    """Large tables are joined as looking up one id after another would do."""
    pytest.importorskip("narwhals")
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    ids, y = rng.choice(10**9, 1000, replace=False), rng.integers(0, 3, 1000)
    order = rng.permutation(1000)
    other = pd.DataFrame({"id": ids[order], "a": rng.integers(0, 3, 1000)})
    looked_up = dict(zip(other["id"].tolist(), other["a"].tolist(), strict=True))
    truth, predictions, _ = arrays_of(
        pd.DataFrame({"id": ids, "y": y}), "y", {"a": (other, "a")}, id="id"
    )

    assert y.tolist() == truth.tolist()
    assert [looked_up[one] for one in ids.tolist()] == predictions["a"].tolist()


def ids_of_types():
    """Ids of the same four records in types that can be compared."""
    whole = [3, 1, 2, 5]
    return {
        "whole": (whole, whole),
        "text": (list("cabe"), list("cabe")),
        "small and large": (np.array(whole, np.int8), np.array(whole, np.uint64)),
        "numbers and text": (whole, [str(one) for one in whole]),
        "text and numbers": ([str(one) for one in whole], whole),
        "fractions that are whole": (whole, [float(one) for one in whole]),
        "fractions": ([0.5, 1.5, 2.5, 1.0], [0.5, 1.5, 2.5, 1.0]),
        "text and long text": (["c", "a", "b", "e" * 99], ["c", "a", "b", "e" * 99]),
        "beyond the fractions": ([2**60, 2**60 + 1, 2, 5], [2**60, 2**60 + 1, 2, 5]),
        "dates": (
            np.array(["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-05"], "M8[s]"),
            np.array(["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-05"], "M8[ns]"),
        ),
    }


def test_ids_of_many_types():
    """Ids of all sensible types are compared, numbers and text as they are written."""
    pytest.importorskip("narwhals")
    pd = pytest.importorskip("pandas")
    for kind, (first, second) in ids_of_types().items():
        order = [2, 0, 3, 1]
        main = pd.DataFrame({"id": first, "y": [0, 1, 2, 3]})
        other = pd.DataFrame({"id": second, "a": [0, 1, 2, 3]}).iloc[order]

        truth, predictions, _ = arrays_of(main, "y", {"a": (other, "a")}, id="id")

        assert truth.tolist() == predictions["a"].tolist(), kind


def test_ids_of_csv_files_are_as_written(csv_file, frame_of):
    """In CSV files 1.10 and 1.1 are two ids, and 7 is that of a number elsewhere."""
    one = csv_file({"id": ["1.10", "1.1"], "y": [0, 1]}, "one.csv")
    two = csv_file({"id": ["1.1", "1.10"], "a": [1, 0]}, "two.csv")
    truth, predictions, _ = arrays_of(one, "y", {"a": (two, "a")}, id="id")
    assert truth.tolist() == predictions["a"].tolist()

    numbers = frame_of({"id": [7, 8], "y": [0, 1]})
    text = csv_file({"id": [8, 7], "a": [1, 0]})
    truth, predictions, _ = arrays_of(numbers, "y", {"a": (text, "a")}, id="id")
    assert truth.tolist() == predictions["a"].tolist()


def test_ids_that_do_not_match(frame_of):
    """Repeated and missing ids are counted, and the first of them shown."""
    for first, second, message in [
        (
            [1, 2, 2],
            [1, 2, 3],
            r"Column 'id' of `frame` has 1 of them \(2\) more than once",
        ),
        ([1, 2, 3], [7, 7, 7], r"of the frame of `a` has 1 of them \(7\) more than"),
        (list("aab"), list("abc"), r"`frame` has 1 of them \('a'\) more than once"),
        (
            [1, 2, 3],
            [1, 2, 4],
            r"`a` lacks 1 of them \(3\) and `frame` lacks .* \(4\)\. Keep",
        ),
        ([1, 2, 3], [1, 2], r"`a` lacks 1 of them \(3\)\. Keep"),
        ([1], [1, 2], r"`frame` lacks 1 of them \(2\)\. Keep"),
        (range(9), range(10, 19), r"`a` lacks 9 of them \(0, 1, 2, \.\.\.\) and"),
        (["01", "2"], ["1", "2"], r"lacks 1 of them \('01'\) and .* \('1'\)"),
        (["01", "2"], [1, 2], r"lacks 1 of them \('01'\) and .* \('1'\)"),
        (
            ["1", "2"],
            [1.5, 2],
            r"has text \(such as '1'\), .* has fractions \(such as 1.5\)",
        ),
        ([1, 2], [1.5, 2], r"must be of one type .* Convert them to text"),
        ([1, 2], [True, False], r"must be of one type .* `a` has bool"),
        ([1, "a"], [1, "a"], r"must be of one type .* has int and str"),
        ([], ["a"], "must be of one type|lacks 1 of them"),
    ]:
        main = frame_of({"id": list(first), "y": [0] * len(first)})
        other = frame_of({"id": list(second), "a": [0] * len(second)})

        with pytest.raises(ValueError, match=message):
            arrays_of(main, "y", {"a": (other, "a")}, id="id")


def test_ids_are_checked_in_one_frame_too(frame_of):
    """A record that is there twice is found in a single frame."""
    frame = frame_of({"id": [1, 1], "y": [0, 1], "a": [0, 1]})

    with pytest.raises(ValueError, match="more than once"):
        arrays_of(frame, "y", {"a": "a"}, id="id")


def test_missing_ids(frame_of):
    """A missing id is refused by its column and position."""
    frame = frame_of({"id": ["1", None], "y": [0, 1], "a": [0, 1]})

    with pytest.raises(ValueError, match=r"`id` must not have missing .* position 1"):
        arrays_of(frame, "y", {"a": "a"}, id="id")


def test_frames_are_not_joined_by_position(csv_file, frame_of):
    """Several frames need an id, even if they are equally long; one frame does not."""
    main, other = frame_of(some("truth")), frame_of(some("old"))
    with pytest.raises(ValueError, match=r"`frame` and the frame of `old` can only be"):
        arrays_of(main, "truth", {"old": (other, "old")})

    path = csv_file(COLUMNS)
    for one in (frame_of(COLUMNS), path):
        predictions = arrays_of(one, "truth", {"old": (one, "old")})[1]
        assert COLUMNS["old"] == predictions["old"].tolist()
    other_way = path.parent / "." / path.name
    predictions = arrays_of(path, "truth", {"old": (str(other_way), "old")})[1]
    assert COLUMNS["old"] == predictions["old"].tolist()


def test_columns_of_csv_files_beside_each_other(csv_file):
    """Columns of CSV files are typed by what stands beside them."""
    for columns, expected in [
        # Numbers beside labels of text are probabilities, unless they are such labels.
        ({"y": ["no", "yes"], "a": [0.5, 1]}, {"y": ["no", "yes"], "a": [0.5, 1.0]}),
        ({"y": ["no", "yes"], "a": [0, 1]}, {"y": ["no", "yes"], "a": [0.0, 1.0]}),
        ({"y": ["01", "1"], "a": [1, 1]}, {"y": ["01", "1"], "a": ["1", "1"]}),
        # A prediction that is no number makes labels of all numbers.
        ({"y": [0, 1], "a": [0, "none"]}, {"y": ["0", "1"], "a": ["0", "none"]}),
        ({"y": [0, 1], "a": [0, 1]}, {"y": [0, 1], "a": [0, 1]}),
    ]:
        truth, predictions, _ = arrays_of(csv_file(columns), "y", {"a": "a"})

        assert expected == {"y": truth.tolist(), "a": predictions["a"].tolist()}


def test_csv_predictions_without_truth(csv_file):
    """Without truth, the labels of text are those of the other predictions."""
    path = csv_file({"a": ["0", "x"], "b": [0, 0], "c": [0.5, 0.1]})
    predictions = arrays_of(path, None, {"a": "a", "b": "b", "c": "c"})[1]

    assert ["0", "0"] == predictions["b"].tolist()
    assert [0.5, 0.1] == predictions["c"].tolist()


def test_types_of_frames_are_kept(frame_of):
    """Frames say what they hold; texts beside numbers are refused as for arrays."""
    frame = frame_of({"y": ["0", "1"], "a": [0, 1]})

    with pytest.raises(ValueError, match="`a` has numeric labels"):
        predictions_from_frame(frame, "y", {"a": "a"})


def test_groups_of_csv_files_are_as_written(csv_file):
    """Groups that are written differently are different."""
    path = csv_file({"y": [0, 1], "a": [0, 1], "group": ["1.0", "1.00"]})

    assert ["1.0", "1.00"] == arrays_of(path, "y", {"a": "a"}, groups="group")[2].tolist()


def test_bad_arguments(frame_of):
    """What is wrong is said with the name of the argument."""
    for arguments, settings, error, message in [
        (("truht", {"a": "old"}), {}, ValueError, "Unknown column 'truht'.* 'truth'"),
        (("truth", {"a": "olt"}), {}, ValueError, "Unknown column 'olt'"),
        (("truth", {"a": ["p_a", "p"]}), {}, ValueError, "Unknown column 'p'"),
        (("truth", {"a": "old"}), {"id": "key"}, ValueError, "Unknown column 'key'"),
        (("truth", {"a": "old"}), {"groups": "g"}, ValueError, "Unknown column 'g'"),
        (("truth", {"a": "old"}), {"id": 3}, TypeError, "`id` must be the name of a"),
        (("truth", {"a": []}), {}, TypeError, "`a` must be the name of a column"),
        (("truth", {"a": [1, 2]}), {}, TypeError, "a list of names"),
        (("truth", {"a": np.zeros(4)}), {}, TypeError, "Got ndarray"),
        ((["truth"], {"a": "old"}), {}, ValueError, "must hold numbers, as `y_true` is"),
        (([3], {"a": "old"}), {}, TypeError, "`y_true` must be the name of a"),
        (("truth", ["old", "new"]), {}, TypeError, "`predictions` must be a dict"),
        (("truth", {"a": ["p_a", "old"]}), {}, ValueError, "'old' .* Got text"),
        (("truth", {"a": ("p_a", "p_b")}), {}, FileNotFoundError, "no file 'p_a'.* a list"),
        (("truth", {"a": ([1], "x")}), {}, TypeError, "the frame of `a` must be a frame"),
        (("truth", {"a": "p_a"}), {}, ValueError, "pass `pos_label`"),
    ]:
        with pytest.raises(error, match=message):
            predictions_from_frame(frame_of(COLUMNS), *arguments, **settings)


def test_empty_frames(frame_of):
    """A frame without records is refused."""
    with pytest.raises(ValueError, match="at least one record"):
        predictions_from_frame(frame_of({"y": [], "a": []}), "y", {"a": "a"})
