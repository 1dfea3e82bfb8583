"""Command `cite`: the sources of tests as BibTeX."""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from skcompare._core.report import json_of_page
from skcompare.cli._gate import show
from skcompare.reports import bibtex_of, names_to_cite

PAGES = (".html", ".htm")


def add_cite(commands: Any) -> None:
    """Add the command `cite`."""
    description = "print the sources of tests as BibTeX, by names or from a file of results"
    parser = commands.add_parser("cite", help=description, description=description)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="test, adjustment such as holm, or a JSON file or page of a result; without "
        "any, skcompare alone",
    )
    parser.set_defaults(run=_cite)


def _cite(arguments: argparse.Namespace) -> None:
    names: list[str] = []
    for name in arguments.names:
        names += _names_of_file(name) if _is_file(name) else [name]
    show(bibtex_of(dict.fromkeys(names)).rstrip("\n"), is_text=False)


def _is_file(name: str) -> bool:
    return os.path.isfile(name) or Path(name).suffix in (".json", *PAGES)


def _names_of_file(path: str) -> list[str]:
    """Return the tests and adjustments in a file of a comparison or decision."""
    text = Path(path).read_text(encoding="utf-8")
    if Path(path).suffix in PAGES:
        text = json_of_page(text)
    try:
        stored = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path!r} must be the JSON or the page of a result. Got text that is not "
            f"JSON: {error}."
        ) from error
    names = names_to_cite(stored)
    if not names:
        raise ValueError(
            f"{path!r} has no test to cite. Pass a file that `to_json` or `to_html` wrote, "
            "or names of tests; `skcompare list-tests` lists them."
        )
    return names
