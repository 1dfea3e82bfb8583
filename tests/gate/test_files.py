"""Which columns of which files a gate judges, and what it refuses."""

import itertools
import os
import shutil
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from skcompare.gate import Gate, NonInferior, Superior
from skcompare.gate._evaluate import judge_subject
from skcompare.gate._files import GateFiles, subject_from_files
from skcompare.gate._policy import Columns, TrainSettings

pd = pytest.importorskip("pandas")

FORMATS = [".csv", ".jsonl", ".npz"] + [".parquet"] * bool(find_spec("pyarrow"))
RNG = np.random.default_rng(0)
N = 40
TRUTH = RNG.choice(["ham", "spam"], N)
GATE = Gate(Superior("accuracy"))


def role(name, seed):
    """Predictions in an order of their own."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"id": [f"m{i}" for i in range(N)], "y": TRUTH})
    frame["said"] = np.where(rng.random(N) < 0.7, TRUTH, "spam")
    frame["p"] = np.where(frame["said"] == "spam", 0.75, 0.25)
    frame["site"] = np.tile(["A", "B"], N // 2)
    return frame.sample(frac=1, random_state=seed), name


def save(frame, path):
    """Writes a frame in the format of its name."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        texts = {c: frame[c].to_numpy(str) for c in frame.columns if c != "p"}
        other = {"p": np.column_stack([1 - frame["p"], frame["p"]])} if "p" in frame else {}
        np.savez(path, **texts, **other)
    return str(path)


@pytest.fixture
def files(tmp_path):
    """Saves champion and challenger, with some of their columns."""

    def make(first=".csv", second=".jsonl", keep=("y", "said"), other=None):
        paths = []
        kept = (keep, keep if other is None else other)
        for (frame, name), suffix, own in zip(
            (role("old", 1), role("new", 2)), (first, second), kept
        ):
            paths.append(save(frame[["id", *own]], tmp_path / f"{name}{suffix}"))
        return tuple(paths)

    return make


def judged(paths, columns=None, gate=GATE, **options):
    """The subject of files."""
    return subject_from_files(GateFiles(paths), columns or Columns(), gate, **options)


def labels_of(subject, role):
    """Predicted labels in the order of the records."""
    return subject.pair.predictions.classes[getattr(subject.pair, role).labels]


def test_files_are_joined_by_id(files):
    """Records are distinguished by their ids, whatever the order and the format."""
    champion, challenger = (
        role(name, seed)[0].set_index("id") for name, seed in (("o", 1), ("n", 2))
    )
    for first, second in zip(FORMATS, [*FORMATS[1:], *FORMATS]):
        subject = judged(files(first, second, other=("said",)), keep_ids=True)

        assert N == subject.n_records
        assert ("old", "new") == subject.data.names
        assert (
            champion.loc[subject.ids, "said"].tolist()
            == labels_of(subject, "champion").tolist()
        )
        assert (
            challenger.loc[subject.ids, "said"].tolist()
            == labels_of(subject, "challenger").tolist()
        )


def test_labels_and_probabilities(files):
    """Both may be named, the probabilities in one array too."""
    for suffix in FORMATS:
        columns = Columns(label="said", proba="p", pos_label="spam")
        if suffix == ".npz":
            columns = Columns(label="said", proba="p")
        subject = judged(files(suffix, suffix, ("y", "said", "p")), columns)

        assert subject.pair.champion.has_proba
        assert subject.pair.champion.has_labels


def test_truth_of_one_file(files):
    """True labels may be in the first file, in both, or in the second if it is trusted."""
    both = judged(files())
    trusted = Columns(y_from="challenger")
    for first, second, columns in (
        (("y", "said"), ("said",), None),
        (("said",), ("y", "said"), trusted),
        (("y", "said"), ("y", "said"), trusted),
    ):
        subject = judged(files(keep=first, other=second), columns)
        assert sorted(both.pair.predictions.y) == sorted(subject.pair.predictions.y)


SITE_A = Gate(Superior("accuracy", where={"site": "A"}))
BY_SITE = Columns(label="said", groups="site", y_from="challenger")


def test_slices_and_groups(files):
    """They are the champion's, or of the file that alone has the true labels."""
    for champion, challenger in [
        (("y", "said", "site"), ("y", "said")),
        (("said", "site"), ("y", "said")),
        (("y", "said", "site"), ("said", "site")),
        (("said", "site"), ("y", "said", "site")),
        (("said",), ("y", "said", "site")),
    ]:
        subject = judged(files(keep=champion, other=challenger), BY_SITE, SITE_A)

        assert N // 2 == subject.part({"site": "A"}).n_records
        assert subject.data.design.grouped


@pytest.mark.parametrize(
    ("gate", "columns"),
    [(SITE_A, Columns(label="said")), (GATE, replace(BY_SITE, y_from=None))],
)
def test_challenger_does_not_choose_slices(files, gate, columns):
    """A slice, or groups, that only the challenger's file knows are refused."""
    paths = files(keep=("y", "said"), other=("y", "said", "site"))
    with pytest.raises(ValueError, match=r"'site'.* is only in .*new.* Add the column to"):
        judged(paths, columns, gate)


def test_slices_that_differ(files, tmp_path):
    """Columns of slices and groups that both files have are compared record by record."""
    for second, columns in itertools.product(FORMATS, [Columns(label="said"), BY_SITE]):
        keep = ("y", "said", "site")
        first, other = files(second=second, keep=keep)
        gate = SITE_A if columns.groups is None else GATE
        assert N == judged((first, other), columns, gate).n_records
        frame, _ = role("new", 2)
        path = save(frame[["id", *keep]].assign(site="A"), tmp_path / f"wrong{second}")
        message = f"'site' of .* in {N // 2} of {N} records, ids 'm.*: id 'm.*' has B and A"
        with pytest.raises(ValueError, match=message):
            judged((first, path), columns, gate)


@pytest.mark.parametrize("where", [{"said": "spam"}, {"p": 0.75}])
def test_slices_by_predictions(files, where):
    """No classifier chooses by its predictions which records it is judged by."""
    columns = Columns(label="said", proba="p", pos_label="spam")
    gate = Gate(Superior("accuracy", where=where))
    with pytest.raises(ValueError, match="not sliced or grouped by predictions"):
        judged(files(".csv", ".csv", ("y", "said", "p")), columns, gate)


def test_labels_against_probabilities(files):
    """Probabilities of the wrong class are found by the labels of the same classifier."""
    paths = files(".csv", ".csv", ("y", "said", "p"))
    columns = Columns(label="said", proba="p", pos_label="ham")
    with pytest.raises(ValueError, match=r"`old` disagree .* in 100% of records"):
        judged(paths, columns)


def test_columns_of_another_kind(tmp_path):
    """What a column holds instead of what it was named as is shown."""
    for champion, challenger, columns, message in [
        ("0", "1", {"label": "a"}, "must hold labels. Got 0, which are none of .*'no'"),
        ("1", "0", {"label": "a", "pos_label": "no"}, "Got 1, which are none of"),
        ("0.5", "0.25", {"label": "a"}, "must hold labels. Got fractions, such as 0.5"),
        ("0.5", "12%", {"proba": "a"}, "new.csv' must hold probabilities. Got '12%'"),
        ('"0,5"', "0.5", {"proba": "a"}, "old.csv' must hold probabilities. Got '0,5'"),
    ]:
        for name, value in (("old", champion), ("new", challenger)):
            rows = f"id,y,a\n1,no,{value}\n2,yes,{value}\n"
            (tmp_path / f"{name}.csv").write_text(rows)
        paths = (str(tmp_path / "old.csv"), str(tmp_path / "new.csv"))
        with pytest.raises(ValueError, match=message):
            judged(paths, Columns(**columns))


def test_formats_that_are_not_read(files, tmp_path):
    """A file of another format is not read as CSV."""
    for name, advice in [
        ("a.json", "Rename it to .jsonl"),
        ("a.XLSX", "Export the sheet as CSV"),
        ("a.csv.zip", "Unpack it"),
        ("a.feather", "write it again"),
        ("a.h5", "Got '.h5'"),
    ]:
        path, _ = files()
        with pytest.raises(ValueError, match=rf"must be CSV .*{advice}"):
            judged((path, str(tmp_path / name)))


@pytest.mark.parametrize("name", ["answers", "predictions.txt", "predictions.dat"])
def test_csv_by_other_names(files, tmp_path, name):
    """Names that say nothing are of CSV files."""
    first, second = files(".csv", ".csv")
    os.rename(second, tmp_path / name)

    assert N == judged((first, str(tmp_path / name))).n_records


def test_one_file(tmp_path):
    """One file has the columns of both."""
    frame, _ = role("old", 1)
    path = save(
        frame.rename(columns={"said": "a"}).assign(b=frame["y"]), tmp_path / "x.csv"
    )
    subject = judged((path,), Columns(champion="a", challenger="b"))

    assert ("a", "b") == subject.data.names
    assert TRUTH.size == (labels_of(subject, "challenger") == frame["y"].to_numpy()).sum()


def test_text_as_positive_label(tmp_path):
    """A label from the shell has the type of the labels."""
    path = tmp_path / "x.csv"
    path.write_text("y,champion,challenger\n1,0.5,0.25\n0,0.25,0.5\n")
    given = GateFiles((str(path),), pos_label="0")
    subject = subject_from_files(given, Columns(), GATE)

    assert 0 == subject.pos_label
    assert [0.5, 0.75] == subject.pair.champion.proba[:, 1].tolist()


REFUSED = [
    ({"id": "key"}, "Unknown column 'key'"),
    ({"y": "truth"}, "Unknown column 'truth'"),
    ({"label": "Said"}, "Unknown column 'Said'. Did you mean 'said'"),
    ({"label": "y"}, "cannot be both `y` and the champion's predictions"),
    ({"label": "p"}, "must hold labels. Got fractions"),
    ({"proba": "said"}, "must hold probabilities"),
    ({}, "must have one column of predictions .* Got 'said', 'p'"),
    ({"label": "said", "groups": "nobody"}, "Unknown column 'nobody'"),
    ({"label": "said", "labels": ("ham", "eggs")}, "not classes|no label"),
    ({"label": "said", "champion": "said", "challenger": "p"}, "Got both"),
    ({"label": "said", "item": "id"}, "`item` is about scores"),
    ({"score": "p", "label": "said"}, "`label` is about predictions for records"),
]


def test_columns_that_cannot_be(files):
    """Columns that are not there, or are something else, are named."""
    for values, message in REFUSED:
        columns = Columns(**values)
        if "label" in values and values["label"] == "p":
            columns = Columns(label="p", pos_label="spam")
        with pytest.raises(ValueError, match=message):
            judged(files(keep=("y", "said", "p")), columns)


def test_files_without_ids(tmp_path):
    """Two files are never joined by position."""
    paths = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"y,said\n1,1\n0,{name == 'a':d}\n")
        paths.append(str(path))

    with pytest.raises(ValueError, match="column of ids that both have"):
        judged(tuple(paths))


def test_same_file(files, tmp_path):
    """One file as both is found, by another name and as a copy too."""
    for how in ["path", "link", "hard link", "copy"]:
        path, _ = files()
        other = tmp_path / f"{how}.csv"
        if how == "path":
            other = tmp_path / "." / os.path.basename(path)
        elif how == "link":
            other.symlink_to(path)
        elif how == "hard link":
            os.link(path, other)
        else:
            shutil.copyfile(path, other)

        with pytest.raises(ValueError, match="Champion and challenger are the same"):
            judged((path, str(other)))


def test_same_column(tmp_path):
    """One column as both is found; a threshold of shared probabilities is not."""
    frame, _ = role("old", 1)
    path = save(frame.assign(sure=frame["y"]), tmp_path / "x.csv")
    with pytest.raises(ValueError, match=r"the same file .* 'said'"):
        judged((path,), Columns(champion="said", challenger="said"))
    roles = [{"labels": name, "proba": "p"} for name in ("said", "sure")]
    columns = Columns(champion=roles[0], challenger=roles[1], pos_label="spam")

    assert ("champion", "challenger") == judged((path,), columns).data.names


def test_files_of_one_name(files, tmp_path):
    """Files of one name are called by their folders."""
    paths = []
    for path, folder in zip(files(".csv", ".csv"), ("v1", "v2")):
        (tmp_path / folder).mkdir()
        paths.append(os.rename(path, tmp_path / folder / "predictions.csv"))
        paths[-1] = str(tmp_path / folder / "predictions.csv")

    assert (os.path.join("v1", "predictions"), os.path.join("v2", "predictions")) == judged(
        tuple(paths)
    ).data.names


def test_training_records(files, tmp_path):
    """Records that were trained on are refused, by ids or else by features."""
    for train, columns, message in [
        ({"id": ["m7", "m8", "x"]}, {}, r"2 of 40 records .*by column 'id'\): ids 'm"),
        ({"key": ["m7", "x"]}, {"key": "key"}, "1 of 40 records"),
        ({"id": ["x"]}, {}, None),
        ({"p": [0.5, 0.75]}, {"features": ("p",)}, "by equal values of p"),
        ({"p": [0.75], "site": ["C"]}, {"features": ("p", "site")}, None),
        ({"p": [0.75]}, {}, "cannot be looked up"),
        ({"p": [0.75]}, {"features": ("p", "site")}, "Unknown column 'site'"),
        ({"id": ["x"]}, {"key": "key"}, "Unknown column 'key'"),
    ]:
        path = save(pd.DataFrame(train), tmp_path / "train.csv")
        settings = TrainSettings(path, columns.pop("key", None))
        paths = files(".jsonl", ".csv", ("y", "said", "p", "site"), ("y", "said"))
        given = GateFiles(paths, train=settings)
        requested = Columns(champion="said", **columns)
        if message is None:
            assert N == subject_from_files(given, requested, GATE).n_records
            continue
        with pytest.raises(ValueError, match=message):
            subject_from_files(given, requested, GATE)


def test_scores_item_by_item(tmp_path):
    """Files of scores are judged by their mean."""
    gate = Gate(NonInferior("mean_score", margin=0.5, where={"topic": "x"}))
    paths = []
    for name, score in (("old", 0), ("new", 1)):
        rows = [{"item": i, "score": score, "topic": "xy"[i % 2]} for i in range(20)]
        paths.append(save(pd.DataFrame(rows), tmp_path / f"{name}.jsonl"))
    subject = judged(tuple(paths), gate=gate)

    assert ("old", "new", 20) == (*subject.data.names, subject.n_records)
    assert judge_subject(gate, subject).passed
    with pytest.raises(ValueError, match="Champion and challenger are the same file"):
        judged((paths[0], paths[0]), gate=gate)
    frame = pd.read_json(paths[0], lines=True).drop(columns="topic")
    with pytest.raises(ValueError, match="'topic', which `where` names, is only in"):
        judged((save(frame, tmp_path / "plain.jsonl"), paths[1]), gate=gate)


def test_saved_estimators(tmp_path):
    """Estimators prediction by the columns that each was trained with."""
    sio = pytest.importorskip("skops.io")
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = np.where(frame["a"] + 2 * frame["b"] > 0, "yes", "no")
    train = slice(0, 150)
    made = {
        "old": LogisticRegression().fit(frame[["a"]][train], y[train]),
        "new": LogisticRegression().fit(frame[["b", "a"]][train], y[train]),
        "plain": LogisticRegression().fit(frame[train].to_numpy(), y[train]),
    }
    paths = {name: str(tmp_path / f"{name}.skops") for name in made}
    for name, estimator in made.items():
        sio.dump(estimator, paths[name])
    held = frame[150:].assign(y=y[150:], id=range(150))
    data = save(held, tmp_path / "holdout.csv")
    gate = Gate(Superior("accuracy"), Superior("roc_auc"))

    for first, second in (("old", "new"), ("plain", "new")):
        given = GateFiles((paths[first], paths[second]), data, pos_label="yes")
        subject = subject_from_files(given, Columns(), gate)
        expected = made["new"].predict(held[["b", "a"]])
        assert (first, second) == subject.data.names
        assert expected.tolist() == labels_of(subject, "challenger").tolist()
        assert subject.pair.champion.has_proba
    trained = save(frame[100:160], tmp_path / "train.csv")
    given = GateFiles((paths["old"], paths["new"]), data, TrainSettings(trained))
    with pytest.raises(ValueError, match=r"10 of 150 records .* equal values of a, b"):
        subject_from_files(given, Columns(), gate)
    for options, message in (
        ({"predictions": (paths["old"], paths["new"])}, "Pass --data FILE"),
        ({"predictions": (paths["old"], data), "data": data}, "two .skops files"),
        ({"predictions": (paths["old"],) * 2, "data": data}, "are the same file"),
    ):
        with pytest.raises(ValueError, match=message):
            subject_from_files(GateFiles(**options), Columns(), gate)


def test_pickles_are_refused(files, tmp_path):
    """Nothing is unpickled, and the message says why."""
    path, _ = files()
    with pytest.raises(ValueError, match="can run any code"):
        judged((path, str(tmp_path / "model.pkl")))
