"""Gains over a range, gains of records and residual quantiles of two regressors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_validate
from sklearn.tree import DecisionTreeRegressor

from skcompare import Comparison, PairedComparator, compare
from skcompare.plots import (
    BlandAltmanDisplay,
    ForestDisplay,
    GainByRangeDisplay,
    GainByRecordDisplay,
    LossDifferenceDisplay,
    ResidualQuantilesDisplay,
)
from skcompare.plots._report_figures import pictures_of
from skcompare.plots.drawing._layout import new_figure
from skcompare.predictions import predictions_from_arrays
from skcompare.stats import bland_altman, clustered_t, paired_t
from skcompare.stats.losses import means_by_range, quantile_band
from tests.plots.cases import (
    gain_by_range,
    gain_by_record,
    gain_by_record_of_heavy_tails,
    numbers,
    numbers_of_heavy_tails,
    residual_quantiles,
)

MAE = "neg_mean_absolute_error"
DISPLAYS = [
    GainByRangeDisplay,
    GainByRecordDisplay,
    ResidualQuantilesDisplay,
    BlandAltmanDisplay,
]
PAIR = numbers()
Y = PAIR.predictions.y
OLD, NEW = (role.values for role in PAIR.roles)
GAINS = np.abs(Y - OLD) - np.abs(Y - NEW)
X, TARGET = load_diabetes(return_X_y=True)
RIDGE = Ridge().fit(X[:250], TARGET[:250])
TREE = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X[:250], TARGET[:250])


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


@pytest.mark.parametrize("display", DISPLAYS)
def test_constructors_agree(display):
    """Estimators, arrays, comparisons and comparators give the same numbers."""
    X_test, y_test = X[250:], TARGET[250:]
    old, new = RIDGE.predict(X_test), TREE.predict(X_test)
    comparator = PairedComparator(RIDGE, TREE, scoring=MAE, cv="prefit")
    made = [
        display.from_estimators(RIDGE, TREE, X_test, y_test),
        display.from_predictions(y_test, old, new),
        display.of_result(comparator.fit(X_test, y_test)),
        display.of_result(compare(y_test, {"a": old, "b": new}, scoring=MAE)),
    ]

    expected = made[1].frame()
    assert [True] * 4 == [expected.equals(each.frame()) for each in made]


@pytest.mark.parametrize("display", [*DISPLAYS, LossDifferenceDisplay])
def test_cross_validation(display):
    """Predictions of folds are drawn, without a band, and words say why."""
    cv = KFold(4)
    options = {"cv": cv, "return_estimator": True, "return_indices": True}
    outputs = [cross_validate(model, X, TARGET, **options) for model in (RIDGE, TREE)]
    without = ResidualQuantilesDisplay, BlandAltmanDisplay
    loss = {} if display in without else {"loss": "absolute_error"}
    made = display.from_cv_results(*outputs, X, TARGET, cv=cv, **loss)

    assert f"{len(X)} records" in made.summary
    assert "for 4-fold cross-validation" in made.summary
    if display in DISPLAYS:
        frame = made.frame()
        kept = frame[frame["kind"] != "record"] if "kind" in frame else frame
        assert np.isinf(kept[["low", "high"]]).all(axis=None)


@pytest.mark.parametrize("display", DISPLAYS)
def test_predictions_of_classes(display):
    """They are refused in one line, which names displays of classes."""
    pair = predictions_from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]}).pair("a", "b")
    with pytest.raises(ValueError, match=r"shows predictions of numbers.*Contingency"):
        display.of_result(pair)
    with pytest.raises(TypeError, match=r"or PairedPredictions\. Got int"):
        display.of_result(3)


def test_gains_of_ranges():
    """Means and limits are those of the records of each range."""
    display = gain_by_range()
    ranges = np.searchsorted(display.edges[1:-1], Y, "left")
    means = means_by_range(GAINS, ranges, 8)

    assert_allclose(display.gain, [GAINS[ranges == k].mean() for k in range(8)], rtol=1e-9)
    assert_allclose(display.low, means.low, rtol=1e-9)
    assert_allclose(display.high, means.high, rtol=1e-9)
    assert_array_equal(display.records, [40] * 8)
    assert (Y.min(), Y.max()) == (display.edges[0], display.edges[-1])
    result = paired_t(Y, OLD, NEW, loss="absolute_error")
    assert (result.estimate, result.pvalue) == (
        display.finding.estimate,
        display.finding.pvalue,
    )


def test_read_off_gains():
    """Ranges whose band excludes 0 are named, and drawn as boxes of their own kind."""
    display = drawn(GainByRangeDisplay.of_result(PAIR, ranges=[80, 200]))
    better = {"challenger better": 1, "not distinguished": 0, "champion better": -1}

    assert "together: new better up to 80, old better above 200" in (display.summary)
    assert [1, 0, -1] == display.better.tolist()
    assert list(better) == display.frame()["better"].tolist()
    boxes = sorted(display.axes_[0].patches, key=lambda box: box.get_x())
    assert_allclose([box.get_y() for box in boxes], display.low)
    assert_allclose([box.get_y() + box.get_height() for box in boxes], display.high)
    assert [None, None, "////"] == [box.get_hatch() for box in boxes]
    heights = [box.get_height() for box in display.axes_[1].patches]
    assert display.records.tolist() == heights


def test_swapped_roles():
    """Gains change their sign, and bands their side."""
    there = GainByRangeDisplay.from_predictions(Y, OLD, NEW)
    back = GainByRangeDisplay.from_predictions(Y, NEW, OLD)

    assert_allclose(back.gain, -there.gain, rtol=1e-12)
    assert_allclose(back.low, -there.high, rtol=1e-9)
    assert_array_equal(back.better, -there.better)


def test_equal_predictions():
    """There is no gain anywhere, and none is claimed."""
    display = drawn(GainByRangeDisplay.from_predictions(Y, OLD, OLD))

    assert not display.gain.any()
    assert not display.low.any()
    assert "no difference is found" in display.summary
    for other in (GainByRecordDisplay, ResidualQuantilesDisplay):
        assert drawn(other.from_predictions(Y, OLD, OLD)).summary


def test_numbers_of_the_range():
    """True values, predictions, features, and numbers that do not fit."""
    for by, values, label in (
        ("challenger", NEW, "Rent predicted by the challenger"),
        ("champion", OLD, "Rent predicted by the champion"),
        ("prediction", (OLD + NEW) / 2, "Mean prediction of rent"),
        ("target", Y, "True rent"),
        (Y**2, Y**2, "rent"),
    ):
        display = GainByRangeDisplay.of_result(PAIR, by=by, quantity="rent")
        assert (label, values.min()) == (display.number, pytest.approx(display.edges[0]))
    with pytest.raises(ValueError, match="Unknown by 'truth'"):
        GainByRangeDisplay.of_result(PAIR, by="truth")
    with pytest.raises(ValueError, match=r"a number for each of 320 records\. Got 3"):
        GainByRangeDisplay.of_result(PAIR, by=[1, 2, 3])


def test_wrong_ranges():
    """Limits that are not in order, or leave a range without records."""
    with pytest.raises(ValueError, match="limits in increasing order"):
        GainByRangeDisplay.of_result(PAIR, ranges=[80, 20])
    with pytest.raises(ValueError, match="Got none in 1 of 3: the numbers are from"):
        GainByRangeDisplay.of_result(PAIR, ranges=[80, 2000])
    with pytest.raises(ValueError, match="ranges"):
        GainByRangeDisplay.of_result(PAIR, ranges=0)


def test_groups():
    """Bands, intervals and p-values are those of grouped records."""
    groups = np.arange(320) // 4
    pair = numbers(groups=groups)
    display = GainByRangeDisplay.of_result(pair)
    ranges = np.searchsorted(display.edges[1:-1], Y, "left")
    means = means_by_range(GAINS, ranges, len(display.gain), groups=groups)

    assert 2 == len(display.gain)
    assert_allclose(display.low, means.low, rtol=1e-9)
    assert display.units.sum() < display.records.sum()
    comparison = compare(Y, {"a": OLD, "b": NEW}, scoring=MAE, groups=groups)
    assert comparison.rows[0].pvalue == display.finding.pvalue
    assert clustered_t.__name__ == comparison.rows[0].test
    quantiles = ResidualQuantilesDisplay.of_result(pair)
    expected = quantile_band(Y - OLD, quantiles.shares, groups=groups)
    assert_array_equal(quantiles.residuals[0], expected)


def test_points_are_records():
    """Each is a record with its gain; few records are all drawn."""
    pair = numbers(100)
    display = drawn(GainByRecordDisplay.of_result(pair))
    y = pair.predictions.y
    old, new = (role.values for role in pair.roles)
    gains = np.abs(y - old) - np.abs(y - new)

    for panel, x in zip(display.panels, ((old + new) / 2, y), strict=True):
        order = np.argsort(x)
        assert_allclose(panel.x, x[order])
        assert_allclose(panel.gain, gains[order], atol=1e-11)
        window = slice(0, 20)
        assert_allclose(panel.running[1, 0], gains[order][window].mean())
        assert_allclose(panel.running[0, 0], np.median(x[order][window]))
    points = [len(line.get_xdata()) for line in display.ax_.get_lines()[:4]]
    assert 100 == sum(points)


def test_many_points_are_thinned():
    """The largest gains are kept, whatever the order of the records."""
    display = GainByRecordDisplay.of_result(PAIR, most=50)
    order = np.random.default_rng(0).permutation(320)
    shuffled = GainByRecordDisplay.from_predictions(
        Y[order], OLD[order], NEW[order], most=50
    )

    for panel, other in zip(display.panels, shuffled.panels, strict=True):
        assert 50 == len(panel.x)
        assert np.abs(GAINS).max() == pytest.approx(np.abs(panel.gain).max())
        assert_array_equal(panel.x, other.x)
        assert_allclose(panel.running, other.running)
    assert "of which 50 are drawn" in display.summary


def test_gains_beyond_the_picture(text_of):
    """They are triangles at its edges, and words have their number."""
    display = drawn(gain_by_record_of_heavy_tails())
    markers = {line.get_marker() for line in display.ax_.get_lines()}
    words = " ".join(text_of(display.figure_))

    assert {"^", "v"} < markers
    assert (40, 40) == display.beyond
    assert "Triangles: 40 records below" in words
    assert "log" == display.ax_.get_xscale()


def test_quantiles_of_residuals(text_of):
    """Curves, bands and the bias of both, in units of the target."""
    display = drawn(residual_quantiles())
    words = " ".join(text_of(display.figure_))

    for role, values in enumerate((OLD, NEW)):
        for curves, own in ((display.residuals, Y - values), (display.errors, Y - values)):
            own = np.abs(own) if curves is display.errors else own
            quantiles, low, high = quantile_band(own, display.shares)
            low = np.maximum(low, 0) if curves is display.errors else low
            assert_array_equal(curves[role], [quantiles, low, high])
        assert display.bias[role][0] == pytest.approx((Y - values).mean())
        assert display.bias[role][1] < (Y - values).mean() < display.bias[role][2]
        assert f"{(Y - values).mean():+.2f} [" in words
    assert "Residual (true − predicted)\nprice in €" in words
    assert "Each curve is within its band at 95 %" in words


def test_agreement():
    """Points are differences of the predictions, and lines those of `bland_altman`."""
    display = drawn(BlandAltmanDisplay.of_result(PAIR, most=50, quantity="price in €"))
    result = bland_altman(OLD, NEW)
    frame = display.frame()
    points = frame.query("kind == 'record'")
    estimates = frame.query("kind == 'estimate'").set_index("name")

    assert 50 == len(points)
    assert set(points["value"]) <= set(NEW - OLD)
    assert np.abs(NEW - OLD - result.difference.estimate).max() == pytest.approx(
        np.abs(points["value"] - result.difference.estimate).max()
    )
    for name, own in result.estimates.items():
        columns = estimates.loc[name, ["value", "low", "high", "pvalue"]]
        assert_allclose(columns.to_numpy(dtype=float), own)
    mean = result.difference.estimate
    assert f"mean difference {mean:+.2f} [" in display.summary
    assert "50 of 320 records are drawn" in display.summary
    drawn_at = [line.get_ydata() for line in display.ax_.get_lines()]
    heights = {round(float(y[0]), 9) for y in drawn_at if len(y)}
    for own in (result.difference, result.lower_limit, result.upper_limit):
        assert round(own.estimate, 9) in heights


def test_agreement_without_truth():
    """It needs no true numbers, and has no intervals where records depend on each other."""
    unknown = BlandAltmanDisplay.from_predictions(None, OLD, NEW)
    known = BlandAltmanDisplay.from_predictions(Y, OLD, NEW)
    assert unknown.frame().equals(known.frame())
    with pytest.raises(ValueError, match="true"):
        ResidualQuantilesDisplay.from_predictions(None, OLD, NEW)

    groups = np.arange(len(Y)) // 2
    grouped = BlandAltmanDisplay.from_predictions(None, OLD, NEW, groups=groups)
    assert "No intervals: the records of a group depend on each other" in grouped.summary
    assert (known.difference[0], -np.inf, np.inf) == grouped.difference[:3]
    folds = PairedComparator(RIDGE, TREE, scoring=MAE, cv=3).fit(X, TARGET)
    display = drawn(BlandAltmanDisplay.of_result(folds))
    assert "No intervals: no band is valid for 3-fold" in display.summary
    assert f"{len(TARGET)} records" in display.summary


def test_agreement_of_equal_predictions():
    """Equal predictions, and ones that are apart by a constant, are drawn."""
    same = drawn(BlandAltmanDisplay.from_predictions(None, OLD, OLD))
    assert "mean difference 0" in same.summary.replace("+", "")
    apart = drawn(BlandAltmanDisplay.from_predictions(None, OLD, OLD + 1))
    assert 1.0 == pytest.approx(apart.difference[0])
    constant = drawn(BlandAltmanDisplay.from_predictions(None, [1.0, 1.0], [1.0, 2.0]))
    assert "slope" in constant.summary
    opposite = drawn(BlandAltmanDisplay.from_predictions(None, [1.0, 2.0], [2.0, 1.0]))
    assert "slope on the mean undefined" in opposite.summary
    assert "undefined" not in constant.summary


def test_levels():
    """A higher level has wider bands of all kinds."""
    for display, low in (
        (GainByRangeDisplay, lambda made: made.low[0]),
        (GainByRecordDisplay, lambda made: made.panels[0].running[2, 3]),
        (ResidualQuantilesDisplay, lambda made: made.residuals[0][1, 50]),
        (ResidualQuantilesDisplay, lambda made: made.bias[1][1]),
    ):
        wide, usual = (
            low(display.of_result(PAIR, confidence_level=level)) for level in (0.99, 0.9)
        )
        assert wide < usual


def test_pictures_of_a_report():
    """A comparison of numbers has gains, of the first loss, residuals and agreement."""
    comparison = compare(Y, {"old": OLD, "new": NEW}, scoring=MAE, alpha=0.1)
    shown = {picture.name: picture.display for picture in pictures_of(comparison).shown}

    numbers = ["gainbyrange", "residualquantiles", "blandaltman"]
    assert ["forest", *numbers, "losses-1"] == list(shown)
    assert comparison.rows[0].pvalue == shown["gainbyrange"].finding.pvalue
    assert "90 % band of all 8 ranges together" in shown["gainbyrange"].summary
    assert 0.9 == shown["residualquantiles"].confidence_level
    assert 0.9 == shown["blandaltman"].confidence_level
    classes = compare([0, 1, 1, 0], {"a": [0, 1, 0, 0], "b": [0, 1, 1, 1]})
    assert ["forest", "contingency"] == [each.name for each in pictures_of(classes).shown]
    read = pictures_of(Comparison.from_json(comparison.to_json()))
    titles = "Gain over the range, Residual quantiles, Agreement of the predictions"
    assert any(titles in text for text in read.left_out)


@pytest.mark.slow
def test_report():
    """The page has their summaries as text alternatives, and stays small."""
    comparison = compare(Y, {"old": OLD, "new": NEW}, scoring=MAE)
    page = comparison.to_html()

    assert 5 == page.count("<figure>")
    assert "95 % band of all 8 ranges together" in page
    assert "Residuals, true minus predicted, of 320 records" in page
    assert len(page) - len(comparison.to_html(pictures=False)) < 150_000
    folds = PairedComparator(RIDGE, TREE, scoring=MAE, cv=3).fit(X, TARGET)
    assert "No band: no band is valid for 3-fold" in folds.comparison_.to_html()


def test_one_record():
    """Nothing is known of the variation of one record, but it is drawn."""
    pair = predictions_from_arrays(
        [1.0, 2.0], {"a": [1.0, 2.5], "b": [3.0, 2.0]}, target="numbers", groups=[0, 0]
    ).pair("a", "b")
    with pytest.raises(ValueError, match="groups"):
        GainByRangeDisplay.of_result(pair)
    display = drawn(ResidualQuantilesDisplay.of_result(pair))
    assert "No bands: one record or group shows no variation" in display.summary


@pytest.mark.slow
def test_text_fit(overlaps):
    """Also of folds, which have no bands, and of one range."""
    folds = PairedComparator(RIDGE, TREE, scoring=MAE, cv=3).fit(X, TARGET)
    for display in DISPLAYS:
        assert ([], []) == overlaps(drawn(display.of_result(folds)).figure_)
    one = GainByRangeDisplay.of_result(numbers_of_heavy_tails(), ranges=1)
    assert ([], []) == overlaps(drawn(one).figure_)
    assert gain_by_record().summary


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e4])
def test_huge_and_tiny_numbers(overlaps, unit):
    """Forests and gains have room for their text, in any unit of the target."""
    both = {"old": unit * OLD, "new": unit * NEW}
    scoring = [MAE, "neg_mean_squared_error", "r2"]
    comparison = compare(unit * Y, both, scoring=scoring)
    for display in (ForestDisplay, GainByRangeDisplay):
        figure = drawn(display.of_result(comparison)).figure_
        assert ([], []) == overlaps(figure)
        for ax in figure.axes:
            offsets = [axis.get_offset_text().get_text() for axis in (ax.xaxis, ax.yaxis)]
            assert ["", ""] == offsets


@pytest.mark.parametrize("display", [GainByRangeDisplay, GainByRecordDisplay])
def test_options_of_losses(display):
    """They are passed beside the loss, or are those of the comparison."""
    both = {"old": OLD, "new": NEW}
    tests = {"paired_t": {"loss": "pinball_loss", "alpha": 0.9}}
    comparison = compare(Y, both, scoring="neg_mean_pinball_loss", tests=tests)
    usual = display.of_result(comparison)
    passed = display.from_predictions(Y, OLD, NEW, loss="pinball_loss", alpha=0.9)
    squared = display.of_result(PAIR, loss=lambda y_true, y_pred: (y_true - y_pred) ** 2)

    gains = [np.maximum(0.9 * (Y - each), -0.1 * (Y - each)) for each in (OLD, NEW)]
    assert passed.finding.estimate == pytest.approx(np.mean(gains[0] - gains[1]))
    assert usual.frame().equals(passed.frame())
    assert squared.finding.estimate == pytest.approx(
        np.mean((Y - OLD) ** 2) - np.mean((Y - NEW) ** 2)
    )
    with pytest.raises(TypeError, match="has no option colour"):
        display.of_result(PAIR, colour="red")
