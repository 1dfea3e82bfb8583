"""How the gallery is built from the scripts in `examples/`."""

import ast
import importlib.util
import re
from pathlib import Path

# The folder with a repository to copy has scripts too, which are no examples by themselves.
NO_EXAMPLES = r"__init__\.py|^train\.py$"

# The examples by topic, so that the gallery begins where a reader does.
TOPICS = {
    "a first comparison": (
        "plain_or_boosted",
        "which_test_for_a_holdout",
        "best_of_several",
        "where_do_the_curves_differ",
        "which_one_ranks_better",
    ),
    "probabilities and labels": (
        "who_is_better_calibrated",
        "better_probabilities",
        "which_records_pay",
        "which_class_is_named_better",
        "confused_differently",
        "f1_of_a_rare_class",
        "which_threshold",
        "the_first_sixty",
    ),
    "regressors": (
        "is_the_forest_better",
        "is_the_narrow_interval_better",
        "which_model_of_a_rate",
    ),
    "records in time": (
        "who_forecasts_better",
        "when_did_the_challenger_become_better",
    ),
    "gates and planning": (
        "is_the_cheap_one_good_enough",
        "gate_in_a_test",
        "plan_from_a_pilot",
        "more_seeds_or_more_records",
        "may_i_look_every_day",
        "challenger_in_the_shadow",
    ),
    "resampling, searches and ensembles": (
        "one_lucky_training",
        "does_repeating_prove_more",
        "copies_are_no_evidence",
        "was_the_search_worth_it",
        "which_candidate_beats_the_champion",
        "comparator_in_a_pipeline",
        "combine_or_not",
        "three_boosting_libraries",
    ),
}
ORDER = [name for names in TOPICS.values() for name in names]

THUMBNAIL = (400, 280)
# A wide picture has intervals at the left, and beside them numbers, which get too small.
WIDE, LEFT = 2.3, 0.53


def configuration(folder):
    """The settings of sphinx-gallery."""
    return {
        "examples_dirs": str(folder),
        "gallery_dirs": "auto_examples",
        "filename_pattern": runnable_pattern(folder),
        "ignore_pattern": NO_EXAMPLES,
        # By name, because Sphinx cannot store a function with the settings.
        "within_subsection_order": "gallery.place",
        "minigallery_sort_order": "gallery.place",
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
        "thumbnail_size": THUMBNAIL,
        "show_signature": False,
        "abort_on_example_error": True,
    }


def place(name):
    """Where a script stands in the gallery: as listed, and one that is not listed last."""
    stem = Path(name).stem
    return (ORDER.index(stem) if stem in ORDER else len(ORDER), stem)


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


def mend_thumbnails(app):
    """Show the left of wide pictures, and of a script that was not run what it lacks.

    Called by Sphinx after the gallery was made, and before its pages are read.
    """
    from PIL import Image

    folder = Path(app.srcdir, "auto_examples", "images")
    for picture in folder.glob("sphx_glr_*_001.png"):
        with Image.open(picture) as image:
            if image.width > WIDE * image.height:
                left = image.crop((0, 0, round(LEFT * image.width), image.height))
                _save_thumbnail(left, folder, picture.stem[len("sphx_glr_") : -len("_001")])
    for script in Path(app.srcdir, "auto_examples").glob("*.py"):
        if lacking := missing(script):
            words = "\n".join(["not run, needs", *lacking])
            _save_thumbnail(_written(words), folder, script.stem)


def _save_thumbnail(picture, folder, name):
    """Save a picture, as large as fits, where the gallery looks for that of a script."""
    from PIL import Image, ImageOps

    paper = Image.new("RGB", THUMBNAIL, "white")
    picture = ImageOps.contain(picture.convert("RGB"), THUMBNAIL, Image.Resampling.LANCZOS)
    paper.paste(
        picture, [(all_ - used) // 2 for all_, used in zip(THUMBNAIL, picture.size)]
    )
    paper.save(folder / "thumb" / f"sphx_glr_{name}_thumb.png")


def _written(words):
    """Some words as a picture."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", THUMBNAIL, "white")
    middle, font = [side / 2 for side in THUMBNAIL], ImageFont.load_default(24)
    ImageDraw.Draw(picture).multiline_text(
        middle, words, "#444444", font, anchor="mm", align="center"
    )
    return picture
