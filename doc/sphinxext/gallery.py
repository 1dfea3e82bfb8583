"""How the gallery is built from the scripts in `examples/`."""

import ast
import importlib.util
import re

# The folder with a repository to copy has scripts too, which are no examples by themselves.
NO_EXAMPLES = r"__init__\.py|^train\.py$"


def configuration(folder):
    """The settings of sphinx-gallery."""
    return {
        "examples_dirs": str(folder),
        "gallery_dirs": "auto_examples",
        "filename_pattern": runnable_pattern(folder),
        "ignore_pattern": NO_EXAMPLES,
        "within_subsection_order": "FileNameSortKey",
        # So that the page of a function or class lists the examples that use it.
        "backreferences_dir": "api/backreferences",
        "doc_module": ("skcompare",),
        "image_scrapers": ("matplotlib",),
        # Settings of a picture must not leak into the next example.
        "reset_modules": ("matplotlib",),
        "reset_modules_order": "both",
        "capture_repr": (),
        "download_all_examples": False,
        "min_reported_time": 3600,
        "write_computation_times": False,
        "show_signature": False,
        "abort_on_example_error": True,
    }


def runnable_pattern(folder):
    """A pattern of the scripts whose packages are all installed; others are shown only."""
    runnable = [path.name for path in sorted(folder.glob("*.py")) if not missing(path)]
    return r"[\\/](" + "|".join(map(re.escape, runnable)) + ")$"


def missing(path):
    """The packages that a script imports, and that are not installed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module.partition(".")[0])
    return sorted(name for name in names if importlib.util.find_spec(name) is None)
