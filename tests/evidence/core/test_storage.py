"""Evidence in files: restored exactly, replaced whole, and nothing in a file is run."""

import datetime as dt
import gc
import itertools
import json
import os
import pickle
import sys
import zipfile
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from skcompare import evidence as package
from skcompare._core import store
from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import Design
from skcompare.evidence import (
    AgreementMatrix,
    AgreementMoments,
    BlockDifferences,
    Checkpoint,
    ClassPlacementValues,
    ClusterSums,
    ContingencyTable,
    CorrectnessPatterns,
    CorrelationMoments,
    CrossedDifferences,
    JointCounts,
    JointLosses,
    OrderedDifferences,
    PairedBlocks,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoreBins,
    ScoreDifferences,
    ScoredPair,
    Storable,
    Tally,
    TallyRequest,
    load_checkpoint,
    load_evidence,
    save_checkpoint,
    tally_arrays,
)
from skcompare.predictions import predictions_from_arrays

ENDINGS = ("json", "npz")
RNG = np.random.default_rng(0)
N = 24
Y2, Y3 = np.arange(N) % 2, np.arange(N) % 3
SCORES = RNG.random((2, N))
PROBA = [RNG.dirichlet(np.ones(3), N) for _ in range(2)]
LABELS = [proba.argmax(axis=1) for proba in PROBA]
GROUPS = np.array(["ann", "bé", "eve"])[RNG.integers(3, size=N)]
NAMES = np.array(["ant", "bée", "cow"])
DAYS = np.array(["2024-02-29", "1969-12-31", "2030-01-01"], dtype="M8[D]")
LARGE = np.array([2**53 + 1, 2**53 + 2, -(2**60) - 1])


def examples():
    """Evidence of every class, as it comes from records."""
    yield ContingencyTable(2**60 + 1, 25, 15, 10)
    yield ContingencyTable(0.1, 0.2, 1e-300, 3, design=Design("kfold", n_folds=7))
    yield AgreementMatrix.from_predictions(NAMES[LABELS[0]], NAMES[LABELS[1]])
    for classes in (NAMES, LARGE):
        yield JointCounts.from_predictions(classes[Y3], *(classes[a] for a in LABELS))
    yield JointCounts.from_predictions(Y2 == 1, *(score > 0.5 for score in SCORES))
    yield OrderedDifferences.from_predictions(Y2, *SCORES, groups=GROUPS, horizon=2)
    losses = np.stack([SCORES, SCORES], axis=1)
    yield CrossedDifferences.from_losses(*losses, paired=False, loss="log_loss")
    yield PairedBlocks([[[40, 4, 2, 4], [41, 3, 3, 3]]] * 5)
    yield CorrectnessPatterns.from_predictions(Y3, *LABELS, names=["a", "b"])
    yield PlacementValues.from_predictions(Y2, *SCORES, *SCORES)
    yield PlacementValues.from_predictions(NAMES[Y2], *SCORES, pos_label="ant")
    yield PlacementValues.from_predictions(Y2, *SCORES, groups=GROUPS)
    yield PlacementValues.from_predictions(Y2, *SCORES, score_bins=ScoreBins.uniform(7))
    yield PlacementValues.from_predictions(
        Y2, SCORES[0].round(1), SCORES[1], n_score_bins=4
    )
    yield ClassPlacementValues.from_predictions(NAMES[Y3], *PROBA)
    yield PairedLosses.from_predictions(Y2, *SCORES, loss="log_loss")
    yield PairedLosses.from_predictions(Y2, *SCORES, groups=GROUPS)
    yield PairedLosses.from_predictions(Y2, *SCORES, groups=DAYS[Y3], keep_values=False)
    yield PairedLosses.from_predictions(
        Y3, *PROBA, loss="spherical_loss", keep_values=False
    )
    yield JointLosses.from_predictions(Y2, *SCORES, *SCORES, loss="squared_error")
    binary = PairedCalibration.from_predictions(Y2, *SCORES, n_bins=4)
    yield binary
    yield binary.reduced()
    yield PairedCalibration.from_predictions(
        Y2, *SCORES, groups=GROUPS, strategy="equal_mass", n_bins=3
    )
    yield PairedCalibration.from_predictions(Y3, *PROBA, kind="classwise", n_bins=3)
    yield PairedCalibration.from_predictions(Y3, *PROBA, kind="top_label").reduced()
    yield AgreementMoments.from_predictions(*SCORES)
    yield CorrelationMoments.from_predictions(Y2, *SCORES)
    yield ClusterSums.from_predictions(Y3, *LABELS, groups=GROUPS)
    yield BlockDifferences.from_records(
        np.arange(16).reshape(2, 8) / 7, [[1, 1, 0, 0] * 2, [1, 0] * 4], score="f1"
    )
    yield ScoreDifferences([0.1, np.nan, -0.0], [30, 30, 31], [15, 15, 14])


def state(value):
    """All that a value is made of, to the last bit, as nested tuples."""
    if is_dataclass(value):
        inner = tuple((f.name, state(getattr(value, f.name))) for f in fields(value))
    elif isinstance(value, np.ndarray) and value.dtype == object:
        inner = (value.shape, tuple(map(state, value.ravel())))
    elif isinstance(value, np.ndarray | np.generic):
        inner = (value.dtype.str, value.shape, value.tobytes())
    elif isinstance(value, list | tuple):
        inner = tuple(map(state, value))
    elif isinstance(value, dict):
        inner = tuple((state(key), state(one)) for key, one in value.items())
    else:
        inner = value.hex() if isinstance(value, float) else value
    return type(value), inner


def arrays(value):
    """All arrays that a value is made of."""
    if is_dataclass(value):
        return [one for f in fields(value) for one in arrays(getattr(value, f.name))]
    if isinstance(value, list | tuple | dict):
        values = value.values() if isinstance(value, dict) else value
        return [one for part in values for one in arrays(part)]
    return [value] if isinstance(value, np.ndarray) else []


@dataclass(frozen=True, slots=True)
class Part:
    """A value of another package, within its evidence."""

    number: Any
    twice: Any = field(init=False, default=None)


@dataclass(frozen=True, slots=True)
class Toy(Storable):
    """Evidence of another package: it has fields, and nothing else."""

    content: Any
    parts: tuple[Part, ...] = ()
    other: "ContingencyTable | None" = None

    required: ClassVar[frozenset[str]] = frozenset()


EXAMPLES = list(examples())


def _as_floats(name, values):
    if not np.size(values):
        raise ValueError(f"`{name}` has no value.")
    return np.array(values, dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Weighted(Storable):
    """Evidence whose declaration says what its arrays are."""

    values: Any = field(metadata=array_of(_as_floats, "n_samples", "n_classes"))
    weights: Any = field(default=None, metadata=array_of(_as_floats, "n_samples"))
    design: Any = field(default="holdout", metadata=AS_DESIGN)

    def _check_together(self):
        if self.weights is not None and not self.weights.any():
            raise ValueError("Not all weights may be 0.")


def test_fields_are_checked_as_declared():
    """Each by its rule, then the shapes, then all together; arrays are copies."""
    given = np.ones((2, 3), dtype=int)
    evidence = Weighted(given, [0, 1])

    assert (evidence.values.dtype, evidence.weights.dtype) == (float, float)
    assert (evidence.values.flags.writeable, given.flags.writeable) == (False, True)
    assert evidence.design == Design("holdout")
    assert Weighted(given).weights is None
    for arguments, message in [
        (([1, 2],), r"`values` must have shape \(n_samples, n_classes\). Got \(2,\)"),
        (
            (given, [1, 2, 3]),
            r"`values` must have shape \(n_samples=3, n_classes\). Got \(2",
        ),
        ((given, []), "`weights` has no value"),
        ((given, [0, 0]), "Not all weights may be 0"),
        ((given, [0, 1], "guess"), "design"),
        ((None,), r"`values` must have shape \(n_samples, n_classes\). Got \(\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            Weighted(*arguments)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_evidence_is_restored_exactly(ending, tmp_path):
    """To the last bit, with types and read-only arrays, also by its own class."""
    path = tmp_path / f"evidence.{ending}"
    for evidence in EXAMPLES:
        evidence.save(path)

        restored = load_evidence(path)

        assert state(evidence) == state(restored)
        assert state(evidence) == state(type(evidence).load(str(path)))
        for before, after in zip(arrays(evidence), arrays(restored), strict=True):
            assert before.flags.writeable or not after.flags.writeable
        assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ENDINGS)
def test_tallies_are_restored_exactly(ending, tmp_path):
    """Cells of labels, losses, bins and levels, with the plan they were counted by."""
    full = TallyRequest(
        labels=True,
        losses=("binary_brier_loss", "log_loss"),
        calibration=True,
        ranking=True,
    )
    grouped = TallyRequest(labels=True, losses=("binary_brier_loss",))
    predictions, path = {"old": SCORES[0], "new": SCORES[1]}, tmp_path / f"tally.{ending}"
    for requested, groups in ((full, None), (grouped, GROUPS)):
        tally = tally_arrays(Y2, predictions, requested, groups=groups)
        tally.save(path)

        assert state(tally) == state(Tally.load(path))


def test_every_class_has_an_example():
    """What the package exports and can be saved is in the tests above."""
    classes = {getattr(package, name) for name in package.__all__}
    stored = {c for c in classes if isinstance(c, type) and issubclass(c, Storable)}

    assert {type(one) for one in EXAMPLES} == stored - {Storable, ScoredPair, Tally}


def test_values_are_restored_exactly(tmp_path):
    """Whatever bits a float has, however large a whole number is, and each label's type."""
    for ending, content in itertools.product(
        ENDINGS,
        [
            None,
            (True, 2**70, -1, 0.1, -0.0, float("inf"), 5e-324, "é\ud800\x00", ""),
            [(), [], {}, {"a": (1, [2.0])}, {(1, "b"): None}, frozenset({1, "a"})],
            np.array([0.0, -0.0, np.nan, -np.nan, np.inf, 5e-324, 0.1]),
            np.frombuffer(bytes.fromhex("010000000000f07fffffffffffffffff"), "<f8"),
            np.array([[1.5, 0.1], [3, 4]], dtype=">f4"),
            np.array([0.1, 65504], dtype=np.float16),
            np.array([0.1, 2], dtype=np.longdouble),
            np.array([1 + 2j, complex(np.nan, -0.0)]),
            np.array([2**64 - 1, 2**53 + 1], dtype=np.uint64),
            np.array([True, False]),
            np.array(["a", "bé\x00c", ""]),
            np.array([b"a\x00b", b""]),
            np.array(["2024-01-01", "NaT"], dtype="M8[ns]"),
            np.array([5, -7], dtype="m8[s]"),
            np.array([["a", None], [2**80, dt.date(2024, 2, 29)]], dtype=object),
            np.zeros((0, 3)),
            np.array(3),
            [
                np.float32(0.1),
                np.int8(-3),
                np.bool_(True),
                np.str_("a"),
                np.datetime64("NaT"),
            ],
            [dt.datetime(2024, 2, 29, 1, 2, 3, 4), dt.timedelta(-1, 2, 3)],
            dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3))),
        ],
    ):
        path = tmp_path / f"toy.{ending}"
        for one in [content] if not isinstance(content, list) else [content, *content]:
            Toy(one).save(path)
            assert state(one) == state(Toy.load(path).content)


@pytest.mark.parametrize("ending", ENDINGS)
def test_evidence_of_others(ending, tmp_path):
    """Values that its fields name, and evidence, may be within evidence."""
    path = tmp_path / f"toy.{ending}"
    toy = Toy(0, (Part(1), Part(-0.0)), ContingencyTable(1, 2, 3, 4))
    toy.save(path)

    assert state(toy) == state(load_evidence(path))


class Reduced(Storable):
    """Evidence without fields, made again as its `__reduce__` says."""

    def __init__(self, value):
        self.value = value

    def __reduce__(self):
        return self.value


def score(y_true, labels):
    """A function, which no file holds."""
    return 0.0


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_file_cannot_hold(ending, tmp_path):
    """It is refused by name, and the file that is there stays."""
    path = tmp_path / f"old.{ending}"
    ContingencyTable(1, 2, 3, 4).save(path)
    before = path.read_bytes()
    for evidence, words in [
        (Toy(score), "an object of the type function, as `content` of Toy"),
        (Toy([{"a": Part(1), "b": score}]), "the type function, as `content` of Toy"),
        (
            Toy(0, (Part(score),)),
            "the type function, as `number` of Part, as `parts` of",
        ),
        (Toy(1j), "an object of the type complex"),
        (Toy(np.zeros(1, dtype=[("a", "f8")])), r"an array of \[\('a', '<f8'\)\]"),
        (Toy(np.array([score])), "an object of the type function"),
        (
            Toy(dt.datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC"))),
            "a time in the zone UTC",
        ),
        (Reduced((score, ())), "Reduced, whose __reduce__ does not return the class"),
        (Reduced((Reduced, (1,), {"state": 1})), "Reduced, whose __reduce__ does not"),
        (
            ScoredPair.from_predictions(Y2, *SCORES, score=score),
            "FunctionScore, as `score` of ScoredPair.* Predictions.save",
        ),
    ]:
        with pytest.raises(TypeError, match=rf"A file cannot hold .*{words}"):
            evidence.save(path)
        assert before == path.read_bytes()
        assert [path] == list(tmp_path.iterdir())


def test_plain_reduce_works(tmp_path):
    """A class whose `__reduce__` names its own arguments needs no fields."""

    class Plain(Reduced):
        def __reduce__(self):
            return Plain, (self.value,)

    Plain([1, 2]).save(tmp_path / "plain.npz")

    assert [1, 2] == Plain.load(tmp_path / "plain.npz").value


def test_names_of_files(tmp_path):
    """Only two endings tell the format; folders are refused, links followed."""
    table = ContingencyTable(1, 2, 3, 4)
    for name in ("table", "table.pkl", "table.JSON"):
        with pytest.raises(ValueError, match=r"must end in \.npz or \.json"):
            table.save(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        table.save(tmp_path / "missing" / "table.npz")
    with pytest.raises(FileNotFoundError):
        load_evidence(tmp_path / "missing.npz")
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_files(ending, tmp_path):
    """A file that was cut anywhere, or has other bytes, is one clear error."""
    path = tmp_path / f"joint.{ending}"
    EXAMPLES[3].save(path)
    whole = path.read_bytes()
    cuts = [whole[:end] for end in range(0, len(whole) - 1, len(whole) // 25)]
    noise = [b"", b"{}", b"[]", b"null", b"PK", b"\xff\xfe", b"a,b\n1,2\n", b"[" * 10**5]
    if ending == "npz":
        cuts += [whole[:200] + b"\x00\x01\x02" + whole[203:]]

    for damaged in cuts + noise:
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="cannot be read as evidence: "):
            load_evidence(path)
        with pytest.raises(ValueError, match="cannot be read as evidence: "):
            load_checkpoint(path, start=0)


def rewritten(path, change):
    """A JSON file of evidence with its content changed."""
    stored = json.loads(path.read_text())
    change(stored)
    path.write_text(json.dumps(stored))


def piece(stored):
    """The evidence within the content of a file."""
    return stored["content"]["dict"][0][1]["value"]


def array(stored):
    """An array within the evidence."""
    return piece(stored)[1]["counts"]["array"]


def test_files_that_say_something_else(tmp_path):
    """Other versions, classes and arguments are refused, and nothing is run."""
    for change, words in [
        (lambda s: s.update(version=2), "version 2 of the format"),
        (lambda s: s.update(format="skcompare.predictions"), "'skcompare.predictions'"),
        (
            lambda s: piece(s).__setitem__(0, "subprocess.Popen"),
            "'subprocess.Popen', unknown",
        ),
        (lambda s: piece(s).__setitem__(0, "skcompare.Part"), "import the package"),
        (lambda s: piece(s)[1].pop("counts"), "counts"),
        (lambda s: piece(s)[1].update(more=1), "more"),
        (lambda s: piece(s)[1].update(counts={"function": "os.system"}), "function"),
        (lambda s: piece(s)[1].update(counts={"tuple": [], "list": []}), "."),
        (lambda s: piece(s)[1].update(counts=[1]), "where a value belongs"),
        (
            lambda s: piece(s)[1]["counts"]["array"].update(dtype="|O8"),
            "an array of object",
        ),
        (lambda s: piece(s)[1]["counts"]["array"]["values"].__setitem__(0, -1), "count"),
        (lambda s: piece(s)[1]["counts"]["array"].update(shape=[1, 1]), "reshape"),
        (lambda s: array(s).update(shape=[-1]), r"array of the shape \[-1\]"),
        (lambda s: array(s).update(dtype=None), "dtype|data type"),
        (lambda s: array(s)["values"].__setitem__(0, 1.5), "int64 with values of another"),
        (lambda s: array(s)["values"].__setitem__(0, "1"), "int64 with values of another"),
        (
            lambda s: s["content"].update(dict=[["evidence", "text"]]),
            "'text' under the name",
        ),
        (lambda s: s["content"].update(dict=[["checkpoint", {"dict": []}]]), "neither"),
        (lambda s: s.update(content=5), "neither evidence nor a checkpoint"),
    ]:
        path = tmp_path / "joint.json"
        EXAMPLES[3].save(path)
        rewritten(path, change)

        for load in (load_evidence, load_checkpoint):
            with pytest.raises(ValueError, match=f"as evidence: .*{words}") as refused:
                load(path)
            assert ".. Expected" not in str(refused.value)


def test_a_name_that_stands_twice(tmp_path):
    """JSON that says two things under one name is refused; a reader would take the last."""
    path = tmp_path / "table.json"
    EXAMPLES[0].save(path)
    text = path.read_text()
    path.write_text(text.replace('"only_champion"', '"both_wrong": 1, "only_champion"'))

    with pytest.raises(ValueError, match="it says one thing twice"):
        load_evidence(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links and errors of POSIX")
def test_files_that_cannot_be_opened(tmp_path):
    """They are not called damaged, and another ending is refused before a stream begins."""
    (tmp_path / "file").write_text("")
    (tmp_path / "loop.npz").symlink_to(tmp_path / "loop.npz")
    for path in (tmp_path / "file" / "a.npz", tmp_path / "loop.npz", tmp_path):
        with pytest.raises(OSError, match=f"{path.name}"):
            load_checkpoint(path, start=0)
    with pytest.raises(ValueError, match=r"must end in \.npz or \.json"):
        load_checkpoint(tmp_path / "stream.txt", start=0)


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


def test_nothing_is_unpickled(tmp_path):
    """Pickles are refused unread, in an archive or alone."""
    path = tmp_path / "bomb.npz"
    np.savez(path, header=np.array([Bomb()], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load_evidence(path)

    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="does not begin as an npz file does"):
        load_evidence(path)


def test_other_files_of_ours(tmp_path):
    """Predictions, and evidence of another class, are distinguished."""
    path = tmp_path / "file.npz"
    predictions_from_arrays(Y2, {"a": SCORES[0], "b": SCORES[1]}).save(path)
    with pytest.raises(ValueError, match="cannot be read as evidence"):
        load_evidence(path)

    EXAMPLES[0].save(path)
    with pytest.raises(ValueError, match=r"holds a ContingencyTable\. Expected a Joint"):
        JointCounts.load(path)
    assert EXAMPLES[0] == Storable.load(path)


def test_classes_of_the_file_only(tmp_path):
    """A value that some evidence names is unknown elsewhere."""
    path = tmp_path / "toy.json"
    Toy(0, (Part(1),)).save(path)
    name = store.name_of(Part)
    rewritten(path, lambda s: piece(s)[1].update(other={"value": [name, {"number": 1}]}))
    assert Part(1) == load_evidence(path).other

    ContingencyTable(1, 2, 3, 4).save(path)
    rewritten(
        path, lambda s: piece(s)[1].update(both_correct={"value": [name, {"number": 1}]})
    )
    with pytest.raises(ValueError, match="unknown here"):
        load_evidence(path)


def test_checkpoints(tmp_path):
    """Several pieces of evidence and the position are restored together."""
    positions = 17, {"0": 12, "1": 2**60}, ("2024-01-01", 3), dt.date(2024, 1, 1), None
    for ending, (number, position) in itertools.product(ENDINGS, enumerate(positions)):
        path = tmp_path / f"stream-{number}.{ending}"
        assert Checkpoint({}, position) == load_checkpoint(path, start=position)
        with pytest.raises(FileNotFoundError):
            load_checkpoint(path)

        pieces = {"joint": EXAMPLES[3], "table": EXAMPLES[0]}
        save_checkpoint(path, pieces, position)
        evidence, found = load_checkpoint(path, start=0)

        assert state(pieces) == state(evidence)
        assert state(position) == state(found)
        with pytest.raises(ValueError, match="is a checkpoint"):
            load_evidence(path)
        EXAMPLES[0].save(path)
        with pytest.raises(ValueError, match="evidence without a position"):
            load_checkpoint(path, start=0)


def test_checkpoints_hold_evidence_by_name(tmp_path):
    """Evidence alone, and what is no evidence, are refused before anything is written."""
    path = tmp_path / "stream.npz"
    for given in (EXAMPLES[0], [EXAMPLES[0]], {1: EXAMPLES[0]}, {"a": 1}):
        with pytest.raises(TypeError, match="must be a mapping of evidence by name"):
            save_checkpoint(path, given, 0)
    with pytest.raises(TypeError, match="cannot hold an object of the type function"):
        save_checkpoint(path, {"a": EXAMPLES[0]}, score)
    assert [] == list(tmp_path.iterdir())


def test_files_are_on_disk_before_they_take_their_place(tmp_path, monkeypatch):
    """The new file is synced, then put in place, then its name is synced."""
    done, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (done.append("sync"), fsync(fd))[1])
    monkeypatch.setattr(
        os, "replace", lambda a, b: (done.append("place"), replace(a, b))[1]
    )
    EXAMPLES[0].save(tmp_path / "table.npz")

    expected = ["sync", "place", "sync"] if os.name == "posix" else ["sync", "place"]
    assert expected == done


# An older numpy leaves its archive to the garbage collector, which cannot finish it either.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk(ending, tmp_path):
    """Where the new file does not fit, the old one stays and nothing is left beside it."""
    import resource

    path = tmp_path / f"table.{ending}"
    ContingencyTable(1, 2, 3, 4).save(path)
    scores = ScoreDifferences([0.1] * 1000, [9] * 1000, [9] * 1000)
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores the signal that goes with it, so that it is an error.
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, most))
    try:
        with pytest.raises(OSError, match="File too large"):
            scores.save(path)
        gc.collect()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))

    assert ContingencyTable(1, 2, 3, 4) == load_evidence(path)
    assert [path] == list(tmp_path.iterdir())


def test_npz_files_can_be_read_elsewhere(tmp_path):
    """The arrays are those of numpy, beside a header in JSON."""
    path = tmp_path / "joint.npz"
    EXAMPLES[3].save(path)

    assert zipfile.is_zipfile(path)
    with np.load(path, allow_pickle=False) as stored:
        header = json.loads(stored["header"].tobytes())
        assert "skcompare.JointCounts" == piece(header)[0]
        assert EXAMPLES[3].classes.tolist() in [stored[n].tolist() for n in stored.files]
