"""The reference shows what the registries have, and the gallery what can be run."""

import importlib.util
import re
import sys
from types import SimpleNamespace

import pytest

from doc.tests.pages import DOC, ROOT
from skcompare import plots
from skcompare._registry import tests
from skcompare.plots.drawing._base import displays

FOLDER = DOC / "sphinxext"
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the pages are not here")


@pytest.fixture(scope="module")
def extension():
    """A module of the folder of extensions, by its name."""

    def load(name):
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


def test_every_test_is_described_once(extension):
    """With its kind, its designs and its references, below the heading of its kind."""
    page = extension("registry_pages").render_tests()
    for name, entry in tests.paired_tests().items():
        block = page.split(f"\n\n{entry.title}\n~", 1)[1].split("\n\n", 3)
        facts = dict(re.findall(r":([\w ]+): (.*)", block[2]))

        assert f"`~skcompare.stats.{name}`" in facts["Name"]
        assert entry.kind == facts["Kind"]
        assert ", ".join(entry.designs) == facts["Designs"]
        assert ", ".join(entry.references) == facts["References"]
    groups = re.findall(r"\n\n(.*)\n-+\n", page)
    assert len(set(groups)) == len(groups)
    assert "Differences of two trained models" == groups[0]


def test_displays_are_listed(extension):
    """Each display has an entry of its own in the index of names."""
    names = extension("registry_pages").render_names()
    listed = names.split(".. module:: skcompare.plots")[1].split(".. module::")[0]

    assert set(plots.__all__) <= set(listed.split())


def test_every_test_has_a_question(extension):
    """The first page lists each test once, and none has to be put below "other"."""
    pages = extension("registry_pages")
    by_question = pages.by_question()
    listed = [name for names in by_question.values() for name in names]

    assert "Other questions" not in by_question
    assert {f"skcompare.stats.{name}" for name in tests.paired_tests()} <= set(listed)
    assert len(set(listed)) == len(listed)


def test_ten_names_matter(extension):
    """They are public, and stand at the top of the reference."""
    pages = extension("registry_pages")
    head, rest = pages.render_index().split("By question\n", 1)

    assert 10 == len(set(pages.TEN)) == head.count("   ~skcompare.")
    for name in pages.TEN:
        package, _, attribute = name.rpartition(".")
        assert attribute in sys.modules[package].__all__
        assert f"   ~{name}\n" in rest


def test_displays_are_counted():
    """The first pages say how many there are, and the page on displays shows each."""
    assert 19 == len(displays())
    for page in (ROOT / "README.rst", DOC / "index.rst"):
        assert "nineteen displays" in page.read_text(encoding="utf-8").lower()
    text = (DOC / "user_guide" / "displays.rst").read_text(encoding="utf-8")
    assert [] == [name for name in displays() if name not in text]


def test_examples_without_their_packages_are_shown_only(extension, tmp_path):
    """An example that imports what is not installed is not run for the gallery."""
    gallery = extension("gallery")
    (tmp_path / "runs.py").write_text("import json\nfrom pathlib import Path\n")
    (tmp_path / "shown.py").write_text("import no_such_package.part\n")
    pattern = gallery.configuration(tmp_path)["filename_pattern"]

    assert ["no_such_package"] == gallery.missing(tmp_path / "shown.py")
    assert re.search(pattern, "/examples/runs.py")
    assert not re.search(pattern, "/examples/shown.py")
    assert not re.search(pattern, "/examples/reruns.py")


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")
def test_scripts_of_the_folder_to_copy_are_no_examples(extension):
    """The gallery has the scripts of `examples/`, and the read-me of the folder to copy."""
    ignored = extension("gallery").NO_EXAMPLES

    assert all(re.search(ignored, path.name) for path in EXAMPLES.glob("*/*.py"))
    assert not any(re.search(ignored, path.name) for path in EXAMPLES.glob("*.py"))


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not here")
def test_examples_stand_by_topic(extension):
    """The order of the gallery names every script once; one it does not know comes last."""
    gallery = extension("gallery")
    names = sorted(path.stem for path in EXAMPLES.glob("*.py"))

    assert names == sorted(gallery.ORDER)
    assert ["plain_or_boosted.py", "best_of_several.py", "a_new_one.py"] == sorted(
        ["a_new_one.py", "best_of_several.py", "plain_or_boosted.py"], key=gallery.place
    )


def test_thumbnails_are_read(extension, tmp_path):
    """Of a wide picture the left is shown; of a script that was not run, some words."""
    image = pytest.importorskip("PIL.Image")
    gallery = extension("gallery")
    folder = tmp_path / "auto_examples" / "images"
    (folder / "thumb").mkdir(parents=True)
    wide = image.new("RGB", (1000, 200), "blue")
    wide.paste("black", (0, 0, 530, 200))
    wide.save(folder / "sphx_glr_forest_001.png")
    image.new("RGB", (300, 200)).save(folder / "sphx_glr_square_001.png")
    (folder.parent / "shown.py").write_text("import no_such_package")

    gallery.mend_thumbnails(SimpleNamespace(srcdir=tmp_path))

    thumbs = {path.name: path for path in (folder / "thumb").iterdir()}
    assert {"sphx_glr_forest_thumb.png", "sphx_glr_shown_thumb.png"} == set(thumbs)
    with image.open(thumbs["sphx_glr_forest_thumb.png"]) as forest:
        assert gallery.THUMBNAIL == forest.size
        assert {(0, 0, 0), (255, 255, 255)} == {colour for _, colour in forest.getcolors()}
