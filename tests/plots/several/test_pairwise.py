"""Differences of all pairs as a matrix."""

import numpy as np
import pytest

from skcompare import compare
from skcompare.plots import PairwiseDisplay
from skcompare.plots.drawing._labels import distinct, marks_of
from skcompare.reports import ClassifierRow, PairRow, PairwiseComparison

N = 400
RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=N)
PREDICTIONS = {
    name: np.where(RNG.random(N) < share, Y, 1 - Y)
    for name, share in {"worst": 0.5, "fine": 0.7, "best": 0.9, "good": 0.89}.items()
}


def made(difference):
    """Two classifiers with this difference."""
    return PairwiseComparison(
        measure="accuracy",
        label=None,
        test="mcnemar",
        classifiers=(ClassifierRow("a", 0.8), ClassifierRow("b", 0.8)),
        pairs=(PairRow("a", "b", difference, adjusted_pvalue=difference),),
        alpha=0.05,
        interval_level=0.95,
        alternative="two-sided",
        adjust="holm",
    )


def test_row_less_column_and_best_first():
    """A cell is what the comparison says of the pair, seen from the column."""
    comparison = compare(Y, PREDICTIONS, adjust="max-t")
    display = PairwiseDisplay.of_result(comparison)
    names = [row.name for row in display.several.classifiers]

    assert "best" == names[0]
    assert "worst" == names[-1]
    assert np.isnan(np.diag(display.differences)).all()
    off = ~np.eye(4, dtype=bool)
    assert np.array_equal(display.differences[off], -display.differences.T[off])
    pair = comparison.pair("worst", "best")
    assert pair.difference == display.differences[0, -1]
    assert pair.adjusted_pvalue == display.adjusted_pvalues[0, -1]


def test_text_signs_and_stars():
    """Signs are written and drawn as triangles, and stars follow the adjusted p."""
    display = PairwiseDisplay.from_predictions(Y, PREDICTIONS)
    words = np.array([text.get_text() for text in display.ax_.texts[:16]]).reshape(4, 4)
    weights = np.array([t.get_fontweight() for t in display.ax_.texts[:16]]).reshape(4, 4)
    starred = display.adjusted_pvalues < 0.05
    up, down = (
        sum(len(marks.get_offsets()) for marks in display.ax_.collections[1:][part])
        for part in (slice(0, 3), slice(3, 6))
    )

    assert [""] * 4 == np.diag(words).tolist()
    assert starred.tolist() == np.char.endswith(words, "*").tolist()
    assert starred.tolist() == (weights == "bold").tolist()
    assert all(word.startswith("+") for word in words[np.triu_indices(4, 1)])
    assert all(word.startswith("-") for word in words[np.tril_indices(4, -1)])
    assert (6, 6) == (up, down)


def test_frame_has_every_ordered_pair():
    """The numbers of all cells but the diagonal."""
    frame = PairwiseDisplay.from_predictions(Y, PREDICTIONS).frame()

    assert 12 == len(frame)
    assert ["row", "column", "difference", "adjusted_pvalue"] == list(frame.columns)


def test_control_is_the_only_column():
    """The others were compared with it alone."""
    display = PairwiseDisplay.from_predictions(
        Y, PREDICTIONS, control="fine", adjust="holm"
    )

    assert ("fine",) == display.columns
    assert (4, 1) == display.differences.shape
    assert ["fine"] == [words.get_text() for words in display.ax_.get_xticklabels()]


TEXT = {0.0: "0.000", np.nan: "undefined"}


def test_equal_and_undefined():
    """No difference has no sign and no triangle, and an undefined one is a word."""
    for difference, word in TEXT.items():
        display = PairwiseDisplay.of_result(made(difference)).plot()
        words = [text.get_text() for text in display.ax_.texts[:4]]

        assert ["", word, word, ""] == words
        assert 0 == sum(len(marks.get_offsets()) for marks in display.ax_.collections[1:])
        assert "nan" not in display.summary


@pytest.mark.slow
def test_text_fit(overlaps):
    """Neither word leaves its cell."""
    for difference in TEXT:
        display = PairwiseDisplay.of_result(made(difference)).plot()
        assert ([], []) == overlaps(display.figure_)


def test_names_stay_different():
    """Long names are cut where they differ, or numbered, and short ones are left alone."""
    same = "Pipeline(StandardScaler, LogisticRegression("
    ends = [f"{same}C={c}))" for c in (1, 10, 100)]
    middle = [f"{'a' * 30}{k}{'b' * 90}" for k in range(3)]

    assert ["a", "b"] == distinct(["a", "b"])
    for names in (ends, middle, [f"{'x' * 40}{k}{'y' * 40}{k}" for k in range(12)]):
        shown = distinct(names, 24)
        assert len(names) == len(set(shown))
        assert max(map(len, shown)) <= 24
    assert "C=100" in distinct(ends, 24)[2]
    assert r"\$5 or \$6" == distinct(["$5 or $6"])[0]
    assert {"x": "¹", "y": "²"} == marks_of(["x", "y", "x"])
