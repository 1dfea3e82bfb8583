"""Ways in which a gate was once made to pass a worse challenger, or to tell labels."""

import gzip
import itertools
import json
import os
import subprocess
import sys
import time
import unicodedata
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator, compare
from skcompare.cli import main
from skcompare.exceptions import EstimatorFailedError
from skcompare.gate import Gate, NonInferior, Superior, assert_better
from skcompare.predictions import ItemScores

N = 300
RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=N)
GOOD = np.where(RNG.random(N) < 0.9, Y, 1 - Y)
BAD = np.where(RNG.random(N) < 0.7, Y, 1 - Y)
ACCURACY = ["--superior", "accuracy"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where files are written, and where the gate runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, **columns):
    """A CSV file with an id for each record."""
    frame = pd.DataFrame(columns)
    frame.insert(0, "id", range(len(frame)))
    frame.to_csv(path, index=False)
    return path


def refused(capsys, *options, files=("a.csv", "b.csv")):
    """The line of an error of exit code 2."""
    capsys.readouterr()
    assert 2 == main(["gate", *options, *files])
    shown = capsys.readouterr()
    assert "" == shown.out
    (line,) = shown.err.splitlines()
    return line


# 1. A blind gate was an oracle.


@pytest.mark.parametrize("blind", [[], ["--blind"]])
@pytest.mark.parametrize("y_from", [None, "challenger"])
def test_true_labels_of_the_challenger_are_unread(folder, capsys, blind, y_from):
    """What differs is not told, right or wrong, before a look is spent."""
    (folder / "gate.toml").write_text(
        f'[data]\ny_from = "{y_from or "champion"}"\n[[condition]]\nsuperior = "accuracy"\n'
    )
    write("a.csv", y=Y, label=BAD)
    options = ["--policy", "gate.toml", "--ledger", "looks.jsonl", *blind]
    lines = set()
    for wrong in (0, 1, N):
        write("b.csv", y=np.r_[1 - Y[:wrong], Y[wrong:]], label=GOOD)
        lines.add(refused(capsys, *options))

    (line,) = lines
    assert "Column 'y' of 'b.csv', the challenger's file, has true labels" in line
    assert not (folder / "looks.jsonl").exists()


# 2. A saved estimator got the true labels.


class Reader(ClassifierMixin, BaseEstimator):
    """Predictions what a column of its records says."""

    def __init__(self, column="y"):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.asarray(X[self.column]).astype(int)


@pytest.mark.parametrize(
    ("column", "data", "message"),
    [
        ("y", "", "column 'y', which has the true labels"),
        ("id", "", "column 'id', which has ids"),
        ("user", 'groups = "user"\n', "column 'user', which has groups"),
        ("leak", 'features = ["x"]\n', "'leak', and `features` in .data. does not name it"),
        ("x", 'features = ["x", "y"]\n', "column 'y', which has the true labels"),
    ],
)
def test_a_saved_estimator_gets_no_label(
    folder, capsys, monkeypatch, column, data, message
):
    """Nor ids and groups, nor a column that the policy does not allow."""
    frame = pd.DataFrame({"y": Y, "x": RNG.normal(size=N), "leak": Y})
    frame.insert(0, "id", range(N))
    frame["user"] = np.arange(N) // 3
    frame.to_csv("data.csv", index=False)
    (folder / "gate.toml").write_text(
        f'[data]\n{data}[[condition]]\nsuperior = "accuracy"\n'
    )
    models = [Reader("x").fit(frame[["x"]], Y), Reader(column).fit(frame[[column]], Y)]
    if column == "x":
        for model in models:
            del model.feature_names_in_
    monkeypatch.setattr("skcompare.gate._files.load_estimators", lambda *_, **__: models)
    for name in ("a.skops", "b.skops"):
        (folder / name).write_text(name)

    options = ["--policy", "gate.toml", "--data", "data.csv"]
    line = refused(capsys, *options, files=("a.skops", "b.skops"))
    assert pd.Series(line).str.contains(message).all()


# 3. Labels that are no class were counted as wrong.

TEXT = np.array(["café", "thé"])
CODINGS = {
    "-1 and 1": (Y, np.where(GOOD == 1, 1, -1), BAD),
    "1 and 2": (Y, GOOD + 1, BAD),
    "quotation marks": (TEXT[Y], [f"'{word}'" for word in TEXT[GOOD]], TEXT[BAD]),
    "one in quotation marks": (
        TEXT[Y],
        [word if word == "thé" else f"'{word}'" for word in TEXT[GOOD]],
        TEXT[BAD],
    ),
    "another Unicode form": (
        TEXT[Y],
        [unicodedata.normalize("NFD", word) for word in TEXT[GOOD]],
        TEXT[BAD],
    ),
    "one in another Unicode form": (
        np.array(["cafe", "thé"])[Y],
        [unicodedata.normalize("NFD", w) for w in np.array(["cafe", "thé"])[GOOD]],
        np.array(["cafe", "thé"])[BAD],
    ),
    "case": (TEXT[Y], [word.title() for word in TEXT[GOOD]], TEXT[BAD]),
    "no class": (TEXT[Y], ["?" if w == "thé" else w for w in TEXT[GOOD]], TEXT[BAD]),
}


def test_labels_that_are_no_class(folder, capsys):
    """A champion in another coding would lose to a worse challenger."""
    for coding in CODINGS:
        truth, champion, challenger = CODINGS[coding]
        write("a.csv", y=truth, label=champion)
        write("b.csv", label=challenger)

        assert "label" in refused(capsys, *ACCURACY)
        predictions = {"a": np.array(champion), "b": np.array(challenger)}
        for judge in (compare, Gate(Superior("accuracy")).decide):
            with pytest.raises(ValueError, match="label"):
                judge(truth, predictions)


def test_truth_in_two_unicode_forms(folder, capsys):
    """Two classes that look alike are one."""
    half = np.arange(N) % 2 == 0
    truth = np.where(half, TEXT[Y], [unicodedata.normalize("NFD", w) for w in TEXT[Y]])
    write("a.csv", y=truth, label=truth)
    write("b.csv", label=np.where(BAD == Y, truth, "thé"))

    line = refused(capsys, *ACCURACY)
    assert r"in two Unicode forms, 'cafe\u0301' and 'caf\xe9'" in line


def test_labels_that_are_named_are_classes():
    """Where the records lack a class, `labels` names it."""
    predictions = {"a": BAD, "b": np.where(np.arange(N) < 3, 2, GOOD)}
    with pytest.raises(ValueError, match="labels that no record of `y_true` has: 2"):
        compare(Y, predictions)

    assert compare(Y, predictions, labels=[0, 1, 2]).verdict == "challenger"


# 4. Macro averages were over other classes for each role.


def test_macro_averages_are_over_one_set_of_classes():
    """A class that one classifier alone predictions is averaged over for neither."""
    predictions = {"a": np.where(np.arange(N) < 5, 2, GOOD), "b": BAD}
    words = {"labels": [0, 1, 2]}
    for measure in ("f1_macro", "precision_macro", "recall_macro"):
        compared = compare(Y, predictions, scoring=measure, **words).rows[0]
        assert compared.champion > compared.challenger
        for where in (None, {"site": 1}) if measure == "f1_macro" else (None,):
            gate = Gate(NonInferior(measure, margin=0.5, where=where))
            decision = gate.decide(Y, predictions, columns={"site": np.ones(N)}, **words)
            judged = decision.outcomes[0].row
            assert compared.difference == pytest.approx(judged.difference)
            assert judged.champion > judged.challenger


# 5. What is worse than without skill passed.


@pytest.mark.parametrize("measure", ["roc_auc", "binary_brier_loss", "neg_log_loss"])
def test_probabilities_of_the_other_class(measure):
    """AUC .01 against .15, and the better model has the smaller one."""
    noise = np.random.default_rng(1).normal(size=(2, N))
    right = [1 / (1 + np.exp(-(s * (2 * Y - 1) + z))) for s, z in zip((2.5, 0.8), noise)]
    good, worse = right
    assert Gate(Superior(measure)).decide(Y, {"a": worse, "b": good})
    both = Gate(Superior(measure)).decide(Y, {"a": 1 - good, "b": 1 - worse})
    one = Gate(Superior(measure)).decide(Y, {"a": 1 - good, "b": worse})

    for decision in (both, one):
        assert "inconclusive" == decision.status
        assert "worse-than-no-skill" in decision.outcomes[0].flags
        assert "less often than by chance" in decision.outcomes[0].reasons[0]


def test_an_accuracy_below_the_commonest_class_is_no_reversal():
    """A classifier that finds a rare class may be right less often than a constant."""
    y = (np.arange(2000) % 50 == 0).astype(int)
    old = np.where(y == 1, 1, np.arange(2000) % 30 == 0).astype(int)
    new = np.where(np.arange(2000) % 3 == 0, y, old)
    decision = Gate(Superior("accuracy")).decide(y, {"old": old, "new": new})

    assert (old == y).mean() < (y == 0).mean()
    assert decision.passed
    assert "worse-than-no-skill" not in decision.outcomes[0].flags


# 6. Roles went by order alone.

REVERSED = [
    ("challenger", "champion"),
    ("my-challenger-v2", "b"),
    ("a", "Champion_1"),
    ("new", "old"),
    ("candidate", "baseline"),
]


def test_names_that_say_the_opposite(folder, capsys):
    """Files in order of their names, columns, and keys of predictions."""
    for first, second in REVERSED:
        write(f"{first}.csv", y=Y, label=BAD)
        write(f"{second}.csv", label=GOOD)
        write("both.csv", y=Y, **{first: BAD, second: GOOD})
        columns = ["--champion", first, "--challenger", second]
        lines = [
            refused(capsys, *ACCURACY, files=(f"{first}.csv", f"{second}.csv")),
            refused(capsys, *ACCURACY, *columns, files=("both.csv",)),
        ]

        assert all(
            "The champion comes first, but the names suggest the opposite" in x
            for x in lines
        )
        for judge in (compare, Gate(Superior("accuracy")).decide):
            with pytest.raises(ValueError, match="names suggest the opposite"):
                judge(Y, {first: BAD, second: GOOD})


@pytest.mark.parametrize("names", [("renewed", "older"), ("news", "gold"), ("a", "b")])
def test_names_that_say_nothing(names):
    """Parts of words are no words."""
    assert Gate(Superior("accuracy")).decide(Y, dict(zip(names, (BAD, GOOD)))).passed


def test_roles_by_name_in_the_shell(folder, capsys):
    """--champion FILE --challenger FILE, in either order."""
    write("challenger.csv", label=GOOD)
    write("champion.csv", y=Y, label=BAD)
    named = ["--challenger", "challenger.csv", "--champion", "champion.csv"]

    assert 0 == main(["gate", *ACCURACY, *named])
    assert "PASSED: challenger against champion" in capsys.readouterr().out
    assert "A gate needs files" in refused(capsys, *ACCURACY, *named[:2], files=())
    assert "A gate needs files" in refused(capsys, *ACCURACY, files=())


# 7. Ids in the training data in another format were not found.

FORMATS = {
    "fractions": "{}.0",
    "zeros": "{:04d}",
    "signs": "+{}",
    "spaces": " {} ",
    "exponents": "{}e0",
    "a few": "{}",
}


def test_training_ids_in_other_formats(folder, capsys):
    """They are the same records."""
    for written, quoted in itertools.product(FORMATS, [False, True]):
        write("a.csv", y=Y, label=BAD)
        write("b.csv", label=GOOD)
        ids = [FORMATS[written].format(i) for i in (*range(5), *range(1000, 1100))]
        ids += ["n/a"] * quoted
        pd.DataFrame({"id": ids}).to_csv("train.csv", index=False)

        line = refused(capsys, *ACCURACY, "--train", "train.csv")
        assert "5 of 300 records of 'a.csv' are in the training data 'train.csv'" in line


def test_ids_that_begin_with_a_mark_or_are_long(folder, capsys):
    """A mark is no number, and each digit of a long one counts."""
    for ours, theirs, found in [
        ("#{}", "#{}", 5),
        ("#{}", "{}", None),
        ("true{}", "m{}", 0),
        ("1234567890123456{:03d}", "1234567890123456{:03d}", 5),
        ("1234567890123456{:03d}", "1234567890123457{:03d}", 0),
    ]:
        ids = [ours.format(i) for i in range(N)]
        pd.DataFrame({"id": ids, "y": Y, "label": BAD}).to_csv("a.csv", index=False)
        pd.DataFrame({"id": ids, "label": GOOD}).to_csv("b.csv", index=False)
        pd.DataFrame({"id": [theirs.format(i) for i in range(5)]}).to_csv(
            "t.csv", index=False
        )
        options = [*ACCURACY, "--train", "t.csv"]
        if found == 0:
            assert 0 == main(["gate", *options, "a.csv", "b.csv"])
        else:
            words = "different formats" if found is None else f"{found} of 300 records"
            assert words in refused(capsys, *options)


@pytest.mark.parametrize("ids", [["m1", "m2"], ["2024-01-01", "2024-01-02"]])
def test_training_ids_of_another_kind(folder, capsys, ids):
    """None would ever be found."""
    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    pd.DataFrame({"id": ids}).to_csv("train.csv", index=False)

    assert "of different formats" in refused(capsys, *ACCURACY, "--train", "train.csv")


def test_how_many_ids_were_compared(folder, capsys):
    """The report says it, in every form."""
    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    pd.DataFrame({"id": range(1000, 1100)}).to_csv("train.csv", index=False)
    words = "none of 300 among the 100 of the training data 'train.csv' (by column 'id')"
    for format in ("text", "markdown", "json", "junit", "html"):
        assert 0 == main(
            ["gate", *ACCURACY, "--train", "train.csv", "--format", format]
            + ["a.csv", "b.csv"]
        )
        shown = " ".join(capsys.readouterr().out.split())
        for mark in ("\\", "&#x27;", "&apos;"):
            shown = shown.replace(mark, "" if mark == "\\" else "'")
        assert words in shown


def test_training_features_in_other_formats(folder, capsys):
    """Values of features are compared as values, not as they are written."""
    x = np.round(RNG.normal(size=N), 3)
    write("a.csv", y=Y, label=BAD, x=x)
    write("b.csv", label=GOOD)
    train = pd.DataFrame({"x": [f"+{v:.5f}" for v in abs(x[:4])] + ["none"]})
    train.to_csv("train.csv", index=False)
    (folder / "gate.toml").write_text(
        '[data]\nfeatures = ["x"]\nlabel = "label"\n[train]\nfile = "train.csv"\n'
        '[[condition]]\nsuperior = "accuracy"\n'
    )

    line = refused(capsys, "--policy", "gate.toml")
    assert "are in the training data" in line


# 8. What nobody would miss.


def test_a_value_of_a_slice_that_no_record_has(folder, capsys):
    """A misspelled one of several would be left out in silence."""
    write("a.csv", y=Y, label=BAD, site=np.array(["A", "B", "C"])[np.arange(N) % 3])
    write("b.csv", label=GOOD)
    (folder / "gate.toml").write_text(
        '[data]\nlabel = "label"\n[[condition]]\nsuperior = "accuracy"\n'
        'where = {site = ["A", "b"]}\n'
    )

    assert "No record has 'b' in column 'site'" in refused(capsys, "--policy", "gate.toml")


def test_a_value_of_a_slice_that_no_counted_record_has():
    """Also where records are counted on their engine."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"y": Y, "a": BAD, "b": GOOD, "site": np.arange(N) % 3}).lazy()
    gate = Gate(Superior("accuracy", where={"site": [0, 5]}))
    with pytest.raises(ValueError, match="No record has 5 in column 'site'"):
        gate.decide(frame, {"a": "a", "b": "b"}, y_true="y", collect=10)


def test_truth_of_the_challenger_alone(folder, capsys):
    """Whoever submits predictions must not bring the true labels, unless the policy trusts
    it.
    """
    write("a.csv", label=GOOD)
    write("b.csv", y=BAD, label=BAD)

    line = refused(capsys, *ACCURACY)
    assert "must not bring the true labels" in line
    (folder / "gate.toml").write_text(
        '[data]\ny_from = "challenger"\n[[condition]]\nsuperior = "accuracy"\n'
    )
    assert 0 == main(["gate", "--policy", "gate.toml", "a.csv", "b.csv"])


@pytest.mark.parametrize("role", ["y", "a", "b"])
def test_masked_entries_are_missing(role):
    """What a masked array hides is no prediction."""
    given = {"y": Y, "a": BAD, "b": GOOD}
    given[role] = np.ma.masked_array(given[role], mask=np.arange(N) == 3)
    truth = given.pop("y")
    for judge in (compare, Gate(Superior("accuracy")).decide):
        with pytest.raises(ValueError, match=r"must not have missing labels\. Got 1"):
            judge(truth, given)


@pytest.mark.parametrize("measure", ["f1_macro", "balanced_accuracy", "recall_weighted"])
def test_one_class_concludes_nothing_of_averages(measure):
    """An average over classes of one class is none."""
    y = np.ones(N, dtype=int)
    predictions = {"a": np.where(np.arange(N) % 3, 1, 0), "b": y}
    decision = Gate(NonInferior(measure, margin=0.1)).decide(y, predictions, labels=[0, 1])

    assert "inconclusive" == decision.status
    assert "all records are of one class" in decision.outcomes[0].reasons[0]


class Leaver(ClassifierMixin, BaseEstimator):
    """Asks to leave with the exit code of success."""

    def __init__(self, step="predict"):
        self.step = step

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.step == "fit":
            raise SystemExit(0)
        return self

    def predict(self, X):
        if self.step == "predict":
            raise SystemExit(0)
        return np.zeros(len(X), dtype=int)


def check_that_leaving_is_failing(n_jobs):
    """In a fit or a prediction, of a comparator and of an assertion."""
    X = np.arange(2 * N).reshape(N, 2)
    for step in ("fit", "predict"):
        comparator = PairedComparator(
            Leaver("never"), Leaver(step), n_jobs=n_jobs, random_state=0
        )
        with pytest.raises(EstimatorFailedError, match="SystemExit"):
            comparator.fit(X, Y)
    with pytest.raises(EstimatorFailedError, match="SystemExit"):
        assert_better(Y, Leaver("never").fit(X, Y), Leaver("predict").fit(X, Y), X=X)


def test_an_estimator_that_leaves_has_failed():
    """It does not end the process with code 0."""
    check_that_leaving_is_failing(None)


@pytest.mark.slow
def test_an_estimator_that_leaves_another_process_has_failed():
    """Nor is the end of a worker taken for a prediction."""
    check_that_leaving_is_failing(2)


def test_scores_on_other_scales():
    """A worse system in per cent beats a better one in shares."""
    for times in [(1, 100), (100, 1), (1, 5), (3, 40)]:
        good, bad = RNG.random(N) * 0.5 + 0.5, RNG.random(N) * 0.5
        good[0] = bad[0] = 1.0
        scores = np.arange(N), good * times[0], bad * times[1]
        unlike = ItemScores(*scores)
        with pytest.raises(ValueError, match=r"must be on one scale\. .* Pass `bounds`"):
            Gate(Superior("mean_score")).decide(unlike)
        bounded = ItemScores(*scores, bounds=(0, 100))

        assert Gate(Superior("mean_score")).decide(bounded).outcomes[0].row is not None


# 9. Resources.


def test_many_columns_take_their_time_only(folder):
    """Twice as many columns take about twice as long, and not four times."""
    took = []
    for n in (20_000, 40_000):
        header = ",".join(["id", "y", "a", "b", *(f"c{i}" for i in range(n))])
        row = ",".join(["{}", "1", "1", "0", *["0"] * n])
        rows = [row.format(i) for i in range(3)]
        (folder / "x.csv").write_text("\n".join([header, *rows]))
        start = time.process_time()
        main(["gate", *ACCURACY, "--champion", "a", "--challenger", "b", "x.csv"])
        took.append(time.process_time() - start)

    assert took[1] < 3 * took[0] + 0.5


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="Linux has such a file")
def test_input_without_end(folder, capsys, monkeypatch):
    """It is refused in one line, before memory is full."""
    monkeypatch.setattr("skcompare._io.readers.LARGEST_PIPE", 1 << 22)
    write("b.csv", label=GOOD)

    line = refused(capsys, *ACCURACY, files=("/dev/zero", "b.csv"))
    assert "'/dev/zero' is not a regular file" in line
    assert "does not end after 4,194,304 characters" in line


def test_a_file_that_unpacks_to_a_thousand_times_its_size(folder, capsys, monkeypatch):
    """A small file would fill the memory."""
    monkeypatch.setattr("skcompare._core.atomic_write.ALWAYS_FINE", 1 << 16)
    write("b.csv", label=GOOD)
    text = "id,y,label\n" + "1,1,1\n" * 100_000
    (folder / "a.csv.gz").write_bytes(gzip.compress(text.encode()))

    line = refused(capsys, *ACCURACY, files=("a.csv.gz", "b.csv"))
    assert "more than 200 times its size. Unpack it if it is right" in line


def test_a_tree_of_an_older_version(folder, capsys):
    """It lacks parameters that this version asks for, and is no internal error."""
    pytest.importorskip("skops.io")
    import skops.io

    X = RNG.normal(size=(N, 2))
    write("data.csv", y=Y, x0=X[:, 0], x1=X[:, 1])
    for name, depth in (("a", 1), ("b", 3)):
        tree = DecisionTreeClassifier(max_depth=depth).fit(X, Y)
        del tree.monotonic_cst
        skops.io.dump(tree, f"{name}.skops")

    options = [*ACCURACY, "--data", "data.csv"]
    line = refused(capsys, *options, files=("a.skops", "b.skops"))
    assert "holds DecisionTreeClassifier that is not whole" in line
    assert "internal error" not in line


def test_two_dashes_as_a_value(capsys):
    """argparse makes an empty list of it."""
    for option in ["--superior", "--data", "--alpha", "--json", "--y"]:
        with pytest.raises(SystemExit) as caught:
            main(["gate", f"{option}=--", "a.csv", "b.csv"])

        assert 2 == caught.value.code
        assert f"argument {option}: expected one value. Got '--'" in capsys.readouterr().err


# 10. Outputs.

COMMANDS = [
    "::error::no",
    "x ::set-output name=a::b",
    "##[error]no",
    "##vso[task.x]y",
    ":::",
]
COMMANDS += [
    "##VSO[a]",
    "a\n::error::b",
    "a\r::stop-commands::x",
    "y " * 40 + "::warning::z",
]


def has_command(text):
    """Whether a service finds a command in it."""
    return "::" in text or "##[" in text or "##vso[" in text.lower()


@pytest.mark.parametrize(
    "names",
    [COMMANDS[::3], pytest.param(COMMANDS, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def test_names_are_no_commands(folder, capsys, names):
    """Neither those of columns, of labels, of slices, nor of files."""
    files = {"json": "a.json", "junit": "a.xml", "html": "a.html", "markdown": "a.md"}
    beside = [word for name, path in files.items() for word in (f"--{name}", path)]
    for name in names:
        words = " ".join(name.split())
        labels = np.array(["no", words])
        columns = {words: labels[BAD], "b": labels[GOOD], "y": labels[Y]}
        write("x.csv", **columns, site=np.full(N, words))
        where = (
            json.dumps({"site": words})[1:-1]
            .replace(": ", " = ", 1)
            .replace('"site"', "site")
        )
        (folder / "gate.toml").write_text(
            f'[data]\nchampion = {json.dumps(words)}\nchallenger = "b"\n'
            f"[[condition]]\nsuperior = {json.dumps(f'recall[{words}]')}\n"
            f'[[condition]]\nsuperior = "accuracy"\nwhere = {{{where}}}\n'
        )
        code = main(["gate", "--policy", "gate.toml", *beside, "x.csv"])
        shown = capsys.readouterr()

        assert code in (0, 1), shown.err
        assert not has_command(shown.out)
        assert not has_command(shown.err)
        made = {kind: (folder / path).read_text("utf-8") for kind, path in files.items()}
        style = made["html"].partition("<style>")[2].partition("</style>")[0]
        made["html"] = made["html"].replace(style, "")
        assert [] == [kind for kind, text in made.items() if has_command(text)]
        assert words == json.loads(made["json"])["champion"]
        ElementTree.fromstring(made["junit"].encode())


def test_errors_are_no_commands(folder, capsys):
    """What was not found is shown, and is no command."""
    for name in COMMANDS:
        words = " ".join(name.split())
        write("a.csv", y=Y, label=BAD)
        for options in (["--y", words], ["--label", words], ["--policy", words]):
            assert not has_command(
                refused(capsys, *ACCURACY[: 2 * (len(options) < 2)], *options)
            )
        assert 2 == main(["compare", "a.csv", "--y", words])
        assert not has_command(capsys.readouterr().err)


def test_nobody_is_told_by_a_name_in_markdown(folder, capsys):
    """Hosts tell whoever is named after @."""
    write("a.csv", y=Y, **{"@team/all": BAD, "b": GOOD})
    columns = ["--champion", "@team/all", "--challenger", "b"]
    main(["gate", *ACCURACY, *columns, "--format", "markdown", "a.csv"])

    shown = capsys.readouterr().out
    assert "@&#8203;team/all" in shown
    assert "@team" not in shown


def test_no_report_is_written_onto_the_lock(folder, capsys):
    """A run beside it would take the report for a lock."""
    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    for option in ("--json", "--html", "--junit", "--markdown"):
        line = refused(
            capsys, *ACCURACY, "--ledger", "looks.jsonl", option, "looks.jsonl.lock"
        )
        assert "would overwrite" in line
    assert not (folder / "looks.jsonl").exists()


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has such a file")


def run(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "skcompare", *arguments]
    return subprocess.run(command, text=True, check=False, timeout=100, **options)


@FULL
def test_full_streams_are_an_error(folder, capsys, monkeypatch):
    """An error that cannot be printed is an error, and so is a report."""
    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    with open("/dev/full", "w") as full, monkeypatch.context() as patch:
        patch.setattr("sys.stderr", full)
        assert 2 == main(["gate", *ACCURACY, "none.csv", "b.csv"])
    with open("/dev/full", "w") as full, monkeypatch.context() as patch:
        patch.setattr("sys.stdout", full)
        assert 2 == main(["gate", *ACCURACY, "a.csv", "b.csv"])

    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left on device: 'standard output'" in line


@pytest.mark.slow
@FULL
def test_full_streams_keep_the_code(folder):
    """An error that cannot be printed is an error, and so is a report."""
    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    with open("/dev/full", "w") as full:
        lost = run("gate", *ACCURACY, "none.csv", "b.csv", stderr=full, stdout=-3)
        told = run("gate", *ACCURACY, "a.csv", "b.csv", stdout=full, stderr=-1)

    assert 2 == lost.returncode
    assert 2 == told.returncode
    assert "No space left on device: 'standard output'" in told.stderr
    assert 1 == len(told.stderr.splitlines())


@FULL
def test_a_full_disk_names_the_file(folder, capsys, monkeypatch):
    """The system says only that there is no space."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    write("a.csv", y=Y, label=BAD)
    write("b.csv", label=GOOD)
    options = ["--ledger", "looks.jsonl"]
    assert 0 == main(["gate", *ACCURACY, *options, "a.csv", "b.csv"])
    monkeypatch.setattr("os.fsync", full)
    write("b.csv", label=Y)

    assert "No space left on device: 'looks.jsonl'" in refused(capsys, *ACCURACY, *options)


# 11. `skcompare compare` did not look at the truth of a second file.


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_compare_holds_true_labels_against_each_other(folder, capsys, suffix):
    """Predictions about another truth are not compared."""
    frame = pd.DataFrame({"id": range(N), "y": Y, "champion": BAD})
    other = pd.DataFrame({"id": range(N), "y": np.r_[1 - Y[:2], Y[2:]], "challenger": GOOD})
    for name, each in (("a", frame), ("b", other)):
        if suffix == ".csv":
            each.to_csv(f"{name}{suffix}", index=False)
        else:
            each.to_json(f"{name}{suffix}", orient="records", lines=True)
    options = ["compare", f"a{suffix}", "--challenger-file", f"b{suffix}", "--id", "id"]

    assert 2 == main([*options, "--challenger", "challenger"])
    assert "True labels differ between column 'y'" in capsys.readouterr().err


# 12. Numbers: what looks like a small loss, or like a margin.

PRICES = 100 + 50 * RNG.random(N)
NEAR, FAR = PRICES + RNG.normal(0, 3, N), PRICES + RNG.normal(0, 5, N)
ERROR = ["--superior", "neg_mean_absolute_error"]
FORECAST = ["--value", "forecast"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["nan"] * N, "must be"),
        (["inf", *NEAR[1:]], "must be"),
        (["", *NEAR[1:]], "forecast"),
        (["best", *NEAR[1:]], "must be numbers"),
    ],
)
def test_numbers_that_are_none_do_not_win(folder, capsys, values, words):
    """Errors that are no number are not left out of a mean."""
    write("a.csv", y=PRICES, forecast=FAR)
    write("b.csv", forecast=values)

    assert words in refused(capsys, *ERROR, *FORECAST)


@pytest.mark.parametrize("challenger", [False, True])
def test_true_numbers_of_the_challenger_must_agree(folder, capsys, challenger):
    """The challenger does not say what is true, to no digit."""
    write("a.csv", y=PRICES, forecast=FAR)
    write("b.csv", y=np.r_[np.nextafter(PRICES[0], 0), PRICES[1:]], forecast=NEAR)
    if challenger:
        frame = pd.read_csv("a.csv").drop(columns="y")
        frame.to_csv("a.csv", index=False)
        words = "must not bring the true labels"
    else:
        words = "True labels differ"
    assert words in refused(capsys, *ERROR, *FORECAST)


def test_the_target_is_no_forecast(folder, capsys):
    """Nor is it under the name of the forecast, or in both columns of one file."""
    write("a.csv", y=PRICES, old=FAR, new=NEAR)
    one_file = ["--champion", "old", "--challenger", "y"]
    assert "cannot be both" in refused(capsys, *ERROR, *one_file, files=("a.csv",))
    twice = ["--champion", "old", "--challenger", "old"]
    assert "the same predictions 'old'" in refused(capsys, *ERROR, *twice, files=("a.csv",))


def test_a_blind_gate_does_not_tell_numbers(folder, capsys):
    """A perfect champion, of whose loss nothing is a share, is like any that holds."""
    options = ["--ledger", "looks.jsonl", "--blind", *FORECAST]
    condition = ["--noninferior", "neg_mean_absolute_error:2 %"]
    shown = set()
    for champion in (PRICES, NEAR):
        write("a.csv", y=PRICES, forecast=champion)
        write("b.csv", forecast=FAR)
        assert 1 == main(["gate", *condition, *options, "a.csv", "b.csv"])
        shown.add(capsys.readouterr().out)
        (folder / "looks.jsonl").unlink()

    assert 1 == len(shown)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1e3, 1e200])
def test_units_of_the_forecast_are_not_changed(folder, scale):
    """A champion in another unit is far off: that is no fault that a gate can see."""
    both = {"old": NEAR, "new": scale * NEAR}
    decision = Gate(NonInferior("neg_mean_absolute_error", "50 %")).decide(PRICES, both)

    assert not decision.passed
