"""What a report says was assumed, and what to do next."""

import numpy as np
import pytest

from skcompare import compare
from skcompare._design import DESIGN_KINDS, HOLDOUT, UNKNOWN, Design, design_in_words
from skcompare._registry import paired_tests
from skcompare.reports._assumed import assumed_by, assumed_of_tests
from skcompare.reports._next_steps import next_steps, next_steps_among

MARKS = ("`", "_ ", "]_", ":func:", "::", "**")


@pytest.mark.parametrize("name", paired_tests())
def test_every_test_says_what_it_assumes(name):
    """A question, a null hypothesis or a purpose, and full sources, without markup."""
    said = assumed_by(paired_tests()[name], HOLDOUT, ())

    assert said.question
    assert said.words
    assert said.about.startswith("two ")
    assert said.sources
    for words in (said.question, *said.words, *said.sources):
        assert not [mark for mark in MARKS if mark in words], words
        assert len(words) > 30 or words == said.question
    assert paired_tests()[name].valid_for(HOLDOUT) is said.valid


def test_tests_are_named_once_with_all_their_caveats():
    """Rows of one test share an entry, and unknown tests have none."""
    rows = [
        ("mcnemar", ("few-discordant-pairs",)),
        (None, ("scorer-warning",)),
        ("of another package", ()),
        ("delong", ()),
        ("mcnemar", ("invalid-design",)),
    ]
    found = assumed_of_tests(rows, UNKNOWN)

    assert ["mcnemar", "delong"] == [one.test for one in found]
    codes = [words.partition(":")[0] for words in found[0].caveats]
    assert ["few-discordant-pairs", "invalid-design"] == codes
    assert not found[0].valid
    assert assumed_of_tests(rows, None)[0].valid is None


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", DESIGN_KINDS)
def test_every_design_says_what_it_assumes(kind, grouped):
    """In words, and the title of a design leads back to it."""
    design = Design(kind, 5, 2, grouped)
    found = design_in_words(str(design))

    assert ("Records of one group" in design.assumption) is grouped
    assert (kind, grouped) == (found.kind, found.grouped)
    assert str(design) == str(found)
    assert design_in_words("by eye") is None


def answers(right, n=400):
    """Labels, and answers that are right on shares of the records."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return y, {
        name: np.where(rng.random(n) < share, y, 1 - y) for name, share in right.items()
    }


def advice(right, **options):
    """All steps in one line."""
    y, named = answers(right)
    found = compare(y, named, **options)
    return " ".join((next_steps_among if len(right) > 2 else next_steps)(found))


def test_undecided():
    """How many records it takes, and what nothing found does not say."""
    words = advice({"old": 0.80, "new": 0.81})

    assert "compare about" in words
    assert "test records instead of 400" in words
    assert "Not to find a difference is not to show that there is none" in words
    assert "NonInferior" in words


def test_decided():
    """The winner, how small the difference may be, and a gate for the next time."""
    better, worse = advice({"old": 0.6, "new": 0.9}), advice({"old": 0.9, "new": 0.6})

    assert "the challenger can take the place of the champion" in better
    assert "compatible with a difference as small as 0." in better
    assert "Keep the champion as far as accuracy counts" in worse
    assert "skcompare gate" in better


def test_wrong_direction():
    """A one-sided question is not turned round."""
    words = advice({"old": 0.9, "new": 0.6}, alternative="greater")

    assert "Do not turn the question round on the same records" in words


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
    y, named = answers({"old": 0.8, "new": 0.7})

    assert "Find the true labels of some records" in next_steps(compare(None, named))[0]
    found = compare(y, named, tests=["mcnemar"], groups=np.arange(len(y)) // 4)
    assert "Do not rely on mcnemar here" in next_steps(found)[-1]
    assert "clustered_mcnemar" in next_steps(found)[-1]


def test_among_several():
    """The winner, those that are not told from it, and a control for the next time."""
    assert "Use c." in advice({"a": 0.5, "b": 0.6, "c": 0.9})
    equals = {"a": 0.8, "b": 0.8, "c": 0.8}
    assert "is not told apart from" in advice(equals)
    assert "comparing 2 classifiers with one control" in advice(equals)
    assert "Not to be told from the control" in advice(equals, control="a")
