"""Every test is called with the true values and two arrays, as is guessed first."""

import numpy as np
import pytest

from skcompare.stats import bland_altman, margin_test, paired_tests, recommend_ensemble

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=60)
LABELS = tuple(np.where(RNG.random(60) < share, Y, 1 - Y) for share in (0.8, 0.9))
SCORES = tuple(0.5 * RNG.random(60) + 0.5 * own for own in LABELS)
NUMBERS = tuple(Y + RNG.normal(size=60) for _ in "ab")
KINDS = {"labels": (Y, *LABELS), "scores": (Y, *SCORES), "numbers": (Y / 3, *NUMBERS)}


@pytest.mark.parametrize("name", paired_tests())
def test_truth_and_two_arrays(name):
    """A test works for arrays of some kind, or says in three lines what it needs."""
    messages = []
    for arrays in KINDS.values():
        try:
            assert name == paired_tests()[name].function(*arrays).test
        except (TypeError, ValueError) as error:
            messages.append(str(error))
    if len(messages) == len(KINDS):
        advice = ("Pass `groups`", f"Write {name}(", f"Request it by tests='{name}'")
        advice = (*advice, "Pass lists of arrays")
        assert max(map(len, messages)) < 4 * 92
        assert any(text in message for message in messages for text in advice), messages


def test_predictions_without_truth():
    """A test of two arrays refuses three of them and says how to call it."""
    with pytest.raises(TypeError, match=r"Got 3\. Write bowker\(champion, challenger\)"):
        paired_tests()["bowker"].function(*KINDS["labels"])
    with pytest.raises(TypeError, match=r"Got 3\. Write bland_altman\("):
        bland_altman(*KINDS["numbers"])
    assert paired_tests()["bowker"].function(*LABELS).pvalue <= 1


def test_functions_that_are_no_tests():
    """Other functions for predictions say what they take, in a few lines."""
    for function, message in (
        (recommend_ensemble, r"needs JointCounts\. .*`advice` of compare"),
        (margin_test, "Unknown test .* Known: see skcompare.stats.paired_tests"),
    ):
        with pytest.raises((TypeError, ValueError), match=message) as raised:
            function(*KINDS["labels"])
        assert len(str(raised.value)) < 3 * 92
