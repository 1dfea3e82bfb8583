"""Policy files: read as data, checked key by key."""

import math
from dataclasses import fields
from pathlib import Path

import pytest

from skcompare.gate import AnyOf, NonInferior, Policy, Superior, load_policy
from skcompare.gate._policy import OF_CONDITION, OF_GATE, SECTIONS, find_policy
from tests.common.made_up import check_made_up

ROOT = Path(__file__).parents[2]

POLICY = """\
alpha = 0.1
min_records = 500
tell_inconclusive = true

[data]
id = "id"
champion = { labels = "old", proba = ["p_no", "p_yes"] }
challenger = "new"
labels = ["no", "yes"]
features = ["a", "b"]

[[condition]]
superior = "accuracy"
margin = 0
where = { country = ["DE", "FR"] }

[[condition]]
any_of = [{ superior = "f1_macro" }, { noninferior = "recall[yes]", margin = 1e-2 }]

[ledger]
path = "looks.jsonl"
blind = true

[train]
file = "train/ids.csv"
"""
SMALL = '[[condition]]\nsuperior = "accuracy"\n'


@pytest.fixture
def written(tmp_path):
    """Writes a policy and gives its path."""

    def write(text, name="gate.toml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_every_key_is_read(written, tmp_path):
    """A policy says conditions, level, columns, ledger and training records."""
    policy = load_policy(written(POLICY))
    gate, data = policy.gate, policy.data

    first = Superior("accuracy", where={"country": ["DE", "FR"]})
    second = AnyOf(Superior("f1_macro"), NonInferior("recall[yes]", margin=0.01))
    assert (first, second) == gate.conditions
    assert (0.1, 500, None) == (gate.alpha, gate.min_records, gate.min_discordant)
    assert gate.tell_inconclusive
    assert ({"labels": "old", "proba": ("p_no", "p_yes")}, "new") == (
        data.champion,
        data.challenger,
    )
    assert (("no", "yes"), ("a", "b"), "id") == (data.labels, data.features, data.id)
    assert ("looks.jsonl", True) == (policy.ledger.path, policy.ledger.blind)
    assert str(tmp_path / "train" / "ids.csv") == policy.path_of(policy.train.file)


def test_there_and_back(written):
    """Plain values make the same policy again, and the digest tells what is asked."""
    policy = load_policy(written(POLICY))
    again = Policy.from_dict(policy.to_dict())
    other = Policy.from_dict(policy.to_dict() | {"alpha": 0.05})

    assert policy == again
    assert policy.digest == again.digest != other.digest
    for label in (False, 0, ""):
        other = Policy.from_dict(policy.to_dict() | {"data": {"pos_label": label}})
        assert label == Policy.from_dict(other.to_dict()).data.pos_label


def test_prefix_is_for_pyproject_only(written):
    """A file of another name has the keys of a policy as they are."""
    with pytest.raises(ValueError, match=r"without the prefix .* pyproject.toml only"):
        load_policy(written("[tool.skcompare.gate]\nalpha = 0.01\n"))


def test_table_of_a_pyproject(written, monkeypatch, tmp_path):
    """A file of this name has the policy in its own table, and is found by itself."""
    table = '[project]\nname = "x"\n[tool.skcompare.gate]\nalpha = 0.01\n'
    text = table + '[[tool.skcompare.gate.condition]]\nsuperior = "accuracy"\n'
    path = written(text, "pyproject.toml")
    monkeypatch.chdir(tmp_path)

    assert 0.01 == load_policy(path).gate.alpha == find_policy().gate.alpha
    written('[project]\nname = "x"\n', "pyproject.toml")
    with pytest.raises(ValueError, match=r"must have a table \[tool.skcompare.gate\]"):
        load_policy(path)
    with pytest.raises(FileNotFoundError, match=r"No policy: .* Pass --policy FILE.* init"):
        find_policy()


def test_what_is_wrong_is_named(written):
    """Each mistake is an error that names the file, the place and what to write."""
    for text, message in [
        ("", r"needs a \[\[condition\]\]"),
        ("conditon = []", "Unknown key in a policy: 'conditon'. Did you mean 'condition'"),
        (SMALL + "margn = 1", "Unknown key in Condition 1: 'margn'. Did you mean 'margin'"),
        (SMALL + SMALL, "Each condition must occur once"),
        (SMALL + 'superior = "f1"', "not TOML: Cannot overwrite a value"),
        (
            SMALL + "margin = nan",
            "'margin' in Condition 1 must be a finite number. Got nan",
        ),
        (SMALL + "margin = inf", "must be a finite number. Got inf"),
        (SMALL + "margin = true", "must be a number. Got true"),
        (SMALL + "margin = -0.1", "must be a number greater than 0"),
        (SMALL + "exact = 1", "'exact' in Condition 1 must be true or false. Got 1"),
        (SMALL + "where = {}", "must be a table of columns and values. Got an empty"),
        (SMALL + "where = { a = 2020-01-01 }", "must be a label: .* Got a date"),
        (SMALL + "options = { a = { b = 1 } }", "'a' in 'options' in Condition 1"),
        ('alpha = "0.05"\n' + SMALL, "'alpha' in a policy must be a number. Got '0.05'"),
        ("alpha = 0.7\n" + SMALL, "must be a number in"),
        ("alpha = 1e999\n" + SMALL, "finite"),
        ("min_records = 1.5\n" + SMALL, "whole number"),
        ("min_records = 99999999999999999999999\n" + SMALL, "more than 20 digits"),
        ('[[condition]]\nnoninferior = "accuracy"', "noninferior needs a margin"),
        ('[[condition]]\nnoninferior = ""\nmargin = 1', "text that can be printed"),
        ("[[condition]]\nmargin = 1", "must have one of superior, noninferior, equiv"),
        ('[[condition]]\nsuperior = "acuracy"', "Condition 1: Unknown .* 'accuracy'"),
        ('[[condition]]\nsuperior = "expected_calibration_error"', "no valid test"),
        ('[[condition]]\nany_of = [{ superior = "accuracy" }]', "two or more"),
        ("[[condition]]\nany_of = [{ any_of = [] }]", "part 1 of any_of: 'any_of'"),
        ('condition = "accuracy"', "must be an array of one or more tables"),
        (SMALL + "[data]\nid = 1", r"'id' in \[data\] must be text"),
        (SMALL + "[data]\nlabels = [1]", "two or more different labels"),
        (SMALL + "[data]\nfeatures = ['a', 'a']", "different names"),
        (SMALL + "[data]\nchampion = { labels = 'a' }", "must have 'labels' and 'proba'"),
        (SMALL + "[data]\nbounds = [1, 0]", "a least and a greater number"),
        (SMALL + "[ledger]\nblind = true", r"\[ledger\] needs 'path'"),
        (SMALL + "[ledger]\npath = 'a'\nrule = 'equl'", "Did you mean 'equal'"),
        (SMALL + "[train]\nid = 'a'", r"\[train\] needs 'file'"),
        (b"\xff\xfe", "must be UTF-8"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("#" * 2_000_000, "at most 1,048,576 bytes"),
        ("a." * 8000 + "b = 1", "10,000 in a line"),
        ("a = " + "1" * 5000, "not TOML: .* digits"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message) as caught:
            load_policy(written(text))
        words = str(caught.value)

        assert words.startswith("Policy '")
        assert len(words) < 2500


def test_missing_policy(tmp_path):
    """A file that is not there, and a folder, are named."""
    with pytest.raises(FileNotFoundError, match=r"Cannot read policy .* `skcompare init"):
        load_policy(tmp_path / "none.toml")
    with pytest.raises(OSError, match="Cannot read policy"):
        load_policy(tmp_path)


def test_nothing_is_evaluated(written, tmp_path):
    """What looks like code is text that no key can have."""
    path = tmp_path / "made"
    code = f"__import__('pathlib').Path({str(path)!r}).touch()"
    with pytest.raises(ValueError, match="Unknown"):
        load_policy(written(f"[[condition]]\nsuperior = {code!r}".replace("\\", "")))

    assert not path.exists()


def trees(st):
    """Values of any kind within each other, by known keys and others."""
    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    keys = st.sampled_from(["alpha", "condition", "data", "superior", "any_of"]) | st.text()

    def around(inner):
        return st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)

    return st.recursive(plain, around, max_leaves=8)


def check_values(values):
    """They end in an error of one line, or go there and back."""
    try:
        policy = Policy.from_dict(values)
    except (ValueError, TypeError) as error:
        words = str(error)
    else:
        words = policy.gate.conditions[0].text
        assert policy == Policy.from_dict(policy.to_dict())

    assert 0 < len(words) < 2500


def test_values_are_refused_or_make_a_policy():
    """Whatever is in a policy, there is an error of one line or a policy."""
    condition = {"superior": "accuracy"}
    for values in [
        None,
        math.nan,
        "alpha",
        [],
        [condition],
        {},
        {"": -1},
        {"é\x00": [{}]},
        {"condition": []},
        {"condition": [[condition]]},
        {"condition": [condition]},
        {"condition": [condition], "alpha": math.inf},
        {"condition": [{"any_of": condition}], "data": True},
        {"condition": [{"any_of": [condition]}]},
        {"condition": [condition | {"alpha": 10**400}]},
        {"condition": [{"superior": 0.5}], "superior": {"data": None}},
    ]:
        check_values(values)


@pytest.mark.slow
def test_any_values_are_refused_or_make_a_policy():
    """So it is with values that hypothesis makes up."""
    check_made_up(check_values, trees, 200)


def test_every_key_is_documented():
    """The table of the user guide has each key of a policy."""
    page = (ROOT / "doc" / "user_guide" / "gate_policy.rst").read_text(encoding="utf-8")
    in_sections = (field.name for kind in SECTIONS.values() for field in fields(kind))
    keys = {*OF_CONDITION, *OF_GATE, *in_sections, "any_of"}

    assert [] == sorted(key for key in keys if f"``{key}``" not in page)
