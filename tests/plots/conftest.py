"""What must hold for every picture, whoever draws it."""

import itertools

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    """No test leaves figures behind."""
    yield
    pyplot.close("all")


@pytest.fixture
def text_of():
    """The visible words of a figure."""

    def found(figure):
        # Drawing, which finds the places, takes much longer than this.
        for ax in figure.axes:
            for axis in (ax.xaxis, ax.yaxis):
                axis.get_ticklabels(which="both")
        return [text.get_text() for text in _visible(figure)]

    return found


@pytest.fixture
def overlaps():
    """Pairs of words that overlap, and words that are not wholly in the figure."""

    def found(figure):
        figure.draw_without_rendering()
        words = [(text.get_text(), text.get_window_extent()) for text in _visible(figure)]
        over = [
            (one, other)
            for (one, a), (other, b) in itertools.combinations(words, 2)
            if _shared(a, b)
        ]
        outside = [
            word
            for word, box in words
            if box.x0 < -1
            or box.y0 < -1
            or box.x1 > figure.bbox.width + 1
            or box.y1 > figure.bbox.height + 1
        ]
        return over, outside

    return found


def _visible(figure):
    hidden = {id(text) for ax in figure.axes for text in _hidden(ax)}
    return [
        text
        for text in figure.findobj(matplotlib.text.Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden
    ]


def _hidden(ax):
    """Words that axes do not draw: those switched off, and ticks outside their limits."""
    if not ax.get_visible():
        yield from ax.findobj(matplotlib.text.Text)
        return
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            drawn = ax.axison and axis.get_visible()
            if not drawn or not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                yield from (tick.label1, tick.label2)
        if not ax.axison or not axis.get_visible():
            yield axis.label


def _shared(one, other):
    """Whether two boxes share more than a pixel in both directions."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return width > 1 and height > 1
