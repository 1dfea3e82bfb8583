"""Displays show the names of the models instead of their roles."""

import functools
import re

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from skcompare import PairedComparator, compare, compare_seeds
from skcompare.evidence import ContingencyTable, PlacementValues
from skcompare.plots import (
    AnytimeDisplay,
    BlandAltmanDisplay,
    ContingencyDisplay,
    ForestDisplay,
    RocComparisonDisplay,
    TrainingVarianceDisplay,
)
from skcompare.plots.drawing._base import displays
from skcompare.plots.drawing._layout import named
from skcompare.stats import AnytimeMonitor

text = pytest.importorskip("matplotlib.text")
pyplot = pytest.importorskip("matplotlib.pyplot")

ROLE = re.compile("champion|challenger", re.IGNORECASE)
NAMES = ("logit", "tree")
RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 1))
Y = np.arange(N) % 2
NUMBERS = Y + RNG.normal(size=N)
MEANS = np.array([0.3 + 0.4 * Y, 0.2 + 0.5 * Y])
PROBABILITIES = np.clip(MEANS + 0.2 * RNG.normal(size=(2, N)), 0, 1)
VALUES = NUMBERS + RNG.normal(size=(2, N))
TRAININGS = NUMBERS + RNG.normal(size=(2, 3, N))


LONG = ("LogisticRegression(C=10, l1) v1", "LogisticRegression(C=10, l2) v2")


def monitor():
    """Of two looks."""
    seen = AnytimeMonitor()
    for table in (ContingencyTable(60, 5, 15, 20), ContingencyTable(55, 5, 20, 20)):
        seen.update(table)
    return seen


@functools.cache
def results(names=NAMES):
    """Results in which models have names: at least one for each display."""

    def pair_of(values):
        return dict(zip(names, values, strict=True))

    measures = ["accuracy", "roc_auc", "neg_brier_score", "precision_macro"]
    dummies = DummyClassifier(strategy="uniform", random_state=0), DummyClassifier()
    splits = PairedComparator(*dummies, names=names, scoring=measures).fit(X, Y)
    numbers = DummyRegressor(), DummyRegressor(strategy="median")
    return {
        "hold-out": compare(Y, pair_of(PROBABILITIES), scoring=measures),
        "splits": splits,
        "splits of numbers": PairedComparator(*numbers, names=names).fit(X, NUMBERS),
        "numbers": compare(NUMBERS, pair_of(VALUES)),
        "time": compare(NUMBERS, pair_of(VALUES), time=np.arange(N)),
        "seeds": compare_seeds(NUMBERS, pair_of(TRAININGS)),
        "several": compare(Y, dict(zip("abc", [*(PROBABILITIES > 0.5), 1 - Y]))),
    }


def texts_of(display):
    """All text of a figure, and its alternative; the figure is closed."""
    display.figure_.canvas.draw()
    words = [part.get_text() for part in display.figure_.findobj(text.Text)]
    pyplot.close(display.figure_)
    return [*filter(None, words), display.summary]


def drawn_of(kind, most):
    """The text of a display of each result that it has a picture of, of at most so many."""
    drawn = {}
    if kind is AnytimeDisplay:
        return {"monitor": texts_of(kind.from_result(monitor(), names=NAMES))}
    for name, result in results().items():
        try:
            display = kind.from_result(result)
        except (TypeError, ValueError):
            continue
        drawn[name] = texts_of(display)
        if len(drawn) == most:
            break
    return drawn


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("most", [1, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", displays().values(), ids=lambda kind: kind.__name__)
def test_no_role_in_any_text(kind, most):
    """Titles, labels, legends, annotations and summaries have the names of the models."""
    drawn = drawn_of(kind, most)

    assert drawn
    for words in drawn.values():
        assert [] == list(filter(ROLE.search, words))


def test_names_with_roles():
    """Names that have a role in them are not named again."""
    names = "champion A", "challenger B"
    result = compare(Y, dict(zip(names, PROBABILITIES, strict=True)))
    for kind in (ContingencyDisplay, ForestDisplay):
        words = "\n".join(texts_of(kind.from_result(result)))

        assert all(name in words for name in names)
        assert not ROLE.search(words.replace(names[0], "").replace(names[1], ""))


def test_long_names():
    """Long names are shortened, stay distinct, and are not cut off."""
    names = "a" * 40 + "$1", "a" * 40 + "$2"
    result = compare(Y, dict(zip(names, PROBABILITIES, strict=True)))
    for kind in (ContingencyDisplay, ForestDisplay, RocComparisonDisplay):
        display = kind.from_result(result)
        display.figure_.canvas.draw()
        label = display.axes_[-1].yaxis.label.get_window_extent()

        assert 0 <= label.y0 <= label.y1 <= display.figure_.bbox.height
        words = "\n".join(texts_of(display))
        assert not ROLE.search(words)
        assert {"…", r"\$1", r"\$2"} == {*re.findall(r"…|\\\$\d", words)}


def test_names_of_arrays_and_models():
    """Constructors that take predictions or models take their names."""
    models = [DummyClassifier(strategy="uniform", random_state=k).fit(X, Y) for k in (0, 1)]
    drawn = [
        ContingencyDisplay.from_estimators(*models, X, Y, names=NAMES),
        ContingencyDisplay.from_predictions(Y, *(PROBABILITIES > 0.5), names=NAMES),
        ForestDisplay.from_predictions(Y, *PROBABILITIES, names=NAMES),
        BlandAltmanDisplay.from_predictions(None, *VALUES, names=NAMES),
        TrainingVarianceDisplay.from_predictions(NUMBERS, *TRAININGS, names=NAMES),
        RocComparisonDisplay.from_result(
            PlacementValues.from_predictions(Y, *PROBABILITIES, names=NAMES)
        ),
    ]
    for display in drawn:
        words = "\n".join(texts_of(display))

        assert not ROLE.search(words)
        assert all(name in words for name in NAMES)


@pytest.mark.parametrize("names", ["ab", ("a",), ("a", "a"), ("a", 1), ("a", " ")])
def test_invalid_names(names):
    """Two strings that differ."""
    with pytest.raises(ValueError, match="`names` must"):
        ContingencyDisplay.from_predictions(Y, 1 - Y, Y, names=names)


def test_one_name_alone():
    """A model without a name keeps its role, with its article."""
    assert named("the challenger, Champion", ("champion", "tree")) == "tree, Champion"
    assert named("of the champion", ("classifier 1", "classifier 2")) == "of the champion"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "kind",
    [
        ContingencyDisplay,
        RocComparisonDisplay,
        *(
            pytest.param(kind, marks=pytest.mark.slow)
            for kind in displays().values()
            if kind not in (AnytimeDisplay, ContingencyDisplay, RocComparisonDisplay)
        ),
    ],
    ids=lambda kind: kind.__name__,
)
def test_long_text_is_in_the_figure(kind):
    """Titles, labels and legends with long names, reasons and flags are not cut off."""
    for result in results(LONG).values():
        try:
            figure = kind.from_result(result).figure_
        except (TypeError, ValueError):
            continue
        figure.canvas.draw()
        for ax in figure.axes:
            legend = ax.get_legend()
            parts = [ax.title, ax.xaxis.label, ax.yaxis.label]
            parts += [] if legend is None else legend.get_texts()
            for part in filter(text.Text.get_text, parts):
                box = part.get_window_extent()

                assert -1 < box.x0 <= box.x1 < figure.bbox.width + 1, part
                assert -1 < box.y0 <= box.y1 < figure.bbox.height + 1, part
        pyplot.close(figure)
