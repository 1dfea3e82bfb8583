"""Landmarks of a page have names of their own, for screen readers."""

import importlib.util

import pytest

from doc.tests.pages import DOC

PATH = DOC / "sphinxext" / "landmarks.py"


@pytest.mark.skipif(not PATH.is_file(), reason="the pages are not here")
def test_landmarks_have_names():
    """Lists of footnotes, and footnotes, are numbered, and other tags are kept."""
    spec = importlib.util.spec_from_file_location("landmarks", PATH)
    landmarks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(landmarks)
    lists = '<aside class="footnote-list brackets"></aside>' * 2
    notes = '<aside class="footnote brackets" id="id1"></aside>'
    others = '<nav class="page-toc"></nav><aside class="sidebar"></aside>'

    expected = (
        '<aside class="footnote-list brackets" aria-label="Footnotes, list 1"></aside>'
        '<aside class="footnote-list brackets" aria-label="Footnotes, list 2"></aside>'
        '<aside class="footnote brackets" aria-label="Footnote 1" id="id1"></aside>'
    )
    assert expected + others == landmarks.named(lists + notes + others)
