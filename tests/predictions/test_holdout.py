"""A hold-out set from files, with further columns of its records."""

import itertools

import numpy as np
import pytest

from skcompare._io.columns import source_of
from skcompare.predictions import (
    ColumnRoles,
    predictions_from_arrays,
    predictions_from_frame,
)

FIRST = {
    "id": [3, 1, 2, 5],
    "y": ["b", "a", "b", "a"],
    "old": ["b", "b", "b", "a"],
    "site": ["N", "S", "N", "N"],
    "age": [31, 7, 31, 80],
}
SECOND = {"id": [1, 2, 3, 5], "truth": ["a", "b", "b", "a"], "new": ["a", "a", "b", "a"]}


def write_csv(path, columns):
    """Writes columns to a CSV file and gives its path."""
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def frame(columns):
    """A frame of pandas."""
    pytest.importorskip("narwhals")
    return pytest.importorskip("pandas").DataFrame(columns)


def holdout(*arguments, pos_label=None, others=(), **settings):
    """The predictions of a hold-out set, and further columns of its records."""
    columns = others if isinstance(others, dict) else {name: name for name in others}
    values = ColumnRoles(*arguments, others=columns, **settings).read()
    return values.collected(None, pos_label), values.others


def both(first, second, **settings):
    """The hold-out set of two tables."""
    predictions = {"old": "old", "new": (second, "new")}
    return holdout(first, "y", predictions, id="id", **settings)


@pytest.mark.parametrize("kind", ["csv", "frame"])
def test_columns_are_of_the_same_records(tmp_path, kind):
    """Predictions are those of predictions_from_frame, and other columns beside them."""
    if kind == "csv":
        first = write_csv(tmp_path / "first.csv", FIRST)
        second = write_csv(tmp_path / "second.csv", SECOND)
    else:
        first, second = frame(FIRST), frame(SECOND)
    predictions, columns = both(
        first,
        second,
        groups="site",
        others=["age", "site"],
        same=[(None, (second, "truth"))],
    )
    expected = predictions_from_frame(
        first, "y", {"old": "old", "new": (second, "new")}, id="id", groups="site"
    )

    assert expected.fingerprint == predictions.fingerprint
    for name in ("old", "new"):
        assert expected[name].labels.tolist() == predictions[name].labels.tolist()
    assert expected.groups.tolist() == predictions.groups.tolist()
    assert ["age", "site"] == list(columns)
    ages = FIRST["age"] if kind == "frame" else list(map(str, FIRST["age"]))
    assert [ages, FIRST["site"]] == [columns[name].tolist() for name in ("age", "site")]


def test_columns_in_two_roles(tmp_path):
    """A column of a CSV file is a number as a prediction and as written as a slice."""
    columns = {"y": [0, 1, 1], "a": [0.25, 0.5, 1], "b": [0, 1, 0]}
    path = write_csv(tmp_path / "one.csv", columns)
    predictions, others = holdout(
        path, "y", {"a": "a", "b": "b"}, pos_label=1, others=["y", "b"]
    )

    assert [0, 1] == predictions.classes.tolist()
    assert [0.25, 0.5, 1] == predictions["a"].proba[:, 1].tolist()
    assert [["0", "1", "1"], ["0", "1", "0"]] == [o.tolist() for o in others.values()]


def test_the_same_truth():
    """True labels are the same whatever their type."""
    for truth, again in [
        ([0, 1, 1], [0.0, 1.0, 1.0]),
        ([0, 1, 1], ["0", "1", "1"]),
        ([False, True, True], [0, 1, 1]),
        (["no", "yes", "yes"], ["no", "yes", "yes"]),
        (["n", "y" * 99, "n"], ["n", "y" * 99, "n"]),
    ]:
        one = frame({"id": [1, 2, 3], "y": truth, "a": truth})
        two = frame({"id": [3, 2, 1], "y": again[::-1]})
        predictions, _ = holdout(
            one, "y", {"a": "a"}, id="id", same=[(None, (two, "y")), (None, (one, "a"))]
        )

        assert predictions.y.tolist() == predictions["a"].labels.tolist()


@pytest.mark.parametrize(
    ("again", "message"),
    [
        (["a", "b", "b", "b"], r"in 1 of 4 records, ids 5: id 5 has a and b\. Both"),
        (["b", "a", "a", "b"], r"in 4 of 4 records, ids 3, 1, 2, \.\.\.: id 3 has b and"),
        ([0, 1, 1, 0], r"'y' of `frame` and column 'truth' of .* in 4 of 4 records"),
    ],
)
def test_another_truth(again, message):
    """Records whose true labels differ are counted, and the first of them shown."""
    second = frame(SECOND | {"truth": again})
    with pytest.raises(ValueError, match=message):
        both(frame(FIRST), second, same=[(None, (second, "truth"))])


def test_another_truth_without_ids():
    """Without ids, records are counted from the first."""
    one = frame({"y": [0, 1, 1], "z": [0, 0, 1], "a": [0, 1, 1]})
    with pytest.raises(ValueError, match="1 of 3 records, records 2: record 2 has 1 and 0"):
        holdout(one, "y", {"a": "a"}, same=[(None, (one, "z"))])


def test_another_truth_on_an_engine():
    """True labels are compared where an engine counts the records, too."""
    polars = pytest.importorskip("polars")
    for truth, differs in [(SECOND["truth"], False), (["a", "b", "b", "b"], True)]:
        second = polars.LazyFrame(SECOND | {"truth": truth})
        predictions = {"old": "old", "new": (second, "new")}
        same = [(None, (second, "truth"))]
        roles = ColumnRoles(polars.LazyFrame(FIRST), "y", predictions, "id", same=same)
        if differs:
            with pytest.raises(
                ValueError, match=r"True labels differ .* in 1 of 4 records"
            ):
                roles.on_engine()
        else:
            assert roles.on_engine().table.n_records() == 4


def test_bad_arguments():
    """What is wrong is said with the name of the argument."""
    for settings, error, message in [
        ({"others": ["sight"]}, ValueError, "Unknown column 'sight'"),
        ({"others": [3]}, TypeError, "`column 3` must be the name of a column"),
        ({"same": [(None, 3)]}, TypeError, "second y_true` must be the name of a column"),
        ({"same": [(None, ("no.csv", "y"))]}, FileNotFoundError, "no file 'no.csv'"),
    ]:
        with pytest.raises(error, match=message):
            both(frame(FIRST), frame(SECOND), **settings)


def test_further_columns_that_must_be_the_same(tmp_path):
    """Facts about records must agree, however their numbers are written."""
    for kind, (ages, message) in itertools.product(
        ["csv", "frame"],
        [
            ([7, 31, 31, 80], None),
            (["7.0", "31", " 31", "80.00"], None),
            (
                [7, 32, 31, 80],
                r"'age' of .* in 1 of 4 records, ids .?2.?: id .?2.? has 31 and",
            ),
            (["seven", 31, 31, 80], "has 7 and seven. Correct one of them"),
        ],
    ):
        second = SECOND | {"age": [*map(str, ages)] if isinstance(ages[0], str) else ages}
        make = frame if kind == "frame" else lambda one: write_csv(tmp_path / "a.csv", one)
        first, second = frame(FIRST), make(second)
        settings = {"others": {"age": (first, "age")}, "same": [("age", (second, "age"))]}
        if message is None:
            assert FIRST["age"] == both(first, second, **settings)[1]["age"].tolist()
            continue
        with pytest.raises(ValueError, match=message):
            both(first, second, **settings)


def test_further_columns_elsewhere():
    """They may be in another frame than the true labels."""
    first, second = frame(FIRST), frame(SECOND | {"tag": list("abcd")})
    _, columns = both(first, second, others={"other": (second, "tag"), "age": "age"})

    assert {"other": list("cabd"), "age": FIRST["age"]} == {
        name: values.tolist() for name, values in columns.items()
    }


def test_integers_near_and_far_from_each_other():
    """Joining by a table and by sorting give one prediction."""
    for unit, start in itertools.product([1, 7, 10**6], [-50, 0, 2**40]):
        rng = np.random.default_rng(0)
        ids = start + unit * rng.permutation(100)
        order = rng.permutation(100)
        y = rng.integers(0, 2, 100)
        one = frame({"id": ids, "y": y, "a": y})
        two = frame({"id": ids[order], "b": y[order]})
        for second in (two, frame({"id": ids, "b": y})):
            predictions, _ = holdout(one, "y", {"a": "a", "b": (second, "b")}, id="id")
            assert y.tolist() == predictions["b"].labels.tolist()


@pytest.mark.parametrize("types", [(np.uint64, np.int64), (np.int64, np.uint64)])
def test_integers_that_no_fraction_tells_apart(types):
    """Signed and unsigned ids of 64 bits are compared exactly."""
    one = frame({"id": np.array([2**60, 2**60 + 2], types[0]), "y": [0, 1]})
    two = frame({"id": np.array([2**60 + 1, 2**60 + 2], types[1]), "b": [0, 1]})
    with pytest.raises(ValueError, match="lacks 1 of them"):
        holdout(one, "y", {"b": (two, "b")}, id="id")
    three = frame({"id": np.array([2**63 + 1, 2**60 + 2], np.uint64), "b": [0, 1]})
    with pytest.raises(ValueError, match="lacks 1 of them"):
        holdout(one, "y", {"b": (three, "b")}, id="id")


def test_a_source_stands_for_its_file(tmp_path):
    """A file that was opened is the frame."""
    path = write_csv(tmp_path / "first.csv", FIRST)
    _, columns = holdout(source_of(path), "y", {"a": "old"}, others=["age"])

    assert ["31", "7", "31", "80"] == columns["age"].tolist()


# Labels and probabilities of one classifier

P = np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.9])


def test_any_threshold_is_allowed():
    """Labels by any threshold agree with their probabilities, and not with those of the
    other class, unless all are one label."""
    for threshold in [0.0, 0.15, 0.5, 0.65, 0.8, 1.0]:
        labels = (threshold < P).astype(int)
        given = {"a": {"labels": labels, "proba": P}}
        y = [0, 1] * 3

        assert labels.tolist() == predictions_from_arrays(y, given)["a"].labels.tolist()
        given["a"]["proba"] = 1 - P
        if labels.min() < labels.max():
            with pytest.raises(
                ValueError, match=r"`a` disagree with .* Is `pos_label` right"
            ):
                predictions_from_arrays(y, given)
        else:
            predictions_from_arrays(y, given)


def test_columns_in_another_order():
    """Of several classes, columns in the wrong order are found."""
    proba = np.full((6, 3), 0.2) + 0.4 * np.eye(3)[[0, 1, 2, 0, 1, 2]]
    given = {"a": {"labels": [0, 1, 2, 0, 1, 2], "proba": proba}}
    assert predictions_from_arrays([0, 1, 2] * 2, given)["a"].has_proba
    given["a"]["proba"] = proba[:, [1, 2, 0]]
    with pytest.raises(ValueError, match=r"in 100% of records.* order of the sorted"):
        predictions_from_arrays([0, 1, 2] * 2, given)
