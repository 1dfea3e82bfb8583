"""Pages of the reference that are written by the code: tests, metrics, public names.

A test or metric appears as soon as it is registered, and a public name as soon as it
stands in the `__all__` of its package, so no page has to be touched.
"""

import importlib
import pkgutil
from pathlib import Path

import skcompare
from skcompare._registry import metrics, tests

# What users import is listed; the shell is described in the user guide.
_NOT_LISTED = {"cli"}

_SUBJECTS = {
    "models": "two trained models",
    "algorithms": "two learning algorithms",
    "recipes": "two recipes of training",
}
# Headings of the tests by kind; differences also by what they speak of.
_KINDS = {
    "difference": "Differences of {subject}",
    "ratio": "Ratios of {subject}",
    "omnibus": "Whether anything differs",
    "combination": "All classes at once",
    "association": "How far two classifiers go together",
}


def write_pages(out_dir):
    """Write `index.rst`, `tests.rst` and `metrics.rst` into a folder."""
    out_dir = Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    pages = {"index": render_index, "tests": render_tests, "metrics": render_metrics}
    for name, render in pages.items():
        _write_if_changed(out_dir / f"{name}.rst", render())


def render_tests():
    """All registered tests by kind: what each answers, needs, and is valid for."""
    groups = {}
    for name, entry in tests.paired_tests().items():
        groups.setdefault(_group(entry), {})[name] = entry
    parts = [
        _heading("Tests", "="),
        "A test is a function of one piece of evidence. Its designs are the ways of "
        "collecting evidence that it is valid for. :doc:`../user_guide/which_test` leads "
        "from a question to a test.",
        ".. contents::\n   :local:\n   :depth: 1\n   :backlinks: none",
    ]
    for title in sorted(groups, key=_order):
        parts.append(_heading(title, "-"))
        for name, entry in sorted(
            groups[title].items(), key=lambda item: item[1].title.lower()
        ):
            parts += _about_test(name, entry)
    return "\n\n".join(parts) + "\n"


def _group(entry):
    """The heading that a test stands under; an unknown kind has one of its own."""
    title = _KINDS.get(entry.kind, entry.kind.capitalize())
    return title.format(subject=_SUBJECTS[entry.inference])


def _order(title):
    """Where a heading stands: as the kinds above, trained models first."""
    titles = [
        words.format(subject=subject)
        for words in _KINDS.values()
        for subject in _SUBJECTS.values()
    ]
    return titles.index(title) if title in titles else len(titles)


def _about_test(name, entry):
    needs = _link("class", _public_module(entry.needs.__name__), entry.needs.__name__)
    facts = {
        "Name": _link("func", _public_module(name), name),
        "Kind": entry.kind,
        "Measures": ", ".join(entry.measures),
        "Needs": needs,
        "Designs": ", ".join(entry.designs),
        "Speaks of": _SUBJECTS[entry.inference],
        "Runs": f"by name only: {entry.caution}" if entry.caution else "by default too",
        "References": ", ".join(entry.references),
    }
    return [_heading(entry.title, "~"), entry.question, _field_list(facts)]


def render_metrics():
    """All registered metrics: what each takes, and which way is better."""
    parts = [
        _heading("Metrics", "="),
        "Metrics have the signatures of scikit-learn's own. The scorer of a loss has "
        "``neg_`` before its name, so that greater is better.",
    ]
    for name, entry in metrics.metrics().items():
        facts = {
            "Name": _link("func", _public_module(name), name),
            "Takes": f"the answers of ``{entry.response_method}``",
            "Better": "greater" if entry.greater_is_better else "lower",
        }
        parts += [_heading(entry.title, "-"), _field_list(facts)]
    parts += [
        _heading("Losses of each record", "-"),
        "The tests of losses compare the mean of such a loss.",
        "\n".join(map(_loss_line, metrics.record_losses().values())),
    ]
    return "\n\n".join(parts) + "\n"


def _loss_line(entry):
    is_counted = entry.expression and entry.target == metrics.CLASSES
    engines = ", also by data frame engines" if is_counted else ""
    return f"* ``{entry.name}``, of {entry.target}{engines}: {entry.question}"


def render_index():
    """The public names, package by package."""
    toctree = ".. toctree::\n   :maxdepth: 1\n\n   tests\n   metrics"
    parts = [_heading("Reference", "="), toctree]
    for module in public_modules():
        summary = (module.__doc__ or "").strip().partition("\n\n")[0]
        parts += [
            _heading(module.__name__, "-"),
            f".. module:: {module.__name__}",
            summary,
            _autosummary(module),
        ]
    return "\n\n".join(parts) + "\n"


def public_modules():
    """The package and its public parts that have an `__all__`."""
    names = (info.name for info in pkgutil.iter_modules(skcompare.__path__))
    public = (name for name in names if not name.startswith("_"))
    listed = [f"skcompare.{name}" for name in public if name not in _NOT_LISTED]
    modules = [skcompare, *map(importlib.import_module, listed)]
    return [module for module in modules if getattr(module, "__all__", None)]


def _autosummary(module):
    lines = [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
    names = [name for name in module.__all__ if not name.startswith("_")]
    if module is not skcompare:
        # A name that the package exports too is described there, and once only.
        names = [name for name in names if not hasattr(skcompare, name)]
    return "\n".join([*lines, *(f"   {name}" for name in names)]) if names else ""


def _public_module(name):
    """The name of the first public part that exports `name`, or None."""
    exporting = (m.__name__ for m in public_modules()[1:] if name in m.__all__)
    return next(exporting, None)


def _link(role, module, name):
    return f":{role}:`~{module}.{name}`" if module else f"``{name}``"


def _field_list(facts):
    return "\n".join(f":{key}: {value}" for key, value in facts.items() if value)


def _heading(title, underline):
    return f"{title}\n{underline * len(title)}"


def _write_if_changed(path, text):
    """Leave a page alone that stays as it is, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
