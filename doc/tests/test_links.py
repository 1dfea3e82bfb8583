"""Links lead somewhere, as far as that can be seen without a network."""

import importlib.util
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import skcompare
from doc.tests.pages import DOC, GUIDE, PAGES, ROOT

pytestmark = pytest.mark.skipif(not GUIDE.is_dir(), reason="the pages are not here")

PACKAGE = Path(skcompare.__file__).parent
TEXT = {page: page.read_text(encoding="utf-8") for page in PAGES}
# A file or folder of the repository in double back quotes, by its first part.
NAMED = re.compile(r"``((?:benchmarks|doc|examples|skcompare|tests|\.ci)/[\w./*-]*)``")
URL = re.compile(r"[a-z]+://[^\s>`\"'\])]+")
DOI = re.compile(r"10\.\d{4,9}/\S+")
# Addresses of a network that only an example has.
EXAMPLES = {"tcp://scheduler:8786"}


def test_named_files_exist():
    """A file that a page names by its path is in the repository, or is built there."""
    for page in PAGES:
        built = ("doc/_build", "doc/auto_examples")
        for name in NAMED.findall(TEXT[page]):
            # The package may be installed elsewhere.
            home = PACKAGE.parent if name.startswith("skcompare/") else ROOT
            if not name.startswith(built):
                assert list(home.glob(name.rstrip("/"))), name


def test_linked_pages_exist():
    """A page that is linked by its path, or stands in a table of contents, exists."""
    for page in PAGES:
        linked = re.findall(r":doc:`(?:[^`<]*<)?([\w/.-]+)>?`", TEXT[page])
        for toctree in re.findall(
            r"^\.\. toctree::\n(?: .*\n|\n)+", TEXT[page], re.MULTILINE
        ):
            entries = re.findall(r"^ +(?:.*<)?([\w/.-]+)>?$", toctree, re.MULTILINE)
            linked += [entry for entry in entries if not entry.startswith(":")]
        for name in linked:
            if {"api", "auto_examples"} & set(name.split("/")):
                continue  # built, and checked by the build
            home = DOC if name.startswith("/") else page.parent
            assert (home / f"{name.lstrip('/')}.rst").is_file() or name == "upcoming", name


def test_addresses_are_well_formed():
    """An address of another site has https and a host, and a DOI its two parts."""
    for page in PAGES:
        for address in URL.findall(TEXT[page]):
            if address in EXAMPLES:
                continue
            parts = urlsplit(address.rstrip(".,;"))
            assert parts.scheme == "https", address
            assert re.fullmatch(r"[\w.-]+\.[a-z]{2,}", parts.netloc), address
            if parts.netloc == "doi.org":
                assert DOI.fullmatch(parts.path.lstrip("/")), address


def test_footnotes_are_used():
    """Each reference at the end is cited, and each citation has its reference."""
    for page in PAGES:
        cited = set(re.findall(r"\[(\d+)\]_", TEXT[page]))
        listed = set(re.findall(r"^\.\. \[(\d+)\]", TEXT[page], re.MULTILINE))

        assert listed == cited


def check_links():
    """The script that checks the built pages."""
    path = DOC / "check_links.py"
    spec = importlib.util.spec_from_file_location("check_links", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_built_links_are_followed(tmp_path, capsys):
    """A link to a page or a place that is not there is told, with where it stands."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<p id="top"><a href="sub/page.html#here">1</a> <a href="#top">2</a>'
        '<a href="https://example.org/">4</a> <img src="sub/none.svg"><a href="sub/">5</a>'
        '<script src="https://example.org/a.js"></script><img src="data:image/png,">',
        encoding="utf-8",
    )
    (tmp_path / "sub" / "page.html").write_text(
        '<p id="here"><a href="../index.html#nowhere">1</a> <a href="gone.html">2</a>',
        encoding="utf-8",
    )

    code = check_links().main([str(tmp_path)])

    assert 1 == code
    assert [
        "index.html: https://example.org/a.js (fetched from another site)",
        "index.html: sub/ (no such page)",
        "index.html: sub/none.svg (no such file)",
        "sub/page.html: ../index.html#nowhere (no such place)",
        "sub/page.html: gone.html (no such page)",
        "2 pages, 5 broken links",
    ] == capsys.readouterr().out.splitlines()


def test_whole_pages_have_no_broken_links(tmp_path, capsys):
    """It says how much was looked at, and a folder without pages is an error."""
    assert 2 == check_links().main([str(tmp_path)])
    (tmp_path / "index.html").write_text('<a href="index.html#">1</a>', encoding="utf-8")

    assert 0 == check_links().main([str(tmp_path)])
    assert capsys.readouterr().out.endswith("1 pages, 0 broken links\n")
