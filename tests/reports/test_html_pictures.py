"""Which pictures belong to a report, and how they stand in a page."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator, compare
from skcompare._registry.tests import paired_tests
from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.plots import ContingencyDisplay
from skcompare.plots._annotation import show_row
from skcompare.plots._report_figures import pictures_among, pictures_of, svg_of
from skcompare.stats import bowker

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=120)
PROBA = {name: np.clip(0.3 + 0.4 * Y + RNG.normal(0, 0.2, 120), 0, 1) for name in "ab"}


def names(pictures):
    """What is shown."""
    return [one.name for one in pictures.shown]


def test_rows_choose_pictures():
    """The differences always, and what each row is about."""
    for options, expected in [
        ({}, {"contingency"}),
        ({"scoring": "roc_auc"}, {"roccomparison"}),
        ({"scoring": "binary_brier_loss"}, {"calibrationcomparison", "losses-1"}),
        ({"scoring": "squared_calibration_error"}, {"calibrationcomparison"}),
        ({"tests": ["mcnemar", "bowker"]}, {"contingency", "agreement"}),
        (
            {"tests": ["mcnemar", "relative_precision"]},
            {"contingency", "relativeprecision"},
        ),
        ({"scoring": "recall"}, set()),
    ]:
        found = pictures_of(compare(Y, PROBA, **options))

        assert {"forest"} | expected == set(names(found))
        assert () == found.left_out


def test_designs_choose_pictures():
    """Predictions that are given again and again are not counted together."""
    rng = np.random.default_rng(1)
    X = np.column_stack([Y + rng.normal(size=120), rng.normal(size=120)])
    pair, scoring = (LogisticRegression(), GaussianNB()), ["accuracy", "roc_auc"]
    once = PairedComparator(*pair, cv=StratifiedKFold(3), scoring=scoring).fit(X, Y)
    again = PairedComparator(*pair, scoring=scoring, random_state=0).fit(X, Y)

    found = pictures_of(once.comparison_)
    assert ["forest", "contingency", "roccomparison"] == names(found)
    assert () == found.left_out
    said = found.shown[-1].display.summary
    assert "predictions for positive" in said
    assert "no band" in said
    found = pictures_of(again.comparison_)
    assert ["forest", "roccomparison"] == names(found)
    (said,) = found.left_out
    assert "Who was right: records are predicted more than once" in said


def test_records_in_time_order():
    """Counts of the records with the numbers of the row; curves without a band, and why."""
    scoring = ["accuracy", "roc_auc", "binary_brier_loss"]
    X = np.column_stack(list(PROBA.values()))
    models = LogisticRegression(), GaussianNB()
    splits = PairedComparator(*models, cv=TimeSeriesSplit(3, test_size=30), scoring=scoring)
    splits = splits.fit(X, Y).comparison_
    timed = compare(Y, PROBA, time=np.arange(120), scoring=scoring)
    for comparison in (splits, timed):
        found = pictures_of(comparison)
        rows = {row.measure: row for row in comparison.rows}
        shown = {one.name: one.display for one in found.shown}

        assert ["forest", "contingency", "roccomparison"] == names(found)
        assert shown["contingency"].counts.sum() == comparison.n_tested
        for name, measure in [("contingency", "accuracy"), ("roccomparison", "roc_auc")]:
            assert rows[measure].pvalue == shown[name].finding.pvalue
            assert rows[measure].difference == pytest.approx(shown[name].finding.estimate)
        (said,) = found.left_out
        assert said.endswith("assume independent records, and these are in time order")
    curves = shown["roccomparison"].summary
    assert "No band: it assumes independent records, and these are in time order" in curves
    assert "split" not in curves


def test_windows_that_overlap():
    """Records that are tested twice are not counted together."""
    X = np.column_stack(list(PROBA.values()))
    splits = [(np.arange(k), np.arange(k, k + 40)) for k in (40, 60, 80)]
    comparator = PairedComparator(LogisticRegression(), GaussianNB(), cv=splits)
    with pytest.warns(UserWarning, match="There will be no verdict"):
        (said,) = pictures_of(comparator.fit(X, Y).comparison_).left_out

    assert "Who was right: records are predicted more than once" in said


@pytest.mark.filterwarnings("ignore:There will be no")
def test_pictures_that_would_contradict_the_table():
    """Pooled predictions have another calibration error than the mean of the folds."""
    rng = np.random.default_rng(1)
    X = np.column_stack([Y + rng.normal(size=120), rng.normal(size=120)])
    pair, scoring = (LogisticRegression(), GaussianNB()), ["binary_brier_loss"]
    one = PairedComparator(*pair, cv=StratifiedKFold(3), scoring=scoring).fit(X, Y)
    scoring = [*scoring, "squared_calibration_error"]
    two = PairedComparator(*pair, cv=StratifiedKFold(3), scoring=scoring).fit(X, Y)
    some = [(np.arange(60), np.arange(60, 120))]
    other = PairedComparator(*pair, cv=some).fit(X, Y)

    assert "calibrationcomparison" in names(pictures_of(one.comparison_))
    (said,) = pictures_of(two.comparison_).left_out
    assert "Reliability: the pooled predictions have another error" in said
    (said,) = pictures_of(other.comparison_).left_out
    assert "Who was right: it is unknown whether predictions for these splits" in said


def test_predictions_without_truth():
    """Without true labels nobody is right; the predictions are shown."""
    labels = {name: (p > 0.5).astype(int) for name, p in PROBA.items()}

    assert ["agreement"] == names(pictures_of(compare(None, labels)))


def test_positive_class_is_that_of_the_comparison():
    """A picture of ranking is about the class that was named positive."""
    found = compare(1 - Y, PROBA, scoring="roc_auc", pos_label=0)
    display = next(one for one in pictures_of(found).shown if one.name == "roccomparison")

    assert found.rows[0].challenger > 0.8
    assert f"{found.rows[0].challenger:.3f}" in display.display.summary


def test_pictures_among_several():
    """Who is distinguished, all pairs, the differences; a control has no groups."""
    several = dict(PROBA, c=PROBA["a"][::-1])
    scoring = ["accuracy", "roc_auc"]
    found = pictures_among(compare(Y, several, scoring=scoring))

    groups, pairs, forest = "criticaldifference-1", "pairwise-1", "forest-1"
    assert [groups, pairs, forest, "criticaldifference-2", "forest-2"] == names(found)
    assert "Who is distinguished by roc_auc" == found.shown[3].title
    assert "by roc_auc" in found.shown[3].display.summary
    assert "delong" in found.shown[4].display.summary
    assert "All pairs" == pictures_among(compare(Y, several)).shown[1].title
    against = pictures_among(compare(Y, several, scoring=scoring, control="a"))
    assert ["forest-1", "forest-2"] == names(against)


def numbers_of(finding):
    """What a picture says of a test."""
    return (
        *(finding.estimate, finding.low, finding.high, finding.pvalue),
        *(finding.title, round(finding.confidence_level, 12), finding.alternative),
    )


def test_pictures_have_the_numbers_of_their_rows():
    """Method, direction, level and bins of the comparison; the same p and interval."""
    for test, options, measure, picture in [
        ("mcnemar", {"method": "exact"}, "accuracy", "contingency"),
        ("delong", {}, "roc_auc", "roccomparison"),
        (
            "calibration_difference",
            {"n_bins": 4},
            "squared_calibration_error",
            "calibrationcomparison",
        ),
        ("paired_t", {}, "neg_log_loss", "losses-1"),
    ]:
        settings = {"alternative": "greater", "alpha": 0.1}
        found = compare(Y, PROBA, scoring=measure, tests={test: options}, **settings)
        (row,) = found.rows
        shown = {one.name: one.display for one in pictures_of(found).shown}
        title = paired_tests()[test].title

        assert numbers_of(shown[picture].finding) == (
            *(row.difference, row.low, row.high, row.pvalue, title, 0.9, "greater"),
        )
        if options.get("n_bins"):
            assert 4 >= len(shown[picture].bins[0][0])


def test_pictures_of_other_designs_have_the_numbers_of_their_rows():
    """The valid test's and not none; an invalid one's are not repeated."""
    rng = np.random.default_rng(1)
    X = np.column_stack([Y + rng.normal(size=120), rng.normal(size=120)])
    pair, scoring = (LogisticRegression(), GaussianNB()), ["accuracy", "roc_auc"]
    folds = PairedComparator(
        *pair, cv=StratifiedKFold(3), scoring=scoring, tests=["mcnemar"]
    ).fit(X, Y)
    groups = compare(Y, PROBA, groups=np.arange(120) // 2)

    for found in (folds.comparison_, groups):
        rows = {row.measure: row for row in reversed(found.rows)}
        for one in pictures_of(found).shown[1:]:
            row = rows["roc_auc" if one.name == "roccomparison" else "accuracy"]
            assert "mcnemar" != row.test
            assert (row.low, row.pvalue) == (
                one.display.finding.low,
                one.display.finding.pvalue,
            )


def test_agreement_has_the_method_of_its_row():
    """The exact p-value of the table, and not the usual one."""
    labels = {name: (p > 0.5).astype(int) for name, p in PROBA.items()}
    found = compare(Y, labels, tests={"bowker": {"method": "exact", "df": "full"}})
    display = next(one for one in pictures_of(found).shown if one.name == "agreement")

    assert found.results["bowker"].pvalue == display.display.pvalue
    assert display.display.pvalue != bowker(found.evidence(AgreementMatrix)).pvalue


def test_a_row_about_something_else_is_not_shown():
    """Wilcoxon's is no mean difference: the picture keeps the test of the mean."""
    found = compare(Y, PROBA, scoring="neg_log_loss", tests=["wilcoxon"])
    (display,) = (one.display for one in pictures_of(found).shown if one.name == "losses-1")
    row = found.results["wilcoxon"]
    show_row(display, [row], (row.measure,), None, 0.05)

    assert "paired t test" == display.finding.title
    assert found.rows[0].pvalue == display.finding.pvalue != row.pvalue


class Named(ContingencyDisplay):
    """A picture with words of somebody else."""

    def _draw(self, ax):
        super()._draw(ax)
        ax.set_title('<b> id="x" #004e8a url(#y) 🎉 & -->')

    @property
    def summary(self):
        return 'a "picture" <of> something'


def test_svg_of_a_page():
    """Ids of its own, colours of the page, words as they are, no style sheet."""
    pytest.importorskip("matplotlib")
    display = Named.of_result(ContingencyTable(60, 5, 15, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = svg_of(display, "one"), svg_of(display, "other")

    assert one.startswith('<svg class="picture"')
    assert 'aria-label="a &quot;picture&quot; &lt;of&gt; something"' in one
    assert one.replace("one-", "other-") == other
    assert '&lt;b&gt; id="x" #004e8a url(#y) 🎉 &amp; --&gt;' in one
    assert "var(--ink, #1d2733)" in one
    assert "<style" not in one
    assert "<metadata" not in one
    assert "<!--" not in one
    assert 'id="one-' in one
