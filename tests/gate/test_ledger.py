"""What a ledger counts and spends, and that what it cannot count never passes."""

import itertools
import json
import math
import multiprocessing
import threading
import warnings
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from skcompare import PairedComparator
from skcompare.gate import Gate, Ledger, NonInferior, Superior
from skcompare.gate import _evaluate as looks_module
from skcompare.gate import _ledger as ledger_file
from skcompare.gate._ledger import (
    Digests,
    finish_look,
    locked,
    read_ledger,
    sealed,
    take_look,
)
from skcompare.gate._subjects import TalliedSubject
from skcompare.predictions import ItemScores

# A test that takes no time, whatever the gate would choose.
FAST = {"test": "mcnemar", "options": {"method": "mid-p"}}
GATE = Gate(Superior("accuracy", **FAST))
N = 400
TANGO = {"test": "mcnemar", "options": {"method": "asymptotic"}}
Y = np.arange(N) % 2
OLD = np.where(np.arange(N) % 5 == 0, 1 - Y, Y)


def challenger(seed, accuracy=0.8):
    """Labels that are right so often."""
    return np.where(np.random.default_rng(seed).random(N) < accuracy, Y, 1 - Y)


BETTER = challenger(0, 0.99)
ALIKE = challenger(1)


def look(path, new, gate=GATE, **given):
    """The decision of one look."""
    return gate.decide(Y, {"old": OLD, "new": new}, ledger=path, **given)


@pytest.fixture
def path(tmp_path):
    """Where a ledger may be."""
    return tmp_path / "looks.jsonl"


@pytest.fixture
def clock(monkeypatch):
    """Time stands still."""
    monkeypatch.setattr("skcompare.gate._ledger.now", lambda: "2026-01-01T00:00:00+00:00")


@pytest.mark.parametrize("rule", ["decreasing", "equal"])
def test_levels_add_up_to_alpha(rule):
    """All levels, however many, are alpha together, and each is below that before it."""
    n_looks = 2_000
    ledger = Ledger("-", rule=rule, looks=n_looks if rule == "equal" else None)
    levels = [ledger.level(k, alpha=0.05) for k in range(1, n_looks + 1)]
    left = 0.05 / (1 + math.log2(n_looks + 1)) if rule == "decreasing" else 0.0

    assert 0.05 - left == pytest.approx(math.fsum(levels), rel=1e-12)
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] > 0
    assert (ledger.level(n_looks + 1, alpha=0.05) > 0) is (rule == "decreasing")


def test_the_published_shares():
    """A half is left after one look, a third after three, a quarter after seven."""
    ledger = Ledger("-")
    spent = [
        math.fsum(ledger.level(i, alpha=1.0) for i in range(1, k + 1)) for k in (1, 3, 7)
    ]

    assert [1 / 2, 2 / 3, 3 / 4] == pytest.approx(spent, rel=1e-14)


def test_each_look_is_judged_at_its_level(path):
    """Look k has the level of the rule, and the decision says what is left."""
    for number in (1, 2, 3):
        decision = look(path, challenger(number))
        level = Ledger("-").level(number, alpha=0.05)
        left = 0.05 / (1 + math.log2(1 + number))

        assert level == decision.alpha == decision.outcomes[0].level
        assert {
            "number": number,
            "alpha": level,
            "rule": "decreasing",
            "total_alpha": 0.05,
            "looks_left": None,
            "alpha_left": pytest.approx(left),
            "next_alpha": Ledger("-").level(number + 1, alpha=0.05),
            "repeated": False,
            "ledger": str(path),
        } == decision.look
    plain = GATE.at_level(level).decide(Y, {"old": OLD, "new": challenger(3)})
    assert plain.outcomes[0].pvalue == decision.outcomes[0].pvalue
    assert [1, 2, 3] == [one["number"] for one in Ledger(path).history()]


def test_a_p_between_both_levels_passes_only_without_a_ledger(path):
    """The level of the look decides, not that of the gate."""
    second = OLD.copy()
    # Right in nine records where the champion is wrong, and wrong in three others.
    second[5:140:15] = Y[5:140:15]
    second[1:400:190] = 1 - Y[1:400:190]
    pvalue = GATE.decide(Y, {"old": OLD, "new": second}).outcomes[0].pvalue
    look(path, challenger(3))

    assert Ledger("-").level(2, alpha=0.05) < pvalue < 0.05
    assert GATE.decide(Y, {"old": OLD, "new": second}).passed
    assert look(path, second).status == "inconclusive"


def test_equal_looks_run_out(path):
    """Each of N looks has alpha / N; a further one is refused, a repeated one is not."""
    ledger = Ledger(path, rule="equal", looks=2)
    decisions = [look(ledger, challenger(k)) for k in (1, 2)]

    assert [0.025, 0.025] == [decision.alpha for decision in decisions]
    assert [1, 0] == [decision.look["looks_left"] for decision in decisions]
    assert decisions[1].look["next_alpha"] is None
    with pytest.raises(ValueError, match="All 2 looks"):
        look(ledger, BETTER)
    assert look(path, challenger(1)).look["repeated"]


def test_the_same_predictions_are_the_same_look(path):
    """Running again spends nothing, and gives the same number, level and prediction."""
    first = look(path, BETTER)
    text = path.read_bytes()
    again = look(path, BETTER.copy())

    assert first.passed
    first = replace(first, seconds=None, look={**first.look, "repeated": True})
    assert first.to_dict() == replace(again, seconds=None).to_dict()
    assert text == path.read_bytes()


@pytest.mark.parametrize(
    "gate",
    [
        Gate(Superior("accuracy", **FAST), Superior("balanced_accuracy")),
        Gate(Superior("accuracy", test="mcnemar", options={"method": "asymptotic"})),
        Gate(Superior("accuracy", **FAST), min_records=10),
    ],
)
def test_other_conditions_are_another_look(path, gate):
    """What is asked of the same predictions is spent for, too."""
    look(path, ALIKE)

    assert look(path, ALIKE, gate).look["number"] == 2
    assert look(path, ALIKE, replaced(tell_inconclusive=True)).look["number"] == 1


def test_columns_that_no_slice_uses_are_no_part_of_a_look(path):
    """What is read beside the predictions costs no look."""
    look(path, ALIKE)

    assert look(path, ALIKE, columns={"site": np.arange(N)}).look["repeated"]


def replaced(**given):
    """The gate with other settings."""
    return Gate(*GATE.conditions, **given)


def test_both_roles_and_slices_are_part_of_a_look(path):
    """Another champion, or another slice, is another look."""
    sliced = Gate(Superior("accuracy", where={"site": "a"}, **FAST))
    sites = np.where(np.arange(N) < 200, "a", "b")
    look(path, ALIKE)
    other = GATE.decide(Y, {"old": challenger(7), "new": ALIKE}, ledger=path)
    third = look(path, ALIKE, sliced, columns={"site": sites})
    fourth = look(path, ALIKE, sliced, columns={"site": sites[::-1]})

    assert [2, 3, 4] == [one.look["number"] for one in (other, third, fourth)]


def test_the_same_predictions_spend_nothing(path):
    """A champion against itself cannot pass, and no look is taken."""
    for blind in (False, True):
        decision = look(path, OLD, blind=blind)

        assert not decision
        assert decision.look is None
        assert ("same-predictions",) == decision.flags
        assert not path.exists()


def frame(seed=None):
    """Records with ids, in some order."""
    table = pd.DataFrame({"id": np.arange(N) * 3, "y": Y, "old": OLD, "new": ALIKE})
    return table if seed is None else table.sample(frac=1, random_state=seed)


def test_ids_make_the_order_irrelevant(path, tmp_path):
    """The same records by id are the same set and the same look, also from a CSV file."""
    frame(2).to_csv(tmp_path / "rows.csv", index=False)
    given = {"y_true": "y", "id": "id", "ledger": path}
    predictions = {"old": "old", "new": "new"}
    tables = (frame(), frame(1), tmp_path / "rows.csv")
    decisions = [GATE.decide(table, predictions, **given) for table in tables]

    assert [False, True, True] == [one.look["repeated"] for one in decisions]
    other = frame().assign(id=np.arange(N))
    with pytest.raises(ValueError, match="another hold-out set: the ids differ"):
        GATE.decide(other, predictions, **given)


def test_another_order_without_ids_is_another_look_at_the_same_set(path):
    """Records that nobody can tell apart keep their ledger, and spend a look."""
    look(path, ALIKE)
    flip = slice(None, None, -1)
    again = GATE.decide(Y[flip], {"old": OLD[flip], "new": ALIKE[flip]}, ledger=path)

    assert again.look["number"] == 2


@pytest.mark.parametrize("groups", [None, np.arange(N) // 4])
def test_a_class_that_no_record_has_changes_no_set(path, groups):
    """What a challenger predicts is no part of the set."""
    gate = Gate(NonInferior("accuracy", margin=0.5, **TANGO))
    for new in (ALIKE, np.where(np.arange(N) < 5, -1, ALIKE)):
        predictions = {"old": OLD, "new": new}
        decision = gate.decide(
            Y, predictions, groups=groups, labels=[-1, 0, 1], ledger=path
        )

    assert 2 == decision.look["number"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (lambda y, g: (y[:-2], g[:-2]), "records and true labels and groups"),
        (lambda y, g: (np.r_[y[:-1], 0], g), "true labels and groups"),
        (lambda y, g: (y, g // 2), "the groups differ"),
        (lambda y, g: (y, None), "the groups differ"),
    ],
)
def test_another_set_is_refused(path, changed, words):
    """A ledger is of one hold-out set, and says what differs."""
    gate = Gate(NonInferior("accuracy", margin=0.5))
    groups = np.arange(N) // 4

    def decide(y, groups):
        predictions = {"old": OLD[: len(y)], "new": ALIKE[: len(y)]}
        return gate.decide(y, predictions, groups=groups, ledger=path)

    decide(Y, groups)
    with pytest.raises(ValueError, match=words):
        decide(*changed(Y, groups))
    assert 1 == len(Ledger(path).history())


@pytest.mark.parametrize(
    ("ledger", "gate", "words"),
    [
        ({}, replaced(alpha=0.1), "spends alpha=0.05. Got a gate with alpha=0.1"),
        ({"rule": "equal", "looks": 5}, GATE, 'spends by rule="decreasing"'),
    ],
)
def test_level_and_rule_are_not_changed(path, ledger, gate, words):
    """A set has one level and one rule."""
    look(path, ALIKE)

    with pytest.raises(ValueError, match=words):
        look(Ledger(path, **ledger), BETTER, gate)


def test_a_path_goes_on_with_the_rule_of_the_file(path):
    """Only who names a rule can name a wrong one."""
    look(Ledger(path, rule="equal", looks=4), ALIKE)

    assert 0.0125 == look(str(path), BETTER).alpha
    assert 0.0125 == Ledger(path).level(2, alpha=0.05)
    assert 0.0 == Ledger(path).level(5, alpha=0.05)
    with pytest.raises(ValueError, match="of 4 looks"):
        look(Ledger(path, rule="equal", looks=5), BETTER)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"path": ""}, ValueError),
        ({"path": 3}, ValueError),
        ({"path": "a", "rule": "some"}, ValueError),
        ({"path": "a", "rule": "equal"}, ValueError),
        ({"path": "a", "looks": 3}, ValueError),
        ({"path": "a", "rule": "equal", "looks": 0}, ValueError),
        ({"path": "a", "rule": "equal", "looks": 2.5}, (TypeError, ValueError)),
    ],
)
def test_settings_are_checked(given, error):
    """A ledger that makes no sense is refused at once."""
    with pytest.raises(error):
        Ledger(**given)


def test_arguments_are_checked(path):
    """Blind needs a ledger, and a ledger is one."""
    with pytest.raises(ValueError, match="needs a ledger"):
        look(None, ALIKE, blind=True)
    with pytest.raises(TypeError, match="`blind` must be True or False"):
        look(path, ALIKE, blind=1)
    with pytest.raises(TypeError, match="`ledger` must be a Ledger or the path"):
        look(7, ALIKE)


def test_only_a_holdout_has_a_ledger(path):
    """Cross-validation has no fixed set of records to look at again."""
    from sklearn.dummy import DummyClassifier

    X = np.arange(40.0)[:, None]
    pair = (DummyClassifier(strategy="most_frequent"), DummyClassifier(strategy="uniform"))
    comparator = PairedComparator(*pair, random_state=0).fit(X, np.arange(40) % 2)

    with pytest.raises(ValueError, match="records of one hold-out set"):
        GATE.decide(comparator, ledger=path)
    assert not path.exists()


def scores(seed, order=slice(None)):
    """Items that each system predicts correctly or wrongly."""
    items = np.array([f"item {k}" for k in range(200)])
    old = np.arange(200) % 2
    new = np.random.default_rng(seed).integers(2, size=200)
    return ItemScores(items=items[order], champion=old[order], challenger=new[order])


def test_items_have_a_ledger(path):
    """In any order, and other items are another set."""
    gate = Gate(Superior("mean_score"))
    given = (scores(0), scores(0, slice(None, None, -1)), scores(1))
    decisions = [gate.decide(one, ledger=path) for one in given]

    numbers = [(one.look["number"], one.look["repeated"]) for one in decisions]
    assert [(1, False), (1, True), (2, False)] == numbers
    with pytest.raises(ValueError, match="records and ids differ"):
        gate.decide(scores(0, slice(100)), ledger=path)


def test_blind_looks_at_items_are_not_known_again(path):
    """Equal scores are an outcome: neither their digest nor a word about them is told."""
    gate, first = Gate(Superior("mean_score")), scores(0)
    same = replace(first, challenger=first.champion)
    decisions = [gate.decide(one, ledger=path, blind=True) for one in (first, same, same)]

    assert [1, 2, 3] == [one.look["number"] for one in decisions]
    assert {("not passed", ())} == {(one.status, one.reasons) for one in decisions}


def test_counts_have_no_ledger(path):
    """Nobody can tell whether the records behind them are the same."""
    subject = TalliedSubject(None, source=object())

    with pytest.raises(ValueError, match="needs every record"):
        looks_module.judge_subject(GATE, subject, ledger=path)


def test_configuration_is_refused_before_a_look_is_spent(path):
    """What no predictions could mend costs nothing."""
    for gate in (Gate(Superior("roc_auc")), Gate(Superior("accuracy", where={"x": 1}))):
        with pytest.raises(ValueError, match=r"needs|column"):
            look(path, ALIKE, gate)

    assert not path.exists()


@pytest.mark.parametrize(
    "condition",
    [
        Superior("f1_macro", test="bootstrap_difference", options={"n_resamples": 99}),
        Superior("f1_macro", test="permutation_difference", options={"n_resamples": 99}),
        Superior("binary_brier_loss", test="loss_permutation", options={"n_resamples": 99}),
    ],
)
def test_a_level_that_no_resamples_reach_is_told(path, condition):
    """Nothing can pass, and no number of records would change it."""
    for seed in (1, 2, 3):
        look(path, challenger(seed))
    predictions = {"old": OLD, "new": BETTER}
    if condition.measure == "binary_brier_loss":
        rng = np.random.default_rng(4)
        proba = {"old": 0.3 + 0.4 * OLD, "new": np.clip(BETTER, 0.2, 0.8)}
        predictions = {k: v + 0.01 * rng.random(N) for k, v in proba.items()}
    (outcome,) = Gate(condition).decide(Y, predictions, ledger=path).outcomes

    assert outcome.status == "inconclusive"
    assert "99 resamples have no p-value below a level of 0.0016" in outcome.reasons[0]
    assert "more than 620 by n_resamples" in outcome.reasons[0]
    assert "(99.84 % confidence)" in outcome.reasons[1]
    assert outcome.records_needed is None
    assert Gate(condition, alpha=0.05).decide(Y, predictions).passed


def test_a_crash_has_spent_its_look(path, monkeypatch):
    """The number is on disk before anything is judged; the same predictions may go on."""

    def crash(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("skcompare.gate._evaluate.judge", crash)
        with pytest.raises(KeyboardInterrupt):
            look(path, ALIKE)

    assert [None] == [one["status"] for one in Ledger(path).history()]
    assert 2 == look(path, BETTER).look["number"]
    again = look(path, ALIKE)
    assert (1, True) == (again.look["number"], again.look["repeated"])
    assert ["inconclusive", "passed"] == [one["status"] for one in Ledger(path).history()]


def test_one_look_never_has_two_chances(tmp_path, monkeypatch):
    """Where a look is judged differently the second time, it is no pass."""
    monkeypatch.setattr(Digests, "of_predictions", lambda *_, blind: "same")
    for blind, (first, then) in itertools.product(
        [False, True], [(ALIKE, BETTER), (BETTER, ALIKE)]
    ):
        path = tmp_path / f"{blind} {first is ALIKE}.jsonl"
        look(path, first, blind=blind)
        again = look(path, then, blind=blind)

        assert again.look["repeated"]
        assert not again.passed
        assert blind or "evaluated before" in again.reasons[-1]


def take_looks(path, name, n_looks):
    """Looks as a gate takes them, without judging anything."""
    holdout = {"n_records": 4, "labels": "a", "ids": None, "groups": None}
    for k in range(n_looks):
        given = (holdout, 0.05, "gate", f"{name} {k}", ("old", "new"))
        taken = take_look(Ledger(path), *given, blind=False)
        finish_look(taken, "failed")


def run_at_once(kind, path):
    """Three at once, with eight looks each; their number of errors."""
    runners = [kind(target=take_looks, args=(path, name, 8)) for name in "abc"]
    with warnings.catch_warnings():
        # Newer versions of Python warn of forks beside threads; nothing here needs these.
        warnings.simplefilter("ignore", DeprecationWarning)
        for runner in runners:
            runner.start()
    for runner in runners:
        runner.join(60)
    return sum(getattr(runner, "exitcode", 0) != 0 for runner in runners)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_looks_at_once_get_different_numbers(path, kind):
    """Several at once never share a number, and no line is torn."""
    if kind == "processes" and "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("another process would have to load everything first")
    threads = kind == "threads"
    runner = threading.Thread if threads else multiprocessing.get_context("fork").Process

    assert 0 == run_at_once(runner, path)
    history = Ledger(path).history()
    assert list(range(1, 25)) == [one["number"] for one in history]
    assert {"failed"} == {one["status"] for one in history}
    assert not list(path.parent.glob("*.lock"))


def test_a_stale_lock_is_explained(path, monkeypatch):
    """A lock that is left behind ends in an error that names it, and is not broken."""
    monkeypatch.setattr(ledger_file, "LOCK_SECONDS", 0.05)
    lock = path.with_name("looks.jsonl.lock")
    lock.write_text("process 7 on host")

    with pytest.raises(TimeoutError, match="in use by process 7 on host") as caught:
        look(path, BETTER)
    assert repr(str(lock)) in str(caught.value)
    assert lock.exists()
    assert not path.exists()


def test_a_lock_ends_with_an_error(path):
    """What goes wrong inside leaves no lock."""
    with pytest.raises(KeyError), locked(path):
        raise KeyError
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("where", ["missing/looks.jsonl", "folder"])
def test_a_path_that_cannot_be_written(tmp_path, where):
    """No decision without a ledger that holds it."""
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match="Cannot keep a ledger"):
        look(tmp_path / where, BETTER)


def test_a_folder_that_takes_no_files(path, monkeypatch):
    """The message names the ledger, not the lock beside it."""

    def refused(*arguments):
        raise PermissionError(13, "Permission denied", "looks.jsonl.lock")

    monkeypatch.setattr(ledger_file.os, "open", refused)
    with pytest.raises(PermissionError, match=r"Cannot keep a ledger at .*no new files"):
        look(path, BETTER)


def test_a_disk_that_is_full_leaves_no_half_line(path, monkeypatch):
    """A look that cannot be written is not judged, and the file stays whole."""
    look(path, ALIKE)
    text = path.read_bytes()

    def full(descriptor):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.os, "fsync", full)
        with pytest.raises(OSError, match="no space left"):
            look(path, BETTER)

    assert text == path.read_bytes()
    assert 2 == look(path, BETTER).look["number"]


def test_a_disk_that_is_full_begins_no_ledger(path, monkeypatch):
    """A first look that cannot be written leaves nothing that later ones stumble over."""

    def full(descriptor):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(ledger_file.os, "fsync", full)
        with pytest.raises(OSError, match="no space left"):
            look(path, BETTER)

    assert not list(path.parent.iterdir())
    assert 1 == look(path, BETTER).look["number"]


def test_a_link_has_the_lock_of_its_ledger(path, monkeypatch):
    """Two names of one file do not let two processes write at once."""
    monkeypatch.setattr(ledger_file, "LOCK_SECONDS", 0.05)
    link = path.with_name("link.jsonl")
    try:
        link.symlink_to(path)
    except OSError:
        pytest.skip("links are not allowed here")
    look(link, ALIKE)

    with locked(path), pytest.raises(TimeoutError, match="in use"):
        look(link, BETTER)
    assert 2 == look(path, BETTER).look["number"]
    assert link.is_symlink()


def test_a_merge_of_two_copies_is_refused(path, written_ledger):
    """Looks that two copies counted each on its own are never taken for one history."""
    lines = written_ledger.splitlines(keepends=True)
    first, second = b"".join(lines[:3]), b"".join(lines[3:])
    path.write_bytes(first)
    look(path, challenger(8))
    added = path.read_bytes()[len(first) :]
    both = (second + added, b"<<<<<<< a\n" + second + b"=======\n" + added)

    for merged in both:
        path.write_bytes(first + merged)
        with pytest.raises(ValueError, match="lines were edited, removed or merged"):
            look(path, BETTER)


def test_a_file_that_is_replaced_meanwhile_decides_nothing(path, monkeypatch):
    """The look must still be there when its result is written."""
    judged = looks_module._judged_openly

    def replaced_file(gate, subject, tests, taken):
        path.unlink()
        return judged(gate, subject, tests, taken)

    monkeypatch.setattr(looks_module, "_judged_openly", replaced_file)
    with pytest.raises(ValueError, match="no longer in the ledger"):
        look(path, BETTER)


@pytest.fixture(scope="module")
def written_ledger(tmp_path_factory):
    """Bytes of a ledger of a few looks, the last of which passed."""
    path = tmp_path_factory.mktemp("ledger") / "looks.jsonl"
    for new in (ALIKE, challenger(5), BETTER):
        look(path, new)
    return path.read_bytes()


def mutated(data, rng):
    """A ledger after one accident."""
    lines = data.splitlines(keepends=True)
    kind, at = rng.integers(9), int(rng.integers(len(data)))
    one, other = (int(k) for k in rng.choice(len(lines), 2, replace=False))
    if kind == 0:
        return data[:at] + bytes([data[at] ^ (1 << rng.integers(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + data[at + 1 :]
    if kind == 2:
        return data[:at] + bytes(rng.integers(256, size=3, dtype=np.uint8)) + data[at:]
    if kind == 3:
        return data[:at]
    if kind == 4:
        del lines[min(one, len(lines) - 2)]
    elif kind == 5:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 6:
        lines.insert(one, lines[other])
    elif kind == 7:
        lines[one] = lines[one].replace(b":", b": ", 1)
    else:
        return data[at:]
    return b"".join(lines)


def test_a_broken_ledger_is_never_a_pass(path, written_ledger):
    """Each of many accidents ends in one clear error, whatever the predictions."""
    rng, n_refused = np.random.default_rng(0), 0
    whole = written_ledger.splitlines(keepends=True)
    # Lines that are cut off at the end are the one loss that no file can show by itself.
    harmless = {b"".join(whole[:k]) for k in range(2, len(whole) + 1)}
    for _ in range(280):
        data = mutated(written_ledger, rng)
        if data.replace(b"\r\n", b"\n") in harmless:
            continue
        path.write_bytes(data)
        with pytest.raises(ValueError, match="ledger") as caught:
            read_ledger(path)
        assert "\n" not in str(caught.value)
        n_refused += 1

    assert n_refused > 250
    with pytest.raises(ValueError, match="ledger"):
        look(path, BETTER)


def test_what_is_no_ledger(path):
    """Other files are refused by name, whatever is in them."""
    for text, words in [
        ("", "is empty"),
        ("[" * 100_000 + "\n", "is not a line of a ledger"),
        ("null\n", "is not a line of a ledger"),
        ("{}\n", "is not what belongs there"),
        ('{"ledger": "skcompare.gate", "schema": 2}\n', "has schema 2"),
    ]:
        path.write_text(text)

        with pytest.raises(ValueError, match=words):
            look(path, BETTER)


def test_values_are_checked_beside_the_hashes(path, written_ledger):
    """A ledger whose hashes fit is refused where it says what cannot be."""
    for line, change in [
        (0, {"alpha": 0.5}),
        (0, {"alpha": True}),
        (0, {"rule": "equal"}),
        (0, {"looks": 3}),
        (0, {"set": {}}),
        (1, {"level": 0.04}),
        (1, {"level": math.nan}),
        (1, {"look": 2}),
        (1, {"look": True}),
        (2, {"status": "maybe"}),
        (2, {"result": 2}),
        (2, {"result": 0}),
    ]:
        before, lines = "", []
        for number, text in enumerate(written_ledger.splitlines()):
            record = json.loads(text)
            record |= change if number == line else {}
            record = sealed({k: v for k, v in record.items() if k != "hash"}, before)
            before = record["hash"]
            lines.append(json.dumps(record) + "\n")
        path.write_text("".join(lines))

        with pytest.raises(ValueError, match="ledger"):
            look(path, BETTER)


def test_a_checkout_on_windows_is_the_same_ledger(path, written_ledger):
    """Other ends of lines are no edit."""
    path.write_bytes(written_ledger.replace(b"\n", b"\r\n"))

    assert look(path, BETTER).look["repeated"]


def test_blind_stops_at_the_first_pass(path):
    """Passed or not, until one passed; then only what was looked at already."""
    statuses = [look(path, new, blind=True).status for new in (ALIKE, BETTER)]

    assert ["not passed", "passed"] == statuses
    with pytest.raises(ValueError, match="has let a challenger pass, at look 2"):
        look(path, challenger(9, 0.99), blind=True)
    again = [look(path, new, blind=True) for new in (ALIKE, BETTER)]
    assert statuses == [one.status for one in again]
    assert all(one.look["repeated"] for one in again)
    assert [0, 0] == [one.look["looks_left"] for one in again]


@pytest.mark.parametrize("blind", [False, True])
def test_blind_and_open_looks_are_not_mixed(path, blind):
    """What an open look tells can be used by later ones."""
    look(path, ALIKE, blind=blind)

    with pytest.raises(ValueError, match="not be mixed on one hold-out set"):
        look(path, BETTER, blind=not blind)
    with pytest.raises(ValueError, match="not be mixed on one hold-out set"):
        look(path, OLD, blind=not blind)


GATES_TO_HIDE = [
    GATE,
    Gate(NonInferior("precision[1]", margin=0.01)),
    Gate(NonInferior("accuracy", margin=0.2, **TANGO)),
]


def test_a_blind_look_tells_one_bit(tmp_path, clock):
    """In worlds that differ in who is right, file and decision are the same to the byte."""
    cases = itertools.product(GATES_TO_HIDE, [ALIKE, OLD, 1 - OLD])
    for case, (gate, new) in enumerate(cases):
        told = {}
        for world in range(3):
            truth = np.random.default_rng(world).integers(2, size=N) if world else Y
            path = tmp_path / f"{case}" / f"{world}" / "looks.jsonl"
            path.parent.mkdir(parents=True)
            predictions = {"old": OLD, "new": new}
            decision = gate.decide(truth, predictions, ledger=path, blind=True)
            told.setdefault(decision.status, set()).add(
                (
                    path.read_bytes() if path.exists() else b"",
                    repr(asdict(decision)).replace(str(path), ""),
                    str(decision).replace(str(path), ""),
                )
            )

        assert set(told) <= {"passed", "not passed"}
        if gate is GATES_TO_HIDE[-1] and new is ALIKE:
            assert (
                "passed" in told
            )  # where the predictions have anything to do with the truth
        assert all(len(each) == 1 for each in told.values())


@pytest.mark.parametrize("words", [{}, {"id": "id"}, {"groups": "group"}])
def test_a_blind_ledger_knows_its_set_by_no_label(path, words):
    """A digest of labels, or of their counts, is found out by trying all that are near."""
    known = []
    for world in range(2):
        truth = Y if world else np.where(np.arange(N) < 3, 1 - Y, Y)
        table = frame().assign(y=truth, group=np.arange(N) // 4)
        own = path.with_name(f"{world}.jsonl")
        gate = Gate(NonInferior("accuracy", margin=0.5, **TANGO))
        predictions = {"old": "old", "new": "new"}
        gate.decide(table, predictions, y_true="y", ledger=own, blind=True, **words)
        known.append(json.loads(own.read_text().splitlines()[0])["set"])

    assert known[0] == known[1]
    assert known[0]["labels"] is None
    fewer = table[:-2]
    with pytest.raises(ValueError, match="another hold-out set"):
        gate.decide(fewer, predictions, y_true="y", ledger=own, blind=True, **words)


def test_a_blind_gate_plans_nothing(path, monkeypatch):
    """Its time would tell an inconclusive gate from a failed one."""
    called = []
    monkeypatch.setattr("skcompare.gate._evaluate.records_needed", called.append)
    look(path, ALIKE, blind=True)

    assert not called
    with pytest.raises(TypeError):
        look(path.with_name("open.jsonl"), ALIKE)


def test_a_blind_file_has_no_numbers_of_the_outcome(path):
    """Nothing but known keys, and no status but two."""
    for new in (ALIKE, challenger(2, 0.4), BETTER):
        look(path, new, blind=True)
    records = [json.loads(line) for line in path.read_text().splitlines()]

    assert {"result", "status", "hash"} == set(records[2])
    assert ["not passed", "not passed", "passed"] == [
        one["status"] for one in records if "result" in one
    ]
    known = {
        "look",
        "level",
        "gate",
        "predictions",
        "champion",
        "challenger",
        "time",
        "hash",
    }
    assert known == set(records[1])


@pytest.mark.parametrize("new", [ALIKE, BETTER])
def test_a_blind_decision_is_empty(path, new):
    """No outcome, no reason, no caveat, no digest of the labels, no time."""
    decision = look(path, new, blind=True)

    assert decision.blind
    assert ((), (), ()) == (decision.outcomes, decision.reasons, decision.flags)
    assert ("", None) == (decision.fingerprint, decision.seconds)
    assert set(look(path.with_name("open"), new).look) == set(decision.look)


@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, RuntimeWarning])
def test_an_error_of_the_labels_is_not_told_blindly(path, monkeypatch, error):
    """It would be a third prediction; openly it is raised, and the look is spent."""

    def broken(*arguments):
        if error is RuntimeWarning:
            warnings.warn("accuracy is 0.83", error, stacklevel=1)
        raise error("accuracy is 0.83")

    monkeypatch.setattr("skcompare.gate._evaluate.judge", broken)
    decision = look(path, BETTER, blind=True)

    assert "not passed" == decision.status
    assert "0.83" not in repr(decision) + path.read_text()
    other = path.with_name("open.jsonl")
    with pytest.raises(error):
        look(other, BETTER)
    assert [None] == [one["status"] for one in Ledger(other).history()]


def test_what_a_machine_lacks_is_told_blindly(path, monkeypatch):
    """It does not depend on the labels, and the look can be repeated."""

    def lacking(*arguments):
        raise ImportError("no such library")

    with monkeypatch.context() as patch:
        patch.setattr("skcompare.gate._evaluate.judge", lacking)
        with pytest.raises(ImportError):
            look(path, BETTER, blind=True)

    assert look(path, BETTER, blind=True).passed


def test_a_blind_look_that_was_not_passed_is_not_judged_again(path, monkeypatch):
    """Its prediction is in the file."""
    look(path, ALIKE, blind=True)
    monkeypatch.setattr("skcompare.gate._evaluate.judge", None)

    assert "not passed" == look(path, ALIKE, blind=True).status
