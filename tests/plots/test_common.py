"""What must hold for every display, whoever draws it."""

import copy
import dataclasses
import functools
import inspect
import io
import pickle
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import skcompare.plots
from skcompare._io.columns import frame_from_columns
from skcompare.exceptions import MissingDependencyError
from skcompare.plots._report_figures import svg_of
from skcompare.plots.drawing._base import displays
from skcompare.plots.drawing._heatmap import DIVERGING, MUTED, SHADES
from skcompare.plots.drawing._layout import new_figure
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    LINE,
    LOSS_COLOUR,
    ON_DARK,
    SOFT,
    WIN_COLOUR,
)
from tests.plots.cases import CASES, LARGE

matplotlib = pytest.importorskip("matplotlib")
pyplot = pytest.importorskip("matplotlib.pyplot")

NAMES = sorted(CASES)
ALL = {**CASES, **LARGE}
LARGEST_SVG = 200_000
WHITE, ON_LIGHT = "#ffffff", "#101820"


SOME = ["ContingencyDisplay", "LossDifferenceDisplay", "RocComparisonDisplay"]
"""Displays of one, three and two panels, of which the last has lines of both roles.

They stand for all where those take long.
"""


def some_and(others):
    """A test of some displays, and a slow one of others."""
    slow = pytest.param(sorted(set(others) - set(SOME)), marks=pytest.mark.slow)
    return pytest.mark.parametrize("names", [SOME, slow], ids=["some", "others"])


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    """Displays and what is drawn of them are kept no longer than this module runs."""
    yield
    for kept in (made, drawn, svg):
        kept.cache_clear()


@functools.cache
def made(name):
    """A display, made as if there were no matplotlib.

    What draws it again must not mind what is on it.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in [*sys.modules, "matplotlib", "matplotlib.axes"]:
            if module.split(".")[0] in ("matplotlib", "mpl_toolkits"):
                patch.setitem(sys.modules, module, None)
        return ALL[name]()


@functools.cache
def drawn(name):
    """A display, drawn on a figure that pyplot does not know."""
    display = copy.copy(made(name))
    _, axes = new_figure(display._room())
    return display.plot(ax=axes)


@functools.cache
def svg(name):
    """The picture as SVG."""
    return svg_of(copy.copy(made(name)), "picture")


def test_each_display_has_a_case():
    """No public display escapes the tests below, and each of them is public."""
    bases = {"Display", "PairDisplay"}

    assert sorted(displays()) == NAMES
    assert sorted({*skcompare.plots.__all__} - bases) == NAMES
    assert {name.split()[0] for name in LARGE} <= set(NAMES)


@some_and(ALL)
def test_each_case_makes_what_it_says(names):
    """A display of the kind that its name begins with."""
    for name in names:
        assert name.split()[0] == type(made(name)).__name__


def test_documented():
    """The docstring has an example and says what is stored."""
    for name in NAMES:
        words = inspect.getdoc(getattr(skcompare.plots, name))

        assert ">>> " in words
        assert "Attributes\n----------" in words


@some_and(NAMES)
def test_holds_numbers_alone(names):
    """Nothing is left to compute: no evidence, predictions or results are in the fields."""
    for name in names:
        homes = re.findall(rb"skcompare\.[\w.]+", pickle.dumps(made(name)))

        assert homes
        # Several classifiers are the rows of their comparison, which are numbers.
        rows = b"skcompare._analysis._pairwise_comparison"
        assert {b"plots"} == {home.split(b".")[1] for home in homes if home != rows}
        assert dataclasses.is_dataclass(made(name))


@some_and(ALL)
def test_summary_is_a_sentence(names):
    """The words for those who cannot see the picture are in one line, and end."""
    for name in names:
        words = made(name).summary

        assert words == " ".join(words.split())
        assert words.endswith(".")
        assert "nan" not in re.findall(r"\w+", words.lower())


@some_and(NAMES)
def test_frame_without_matplotlib(monkeypatch, names):
    """The numbers need no matplotlib, and drawing says which extra has it."""
    # Each is made without it already.
    displays = [copy.copy(made(name)) for name in names]
    for module in [*sys.modules, "matplotlib", "matplotlib.axes"]:
        if module.split(".")[0] in ("matplotlib", "mpl_toolkits"):
            monkeypatch.setitem(sys.modules, module, None)
    for display in displays:
        assert len(display.frame("pandas")) > 0
        with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
            display.plot()


@some_and(NAMES)
def test_is_shown_in_text(names):
    """A notebook shows what the display is, and no arrays."""
    for name in names:
        assert f"<{name}: {made(name).summary}>" == repr(made(name))


@some_and(NAMES)
def test_survives_pickling(names):
    """A display has the same numbers and words in a process that lacks matplotlib."""
    for name in names:
        display = drawn(name)
        pickled = pickle.dumps(display)
        restored = pickle.loads(pickled)

        assert b"matplotlib" not in pickled
        assert not hasattr(restored, "figure_")
        assert display.summary == restored.summary
        assert frame_from_columns(_plain(display), "pandas").equals(
            frame_from_columns(_plain(restored), "pandas")
        )


def _plain(display):
    return {name: list(values) for name, values in display._columns().items()}


@some_and(NAMES)
def test_drawn_twice(names):
    """Drawing again makes a new figure of pyplot with as many artists."""
    for name in names:
        display = copy.copy(made(name))
        first = display.plot().figure_
        before = [len(ax.get_children()) for ax in display.axes_]
        second = display.plot().figure_

        assert first is not second
        assert before == [len(ax.get_children()) for ax in display.axes_]
        assert [first.number, second.number] == pyplot.get_fignums()
        pyplot.close("all")


@some_and(NAMES)
def test_drawn_where_it_is_told(names):
    """Given axes are drawn on, their neighbours and matplotlib's state stay as they are."""
    for name in names:
        figure = matplotlib.figure.Figure(figsize=(12, 5), layout="constrained")
        target, other = figure.subplots(1, 2)
        settings, untouched = dict(matplotlib.rcParams), len(other.get_children())
        display = copy.copy(made(name))
        prediction = display.plot(ax=target)

        assert prediction is display
        assert display.figure_ is figure
        assert display.ax_ is display.axes_[0]
        assert display._room().n_panels == len(display.axes_)
        assert other not in display.axes_
        assert untouched == len(other.get_children())
        assert {target, other, *display.axes_} == set(figure.axes)
        place = target.get_subplotspec().get_position(figure)
        for ax in display.axes_:
            own = ax.get_subplotspec().get_position(figure)
            assert place.x0 - 1e-9 <= own.x0
            assert own.x1 <= place.x1 + 1e-9
        assert settings == dict(matplotlib.rcParams)
        assert [] == pyplot.get_fignums()


@some_and(NAMES)
def test_figures_are_pickled(names):
    """Nothing is on the axes that cannot be sent to another process."""
    for name in names:
        assert pickle.dumps(drawn(name).figure_)


@some_and(NAMES)
def test_size_is_that_of_its_figure(names):
    """A figure of one's own can be as large as the one that is made."""
    for name in names:
        assert tuple(drawn(name).figure_.get_size_inches()) == drawn(name).figsize


@some_and(NAMES)
def test_panels_take_the_place_of_empty_axes(names):
    """Axes that are drawn on are not covered by a grid; the panels are drawn on again."""
    for name in names:
        display = copy.copy(made(name))
        figure = matplotlib.figure.Figure(layout="constrained")
        ax = figure.subplots()
        display.plot(ax=ax)
        panels = display.axes_
        display.plot(ax=panels)

        assert panels == display.axes_
        if len(panels) > 1:
            for used in (ax, panels[0]):
                with pytest.raises(
                    ValueError, match=r"drawn on already.*ax=display\.axes_"
                ):
                    display.plot(ax=used)


@some_and(NAMES)
def test_main_panel_is_the_current_one(names):
    """What pyplot is told after drawing is about the main panel."""
    for name in names:
        display = copy.copy(made(name)).plot()

        assert display.ax_ is pyplot.gca()


DARK = ["ContingencyDisplay", "PowerDisplay"]


@pytest.mark.parametrize("names", [DARK, pytest.param(NAMES, marks=pytest.mark.slow)])
def test_readable_on_dark_figures(names):
    """Nothing dark is left that was chosen for white paper, whatever the style."""
    for name in names:
        file = io.StringIO()
        with pyplot.style.context("dark_background"):
            figure = matplotlib.figure.Figure(layout="constrained", figsize=(12, 8))
            copy.copy(made(name)).plot(ax=figure.subplots())
            figure.savefig(file, format="svg")
        used = set(re.findall(r"#[0-9a-f]{6}\b", file.getvalue()))

        assert set() == used & {CHAMPION, CHALLENGER, INK, SOFT, LINE}
        assert ON_DARK[INK] in used


@some_and(ALL)
def test_text_fit(overlaps, names):
    """No words overlap, and none leave the figure."""
    for name in names:
        assert ([], []) == overlaps(drawn(name).figure_)


@some_and(NAMES)
def test_quantities_have_labels(names):
    """An axis with numbers says what they are."""
    for name in names:
        display = drawn(name)
        for ax in display.axes_:
            if not (ax.axison and ax.get_visible()):
                continue
            for axis in (ax.xaxis, ax.yaxis):
                ticks = [label.get_text() for label in axis.get_ticklabels()]
                shown = any(label.get_visible() for label in axis.get_ticklabels())
                if shown and any(_is_number(words) for words in ticks):
                    assert axis.label.get_text()


def _is_number(words):
    plain = words.strip("$ %").replace("−", "-").replace(",", "").replace("\\", "")
    return bool(re.fullmatch(r"[-+]?[\d.]+\w*", plain)) or plain.startswith("mathdefault")


@some_and(NAMES)
def test_roles_differ_without_colour(names):
    """Lines of champion and challenger differ in their dashes or in their marks."""
    for name in names:
        for ax in drawn(name).axes_:
            looks = {CHAMPION: set(), CHALLENGER: set()}
            for line in ax.get_lines():
                colour = matplotlib.colors.to_hex(line.get_color())
                looks.get(colour, set()).add((line.get_linestyle(), line.get_marker()))
            assert looks[CHAMPION].isdisjoint(looks[CHALLENGER])


@pytest.mark.slow
def test_colours_are_those_of_the_house():
    """A page can exchange them for dark readers; words in plain black would be lost."""
    known = {CHAMPION, CHALLENGER, INK, SOFT, LINE, WHITE, ON_LIGHT, MUTED}
    known |= {WIN_COLOUR, LOSS_COLOUR}
    for stops in (SHADES, DIVERGING):
        shades = matplotlib.colors.LinearSegmentedColormap.from_list("", stops)
        known |= {matplotlib.colors.to_hex(shades(at)) for at in np.linspace(0, 1, 257)}
    for name in NAMES:
        used = set(re.findall(r"#[0-9a-f]{6}\b", svg(name)))
        words = re.findall(r"<text [^>]*>", svg(name))

        assert set() == used - known
        assert [] == [tag for tag in words if "fill:" not in tag]


@pytest.mark.slow
def test_svg_stands_by_itself():
    """It is well-formed, small, has ids of its own, and refers to nothing elsewhere."""
    for name in ALL:
        text = svg(name)
        root = ElementTree.fromstring(text)
        ids = [node.get("id") for node in root.iter() if node.get("id")]
        referred = re.findall(r'href="([^"]*)"|url\(([^)]*)\)', text)

        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert len(set(ids)) == len(ids)
        assert all(each.startswith("picture-") for each in ids)
        assert {one or other for one, other in referred} <= {f"#{each}" for each in ids}
        assert not re.search(r"<(image|script|foreignObject)\b|\son\w+=", text)
        assert {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"} >= set(
            re.findall(r"https?://[^\"\s<]+", text)
        )
        assert len(text.encode()) < LARGEST_SVG


@pytest.mark.slow
def test_svg_is_the_same_twice():
    """Equal displays have equal files, so that reports can be compared."""
    for name in NAMES:
        assert svg(name) == svg_of(CASES[name](), "picture")


SMALL = "ContingencyDisplay"


@pytest.mark.parametrize(
    "name", [SMALL, pytest.param("ForestDisplay", marks=pytest.mark.slow)]
)
def test_page_does_not_follow_the_reader_s_style(name):
    """Its pictures are those of every page, whatever figures look like elsewhere."""
    theirs = {"font.size": 20, "text.usetex": True, "axes.unicode_minus": False}
    with matplotlib.rc_context(theirs):
        styled = svg_of(CASES[name](), "picture")

    assert svg(name) == styled
