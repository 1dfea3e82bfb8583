"""Pages in a real browser: what it complains of, fetches, shows, and says aloud."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from skcompare import compare, compare_seeds
from skcompare.gate import AnyOf, Equivalent, Gate, NonInferior, Superior
from tests.reports.browser import Browser, find_browser

pytestmark = pytest.mark.slow

NOTEBOOK = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>n</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><style>
.jp-RenderedHTMLCommon dt {{ float: left; width: 20%; font-weight: bold; }}
.jp-RenderedHTMLCommon:not(.jp-RenderedMarkdown) td {{ text-align: right; }}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) {{ background: #808080; }}
.jp-RenderedHTMLCommon h3 {{ font-weight: normal; }}
body {{ background: {ground}; color: #808080; }} h1 {{ color: {ink}; }}
</style></head><body {host}><main><h1>Notebook</h1>
<div class="jp-RenderedHTMLCommon">{outputs}</div></main></body></html>"""
"""Page with the rules of JupyterLab's outputs that fragments have to override."""
THEMES = {
    "light": ('data-jp-theme-light="true"', "#ffffff"),
    "dark": ('data-jp-theme-light="false"', "#000000"),
    "vscode-light": ('class="vscode-light"', "#ffffff"),
    "vscode-dark": ('class="vscode-dark"', "#000000"),
    "vscode-high-contrast": ('class="vscode-high-contrast"', "#000000"),
    "vscode-high-contrast-light": (
        'class="vscode-high-contrast-light vscode-high-contrast"', "#ffffff",
    ),
}  # fmt: skip
"""Marks of the body by theme, as JupyterLab and the notebooks of VS Code set them."""
KINDS = ("two", "several", "gate", "time", "trainings")
COMPLAINTS = {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
FOCUSABLE = "document.querySelectorAll('a[href], [tabindex=\"0\"]')"
FOLLOW = """[...document.querySelectorAll('a[href^="#"]')].filter(link => {
  link.click();
  const target = document.getElementById(link.hash.slice(1));
  const top = target ? target.getBoundingClientRect().top : -1;
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const shown = document.querySelector(':target');
  return !(target && location.hash === link.hash && target === shown
    && top >= -1 && (top < 60 || atEnd));
}).map(link => link.hash)"""
SMALL_TEXT = """[...document.querySelectorAll('svg.picture text')].map(words =>
  parseFloat(getComputedStyle(words).fontSize) * words.ownerSVGElement
  .getBoundingClientRect().width / words.ownerSVGElement.viewBox.baseVal.width)"""


@pytest.fixture(scope="module")
def browser():
    """One browser for all pages."""
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium is installed")
    try:
        found = Browser(path)
    except EOFError:
        pytest.skip(f"{path} does not start")
    yield found
    found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages with all kinds of pictures, and names that are hard to show."""
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    names = ["</script><script>alert(1)</script>", "new " * 20, "x" * 500, "מסווג 🎉"]
    scores = [(2 * y - 1) * (0.5 + 0.3 * k) + rng.normal(size=200) for k in range(4)]
    proba = {name: 1 / (1 + np.exp(-one)) for name, one in zip(names, scores)}
    two = dict(list(proba.items())[:2])
    tests = ["mcnemar", "delong", "paired_t", "bowker", "relative_precision"]
    either = AnyOf(Superior("accuracy", margin=0.3), Equivalent("accuracy", margin=0.01))
    gate = Gate(Superior("accuracy"), NonInferior("roc_auc", margin=0.05), either)
    reports = {
        "two": compare(
            y, two, scoring=["accuracy", "roc_auc", "binary_brier_loss"], tests=tests
        ),
        "several": compare(y, proba),
        "gate": gate.decide(y, two),
        "time": compare(
            np.cumsum(scores[0]),
            {name: np.cumsum(scores[0]) + errors for name, errors in zip("ab", scores[1:])},
            time=np.arange(200),
        ),
        "trainings": compare_seeds(
            y, {name: rng.permuted(np.tile(y, (3, 1)), axis=1) for name in ("a", "b")}
        ),
    }
    folder = tmp_path_factory.mktemp("pages")
    fragments = "".join(2 * [report._repr_html_() for report in reports.values()])
    for theme, (host, ground) in THEMES.items():
        ink = "#000000" if ground == "#ffffff" else "#ffffff"
        (folder / f"notebook-{theme}.html").write_text(
            NOTEBOOK.format(host=host, ground=ground, ink=ink, outputs=fragments),
            encoding="utf-8",
        )
    for kind, report in reports.items():
        (folder / f"{kind}.html").write_text(report.to_html(), encoding="utf-8")
    return folder


def test_quiet_and_narrow(browser, pages):
    """Nothing on the console, nothing fetched, nothing wider than the window."""
    for kind, (width, dark) in itertools.product(
        KINDS, [(1280, False), (1280, True), (400, True), (320, False)]
    ):
        path = pages / f"{kind}.html"
        browser.open(path, width, dark)
        measure = "[document.documentElement.scrollWidth, innerWidth]"
        found, window = browser.run(measure)
        requested = [
            event["params"]["request"]["url"]
            for event in browser.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

        assert (found, window) == (width, width)
        assert [] == [one for one in browser.events if one.get("method") in COMPLAINTS]
        assert [path.as_uri()] == [url for url in requested if not url.startswith("data:")]
        ground = browser.run("getComputedStyle(document.body).backgroundColor")
        assert ("rgb(15, 20, 27)" if dark else "rgb(255, 255, 255)") == ground
        assert min(browser.run(SMALL_TEXT), default=99) >= 9


@pytest.mark.parametrize("kind", KINDS)
def test_links_and_keyboard(browser, pages, kind):
    """Links show what they name; the keyboard reaches links and boxes in their order."""
    browser.open(pages / f"{kind}.html")
    assert [] == browser.run(FOLLOW)

    browser.open(pages / f"{kind}.html")
    total = browser.run(f"{FOCUSABLE}.length")
    found = []
    for _ in range(total):
        browser.press_tab()
        found.append(browser.run(f"[...{FOCUSABLE}].indexOf(document.activeElement)"))
    assert list(range(total)) == found
    browser.run("document.querySelector('.skip').focus()")
    # The keyboard was used last, so that the link shows itself and its outline.
    left, outline = browser.run(
        "[document.activeElement.getBoundingClientRect().left, "
        "getComputedStyle(document.activeElement).outlineStyle]"
    )
    assert left >= 0
    assert "solid" == outline


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_out(browser, pages, kind):
    """Pictures, tables and boxes have names, for those who cannot see them."""
    browser.open(pages / f"{kind}.html")
    found = browser.names()
    roles = [role for role, _ in found]

    assert {"main", "navigation", "table", "heading", "columnheader", "rowheader"} <= set(
        roles
    )
    assert "image" in roles or "img" in roles
    for role, name in found:
        if role in ("image", "img", "table", "region", "navigation", "link", "heading"):
            assert name.strip(), role


@pytest.mark.parametrize("kind", KINDS)
def test_paper(browser, pages, kind):
    """The page is printed whole, dark on white, also for readers of dark pages."""
    browser.open(pages / f"{kind}.html", dark=True)
    printed = browser.pdf()
    browser.reader("dark", media="print")
    ground, hidden = browser.run(
        "[getComputedStyle(document.body).backgroundColor, [...document.querySelectorAll("
        "'.scroll')].map(box => box.scrollHeight - box.clientHeight)]"
    )

    assert printed.startswith(b"%PDF")
    assert "rgb(255, 255, 255)" == ground
    assert max(hidden) <= 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_rules_of_accessibility(browser, pages, kind, dark):
    """The rules that axe can check by itself hold."""
    axe = pytest.importorskip("axe_core_python")
    rules = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")

    browser.open(pages / f"{kind}.html", dark=dark)
    browser.run(f"{rules}; 1")
    found = browser.run(
        "axe.run({exclude: ['svg *']}).then("
        "all => all.violations.map(one => [one.id, one.nodes[0].html]))"
    )
    assert [] == found


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("system", [False, True])
def test_fragments_in_notebooks(browser, pages, theme, system, width):
    """Their colours are those of the notebook's theme, whatever the reader's system has."""
    axe = pytest.importorskip("axe_core_python")
    rules = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    browser.open(pages / f"notebook-{theme}.html", width, dark=system)
    found = browser.run("document.documentElement.scrollWidth")
    ground, ids, floats, sides = browser.run(
        "[getComputedStyle(document.querySelector('.skcompare')).backgroundColor, "
        "document.querySelectorAll('.skcompare [id]').length, "
        "[...document.querySelectorAll('.skcompare dt')]"
        ".map(item => getComputedStyle(item).float), "
        "[...document.querySelectorAll('.skcompare td.text')]"
        ".map(cell => getComputedStyle(cell).textAlign)]"
    )

    assert width == found
    is_dark = THEMES[theme][1] == "#000000"
    assert ("rgb(15, 20, 27)" if is_dark else "rgb(255, 255, 255)") == ground
    assert 0 == ids
    assert {"none"} == {*floats}
    assert {"left"} == {*sides}
    browser.run(f"{rules}; 1")
    # Outputs repeat headings and regions, which a notebook has no other names for.
    broken = browser.run(
        "axe.run({exclude: ['svg *']}, {rules: {'landmark-unique': {enabled: false}, "
        "'heading-order': {enabled: false}}}).then("
        "all => all.violations.map(one => [one.id, one.nodes[0].html]))"
    )
    assert [] == broken
