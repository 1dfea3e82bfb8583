"""Two ROC curves, and their difference with its band."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import auc, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from skcompare import compare
from skcompare.evidence import PlacementValues
from skcompare.plots import RocComparisonDisplay
from skcompare.plots._report_figures import svg_of
from skcompare.stats import auc_interval, delong, roc_difference_band
from tests.plots.cases import scored

BOTH = ("champion", "challenger")


def display_of(n=80, decimals=None, **options):
    y, champion, challenger = scored(n)
    if decimals is not None:
        champion, challenger = champion.round(decimals), challenger.round(decimals)
    evidence = PlacementValues.from_predictions(y, champion, challenger)
    options.setdefault("n_resamples", 50)
    return y, (champion, challenger), RocComparisonDisplay.of_result(evidence, **options)


def curve(display, role):
    """The line of a role."""
    label = role.capitalize()
    (line,) = [each for each in display.axes_[0].get_lines() if label in each.get_label()]
    return line


@pytest.mark.parametrize("decimals", [None, 1])
def test_areas_of_what_is_drawn(decimals):
    """The drawn curves have the AUCs, and the drawn difference that of the AUCs."""
    y, scores, display = display_of(decimals=decimals)
    display.plot()
    aucs = [roc_auc_score(y, score) for score in scores]
    (difference,) = [
        each for each in display.axes_[1].get_lines() if each.get_label() == "Difference"
    ]

    assert aucs == pytest.approx([auc(*curve(display, role).get_data()) for role in BOTH])
    assert aucs[1] - aucs[0] == pytest.approx(auc(*difference.get_data()))


def test_band_is_drawn():
    """The shade is the simultaneous band, the thin lines are the pointwise limits."""
    y, scores, display = display_of()
    band = roc_difference_band(PlacementValues.from_predictions(y, *scores), n_resamples=50)
    display.plot()
    (shade,) = display.axes_[1].collections
    frame = display.frame()
    # At each rate the last row is that at it, and the one before just before it.
    at = frame.groupby("fpr").last()

    assert band.simultaneous_low == pytest.approx(at["simultaneous_low"].to_numpy())
    assert band.high == pytest.approx(at["high"].to_numpy())
    assert frame["simultaneous_high"].max() == shade.get_paths()[0].vertices[:, 1].max()
    dashed = [each for each in display.axes_[1].get_lines() if each.get_linestyle() == "-."]
    assert [frame["low"].tolist(), frame["high"].tolist()] == [
        list(each.get_ydata()) for each in dashed
    ]


def test_text(text_of):
    """The legend has both AUCs with their intervals, the title the test of DeLong."""
    y, scores, display = display_of(confidence_level=0.9)
    found = [auc_interval(y, score, confidence_level=0.9) for score in scores]
    result = delong(PlacementValues.from_predictions(y, *scores))
    low, high = result.confidence_interval(0.9)
    words = "\n".join(text_of(display.plot().figure_))

    for one in found:
        assert f"AUC {one.auc:.3f}, 90 % interval [{one.low:.3f}, {one.high:.3f}]" in words
    assert f"90 % interval [{low:.3f}, {high:.3f}]" in words
    assert "DeLong's test: p" in words
    assert "90 % band, all rates together" in words
    assert f"Difference of AUCs {result.estimate:+.3f}" in words


def test_look():
    """Both axes of the curves have one scale; there are lines of chance and of zero."""
    *_, display = display_of(40)
    first, second = display.plot().axes_
    chance = first.get_lines()[0]

    assert 1 == first.get_aspect()
    assert ([0, 1], [0, 1]) == tuple(map(list, chance.get_data()))
    assert [0, 0] in [list(line.get_ydata()) for line in second.get_lines()]


@pytest.mark.slow
def test_legends_are_below():
    """They cover no curve."""
    *_, display = display_of(40)
    display.plot().figure_.draw_without_rendering()

    for ax in display.axes_:
        assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0


def test_many_negatives():
    """Of many records the curves are drawn at 501 rates, from the first corner on."""
    y, scores, display = display_of(2400)
    frame = display.frame()

    assert 502 == len(frame)
    assert [0, 0, 1, 1] == [*frame.iloc[0, 1:3], *frame.iloc[-1, 1:3]]
    aucs = [auc(frame["fpr"].to_numpy(), frame[role].to_numpy()) for role in BOTH]
    assert [roc_auc_score(y, score) for score in scores] == pytest.approx(aucs, abs=0.001)


@pytest.mark.parametrize("decimals", [None, 0])
def test_cells(decimals):
    """Counted records have the same curves."""
    y, scores, display = display_of(60, decimals)
    cells = PlacementValues(y == 1, scores, repeats=np.ones(60, int))
    other = RocComparisonDisplay.of_result(cells, n_resamples=50)

    assert display.champion.tolist() == other.champion.tolist()
    assert display.aucs == other.aucs


def test_groups():
    """Groups are resampled, and the AUCs compared by the test for groups."""
    y, champion, challenger = scored(90)
    evidence = PlacementValues.from_predictions(
        y, champion, challenger, groups=np.arange(90) // 3
    )
    display = RocComparisonDisplay.of_result(evidence, n_resamples=50)

    assert "group" in display.finding.title.lower()
    assert display.finding.low is not None


def test_of_comparison():
    """The predictions of a comparison, by their names, and of the other class too."""
    y, champion, challenger = scored(60)
    comparison = compare(y, {"old": champion, "new": challenger}, scoring="roc_auc")
    display = RocComparisonDisplay.of_result(comparison, n_resamples=50)
    other = RocComparisonDisplay.of_result(comparison, pos_label=0, n_resamples=50)

    assert ("old", "new") == display.names
    assert comparison.rows[0].result.estimate == pytest.approx(display.finding.estimate)
    assert [auc for auc, *_ in display.aucs] == pytest.approx([a for a, *_ in other.aucs])
    assert display.counts == other.counts[::-1]


def test_of_counted_records():
    """Records that an engine counted have the picture of those that were read."""
    pl = pytest.importorskip("polars")
    y, champion, challenger = scored(200)
    frame = pl.DataFrame({"y": y, "a": champion.round(2), "b": challenger.round(2)})
    settings = {"y_true": "y", "scoring": "roc_auc"}
    read, counted = (
        RocComparisonDisplay.of_result(
            compare(each, {"old": "a", "new": "b"}, collect=collect, **settings),
            n_resamples=50,
        )
        for each, collect in ((frame, 200), (frame.lazy(), 0))
    )

    assert ("old", "new") == counted.names
    assert read.aucs[0] == pytest.approx(counted.aucs[0])
    assert read.counts == counted.counts
    assert read.champion.tolist() == counted.champion.tolist()


def cross_validated(splitter, n=90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    options = {"cv": splitter, "return_estimator": True, "return_indices": True}
    outputs = [
        cross_validate(one, X, y, **options)
        for one in (DecisionTreeClassifier(max_depth=2), LogisticRegression())
    ]
    return outputs, X, y


def test_cross_validation(text_of):
    """Curves are averaged over the splits, there is no band, and words say why."""
    splitter = StratifiedKFold(5)
    outputs, X, y = cross_validated(splitter)
    display = RocComparisonDisplay.from_cv_results(*outputs, X, y, cv=splitter)
    aucs = [
        np.mean(
            [
                roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])
                for model, test in zip(one["estimator"], one["indices"]["test"])
            ]
        )
        for one in outputs
    ]
    words = " ".join(text_of(display.figure_)).replace("\n", " ")

    assert aucs == pytest.approx([auc for auc, *_ in display.aucs])
    assert aucs == pytest.approx(
        [auc(display.fpr, getattr(display, role)) for role in BOTH], abs=0.01
    )
    assert display.difference == pytest.approx(display.splits.mean(axis=0))
    assert 0 == len(display.axes_[1].collections)
    assert "No band" in words
    assert "share training records" in words
    assert "Mean of the curves of 5 splits" in words
    assert "interval" not in display.summary
    assert ["fpr", "champion", "challenger", "difference"] == list(display.frame())


def with_a_split_of_one_class():
    """A picture of cross-validated predictions."""
    splitter = KFold(3)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.array([0, 1] * 10 + [1] * 10)
    options = {"cv": splitter, "return_estimator": True, "return_indices": True}
    output = cross_validate(LogisticRegression(), X, y, **options)
    return RocComparisonDisplay.from_cv_results(output, output, X, y, cv=splitter)


def test_splits_of_one_class_are_left_out():
    """They have no curve, which is told."""
    display = with_a_split_of_one_class()

    assert (2, 1) == (display.n_splits, display.n_left_out)
    assert "1 without both classes left out" in display.summary


@pytest.mark.slow
def test_cross_validation_text_fit(overlaps):
    """Of cross-validated predictions too, no words overlap."""
    display = with_a_split_of_one_class()

    assert ([], []) == overlaps(display.figure_)
    assert svg_of(display, "one").startswith("<svg")


def test_refused():
    """What cannot be shown is refused in words."""
    splitter = KFold(8)
    outputs, X, y = cross_validated(splitter, 8)
    with pytest.raises(ValueError, match="one class only in each of 8"):
        RocComparisonDisplay.from_cv_results(*outputs, X, y, cv=splitter)
    outputs, X, y = cross_validated(StratifiedKFold(3))
    with pytest.raises(ValueError, match="n_resamples: the curves of"):
        RocComparisonDisplay.from_cv_results(*outputs, X, y, cv=3, n_resamples=50)
    with pytest.raises(TypeError, match="Comparison"):
        RocComparisonDisplay.of_result([1, 2])
    one = PlacementValues([True, True], [[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="both classes"):
        RocComparisonDisplay.of_result(one)


def test_one_record_of_a_class():
    """There is a curve and a band, but no interval of the AUCs."""
    evidence = PlacementValues.from_predictions(
        [1, 0, 0, 0], [0.8, 0.1, 0.9, 0.3], [0.9, 0.2, 0.1, 0.95]
    )
    display = RocComparisonDisplay.of_result(evidence, n_resamples=50)

    assert (None, None) == display.aucs[0][1:]
    assert "no p-value for one record of a class" in display.summary
    assert "few-records-of-a-class" in display.flags
