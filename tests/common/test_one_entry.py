"""One entry is enough: what is registered in one place is known everywhere."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import skcompare
from skcompare._core.design import HOLDOUT
from skcompare._io import readers
from skcompare._io.columns import source_of
from skcompare._registry import metrics, tests
from skcompare.cli import main
from skcompare.evidence import ContingencyTable, ScoreDifferences
from skcompare.metrics import accuracy
from skcompare.stats import mcnemar
from tests.common.checks import checks_of, run_checks

PAGES = Path(__file__).parents[2] / "doc" / "sphinxext" / "registry_pages.py"
Y_TRUE = np.array([0, 1, 1, 0, 1, 1, 0, 1] * 5)
RESAMPLING = {"bootstrap_difference": {"n_resamples": 99}}
PREDICTIONS = {"old": np.roll(Y_TRUE, 1), "new": np.where(np.arange(40) < 5, 0, Y_TRUE)}


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

    options = ["--champion", "old", "--challenger", "new"]
    assert 0 == main(["compare", str(toy_file), *options])
    main(["gate", str(toy_file), "--superior", "accuracy", *options])
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
