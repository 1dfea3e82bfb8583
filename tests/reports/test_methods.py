"""Texts for papers: methods, sources and tables."""

import re

import numpy as np
import pytest

from skcompare import Comparison, compare
from skcompare._registry.tests import paired_tests
from skcompare.cli import main
from skcompare.reports._sources import Source, bibtex_of, names_to_cite, sources_of
from skcompare.stats.core import ADJUSTMENT_REFERENCES

Y = [0, 1] * 30
OLD = [0, 0, 0, 1, 0, 1] * 10
SCORING = ["accuracy", "balanced_accuracy"]
NUMBER = r"(?:\$[+-]\$)?\d\.\d+"


@pytest.fixture(scope="module")
def comparison():
    """Of two with names that formats have to escape, by two measures."""
    return compare(Y, {"old_1": OLD, "new & 50 %": Y}, scoring=SCORING)


@pytest.fixture(scope="module")
def several():
    """Of three, two of them the same."""
    return compare(Y, {"a": OLD, "b": Y, "c": Y})


@pytest.mark.parametrize("name", [*sorted(paired_tests()), *ADJUSTMENT_REFERENCES])
def test_every_key_has_a_source(name):
    """The keys of the registry name sources in docstrings, and no source twice."""
    entry = paired_tests().get(name)
    references = ADJUSTMENT_REFERENCES[name] if entry is None else entry.references
    found = sources_of(name)

    assert [*references] == [source.name for source in found.values()]
    for key, source in found.items():
        assert key.rstrip("ab") == source.name
        assert source.bibtex(key).startswith("@")


def test_one_text_for_each_source():
    """One paper has one title wherever it is cited, so that no entry appears twice."""
    text = bibtex_of(paired_tests())
    titles = re.findall(r"  title = \{(.+)\},", text)
    keys = re.findall(r"^@\w+\{(\w+),", text, re.MULTILINE)

    assert len({*titles}) == len(titles)
    assert len({*keys}) == len(keys)
    assert {"Fisher1935a", "Fisher1935b"} <= {*keys}
    assert len({title[:30].lower() for title in titles}) == len(titles)


def test_source_of_a_paper():
    """A place within a source is left out; capitals are protected, and signs escaped."""
    text = (
        'Müller-Lyer, A. B. and O\'Neil, C. (2001). "A 5×2 test of the AUC: 50 % more." '
        "Journal of X & Y 12(3), 45-67, equations (3) and (4)."
    )
    source = Source.parse(text)

    assert "MullerLyer2001" == source.name
    assert "Müller-Lyer and O'Neil, 2001" == source.citation
    assert source.text.endswith("Journal of X & Y 12(3), 45-67.")
    assert source.bibtex("key").splitlines() == [
        "@article{key,",
        "  author = {Müller-Lyer, A. B. and O'Neil, C.},",
        r"  title = {A 5$\times$2 test of the {AUC:} 50 \% more},",
        "  year = {2001},",
        r"  journal = {Journal of X \& Y},",
        "  volume = {12},",
        "  number = {3},",
        "  pages = {45--67}",
        "}",
    ]


def test_methods_of_two(comparison):
    """Design, tests with sources, level, adjustment, intervals and versions are there."""
    text = comparison.methods()

    for part in (
        "We compared new & 50 % (challenger) with old_1 (champion) on 60 records",
        "in a hold-out",
        "McNemar's test (mid-p; McNemar, 1947; Fagerland et al., 2013), two-sided",
        "significance level of 0.05",
        "balanced accuracy by the difference of a score",
        "Holm's method (Holm, 1979)",
        "95 % confidence intervals",
        "two trained models, over new records",
        "skcompare ",
        "\n\nReferences\n\n",
        "Psychometrika 12(2), 153-157.",
    ):
        assert part in text
    assert "- McNemar, Q. (1947)" in comparison.methods("markdown")
    with pytest.raises(ValueError, match="format"):
        comparison.methods("word")


def test_methods_in_latex(comparison):
    """Its citations are keys of the BibTeX, and every special sign is escaped."""
    text = comparison.methods("latex")
    keys = {*",".join(re.findall(r"\\citep\{([^}]+)\}", text)).split(",")}
    entries = {*re.findall(r"^@\w+\{(\w+),", comparison.bibtex(), re.M)}

    assert {"McNemar1947", "Holm1979"} <= keys
    assert keys == entries - {"skcompare"}
    assert r"new \& 50 \% (challenger) with old\_1 (champion)" in text
    assert "References" not in text


def test_methods_of_several(several):
    """The pairs, the omnibus test and the adjustment have their sources."""
    text = several.methods()

    assert "3 models (a, b and c)" in text
    assert "differences of all pairs" in text
    assert "Cochran's Q test (asymptotic; Cochran, 1950" in text
    assert "98.33 %" in text
    control = compare(Y, {"a": OLD, "b": Y, "c": Y}, control="a", adjust="max-t")
    assert "of each model from a, the control," in control.methods()
    assert "Westfall and Young, 1993" in control.methods()


def test_methods_of_a_stored_comparison(comparison):
    """One that was read has the same paragraph; a test that is unknown has no source."""
    assert comparison.methods() == Comparison.from_json(comparison.to_json()).methods()
    stored = comparison.to_json().replace('"mcnemar"', '"of_my_own"')
    text = Comparison.from_json(stored).methods()
    assert "was tested by of_my_own (mid-p), two-sided" in text


def test_without_a_test():
    """A measure without a test is reported as such."""
    scoring = ["accuracy", "rand_score"]
    text = compare(Y, {"a": OLD, "b": Y}, scoring=scoring, tests=["mcnemar"]).methods()

    assert "Without a test we report rand score" in text


def test_tables_in_latex(comparison, several):
    """Rules of booktabs, escaped names, numbers as math, the deciding row in bold."""
    text = comparison.to_latex(label="tab:models")

    for part in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\label{tab:models}",
        r"\textbf{accuracy}",
        r"balanced\_accuracy & ",
        r"95 \% interval",
    ):
        assert part in text
    assert re.search(rf"\{{\[{NUMBER}, {NUMBER}\]\}}", text)
    assert r"\textbf{$+$0.167}" in text
    far = compare(100 * [0, 1], {"a": 100 * [0, 0], "b": 100 * [0, 1]}).to_latex()
    assert re.search(r"& \d\.\d\\,\$\\times\$\\,10\$\^\{-\d+\}\$ &", far)
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines} == {lines[0].count("&")}
    assert r"\label{tab-2}" in several.to_latex(label="tab")


def test_tables_in_markdown(several):
    """Only the tables, each below its caption."""
    text = several.to_markdown(only_tables=True)

    assert text.startswith("Table: Models by accuracy")
    assert 2 == text.count("Table: ")
    assert "Verdict" not in text


def test_cite_names(capsys):
    """Names of tests and adjustments, in order and once, and skcompare itself."""
    assert 0 == main(["cite", "mcnemar", "holm", "mcnemar"])
    keys = re.findall(r"^@\w+\{(\w+),", capsys.readouterr().out, re.MULTILINE)

    assert ["McNemar1947", "Fagerland2013", "Holm1979", "skcompare"] == keys
    assert 2 == main(["cite", "mcnemr"])
    assert "Did you mean 'mcnemar'?" in capsys.readouterr().err


def test_cite_files(comparison, several, tmp_path, capsys):
    """All tests of a JSON file or of a page."""
    page, stored = tmp_path / "two.html", tmp_path / "several.json"
    page.write_text(comparison.to_html(pictures=False), encoding="utf-8")
    stored.write_text(several.to_json(), encoding="utf-8")

    assert 0 == main(["cite", str(page), str(stored)])
    found = capsys.readouterr().out
    assert "McNemar1947" in found
    assert "Bishop1975" in found
    assert "Cochran1950" in found
    assert 1 == found.count("@article{McNemar1947")

    (tmp_path / "bad.json").write_text("{}")
    assert 2 == main(["cite", str(tmp_path / "bad.json")])
    assert "no test to cite" in capsys.readouterr().err
    (tmp_path / "bad.json").write_text("no")
    assert 2 == main(["cite", str(tmp_path / "bad.json")])
    assert "not JSON" in capsys.readouterr().err


def test_tests_of_a_decision():
    """A decision has tests in its conditions."""
    from skcompare.gate import Gate, NonInferior, Superior

    y = np.array(Y)
    decision = Gate(Superior("accuracy"), NonInferior("accuracy", margin=0.1)).decide(
        y, {"old": OLD, "new": Y}
    )

    assert "mcnemar" in names_to_cite(decision.to_dict())
