"""Sources of tests, read from their docstrings: citations, BibTeX and lists of references.

The text of a source stands in docstrings alone, and is parsed here. The registry says by
keys which of them a test is cited by.
"""

import inspect
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import skcompare.stats
from skcompare._core.report import latex_text
from skcompare._core.validation import unknown_name
from skcompare._registry.tests import paired_tests
from skcompare._version import __version__
from skcompare.stats.core import ADJUSTMENT_REFERENCES

SECTION = re.compile(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n")
MARKED = re.compile(r"\.\. \[(\d+)\] ")

SOURCE = re.compile(
    r'(?P<authors>.+?) \((?P<year>\d{4})\)\. "(?P<title>.+?)\.?"(?P<where>.*)\Z'
)
LOCATOR = re.compile(
    r",? (?:sections?|equations?|chapters?|theorems?|tables?|appendix) .*\Z", re.IGNORECASE
)
"""Place within a source, which differs between the tests that cite it."""
IN_VOLUME = re.compile(
    r"(?P<venue>.+?) (?P<volume>\d{1,3})(?:\((?P<number>[^)]+)\))?"
    r"(?:, (?P<pages>[\w./-]+))?\Z"
)
IN_PROCEEDINGS = re.compile(r"(?P<venue>.+?)(?:, (?P<pages>\d+-\d+))?\Z")
INITIALS = re.compile(r"(?:[A-Z]\.[ -]?)+\Z")
PROCEEDINGS = ("Proceedings", "Advances", "AAAI")
ARXIV = "arXiv:"

SOFTWARE = """\
@software{{skcompare,
  author = {{{{The skcompare developers}}}},
  title = {{{{skcompare}}: statistical comparison of classifiers and regressors}},
  version = {{{version}}},
  url = {{https://github.com/skcompare/skcompare}}
}}"""


def docstring_parts(doc: str) -> dict[str, str]:
    """Return the sections of a docstring by heading, the leading text without heading."""
    summary, *rest = SECTION.split(f"\n{doc}")
    return {"": summary.strip()} | {
        heading: body.strip() for heading, body in zip(rest[::2], rest[1::2])
    }


def sources_in(doc: str) -> tuple[str, ...]:
    """Return the sources of a docstring, each in one line."""
    texts = MARKED.split(docstring_parts(doc).get("References", ""))[2::2]
    return tuple(" ".join(text.split()) for text in texts)


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a test, such as a paper.

    Attributes
    ----------
    authors : tuple of (str, str)
        Surname and initials of each.
    year, title : str
        Its year and its title.
    where : str
        Journal with volume and pages, proceedings, or publisher.
    text : str
        The reference, without a place within the source.
    """

    authors: tuple[tuple[str, str], ...]
    year: str
    title: str
    where: str
    text: str

    @classmethod
    def parse(cls, text: str) -> "Source":
        """Parse the text of a reference."""
        match = SOURCE.match(text.strip())
        if match is None:
            raise ValueError(
                f'Expected a source such as \'Tango, T. (1998). "Title." Journal 1(2), '
                f"3-4.'. Got {text!r}."
            )
        where = LOCATOR.sub("", match["where"].strip().rstrip(".")).strip()
        title = match["title"]
        end = "" if title.endswith("?") else "."
        plain = f'{match["authors"]} ({match["year"]}). "{title}{end}" {where}.'
        authors = tuple(_authors(match["authors"]))
        return cls(authors, match["year"], title, where, plain)

    @property
    def name(self) -> str:
        """Surname of the first author and year, in ASCII."""
        plain = unicodedata.normalize("NFKD", self.authors[0][0])
        return re.sub(r"[^A-Za-z]", "", plain) + self.year

    @property
    def citation(self) -> str:
        """Authors and year, as in a sentence."""
        surnames = [surname for surname, _ in self.authors]
        if len(surnames) > 2 or "others" in surnames:
            names = f"{surnames[0]} et al."
        else:
            names = " and ".join(surnames)
        return f"{names}, {self.year}"

    def bibtex(self, key: str) -> str:
        """Return the BibTeX entry under a key."""
        kind, fields = self._entry()
        authors = (f"{surname}, {i}" if i else surname for surname, i in self.authors)
        known = {
            "author": latex_text(" and ".join(authors)),
            "title": _with_capitals(self.title),
            "year": self.year,
            **{name: latex_text(value) for name, value in fields.items() if value},
        }
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in known.items())
        return f"@{kind}{{{key},\n{lines}\n}}"

    def _entry(self) -> tuple[str, dict[str, Any]]:
        """Return the type of the BibTeX entry, and the fields about its place."""
        where = self.where
        if where.startswith(ARXIV):
            return "misc", {
                "eprint": where.removeprefix(ARXIV),
                "archiveprefix": ARXIV.rstrip(":"),
            }
        in_volume = IN_VOLUME.match(where)
        proceedings = where.startswith(PROCEEDINGS)
        match = in_volume or (IN_PROCEEDINGS.match(where) if proceedings else None)
        if match is None:
            if any(character.isdigit() for character in where):
                return "misc", {"howpublished": where}
            publisher, _, address = where.partition(", ")
            return "book", {"publisher": publisher, "address": address}
        fields = match.groupdict()
        kind, name = "article", "journal"
        if proceedings:
            kind, name = "inproceedings", "booktitle"
        pages = (fields.pop("pages") or "").replace("-", "--")
        venue = fields.pop("venue").rstrip(",")
        return kind, {name: venue, **fields, "pages": pages}


def _authors(text: str) -> list[tuple[str, str]]:
    """Split a list of authors into surnames and initials."""
    authors: list[tuple[str, str]] = []
    for part in re.split(r", | and ", text):
        if INITIALS.match(part) and authors:
            authors[-1] = (authors[-1][0], part)
        else:
            authors.append((part, ""))
    return authors


def _with_capitals(title: str) -> str:
    """Protect capitals within a title, which styles would turn into small letters."""
    first, *others = title.split(" ")
    rest = map(latex_text, others)
    parts = [f"{{{part}}}" if re.search("[A-Z]", part) else part for part in rest]
    first = latex_text(first)
    return " ".join([f"{{{first}}}" if re.search("[A-Z]", first[1:]) else first, *parts])


@lru_cache(maxsize=8)
def _read(docs: tuple[str, ...]) -> dict[tuple[str, str], str]:
    """Return the key of each source of some docstrings, by its name and title."""
    titles_of: dict[str, dict[str, None]] = {}
    for doc in docs:
        for text in sources_in(doc):
            if SOURCE.match(text):
                source = Source.parse(text)
                titles_of.setdefault(source.name, {})[source.title] = None
    keys = {}
    for name, titles in titles_of.items():
        # Sources of one author and year are distinguished by letters, by their titles.
        for k, title in enumerate(sorted(titles)):
            keys[name, title] = f"{name}{chr(ord('a') + k)}" if len(titles) > 1 else name
    return keys


def _docs() -> tuple[str, ...]:
    """Return the docstrings of the public functions of statistics and of all tests."""
    public = [getattr(skcompare.stats, name) for name in skcompare.stats.__all__]
    functions = [*public, *(entry.function for entry in paired_tests().values())]
    return tuple(dict.fromkeys(inspect.getdoc(function) or "" for function in functions))


def sources_of(name: str) -> dict[str, Source]:
    """Return the sources that a test or an adjustment is cited by, by their keys.

    Parameters
    ----------
    name : str
        Name of a registered test, or of an adjustment of p-values.
    """
    entry = paired_tests().get(name)
    if entry is None and name not in ADJUSTMENT_REFERENCES:
        known = (*paired_tests(), *ADJUSTMENT_REFERENCES)
        raise ValueError(str(unknown_name("test", name, known)))
    references = ADJUSTMENT_REFERENCES[name] if entry is None else entry.references
    docs = _docs()
    own = (inspect.getdoc(entry.function) or "",) if entry else ()
    keys, sources = _read(docs), {}
    for reference in references:
        # The own docstring comes first, where two sources have one author and year.
        for doc in (*own, *docs):
            source = next(
                (s for s in map(_parsed, sources_in(doc)) if s and s.name == reference),
                None,
            )
            if source is not None:
                sources[keys[source.name, source.title]] = source
                break
    return sources


@lru_cache(maxsize=512)
def _parsed(text: str) -> Source | None:
    return Source.parse(text) if SOURCE.match(text) else None


def names_to_cite(stored: Any) -> list[str]:
    """Return the tests and adjustments in a stored result, in order, without repetition."""
    return [*dict.fromkeys(_names_in(stored))]


def _names_in(stored: Any) -> Iterable[str]:
    if isinstance(stored, list):
        for item in stored:
            yield from _names_in(item)
    elif isinstance(stored, Mapping):
        test = stored.get("test")
        if isinstance(test, str) and test in paired_tests():
            yield test
        nested = [v for k, v in stored.items() if k != "adjust"]
        for value in nested:
            yield from _names_in(value)
        if stored.get("adjust") in ADJUSTMENT_REFERENCES:
            yield stored["adjust"]


def bibtex_of(names: Iterable[str], version: str = __version__) -> str:
    """Return BibTeX entries of tests and adjustments, and of skcompare itself."""
    sources: dict[str, Source] = {}
    for name in names:
        sources |= sources_of(name)
    entries = [source.bibtex(key) for key, source in sources.items()]
    return "\n\n".join([*entries, SOFTWARE.format(version=latex_text(version))]) + "\n"
