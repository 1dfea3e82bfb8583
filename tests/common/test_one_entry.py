"""One entry is enough: what is registered in one place is known everywhere."""

import importlib.util
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import skcompare
from skcompare import evidence, plots
from skcompare._core.arrays import AS_DESIGN, array_of
from skcompare._core.design import HOLDOUT, Design
from skcompare._io import readers
from skcompare._io.columns import source_of
from skcompare._registry import metrics, tests
from skcompare.cli import main
from skcompare.evidence import (
    ContingencyTable,
    PairedLosses,
    ScoreDifferences,
    load_evidence,
    record_loss,
)
from skcompare.evidence.core._storage import Mergeable, joined, negated
from skcompare.metrics import accuracy
from skcompare.plots.drawing._base import PairDisplay, Place
from skcompare.plots.drawing._layout import Room
from skcompare.stats import margin_test, mcnemar
from tests.common.checks import checks_of, run_checks

PAGES = Path(__file__).parents[2] / "doc" / "sphinxext" / "registry_pages.py"
Y_TRUE = np.array([0, 1, 1, 0, 1, 1, 0, 1] * 5)
RESAMPLING = {"bootstrap_difference": {"n_resamples": 99}}
PREDICTIONS = {"old": np.roll(Y_TRUE, 1), "new": np.where(np.arange(40) < 5, 0, Y_TRUE)}


def as_whole(name, values):
    """Whole numbers, which may be negative."""
    return np.array(values, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ToyGains(Mergeable):
    """Evidence declared in one place: what the challenger gains in each record."""

    gains: np.ndarray = field(
        metadata=array_of(as_whole, "n_samples") | {"merge": joined, "swap": negated}
    )
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)

    required: ClassVar[frozenset[str]] = frozenset({"labels"})

    @classmethod
    def from_pair(cls, pair):
        """Score the labels of both roles."""
        y = pair.predictions.y_predicted()
        first, second = (role.known_labels() == y for role in pair.roles)
        return cls(second.astype(int) - first, pair.design)

    @classmethod
    def from_tally(cls, tally):
        """Unfold the counts of labels."""
        cells = tally.cells(["y", "label_0", "label_1"])
        y, first, second = (cells.keys[name] for name in ("y", "label_0", "label_1"))
        gains = (second == y).astype(int) - (first == y)
        return cls(np.repeat(gains, cells.counts), tally.plan.design)

    @property
    def n(self):
        """Number of records."""
        return len(self.gains)

    @property
    def table(self):
        """Counts of the gains."""
        better, worse = (int((self.gains == sign).sum()) for sign in (1, -1))
        return ContingencyTable(0, worse, better, len(self.gains) - better - worse)

    @property
    def influence_values(self):
        """Share of each record in the mean gain."""
        return (self.gains - self.gains.mean()) / len(self.gains)


@pytest.fixture
def toy_evidence(monkeypatch):
    """A test of that evidence, whose class is exported."""
    monkeypatch.setattr(evidence, "ToyGains", ToyGains, raising=False)
    monkeypatch.setattr(evidence, "__all__", [*evidence.__all__, "ToyGains"])

    @tests.paired_test(
        "toy_gain",
        title="Toy test of gains",
        needs=ToyGains,
        measures="accuracy",
        references=("Toy2020",),
    )
    def toy_gain(gains, *, alternative="two-sided"):
        """Compare the gains of two toys."""
        result = mcnemar(gains.table, method="asymptotic", alternative=alternative)
        return replace(result, method="toy gains")

    return toy_gain


@pytest.fixture
def toy_record_loss(monkeypatch):
    """A loss of each record, and its mean, each registered in one place."""
    for registry in ("_losses", "_metrics"):
        monkeypatch.setattr(metrics, registry, dict(getattr(metrics, registry)))

    @record_loss("toy_miss", bound=1, expression=True)
    def toy_miss(ops, y, proba):
        """What does the true class's probability lack to 1?"""
        return ops.abs(ops.flag(y == 1) - proba[1])

    @metrics.metric("toy_miss", response_method="predict_proba", greater_is_better=False)
    def toy_mean_miss(y_true, y_proba, *, labels):
        """Mean of what the true class's probability lacks to 1."""
        return float(toy_miss(np.searchsorted(labels, y_true), y_proba).mean())


@pytest.fixture
def toy_display(monkeypatch):
    """A display registered in one place, beside the rows of a test of gains."""
    pytest.importorskip("matplotlib")
    displays = plots.drawing._base._displays
    monkeypatch.setattr(plots.drawing._base, "_displays", dict(displays))

    class ToyDisplay(PairDisplay, title="Toy gains", place=Place(needs=("ToyGains",))):
        """Gains of a toy."""

        needs = ToyGains

        def __init__(self, gains):
            self.gains = gains

        @classmethod
        def _of(cls, gains):
            return cls(gains.gains)

        def _sentences(self):
            return [f"Toy gains, {self.gains.sum():+} in all"]

        def _room(self):
            return Room(3.0, 2.0)

        def _draw(self, ax):
            ax.plot(np.cumsum(self.gains))

        def _columns(self):
            return {"gain": self.gains}

    monkeypatch.setattr(plots, "ToyDisplay", ToyDisplay, raising=False)
    monkeypatch.setattr(plots, "__all__", [*plots.__all__, "ToyDisplay"])
    return ToyDisplay


@pytest.fixture
def toy_test():
    """A test registered in one place."""

    @tests.paired_test(
        "toy_sign",
        title="Toy sign test",
        needs=ContingencyTable,
        kind="difference",
        measures="toy_hits",
        designs=("holdout",),
        references=("Toy2020",),
    )
    def toy_sign(table, *, alternative="two-sided"):
        """Compare two toys.

        Parameters
        ----------
        table : ContingencyTable
            Counts of records.
        alternative : {"two-sided", "less", "greater"}, default="two-sided"
            "greater" means that the challenger is better.

        Returns
        -------
        result : PairedResult
            As of McNemar's test.

        References
        ----------
        .. [1] Toy, A. (2020). "Toys."

        Examples
        --------
        >>> 1 + 1
        2
        """
        result = mcnemar(table, method="exact", alternative=alternative)
        return replace(result, method="toy method")

    return toy_sign


@pytest.fixture
def toy_metrics():
    """A score of labels and a loss of probabilities, each registered in one place."""

    @metrics.metric("toy_hits", response_method="predict", greater_is_better=True)
    def toy_hits(y_true, y_pred, *, sample_weight=None):
        """Share of hits."""
        return accuracy(y_true, y_pred, sample_weight=sample_weight)

    @metrics.metric(
        "toy_loss",
        response_method="predict_proba",
        greater_is_better=False,
        title="toy's loss",
    )
    def toy_loss(y_true, y_proba, *, labels=None, sample_weight=None):
        """Mean missing probability."""
        columns = np.searchsorted(labels, y_true)
        return float(np.mean(1 - y_proba[np.arange(len(y_true)), columns]))

    return toy_hits, toy_loss


@pytest.fixture
def toy_file(tmp_path, monkeypatch):
    """A file of a format whose reader is registered in one place."""
    monkeypatch.setattr(readers, "_readers", list(readers._readers))

    @readers.register_reader("toy", ".toy")
    class ToyFile(readers.File):
        """File with the predictions; it needs no content."""

        @property
        def names(self):
            """Names of all columns."""
            return ["y", *PREDICTIONS]

        def read(self, names, as_written=()):
            """Read the named columns."""
            return {name: ({"y": Y_TRUE} | PREDICTIONS)[name] for name in names}

    path = tmp_path / "predictions.toy"
    path.touch()
    return path


@pytest.fixture
def pages():
    """The module that writes the reference from the registries."""
    if not PAGES.exists():
        pytest.skip("there is no documentation beside the tests")
    spec = importlib.util.spec_from_file_location("registry_pages", PAGES)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_report_has_a_toy_test_by_name(toy_test):
    """A registered test gets a row with its p-value as soon as it is requested."""
    comparison = skcompare.compare(Y_TRUE, PREDICTIONS, tests=["toy_sign"])

    row = comparison.results["toy_sign"]
    expected = toy_test(ContingencyTable.from_predictions(Y_TRUE, *PREDICTIONS.values()))
    assert expected.pvalue == row.pvalue
    assert "toy_sign" in str(comparison)
    assert "toy_sign" in comparison.to_markdown().replace("\\", "")


def test_test_becomes_the_default_of_its_measure(toy_metrics, toy_test):
    """A metric is scored by name, and a test that measures it decides without a word."""
    comparison = skcompare.compare(Y_TRUE, PREDICTIONS, scoring="toy_hits")

    row = comparison.results["toy_sign"]
    assert "toy_hits" == row.measure
    assert "challenger" == comparison.verdict
    assert "toy_hits" in str(comparison)


def test_files_of_a_toy_reader(toy_file, tmp_path, capsys):
    """A registered reader reads for all, and help and messages name its format."""
    columns = {name: name for name in PREDICTIONS}
    comparison = skcompare.compare(toy_file, columns, y_true="y")
    assert skcompare.compare(Y_TRUE, PREDICTIONS).verdict == comparison.verdict

    assert 0 == main(["compare", str(toy_file), *OPTIONS])
    main(["gate", str(toy_file), "--superior", "accuracy", *OPTIONS])
    assert "40 records" in capsys.readouterr().out
    for command in ["compare", "gate"]:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert "Parquet or toy" in " ".join(capsys.readouterr().out.split())
    main(["gate", str(tmp_path / "predictions.xlsx"), "--superior", "accuracy"])
    assert "or toy (.toy) by its name. Got '.xlsx'" in capsys.readouterr().err
    with pytest.raises(TypeError, match=r"path of a CSV, .* Parquet or toy file\. Got int"):
        source_of(1)


def test_report_has_toy_metrics(toy_metrics):
    """Scores and losses are rows, a negated loss is a score, and none needs its test."""
    chances = {
        name: np.column_stack([1 - labels, labels]) * 0.8 + 0.1
        for name, labels in PREDICTIONS.items()
    }
    scoring = ["accuracy", "toy_hits", "toy_loss", "neg_toy_loss"]

    comparison = skcompare.compare(Y_TRUE, chances, scoring=scoring, tests=RESAMPLING)

    rows = {row.measure: row for row in comparison.rows}
    assert set(scoring) == set(rows)
    hits = [np.mean(labels == Y_TRUE) for labels in PREDICTIONS.values()]
    losses = [0.9 - 0.8 * hit for hit in hits]
    assert hits == pytest.approx([rows["toy_hits"].champion, rows["toy_hits"].challenger])
    loss = rows["toy_loss"]
    assert losses == pytest.approx([loss.champion, loss.challenger])
    assert losses[0] - losses[1] == pytest.approx(loss.difference)
    assert loss.difference == pytest.approx(rows["neg_toy_loss"].difference)
    assert -losses[0] == pytest.approx(rows["neg_toy_loss"].champion)
    for name in scoring:
        assert name in str(comparison)


OPTIONS = ("--champion", "old", "--challenger", "new")


def file_with(columns, folder):
    """The path of a CSV file of the columns."""
    path = folder / "predictions.csv"
    rows = zip(Y_TRUE, *columns.values(), strict=True)
    path.write_text("y,old,new\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    return str(path)


def lazy_frame(columns):
    """The columns on an engine, which counts the records."""
    return pytest.importorskip("polars").DataFrame({"y": Y_TRUE, **columns}).lazy()


def test_toy_evidence_everywhere(toy_evidence, pages, tmp_path, capsys):
    """Evidence of one class is in report, gate, shell, store and documentation."""
    comparison = skcompare.compare(Y_TRUE, PREDICTIONS, tests=["toy_gain"])
    gains = comparison.evidence(ToyGains)
    row = comparison.results["toy_gain"]

    assert toy_evidence(gains).pvalue == row.pvalue
    for text in (str(comparison), comparison.to_html()):
        assert "toy_gain" in text
    margin = margin_test(gains, "toy_gain", -0.9)
    assert margin.basis.moments.units == len(Y_TRUE)
    file, policy = file_with(PREDICTIONS, tmp_path), tmp_path / "gate.toml"
    assert 0 == main(["compare", file, *OPTIONS, "--tests", "toy_gain"])
    assert "toy_gain" in capsys.readouterr().out
    policy.write_text("[[condition]]\nsuperior = 'accuracy'\ntest = 'toy_gain'\n")
    main(["gate", file, *OPTIONS, "--policy", str(policy), "--format", "json"])
    # The influence of its records allows for skewness; McNemar's test alone has 2.7e-07.
    assert "difference +0.675, at least +0.475" in capsys.readouterr().out
    assert "ToyGains" in pages.render_tests()
    assert "ToyGains" in pages.render_names()


def test_toy_evidence_is_stored_merged_and_swapped(toy_evidence, tmp_path):
    """What its fields declare is enough for files, sums and exchanged roles."""
    gains = ToyGains([1, 0, -1, 1])
    for ending in ("json", "npz"):
        gains.save(tmp_path / f"gains.{ending}")
        assert gains == load_evidence(tmp_path / f"gains.{ending}")

    assert ToyGains([1, 0, -1, 1, 1]) == sum([gains, ToyGains([1])])
    assert ToyGains([-1, 0, 1, -1]) == gains.swap()
    assert {"gains": [1, 0, -1, 1], "design": "holdout"} == gains.to_dict()
    with pytest.raises(ValueError, match="read-only"):
        gains.gains[0] = 0


def test_toy_evidence_on_an_engine(toy_evidence):
    """It is made of the counts of an engine."""
    columns = {name: name for name in PREDICTIONS}
    settings = {"tests": ["toy_gain"], "y_true": "y"}
    counted = skcompare.compare(lazy_frame(PREDICTIONS), columns, **settings)

    expected = skcompare.compare(Y_TRUE, PREDICTIONS, tests=["toy_gain"])
    assert expected.results["toy_gain"].pvalue == counted.results["toy_gain"].pvalue


def test_toy_loss_everywhere(toy_record_loss, pages, tmp_path, capsys):
    """A loss of one expression is in report, gate, shell, store, engine and pages."""
    chances = {name: labels * 0.8 + 0.1 for name, labels in PREDICTIONS.items()}
    comparison = skcompare.compare(Y_TRUE, chances, scoring="toy_miss")
    row = comparison.rows[0]
    columns = {name: name for name in chances}
    frame = lazy_frame(chances)
    counted = skcompare.compare(frame, columns, y_true="y", scoring="toy_miss").rows[0]

    assert "paired_t" == row.test == counted.test
    assert row.difference == pytest.approx(counted.difference, rel=1e-12)
    assert row.pvalue == pytest.approx(counted.pvalue, rel=1e-10)
    losses = comparison.evidence(PairedLosses, loss="toy_miss")
    losses.save(tmp_path / "losses.npz")
    assert losses == load_evidence(tmp_path / "losses.npz")
    assert losses.difference_bound == 1
    file = file_with(chances, tmp_path)
    assert 0 == main(["compare", file, *OPTIONS, "--scoring", "toy_miss"])
    main(["gate", file, *OPTIONS, "--superior", "toy_miss"])
    assert "toy_miss is better" in capsys.readouterr().out
    assert "``toy_miss``, of classes, also by data frame engines" in pages.render_metrics()


def test_expression_is_a_function():
    """A text in place of an expression is refused where the loss is registered."""
    with pytest.raises(TypeError, match=r"a function, or True\. Got 'brier'"):
        record_loss("toy_wrong", expression="brier")(lambda y, proba: proba)


def test_toy_display_everywhere(toy_evidence, toy_display, pages, tmp_path, capsys):
    """A display of one class is in report and shell, on an engine, and in the pages."""
    comparison = skcompare.compare(Y_TRUE, PREDICTIONS, tests=["toy_gain"])
    file, page = file_with(PREDICTIONS, tmp_path), tmp_path / "page.html"
    shell = ["compare", file, *OPTIONS, "--tests", "toy_gain", "--html", str(page)]

    assert 0 == main(shell)
    for text in (comparison.to_html(), page.read_text(encoding="utf-8")):
        assert 'aria-label="Toy gains' in text
    assert len(Y_TRUE) == len(toy_display.of_result(comparison).frame())
    columns = {name: name for name in PREDICTIONS}
    frame = lazy_frame(PREDICTIONS)
    counted = skcompare.compare(frame, columns, y_true="y", tests=["toy_gain"])
    assert toy_display.of_result(counted).summary == "Toy gains, +27 in all."
    assert "ToyDisplay" in pages.render_index()


def test_command_line_lists_toys(toy_test, toy_metrics, capsys):
    """The listings have what is registered, with its question."""
    assert 0 == main(["list-tests"])
    listed_tests = capsys.readouterr().out
    assert 0 == main(["list-metrics"])
    listed_metrics = capsys.readouterr().out

    assert "toy_sign" in listed_tests
    assert "Compare two toys." in listed_tests
    assert "toy_hits; valid for holdout" in listed_tests
    assert "toy_loss" in listed_metrics
    assert "Mean missing probability." in listed_metrics


def test_documentation_lists_toys(toy_test, toy_metrics, pages):
    """The reference has what is registered, with its question and sources."""
    tests, metrics = pages.render_tests(), pages.render_metrics()

    for words in ("Toy sign test", "toy_sign", "Compare two toys.", "Toy2020"):
        assert words in tests
    for words in ("toy hits", "toy_hits", "toy's loss"):
        assert words in metrics


def test_common_checks_apply_to_a_toy(toy_test):
    """The checks of its kind are there for a new test, and it satisfies the quick ones."""
    entry = tests.paired_tests()["toy_sign"]

    assert {"itself", "interval_and_pvalue_agree", "docstring"} <= dict(
        checks_of(entry)
    ).keys()
    run_checks(entry, slow=False)


def test_result_of_a_function_is_not_changed():
    """A result that the function of a test keeps stays as it was made."""
    held = replace(mcnemar(ContingencyTable(5, 1, 2, 3)), test="", design="", n=0.0)

    @tests.paired_test(
        "toy_held", title="Toy", needs=ContingencyTable, measures="toy_hits", references=()
    )
    def toy_held(table):
        """Return what was found before."""
        return held

    results = [toy_held(ContingencyTable(5, 1, 2, 3 * k)) for k in (1, 2)]
    assert [11, 14] == [result.n for result in results]
    assert ("", "", 0) == (held.test, held.design, held.n)
    assert {"toy_held"} == {result.test for result in results}
    assert held.pvalue == results[0].pvalue


def test_a_name_is_taken_once(toy_test):
    """A second test of a name is refused, and so is a design that does not exist."""
    settings = {
        "title": "Again",
        "needs": ContingencyTable,
        "kind": "difference",
        "measures": "accuracy",
        "references": (),
    }
    with pytest.raises(ValueError, match="'toy_sign' is registered"):
        tests.paired_test("toy_sign", designs=("holdout",), **settings)(mcnemar)
    with pytest.raises(ValueError, match=r"Unknown design 'k-fold'. Did you mean 'kfold'"):
        tests.paired_test("other", designs=("k-fold",), **settings)
    with pytest.raises(ValueError, match="Unknown kind 'differences'"):
        tests.paired_test(
            "other", designs=("holdout",), **(settings | {"kind": "differences"})
        )


def test_inference_follows_from_designs():
    """A test for hold-outs only speaks of two models, others of two algorithms."""
    entries = tests.paired_tests()

    assert "models" == entries["mcnemar"].inference
    assert "algorithms" == entries["bcv_mcnemar"].inference


def test_test_of_a_score_says_how_many_records():
    """A test of score differences is found by its measure, with its number of records."""

    @tests.paired_test(
        "toy_mean",
        title="Toy mean",
        needs=ScoreDifferences,
        kind="difference",
        measures="rand_score",
        designs=("holdout",),
        references=("Toy2020",),
        sample_size=lambda scores, **settings: 1000 * scores.values.size,
    )
    def toy_mean(scores):
        """Say nothing of a mean difference."""
        result = mcnemar(ContingencyTable(5, 1, 2, 3))
        return replace(result, estimate=scores.mean, pvalue=0.5, log_pvalue=np.log(0.5))

    comparison = skcompare.compare(Y_TRUE, PREDICTIONS, scoring="rand_score")
    row = comparison.results["toy_mean"]

    assert "rand_score" == row.measure
    assert 0 < row.difference < 1
    assert 1000 == comparison.conclusion.records_needed


def test_measure_is_tested_by_what_fits_it_closest():
    """A test of its own comes before one of any loss, and that before one of any score."""
    expected = {
        "accuracy": "mcnemar",
        "neg_brier_score": "paired_t",
        "binary_brier_loss": "paired_t",
        "roc_auc": "delong",
        "f1": "score_difference",
        "average_precision": "jackknife_difference",
        "squared_calibration_error": "calibration_difference",
    }
    for measure, name in expected.items():
        assert name == tests.tests_for(measure, HOLDOUT)[0].name, measure


def test_biased_measure_is_not_tested_by_itself():
    """A biased measure names the one to test instead, and runs flagged when requested."""
    proba = {"old": [0.2, 0.9, 0.4, 0.6] * 20, "new": [0.1, 0.8, 0.3, 0.6] * 20}
    words = {"scoring": "neg_expected_calibration_error"}
    y = [0, 1, 0, 1] * 20
    plain = skcompare.compare(y, proba, **words).rows[0]
    requested = skcompare.compare(y, proba, tests=RESAMPLING, **words)

    assert [] == tests.tests_for("expected_calibration_error")
    assert plain.test is None
    assert "use scoring='squared_calibration_error'" in plain.note
    assert "inconclusive" == requested.verdict
    assert "biased-measure" in requested.results["bootstrap_difference"].flags
