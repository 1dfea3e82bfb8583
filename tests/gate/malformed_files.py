"""Files that no gate can judge, each wrong in one way, made at random."""

import json
import random
import shutil
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np

__all__ = ["bad_files", "fresh", "good_files", "good_policy", "seeded", "write_policy"]
__all__ += ["bad_numbers", "good_numbers", "number_policy"]

LABELS = ["ham", "spam"]
COLUMNS = f"""\
[data]
id = "id"
label = "said"
proba = "p"
labels = {LABELS}
pos_label = "spam"
"""
CONDITIONS = (
    '[[condition]]\nsuperior = "accuracy"\n',
    '[[condition]]\nnoninferior = "multiclass_brier_loss"\nmargin = 0.1\n',
)
NAMES = ("id", "y", "said", "p")


def good_policy(rng):
    """A policy that can be followed."""
    return (COLUMNS + rng.choice(CONDITIONS)).encode()


def write_policy(folder, policy):
    """Writes a policy; returns the options that name it."""
    path = folder / "gate.toml"
    path.write_bytes(policy)
    return ["--policy", str(path)]


def good_tables(rng):
    """Predictions of two classifiers to the same records, in different order."""
    n = rng.randint(4, 12)
    truth = [*LABELS, *rng.choices(LABELS, k=n - 2)]
    found = []
    for _ in range(2):
        threshold = rng.choice((0.3, 0.5, 0.8))
        proba = [round(rng.random(), 3) for _ in range(n)]
        said = [LABELS[one > threshold] for one in proba]
        table = {"id": [*range(n)], "y": [*truth], "said": said, "p": proba}
        order = rng.sample(range(n), n)
        found.append({name: [values[i] for i in order] for name, values in table.items()})
    return found


def as_csv(table, delimiter=","):
    """The bytes of a CSV file; a missing value is an empty field."""
    rows = [[*table], *zip(*table.values())]
    lines = [delimiter.join("" if v is None else str(v) for v in row) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def as_json_lines(table):
    """The bytes of a file of JSON lines."""
    records = [dict(zip(table, row)) for row in zip(*table.values())]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def as_npz(table):
    """The bytes of an npz file; what is no array of one type is pickled."""
    file = BytesIO()
    kinds = {k: {type(one) for one in v} for k, v in table.items()}
    plain = [{int}, {float}, {str}, {int, float}]
    np.savez(
        file,
        **{
            name: np.array(values, dtype=None if kinds[name] in plain else object)
            for name, values in table.items()
        },
    )
    return file.getvalue()


def as_parquet(table):
    """The bytes of a Parquet file; values of several types are texts."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {}
    for name, values in table.items():
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns[name] = pa.array([None if v is None else str(v) for v in values])
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


FORMATS = {
    ".csv": as_csv,
    ".tsv": partial(as_csv, delimiter="\t"),
    ".jsonl": as_json_lines,
    ".npz": as_npz,
}
COMMON = [".csv", ".csv", ".tsv", ".jsonl", ".jsonl", ".npz", ".npz"]
if find_spec("pyarrow"):
    # One of them, because Parquet is slow to write, and pyarrow has its own tests.
    FORMATS[".parquet"] = as_parquet
    COMMON.append(".parquet")


def write_tables(folder, tables, suffixes):
    """Writes both files; returns their paths."""
    paths = []
    for role, table, suffix in zip(("champion", "challenger"), tables, suffixes):
        path = folder / f"{role}{suffix}"
        path.write_bytes(FORMATS[suffix](table))
        paths.append(path)
    return paths


def good_files(rng, folder):
    """Files that can be judged; returns their paths."""
    suffixes = rng.choice(COMMON), rng.choice(COMMON)
    return write_tables(folder, good_tables(rng), suffixes)


def bad_files(rng, folder):
    """Files that cannot be judged; returns what is wrong and the arguments."""
    make = rng.choice((bad_table, bad_table, bad_table, bad_bytes, bad_bytes, bad_choice))
    words, arguments = make(rng, folder)
    return words, [*write_policy(folder, good_policy(rng)), *map(str, arguments)]


# What is wrong with the records


def _position(rng, table):
    return rng.randrange(len(table["id"]))


def lost_record(rng, tables):
    table = rng.choice(tables)
    i = _position(rng, table)
    for values in table.values():
        del values[i]


def repeated_record(rng, tables):
    table = rng.choice(tables)
    i = _position(rng, table)
    for values in table.values():
        values.append(values[i])


def repeated_id(rng, tables):
    table = rng.choice(tables)
    i, j = rng.sample(range(len(table["id"])), 2)
    table["id"][i] = table["id"][j]


def strange_id(rng, tables):
    table = rng.choice(tables)
    table["id"][_position(rng, table)] = rng.choice((10**6, -1, 2**63 - 1))


def strange_ids(rng, tables):
    table = rng.choice(tables)
    table["id"] = [f"record {i}" for i in table["id"]]


def other_truth(rng, tables):
    table = rng.choice(tables)
    i = _position(rng, table)
    table["y"][i] = LABELS[1 - LABELS.index(table["y"][i])]


def no_truth(rng, tables):
    for table in tables:
        del table["y"]


def lost_column(rng, tables):
    del rng.choice(tables)[rng.choice(("id", "said", "p"))]


def renamed_column(rng, tables):
    table = rng.choice(tables)
    name = rng.choice(("id", "said", "p"))
    table[rng.choice((name.upper(), f"{name} 2", f"_{name}"))] = table.pop(name)


def unknown_label(rng, tables):
    table = rng.choice(tables)
    name = rng.choice(("y", "said"))
    table[name][_position(rng, table)] = rng.choice(("eggs", "Spam", "0", "1.5", "[]"))


def other_labels(rng, tables):
    table = rng.choice(tables)
    table["said"] = [rng.choice((0, 1)) for _ in table["said"]]


def missing_value(rng, tables):
    table = rng.choice(tables)
    table[rng.choice([*table])][_position(rng, table)] = None


def no_probability(rng, tables):
    table = rng.choice(tables)
    strange = (1.5, -0.25, 1e300, float("inf"), float("nan"), "high", "0,5", "")
    table["p"][_position(rng, table)] = rng.choice(strange)


def no_record(rng, tables):
    for values in rng.choice(tables).values():
        values.clear()


RECORDS = (
    lost_record,
    repeated_record,
    repeated_id,
    strange_id,
    strange_ids,
    other_truth,
    no_truth,
    lost_column,
    renamed_column,
    unknown_label,
    other_labels,
    missing_value,
    no_probability,
    no_record,
)


def bad_table(rng, folder):
    """Records that are wrong in one way, in any format."""
    tables = good_tables(rng)
    spoil = rng.choice(RECORDS)
    spoil(rng, tables)
    suffixes = rng.choice(COMMON), rng.choice(COMMON)
    return f"{spoil.__name__} {suffixes}", write_tables(folder, tables, suffixes)


# What is wrong with the bytes


def empty(rng, path):
    path.write_bytes(rng.choice((b"", b"\n", b" \n\n")))


def gone(rng, path):
    path.unlink()


def folder_instead(rng, path):
    path.unlink()
    path.mkdir()


def noise(rng, path):
    path.write_bytes(b"\xff\xfe\x00" + rng.randbytes(rng.randint(0, 200)))


def cut_short(rng, path):
    """At least a whole record, or the end that Parquet and npz need."""
    stored = path.read_bytes()
    lost = stored.rstrip(b"\n").rfind(b"\n") + 1
    last = lost - 1 if path.suffix in (".csv", ".tsv", ".jsonl") else len(stored) - 30
    path.write_bytes(stored[: rng.randint(0, max(last, 0))])


def other_format(rng, path):
    """What another format has in it."""
    (table, _) = good_tables(rng)
    others = [one for suffix, one in FORMATS.items() if suffix != path.suffix]
    path.write_bytes(rng.choice(others)(table))


def pickled(rng, path):
    """Objects, where values were."""
    table, _ = good_tables(rng)
    name = rng.choice([*table])
    table[name] = [{"a": one} for one in table[name]]
    path.unlink()
    path.with_suffix(".npz").write_bytes(as_npz(table))


def uneven(rng, path):
    """Arrays, lines or fields that are not as many as the others."""
    table, _ = good_tables(rng)
    path.unlink()
    suffix = rng.choice((".csv", ".npz"))
    if suffix == ".npz":
        table[rng.choice([*table])].pop()
        path.with_suffix(suffix).write_bytes(as_npz(table))
        return
    lines = as_csv(table).splitlines(keepends=True)
    i = rng.randrange(1, len(lines))
    lines[i] = rng.choice((b"1,2\n", b'"', b"1,2,3,4,5\n", lines[i].replace(b",", b";")))
    path.with_suffix(suffix).write_bytes(b"".join(lines))


def repeated_name(rng, path):
    table, _ = good_tables(rng)
    stored = as_csv(table).replace(b"id,y,", rng.choice((b"id,id,", b"y,y,", b"p,y,")), 1)
    path.unlink()
    path.with_suffix(".csv").write_bytes(stored)


def no_json(rng, path):
    """A line that is no record."""
    table, _ = good_tables(rng)
    lines = as_json_lines(table).decode().splitlines()
    i = rng.randrange(len(lines))
    lines[i] = rng.choice(
        (
            "[1, 2]",
            "NaN",
            "null",
            '"text"',
            "// no comment",
            "[" * rng.choice((5, 5000)),
            '{"a":' * 2000,
            lines[i][:-1],
            lines[i].replace('"y"', '"id"'),
            lines[i].replace('"id": ', '"id": ['),
            lines[i].replace('"p": ', '"p": [1], "q": '),
            lines[i].replace('"id": ', '"id": ' + "9" * 5000),
            lines[i].replace('"p": ', '"p": NaN, "q": '),
            lines[i] + lines[i],
        )
    )
    path.unlink()
    path.with_suffix(".jsonl").write_text("\n".join(lines), encoding="utf-8")


BYTES = (
    empty,
    gone,
    folder_instead,
    noise,
    cut_short,
    other_format,
    pickled,
    uneven,
    repeated_name,
    no_json,
)


def bad_bytes(rng, folder):
    """A file that is no table, beside a good one."""
    paths = good_files(rng, folder)
    spoil, at = rng.choice(BYTES), rng.randrange(2)
    name = paths[at].stem
    spoil(rng, paths[at])
    (paths[at],) = [path for path in folder.iterdir() if path.stem == name] or [paths[at]]
    return f"{spoil.__name__} {paths[at].suffix}", paths


# What is wrong with the choice of files


def bad_choice(rng, folder):
    """Good files that cannot be judged together, or with these options."""
    champion, challenger = good_files(rng, folder)
    copy = folder / f"copy{champion.suffix}"
    shutil.copyfile(champion, copy)
    train = folder / "train.csv"
    train.write_text(f"id\n{rng.choice((0, 1, 2, 3))}\n", encoding="utf-8")
    other = folder / "other.csv"
    other.write_text("a\n1\n", encoding="utf-8")
    choices = {
        "one file": [champion],
        "twice": [champion, champion],
        "by another path": [champion, folder / "." / ".." / folder.name / champion.name],
        "copy": [champion, copy],
        "three": [champion, challenger, copy],
        "trained on": [champion, challenger, "--train", train],
        "unknown training": [champion, challenger, "--train", other],
        "no training": [champion, challenger, "--train", folder / "none.csv"],
        "no id": [champion, challenger, "--id", "idd"],
        "id is truth": [champion, challenger, "--id", "y"],
        "truth as prediction": [champion, challenger, "--label", "y"],
        "labels as probabilities": [champion, challenger, "--proba", "said"],
        "no groups": [champion, challenger, "--groups", "site"],
        "two ways": [champion, challenger, "--champion", "said", "--challenger", "p"],
        "no label": [champion, challenger, "--pos-label", "eggs"],
        "alpha": [champion, challenger, "--alpha", rng.choice(("0", "1", "nan", "-1"))],
        "blind": [champion, challenger, "--blind"],
        "data": [champion, challenger, "--data", other],
        "pickle": [champion, folder / "model.pkl"],
        "no folder": [champion, challenger, "--json", folder / "none" / "a.json"],
        "a folder": [champion, challenger, "--html", folder],
        "input": [champion, challenger, "--junit", challenger],
        "policy": [champion, challenger, "--markdown", folder / "gate.toml"],
        "one report": [champion, challenger, "--json=new", "--html=new"],
        "no name": [champion, challenger, "--json", ""],
        "scores": [champion, challenger, "--score", "p"],
        "item": [champion, challenger, "--item", "id"],
    }
    words = rng.choice([*choices])
    return words, choices[words]


# Numbers in the place of labels and probabilities

NUMBER_COLUMNS = '[data]\nid = "id"\nvalue = "forecast"\n'
NUMBER_CONDITIONS = (
    '[[condition]]\nsuperior = "neg_mean_absolute_error"\n',
    '[[condition]]\nnoninferior = "neg_mean_absolute_error"\nmargin = 2.5\n',
    '[[condition]]\nnoninferior = "neg_mean_absolute_error"\nmargin = "5 %"\n',
)


def number_policy(rng):
    """A policy about numbers that can be followed."""
    return (NUMBER_COLUMNS + rng.choice(NUMBER_CONDITIONS)).encode()


def number_tables(rng):
    """Predictions of two regressors for the same records, in different order."""
    n = rng.randint(4, 12)
    truth = [round(rng.gauss(50, 10), 3) for _ in range(n)]
    found = []
    for _ in range(2):
        forecast = [round(one + rng.gauss(0, 3), 3) for one in truth]
        table = {"id": [*range(n)], "y": [*truth], "forecast": forecast}
        order = rng.sample(range(n), n)
        found.append({name: [values[i] for i in order] for name, values in table.items()})
    return found


def other_number(rng, tables):
    table = rng.choice(tables)
    table["y"][_position(rng, table)] += rng.choice((1e-9, -1.0, 1e6))


def no_number(rng, tables):
    table = rng.choice(tables)
    strange = ("high", "1,5", "", "1.5.2", "0x", float("nan"), float("inf"), None)
    table[rng.choice(("y", "forecast"))][_position(rng, table)] = rng.choice(strange)


def lost_numbers(rng, tables):
    del rng.choice(tables)[rng.choice(("id", "forecast"))]


def renamed_numbers(rng, tables):
    table = rng.choice(tables)
    name = rng.choice(("id", "forecast"))
    table[rng.choice((name.upper(), f"{name} 2", f"_{name}"))] = table.pop(name)


NUMBER_RECORDS = (
    lost_record,
    repeated_record,
    repeated_id,
    strange_id,
    strange_ids,
    no_truth,
    no_record,
    other_number,
    no_number,
    no_number,
    lost_numbers,
    renamed_numbers,
)

NUMBER_OPTIONS = (
    ["--pos-label", "1"],
    ["--label", "forecast"],
    ["--proba", "forecast"],
    ["--value", "none"],
    ["--value", "y"],
    ["--score", "forecast"],
    ["--superior", "accuracy"],
)


def good_numbers(rng, folder):
    """Files of numbers that can be judged; returns their paths."""
    suffixes = rng.choice(COMMON), rng.choice(COMMON)
    return write_tables(folder, number_tables(rng), suffixes)


def bad_numbers(rng, folder):
    """Numbers that are wrong in one way, or options that are not about them."""
    tables, options = number_tables(rng), []
    if rng.random() < 0.2:
        options = rng.choice(NUMBER_OPTIONS)
        words = " ".join(options)
    else:
        spoil = rng.choice(NUMBER_RECORDS)
        spoil(rng, tables)
        words = spoil.__name__
    suffixes = rng.choice(COMMON), rng.choice(COMMON)
    paths = write_tables(folder, tables, suffixes)
    policy = write_policy(folder, number_policy(rng))
    return f"{words} {suffixes}", [*policy, *map(str, paths), *options]


def seeded(seed, case):
    """A generator for each case, so that any of them can be made again."""
    return random.Random(f"{seed}-{case}")


def fresh(folder):
    """The folder without anything in it."""
    for path in Path(folder).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder
