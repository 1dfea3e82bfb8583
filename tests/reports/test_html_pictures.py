"""Which pictures belong to a report, and how they stand in a page."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator, compare
from skcompare.evidence import ContingencyTable
from skcompare.plots import ContingencyDisplay
from skcompare.plots._pictures import pictures_among, pictures_of
from skcompare.plots._svg import svg_of

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=120)
PROBA = {name: np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.2, 120), 0, 1) for name in "ab"}


def names(pictures):
    """What is shown."""
    return [one.name for one in pictures.shown]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"contingency"}),
        ({"scoring": "roc_auc"}, {"roccomparison"}),
        ({"scoring": "brier_loss"}, {"calibrationcomparison", "losses-1"}),
        ({"scoring": "squared_calibration_error"}, {"calibrationcomparison"}),
        ({"tests": ["mcnemar", "bowker"]}, {"contingency", "agreement"}),
        (
            {"tests": ["mcnemar", "relative_precision"]},
            {"contingency", "relativeprecision"},
        ),
        ({"scoring": "recall"}, set()),
    ],
)
def test_rows_choose_pictures(options, expected):
    """The differences always, and what each row is about."""
    found = pictures_of(compare(Y, PROBA, **options))

    assert {"forest"} | expected == set(names(found))
    assert () == found.left_out


def test_designs_choose_pictures():
    """Answers that are given again and again are not counted together."""
    rng = np.random.default_rng(1)
    X = np.column_stack([Y + rng.normal(size=120), rng.normal(size=120)])
    pair, scoring = (LogisticRegression(), GaussianNB()), ["accuracy", "roc_auc"]
    once = PairedComparator(*pair, cv=StratifiedKFold(3), scoring=scoring).fit(X, Y)
    again = PairedComparator(*pair, scoring=scoring, random_state=0).fit(X, Y)

    found = pictures_of(once.comparison_)
    assert ["contingency"] == [name for name in names(found) if name != "forest"]
    (said,) = found.left_out
    assert said.startswith("ROC curves: the scores of classifiers of different folds")
    found = pictures_of(again.comparison_)
    assert ["forest"] == names(found)
    (said,) = found.left_out
    assert "Who was right, ROC curves: records are answered more than once" in said


def test_answers_without_truth():
    """Without true labels nobody is right; the answers are shown."""
    labels = {name: (p > 0.5).astype(int) for name, p in PROBA.items()}

    assert ["agreement"] == names(pictures_of(compare(None, labels)))


def test_positive_class_is_that_of_the_comparison():
    """A picture of ranking is about the class that was named positive."""
    found = compare(1 - Y, PROBA, scoring="roc_auc", pos_label=0)
    display = next(one for one in pictures_of(found).shown if one.name == "roccomparison")

    assert found.rows[0].challenger > 0.8
    assert f"{found.rows[0].challenger:.3f}" in display.display.summary


def test_pictures_among_several():
    """Who is told apart, all pairs, the differences; a control has no groups."""
    several = dict(PROBA, c=PROBA["a"][::-1])
    found = pictures_among(compare(Y, several))

    assert ["criticaldifference", "pairwise", "forest"] == names(found)
    against = pictures_among(compare(Y, several, control="a"))
    assert "criticaldifference" not in names(against)
    assert "forest" in names(against)


class Named(ContingencyDisplay):
    """A picture with words of somebody else."""

    def _draw(self, ax):
        super()._draw(ax)
        ax.set_title('<b> id="x" #004e8a url(#y) 🎉 & -->')

    @property
    def summary(self):
        return 'a "picture" <of> something'


def test_svg_of_a_page():
    """Ids of its own, colours of the page, words as they are, no style sheet."""
    pytest.importorskip("matplotlib")
    display = Named.of_result(ContingencyTable(60, 5, 15, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = svg_of(display, "one"), svg_of(display, "other")

    assert one.startswith('<svg class="picture"')
    assert 'aria-label="a &quot;picture&quot; &lt;of&gt; something"' in one
    assert one.replace("one-", "other-") == other
    assert '&lt;b&gt; id="x" #004e8a url(#y) 🎉 &amp; --&gt;' in one
    assert "var(--ink, #1d2733)" in one
    assert "<style" not in one
    assert "<metadata" not in one
    assert "<!--" not in one
    assert 'id="one-' in one
    assert one == svg_of(display, "one")
