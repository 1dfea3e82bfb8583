"""What a report says was assumed, and what to do next."""

import itertools

import numpy as np
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator, compare
from skcompare._core.design import DESIGN_KINDS, HOLDOUT, UNKNOWN, Design, design_in_text
from skcompare._registry.tests import paired_tests
from skcompare.gate import Gate, Ledger, NonInferior
from skcompare.gate._decision import next_steps_of
from skcompare.reports._multiple import next_steps_among
from skcompare.reports._next_steps import next_steps
from skcompare.reports._pages import assumptions_of

MARKS = ("*", "`", "_ ", "]_", ":func:", "::", "**")


def assumed(name, design, flags=()):
    """What one test assumes."""
    return assumptions_of([(name, flags)], design)[-1]


def test_every_test_says_what_it_assumes():
    """A question, a null hypothesis or a purpose, and full sources, without markup."""
    for name in paired_tests():
        said = assumed(name, HOLDOUT)

        assert said.title.endswith(f" ({name})")
        assert said.question
        assert said.text
        assert said.facts["about"].startswith("two ")
        assert said.sources
        for words in (said.question, *said.text, *said.sources):
            assert not [mark for mark in MARKS if mark in words], words
            assert len(words) > 30 or words == said.question
        is_valid = said.facts["valid here"].startswith(("yes, for", "it was designed for"))
        assert paired_tests()[name].valid_for(HOLDOUT) is is_valid


def test_tests_are_named_once_with_all_their_caveats():
    """Rows of one test share an entry, and unknown tests have none."""
    rows = [
        ("mcnemar", ("few-discordant-pairs",)),
        (None, ("scorer-warning",)),
        ("of another package", ()),
        ("delong", ()),
        ("mcnemar", ("invalid-design",)),
    ]
    design, *found = assumptions_of(rows, UNKNOWN)

    assert "The design: splits of unknown design" == design.title
    assert ["(mcnemar)", "(delong)"] == [one.title.split()[-1] for one in found]
    codes = [words.partition(":")[0] for words in found[0].facts["caveats"].split("; ")]
    assert {"few-discordant-pairs", "invalid-design"} <= set(codes)
    assert found[0].facts["valid here"].startswith("no: it is not valid")
    assert "valid here" not in assumptions_of(rows, None)[0].facts


def test_every_design_says_what_it_assumes():
    """In words, and the title of a design leads back to it."""
    for grouped, kind in itertools.product([False, True], DESIGN_KINDS):
        design = Design(kind, 5, 2, grouped)
        found = design_in_text(str(design))

        assert ("Records of one group" in design.assumption) is grouped
        assert (kind, grouped) == (found.kind, found.grouped)
        assert str(design) == str(found)
        assert design_in_text("by eye") is None


def predictions(right, n=400):
    """Labels, and predictions that are right on shares of the records."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return y, {
        name: np.where(rng.random(n) < share, y, 1 - y) for name, share in right.items()
    }


def advice(right, **options):
    """All steps in one line."""
    y, named = predictions(right)
    found = compare(y, named, **options)
    return " ".join((next_steps_among if len(right) > 2 else next_steps)(found))


def test_undecided():
    """How many records it takes, and what nothing found does not say."""
    words = advice({"old": 0.80, "new": 0.81})

    assert "Compare more test records than 400: 80 % power requires about" in words
    assert "as observed" in words
    assert "An inconclusive result does not show that there is no difference" in words
    assert "NonInferior" in words


def test_decided():
    """The winner, how small the difference may be, and a gate for the next time."""
    better, worse = advice({"old": 0.6, "new": 0.9}), advice({"old": 0.9, "new": 0.6})

    assert "the challenger can replace the champion" in better
    assert "compatible with a difference as small as 0." in better
    assert "By accuracy, keep the champion" in worse
    assert "skcompare gate" in better


def test_wrong_direction():
    """A one-sided question is not turned round."""
    words = advice({"old": 0.9, "new": 0.6}, alternative="greater")

    assert "Do not reverse the question on the same records" in words


def test_measures_that_disagree():
    """A gain by one measure and a loss by another one are to be weighed."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    careful = np.clip(0.5 + (y - 0.5) * 0.3 + rng.normal(0, 0.15, 600), 0.01, 0.99)
    bold = np.where(rng.random(600) < 0.93, y, 1 - y) * 0.99998 + 0.00001
    found = compare(y, {"old": careful, "new": bold}, scoring=["accuracy", "neg_log_loss"])

    assert "challenger" == found.verdict
    assert "Weigh what matters more: the challenger is better by accuracy" in " ".join(
        next_steps(found)
    )


def test_without_truth_and_without_test():
    """Labels that would say who is right; a design that has a test."""
    y, named = predictions({"old": 0.8, "new": 0.7})

    assert "Label the records on which" in next_steps(compare(None, named))[0]
    same = {"old": named["old"], "new": named["old"]}
    (said,) = next_steps(compare(None, same))
    assert "Both gave the same prediction for every record" in said
    found = compare(y, named, tests=["mcnemar"], groups=np.arange(len(y)) // 4)
    assert "Do not rely on mcnemar here" in next_steps(found)[-1]
    assert "clustered_mcnemar" in next_steps(found)[-1]


def test_a_valid_test_that_ran_is_named():
    """Beside one that is not valid, the one of the verdict is pointed at."""
    tables = PairedComparator(
        GaussianNB(), GaussianNB(var_smoothing=0.1), cv=3, tests=["mcnemar"]
    ).fit(np.arange(60.0).reshape(-1, 1), np.arange(60) % 2)

    said = next_steps(tables.comparison_)[-1]
    assert "For accuracy, corrected_repeated_kfold_t is valid." in said


def test_one_sided():
    """The limit that the records set, and not the end of the scale."""
    right = {"old": 0.80, "new": 0.81}

    assert "anything from -" in advice(right)
    assert "a difference as low as -0." in advice(right, alternative="greater")
    assert "a difference as high as 0." in advice(right, alternative="less")
    assert "1.000" not in advice(right, alternative="greater")


def test_one_with_itself():
    """Two that never differ may be one by mistake."""
    y, named = predictions({"old": 0.8})
    found = compare(y, {"old": named["old"], "new": named["old"]})

    assert "Check that two different models were compared" in next_steps(found)[0]


def test_among_several():
    """The winner, those that are not told from it, and a control for the next time."""
    assert "Use c." in advice({"a": 0.5, "b": 0.6, "c": 0.9})
    equals = {"a": 0.8, "b": 0.8, "c": 0.8}
    assert "is not distinguished from" in advice(equals)
    assert "comparing 2 models with one control" in advice(equals)
    assert "is not distinguished from the control" in advice(equals, control="a")


def test_a_test_that_calls_for_caution_is_not_called_valid_alone():
    """The design fits, and a caveat says what is wrong."""
    said = assumed("kfold_t", Design("kfold", n_folds=5))

    assert "it was designed for 5-fold" in said.facts["valid here"]
    assert "but requires caution" in said.facts["valid here"]
    assert "liberal: " in said.facts["caveats"]


def test_several_that_beat_a_control():
    """They were not compared with each other, and none of them wins."""
    y, named = predictions({"a": 0.5, "b": 0.8, "c": 0.9})
    found = compare(y, named, control="a")

    assert "c" == found.verdict
    assert (
        "c and b are better than the control. They were not" in next_steps_among(found)[0]
    )
    assert "c is better than a</bdi>" in found.to_html(pictures=False)
    worse = compare(y, named, control="c")
    assert "c" == worse.verdict
    assert "Use c." in next_steps_among(worse)[0]
    assert "c wins</bdi>" in worse.to_html(pictures=False)


def test_after_a_gate(tmp_path):
    """New records for the next question; a ledger says what is left of these."""
    y, named = predictions({"one": 0.95, "other": 0.6}, n=150)
    gate, back = Gate(NonInferior("accuracy", margin=0.02)), dict(reversed(named.items()))

    def said(named, **options):
        return " ".join(next_steps_of(gate.decide(y, named, **options)))

    assert "Evaluate another challenger on new records" in said(named)
    assert "Evaluate the next challenger on new records" in said(back)
    ledger = Ledger(tmp_path / "ledger.json", "equal", looks=2)
    first, last = said(named, ledger=ledger), said(back, ledger=ledger)
    assert "the next one has level 0.025" in first
    assert "with a ledger" not in first
    assert "The challenger may replace the champion" in last
    assert "no level left for these records" in last
