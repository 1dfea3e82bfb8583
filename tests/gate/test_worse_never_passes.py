"""A challenger that is worse on every file, with one fault in the files: never a pass.

Champion and challenger predict the same records, and by the true labels the champion is
better in the sample. Each fault is one that somebody could make, or put there, so that the
champion looks worse or the challenger better.
"""

import json
import unicodedata
from collections import Counter

import numpy as np
import pytest

from skcompare import compare
from skcompare.cli import main
from skcompare.gate import Gate, Superior
from skcompare.predictions import ItemScores

pytestmark = pytest.mark.usefixtures("one_parser")

MANY = 20_000
MEASURES = ["roc_auc", "binary_brier_loss"]
NAMES = [
    ("0", "1"),
    ("ham", "spam"),
    ("café", "thé"),
    ("-1", "1"),
    ("no", "yes"),
    ("A b", "c"),
]


class World:
    """Two files of which the first is better, and the options to judge them."""

    def __init__(self, rng, folder):
        self.rng, self.folder = rng, folder
        n = self.n = int(rng.integers(30, 90))
        self.y = rng.integers(2, size=n)
        self.y[:2] = 0, 1
        better, worse = rng.uniform(0.75, 0.97), rng.uniform(0.5, 0.7)
        while True:
            right = rng.random((2, n)) < [[better], [worse]]
            if right[0].sum() > right[1].sum() + 2:
                break
        self.said = [np.where(own, self.y, 1 - self.y) for own in right]
        self.classes = np.array(NAMES[rng.integers(len(NAMES))], dtype=object)
        order = rng.permutation(n)
        self.ids = [np.arange(n), order]
        self.tables = [
            {"id": [*range(n)], "y": self.named(self.y), "label": self.named(self.said[0])},
            {"id": order.tolist(), "label": self.named(self.said[1][order])},
        ]
        self.files = ["one.csv", "two.csv"]
        self.options = ["--superior", "accuracy", "--label", "label"]
        self.policy = None

    def named(self, codes):
        return self.classes[codes].tolist()

    def use(self, policy):
        """Conditions and columns from a policy."""
        (self.folder / "gate.toml").write_text(policy)
        self.options = ["--policy", "gate.toml"]

    def proba(self, which):
        """Probabilities of the second class, which are right as the labels are."""
        noise = self.rng.uniform(0.05, 0.45, self.n)
        return np.where(self.said[which] == 1, 1 - noise, noise)

    def run(self):
        for name, table in zip(self.files, self.tables):
            path = self.folder / name
            if name.endswith(".jsonl"):
                records = zip(*table.values())
                lines = (json.dumps(dict(zip(table, one))) for one in records)
                path.write_text("".join(f"{line}\n" for line in lines))
            elif name.endswith(".npz"):
                np.savez(path, **{k: np.array(v) for k, v in table.items()})
            else:
                lines = [",".join(table)]
                lines += [",".join(map(str, row)) for row in zip(*table.values())]
                path.write_text("\n".join(lines) + "\n")
        return main(["gate", *self.options, *self.files])


def of_all(recode):
    """The champion's labels, all in another coding."""

    def fault(world):
        labels = world.tables[0]["label"]
        world.tables[0]["label"] = [recode(world, label) for label in labels]

    return fault


def of_some(recode):
    """A few of the champion's correct predictions in another coding."""

    def fault(world):
        labels = world.tables[0]["label"]
        for k in world.rng.permutation(world.n)[: world.rng.integers(1, world.n)]:
            labels[k] = recode(world, labels[k])

    return fault


def decomposed(_, label):
    """The same letters in another Unicode form, or followed by an invisible one."""
    other = unicodedata.normalize("NFD", label)
    return other if other != label else f"{label}\u200b"


RECODED = {
    "other names": lambda world, label: {"0": "7"}.get(label, f"{label}{label}"),
    "quoted": lambda _, label: f"'{label}'",
    "case": lambda _, label: label.swapcase() if label.isalpha() else f"{label}x",
    "decomposed": decomposed,
    "fractions": lambda _, label: f"{label}.5",
    "signs": lambda _, label: f"+{label}",
    "unknown": lambda *_: "UNKNOWN",
    "spaces": lambda _, label: f'"{label}\u00a0x"',
    "missing": lambda world, _: world.rng.choice(["", "nan", "None", "NA"]),
}


def reversed_labels(world):
    """The champion's classes the wrong way round."""
    world.tables[0]["label"] = world.named(1 - world.said[0])


def reversed_both(world):
    """Probabilities of the other class, of both."""
    world.use(
        f'[data]\nproba = "p"\npos_label = {json.dumps(str(world.classes[0]))}\n'
        f"labels = {json.dumps([*map(str, world.classes)])}\n"
        f'[[condition]]\nsuperior = "{world.rng.choice(MEASURES)}"\n'
    )
    for which, table in enumerate(world.tables):
        table["p"] = world.proba(which)[world.ids[which]].round(4).tolist()
        del table["label"]
    world.files = ["one.jsonl", "two.jsonl"]


def reversed_champion(world):
    """Probabilities of the other class, of the champion alone."""
    reversed_both(world)
    world.tables[1]["p"] = [round(1 - p, 4) for p in world.tables[1]["p"]]


def wrong_order(world):
    """The champion's file second, as a pattern of files gives them."""
    world.tables.reverse()
    world.tables[0]["y"] = world.named(world.y[world.ids[1]])
    world.files = [
        ("challenger.csv", "champion.csv"),
        ("candidate.csv", "baseline.csv"),
        ("new.csv", "old.csv"),
        ("v2-challenger.csv", "v1.csv"),
    ][world.rng.integers(4)]


def truth_of_the_challenger(world):
    """The challenger's file alone says what is right: what it predicts."""
    del world.tables[0]["y"]
    world.tables[1]["y"] = [*world.tables[1]["label"]]


def two_truths(world):
    """The challenger's file says so, too."""
    truth = [*world.tables[1]["label"]]
    world.tables[1]["y"] = truth


def truth_with_a_ledger(world):
    """The right labels, as a question."""
    world.tables[1]["y"] = world.named(world.y[world.ids[1]])
    world.options += ["--ledger", f"looks{world.rng.integers(1 << 60)}.jsonl"]


def ids_that_differ(world):
    """Records that only one file has."""
    table = world.tables[world.rng.integers(2)]
    table["id"][world.rng.integers(world.n)] = world.n + 7


def ids_repeated(world):
    """A record twice."""
    table = world.tables[world.rng.integers(2)]
    k = world.rng.integers(world.n - 1)
    table["id"][k] = table["id"][k + 1]


def fewer_records(world):
    """Only those that the challenger has right."""
    order = world.ids[1]
    keep = np.flatnonzero(world.said[1][order] == world.y[order])
    for name, values in world.tables[1].items():
        world.tables[1][name] = [values[k] for k in keep]


def where_the_challenger_is_right(world):
    """A slice that the challenger's file makes."""
    right = (world.said[1] == world.y)[world.ids[1]]
    world.tables[1]["site"] = np.where(right, "A", "B").tolist()
    world.use(
        '[data]\nlabel = "label"\n[[condition]]\nsuperior = "accuracy"\n'
        'where = {site = "A"}\n'
    )


def slices_that_differ(world):
    """The same, where the champion's file has the column, too."""
    world.tables[0]["site"] = ["A"] * world.n
    where_the_challenger_is_right(world)


def slice_by_predictions(world):
    """Those that the challenger calls so."""
    world.use(
        '[data]\nlabel = "label"\n[[condition]]\nsuperior = "accuracy"\n'
        f"where = {{label = {json.dumps(str(world.classes[1]))}}}\n"
    )


def slices_in_part(world):
    """A value of several that no record has: that where the champion is better."""
    better = (world.said[0] == world.y) & (world.said[1] != world.y)
    world.tables[0]["site"] = np.where(better, "B", "A").tolist()
    world.use(
        '[data]\nlabel = "label"\n[[condition]]\nsuperior = "accuracy"\n'
        'where = {site = ["A", "b"]}\n'
    )


def trained_on(world):
    """Records of the training, with ids in another format."""
    pattern = str(world.rng.choice(["{}.0", "{:05d}", "+{}", " {}", "{}e0"]))
    ids = [pattern.format(k) for k in world.rng.permutation(world.n)[:3]] + ["100000"]
    (world.folder / "train.csv").write_text("\n".join(["id", *ids]) + "\n")
    world.tables[1]["label"] = world.named(world.y[world.ids[1]])
    world.options += ["--train", "train.csv"]


def other_scales(world):
    """Scores of the challenger in per cent, or in points."""
    times = float(world.rng.choice([5.0, 10.0, 100.0]))
    world.options = ["--superior", "mean_score", "--score", "score", "--item", "item"]
    for which, table in enumerate(world.tables):
        right = (world.said[which] == world.y)[world.ids[which]]
        scores = right * world.rng.uniform(0.5, 1, world.n) * (times if which else 1)
        world.tables[which] = {"item": table["id"], "score": scores.round(3).tolist()}


def one_class(world):
    """All records of one class, and averages over classes."""
    measure = world.rng.choice(["f1_macro", "balanced_accuracy"])
    world.tables[0]["y"] = world.named(np.ones(world.n, dtype=int))
    world.use(
        f'[data]\nlabel = "label"\nlabels = {json.dumps([*map(str, world.classes)])}\n'
        f'[[condition]]\nsuperior = "{measure}"\n'
    )


def another_class_of_one(world):
    """A class that the champion alone predictions, which `labels` names, and averages."""
    labels = [*map(str, world.classes), "UNKNOWN"]
    wrong = np.flatnonzero(world.said[0] != world.y)
    for k in wrong[:5]:
        world.tables[0]["label"][k] = "UNKNOWN"
    measure = world.rng.choice(["recall_macro", "balanced_accuracy", "accuracy"])
    world.use(
        f'[data]\nlabel = "label"\nlabels = {json.dumps(labels)}\n'
        f'[[condition]]\nsuperior = "{measure}"\n'
    )


def masked(world):
    """The champion's correct predictions are hidden by a mask."""
    predictions = {"one": world.said[0], "two": world.said[1]}
    predictions["one"] = np.ma.masked_array(
        1 - world.said[0], mask=world.said[0] == world.y
    )
    return world.y, predictions


def keys_in_the_wrong_order(world):
    """Predictions by names that say the opposite."""
    return world.y, {"challenger": world.said[1], "champion": world.said[0]}


def unlike_scores(world):
    """Scores of items in Python, on two scales."""
    right = [(one == world.y).astype(float) for one in world.said]
    return (ItemScores(np.arange(world.n), right[0], right[1] * 100),)


FILES = {
    **{f"all {name}": of_all(recode) for name, recode in RECODED.items()},
    **{f"some {name}": of_some(recode) for name, recode in RECODED.items()},
    **{
        fault.__name__: fault
        for fault in (
            reversed_labels,
            reversed_both,
            reversed_champion,
            wrong_order,
            truth_of_the_challenger,
            two_truths,
            truth_with_a_ledger,
            ids_that_differ,
            ids_repeated,
            fewer_records,
            where_the_challenger_is_right,
            slices_that_differ,
            slice_by_predictions,
            slices_in_part,
            trained_on,
            other_scales,
            one_class,
            another_class_of_one,
        )
    },
}
ARRAYS = {
    fault.__name__: fault for fault in (masked, keys_in_the_wrong_order, unlike_scores)
}


def check_worlds(count, seed, folder, capsys):
    """How each of many worlds with a fault ends: never by a pass."""
    ends = Counter()
    faults = [*FILES, *ARRAYS]
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        name = faults[number % len(faults)]
        world = World(rng, folder)
        if name in ARRAYS:
            given = ARRAYS[name](world)
            scoring = "mean_score" if len(given) == 1 else "accuracy"
            with pytest.raises(ValueError, match=r".") as caught:
                Gate(Superior(scoring)).decide(*given)
            assert "\n" not in str(caught.value)
            if len(given) > 1:
                with pytest.raises(ValueError, match=r"."):
                    compare(*given)
            ends[name, 2] += 1
            continue
        FILES[name](world)
        if rng.random() < 0.3 and world.files == ["one.csv", "two.csv"]:
            world.files = ["one.jsonl", "two.jsonl"]
        code = world.run()
        shown = capsys.readouterr()
        assert code in (1, 2), f"{name} of world {number}: {code}\n{shown.out}"
        lines = shown.err.splitlines()
        assert len(lines) == (1 if code == 2 else 0), f"{name}: {shown.err}"
        assert "internal error" not in shown.err, f"{name} of world {number}: {shown.err}"
        ends[name, code] += 1
    return ends


NEVER_JUDGED = {*FILES, *ARRAYS} - {
    # These are judged, and not passed.
    "reversed_labels",
    "reversed_both",
    "reversed_champion",
    "one_class",
    "another_class_of_one",
}


def test_a_worse_challenger_never_passes(tmp_path, monkeypatch, capsys):
    """A world of each fault, most of which are refused in one line."""
    monkeypatch.chdir(tmp_path)
    ends = check_worlds(len(FILES | ARRAYS), 0, tmp_path, capsys)

    judged = {name for name, code in ends if code == 1}
    assert judged.isdisjoint(NEVER_JUDGED), judged & NEVER_JUDGED


@pytest.mark.slow
def test_a_worse_challenger_never_passes_in_many_worlds(tmp_path, monkeypatch, capsys):
    """20,000 of them."""
    monkeypatch.chdir(tmp_path)
    ends = check_worlds(MANY, 1, tmp_path, capsys)

    assert MANY == ends.total()
