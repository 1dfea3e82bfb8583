"""Landmarks of a page have names of their own, for screen readers."""

import importlib.util

import pytest

from doc.tests.pages import DOC

PATH = DOC / "sphinxext" / "landmarks.py"


@pytest.mark.skipif(not PATH.is_file(), reason="the pages are not here")
def test_landmarks_have_names():
    """Lists of footnotes are numbered from the second one, and other tags are kept."""
    spec = importlib.util.spec_from_file_location("landmarks", PATH)
    landmarks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(landmarks)
    lists = '<aside class="footnote-list brackets"></aside>' * 2
    others = '<nav class="page-toc"></nav><aside class="footnote"></aside>'

    expected = (
        '<aside class="footnote-list brackets" aria-label="Footnotes"></aside>'
        '<aside class="footnote-list brackets" aria-label="Footnotes 2"></aside>'
    )
    assert expected + others == landmarks.named(lists + others)
