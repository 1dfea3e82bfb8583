"""The agreement matrix as a picture, with the pairs that drive Bowker's test."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from skcompare._core.design import Design
from skcompare.evidence import AgreementMatrix, JointCounts
from skcompare.plots import AgreementDisplay
from skcompare.plots.drawing._heatmap import SHADES
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import bowker
from tests.plots.cases import agreement, agreement_of_letters


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


ALIKE = ["the same beginning 1", "the same beginning 2"]
AWKWARD = {
    "dollars": AgreementMatrix(5 * np.ones((3, 3)), ["a $5_x$ y", *ALIKE]),
    "a formula": AgreementMatrix([[9, 50], [2, 9]], ["a $5$ y", "b"]),
    "few": AgreementMatrix([[9, 3], [1, 9]], [0, 1]),
    "long": AgreementMatrix(
        [[85, 6], [5, 47]], ["100% {be}nign\n&c", "malign_ant $x$ of the skin"]
    ),
}


def picture(name):
    """The picture of a matrix whose words are hard to place."""
    return drawn(AgreementDisplay.of_result(AWKWARD[name]))


def framed(ax):
    """Cells with a frame: row, column and dashes."""
    return {
        (round(patch.get_y() + 0.43), round(patch.get_x() + 0.43), patch.get_linestyle())
        for patch in ax.patches
        if isinstance(patch, Rectangle)
    }


def test_pairs_are_those_of_the_test():
    """Contributions and p-values are bowker's, and their sum is the statistic."""
    display = agreement()
    matrix = AgreementMatrix(display.counts, display.classes)
    result = bowker(matrix, max_pairs=99)
    frame = display.frame()

    assert len(result.parts) == len(frame)
    assert result.statistic == pytest.approx(frame["contribution"].sum())
    assert 1 == pytest.approx(frame["share"].sum())
    assert [part["adjusted_pvalue"] for part in result.parts] == frame[
        "adjusted_pvalue"
    ].tolist()
    n, m = frame["records"], frame["reverse"]
    assert ((n - m) ** 2 / (n + m)).tolist() == pytest.approx(
        frame["contribution"].tolist()
    )
    assert (n >= m).all()
    assert f"{result.statistic:.4g}" in display._title()


def test_marked_pairs_are_framed():
    """Solid in the frequent direction, dotted in the reverse one, and no others."""
    display = drawn(agreement())

    assert {(2, 1, "-"), (1, 2, ":"), (3, 4, "-"), (4, 3, ":")} == framed(display.ax_)
    assert "Champion dog, challenger cat: 41 records against 9" in display.summary
    filled = [bar.get_facecolor()[3] for bar in display.axes_[1].patches]
    assert [1, 1, 0, 0, 0, 0] == filled


def test_diagonal_does_not_drown_the_rest():
    """The largest disagreement is the darkest cell, agreements and zeros the lightest."""
    display = drawn(agreement())
    (mesh,) = display.ax_.collections
    shades = np.asarray(mesh.get_array()).reshape(5, 5)

    assert 1 == shades.max() == shades[2, 1]
    assert not np.diag(shades).any()
    assert SHADES[0] == to_hex(mesh.cmap(0.0))
    words = {
        tuple(np.round(text.get_position()).tolist()): text.get_text()
        for text in display.ax_.texts
    }
    assert ["310", "41", ""] == [words[0, 0], words[1, 2], words[3, 0]]


@pytest.mark.slow
def test_counts_of_many_classes_are_short():
    """No count is wider than a cell of 26 classes."""
    display = drawn(agreement_of_letters())
    written = {text.get_text() for text in display.ax_.texts}

    assert "1.2k" in written
    assert 4 == max(map(len, written))


def test_most_of_many_classes_are_left_out():
    """The statistic is of all classes, the picture of those that disagree most."""
    rng = np.random.default_rng(0)
    matrix = AgreementMatrix(rng.poisson(rng.gamma(0.3, 2, (60, 60))), np.arange(60))
    display = AgreementDisplay.of_result(matrix, max_classes=10)

    assert bowker(matrix).statistic == display.statistic
    assert (10, 10) == display.counts.shape
    assert "10 of 60 classes" in display.summary
    assert "10 of 60 classes" in display._title()
    drawn(display)


def test_joint_counts_are_enough():
    """What all label tests need has the agreement too."""
    joint = JointCounts.from_predictions([0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 1, 2])
    display = AgreementDisplay.of_result(joint)

    assert joint.agreement_matrix().counts.tolist() == display.counts.tolist()


def test_no_disagreement():
    """There is one panel then, and the statistic is 0."""
    display = drawn(AgreementDisplay.of_result(AgreementMatrix([[5, 0], [0, 4]], [0, 1])))

    assert 1 == len(display.axes_)
    assert 0 == len(display.frame())
    assert "statistic 0" in display.summary


def test_cross_validated_predictions_are_not_tested():
    """Predictions of several fits are not independent: no p-value, and no pair is
    marked.
    """
    matrix = AgreementMatrix([[50, 40], [2, 50]], [0, 1], Design("kfold", n_folds=5))
    display = drawn(AgreementDisplay.of_result(matrix))

    assert display.pvalue is None
    assert [False] == display.frame()["marked"].tolist()
    assert "no p-value for 5-fold cross-validation" in display.summary
    assert set() == framed(display.ax_)


def test_options_are_checked():
    """A level is between 0 and 1, and a picture has two classes at least."""
    matrix = AgreementMatrix([[5, 1], [0, 4]], [0, 1])
    with pytest.raises(ValueError, match="alpha"):
        AgreementDisplay.of_result(matrix, alpha=2)
    with pytest.raises(ValueError, match="max_classes"):
        AgreementDisplay.of_result(matrix, max_classes=1)


def test_names_are_shown_as_they_are():
    """Dollars make no formula, and long names that begin alike still differ."""
    display = picture("dollars")
    written = [label.get_text() for label in display.ax_.get_yticklabels()]

    assert 3 == len(set(written))
    assert r"a \$5_x\$ y" == written[0]


def test_summary_has_the_names():
    """For those who hear it, a name is not shortened or changed."""
    display = picture("a formula")

    assert "Champion a $5$ y, challenger b: 50 records" in display.summary


def test_not_shown_is_not_said_to_be_symmetric():
    """Pairs without a small p-value may be asymmetric all the same."""
    display = AgreementDisplay.of_result(AgreementMatrix([[50, 9], [4, 50]], [0, 1]))

    assert "alone is shown to be asymmetric at 0.05" in display.summary


def test_caveats_of_the_test_are_told():
    """A chi-squared p-value of few disagreements is a poor one."""
    display = picture("few")

    assert ("few-disagreements",) == display.flags
    assert "few-disagreements: " in display.summary
    assert "few-disagreements: " in display.ax_.get_title()


@pytest.mark.slow
def test_text_fit(overlaps):
    """The title has room beside names that are wider than the matrix, too."""
    for name in AWKWARD:
        assert ([], []) == overlaps(picture(name).figure_)
