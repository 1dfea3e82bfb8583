"""`llms.txt` and `llms-full.txt`: the documentation as text, for language models.

The first follows https://llmstxt.org: what the package is, the names that matter, each page
in a line, and all registered tests and measures with their questions. The second has the
text of all pages. Both are written to the root of the HTML pages, and nothing is kept by
hand: pages come from the tables of contents, the rest from the registries.
"""

import importlib
import inspect
import re
import textwrap
from pathlib import Path

import registry_pages

import skcompare
from benchmarks.page_tables import read_page
from skcompare._io.readers import list_formats
from skcompare._registry import metrics, tests

DOC = Path(__file__).parents[1]
GUIDE = "user_guide"
OTHER_PAGES = ("install", "names")
"""Pages of text beside those of the guide; examples and reference are made from code."""

_TOCTREE = re.compile(r"^\.\. toctree::\n((?:   .*\n|\n)+)", re.MULTILINE)
_ROLE = re.compile(r":([\w:+-]+):`([^`]+)`")
_TITLED = re.compile(r"^(.*?)\s*<[^<>]+>$", re.DOTALL)


def setup(app):
    """Write both files when the HTML pages are there."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True}


def _write(app, exception):
    if exception is None and app.builder.format == "html":
        doc, out = Path(app.srcdir), Path(app.outdir)
        base = app.config.html_baseurl
        (out / "llms.txt").write_text(render_short(doc, base), encoding="utf-8")
        (out / "llms-full.txt").write_text(render_full(doc), encoding="utf-8")


def guide_pages(doc):
    """Names of the pages by group, in the order of the side bar."""
    groups = {"Start": [f"{GUIDE}/start"]}
    index = (doc / GUIDE / "index.rst").read_text(encoding="utf-8")
    for toctree in _TOCTREE.findall(index):
        caption = re.search(r":caption: (.*)", toctree)[1]
        names = re.findall(r"^   (\w+)$", toctree, re.MULTILINE)
        groups.setdefault(caption, []).extend(f"{GUIDE}/{name}" for name in names)
    groups["More"] = list(OTHER_PAGES)
    return groups


def render_short(doc, base=""):
    """Text of `llms.txt`."""
    parts = [f"# skcompare\n\n> {_one_line(_summary(skcompare))}", _roles_of_models(doc)]
    names = [_name_line(name) for name in registry_pages.TEN]
    parts.append("## The ten names that matter\n\n" + "\n".join(names))
    for group, pages in guide_pages(doc).items():
        lines = [_page_line(doc, page, base) for page in pages]
        parts.append(f"## {group}\n\n" + "\n".join(lines))
    parts.append("## Tests\n\n" + "\n".join(_test_lines(base)))
    parts.append("## Measures and losses\n\n" + "\n".join(_measure_lines()))
    return "\n\n".join(parts) + "\n"


def _roles_of_models(doc):
    """The paragraph of the home page that defines champion and challenger."""
    text = (doc / "index.rst").read_text(encoding="utf-8")
    paragraphs = (_one_line(plain(part)) for part in text.split("\n\n"))
    return next(part for part in paragraphs if "is the *champion*" in part)


def _name_line(name):
    package, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(package), attribute)
    return f"- `{name}`: {_one_line(_summary(thing))}"


def _page_line(doc, page, base):
    text = (doc / f"{page}.rst").read_text(encoding="utf-8")
    return f"- [{title_of(text)}]({base}{page}.html): {first_sentence(text)}"


def _test_lines(base):
    for name, entry in sorted(tests.paired_tests().items()):
        measures = ", ".join(entry.measures[:3]) + (", ..." * (len(entry.measures) > 3))
        yield (
            f"- [{name}]({base}api/tests.html): {_one_line(entry.question)} "
            f"Measures: {measures}. Designs: {', '.join(entry.designs)}."
        )


def _measure_lines():
    for name, entry in metrics.metrics().items():
        better = "greater" if entry.greater_is_better else "lower"
        yield f"- `{name}`: {_one_line(entry.question)} {better.capitalize()} is better."
    for name, entry in metrics.record_losses().items():
        yield f"- `{name}`, a loss of each record: {_one_line(entry.question)}"


def render_full(doc):
    """Text of `llms-full.txt`: that of all pages, in the order of the side bar."""
    pages = [page for group in guide_pages(doc).values() for page in group]
    return "\n\n\n".join(_text_of(doc / f"{page}.rst") for page in pages) + "\n"


def _text_of(path):
    """Text of a page, with the files that it includes and those of its tables."""

    def included(match):
        return (path.parent / match[1].strip()).read_text(encoding="utf-8").strip()

    text = re.sub(r"^\.\. include:: (.*)$", included, read_page(path), flags=re.MULTILINE)
    return plain(text).strip()


def plain(text):
    """Text without roles, notes' numbers, labels, and comments, which hide examples."""
    text = re.sub(r"^\.\. _[\w-]+:\n+", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\.\.\n(?:   .*\n|\n)+", "", text, flags=re.MULTILINE)
    text = re.sub(r" \[\d+\]_", "", text)
    text = text.replace("|formats|", list_formats(suffixes=True))
    return _ROLE.sub(_without_role, text).replace("``", "`")


def _without_role(match):
    """The text of a role: a title, or the last part of a name that is marked so."""
    role, text = match.groups()
    if titled := _TITLED.match(text):
        return titled[1]
    page = DOC / GUIDE / f"{text.rpartition('/')[2]}.rst"
    if role == "doc" and page.is_file():
        return f'"{title_of(page.read_text(encoding="utf-8"))}"'
    return f"`{text[1:].rpartition('.')[2]}`" if text[0] == "~" else f"`{text}`"


def title_of(text):
    """The title of a page."""
    return re.search(r"^(.+)\n=+$", text, re.MULTILINE)[1]


def first_sentence(text):
    """The first sentence below the title of a page."""
    body = text.split("\n===", 1)[1].partition("\n")[2]
    for part in re.split(r"\n\s*\n", body):
        part = part.strip("\n")
        is_title = re.search(r"\n[=~-]+$", part)
        if part.strip() and not is_title and not part.startswith((" ", "..", ">>>")):
            line = _one_line(plain(part))
            return re.match(r".*?[.?](?= |$)|.*", line)[0].rstrip(":")
    raise ValueError(f"The page {title_of(text)!r} has no text below its title.")


def _summary(thing):
    return inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]


def _one_line(text):
    return " ".join(textwrap.dedent(text).split())
