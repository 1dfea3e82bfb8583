"""How Sphinx builds the documentation: `sphinx-build -n -W doc doc/_build`.

With `-D plot_gallery=0` the examples of the gallery are shown without being run.
"""

import os
import subprocess
import sys
from pathlib import Path

DOC = Path(__file__).parent
ROOT = DOC.parent
# The folder beside this one comes first, so the pages show the code that they lie beside.
sys.path[:0] = [str(ROOT), str(DOC / "sphinxext")]

import gallery  # noqa: E402
import registry_pages  # noqa: E402
import report_page  # noqa: E402

import skcompare  # noqa: E402
import skcompare._io.columns  # noqa: E402
from skcompare._io.readers import list_formats  # noqa: E402

project = "skcompare"
author = "The skcompare developers"
copyright = f"2026, {author}"
version = release = skcompare.__version__

extensions = [
    "folded_table",
    "landmarks",
    "llms",
    "mathml",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "api/backreferences",
    "sg_execution_times.rst",
    "whats_new/upcoming_changes",
]
templates_path = ["_templates"]
rst_epilog = f".. |formats| replace:: {list_formats(suffixes=True)}\n"

# A docstring states types in words; annotations are for type checkers.
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

sphinx_gallery_conf = gallery.configuration(ROOT / "examples")
# A picture beside a code block is drawn by that block when the pages are built.
plot_include_source = True
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("svg", 100)]

# The names of other projects become links only where a network is at hand.
_OTHERS = {
    "joblib": "https://joblib.readthedocs.io/en/latest/",
    "matplotlib": "https://matplotlib.org/stable/",
    "numpy": "https://numpy.org/doc/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "python": "https://docs.python.org/3/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "sklearn": "https://scikit-learn.org/stable/",
}
# These have no inventory of names that could be linked.
nitpick_ignore_regex = [("py:.*", r"(narwhals|polars|pyarrow)\..*")]
if os.environ.get("SKCOMPARE_INTERSPHINX") == "1":
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {name: (url, None) for name, url in _OTHERS.items()}
else:
    builtin = r"[A-Z]\w*(Error|Warning)|bool|bytes|dict|float|int|list|str|tuple"
    nitpick_ignore_regex += [
        ("py:.*", rf"({'|'.join(_OTHERS)})\..*"),
        ("py:.*", rf"({builtin})"),
    ]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"skcompare {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["skcompare.css"]
html_extra_path = ["_extra"]
html_theme_options = {
    "github_url": "https://github.com/skcompare/skcompare",
    "logo": {"text": "skcompare"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
}
# Pages that are no section have no list of its pages at the left.
html_sidebars = {"user_guide/start": [], "install": [], "contributing": []}


def _write_pages(app, config):
    """Write the pages that follow from the code and from the changelog fragments."""
    registry_pages.write_pages(DOC / "api")
    report_page.write_page(DOC / "_extra" / "report.html")
    draft = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "unreleased"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout
    title = "Upcoming changes"
    page = f"{title}\n{'=' * len(title)}\n\n{draft.strip()}\n"
    (DOC / "whats_new" / "upcoming.rst").write_text(page, encoding="utf-8")


def _skip_routing_methods(app, what, name, obj, skip, options):
    """Leave out `set_fit_request` and its like, which scikit-learn adds to a class."""
    return skip or (name.startswith("set_") and name.endswith("_request"))


def setup(app):
    """Connect the steps above to the build."""
    # As early as this, because Sphinx lists the pages before "builder-inited".
    app.connect("config-inited", _write_pages)
    app.connect("autodoc-skip-member", _skip_routing_methods)
    app.connect("builder-inited", gallery.mend_thumbnails, priority=900)
