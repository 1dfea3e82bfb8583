"""Pages of the reference that are written by the code: tests, metrics, public names.

A test or metric appears as soon as it is registered, and a public name as soon as it
stands in the `__all__` of its package, so no page has to be touched. The first page lists
them by question, and `names.rst` package by package.
"""

import importlib
import pkgutil
from pathlib import Path

import skcompare
from skcompare._registry import metrics, tests
from skcompare.plots.drawing._base import displays

# What users import is listed; the shell is described in the user guide.
_NOT_LISTED = {"cli"}

TEN = (
    "skcompare.compare",
    "skcompare.PairedComparator",
    "skcompare.MultipleComparator",
    "skcompare.compare_cv_results",
    "skcompare.Comparison",
    "skcompare.gate.Gate",
    "skcompare.gate.assert_better",
    "skcompare.stats.mcnemar",
    "skcompare.stats.plan_comparison",
    "skcompare.plots.ForestDisplay",
)
"""The names that most users need, and no others."""

_LABELS = "Which model predicts more labels correctly?"
_PRECISION = "Which model is more precise about a class?"
_LOSSES = "Which model has the lower loss?"
_CALIBRATION = "Which model is better calibrated?"
_RANKING = "Which model ranks better?"
_SCORES = "Which model is better by any score?"
_TIME = "Which model is better over time?"
_AGREEMENT = "How much do two models agree?"
_ALGORITHMS = "Which learning algorithm is better?"
_RECIPES = "Which recipe of training is better?"
_OTHER = "Other questions"

_PRECISIONS = {"precision", "precision_by_class", "updated_precision"}
_BY_EVIDENCE = {
    "ContingencyTable": _LABELS,
    "CorrectnessPatterns": _LABELS,
    "ClusterSums": _LABELS,
    "JointCounts": _SCORES,
    "PairedLosses": _LOSSES,
    "PairedCalibration": _CALIBRATION,
    "PlacementValues": _RANKING,
    "ClassPlacementValues": _RANKING,
    "CorrelationMoments": _SCORES,
    "ScoredPair": _SCORES,
    "ScoreDifferences": _SCORES,
    "OrderedDifferences": _TIME,
    "AgreementMatrix": _AGREEMENT,
    "CrossedDifferences": _RECIPES,
}
"""Question of a test of two trained models, by the evidence that it needs."""

# Further names of a question: those of a package, or those of `stats` that are no tests.
_OF_STATS = {
    _PRECISION: ("precision_by_class", "pairwise_precision"),
    _LABELS: ("pairwise_mcnemar", "AnytimeMonitor"),
    _LOSSES: ("pairwise_losses",),
    _CALIBRATION: ("calibration_consistency", "calibration_cusum", "spiegelhalter"),
    _RANKING: (
        "auc_contrast",
        "auc_interval",
        "pairwise_delong",
        "roc_difference_band",
        "unpaired_delong",
    ),
    _TIME: ("clark_west", "fluctuation", "giacomini_white", "serial_correlation"),
    _AGREEMENT: ("bland_altman", "recommend_ensemble"),
    _ALGORITHMS: ("replicability",),
}
_HOW = "How are models compared?"
_PLANNING = "How many records are needed?"
_DECISION = "Should the challenger replace the champion?"
_DISPLAYS = "What is behind a difference?"
_ONE_MODEL = "How good is a single model?"

_SUBJECTS = {
    "models": "two trained models",
    "algorithms": "two learning algorithms",
    "recipes": "two recipes of training",
}
# Headings of the tests by kind, differences also by their subject.
_KINDS = {
    "difference": "Differences of {subject}",
    "ratio": "Ratios of {subject}",
    "omnibus": "Joint tests",
    "combination": "Combined tests of all classes",
    "association": "Agreement of two classifiers",
}


def write_pages(out_dir):
    """Write `index.rst` and the pages that it links into a folder."""
    out_dir = Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    pages = {
        "index": render_index,
        "tests": render_tests,
        "metrics": render_metrics,
        "names": render_names,
    }
    for name, render in pages.items():
        _write_if_changed(out_dir / f"{name}.rst", render())


def render_tests():
    """All registered tests by kind: question, evidence and designs of each."""
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
        "Subject": _SUBJECTS[entry.inference],
        "Runs": f"by name only: {entry.caution}" if entry.caution else "by default too",
        "References": ", ".join(entry.references),
    }
    return [_heading(entry.title, "~"), entry.question, _field_list(facts)]


def render_metrics():
    """All registered metrics, with the predictions that each needs and its direction."""
    parts = [
        _heading("Metrics", "="),
        "Metrics have the signatures of scikit-learn's own. The scorer of a loss has "
        "``neg_`` before its name, so that greater is better.",
    ]
    for name, entry in metrics.metrics().items():
        facts = {
            "Name": _link("func", _public_module(name), name),
            "Takes": f"predictions of ``{entry.response_method}``",
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
    """The ten names that matter, and names by question."""
    toctree = ".. toctree::\n   :maxdepth: 1\n\n   tests\n   metrics\n   names"
    parts = [
        _heading("Reference", "="),
        _heading("The ten names that matter", "-"),
        _table(TEN),
        _heading("By question", "-"),
        ":doc:`../user_guide/which_test` leads from data and a question to a line of code.",
    ]
    for question, names in by_question().items():
        parts += [_heading(question, "~"), _table(names)]
    parts += [
        _heading("All tests, metrics and names", "-"),
        ":doc:`tests` has what each test needs and is valid for, :doc:`metrics` which way "
        "is better, and :doc:`names` every public name, package by package.",
        toctree,
    ]
    return "\n\n".join(parts) + "\n"


def by_question():
    """Full names by question, in the order of the page."""
    public_modules()  # which registers what they have
    in_order = (_LABELS, _PRECISION, _SCORES, _LOSSES, _CALIBRATION, _RANKING, _TIME)
    of_tests = {
        question: [] for question in (*in_order, _AGREEMENT, _ALGORITHMS, _RECIPES, _OTHER)
    }
    for name, entry in sorted(tests.paired_tests().items()):
        if module := _public_module(name):
            of_tests[question_of(entry)].append(f"{module}.{name}")
    for question, names in _OF_STATS.items():
        of_tests[question] += [f"skcompare.stats.{name}" for name in names]
    entry_points = [name for name in skcompare.__all__ if name[0] != "_"]
    return {
        _HOW: [f"skcompare.{name}" for name in sorted(entry_points, key=_is_class)],
        **{question: names for question, names in of_tests.items() if names},
        _PLANNING: _names_of("stats", is_wanted=_plans),
        _DECISION: _names_of("gate", is_wanted=lambda name: True),
        _DISPLAYS: _names_of("plots", is_wanted=displays().__contains__),
        _ONE_MODEL: [
            f"{module}.{name}"
            for name in metrics.metrics()
            if (module := _public_module(name))
        ],
    }


def question_of(entry):
    """Question of a test, by its subject, its measures and its evidence."""
    if entry.inference == "recipes":
        return _RECIPES
    if entry.inference == "algorithms":
        return _ALGORITHMS
    if entry.kind == "association":
        return _AGREEMENT
    if entry.measures[0] in _PRECISIONS:
        return _PRECISION
    return _BY_EVIDENCE.get(entry.needs.__name__, _OTHER)


def _is_class(name):
    return name[0].isupper()


def _plans(name):
    return name.startswith("plan_") or name.endswith(("_power", "_sample_size"))


def _names_of(package, *, is_wanted):
    """Full names of a package that are wanted, in its order."""
    module = importlib.import_module(f"skcompare.{package}")
    return [f"skcompare.{package}.{name}" for name in filter(is_wanted, module.__all__)]


def _table(names):
    lines = [".. autosummary::", "   :nosignatures:", ""]
    return "\n".join([*lines, *(f"   ~{name}" for name in names)])


def render_names():
    """The public names, package by package."""
    parts = [_heading("All public names", "=")]
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
