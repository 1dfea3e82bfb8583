"""Targets of numbers: regressors and their predictions, compared by the absolute error."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, ttest_rel
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, Lasso, Ridge, SGDRegressor
from sklearn.metrics import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    make_scorer,
    max_error,
    mean_absolute_error,
    mean_pinball_loss,
    mean_tweedie_deviance,
    r2_score,
    root_mean_squared_error,
)
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from skcompare import (
    BlockRegularized5x2CV,
    Comparison,
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    compare_cv_results,
    cross_compare,
    make_paired_scorer,
)
from skcompare._registry import metrics as registry
from skcompare._registry.tests import paired_test
from skcompare.evidence import PairedLosses, ScoreDifferences, record_loss
from skcompare.predictions import ROLES, Predictions, has_chance, predictions_from_arrays
from skcompare.stats import (
    bootstrap_difference,
    error_correlation,
    influence_difference,
    loss_permutation,
    paired_t,
    paired_tests,
    permutation_difference,
    relative_loss,
    wilcoxon,
)

MAE = "neg_mean_absolute_error"
DEFAULTS = ["r2", MAE, "neg_root_mean_squared_error"]
OF_LOSSES = (paired_t, wilcoxon, loss_permutation, relative_loss)
LOSSES_WITH_UNITS = ("squared_error", "absolute_error")
RNG = np.random.default_rng(0)
Y = RNG.normal(scale=3, size=240)
OLD, NEW = Y + RNG.normal(size=240), Y + 0.8 * RNG.normal(size=240)
BOTH = {"old": OLD, "new": NEW}
X, TARGET = (array[:120] for array in load_diabetes(return_X_y=True))


def test_predictions_of_numbers():
    """The test of the absolute errors is that of scipy."""
    comparison = compare(Y, BOTH, scoring=MAE)
    (row,) = comparison.rows
    expected = ttest_rel(np.abs(OLD - Y), np.abs(NEW - Y))

    assert ("paired_t", "challenger") == (row.test, comparison.verdict)
    assert_allclose(row.pvalue, expected.pvalue, rtol=1e-12)
    assert_allclose(row.champion, -mean_absolute_error(Y, OLD), rtol=1e-12)
    assert_allclose(row.challenger, -mean_absolute_error(Y, NEW), rtol=1e-12)
    assert_allclose((row.low, row.high), expected.confidence_interval(0.95), rtol=1e-9)
    assert Comparison.from_json(comparison.to_json()).results[MAE].pvalue == row.pvalue
    assert MAE in comparison.to_html(pictures=False)


def test_equal_and_swapped_predictions():
    """Predictions beside themselves give 0 and p = 1; swapped roles change the sign."""
    (row,) = compare(Y, {"old": OLD, "same": OLD}, scoring=MAE).rows
    (there,) = compare(Y, BOTH, scoring=MAE).rows
    (back,) = compare(Y, {"a": NEW, "b": OLD}, scoring=MAE).rows

    assert (0, 1) == (row.difference, row.pvalue)
    assert_allclose(
        (back.difference, back.pvalue), (-there.difference, there.pvalue), rtol=1e-12
    )


def test_columns_of_a_file(tmp_path):
    """A CSV file and a frame give what arrays give."""
    frame = pd.DataFrame({"y": Y, **BOTH})
    frame.to_csv(tmp_path / "x.csv", index=False)
    columns = {name: name for name in BOTH}
    arrays = compare(Y, BOTH, scoring=MAE)

    for data in (frame, str(tmp_path / "x.csv")):
        same = compare(data, columns, y_true="y", scoring=MAE)
        assert arrays.rows[0].pvalue == same.rows[0].pvalue
        assert arrays.fingerprint == same.fingerprint


def test_whole_numbers_are_numbers():
    """A measure of numbers takes counts for numbers, not for classes."""
    y, first, second = (np.round(array).astype(int) for array in (Y, OLD, NEW))
    (row,) = compare(y, {"old": first, "new": second}, scoring=MAE).rows

    assert_allclose(row.pvalue, ttest_rel(abs(first - y), abs(second - y)).pvalue)


def test_all_tests_and_groups():
    """All tests of losses and of any score run, and groups have a test of their own."""
    comparison = compare(Y, BOTH, scoring=MAE, tests="all")
    grouped = compare(Y, BOTH, scoring=MAE, groups=np.arange(len(Y)) // 3)

    tests = {row.test for row in comparison.rows}
    assert {"paired_t", "wilcoxon", "loss_permutation", "bootstrap_difference"} < tests
    assert all(row.pvalue is not None for row in comparison.rows)
    assert ["clustered_t"] == [row.test for row in grouped.rows]


def test_several_predictions():
    """Three predictions are compared in pairs."""
    several = compare(Y, BOTH | {"far": Y + 2 * RNG.normal(size=240)}, scoring=MAE)

    pair = several.results[MAE].pair("old", "new")
    assert pair.pvalue == compare(Y, BOTH, scoring=MAE).rows[0].pvalue
    assert ["new", "old", "far"] == [row.name for row in several.results[MAE].classifiers]


def test_evidence_from_arrays():
    """`paired_t` takes arrays of numbers, with the name of the loss."""
    result = paired_t(Y, OLD, NEW, loss="absolute_error")
    losses = PairedLosses.from_losses(np.abs(OLD - Y), np.abs(NEW - Y))

    assert paired_t(losses).pvalue == result.pvalue
    halves = [
        PairedLosses.from_predictions(*arrays, loss="absolute_error")
        for arrays in zip(*(np.split(array, 2) for array in (Y, OLD, NEW)), strict=True)
    ]
    assert_allclose(paired_t(sum(halves)).pvalue, result.pvalue, rtol=1e-9)


def test_stored_predictions(tmp_path):
    """Predictions of numbers are read as they were saved."""
    predictions = predictions_from_arrays(Y, BOTH, target="numbers")

    for ending in (".npz", ".json"):
        predictions.save(tmp_path / f"x{ending}")
        read = Predictions.load(tmp_path / f"x{ending}")
        assert read.is_numeric
        assert_array_equal(predictions["new"].values, read["new"].values)
        assert_array_equal(predictions.y, read.y)


def test_loss_of_a_user(monkeypatch):
    """A loss of numbers is registered once, with options, and compared by its mean."""
    monkeypatch.setattr(registry, "_losses", dict(registry._losses))

    @record_loss("cut_error", measures="mean_cut_error", target="numbers")
    def cut_error(y_true, y_pred, *, cap=2):
        """Distance up to a cap."""
        return np.minimum(np.abs(y_true - y_pred), cap)

    def expected(cap):
        return ttest_rel(*(np.minimum(np.abs(own - Y), cap) for own in (OLD, NEW))).pvalue

    (row,) = compare(Y, BOTH, scoring="neg_mean_cut_error").rows
    assert_allclose(row.pvalue, expected(2), rtol=1e-9)
    tests = {"paired_t": {"loss": "cut_error", "cap": 1}}
    capped = compare(Y, BOTH, scoring=MAE, tests=tests).results["cut_error(cap=1)"]
    direct = paired_t(Y, OLD, NEW, loss="cut_error", cap=1)
    losses = PairedLosses.from_predictions(Y, OLD, NEW, loss="cut_error", cap=1)
    assert_allclose((capped.pvalue, direct.pvalue), expected(1), rtol=1e-9)
    assert ("cut_error(cap=1)", direct.pvalue) == (losses.loss, paired_t(losses).pvalue)


def test_options_of_losses(tmp_path):
    """Options of a loss are passed beside its name, through every door."""
    level = {"loss": "pinball_loss", "alpha": 0.9}
    expected = ttest_rel(
        *(pinball_losses(own, 0.9) for own in (OLD, NEW)),
    ).pvalue

    name = "pinball_loss(alpha=0.9)"
    comparison = compare(Y, BOTH, scoring=MAE, tests={"paired_t": level})
    assert_allclose(comparison.results[name].pvalue, expected, rtol=1e-9)
    (row,) = compare(
        Y, BOTH, scoring="neg_mean_pinball_loss", tests={"paired_t": {"alpha": 0.9}}
    ).rows
    assert_allclose(row.pvalue, expected, rtol=1e-9)
    assert_allclose(row.challenger, -mean_pinball_loss(Y, NEW, alpha=0.9), rtol=1e-12)
    for test in (paired_t, wilcoxon):
        losses = PairedLosses.from_predictions(Y, OLD, NEW, **level)
        assert test(losses).pvalue == test(Y, OLD, NEW, **level).pvalue
    losses.save(tmp_path / "x.npz")
    assert name == PairedLosses.load(tmp_path / "x.npz").loss


def pinball_losses(predicted, alpha):
    """Losses of a quantile by their definition."""
    return np.maximum(alpha * (Y - predicted), (alpha - 1) * (Y - predicted))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: paired_t(Y, OLD, NEW, loss="pinball_loss", delta=1),
            ValueError,
            r"^The loss 'pinball_loss' takes no option 'delta'\. Its options: alpha\. ",
        ),
        (
            lambda: paired_t(Y, OLD, NEW, loss="absolute_error", alpha=0.9),
            ValueError,
            r"'absolute_error' takes no option 'alpha'\. Its options: none\. Leave it out",
        ),
        (
            lambda: paired_t(Y, OLD, NEW, loss="pinball_loss", alpa=0.9),
            TypeError,
            r"Unknown option of paired_t 'alpa'\. Did you mean 'alpha'\?",
        ),
        (
            lambda: PairedLosses.from_predictions(Y, OLD, NEW, loss="squared_error", k=1),
            ValueError,
            r"'squared_error' takes no option 'k'",
        ),
        (
            lambda: compare(Y, BOTH, scoring=MAE, tests={"paired_t": {"alpa": 0.9}}),
            ValueError,
            r"paired_t has no option 'alpa'\. Its options: loss, multioutput, eps, ",
        ),
        (
            lambda: compare(Y, BOTH, scoring=MAE, tests={"paired_t": {"alpha": 0.9}}),
            ValueError,
            r"'absolute_error' takes no option 'alpha'",
        ),
    ],
)
def test_unknown_options_of_losses(call, error, message):
    """An option that the loss does not take is refused in one line."""
    with pytest.raises(error, match=message):
        call()


def test_options_that_losses_cannot_have(monkeypatch):
    """Options of tests and of their evidence are no options of a loss."""
    monkeypatch.setattr(registry, "_losses", dict(registry._losses))
    monkeypatch.setattr(registry, "_reserved", dict(registry._reserved))
    for option in ("alternative", "n_resamples", "groups"):
        with pytest.raises(ValueError, match=f"cannot have an option '{option}', because"):
            record_loss("own", target="numbers")(eval(f"lambda y, p, *, {option}=1: 0 * y"))

    with pytest.raises(
        ValueError, match=r"'pinball_loss' cannot have .* because late has one"
    ):

        @paired_test("late", title="late", measures="any loss", references=())
        def late(losses: PairedLosses, *, alpha=0.9):
            """Never registered."""

    assert "late" not in paired_tests()


def test_mean_of_two_losses(monkeypatch):
    """A measure is the mean of one loss only."""
    monkeypatch.setattr(registry, "_losses", dict(registry._losses))
    with pytest.raises(ValueError, match="is the mean of the loss 'squared_error'"):
        record_loss("own", measures="mean_squared_error", target="numbers")(
            lambda y_true, y_pred: y_true - y_pred
        )


@pytest.fixture
def forecast_losses(monkeypatch):
    """A loss of a normal forecast, and one of quantiles."""
    monkeypatch.setattr(registry, "_losses", dict(registry._losses))

    @record_loss("normal_score", target="numbers", needs="std")
    def normal_score(y_true, y_pred, std):
        """How surprising is the number, if it is normally distributed?"""
        return -norm.logpdf(y_true, y_pred, std)

    @record_loss("quantile_score", target="numbers", needs="quantiles")
    def quantile_score(y_true, quantiles, levels):
        """How far are the quantiles from the number, on average?"""
        # A row of many numbers is one record of each of them.
        losses = [
            mean_pinball_loss(
                y_true[None], own[None], alpha=level, multioutput="raw_values"
            )
            for own, level in zip(quantiles.T, levels, strict=True)
        ]
        return np.mean(losses, axis=0)


def test_uncertain_forecasts(forecast_losses, tmp_path):
    """Deviations, quantiles and intervals beside the numbers are tested and stored."""
    forecasts = {
        name: {
            "values": values,
            "std": np.full(240, spread),
            "intervals": {0.9: (values - 2 * spread, values + 2 * spread)},
        }
        for (name, values), spread in zip(BOTH.items(), (1.2, 0.9), strict=True)
    }
    predictions = predictions_from_arrays(Y, forecasts, target="numbers")
    assert (0.05, 0.95) == predictions["new"].levels
    predictions.save(tmp_path / "x.npz")
    read = Predictions.load(tmp_path / "x.npz")

    for loss in ("normal_score", "quantile_score"):
        tests = {"paired_t": {"loss": loss}}
        comparison = compare(Y, forecasts, scoring=MAE, tests=tests)
        row, mae = comparison.results[loss], comparison.results[MAE]
        stored = PairedLosses.from_pair(read.pair(*BOTH), loss=loss)
        assert paired_t(stored).pvalue == row.pvalue
        assert_allclose(mae.challenger, -mean_absolute_error(Y, NEW), rtol=1e-12)
    scores = [-norm.logpdf(Y, own, s).mean() for own, s in ((OLD, 1.2), (NEW, 0.9))]
    row = compare(
        Y, forecasts, scoring=MAE, tests={"paired_t": {"loss": "normal_score"}}
    ).results["normal_score"]
    assert_allclose((row.champion, row.challenger), scores, rtol=1e-12)


def test_uncertain_forecasts_by_an_expression(forecast_losses):
    """An expression of numbers receives their deviations too."""

    @record_loss("scaled", target="numbers", needs="std", expression=True)
    def scaled(ops, y, values, std):
        return (y - values) * (y - values) / std

    forecasts = {name: {"values": own, "std": 2 + Y**2} for name, own in BOTH.items()}
    tests = {"paired_t": {"loss": "scaled"}}
    row = compare(Y, forecasts, scoring=MAE, tests=tests).results["scaled"]
    assert_allclose(row.champion, ((Y - OLD) ** 2 / (2 + Y**2)).mean(), rtol=1e-12)
    with pytest.raises(ValueError, match=r"Got target='classes'\. Pass target='numbers'"):
        record_loss("width", needs="quantiles")


def test_forecasts_in_another_order():
    """An index in another order is found within a forecast too."""
    index = np.arange(240)[::-1]
    limits = pd.DataFrame({"low": Y - 1, "high": Y + 1}, index=index)
    for part in ({"std": limits["high"] - limits["low"]}, {"intervals": {0.5: limits}}):
        forecasts = {"old": OLD, "new": {"values": pd.Series(NEW), **part}}
        with pytest.raises(ValueError, match="same index in different orders"):
            compare(pd.Series(Y), forecasts, scoring=MAE)


def test_quantiles_of_other_levels(forecast_losses):
    """Losses of other quantiles do not show who is better."""
    forecasts = {
        name: {"values": Y, "intervals": {coverage: (Y - 1, Y + 1)}}
        for name, coverage in (("old", 0.9), ("new", 0.8))
    }
    tests = {"paired_t": {"loss": "quantile_score"}}
    with pytest.raises(ValueError, match=r"Got \(0\.05, 0\.95\) and \(0\.1, 0\.9\)"):
        compare(Y, forecasts, scoring=MAE, tests=tests)
    assert {MAE} == {row.measure for row in compare(Y, forecasts, scoring=MAE).rows}


def test_quantiles_by_level():
    """Quantiles stand in the order of their levels, and the middle one is the number."""
    arrays = {0.9: Y + 2, 0.5: Y, 0.1: Y - 1}
    forecast = predictions_from_arrays(
        Y, {"one": {"quantiles": arrays}, "other": OLD}, target="numbers"
    )["one"]

    assert (0.1, 0.5, 0.9) == forecast.levels
    assert_array_equal(Y, forecast.values)
    assert_array_equal(np.column_stack([Y - 1, Y, Y + 2]), forecast.quantiles)
    assert (3, 3) == forecast.part(slice(0, 3)).quantiles.shape
    limits = np.stack([Y - 1, Y + 2], axis=1)
    for array in (limits, limits[:, :, None], pd.DataFrame(limits)):
        own = {"one": {"values": Y, "intervals": {0.8: array}}, "other": OLD}
        forecast = predictions_from_arrays(Y, own, target="numbers")["one"]
        assert (0.1, 0.9) == forecast.levels
        assert_array_equal(limits, forecast.quantiles)


@pytest.mark.parametrize(
    ("forecast", "message"),
    [
        ({"std": Y**2}, "must have 'values' or the quantile of level 0.5"),
        ({"values": Y, "quantils": {0.5: Y}}, "Got 'values', 'quantils'"),
        ({"values": Y, "quantiles": {50: Y}}, r"between 0 and 1 as keys\. Got 50"),
        ({"values": Y, "quantiles": {"0.5": Y}}, r"between 0 and 1 as keys\. Got '0\.5'"),
        ({"values": Y, "quantiles": OLD}, "must be a dict"),
        ({"values": Y, "intervals": {90: (Y, Y)}}, r"as keys\. Got 90"),
        ({"values": Y, "intervals": {0.9: [Y, Y]}}, r"Got shape \(2, 240\)"),
        ({"values": Y, "intervals": {0.9: {"low": Y, "high": Y}}}, r"Got shape \(1,\)"),
        (
            {"values": Y, "quantiles": {0.05: Y}, "intervals": {0.9: (Y, Y)}},
            r"each quantile once\. Got the levels \[0\.05, 0\.05, 0\.95\]",
        ),
        ({"values": Y, "std": 1.0}, r"`std of one` must be numbers of shape"),
        ({"values": Y, "std": Y}, "`std of one` must be positive"),
        ({"values": Y, "std": Y[:3] ** 2}, "one has 240, std of one has 3"),
        ({"quantiles": {0.1: Y, 0.5: np.roll(Y, 1)}}, "records where they do"),
        ({"values": Y, "intervals": {0.9: np.full((240, 2), np.nan)}}, "must be finite"),
    ],
)
def test_impossible_forecasts(forecast, message):
    """What a forecast lacks or contradicts is one clear line."""
    with pytest.raises(ValueError, match=message):
        compare(Y, {"one": forecast, "other": OLD}, scoring=MAE)


def test_standard_deviations_of_regressors(forecast_losses):
    """Deviations are asked of regressors, and quantiles have to be passed."""
    settings = {"scoring": MAE, "random_state": 0}
    pair = BayesianRidge(), BayesianRidge(fit_intercept=False)
    settings["cv"] = KFold(4, shuffle=True, random_state=0)
    tests = {"paired_t": {"loss": "normal_score"}}
    comparator = PairedComparator(*pair, tests=tests, **settings).fit(X, TARGET)
    champion = comparator.predictions_["champion"]
    losses = comparator.comparison_.results["normal_score"].champion

    expected = -norm.logpdf(
        comparator.predictions_.y_predicted(), champion.values, champion.std
    )
    assert_allclose(losses, expected.mean(), rtol=1e-12)
    with pytest.raises(TypeError, match="a requested loss needs standard deviations"):
        PairedComparator(pair[0], Ridge(), tests=tests, **settings).fit(X, TARGET)
    tests = {"paired_t": {"loss": "quantile_score"}}
    with pytest.raises(ValueError, match="needs quantiles, and champion predicts none"):
        PairedComparator(*pair, tests=tests, **settings).fit(X, TARGET)


@pytest.mark.parametrize(
    ("cv", "test", "n_splits"),
    [
        (None, "bcv_jackknife_t", 10),
        (KFold(5, shuffle=True, random_state=0), "corrected_repeated_kfold_t", 5),
    ],
)
def test_fitted_regressors(cv, test, n_splits):
    """Regressors are fitted on splits that are not stratified."""
    pair = DecisionTreeRegressor(max_depth=2), Ridge()
    comparator = PairedComparator(*pair, cv=cv, scoring=MAE, random_state=0).fit(X, TARGET)
    (row,) = comparator.comparison_.rows
    predictions = comparator.predictions_
    scores = [
        mean_absolute_error(
            TARGET[test], Ridge().fit(X[train], TARGET[train]).predict(X[test])
        )
        for train, test in comparator.cv_.split(X, TARGET)
    ]

    assert (test, n_splits) == (row.test, predictions.n_splits)
    assert_allclose(row.challenger, -np.mean(scores), rtol=0.01)
    assert row.pvalue > 0
    assert not hasattr(comparator, "classes_")


def test_same_regressor_twice():
    """Two equal regressors differ by 0, with p = 1."""
    pair = Ridge(), Ridge()
    comparison = PairedComparator(*pair, scoring=MAE).fit(X, TARGET).comparison_

    assert (0, 1) == (comparison.rows[0].difference, comparison.rows[0].pvalue)


def test_selected_regressor():
    """With refit=True the comparator is a regressor, after classifiers were compared."""
    comparator = PairedComparator(DummyRegressor(), Ridge(1e-3), scoring=MAE, refit=True)

    assert is_regressor(comparator)
    assert not is_classifier(comparator)
    comparator.fit(X, TARGET)
    assert_allclose(
        comparator.predict(X), comparator.selected_estimator_.predict(X), rtol=1e-12
    )
    classifiers = DummyClassifier(), DummyClassifier(strategy="prior")
    comparator.set_params(champion=classifiers[0], challenger=classifiers[1])
    comparator.set_params(scoring="accuracy").fit(X, TARGET > 100)
    assert [False, True] == comparator.classes_.tolist()
    comparator.set_params(champion=Lasso(), challenger=Ridge(), scoring=MAE).fit(X, TARGET)
    assert not hasattr(comparator, "classes_")


def test_trained_regressors():
    """Fitted regressors are compared on a hold-out set."""
    pair = [model.fit(X[:60], TARGET[:60]) for model in (DecisionTreeRegressor(), Ridge())]
    comparator = PairedComparator(*pair, cv="prefit", scoring=MAE).fit(X[60:], TARGET[60:])
    errors = [np.abs(model.predict(X[60:]) - TARGET[60:]) for model in pair]

    assert_allclose(comparator.comparison_.rows[0].pvalue, ttest_rel(*errors).pvalue)


def test_several_regressors():
    """Each pair of three regressors has a test."""
    models = [("mean", DummyRegressor()), ("ridge", Ridge()), ("lasso", Lasso())]
    comparison = MultipleComparator(models, scoring=MAE).fit(X, TARGET).comparison_

    assert 3 == len(comparison.pairs)
    assert all(0 < pair.pvalue <= 1 for pair in comparison.pairs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scoring": [MAE, "accuracy"]}, "must be about one target"),
        ({"pos_label": 1}, "`pos_label` is about classes"),
        ({"labels": [0, 1]}, "`labels` is about classes"),
        ({"tests": "mcnemar"}, "mcnemar is for classes"),
        ({"data": None}, "needs true numbers. Got none"),
        ({"data": np.append(Y[1:], np.nan)}, "`y_true` must be finite numbers. Got 1"),
        ({"data": Y[1:]}, "y_true has 239"),
        ({"data": np.column_stack([Y, Y])}, "each of 2 outputs of a record. Got 1"),
        ({"data": ["a"] * len(Y)}, "`y_true` must be numbers"),
        ({"data": Y.astype(str)}, "`y_true` must be numbers"),
        ({"data": Y + 0j}, "`y_true` must be numbers.*complex"),
        ({"data": Y * 1e200}, r"at most 1e\+140.*a greater unit"),
    ],
)
def test_unsuited_arguments(arguments, message):
    """What is about classes, or no numbers, is refused in one line."""
    settings = {"data": Y, "predictions": BOTH, "scoring": MAE} | arguments
    with pytest.raises(ValueError, match=message):
        compare(**settings)


def test_unsuited_estimators():
    """Classifiers and regressors are compared by measures of their own."""
    with pytest.raises(ValueError, match=r"a regressor. Got the classifier Dummy.*'accu"):
        PairedComparator(DummyClassifier(), Ridge(), scoring=MAE).fit(X, TARGET)
    with pytest.raises(ValueError, match=r"a classifier. Got the regressor Ridge.*'r2'"):
        PairedComparator(Ridge(), Ridge(), scoring="accuracy").fit(X, TARGET > 100)
    with pytest.raises(ValueError, match=r"a classifier. Got the regressor Ridge.*'r2'"):
        PairedComparator(Ridge(), DummyClassifier()).fit(X, TARGET > 100)


def test_positive_class_is_refused_before_fitting():
    """No regressor is fitted where an option is about classes."""
    with pytest.raises(ValueError, match="`pos_label` is about classes"):
        PairedComparator(Ridge(), Lasso(), scoring=MAE, pos_label=1).fit(X[:1], TARGET[:1])


def test_loss_of_the_other_target():
    """A loss of classes does not score numbers."""
    pair = predictions_from_arrays(Y, BOTH, target="numbers").pair("old", "new")
    with pytest.raises(ValueError, match="is of predicted classes, and the target is num"):
        PairedLosses.from_pair(pair, loss="log_loss")
    assert "absolute_error" == PairedLosses.from_pair(pair).loss


def test_default_measures():
    """R² is compared as the mean squared errors are, given the targets."""
    comparison = compare(Y, BOTH)
    first, second, third = comparison.rows
    squares = [(Y - numbers) ** 2 / Y.var() for numbers in (OLD, NEW)]
    expected = ttest_rel(*squares)

    assert DEFAULTS == [row.measure for row in (first, second, third)]
    assert_allclose(first.champion, r2_score(Y, OLD), rtol=1e-12)
    assert_allclose(first.challenger, r2_score(Y, NEW), rtol=1e-12)
    assert_allclose(first.pvalue, expected.pvalue, rtol=1e-10)
    assert_allclose((first.low, first.high), expected.confidence_interval(), rtol=1e-9)
    assert first.note.startswith("tests the mean squared error over the variance")
    assert "squared error over the variance" in str(comparison)
    (d2,) = compare(Y, BOTH, scoring="d2_absolute_error_score").rows
    assert_allclose(d2.challenger, d2_absolute_error_score(Y, NEW), rtol=1e-12)


@pytest.mark.parametrize(
    ("y", "first", "is_numeric"),
    [
        ([1, 2, 3, 5], [1.5, 2.5, 3.5, 5.5], True),
        ([1.5, 2, 3, 5], [1, 2, 3, 5], True),
        ([1, 2, 3, 5], {"values": [1, 2, 3, 5]}, True),
        ([0, 1, 0, 1], [0.25, 0.75, 0.5, 0.75], False),
        ([0, 1, 0, 1], [0, 1, 1, 1], False),
    ],
)
def test_target_is_told_by_the_numbers(y, first, is_numeric):
    """Numbers are what cannot be labels or probabilities."""
    comparison = compare(y, {"old": first, "new": y if is_numeric else [1, 1, 0, 1]})

    assert is_numeric == (comparison.rows[0].measure == "r2")


def test_whole_numbers_are_labels_unless_a_measure_says_otherwise():
    with pytest.raises(ValueError, match=r"Code them in.*compared by a measure of numb"):
        compare([1, 2, 5], {"old": [1, 2, 4], "new": [1, 2, 7]})


def test_default_measures_of_regressors_and_columns(tmp_path):
    """Estimators, frames and files have the same default as arrays."""
    frame = pd.DataFrame({"y": Y, **BOTH})
    frame.to_csv(tmp_path / "x.csv", index=False)
    expected = compare(Y, BOTH).rows
    for data in (frame, str(tmp_path / "x.csv")):
        assert (
            expected[0].pvalue
            == compare(data, {n: n for n in BOTH}, y_true="y").rows[0].pvalue
        )
    pair = PairedComparator(Ridge(), Lasso(), cv="prefit", scoring=None)
    pair.set_params(champion=Ridge().fit(X, TARGET), challenger=Lasso().fit(X, TARGET))
    rows = pair.fit(X, TARGET).comparison_.rows
    assert DEFAULTS == [row.measure for row in rows]
    assert_allclose(rows[0].champion, pair.champion.score(X, TARGET))


def own_mean_error(y, predicted):
    return np.abs(y - predicted).mean()


ERROR = {"greater_is_better": False}


@pytest.mark.parametrize(
    ("metric", "options", "test", "in_blocks"),
    [
        (mean_pinball_loss, {"alpha": 0.9, **ERROR}, "paired_t", True),
        (mean_pinball_loss, {"alpha": 0.9}, "paired_t", True),
        (mean_tweedie_deviance, {"power": 1.5, **ERROR}, "paired_t", True),
        (d2_pinball_score, {"alpha": 0.9}, "influence_difference", True),
        (d2_pinball_score, {}, "paired_t", True),
        (d2_tweedie_score, {"power": 1.5}, "influence_difference", True),
        (d2_tweedie_score, {"power": 2}, "influence_difference", True),
        (r2_score, {}, "paired_t", True),
        (root_mean_squared_error, ERROR, "influence_difference", True),
        (root_mean_squared_error, {}, "bootstrap_difference", False),
        (max_error, ERROR, None, False),
        (r2_score, {"force_finite": False}, "bootstrap_difference", False),
        (r2_score, ERROR, "bootstrap_difference", False),
        (own_mean_error, ERROR, "bootstrap_difference", False),
    ],
)
def test_scorer_without_a_name(metric, options, test, in_blocks):
    """A metric of scikit-learn has its own tests, and another one those of any score."""
    scorer, known = make_scorer(metric, **options), {**options}
    sign = 1 if known.pop("greater_is_better", True) else -1
    y, old, new = (np.abs(array) + 0.1 for array in (Y, OLD, NEW))
    (row,) = compare(y, {"old": old, "new": new}, scoring=scorer).rows
    cv = BlockRegularized5x2CV(stratify=False, random_state=0)
    pair = PairedComparator(Ridge(), Ridge(alpha=9), scoring=scorer, cv=cv, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There will be no verdict")
        of_blocks = pair.fit(X, TARGET).comparison_.rows[0]

    assert_allclose(row.challenger, sign * metric(y, new, **known), rtol=1e-12)
    assert test == row.test
    assert ("bcv_jackknife_t" if in_blocks else None) == of_blocks.test


def test_options_of_scorers():
    """Options of a metric are those of the loss, and a loss is one however it is passed."""
    scoring = {
        "loss": make_scorer(mean_pinball_loss, alpha=0.9),
        "score": make_scorer(mean_pinball_loss, alpha=0.9, greater_is_better=False),
    }
    expected = paired_t(Y, OLD, NEW, loss="pinball_loss", alpha=0.9)
    models = {"ridge": Ridge(), "lasso": Lasso(), "flat": DummyRegressor()}
    fitted = [(name, model.fit(X[:60], TARGET[:60])) for name, model in models.items()]
    several = MultipleComparator(
        fitted, scoring={"p": scoring["score"]}, adjust="max-t", cv="prefit"
    )
    pairs = several.fit(X[60:], TARGET[60:]).comparison_.comparisons[0].pairs
    predicted = [models[name].predict(X[60:]) for name in ("ridge", "lasso")]
    of_pair = paired_t(TARGET[60:], *predicted, loss="pinball_loss", alpha=0.9)

    for row in compare(Y, BOTH, scoring={**scoring, "error": MAE}).rows[:2]:
        assert_allclose((row.pvalue, row.difference), (expected.pvalue, expected.estimate))
    (pair,) = [own for own in pairs if {own.champion, own.challenger} == {"ridge", "lasso"}]
    assert_allclose(abs(pair.difference), abs(of_pair.estimate))


def test_equal_targets_have_no_r2():
    with pytest.raises(ValueError, match="targets that are all equal"):
        compare(np.full(9, 1.5), {"old": OLD[:9], "new": NEW[:9]}, scoring="r2")


def test_relative_losses_do_not_merge():
    """Shards have targets of their own, to which their losses are relative."""
    halves = [
        PairedLosses.from_predictions(*arrays, loss="relative_squared_error")
        for arrays in zip(*(np.split(array, 2) for array in (Y, OLD, NEW)), strict=True)
    ]
    with pytest.raises(ValueError, match="relative to the targets of all records"):
        sum(halves)


@pytest.fixture(scope="module")
def cross_validated():
    """Outputs of `cross_validate` of both regressors, and of them as one estimator."""
    cv = BlockRegularized5x2CV(stratify=False, random_state=0)
    keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    pair = PairedEstimator(Ridge(), Lasso(), random_state=0)
    outputs = [
        cross_validate(estimator, X, TARGET, **keep) for estimator in (Ridge(), Lasso())
    ]
    scorer = make_paired_scorer()
    return cv, *outputs, cross_validate(pair, X, TARGET, scoring=scorer, **keep)


def test_pair_of_regressors(cross_validated):
    """A pair of regressors is a regressor, scored by R² and the mean absolute error."""
    _, old, new, both = cross_validated
    scores = {name[5:] for name in both if name.startswith("test_")}

    assert is_regressor(PairedEstimator(Ridge(), Lasso()))
    assert not hasattr(both["estimator"][0], "classes_")
    assert {f"{m}_{r}" for m in DEFAULTS for r in (*ROLES, "difference")} == scores
    assert_allclose(both["test_r2_champion"], old["test_score"])
    assert_allclose(both["test_r2_challenger"], new["test_score"])
    with pytest.raises(ValueError, match=r"a classifier. Got the regressor Ridge.*'r2'"):
        make_paired_scorer("accuracy")(both["estimator"][0], X, TARGET)
    assert ["make_paired_scorer()", "make_paired_scorer('r2')"] == [
        repr(make_paired_scorer(*scoring)) for scoring in ((), ("r2",))
    ]


def test_outputs_of_cross_validate(cross_validated):
    """Trained regressors are compared as the comparator does on the same splits."""
    cv, old, new, both = cross_validated
    expected = PairedComparator(Ridge(), Lasso(), cv=cv, scoring=MAE).fit(X, TARGET)
    (row,) = expected.comparison_.rows

    for outputs in ((old, new), (both,)):
        compared = compare_cv_results(*outputs, X=X, y=TARGET, cv=cv, scoring=MAE)
        assert row.pvalue == compared.rows[0].pvalue
    with pytest.raises(ValueError, match=r"must be a classifier. Got the regressor"):
        compare_cv_results(old, new, X, TARGET, cv=cv, scoring="accuracy")


def test_number_of_folds_of_outputs():
    """Whole numbers that regressors predict are no classes to stratify by."""
    keep = {"cv": 4, "return_estimator": True, "return_indices": True}
    outputs = [cross_validate(model, X, TARGET, **keep) for model in (Ridge(), Lasso())]
    inferred, stated = (
        compare_cv_results(*outputs, X, TARGET, cv=cv, scoring=MAE) for cv in (None, 4)
    )

    assert inferred.rows[0].pvalue == stated.rows[0].pvalue
    scores = ScoreDifferences.from_cv_results(*outputs, X, TARGET, cv=4)
    assert "4-fold cross-validation" == str(scores.design)


def test_measure_of_classes():
    """Predicted numbers are not taken for probabilities by a measure of classes."""
    numbers = {"old": TARGET + 0.5, "new": TARGET - 0.5}
    with pytest.raises(ValueError, match=r"Got numbers from .*measure of numbers.*'r2'"):
        compare(TARGET, numbers, scoring="accuracy")


def test_prior_of_a_gaussian_process():
    """A regressor that predicts before it is fitted is not taken for a fitted one."""
    pair = BayesianRidge(), GaussianProcessRegressor(alpha=1.0, optimizer=None)
    comparator = PairedComparator(*pair, scoring="neg_crps_normal").fit(X, TARGET)
    assert () == comparator.comparison_.flags

    fitted = pair[0].fit(X, TARGET), Ridge()
    comparator = PairedComparator(*fitted, scoring=MAE).fit(X, TARGET)
    assert ("refitted",) == comparator.comparison_.flags


def test_advised_folds_are_not_stratified():
    """A score without a test is referred to folds that a target of numbers can have."""
    pair = PairedComparator(Ridge(), Lasso(), scoring="neg_median_absolute_error")
    with pytest.warns(UserWarning, match=r"\(cv=KFold\(10, shuffle=True\)\)"):
        pair.fit(X, TARGET)


def test_several_outputs_at_once(cross_validated):
    """`cross_compare` scores regressors by their own score, and keeps what they predict."""
    cv, old, _, _ = cross_validated
    models = {"old": Ridge(), "new": Lasso()}
    results = cross_compare(models, X, TARGET, cv=cv, return_predictions=True)

    assert_allclose(results["test_score_old"], old["test_score"])
    assert results.predictions.is_numeric
    with pytest.raises(ValueError, match=r"is of classes, and the predictions are numbers"):
        cross_compare(models, X, TARGET, scoring="accuracy")
    with pytest.raises(ValueError, match=r"must be a classifier. Got the regressor"):
        cross_compare(models | {"other": DummyClassifier()}, X, TARGET)


@pytest.mark.parametrize("factor", [1e-14, 1e-60, 1e60])
def test_units_of_the_target(factor):
    """The unit of the target changes no p-value, however small or large numbers become."""
    few = [array[:40] for array in (Y, OLD, NEW)]
    scaled = [factor * array for array in few]
    tests = [(test, {"loss": loss}) for test in OF_LOSSES for loss in LOSSES_WITH_UNITS]
    tests += [(error_correlation, {"loss": "absolute_error", "method": "spearman"})]
    tests += [(influence_difference, {"score": name}) for name in DEFAULTS[::2]]
    draws = {"n_resamples": 99, "random_state": 0, "score": DEFAULTS[2]}
    tests += [(test, draws) for test in (bootstrap_difference, permutation_difference)]

    for test, options in tests:
        expected, result = test(*few, **options), test(*scaled, **options)
        assert expected.pvalue < 1
        assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9, err_msg=str(options))


@pytest.mark.parametrize(
    "name", [MAE, "neg_mean_squared_error", "neg_median_absolute_error"]
)
def test_units_of_resampled_losses(name):
    """Nor does it change what tests of any score find of losses, however small."""
    draws = {"n_resamples": 99}
    tests = {
        "bootstrap_difference": draws | {"method": "bca"},
        "permutation_difference": draws,
        "influence_difference": {},
    }
    found = []
    for factor in (1.0, 1e-14, 1e-60):
        y, *both = (factor * array[:40] for array in (Y, OLD, NEW))
        results = compare(y, dict(zip("ab", both)), scoring=name, tests=tests).results
        assert not any("degenerate" in results[test].flags for test in tests)
        found.append([results[test].pvalue for test in tests])

    assert max(found[0]) < 1
    assert_allclose(found[1:], [found[0]] * 2, rtol=1e-9)


@pytest.mark.parametrize("factor", [1.0, 1e-15])
def test_equal_gains_of_any_unit(factor):
    """A gain of all records alike has no standard error, and is no rounding error."""
    y, both = np.zeros(12), {"a": np.full(12, 2 * factor), "b": np.full(12, factor)}
    tests = {"bootstrap_difference": {"n_resamples": 99}, "influence_difference": {}}
    results = compare(y, both, scoring=MAE, tests=tests).results

    for test in tests:
        assert "zero-variance" in results[test].flags
        assert (-np.inf, np.inf) == results[test].confidence_interval()


def test_targets_too_small_for_their_squares():
    """An influence that cannot be computed is flagged, and no p-value in silence."""
    with np.errstate(all="ignore"):
        result = influence_difference(
            *(1e-200 * array for array in (Y, OLD, NEW)), score="d2_absolute_error_score"
        )

    assert np.isnan(result.pvalue)
    assert "zero-variance" in result.flags


def test_note_on_a_measure_is_printed_once():
    """Two tests of R² share one note, about the measure."""
    text = str(compare(Y, BOTH, tests=["wilcoxon"]))

    assert 1 == text.count("tests the mean squared error over")


def test_equal_predictions_need_no_resampling():
    """Without any difference p is 1, and the flag of few differences says nothing."""
    rows = compare(Y, {"old": OLD, "new": OLD}).rows

    assert {("degenerate",)} == {row.flags for row in rows}


@pytest.mark.parametrize("scoring", [None, "r2"])
def test_decimal_commas(scoring, tmp_path):
    """Numbers with a decimal comma are text, and the message says what to do."""
    path = tmp_path / "table.csv"
    pd.DataFrame({"y": Y, **BOTH}).to_csv(path, index=False, decimal=",")

    with pytest.raises(ValueError, match=r"decimal comma, such as '.*decimal=','"):
        compare(str(path), {"old": "old", "new": "new"}, y_true="y", scoring=scoring)


@pytest.mark.parametrize(
    ("estimator", "chance"),
    [
        (Ridge(), False),
        (Ridge(solver="sag"), True),
        (Lasso(selection="random"), True),
        (make_pipeline(StandardScaler(), Lasso()), False),
        (make_pipeline(StandardScaler(), SGDRegressor()), True),
        (BayesianRidge(), False),
        (DecisionTreeRegressor(), True),
    ],
)
def test_chance_of_learners(estimator, chance):
    """Learners without a seed, or with one that they do not use, train without chance."""
    assert chance is has_chance(estimator)


def test_no_chance_where_training_has_none():
    """A pair of learners without chance is not advised to train more steadily."""
    rng = np.random.default_rng(3)
    records = rng.normal(size=(60, 3))
    target = records[:, 0] + rng.normal(size=60)
    flags = set()
    for seed in range(12):
        cv = BlockRegularized5x2CV(stratify=False, random_state=seed)
        for other in (Lasso(0.2), SGDRegressor(random_state=0)):
            pair = PairedComparator(Ridge(), other, cv=cv, random_state=0)
            own = pair.fit(records, target).comparison_.rows[0].flags
            flags |= {(type(other).__name__, flag) for flag in own}

    assert ("Lasso", "unstable-training") not in flags
    assert ("SGDRegressor", "unstable-training") in flags
