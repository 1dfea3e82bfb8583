"""Comparisons on splits in time order: their recognition, their test, what it takes."""

import pickle

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn import config_context
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer, roc_auc_score
from sklearn.model_selection import KFold, TimeSeriesSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import LinearSVC

from skcompare import (
    MultipleComparator,
    PairedComparator,
    PairedEstimator,
    compare,
    compare_cv_results,
    cross_compare,
    make_paired_scorer,
)
from skcompare._core.design import Design
from skcompare.evidence import OrderedDifferences
from skcompare.predictions import PairedPredictions, predictions_from_cv_results
from skcompare.reports import Comparison
from skcompare.stats import (
    clark_west,
    diebold_mariano,
    fluctuation,
    giacomini_white,
    two_way_t,
)

N = 240


@pytest.fixture(scope="module")
def series():
    """An autoregression, with its last value and two noises as features."""
    rng = np.random.default_rng(0)
    y = np.zeros(N)
    for k in range(1, N):
        y[k] = 0.5 * y[k - 1] + rng.normal()
    return np.column_stack([np.r_[0.0, y[:-1]], rng.normal(size=(N, 2))]), y


@pytest.fixture(scope="module")
def signs(series):
    """The features, and the sign of the series."""
    X, y = series
    return X, (y > 0).astype(int)


def of_numbers(cv=None, **settings):
    """A comparator of two regressors."""
    return PairedComparator(
        Ridge(), KNeighborsRegressor(), cv=cv or TimeSeriesSplit(4), **settings
    )


def of_classes(cv=None, champion=None, **settings):
    """A comparator of two classifiers."""
    champion = champion or LogisticRegression()
    return PairedComparator(champion, GaussianNB(), cv=cv or TimeSeriesSplit(4), **settings)


def predicted(models, cv, X, y, method="predict"):
    """Predictions for the test sets, one row per model, and the records in them."""
    tests, rows = [], []
    for train, test in cv.split(X):
        fitted = [model.fit(X[train], y[train]) for model in models]
        rows.append([getattr(model, method)(X[test]) for model in fitted])
        tests.append(test)
    return np.concatenate(rows, axis=1), tests


def by_hand(differences, n_cosines):
    """Diebold and Mariano's p-value by sums of cosines, without an allowance."""
    n = len(differences)
    times = np.arange(n) + 0.5
    centred = differences - differences.mean()
    squares = [
        (np.sqrt(2 / n) * centred @ np.cos(np.pi * j * times / n)) ** 2
        for j in range(1, n_cosines + 1)
    ]
    ratio = differences.mean() / np.sqrt(np.mean(squares) / n)
    return 2 * student.sf(abs(ratio), n_cosines)


@pytest.mark.parametrize(
    ("cv", "design"),
    [
        (TimeSeriesSplit(4), "expanding windows"),
        (TimeSeriesSplit(4, test_size=20), "expanding windows"),
        (TimeSeriesSplit(4, max_train_size=40), "sliding windows"),
        (TimeSeriesSplit(4, max_train_size=1000), "expanding windows"),
        (TimeSeriesSplit(4, gap=3), "expanding windows, gap of 3"),
        (TimeSeriesSplit(4, max_train_size=40, gap=2), "sliding windows, gap of 2"),
    ],
)
def test_design_says_how_windows_move(series, cv, design):
    """In the line of the report, in the page, and after a journey through JSON."""
    comparison = of_numbers(cv).fit(*series).comparison_
    restored = Comparison.from_json(comparison.to_json())

    assert f"time-ordered cross-validation ({design})" == str(comparison.design)
    assert str(comparison.design) in " ".join(str(comparison).split())
    assert comparison.design == restored.design
    assert "diebold_mariano" == comparison.rows[0].test
    window = comparison.design.window
    assert ("Expanding windows reduce" in comparison.design.assumption) is (
        window == "expanding"
    )
    assert "independent of each other" not in comparison.design.assumption


def test_other_designs_have_no_windows(series):
    """Neither in their dicts nor in their titles."""
    comparison = of_numbers(KFold(4)).fit(*series).comparison_

    assert {"kind", "n_repeats", "n_folds", "grouped"} == {*comparison.to_dict()["design"]}
    with pytest.raises(ValueError, match=r"`window` must be 'expanding', 'sliding'"):
        Design("time ordered", window="rolling")


def test_absolute_errors_of_all_test_sets(series):
    """The differences of the pooled predictions, tested by sums of cosines."""
    X, y = series
    cv = TimeSeriesSplit(4)
    options = {"diebold_mariano": {"n_cosines": 6}}
    comparator = of_numbers(cv, scoring="neg_mean_absolute_error", tests=options)
    row = comparator.fit(X, y).comparison_.rows[0]
    values, tests = predicted((Ridge(), KNeighborsRegressor()), cv, X, y)
    champion, challenger = np.abs(values - y[np.concatenate(tests)])

    assert by_hand(champion - challenger, 6) == pytest.approx(row.pvalue, rel=1e-9)
    assert champion.mean() - challenger.mean() == pytest.approx(row.difference)
    assert -champion.mean() == pytest.approx(row.champion)
    assert "methods" == row.result.inference
    assert "as trained along this series" in str(row.result)


def test_accuracy_of_labels(signs):
    """A classifier with labels alone is tested by them."""
    X, y = signs
    cv = TimeSeriesSplit(4)
    options = {"diebold_mariano": {"n_cosines": 6}}
    models = LinearSVC(random_state=0), GaussianNB()
    comparator = of_classes(cv, champion=models[0], scoring="accuracy", tests=options)
    row = comparator.fit(X, y).comparison_.rows[0]
    labels, tests = predicted(models, cv, X, y)
    champion, challenger = (labels == y[np.concatenate(tests)]).astype(float)

    assert by_hand(challenger - champion, 6) == pytest.approx(row.pvalue, rel=1e-9)
    assert challenger.mean() - champion.mean() == pytest.approx(row.difference)


def test_areas_are_those_of_test_sets(signs):
    """Scores of different models do not rank records of different test sets."""
    X, y = signs
    cv = TimeSeriesSplit(4)
    row = of_classes(cv, scoring="roc_auc").fit(X, y).comparison_.rows[0]
    models = LogisticRegression(), GaussianNB()
    scores, tests = predicted(models, cv, X, y, "predict_proba")
    areas, start = np.zeros(2), 0
    for test in tests:
        part = scores[:, start : start + len(test), 1]
        areas += [roc_auc_score(y[test], own) / len(tests) for own in part]
        start += len(test)

    assert areas == pytest.approx([row.champion, row.challenger])
    assert "diebold_mariano" == row.test


@pytest.mark.parametrize(
    "scoring", ["f1", "balanced_accuracy", "neg_brier_score", "roc_auc"]
)
def test_scores_of_classes_have_a_test(signs, scoring):
    """And the interval excludes 0 exactly where p is below alpha."""
    row = of_classes(scoring=scoring).fit(*signs).comparison_.rows[0]
    low, high = row.result.confidence_interval(1 - row.pvalue)

    assert "diebold_mariano" == row.test
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-9)


def test_equal_models_and_swapped_roles(signs):
    """Difference 0 and p = 1; swapped roles change the sign alone."""
    same = PairedComparator(GaussianNB(), GaussianNB(), cv=TimeSeriesSplit(4))
    scoring = ["accuracy", "roc_auc", "f1", "neg_log_loss"]
    for row in same.set_params(scoring=scoring).fit(*signs).comparison_.rows:
        assert (0.0, 1.0) == (row.difference, row.pvalue)

    forward = of_classes(scoring=scoring).fit(*signs).comparison_
    backward = PairedComparator(GaussianNB(), LogisticRegression(), cv=TimeSeriesSplit(4))
    backward = backward.set_params(scoring=scoring).fit(*signs).comparison_
    for row, other in zip(forward.rows, backward.rows, strict=True):
        assert row.pvalue == pytest.approx(other.pvalue)
        assert row.difference == pytest.approx(-other.difference)


def test_own_origins_are_recognised(series):
    """Whatever they are made by, and in any order of the splits."""
    cv = TimeSeriesSplit(4, max_train_size=50, gap=1)
    splits = list(cv.split(series[0]))
    expected = of_numbers(cv).fit(*series).comparison_
    for own in (splits, splits[::-1], [(a[::-1], b[::-1]) for a, b in splits]):
        comparison = of_numbers(own).fit(*series).comparison_

        assert expected.design == comparison.design
        for row, other in zip(expected.rows, comparison.rows, strict=True):
            assert row.pvalue == pytest.approx(other.pvalue)


class Origins:
    """A splitter that declares a design."""

    skcompare_design = "time ordered"

    def __init__(self, splits):
        self.splits = splits

    def split(self, X, y=None, groups=None):
        return iter(self.splits)

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(self.splits)


def test_declared_order_is_checked(series):
    """Splits that train on the future are refused before the first fit, if said to be."""
    splits = list(KFold(4).split(series[0]))
    words = "trains on record 239 and tests record 0. Sort the records by time"
    with pytest.raises(ValueError, match=words):
        of_numbers(Origins(splits)).fit(*series)
    with pytest.warns(UserWarning, match="no test of r2 is valid for splits of unknown"):
        of_numbers(splits[1:], scoring="r2").fit(*series)
    one = [(np.arange(100), np.arange(100, N))]
    assert "sliding" != of_numbers(Origins(one)).fit(*series).comparison_.design.window


def test_records_that_are_tested_twice(series):
    """A warning says so before the fits; by name the test is refused, with a way out."""
    overlapping = [(np.arange(k), np.arange(k, k + 30)) for k in range(60, 200, 10)]
    words = "each record must be tested at most once.*begin where the one before ends"
    with pytest.warns(UserWarning, match=f"no verdict: diebold_mariano.*{words}"):
        comparison = of_numbers(overlapping, scoring="r2").fit(*series).comparison_

    assert comparison.rows[0].pvalue is None
    assert "tested at most once" in comparison.conclusion.sentence
    with pytest.raises(ValueError, match=words):
        of_numbers(overlapping, tests="diebold_mariano").fit(*series)


@pytest.mark.parametrize(("gap", "n_splits"), [(0, 2), (2, 6), (9, 4)])
def test_few_test_records(series, gap, n_splits):
    """8 for each step of the horizon, which is at least 1 more than the gap."""
    X, y = (part[:60] for part in series)
    cv = TimeSeriesSplit(n_splits, test_size=3, gap=gap)
    needed, n = 8 * (gap + 1), 3 * n_splits
    words = f"needs {needed} test records, .* and there are {n}; use longer test sets"
    with pytest.warns(UserWarning, match=words):
        comparison = of_numbers(cv, scoring="r2").fit(X, y).comparison_

    assert comparison.rows[0].pvalue is None


def test_horizon_is_that_of_the_gap(series):
    """Or that passed beside the test."""
    comparator = of_numbers(TimeSeriesSplit(4, gap=3))
    evidence = comparator.fit(*series).comparison_.evidence

    assert 4 == evidence(OrderedDifferences).horizon
    assert 6 == evidence(OrderedDifferences, horizon=6).horizon
    scoring, tests = "neg_mean_absolute_error", {"diebold_mariano": {"horizon": 20}}
    wide = comparator.set_params(scoring=scoring, tests=tests).fit(*series).comparison_
    ordered = wide.evidence(OrderedDifferences)
    assert 20 == ordered.horizon
    assert wide.rows[0].pvalue == diebold_mariano(ordered).pvalue


@pytest.mark.parametrize(
    "scoring", ["accuracy", "f1", "roc_auc", "neg_brier_score", "precision[0]"]
)
def test_evidence_is_of_the_first_measure(signs, scoring):
    """So that further tests are about what the verdict is about."""
    comparison = of_classes(scoring=[scoring, "neg_log_loss"]).fit(*signs).comparison_
    ordered = comparison.evidence(OrderedDifferences)

    assert comparison.rows[0].pvalue == diebold_mariano(ordered).pvalue
    other = comparison.evidence(OrderedDifferences, scoring="neg_log_loss")
    assert comparison.rows[1].pvalue == diebold_mariano(other).pvalue
    by_loss = comparison.evidence(OrderedDifferences, loss="log_loss")
    assert diebold_mariano(other).pvalue == diebold_mariano(by_loss).pvalue
    copy = pickle.loads(pickle.dumps(comparison)).evidence(OrderedDifferences)
    assert diebold_mariano(ordered).pvalue == diebold_mariano(copy).pvalue


@pytest.mark.parametrize("scoring", ["neg_brier_score", "precision", "neg_log_loss[1]"])
def test_positive_class(signs, scoring):
    """Losses are of the probabilities of both classes, whichever is positive."""
    pos_label = None if "[" in scoring else 1
    comparator = of_classes(scoring=scoring, pos_label=pos_label)
    comparison = comparator.fit(*signs).comparison_
    ordered = comparison.evidence(OrderedDifferences)

    assert comparison.rows[0].pvalue == diebold_mariano(ordered).pvalue


def test_evidence_of_other_times(series):
    """Long arrays of times that look alike in print are not mistaken for each other."""
    X, y = (np.tile(part, (6, 1)) if part.ndim > 1 else np.tile(part, 6) for part in series)
    evidence = of_numbers().fit(X, y).comparison_.evidence
    days = np.arange(6 * N)
    shifted = days.copy()
    shifted[700:703] = days[[702, 700, 701]]
    first, second = (evidence(OrderedDifferences, time=time) for time in (days, shifted))

    assert repr(days) == repr(shifted)
    assert first.sums.tolist() != second.sums.tolist()
    assert evidence(OrderedDifferences, time=days) is first


def test_trainings_on_windows_that_slide():
    """Allow as many averages as there are trainings; those that expand have more."""
    X, y = np.split(np.random.default_rng(2).normal(size=(900, 4)), [3], axis=1)
    for cv, most in [
        (TimeSeriesSplit(3, max_train_size=40), 4),
        (TimeSeriesSplit(9, max_train_size=40), 9),
        (TimeSeriesSplit(9), 1000),
    ]:
        comparator = of_numbers(cv, scoring="neg_mean_absolute_error")
        result = comparator.fit(X, y[:, 0]).comparison_.rows[0].result

        assert result.df == result.details["n_cosines"] <= most
        assert (result.df > 9) is (most == 1000)


def test_further_tests_of_a_fitted_comparator(series):
    """Given what was known, of models that take turns, and of nested ones."""
    X, y = series
    comparator = PairedComparator(LinearRegression(), Ridge(9.0), cv=TimeSeriesSplit(4))
    comparison = comparator.fit(X, y).comparison_
    ordered = comparison.evidence(OrderedDifferences)
    tested = np.concatenate([test for _, test in comparator.cv_.split(X)])

    assert tested.tolist() == ordered.times.tolist()
    weekend = np.arange(N) % 7 > 4
    regimes = giacomini_white(ordered, regimes=weekend[ordered.times])
    assert [weekend[tested].sum()] == [p["n"] for p in regimes.parts if p["regime"]]
    assert 0 < giacomini_white(ordered).pvalue <= 1
    assert len(tested) == fluctuation(ordered, n_resamples=99).n

    pair = comparison.evidence(PairedPredictions)
    champion, challenger = (role.values for role in pair.roles)
    expected = clark_west(y[tested], champion, challenger)
    assert expected.pvalue == clark_west(pair).pvalue
    assert expected.estimate == clark_west(pair).estimate
    with pytest.raises(ValueError, match="of one number by two regressors, alone"):
        clark_west(pair, champion, challenger)


def test_times_and_series_of_records(series):
    """Records of one time are one time point, in which series depend on each other."""
    X, y = series
    stores, days = np.arange(N) % 3, np.arange(N) // 3
    comparator = of_numbers(TimeSeriesSplit(4), scoring="r2")
    words = "diebold_mariano needs the time of each record.*pass `time` beside `groups`"
    with pytest.warns(UserWarning, match=words), pytest.warns(match="groups parameter"):
        comparison = comparator.fit(X, y, groups=stores).comparison_
    ordered = comparison.evidence(OrderedDifferences, time=days)

    assert comparison.rows[0].pvalue is None
    assert N * 4 // 5 // 3 == ordered.n_times
    assert 3 == ordered.groups.n_groups
    assert "invalid-design" not in diebold_mariano(ordered).flags
    assert "invalid-design" not in two_way_t(ordered).flags
    with pytest.raises(ValueError, match="time has 239, predictions has 240"):
        comparison.evidence(OrderedDifferences, time=days[:-1])


def test_scores_without_influences(signs):
    """They are shown without a test, and say why."""
    scoring = make_scorer(accuracy_score)
    comparison = of_classes(scoring=scoring).fit(*signs).comparison_

    assert "the influence of a record on score is unknown" in comparison.rows[0].note
    X, y = signs[0], signs[1].copy()
    y[-30:] = 0
    splits = TimeSeriesSplit(6, test_size=30)
    undefined = of_classes(splits, scoring="roc_auc").fit(X, y).comparison_
    assert "roc_auc is undefined on 1 of 6 test sets" in undefined.rows[0].note


def test_several_models(series):
    """Each pair has the test of two, and the verdict speaks of methods."""
    models = [("ridge", Ridge()), ("near", KNeighborsRegressor(1)), ("flat", Ridge(1e6))]
    several = MultipleComparator(models, cv=TimeSeriesSplit(4)).fit(*series)
    primary = several.comparison_.comparisons[0]
    pair = PairedComparator(models[0][1], models[1][1], cv=TimeSeriesSplit(4))

    assert "diebold_mariano" == primary.test
    expected = pair.fit(*series).comparison_.rows[0].pvalue
    assert expected == pytest.approx(primary.pair("ridge", "near").pvalue)
    one = MultipleComparator(models, cv=TimeSeriesSplit(4), control="near").fit(*series)
    assert "forecasting methods, as trained along" in one.comparison_.conclusion.sentence


def test_output_of_cross_validate(series):
    """With and without the splitter, of two, of a pair, and of all at once."""
    X, y = series
    cv = TimeSeriesSplit(4, gap=2, max_train_size=60)
    expected = of_numbers(cv).fit(X, y).comparison_
    keep = {"cv": cv, "return_estimator": True, "return_indices": True}
    models = {"champion": Ridge(), "challenger": KNeighborsRegressor()}
    old, new = (cross_validate(model, X, y, **keep) for model in models.values())
    scorer = make_paired_scorer("r2")
    pair = cross_validate(PairedEstimator(*models.values()), X, y, scoring=scorer, **keep)
    crossed = cross_compare(models, X, y, return_predictions=True, **keep)
    both = {"champion": old, "challenger": new}
    found = [
        compare_cv_results(old, new, X, y, cv=cv),
        compare_cv_results(old, new, X, y),
        compare_cv_results(old, new, X, y, design="time ordered"),
        compare_cv_results(pair, None, X, y, cv=cv),
        compare_cv_results(crossed.of("champion"), crossed.of("challenger"), X, y),
    ]
    for comparison in found:
        assert expected.design == comparison.design
        assert [row.pvalue for row in expected.rows] == pytest.approx(
            [row.pvalue for row in comparison.rows]
        )
    for predictions in (crossed.predictions, predictions_from_cv_results(X, y, both)):
        of_pair = OrderedDifferences.from_pair(predictions.pair(*models))
        assert (3, "time ordered") == (of_pair.horizon, of_pair.design.name)


def test_unit_and_refit(series):
    """Neither the unit of the target nor a refit changes the test."""
    X, y = series
    small = of_numbers(scoring="neg_mean_absolute_error", refit=True).fit(X, y)
    large = of_numbers(scoring="neg_mean_absolute_error").fit(X, 1e6 * y)
    rows = small.comparison_.rows[0], large.comparison_.rows[0]

    # Ridge shrinks by as much in any unit of the target.
    assert rows[0].pvalue == pytest.approx(rows[1].pvalue)
    assert 1e6 * rows[0].difference == pytest.approx(rows[1].difference)
    assert (3,) == small.predict(X[:3]).shape


DAYS = np.datetime64("2024-01-01") + np.arange(N)


@pytest.mark.parametrize("order", ["sorted", "own splits of shuffled records"])
def test_times_of_records_that_are_split(series, order):
    """Times decide which splits are in time order, whatever the order of the records."""
    X, y = series
    cv = TimeSeriesSplit(4)
    expected = of_numbers(cv).fit(X, y).comparison_
    days, splits = DAYS, cv
    if order != "sorted":
        at = np.random.default_rng(0).permutation(N)
        place = np.argsort(at)
        X, y, days = X[at], y[at], DAYS[at]
        splits = [(place[train], place[test]) for train, test in cv.split(series[0])]
    comparison = of_numbers(splits).fit(X, y, time=days).comparison_

    assert expected.design == comparison.design
    assert "192 of 240 records tested at 192 times, horizon 1" in " ".join(
        str(comparison).split()
    )
    for row, other in zip(expected.rows, comparison.rows, strict=True):
        assert row.pvalue == pytest.approx(other.pvalue)
    ordered = comparison.evidence(OrderedDifferences)
    assert DAYS[48:].tolist() == ordered.times.astype(DAYS.dtype).tolist()


def test_series_that_are_split(series):
    """Groups are series where times are passed; both tests of them run."""
    X, y = series
    stores, days = np.arange(N) % 3, np.arange(N) // 3
    options = {"scoring": "neg_mean_absolute_error", "tests": "two_way_t"}
    comparator = of_numbers(TimeSeriesSplit(4, gap=3), **options)
    comparison = comparator.fit(X, y, groups=stores, time=days).comparison_
    ordered = comparison.evidence(OrderedDifferences)

    assert (64, 3, 2) == (ordered.n_times, ordered.groups.n_groups, ordered.horizon)
    assert ["diebold_mariano", "two_way_t"] == [row.test for row in comparison.rows]
    assert diebold_mariano(ordered).pvalue == comparison.rows[0].pvalue
    assert two_way_t(ordered).pvalue == comparison.rows[1].pvalue
    assert all("invalid-design" not in row.flags for row in comparison.rows)


def test_horizon_of_fit(series):
    """At least 1 more than the gap, with times or without; other splits have none."""
    for gap, horizon, expected in [(3, 1, 4), (3, 6, 6), (0, 2, 2)]:
        for time in (None, DAYS):
            comparator = of_numbers(TimeSeriesSplit(4, gap=gap))
            comparator.fit(*series, time=time, horizon=horizon)
            evidence = comparator.comparison_.evidence(OrderedDifferences)

            assert expected == evidence.horizon
    with pytest.warns(UserWarning, match="needs 320 test records"):
        of_numbers(scoring="r2").fit(*series, horizon=40)
    for cv in (KFold(4), "prefit"):
        models = [model.fit(*series) for model in (Ridge(), KNeighborsRegressor())]
        with pytest.raises(ValueError, match="Got 3 without `time`"):
            PairedComparator(*models, cv=cv).fit(*series, horizon=3)
    with pytest.raises(ValueError, match="`horizon` must be an integer of at least 1"):
        of_numbers().fit(*series, horizon=0)


def test_times_that_splits_do_not_follow(series):
    """Refused before the first fit, with what does."""
    words = "Got 4-fold cross-validation, which trains on later ones too.*TimeSeriesSplit"
    with pytest.raises(ValueError, match=words):
        of_numbers(KFold(4)).fit(*series, time=DAYS)
    words = "trains on time 2024-08-27 and tests time 2024-05-24. Sort the records by time"
    with pytest.raises(ValueError, match=words):
        of_numbers().fit(*series, time=DAYS[::-1])
    with pytest.raises(ValueError, match="time has 239, records has 240"):
        of_numbers().fit(*series, time=DAYS[1:])
    with pytest.raises(ValueError, match=r"Got the name 'day'\. Pass the column"):
        of_numbers().fit(*series, time="day")


def test_times_of_fitted_models(series):
    """As those of `compare`, for a hold-out and for one split; routing changes nothing."""
    X, y = series
    early, late = slice(0, 100), slice(100, N)
    models = [model.fit(X[early], y[early]) for model in (Ridge(), KNeighborsRegressor())]
    held = {"old": models[0].predict(X[late]), "new": models[1].predict(X[late])}
    expected = compare(y[late], held, time=DAYS[late], horizon=2, scoring="r2")
    prefit = PairedComparator(*models, cv="prefit", scoring="r2")
    one = [(np.arange(100), np.arange(100, N))]
    with config_context(enable_metadata_routing=True):
        fitted = prefit.fit(X[late], y[late], time=DAYS[late], horizon=2).comparison_
    found = [
        fitted,
        of_numbers(one, scoring="r2").fit(X, y, time=DAYS, horizon=2).comparison_,
    ]
    for comparison in found:
        assert "time-ordered hold-out" == str(comparison.design)
        assert expected.rows[0].pvalue == pytest.approx(comparison.rows[0].pvalue)
        assert "140 times, horizon 2" in str(comparison)


def test_times_of_cross_validate(series):
    """Passed to the comparison of its outputs, and kept by `cross_compare`."""
    X, y = series
    cv = TimeSeriesSplit(4)
    stores, days = np.arange(N) % 3, np.arange(N) // 3
    order = {"groups": stores, "time": days, "horizon": 2}
    expected = of_numbers(cv).fit(X, y, **order).comparison_
    keep = {"return_estimator": True, "return_indices": True}
    models = {"champion": Ridge(), "challenger": KNeighborsRegressor()}
    old, new = (cross_validate(model, X, y, cv=cv, **keep) for model in models.values())
    crossed = cross_compare(models, X, y, cv=cv, return_predictions=True, **order)
    for known in (cv, None):
        comparison = compare_cv_results(old, new, X, y, cv=known, **order)
        assert expected.design == comparison.design
        assert expected.rows[0].pvalue == comparison.rows[0].pvalue
    ordered = OrderedDifferences.from_pair(crossed.predictions.pair(*models))
    assert (64, 2) == (ordered.n_times, ordered.horizon)
    folds = cross_validate(Ridge(), X, y, cv=KFold(4), **keep)
    for known in (KFold(4), None):
        with pytest.raises(ValueError, match="Got 4-fold cross-validation, which trains"):
            compare_cv_results(folds, folds, X, y, cv=known, time=DAYS)


# --------------------------------------------------------------------- the default


def default(**settings):
    """A comparator of two regressors without `cv`."""
    return PairedComparator(Ridge(), KNeighborsRegressor(), random_state=0, **settings)


def test_default_with_times(series):
    """Five splits of the time points, with the gap that the horizon needs, have a test."""
    X, y = series
    time = np.arange(N)
    order = np.random.default_rng(0).permutation(N)

    for horizon in (1, 3):
        split = of_numbers(TimeSeriesSplit(5, gap=horizon - 1))
        expected = split.fit(X, y, time=time, horizon=horizon).comparison_
        comparison = default().fit(X, y, time=time, horizon=horizon).comparison_
        assert expected.design == comparison.design
        row, other = expected.rows[0], comparison.rows[0]
        assert "diebold_mariano" == other.test
        assert (row.pvalue, row.difference) == (other.pvalue, other.difference)
    shuffled = default().fit(X[order], y[order], time=time[order]).comparison_
    in_order = default().fit(X, y, time=time).comparison_
    assert in_order.rows[0].pvalue == pytest.approx(shuffled.rows[0].pvalue)


def test_default_keeps_time_points_whole(series):
    """Records of one time, of several series, are trained on or tested, and not both."""
    X, y = series
    time, store = np.arange(N) // 4, np.arange(N) % 4

    comparator = default().fit(X, y, time=time, groups=store)
    comparison = comparator.comparison_

    assert "diebold_mariano" == comparison.rows[0].test
    assert comparison.design.grouped
    for train, test in comparator.cv_.split(X):
        assert time[train].max() + 1 == time[test].min()
    with config_context(enable_metadata_routing=True):
        routed = default().fit(X, y, time=time, groups=store)
    assert comparison.rows[0].pvalue == routed.comparison_.rows[0].pvalue


def test_default_of_several_and_of_cross_compare(series):
    """All comparators have the same default, and a verdict follows from the outputs."""
    X, y = series
    time = np.arange(N)[::-1]
    models = {"ridge": Ridge(), "near": KNeighborsRegressor(), "line": LinearRegression()}

    several = MultipleComparator(models, random_state=0).fit(X, y, time=time)
    assert "diebold_mariano" == several.comparison_.comparisons[0].test
    keep = {"return_estimator": True, "return_indices": True, "time": time}
    crossed = cross_compare(models, X, y, **keep)
    outputs = (crossed.of(name) for name in ("ridge", "near"))
    comparison = compare_cv_results(*outputs, X, y, cv=crossed.cv, time=time)
    expected = default().fit(X, y, time=time).comparison_
    assert expected.rows[0].pvalue == comparison.rows[0].pvalue


@pytest.mark.parametrize("horizon", [1, 2, 5])
def test_default_needs_time_points(series, horizon):
    """One time point less than the splits need is an error with a way out."""
    X, y = series
    with pytest.raises(ValueError, match=r"need at least \d+ time points") as raised:
        default().fit(X[:8], y[:8], time=np.arange(8) // 2, horizon=horizon)
    least = int(str(raised.value).partition("at least ")[2].partition(" ")[0])
    n = least - 1
    with pytest.raises(ValueError, match=rf"time points\. Got {n}\. .* a `cv`"):
        default().fit(X[:n], y[:n], time=np.arange(n), horizon=horizon)
    few = PairedComparator(Ridge(), Ridge(9.0), scoring="neg_mean_absolute_error")
    with pytest.warns(UserWarning, match="There will be no verdict: diebold_mariano"):
        few.fit(X[:least], y[:least], time=np.arange(least), horizon=horizon)


def test_default_with_groups(signs):
    """Groups are kept together by the halves of a cross-validation that has a test."""
    X, y = signs
    group = np.arange(N) // 6

    comparator = PairedComparator(LogisticRegression(), GaussianNB(), random_state=0)
    comparison = comparator.fit(X, y, groups=group).comparison_

    assert "grouped bcv" == comparison.design.name
    assert "bcv_jackknife_t" == comparison.rows[0].test
    for train, test in comparator.cv_.split(X, y, group):
        assert not set(group[train]) & set(group[test])
