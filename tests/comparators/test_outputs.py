"""Several outputs: their weighted mean, one of them, and each with joint p-values."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_rel
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import (
    explained_variance_score,
    make_scorer,
    max_error,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    r2_score,
    root_mean_squared_error,
)
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsRegressor

from skcompare import (
    Comparison,
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    compare_cv_results,
    cross_compare,
    make_paired_scorer,
)
from skcompare._analysis.measures import PairScores
from skcompare.evidence import PairedLosses, ScoredPair, record_loss
from skcompare.metrics import PairedScorer, resolve_scoring, score_differences, scored_pair
from skcompare.plots import ForestDisplay, GainByRangeDisplay, LossDifferenceDisplay
from skcompare.predictions import (
    Predictions,
    predictions_from_arrays,
    predictions_from_frame,
)
from skcompare.stats import (
    bootstrap_difference,
    influence_difference,
    margin_test,
    paired_t,
)

MAE, MSE, RMSE = (
    "neg_mean_absolute_error",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
)
NAMES = ["u", "v", "w"]
WEIGHTS = [0.2, 0.3, 0.5]
N = 120
RNG = np.random.default_rng(0)
Y = RNG.normal(size=(N, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 9]])
OLD = Y + RNG.normal(size=(N, 3)) * [1, 1, 5]
NEW = Y + 0.8 * RNG.normal(size=(N, 3)) * [1, 1, 5]
BOTH = {"old": OLD, "new": NEW}
FRAME = pd.DataFrame(Y, columns=NAMES)
X = RNG.normal(size=(N, 4))
TARGETS = X[:, :3] * [1, 2, 3] + RNG.normal(size=(N, 3))


def rows_of(scoring, y=FRAME, both=BOTH, **options):
    """The rows of a comparison, by their subjects."""
    rows = compare(y, both, scoring=scoring, **options).rows
    return {row.subject: row for row in rows}


@pytest.mark.parametrize(
    ("name", "metric", "sign"),
    [
        (MSE, mean_squared_error, -1),
        (MAE, mean_absolute_error, -1),
        (RMSE, root_mean_squared_error, -1),
        ("neg_mean_pinball_loss", mean_pinball_loss, -1),
        ("r2", r2_score, 1),
        ("explained_variance", explained_variance_score, 1),
    ],
)
def test_averages_are_those_of_sklearn(name, metric, sign):
    """Equal weights by default, weights in brackets, which are divided by their sum."""
    weighted, times_ten = f"{name}[0.2,0.3,0.5]", f"{name}[2, 3, 5]"
    named = f"{name}[uniform_average]"
    rows = rows_of([name, weighted, times_ten, named])
    averages = dict.fromkeys((name, named), "uniform_average")
    averages |= dict.fromkeys((weighted, times_ten), WEIGHTS)

    for subject, multioutput in averages.items():
        row = rows[subject]
        values = [metric(Y, own, multioutput=multioutput) for own in BOTH.values()]
        assert_allclose((row.champion, row.challenger), sign * np.array(values), rtol=1e-12)
        assert_allclose(row.difference, sign * (values[1] - values[0]), rtol=1e-11)
        assert 0 < row.pvalue < 1


@pytest.mark.parametrize(
    ("name", "metric"), [("r2", r2_score), ("explained_variance", explained_variance_score)]
)
def test_weighted_by_variances(name, metric):
    """Outputs may weigh as much as their targets vary."""
    (row,) = rows_of(f"{name}[variance_weighted]").values()
    values = [metric(Y, own, multioutput="variance_weighted") for own in BOTH.values()]

    assert_allclose((row.champion, row.challenger), values, rtol=1e-12)


def test_pvalue_is_that_of_mean_losses():
    """The test of the averaged losses is that of scipy."""
    rows = rows_of([MSE, f"{MAE}[0.2,0.3,0.5]"])
    squared = [((own - Y) ** 2).mean(axis=1) for own in BOTH.values()]
    absolute = [np.abs(own - Y) @ WEIGHTS for own in BOTH.values()]

    assert_allclose(rows[MSE].pvalue, ttest_rel(*squared).pvalue, rtol=1e-11)
    assert_allclose(
        rows[f"{MAE}[0.2,0.3,0.5]"].pvalue, ttest_rel(*absolute).pvalue, rtol=1e-11
    )


def test_an_output_is_the_ordinary_case():
    """The row of one output is what a comparison of that output gives, exactly."""
    measures = [MAE, RMSE, "r2", "kendall_tau"]
    rows = rows_of([f"{measure}[v]" for measure in measures])
    alone = rows_of(measures, Y[:, 1], {name: own[:, 1] for name, own in BOTH.items()})

    for measure in measures:
        row, expected = rows[f"{measure}[v]"], alone[measure]
        assert (row.label, row.measure) == ("v", measure)
        assert (row.champion, row.challenger) == (expected.champion, expected.challenger)
        assert (row.pvalue, row.low, row.high) == (
            expected.pvalue,
            expected.low,
            expected.high,
        )


def test_one_column_is_the_ordinary_case():
    """A single output in a table is a vector."""
    one = {name: own[:, :1] for name, own in BOTH.items()}
    vectors = {name: own[:, 0] for name, own in BOTH.items()}
    table, vector = compare(Y[:, :1], one), compare(Y[:, 0], vectors)

    assert table.fingerprint == vector.fingerprint
    assert [row.pvalue for row in table.rows] == [row.pvalue for row in vector.rows]


def test_each_output_beside_the_mean():
    """With "raw_values" the verdict is about the mean, and each output has a row."""
    comparison = compare(FRAME, BOTH, scoring=[f"{MAE}[raw_values]", "r2[raw_values]"])
    subjects = [row.subject for row in comparison.rows]
    raw = mean_absolute_error(Y, NEW, multioutput="raw_values")

    assert [MAE, *(f"{MAE}[{name}]" for name in NAMES)] == subjects[:4]
    assert [f"r2[{name}]" for name in NAMES] == subjects[4:]
    assert [True] + [False] * 6 == [row.primary for row in comparison.rows]
    assert_allclose([-row.challenger for row in comparison.rows[1:4]], raw, rtol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("groups", [None, np.arange(N) // 2])
def test_joint_pvalues(alternative, groups):
    """They are no smaller than raw ones, and intervals exclude 0 exactly below alpha."""
    for scoring in ([f"{MAE}[raw_values]"], [f"{RMSE}[raw_values]", "r2[raw_values]"]):
        for alpha in (0.05, 0.001):
            comparison = compare(
                FRAME,
                BOTH,
                scoring=scoring,
                adjust="max-t",
                alternative=alternative,
                alpha=alpha,
                groups=groups,
            )
            first, *others = comparison.rows
            assert first.adjusted_pvalue is None
            for row in others:
                assert row.pvalue <= row.adjusted_pvalue <= 1
                excludes = not row.low <= 0 <= row.high
                assert excludes == (row.adjusted_pvalue < alpha)


def test_joint_pvalues_of_alike_and_of_unrelated_outputs():
    """Copies of one output need no adjustment, and independent ones that of Sidak."""
    copies = {name: np.repeat(own[:, :1], 3, axis=1) for name, own in BOTH.items()}
    rows = rows_of(
        f"{MAE}[raw_values]", np.repeat(Y[:, :1], 3, axis=1), copies, adjust="max-t"
    )
    for row in list(rows.values())[1:]:
        assert_allclose(row.adjusted_pvalue, row.pvalue, atol=4 * 0.5 / 100)
    rng = np.random.default_rng(5)
    y = np.zeros((4000, 3))
    noise = {"a": rng.normal(size=y.shape), "b": rng.normal(size=y.shape)}
    unrelated = rows_of(f"{MAE}[raw_values]", y, noise, adjust="max-t")
    for row in list(unrelated.values())[1:]:
        assert_allclose(row.adjusted_pvalue, 1 - (1 - row.pvalue) ** 3, atol=0.03)


def test_order_of_outputs_and_records_changes_nothing():
    """Outputs and records in another order have the same joint p-values."""
    order, shuffled = ["w", "u", "v"], np.random.default_rng(1).permutation(N)
    columns = [NAMES.index(name) for name in order]
    first = rows_of(f"{RMSE}[raw_values]", adjust="max-t")
    second = rows_of(
        f"{RMSE}[raw_values]",
        FRAME[order].iloc[shuffled].reset_index(drop=True),
        {name: own[shuffled][:, columns] for name, own in BOTH.items()},
        adjust="max-t",
    )

    for subject, row in first.items():
        assert_allclose(row.pvalue, second[subject].pvalue, rtol=1e-9)
        if not row.primary:
            assert row.adjusted_pvalue == second[subject].adjusted_pvalue


def test_equal_and_swapped_predictions():
    """Predictions beside themselves give 0 and p = 1; swapped roles change the sign."""
    scoring = [f"{MAE}[raw_values]", "r2", RMSE, f"{RMSE}[raw_values]"]
    options = {"scoring": scoring, "adjust": "max-t"}
    same = compare(FRAME, {"old": OLD, "same": OLD.copy()}, **options)
    there = compare(FRAME, BOTH, **options)
    back = compare(FRAME, {"a": NEW, "b": OLD}, **options)

    assert {(0.0, 1.0)} == {(row.difference, row.pvalue) for row in same.rows}
    assert {1.0} == {row.adjusted_pvalue for row in same.rows[1:]}
    for row, opposite in zip(there.rows, back.rows, strict=True):
        assert_allclose(row.difference, -opposite.difference, rtol=1e-12)
        assert_allclose(row.pvalue, opposite.pvalue, rtol=1e-9)
        assert row.adjusted_pvalue == opposite.adjusted_pvalue


def test_units_of_outputs():
    """R² and RMSE of one output do not depend on units; a mean of errors does."""
    factors = np.array([1.0, 1000.0, 0.001])
    scaled = {name: own * factors for name, own in BOTH.items()}
    plain, other = (
        rows_of(["r2", "r2[0]", f"{MSE}[0]", MSE], y, both)
        for y, both in ((Y, BOTH), (Y * factors, scaled))
    )

    for subject in ("r2", "r2[0]", f"{MSE}[0]"):
        assert_allclose(plain[subject].pvalue, other[subject].pvalue, rtol=1e-9)
    assert not np.isclose(plain[MSE].pvalue, other[MSE].pvalue)


def test_losses_with_options():
    """Losses, their options and `multioutput` go together, in tests and evidence."""
    weights = {"multioutput": WEIGHTS}
    options = {"loss": "pinball_loss", "alpha": 0.9, **weights}
    expected = [
        mean_pinball_loss(Y, own, alpha=0.9, multioutput=WEIGHTS) for own in BOTH.values()
    ]
    losses = PairedLosses.from_predictions(Y, OLD, NEW, **options)
    comparison = compare(Y, BOTH, scoring=MAE, tests={"paired_t": options})

    assert_allclose(losses.means, expected, rtol=1e-12)
    assert "pinball_loss(alpha=0.9, multioutput=0.2:0.3:0.5)" == losses.loss
    assert comparison.rows[-1].pvalue == paired_t(Y, OLD, NEW, **options).pvalue
    for moments in (True, False):
        kept = {"keep_values": moments, "groups": np.arange(N) // 3}
        grouped = PairedLosses.from_predictions(Y, OLD, NEW, **options, **kept)
        assert_allclose(grouped.means, expected, rtol=1e-12)


def test_shards_merge():
    """Losses of two halves make those of all records, unless they are relative."""
    options = {"loss": "squared_error", "multioutput": WEIGHTS}
    whole = PairedLosses.from_predictions(Y, OLD, NEW, **options)
    first, second = (
        PairedLosses.from_predictions(Y[part], OLD[part], NEW[part], **options)
        for part in (slice(0, 50), slice(50, None))
    )
    relative = PairedLosses.from_predictions(
        Y, OLD, NEW, loss="relative_squared_error", multioutput=WEIGHTS
    )

    assert_allclose((first + second).means, whole.means, rtol=1e-12)
    assert_allclose(paired_t(first + second).pvalue, paired_t(whole).pvalue, rtol=1e-9)
    with pytest.raises(ValueError, match="relative to the targets"):
        relative + relative
    with pytest.raises(ValueError, match="of one kind"):
        whole + PairedLosses.from_predictions(Y, OLD, NEW, loss="squared_error")


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ("r2[x]", "about an output that does not occur. Outputs: 'u', 'v', 'w'"),
        ("r2[7]", "about an output that does not occur"),
        ("r2[1,2]", "must be 3 numbers of at least 0"),
        ("r2[1,2,-1]", "must be 3 numbers of at least 0"),
        ("r2[0,0,0]", "not all of them 0"),
        ("r2[1,nan,1]", "must be 3 numbers of at least 0"),
        ("r2[1,inf,1]", "must be 3 numbers of at least 0"),
        (f"{MAE}[variance_weighted]", "is for R² and the explained variance"),
    ],
)
def test_unsuited_brackets(scoring, message):
    """Unknown outputs and weights that are none end in one line."""
    with pytest.raises(ValueError, match=message):
        compare(FRAME, BOTH, scoring=scoring)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.where(Y == Y[3, 1], np.nan, Y)}, "first at position 3"),
        ({"new": np.where(NEW == NEW[7, 2], np.inf, NEW)}, "first at position 7"),
        ({"new": NEW[:, :2]}, "each of 3 outputs of a record. Got 2"),
        ({"new": NEW[:, 0]}, "each of 3 outputs of a record. Got 1"),
        ({"y": Y[:, 0]}, "each of 1 output of a record. Got 3"),
        ({"new": NEW[1:]}, "new has 119"),
        ({"new": NEW[:, :0]}, r"Pass one column per output"),
        ({"new": NEW[..., None]}, r"\(n_samples, n_outputs\). Got shape"),
        ({"new": NEW.astype(str)}, "`new` must be numbers"),
        (
            {"y": FRAME, "new": pd.DataFrame(NEW, columns=["v", "u", "w"])},
            "in the order of those of `y_true`",
        ),
        ({"y": FRAME.set_axis(["a", "a", "b"], axis=1)}, "3 different ones"),
        ({"y": FRAME.set_axis(["a", "raw_values", "b"], axis=1)}, "must not be named"),
        ({"new": {"values": NEW, "std": NEW[:, 0] ** 2}}, "each of 3 outputs of a rec"),
        ({"new": {"values": NEW, "std": 0 * NEW}}, "must be positive"),
        ({"new": {"samples": NEW}}, "each of 3 outputs of a record. Got 1"),
        ({"new": {"quantiles": {0.1: NEW + 1, 0.5: NEW}}}, "must not fall"),
        ({"new": {"values": NEW, "intervals": {0.9: NEW}}}, "must be a tuple"),
        ({"y": np.ones((N, 3))}, "targets that are all equal"),
    ],
)
def test_unsuited_arrays(change, message):
    """Missing numbers, other shapes and columns in another order end in one line."""
    values = {"y": Y, **BOTH} | change
    with pytest.raises(ValueError, match=message):
        compare(values.pop("y"), values, scoring="r2")


def test_without_outputs():
    """One output takes neither brackets nor weights, and neither do classes."""
    one = {name: own[:, 0] for name, own in BOTH.items()}
    with pytest.raises(ValueError, match="the predictions are of one"):
        compare(Y[:, 0], one, scoring="r2[raw_values]")
    with pytest.raises(ValueError, match="Got one output"):
        paired_t(Y[:, 0], *one.values(), loss="squared_error", multioutput=WEIGHTS)
    with pytest.raises(ValueError, match="`multioutput` is for losses of numbers"):
        paired_t([0, 1], [0.2, 0.7], [0.1, 0.9], multioutput=WEIGHTS)
    with pytest.raises(ValueError, match="a test needs one"):
        paired_t(Y, OLD, NEW, loss="squared_error", multioutput="raw_values")
    with pytest.raises(ValueError, match=r"each of several outputs\. Got two"):
        compare(Y, BOTH, scoring=MAE, adjust="max-t")


def test_joint_pvalues_need_contributions():
    """Tests without contributions of the records are refused by name."""
    options = {"scoring": f"{MAE}[raw_values]", "adjust": "max-t"}
    with pytest.raises(ValueError, match=r"Got neg_mean_absolute_error.* by wilcoxon"):
        compare(FRAME, BOTH, tests=["wilcoxon"], **options)
    with pytest.raises(ValueError, match="on a hold-out"):
        PairedComparator(Ridge(), Lasso(), cv=3, **options).fit(X, TARGETS)


def test_outputs_without_weight():
    """An output of weight 0 may lie outside the domain of a loss."""
    y, old, new = (np.abs(array) + 0.1 for array in (Y, OLD, NEW))
    y[0, 2] = -1.0
    with pytest.raises(ValueError, match="at least 0"):
        PairedLosses.from_predictions(y, old, new, loss="poisson_deviance")
    losses = PairedLosses.from_predictions(
        y, old, new, loss="poisson_deviance", multioutput=[1, 1, 0]
    )

    assert np.isfinite(losses.gain)


def test_own_losses_and_scorers():
    """Registered losses are averaged; functions and scorers of the user take the table."""

    @record_loss("cubed error of an output", target="numbers")
    def cubed(y, predicted):
        """How far is a predicted number from the true one, to the power of 3?"""
        assert y.ndim == 1
        return np.abs(y - predicted) ** 3

    def distance(y, predicted):
        return np.linalg.norm(y - predicted, axis=1)

    cubes = PairedLosses.from_predictions(Y, OLD, NEW, loss="cubed error of an output")
    pair = predictions_from_arrays(Y, BOTH, target="numbers").pair("old", "new")
    scorer = make_scorer(mean_absolute_error, multioutput=WEIGHTS, greater_is_better=False)
    own, largest = (
        score_differences(pair, *resolve_scoring(scoring, "numbers")).means[0]
        for scoring in ({"own": scorer}, "neg_max_error")
    )

    assert_allclose(cubes.means[0], (np.abs(Y - OLD) ** 3).mean(), rtol=1e-12)
    assert_allclose(
        PairedLosses.from_pair(pair, loss=distance).champion, distance(Y, OLD), rtol=1e-12
    )
    assert_allclose(own, -mean_absolute_error(Y, OLD, multioutput=WEIGHTS), rtol=1e-12)
    each = [max_error(Y[:, k], OLD[:, k]) for k in range(3)]
    assert_allclose(largest, -np.mean(each), rtol=1e-12)


def test_scores_of_several_outputs():
    """Scores that are no means of losses are averaged with their influences."""
    pair = predictions_from_arrays(Y, BOTH, target="numbers").pair("old", "new")
    scored = ScoredPair.from_pair(pair)
    result = influence_difference(scored)
    expected = [r2_score(Y, own) for own in BOTH.values()]
    step, weights = 1e-6, np.ones(N)
    weights[scored.rows == 4] += step
    moved = [
        np.subtract(*(r2_score(Y, own, sample_weight=w) for own in (NEW, OLD)))
        for w in (np.where(np.arange(N) == 4, 1 + step, 1.0), np.ones(N))
    ]
    champion, challenger = scored.prepared()
    ones = np.ones((1, N), dtype=np.int32)
    slopes = (challenger.slopes(ones) - champion.slopes(ones))[0]

    assert_allclose((result.champion, result.challenger), expected, rtol=1e-12)
    assert_allclose(slopes[scored.rows == 4], (moved[0] - moved[1]) / step, rtol=1e-4)


def test_reports_and_displays():
    """Rows of outputs survive JSON and pages; displays of one number refuse several."""
    comparison = compare(FRAME, BOTH, scoring=f"{MAE}[raw_values]", adjust="max-t")
    again = Comparison.from_json(comparison.to_json())

    assert "p (max-t)" in str(comparison)
    assert "p-values and intervals of the other rows are adjusted together" in " ".join(
        str(comparison).split()
    )
    assert again.results[f"{MAE}[v]"].adjusted_pvalue == (
        comparison.results[f"{MAE}[v]"].adjusted_pvalue
    )
    assert f"{MAE}[v]" in comparison.to_html(pictures=False)
    assert 4 == len(ForestDisplay.of_result(comparison).frame())
    drawn = LossDifferenceDisplay.of_result(comparison, loss="absolute_error")
    assert_allclose(drawn.finding.estimate, comparison.rows[0].difference)
    with pytest.raises(ValueError, match=r"one number per record.*of 3 outputs"):
        GainByRangeDisplay.of_result(comparison)


def test_saved_predictions(tmp_path):
    """Names and numbers of outputs are stored, and give the same comparison."""
    predictions = predictions_from_arrays(FRAME, BOTH, target="numbers")
    for ending in ("npz", "json"):
        predictions.save(tmp_path / f"p.{ending}")
        loaded = Predictions.load(tmp_path / f"p.{ending}")
        assert tuple(NAMES) == loaded.outputs
        assert_array_equal(Y, loaded.y)
        assert_array_equal(NEW, loaded["new"].values)


def written(frame, path):
    """The path of a file with the columns of a frame, in the format of its suffix."""
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    elif path.suffix == ".npz":
        np.savez(path, **{name: frame[name].to_numpy() for name in frame})
    else:
        frame.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_columns_of_files(tmp_path, ending):
    """Lists of columns give what arrays give, with the names of the true ones."""
    columns = {name: [f"{name}_{own}" for own in NAMES] for name in BOTH}
    tables = [FRAME] + [pd.DataFrame(BOTH[n], columns=columns[n]) for n in BOTH]
    frame = pd.concat(tables, axis=1)
    path = written(frame, tmp_path / f"x.{ending}")
    arrays = compare(FRAME, BOTH, scoring="r2[raw_values]")

    for data in (frame, path):
        same = compare(data, columns, y_true=NAMES, scoring="r2[raw_values]")
        assert [r.subject for r in arrays.rows] == [r.subject for r in same.rows]
        assert arrays.rows[-1].pvalue == same.rows[-1].pvalue
        # They are read, although the sums of one output are enough.
        rows = compare(
            data, columns, y_true=NAMES, scoring="r2[raw_values]", collect=0
        ).rows
        assert repr(same.rows) == repr(rows)
        # The target is numbers without `scoring`.
        assert "r2" == compare(data, columns, y_true=NAMES).rows[0].measure
    with pytest.raises(ValueError, match="each of 3 outputs"):
        compare(path, columns | {"new": columns["new"][:2]}, y_true=NAMES)


def test_whole_numbers_of_outputs():
    """Counts of several outputs are numbers where predictions are no labels."""
    rng = np.random.default_rng(0)
    y = rng.poisson(3, size=(N, 2))
    both = {"old": y + 1.5 * rng.normal(size=y.shape), "new": y + rng.normal(size=y.shape)}

    assert "r2" == compare(y, both).rows[0].measure
    assert (
        "r2"
        == compare(y, {n: np.round(b) for n, b in both.items()}, scoring="r2")
        .rows[0]
        .measure
    )


def test_estimators():
    """Regressors of several outputs are fitted, compared and scored by all doors."""
    y = pd.DataFrame(TARGETS, columns=NAMES)
    models = {"champion": Ridge(alpha=40), "challenger": KNeighborsRegressor()}
    keep = {"cv": 4, "return_estimator": True, "return_indices": True}
    pair = PairedComparator(*models.values(), cv=4, scoring=["r2", f"{MAE}[v]"]).fit(X, y)
    outputs = [cross_validate(model, X, y, **keep) for model in models.values()]
    by_results = compare_cv_results(*outputs, X, y, cv=4, scoring=["r2", f"{MAE}[v]"])
    crossed = cross_compare(models, X, y, return_predictions=True, **keep)
    several = MultipleComparator(
        [*models.items(), ("other", Lasso())], cv=4, scoring=["r2", f"{MAE}[raw_values]"]
    ).fit(X, y)
    alone = PairedComparator(*models.values(), cv=4, scoring=MAE).fit(X, TARGETS[:, 1])

    assert tuple(NAMES) == pair.predictions_.outputs == crossed.predictions.outputs
    rows, same = pair.comparison_.rows, by_results.rows
    assert_allclose([row.pvalue for row in rows], [row.pvalue for row in same], rtol=1e-9)
    assert_allclose(rows[1].pvalue, alone.comparison_.rows[0].pvalue, rtol=1e-6)
    assert 4 == len(several.comparison_.comparisons)
    assert "v" == several.comparison_.comparisons[2].label


def test_trained_regressors():
    """Fitted regressors are judged on a hold-out, each output with joint p-values."""
    old, new = (model.fit(X[:60], TARGETS[:60]) for model in (Lasso(), Ridge()))
    options = {"cv": "prefit", "scoring": f"{MAE}[raw_values]", "adjust": "max-t"}
    rows = PairedComparator(old, new, **options).fit(X[60:], TARGETS[60:]).comparison_.rows
    errors = [np.abs(m.predict(X[60:]) - TARGETS[60:])[:, 2] for m in (old, new)]

    assert_allclose(rows[3].pvalue, ttest_rel(*errors).pvalue, rtol=1e-9)
    with pytest.raises(ValueError, match="each of 2 outputs"):
        PairedComparator(old, new, cv="prefit").fit(X[60:], TARGETS[60:, :2])


def test_paired_scorers():
    """Scorers of a pair and of `cross_compare` take names of outputs and weights."""
    pair = PairedEstimator(Ridge(), KNeighborsRegressor())
    y = pd.DataFrame(TARGETS, columns=NAMES)
    names = ["r2", "r2[v]", f"{MAE}[0.2,0.3,0.5]"]
    scores = cross_validate(pair, X, y, cv=3, scoring=make_paired_scorer(names))
    crossed = cross_compare({"a": Ridge(), "b": Lasso()}, X, y, scoring=["r2[v]"], cv=3)
    expected = cross_validate(Ridge(), X, TARGETS, cv=3, scoring="r2")["test_score"]
    of_v = cross_validate(Ridge(), X, TARGETS[:, 1], cv=3, scoring="r2")["test_score"]

    assert_allclose(scores["test_r2_champion"], expected, rtol=1e-12)
    assert_allclose(scores["test_r2[v]_champion"], of_v, rtol=1e-9)
    assert_allclose(crossed["test_r2[v]_a"], of_v, rtol=1e-9)
    with pytest.raises(ValueError, match="a test needs one"):
        cross_validate(
            pair,
            X,
            y,
            cv=3,
            scoring=make_paired_scorer("r2[raw_values]"),
            error_score="raise",
        )


def test_scorers_against_a_champion():
    """A fitted or stored champion is compared by means over outputs, or by one output."""
    frame = pd.DataFrame(TARGETS, columns=NAMES)
    champion, model = (m.fit(X, TARGETS) for m in (Lasso(0.5), Ridge()))
    stored = champion.predict(X)
    both = {"champion": stored, "challenger": model.predict(X)}
    squared = {"loss": "squared_error", "multioutput": WEIGHTS}
    own = compare(frame, both, scoring=["r2[v]", "r2"], tests=["paired_t"]).rows
    by_loss = paired_t(TARGETS, *both.values(), **squared)

    for scoring, row in zip(["r2[v]", "r2"], own):
        scorer = PairedScorer("influence_difference", champion, scoring=scoring)
        assert_allclose(scorer(model, X, frame), row.difference, rtol=1e-9)
    for fitted, routed in ((champion, {}), (None, {"champion_predictions": stored})):
        scorer = PairedScorer("paired_t", fitted, returns="statistic", **squared)
        assert_allclose(scorer(model, X, frame, **routed), by_loss.statistic, rtol=1e-9)
    with pytest.raises(ValueError, match="an output that does not occur"):
        PairedScorer("influence_difference", champion, scoring="r2[x]")(model, X, frame)


SPREAD = 0.5 + RNG.random((N, 3))
LOW, HIGH = -1.5 * SPREAD, 1.2 * SPREAD
DRAWS = RNG.normal(size=(N, 3, 9))


def forecasts_of(which=slice(None)):
    """Forecasts of all outputs, or of one, with all that may be predicted."""
    return {
        name: {
            "values": own[:, which],
            "std": SPREAD[:, which],
            "quantiles": {0.1: (own + LOW)[:, which], 0.9: (own + HIGH)[:, which]},
            "samples": own[:, which, None] + DRAWS[:, which],
        }
        for name, own in BOTH.items()
    }


@pytest.mark.parametrize(
    "loss", ["crps_normal", "log_score_normal", "interval_score", "crps_quantiles",
             "miscoverage_loss", "crps_samples"]
)  # fmt: skip
def test_forecasts_of_outputs(loss, tmp_path):
    """Losses of forecasts are means over outputs, and those of each have joint p-values."""
    own = [
        paired_t(Y[:, k], *forecasts_of(k).values(), loss=loss).estimate for k in range(3)
    ]
    options = {"scoring": f"neg_{loss}[raw_values]", "adjust": "max-t"}
    rows = compare(FRAME, forecasts_of(), **options).rows
    weighted = paired_t(Y, *forecasts_of().values(), loss=loss, multioutput=WEIGHTS)
    predictions = predictions_from_arrays(FRAME, forecasts_of(), target="numbers")
    predictions.save(tmp_path / "p.npz")
    loaded = Predictions.load(tmp_path / "p.npz").pair("old", "new")
    scored = score_differences(loaded, *resolve_scoring(f"neg_{loss}", "numbers"))

    assert_allclose([row.difference for row in rows], [np.mean(own), *own], rtol=1e-9)
    assert_allclose(weighted.estimate, np.dot(WEIGHTS, own), rtol=1e-9)
    assert_allclose(scored.mean, np.mean(own), rtol=1e-9)
    assert all(row.pvalue <= row.adjusted_pvalue <= 1 for row in rows[1:])


def with_columns(forecasts):
    """A table with the forecasts of all outputs, and the names of the columns by kind."""
    table = {f"y_{name}": Y[:, k] for k, name in enumerate(NAMES)}
    columns = {}

    def named(title, array):
        own = [f"{title}_{name}" for name in NAMES]
        table.update(zip(own, array.T, strict=True))
        return own

    def all_named(title, arrays):
        named_each = [named(f"{title}_{k}", array) for k, array in enumerate(arrays)]
        return [list(own) for own in zip(*named_each, strict=True)]

    for role, own in forecasts.items():
        draws = np.moveaxis(own["samples"], -1, 0)
        columns[role] = {
            "values": named(f"{role}_values", own["values"]),
            "std": named(f"{role}_std", own["std"]),
            "quantiles": {q: named(f"{role}_{q}", a) for q, a in own["quantiles"].items()},
            "intervals": {
                c: all_named(f"{role}_{c}", pair) for c, pair in own["intervals"].items()
            },
            "samples": all_named(f"{role}_draw", draws),
        }
    return pd.DataFrame(table), columns


def with_intervals(which=slice(None)):
    """Forecasts with intervals inside their quantiles."""
    forecasts = forecasts_of(which)
    for own in forecasts.values():
        low, high = (own["values"] + limits[:, which] / 2 for limits in (LOW, HIGH))
        own["intervals"] = {0.5: (low, high)}
    return forecasts


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_columns_of_forecasts(tmp_path, ending):
    """Columns of each kind and output give exactly what their arrays give."""
    frame, columns = with_columns(with_intervals())
    path = written(frame, tmp_path / f"x.{ending}")
    y_true = [f"y_{name}" for name in NAMES]
    truth = frame[y_true]
    arrays = predictions_from_arrays(truth, with_intervals(), target="numbers")
    names = [f"neg_{loss}" for loss in ("crps_normal", "crps_quantiles", "crps_samples")]
    scorings = [
        {"scoring": [*names, f"{names[0]}[y_v]", f"{names[2]}[0.2, 0.3, 0.5]", "r2"]},
        {"scoring": f"{names[1]}[raw_values]", "adjust": "max-t"},
    ]

    for data in (frame, path):
        read = predictions_from_frame(data, y_true, columns, target="numbers")
        assert read.outputs == arrays.outputs
        assert_array_equal(read.y, arrays.y)
        for role, expected in zip(read.estimators, arrays.estimators, strict=True):
            assert role.levels == expected.levels == (0.1, 0.25, 0.75, 0.9)
            for kind in ("values", "std", "quantiles", "samples"):
                assert_array_equal(getattr(role, kind), getattr(expected, kind))
        for options in scorings:
            rows = compare(data, columns, y_true=y_true, **options).rows
            assert repr(rows) == repr(compare(truth, with_intervals(), **options).rows)


def test_columns_of_forecasts_by_id():
    """A forecast may be in another frame, in another order."""
    frame, columns = with_columns(with_intervals())
    y_true = [f"y_{name}" for name in NAMES]
    own = frame.drop(columns=y_true).assign(id=np.arange(N)).sample(frac=1, random_state=0)
    placed = {
        role: {
            kind: {share: (own, c) for share, c in parts.items()}
            if isinstance(parts, dict)
            else (own, parts)
            for kind, parts in kinds.items()
        }
        for role, kinds in columns.items()
    }
    options = {"y_true": y_true, "scoring": ["neg_crps_quantiles", "neg_crps_samples"]}
    joined = compare(frame.assign(id=np.arange(N)), placed, id="id", **options)

    assert repr(joined.rows) == repr(compare(frame, columns, **options).rows)


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (
            "std",
            ["a", "b"],
            "`std of new` must predict .* each of 3 outputs .* Got 2. Pass",
        ),
        ("std", "a", "`std of new` must predict .* each of 3 outputs .* Got 1. Pass"),
        ("std", [["a", "b", "c"]], "`std of new` must be the name of a column, a list of"),
        ("quantiles", {0.1: ["a", "b"]}, "`quantile 0.1 of new` .* 3 outputs .* Got 2"),
        ("intervals", {0.9: ["a", "b"]}, "`quantile 0.05 of new` .* 3 outputs .* Got 1"),
        ("intervals", {0.9: [["a", "b"], ["c", "d"]]}, "each of 3 outputs .* Got 2. Pass"),
        ("intervals", {0.9: [["a", "b", "c"], ["d", "e", "f"]]}, r"a tuple \(low, high\)"),
        ("intervals", {0.9: (["a", "b", "c"], ["d", "e", "f"])}, "must be a frame"),
        (
            "samples",
            ["a", "b", "c"],
            "`samples of new` .* each of 3 outputs .* Got 1. Pass",
        ),
        (
            "samples",
            [["a"], ["b", "c"], ["d"]],
            "such a list for each of several .* Got ..",
        ),
        ("samples", [], "such a list for each of several"),
    ],
)
def test_unsuited_columns(kind, columns, message):
    """Columns of a kind that do not match the outputs end in one line."""
    frame = FRAME.assign(**{name: 1.0 + k for k, name in enumerate("abcdef")})
    predictions = {"old": NAMES, "new": {"values": NAMES, kind: columns}}
    with pytest.raises((ValueError, TypeError), match=message):
        compare(frame, predictions, y_true=NAMES, scoring=MAE)


def test_columns_of_one_output():
    """Lists with one entry are those of a single output."""
    frame = FRAME.assign(s=1.0, low=Y[:, 1] - 1, high=Y[:, 1] + 1)
    plain = {"values": "v", "std": "s", "intervals": {0.9: ["low", "high"]}}
    listed = {"values": ["v"], "std": ["s"], "intervals": {0.9: [["low", "high"]]}}
    plain["samples"], listed["samples"] = ["low", "high"], [["low", "high"]]
    for scoring in ("neg_crps_normal", "neg_crps_samples", "neg_interval_score"):
        rows = [
            compare(
                frame, {"old": own | {"values": "u"}, "new": own}, y_true=y, scoring=scoring
            ).rows
            for y, own in (("w", plain), (["w"], listed))
        ]
        assert repr(rows[0]) == repr(rows[1])


def test_forecasts_of_outputs_resampled():
    """A score of forecasts is computed of resampled records, all outputs together."""
    pair = predictions_from_arrays(Y, forecasts_of(), target="numbers").pair("old", "new")
    names = ["neg_interval_score", "neg_crps_samples", "neg_crps_normal"]
    for name in names:
        (named,) = resolve_scoring(name, "numbers")
        looped = PairScores(pair, named).looped()
        assert_allclose(looped.values, scored_pair(pair, named).values, rtol=1e-9)


def test_intervals_of_outputs():
    """Arrays of shape (n, outputs, 2) are intervals, and so are pairs of arrays."""
    losses = [
        PairedLosses.from_predictions(
            Y,
            *({"values": own, "intervals": {0.9: limits(own)}} for own in (OLD, NEW)),
            loss="interval_score",
        ).means
        for limits in (
            lambda own: (own + LOW, own + HIGH),
            lambda own: np.stack([own + LOW, own + HIGH], axis=-1),
        )
    ]
    assert losses[0] == losses[1]


def test_deviations_of_fitted_regressors():
    """predict(X, return_std=True) of several outputs is collected as it is."""
    models = [GaussianProcessRegressor(alpha=a).fit(X[:60], TARGETS[:60]) for a in (1, 2)]
    options = {"cv": "prefit", "scoring": ["neg_crps_normal", "neg_crps_normal[1]"]}
    pair = PairedComparator(*models, **options).fit(X[60:], TARGETS[60:])
    both = [
        dict(zip(("values", "std"), m.predict(X[60:], return_std=True), strict=True))
        for m in models
    ]
    expected = paired_t(TARGETS[60:], *both, loss="crps_normal")

    assert (60, 3) == pair.predictions_.estimators[0].std.shape
    assert_allclose(pair.comparison_.rows[0].pvalue, expected.pvalue, rtol=1e-9)


def test_numbers_of_two_values():
    """Outputs of two values are no classes, nor are they resampled by them."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=(N, 2)).astype(float)
    both = {name: y + rng.normal(size=y.shape) for name in ("old", "new")}
    pair = predictions_from_arrays(y, both, target="numbers").pair("old", "new")
    scored = ScoredPair.from_pair(pair)

    assert N == scored.n_independent
    assert 0 < margin_test(scored, "influence_difference").pvalue <= 1
    assert 0 < bootstrap_difference(scored, n_resamples=99).pvalue <= 1
    with pytest.raises(ValueError, match="draws within classes"):
        bootstrap_difference(scored, stratify=True)


def test_outputs_without_variation():
    """An output with one difference throughout has a joint p-value of permutations."""
    y = np.zeros((N, 3))
    noise = np.random.default_rng(0).normal(size=(2, N, 3))
    old, new = noise + 5.0
    old[:, 0], new[:, 0] = 2.0, 1.0
    old[:, 1], new[:, 1] = 3.0, 3.0
    options = {"scoring": f"{MAE}[raw_values]", "adjust": "max-t"}
    _, constant, equal, other = compare(y, {"old": old, "new": new}, **options).rows

    assert "loss_permutation" == constant.test
    assert constant.pvalue <= constant.adjusted_pvalue < 0.01
    assert (1.0, 1.0) == (equal.pvalue, equal.adjusted_pvalue)
    assert other.pvalue < other.adjusted_pvalue <= 1


def test_outputs_have_the_names_of_their_columns():
    """So they have if the true numbers are in a table of their own."""
    rng = np.random.default_rng(0)
    truth = pd.DataFrame({"id": range(50), "low": rng.random(50), "high": rng.random(50)})
    names = ["a", "b", "c", "d"]
    forecasts = pd.DataFrame(rng.random((50, 4)), columns=names).assign(id=range(50))
    columns = {"old": names[:2], "new": names[2:]}
    options = {"id": "id", "scoring": "neg_mean_squared_error[high]"}

    both = truth.merge(forecasts, on="id")
    expected = compare(both, columns, y_true=["low", "high"], **options)

    apart = compare(forecasts, columns, y_true=(truth, ["low", "high"]), **options)
    assert repr(expected.rows) == repr(apart.rows)
    with pytest.raises(TypeError, match=r"must be the name of a column.*Got tuple"):
        compare(both, columns, y_true=(), **options)
