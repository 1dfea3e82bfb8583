"""Names for the landmarks that docutils leaves without one, for screen readers.

A page has several regions of one kind, such as the navigation of the site and the contents
of the page: the accessibility rule "landmark-unique" asks for a name by which they differ.
"""

import re
from itertools import count

NAMES = {
    '<aside class="footnote-list': "Footnotes, list",
    '<aside class="footnote ': "Footnote",
    '<nav class="contents': "Contents of this page",
}
"""Beginnings of tags, and the names that they get, with a number."""


def setup(app):
    """Name the landmarks of each page."""
    app.connect("html-page-context", _name_landmarks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _name_landmarks(app, page, template, context, doctree):
    if "body" in context:
        context["body"] = named(context["body"])


def named(body):
    """Return HTML in which every landmark of a known kind has a name of its own."""
    for tag, name in NAMES.items():
        numbers = count(1)

        def label(match, name=name, numbers=numbers):
            return f'{match.group()} aria-label="{name} {next(numbers)}"'

        body = re.sub(re.escape(tag) + r'[^">]*"', label, body)
    return body
