"""A blind gate as an oracle: whatever is asked, it predicts nothing but its decisions."""

from collections import defaultdict
from math import log2, sqrt
from zlib import crc32

import numpy as np
import pytest

from skcompare.cli import main

pytestmark = pytest.mark.usefixtures("one_parser")

N = 120
IDS = np.arange(N)
CHAMPION = np.random.default_rng(0).integers(2, size=N)
POLICY = """
[data]
id = "id"
label = "label"

[ledger]
path = "looks.jsonl"
blind = true

[[condition]]
{condition}
"""
CONDITIONS = {
    "accuracy": 'superior = "accuracy"',
    "one class": 'noninferior = "precision[1]"\nmargin = 0.2',
    "macro": 'noninferior = "f1_macro"\nmargin = 0.2',
    "slice": 'superior = "accuracy"\nwhere = {site = 1}',
    "resampling": 'noninferior = "recall_macro"\nmargin = 0.3\n'
    'test = "permutation_difference"\noptions = {n_resamples = 99}',
}


def rows(header, *columns):
    """A CSV file."""
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *lines]) + "\n"


def query(rng, said, k):
    """What a challenger's file could say to learn about record k."""
    flipped = np.r_[0, said][1:]
    flipped[k] = 1 - flipped[k]
    kind = rng.integers(9)
    if kind == 0:  # the truth as it is guessed
        return rows("id,y,label", IDS, rng.integers(2, size=N), flipped)
    if kind == 1:  # labels that may be no class
        odd = flipped.astype(object)
        odd[k] = rng.choice(["2", "-1", "x", "", "nan", "0.5"])
        return rows("id,label", IDS, odd)
    if kind == 2:  # other ids
        ids = IDS.copy()
        ids[k] = rng.choice([N, ids[k - 1]])
        return rows("id,label", ids, flipped)
    if kind == 3:  # probabilities beside labels
        return rows("id,label", IDS, np.where(flipped == 1, 0.9, 0.2 + 0.9 * (IDS == k)))
    if kind == 4:  # fewer records
        return rows("id,label", np.delete(IDS, k), np.delete(flipped, k))
    if kind == 5:  # the champion itself
        return rows("id,label", IDS, CHAMPION)
    if kind == 6:  # a single prediction
        return rows("id,label", IDS, np.full(N, k % 2))
    if kind == 7:  # another slice of the record
        return rows("id,label,site", IDS, flipped, (IDS + (k == IDS)) % 2)
    return rows("id,label", IDS, flipped)


def transcript(folder, monkeypatch, capsys, truth, condition, n_queries):
    """Codes and everything that is printed, of queries that depend on what came before."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "gate.toml").write_text(POLICY.format(condition=condition))
    champion = rows("id,y,label,site", IDS, truth, CHAMPION, IDS % 2)
    (folder / "a.csv").write_text(champion)
    said, seen = CHAMPION.copy(), []
    for number in range(n_queries):
        seed = [number, *(code for code, _ in seen[-50:])]
        rng = np.random.default_rng(seed)
        k = int(rng.integers(N))
        (folder / "b.csv").write_text(query(rng, said, k))
        code = main(["gate", "--policy", "gate.toml", "a.csv", "b.csv"])
        shown = capsys.readouterr()
        seen.append((code, shown.out + shown.err))
        if number % 3 == 0:  # a walk from the champion
            said[k] = 1 - said[k]
    return seen


def check_tells_decisions_only(folder, monkeypatch, capsys, condition, n_queries, worlds):
    """In worlds that differ in the true labels alone."""
    told, guesses = defaultdict(set), []
    for world in range(worlds):
        truth = np.random.default_rng([7, world]).integers(2, size=N)
        truth[:4] = 0, 1, 0, 1  # both classes in each slice
        place = folder / str(world)
        seen = transcript(place, monkeypatch, capsys, truth, condition, n_queries)
        decisions = tuple(code for code, _ in seen)
        told[decisions].add(tuple(words for _, words in seen))
        # Whoever takes the hash of all that was told for the labels is right by chance.
        digest = np.random.default_rng(crc32(repr(seen).encode()))
        guesses.append((digest.integers(2, size=N) == truth).mean())
    assert {0, 1, 2} >= {code for decisions in told for code in decisions}
    # What was printed follows from the decisions, so that it tells no more than they do.
    assert all(len(words) == 1 for words in told.values())
    errors = {tuple(code == 2 for code in decisions) for decisions in told}
    passed = [0 in decisions for decisions in told]
    # Errors come of the challenger's file alone, until a pass has closed the ledger.
    assert len(errors) == 1 or any(passed)
    assert abs(np.mean(guesses) - 0.5) < 4 * 0.5 / sqrt(N * worlds)
    return told


def check_all_conditions(folder, monkeypatch, capsys, n_queries, worlds):
    """Conditions of every kind, each with its ledgers."""
    for name, condition in CONDITIONS.items():
        place = folder / name
        place.mkdir()
        told = check_tells_decisions_only(
            place, monkeypatch, capsys, condition, n_queries, worlds
        )

        assert 2 in next(iter(told))


def test_a_blind_gate_tells_decisions_only(tmp_path, monkeypatch, capsys):
    """Queries of many kinds, in two worlds that differ in the truth."""
    check_all_conditions(tmp_path, monkeypatch, capsys, n_queries=4, worlds=2)


@pytest.mark.slow
def test_a_blind_gate_tells_decisions_only_in_more_worlds(tmp_path, monkeypatch, capsys):
    """Forty queries in each of four worlds."""
    check_all_conditions(tmp_path, monkeypatch, capsys, n_queries=40, worlds=4)


@pytest.mark.slow
def test_a_thousand_queries_recover_no_label(tmp_path, monkeypatch, capsys):
    """The mutual information of transcripts and labels is at most that of decisions.

    It is that of the decisions, because transcripts are a function of them; and where
    nothing passes it is 0 bits, whatever 1,000 queries asked.
    """
    told = check_tells_decisions_only(
        tmp_path, monkeypatch, capsys, CONDITIONS["accuracy"], 1000, 3
    )

    entropy = log2(len(told))
    assert entropy == 0
    ((transcript,),) = told.values()
    assert 1000 == len(transcript)
