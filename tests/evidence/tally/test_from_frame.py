"""Counts from columns of frames and files."""

import numpy as np
import pytest

from skcompare._io.columns import frame_from_columns
from skcompare.evidence import AgreementMatrix, JointCounts

LIBRARIES = ("pandas", "polars", "pyarrow")
LABELS = {
    "text": np.array(["cat", "dog", "fox"]),
    "whole": np.array([0, 1, 7]),
    "boolean": np.array([False, True]),
}


@pytest.fixture(params=LIBRARIES)
def library(request):
    """The libraries of frames that are installed."""
    pytest.importorskip("narwhals")
    pytest.importorskip(request.param)
    return request.param


def drawn():
    """Truth, two predictions and ids of 200 records, with labels of each type."""
    for labels in LABELS.values():
        rng = np.random.default_rng(7)
        columns = {name: rng.choice(labels, 200).tolist() for name in ("y", "a", "b")}
        yield columns | {"id": rng.permutation(200).tolist()}


def shuffled(columns, *names):
    """Some columns with their records in another order."""
    order = np.random.default_rng(1).permutation(len(columns["id"]))
    return {name: [columns[name][i] for i in order] for name in names}


def csv_of(columns, path):
    """Columns as a CSV file."""
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_counts_of_a_frame(library):
    """Columns of a frame give the counts of the arrays in them."""
    for columns in drawn():
        frame = frame_from_columns(columns, library)

        assert JointCounts.from_predictions(
            columns["y"], columns["a"], columns["b"]
        ) == JointCounts.from_frame(frame)
        assert AgreementMatrix.from_predictions(
            columns["a"], columns["b"]
        ) == AgreementMatrix.from_frame(frame, champion="a", challenger="b")


def test_counts_of_joined_frames(library):
    """Frames in another order are joined by the id."""
    for columns in drawn():
        truth = frame_from_columns({"id": columns["id"], "truth": columns["y"]}, library)
        first = frame_from_columns(shuffled(columns, "id", "a"), library)
        second = frame_from_columns(shuffled(columns, "b", "id"), library)

        assert JointCounts.from_predictions(
            columns["y"], columns["a"], columns["b"]
        ) == JointCounts.from_frame(
            truth,
            y_true="truth",
            champion=(first, "a"),
            challenger=(second, "b"),
            id="id",
        )
        assert AgreementMatrix.from_predictions(
            columns["a"], columns["b"]
        ) == AgreementMatrix.from_frame(
            first, champion="a", challenger=(second, "b"), id="id"
        )


def test_roles_exchanged(library):
    """Columns exchanged give the counts with the roles exchanged."""
    for columns in drawn():
        frame = frame_from_columns(columns, library)

        assert JointCounts.from_frame(frame).swap() == JointCounts.from_frame(
            frame, champion="b", challenger="a"
        )


def test_counts_of_csv_files(tmp_path):
    """CSV files give the counts of the columns, and of their labels as text."""
    for columns in drawn():
        path = csv_of(columns, tmp_path / "predictions.csv")
        other = csv_of(shuffled(columns, "id", "b"), tmp_path / "other.csv")
        is_whole = not isinstance(columns["y"][0], bool | str)
        arrays = {
            name: values if is_whole else [str(value) for value in values]
            for name, values in columns.items()
        }
        expected = JointCounts.from_predictions(arrays["y"], arrays["a"], arrays["b"])

        assert expected == JointCounts.from_frame(path)
        assert expected == JointCounts.from_frame(path, challenger=(other, "b"), id="id")


def test_files_of_two_kinds(tmp_path):
    """A CSV file and a Parquet file are joined though one has text and one numbers."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    truth = csv_of({"id": [3, 1, 2], "y": ["01", "1", "1"]}, tmp_path / "truth.csv")
    predictions = tmp_path / "predictions.parquet"
    columns = {"id": [1, 2, 3], "a": ["1", "01", "01"], "b": ["1", "1", "01"]}
    pq.write_table(pa.table(columns), predictions)

    assert JointCounts.from_predictions(
        ["01", "1", "1"], ["01", "1", "01"], ["01", "1", "1"]
    ) == JointCounts.from_frame(
        truth, champion=(predictions, "a"), challenger=(predictions, "b"), id="id"
    )


def test_labels_of_csv_files_are_of_one_type(tmp_path):
    """If one column of labels is text, all are; there is no truth to go by."""
    path = csv_of({"a": [0, 1, 0], "b": [0, "none", 1]}, tmp_path / "predictions.csv")

    assert AgreementMatrix.from_predictions(
        ["0", "1", "0"], ["0", "none", "1"]
    ) == AgreementMatrix.from_frame(path, champion="a", challenger="b")


def test_probabilities_are_no_labels(tmp_path):
    """Counts are of labels; columns of probabilities are refused."""
    path = csv_of({"y": [0, 1], "a": [0.5, 0.1], "b": [0, 1]}, tmp_path / "predictions.csv")

    with pytest.raises(ValueError, match="`champion` must be class labels"):
        JointCounts.from_frame(path)
    with pytest.raises(TypeError, match="`challenger` must be the name of a column"):
        JointCounts.from_frame(path, challenger=["a", "b"])


def test_bad_columns(library):
    """Columns that are not there, and ids that repeat, are refused."""
    for settings, message in [
        ({"champion": "c"}, "Unknown column 'c'"),
        ({"y_true": "Y"}, "Unknown column 'Y'. Did|Unknown column 'Y'. Known"),
        ({"id": "key"}, "Unknown column 'key'"),
        ({"id": "y"}, "more than once"),
    ]:
        frame = frame_from_columns({"y": [0, 0], "a": [0, 1], "b": [1, 1]}, library)

        with pytest.raises(ValueError, match=message):
            JointCounts.from_frame(frame, **settings)


def test_missing_labels(library):
    """A missing label is refused with the column and the position."""
    frame = frame_from_columns(
        {"y": ["u", "v"], "a": ["u", None], "b": ["u", "u"]}, library
    )

    with pytest.raises(ValueError, match=r"`a` must not have missing .* position 1\."):
        JointCounts.from_frame(frame)
