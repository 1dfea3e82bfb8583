"""Policies that no gate can follow, each wrong in one way, made at random."""

import copy
import json
import math
import string

__all__ = ["bad_policy", "as_toml"]

GOOD = {
    "alpha": 0.05,
    "min_records": 2,
    "tell_inconclusive": False,
    "ignore_order": False,
    "data": {"id": "id", "y": "y", "label": "said", "pos_label": "spam"},
    "condition": [
        {"superior": "accuracy", "margin": 0.01, "exact": True},
        {"noninferior": "accuracy", "margin": 0.1, "where": {"y": "ham"}},
        {"any_of": [{"superior": "accuracy"}, {"superior": "accuracy", "margin": 0.1}]},
    ],
    "ledger": {"path": "looks.jsonl", "rule": "equal", "looks": 10, "blind": False},
    "train": {"file": "train.csv", "id": "id"},
}

SECTIONS = ("data", "ledger", "train")

STRANGE = (
    math.nan,
    math.inf,
    -1,
    -0.5,
    0,
    True,
    "",
    " ",
    "text",
    "a\nb",
    [],
    [1, "a"],
    [[[1]]],
    {},
    {"a": {"b": 1}},
    2**70,
    1e308,
)

WRONG = {
    ("alpha",): (math.nan, math.inf, 0, -1, 0.5, 1, True, "0.05", [], {}, 2**70),
    ("min_records",): (0, -1, 1.5, math.nan, True, "1", [], {}, 2**70),
    ("tell_inconclusive",): (0, 1, "true", [], {}, math.nan),
    ("ignore_order",): (0, 1, "true", [], {}, math.nan),
    ("data",): (1, "id", [], [{}], True),
    ("data", "id"): (1, True, [], ["id"], {}, "", "none", "y\n"),
    ("data", "y"): (1, False, ["y"], {}, "", "none", "said"),
    ("data", "label"): (1, [], ["said"], {}, "", "none", "id", "y"),
    ("data", "pos_label"): (math.nan, math.inf, [], ["spam"], {}, "eggs", 1, True),
    ("condition",): (1, "accuracy", [], {}, [[]], [1], [{}], {"superior": "accuracy"}),
    ("ledger",): (1, "looks.jsonl", [], {}, True),
    ("ledger", "path"): (1, "", [], {}, True, "a\tb"),
    ("ledger", "rule"): (1, "", "sometimes", [], {}, "decreasing"),
    ("ledger", "looks"): (0, -1, 1.5, math.inf, True, "1", [], 2**70),
    ("ledger", "blind"): (0, 1, "no", []),
    ("train",): (1, "train.csv", [], {}, False),
    ("train", "file"): (1, "", [], {}, "none.csv"),
    ("condition", 0, "superior"): (1, True, [], {}, "", "acuracy", "precision[", "\n"),
    ("condition", 0, "margin"): (math.nan, math.inf, -0.1, True, "0.1", [], {}, 2**70),
    ("condition", 0, "exact"): (0, 1, "yes", [], {}),
    ("condition", 1, "margin"): (
        *(math.nan, math.inf, 0, -0.1, True, "0.1", [], {}),
        *("2 %", "2%%", "-2 %", "200 %", "%"),
    ),
    ("condition", 1, "where"): (
        *(1, "DE", [], {}, {"y": []}, {"y": {}}, {"y": [[1]]}, {"y": math.nan}),
        *({"": 1}, {"none": 1}),
    ),
    ("condition", 1, "noninferior"): ("expected_calibration_error", "recall[eggs]", 7),
    ("condition", 2, "any_of"): (1, "a", [], {}, [{}], [{"superior": "accuracy"}], [1, 2]),
}


def bad_policy(rng):
    """What is wrong with a policy, and its bytes."""
    make = rng.choice((wrong_value, wrong_value, wrong_key, lacking, repeated, tree, text))
    return make(rng)


def _within(values, path):
    for key in path:
        values = values[key]
    return values


def wrong_value(rng):
    """A value that its key cannot have."""
    values = copy.deepcopy(GOOD)
    path = rng.choice([*WRONG])
    wrong = rng.choice(WRONG[path])
    _within(values, path[:-1])[path[-1]] = wrong
    return f"{path} = {wrong!r}", as_toml(values).encode()


def _word(rng):
    return "".join(rng.choices(string.ascii_lowercase + "_-", k=rng.randint(1, 12)))


def wrong_key(rng):
    """A key that is not known, anywhere."""
    values = copy.deepcopy(GOOD)
    places = [(), *((name,) for name in SECTIONS), *(("condition", k) for k in range(3))]
    path = rng.choice([*places, ("condition", 2, "any_of", 0)])
    known = ("alpha", "margin", "superior", "path", "file", "id")
    key = rng.choice(
        (_word(rng), rng.choice(known).upper(), f"{rng.choice(known)}s", " ", "")
    )
    _within(values, path)[f"x{key}"] = rng.choice(STRANGE)
    return f"{path} {key}", as_toml(values).encode()


def lacking(rng):
    """Without something that must be there."""
    values = copy.deepcopy(GOOD)
    path = rng.choice(
        (
            ("condition",),
            ("condition", 0, "superior"),
            ("condition", 1, "margin"),
            ("condition", 1, "noninferior"),
            ("ledger", "path"),
            ("ledger", "looks"),
            ("train", "file"),
            ("condition", 2, "any_of", 0, "superior"),
        )
    )
    del _within(values, path[:-1])[path[-1]]
    return f"without {path}", as_toml(values).encode()


def repeated(rng):
    """Something that is there twice, or two things of which one must be there."""
    values = copy.deepcopy(GOOD)
    first, second, third = values["condition"]
    choice = rng.randrange(5)
    if choice == 0:
        values["condition"].append(copy.deepcopy(rng.choice((first, second, third))))
    elif choice == 1:
        first["noninferior"] = "accuracy"
    elif choice == 2:
        third["superior"] = "accuracy"
    elif choice == 3:
        third["any_of"].append({"any_of": third["any_of"][:]})
    else:
        line = rng.choice(as_toml(values).strip().splitlines())
        return f"again {line}", f"{line}\n{line}\n{as_toml(values)}".encode()
    return f"repeated {choice}", as_toml(values).encode()


def tree(rng):
    """Random tables, none of which is the one with conditions."""
    values = {f"x{_word(rng)}": _branch(rng, 0) for _ in range(rng.randint(0, 4))}
    if rng.random() < 0.5:
        values["data"] = _branch(rng, 0)
    if rng.random() < 0.3:
        values["condition"] = [_branch(rng, 2)]
        values["xno"] = 1
    return "tree", as_toml(values).encode()


def _branch(rng, depth):
    kind = rng.randrange(3 if depth < 4 else 1)
    if kind == 0:
        return rng.choice(STRANGE)
    if kind == 1:
        return [_branch(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {_word(rng): _branch(rng, depth + 1) for _ in range(rng.randint(0, 3))}


def text(rng):
    """What is no TOML, or too much of it."""
    good = as_toml(GOOD)
    words, made = rng.choice(
        (
            ("empty", b""),
            ("not UTF-8", good.encode("utf-16")),
            ("not UTF-8", good.replace("accuracy", "\xe4ccuracy").encode("latin-1")),
            ("nulls", good.replace("=", "\0", 1).encode()),
            ("long", b"#" * 20_000),
            ("large", b"# a comment\n" * 100_000),
            ("deep", b"a = " + b"[" * 4000),
            ("deep", b"a = " + b"{b=" * 4000),
            ("deep", b".".join([b"a"] * 4000) + b" = 1"),
            ("deep", b"[" + b".".join([b"a"] * 4000) + b"]"),
            ("digits", b"alpha = " + b"1" * 6000),
            ("date", good.replace("0.05", "2020-02-30", 1).encode()),
            ("date", good.replace("0.05", "2020-02-20", 1).encode()),
            ("time", good.replace("0.05", "07:32:00", 1).encode()),
            ("JSON", json.dumps({"a": 1}).encode()),
            ("code", b"alpha = __import__('os').getpid()"),
            ("open", good.replace('"', "", 1).encode()),
            ("open", good.encode() + b'x = """'),
            ("open", good.encode() + b"[" + rng.randbytes(5).hex().encode()),
        )
    )
    return words, made


def as_toml(values):
    """A policy as TOML."""
    plain = {k: v for k, v in values.items() if not isinstance(v, dict)}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plain.items()]
    for name, section in values.items():
        if isinstance(section, dict):
            lines.append(f"[{_key(name)}]")
            lines += [f"{_key(key)} = {_value(value)}" for key, value in section.items()]
    return "\n".join(lines) + "\n"


def _key(name):
    return json.dumps(name)


def _value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)
