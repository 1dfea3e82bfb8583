"""The report as a page: what is in it, for eyes, ears, paper and machines."""

import functools
import re
import sys
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest

from skcompare import Comparison, MultipleComparison, compare
from skcompare.exceptions import MissingDependencyError
from skcompare.gate import Gate, GateDecision, NonInferior, Superior

pytest.importorskip("matplotlib")

HOSTILE = "</script><script>alert(1)</script><!-- \" ' & <b> \u202e מסווג 🎉 $x_1$"
VOID = {"meta", "link", "circle", "line", "rect", "path", "use"}
LARGEST = 700_000
"""Bytes of the page of 20 classifiers by three measures."""


class Page(HTMLParser):
    """Tags with what they hold, and the words of headings, captions and lists."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open = [], {}, []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in self.open:
            self.text.setdefault(tag, []).append(data)

    def all(self, *names):
        """The tags of these names."""
        return [attrs for tag, attrs in self.tags if tag in names]


def predictions(n=300, n_classifiers=2, names=None):
    """Labels, and probabilities that get better with each classifier."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    easy = rng.normal(size=n)
    names = names or [f"classifier {k}" for k in range(n_classifiers)]
    scores = [
        (2 * y - 1) * (0.6 + 0.1 * k) + easy + rng.normal(size=n) for k in range(len(names))
    ]
    return y, {name: 1 / (1 + np.exp(-s)) for name, s in zip(names, scores)}


@functools.cache
def two():
    """Two classifiers by a score and a loss."""
    y, proba = predictions()
    return compare(y, proba, scoring=["accuracy", "roc_auc", "binary_brier_loss"])


@pytest.fixture
def comparison():
    """Two classifiers by a score and a loss."""
    return two()


@functools.cache
def hostile(n=2):
    """Classes, and predictions by names that are hard to show."""
    y, proba = predictions(names=[HOSTILE, "plain", "x" * 500])
    return y, dict(list(proba.items())[:n])


GATE = Gate(Superior("accuracy"), NonInferior("roc_auc", margin=0.05))
PAGES = {
    "two": lambda: two().to_html(pictures=False),
    "hostile": lambda: compare(*hostile()).to_html(pictures=True),
    "several": lambda: compare(*hostile(3)).to_html(pictures=False),
    "gate": lambda: GATE.decide(*hostile()).to_html(),
}
DRAWN = {
    "two with pictures": lambda: two().to_html(pictures=True),
    "several with pictures": lambda: compare(*hostile(3)).to_html(pictures=True),
}
ALL_PAGES = {**PAGES, **DRAWN}
of_pages = pytest.mark.parametrize(
    "kinds", [PAGES, pytest.param(DRAWN, marks=pytest.mark.slow)], ids=["some", "drawn"]
)


@functools.cache
def page_of(kind):
    """The page of two classifiers, of several, or of a gate."""
    return ALL_PAGES[kind]()


@of_pages
def test_structure(kinds):
    """Language, title, skip link, headings in order, links that lead somewhere."""
    for kind in kinds:
        page = Page(page_of(kind))
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        links = [attrs["href"] for attrs in page.all("a")]

        assert "en" == page.all("html")[0]["lang"]
        assert page.text["title"]
        assert ("skip", "#verdict") == (page.all("a")[0]["class"], links[0])
        assert (1, 1) == (levels[0], levels.count(1))
        assert max(after - before for before, after in pairwise(levels)) <= 1
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
        assert 1 == len(page.all("main")) == len(page.all("nav"))
        order = [attrs["id"] for attrs in page.all("section")]
        expected = [
            "verdict",
            "results",
            "pictures",
            "conditions",
            "assumed",
            "next",
            "how",
        ]
        assert [name for name in expected if name in order] == [
            name for name in order if name in expected
        ]
        assert {"verdict", "results", "assumed", "next", "how", "data"} <= set(order)


@of_pages
def test_tables_and_pictures_have_names(kinds):
    """Captions, scopes, boxes that can be scrolled by keyboard, words for pictures."""
    for kind in kinds:
        page = Page(page_of(kind))

        assert len(page.all("table")) == len(page.all("caption")) >= 1
        assert {"col", "row"} == {attrs["scope"] for attrs in page.all("th")}
        boxes = [attrs for attrs in page.all("div") if "scroll" in attrs.get("class", "")]
        assert all(one["tabindex"] == "0" and one["aria-label"] for one in boxes)
        assert all(one["role"] == "region" for one in boxes)
        assert all(one["role"] == "img" and one["aria-label"] for one in page.all("svg"))
        assert len(page.all("figure")) == len(page.all("figcaption"))


@of_pages
def test_nothing_is_fetched_or_run(kinds):
    """The only script is data; addresses lead within the page."""
    for kind in kinds:
        page = Page(page_of(kind))

        assert [{"type": "application/json", "id": "skcompare-comparison"}] == page.all(
            "script"
        )
        for _, attrs in page.tags:
            assert "src" not in attrs
            for name in ("href", "xlink:href"):
                assert attrs.get(name, "#").startswith(("#", "data:"))
            assert not any(name.startswith("on") for name in attrs)
        assert not re.search(r"url\((?!#)|@import|<!--", page_of(kind))
        assert "default-src 'none'" in page_of(kind)


def test_numbers_come_back(comparison):
    """The JSON within each page is the result, whatever stands in names."""
    two = page_of("two")
    assert comparison.to_json() == Comparison.from_html(two).to_json()
    assert HOSTILE == Comparison.from_html(page_of("hostile")).champion
    several = MultipleComparison.from_html(page_of("several"))
    assert {HOSTILE, "plain", "x" * 500} == {row.name for row in several.classifiers}
    assert HOSTILE == GateDecision.from_html(page_of("gate")).champion
    assert 'download="comparison.json"' in two
    for text in ("", "<html></html>", two.partition("</script>")[0]):
        with pytest.raises(ValueError, match="that `to_html` wrote"):
            Comparison.from_html(text)


@pytest.mark.parametrize("pictures", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_same_comparison_same_page(pictures):
    """Nothing in a page says when it was made."""
    small = compare(*predictions(60))

    assert small.to_html(pictures=pictures) == small.to_html(pictures=pictures)


@pytest.mark.slow
def test_twenty_classifiers():
    """Three measures of 20 classifiers make a page that can be sent by mail."""
    y, proba = predictions(150, n_classifiers=20)
    several = compare(y, proba, scoring=["accuracy", "roc_auc", "binary_brier_loss"])
    page = several.to_html(pictures=True)

    assert len(page.encode()) < LARGEST
    assert 7 == len(Page(page).all("figure"))
    assert 'download="' not in page
    assert several == MultipleComparison.from_html(page)


def test_pictures_on_request(comparison, monkeypatch):
    """What cannot be drawn is left out with a reason, or is an error."""
    stored = Comparison.from_json(comparison.to_json())
    without = comparison.to_html(pictures=False)

    assert "<figure" not in without
    assert "of 0 in the middle" not in without
    assert 'aria-label="difference' in without
    said = stored.to_html()
    assert "Pictures that are left out: Who was right" in said
    assert "it was read from JSON" in said
    assert 1 == said.count("<figure")
    with pytest.raises(ValueError, match="Leave those out by pictures='auto'"):
        stored.to_html(pictures=True)
    with pytest.raises(ValueError, match="must be 'auto', True or False"):
        comparison.to_html(pictures="yes")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = comparison.to_html()
    assert "Pictures that are left out: all of them: Pictures need matplotlib" in said
    assert 'aria-label="difference' in said
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        comparison.to_html(pictures=True)


def test_verdict_comes_first(comparison):
    """The sentence and the primary numbers stand before every table."""
    head = page_of("two").partition("<table")[0]

    assert comparison.conclusion.sentence in head
    for words in ("accuracy, champion", "95 % interval", "p (mcnemar)"):
        assert f"<dt>{words}</dt>" in head


def test_one_sided_numbers_say_so():
    """A limit in place of an interval that ends where the scale does."""
    y, proba = predictions()
    page = compare(y, proba, alternative="greater", alpha=0.1).to_html(pictures=False)

    assert "<dt>90 % lower limit</dt>" in page
    assert "<dt>p (mcnemar, one-sided)</dt>" in page
    assert "Intervals and p-values are one-sided" in page
    page = compare(y, proba, alternative="less").to_html(pictures=False)
    assert "<dt>95 % upper limit</dt>" in page


def test_several_are_not_called_two():
    """What a test of all classifiers speaks of."""
    assert "<dd>two trained models" not in page_of("several")
    assert "the trained models, over new records" in page_of("several")


def test_what_was_assumed(comparison):
    """Each test of the table with its null hypothesis, its sources and its caveats."""
    words = " ".join(Page(page_of("two")).text["section"])

    assert "The design: hold-out" in words
    for row in comparison.rows:
        assert f"({row.test})" in words
    assert 3 == words.count("The null hypothesis is")
    assert "McNemar, Q. (1947)." in words
    assert "two trained models, over new records" in words
    assert "yes, for hold-out" in words


def test_invalid_tests_are_named():
    """A test that is not valid for the design says so, with what would be."""
    y, proba = predictions()
    labels = {name: (p > 0.5).astype(int) for name, p in proba.items()}
    groups = np.arange(len(y)) // 3
    found = compare(y, labels, tests=["mcnemar"], groups=groups)
    page = found.to_html(pictures=False)

    assert "no: it is not valid for hold-out by groups" in page
    assert "Do not rely on mcnemar here" in page
    assert "clustered_mcnemar" in page
    assert "Records of one group may depend on each other" in page


def test_long_tables_scroll_within_their_box():
    """A table of many lines has a box with a height, and its name stays readable."""
    y, proba = predictions(n_classifiers=9)
    page = compare(y, proba).to_html(pictures=False)

    assert 1 == page.count('class="scroll tall"')


def luminance(colour):
    """Relative luminance of WCAG 2."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * p for share, p in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    """Contrast of WCAG 2."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_outcomes():
    """Win, loss and inconclusive have a sign, words and a class each; others have none."""
    y, wrong = [0, 1] * 50, [1, 0] * 50
    better, worse = compare(y, {"a": wrong, "b": y}), compare(y, {"a": y, "b": wrong})
    same = compare(y, {"a": y, "b": y})
    for comparison, kind, words in (
        (better, "found-win", "▲</span> challenger better"),
        (worse, "found-loss", "▼</span> champion better"),
        (same, "found-open", "●</span> inconclusive"),
    ):
        for shown in (comparison.to_html(pictures=False), comparison._repr_html_()):
            assert re.search(rf'<tr class="{kind}"><th[^>]*>accuracy</th>', shown)
            assert f'class="verdict {kind}"' in shown
            assert words in shown
    tests = ["mcnemar", "bowker"]
    page = compare(y, {"a": wrong, "b": y}, tests=tests).to_html(pictures=False)
    assert 1 == page.count('class="text outcome')


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_contrast(scheme):
    """Words can be read on everything they stand on, and marks be seen."""
    style = files("skcompare._core.report").joinpath("report.css").read_text()
    *schemes, printed = re.findall(r"--page: #[^}]*", style)
    colour = dict(re.findall(r"--(\w+): (#\w{6});", schemes[scheme]))

    assert colour == dict(re.findall(r"--(\w+): (#\w{6});", printed)) or scheme
    for words in ("ink", "soft"):
        for ground in ("page", "card", "shade"):
            assert contrast(colour[words], colour[ground]) >= 4.5, (words, ground)
    for words in ("win", "loss", "open"):
        for ground in ("page", "card"):
            assert contrast(colour[words], colour[ground]) >= 4.5, (words, ground)
    for words in ("mark", "champion", "challenger"):
        # Links, and the words within pictures that have the colour of a role.
        assert contrast(colour[words], colour["page"]) >= 4.5, words
    assert contrast(colour["mark"], colour["card"]) >= 4.5
