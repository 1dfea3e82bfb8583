"""The right/wrong table as a picture."""

import pytest

from skcompare.evidence import ContingencyTable
from skcompare.plots import ContingencyDisplay

TABLE = ContingencyTable(
    both_correct=60, only_champion=5, only_challenger=15, both_wrong=20
)


def test_cells_hold_the_counts(words_of):
    """Each count is written in its cell, with its share."""
    display = ContingencyDisplay.from_result(TABLE)
    written = {words for words, _ in words_of(display.figure_)}

    assert {"60\n60.0 %", "5\n5.0 %", "15\n15.0 %", "20\n20.0 %"} <= written


def test_discordant_cells_are_framed():
    """Two frames stand on the cells in which exactly one was right."""
    display = ContingencyDisplay.from_result(TABLE)
    middles = {tuple(patch.get_center().round()) for patch in display.ax_.patches}

    assert {(1, 0), (0, 1)} == middles


@pytest.mark.parametrize("factor", [1, 10**9])
def test_words_do_not_overlap(overlaps, factor):
    """Nor do they leave the figure, with billions of records either."""
    counts = (60 * factor, 5 * factor, 15 * factor, 20 * factor)
    display = ContingencyDisplay.from_result(ContingencyTable(*counts))

    assert ([], []) == overlaps(display.figure_)
