"""Gains over time as a picture."""

import datetime

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import TimeSeriesSplit

from skcompare import PairedComparator, compare
from skcompare.evidence import OrderedDifferences
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.plots import GainOverTimeDisplay
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import diebold_mariano, fluctuation

RNG = np.random.default_rng(0)
N = 300
Y = RNG.normal(size=N)
OLD = Y + np.linspace(2, 0.5, N) * RNG.normal(size=N)
NEW = Y + RNG.normal(size=N)
DAYS = np.datetime64("2024-01-01") + np.arange(N)
LABELS = (Y > 0).astype(int)
SHUFFLED = RNG.permutation(N)


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


def test_numbers_are_those_of_the_fluctuation_test():
    """Windows, band and p-value; the mean and its interval are those of the usual test."""
    gains = np.abs(OLD - Y) - np.abs(NEW - Y)
    ordered = OrderedDifferences.from_differences(gains, measure="absolute_error")
    moving, mean = fluctuation(ordered, window=0.2), diebold_mariano(ordered)
    display = GainOverTimeDisplay.from_predictions(Y, OLD, NEW, window=0.2)
    frame = display.frame()

    assert moving.gains.tolist() == pytest.approx(frame["gain"].tolist())
    assert moving.band()[0].tolist() == pytest.approx(frame["low"].tolist())
    assert moving.pvalue == display.pvalue
    assert mean.pvalue == pytest.approx(display.finding.pvalue)
    assert [1, N] == [frame["first"].iloc[0], frame["last"].iloc[-1]]
    assert 60 == display.window
    assert "challenger better in" in display.summary


def test_time_decides_the_order():
    """Shuffled records with their time are the same picture; roles swap the signs."""
    there = GainOverTimeDisplay.from_predictions(Y, OLD, NEW, time=DAYS)
    order = SHUFFLED
    mixed = GainOverTimeDisplay.from_predictions(
        Y[order], OLD[order], NEW[order], time=DAYS[order]
    )
    back = GainOverTimeDisplay.from_predictions(Y, NEW, OLD, time=DAYS)

    assert there.frame().equals(mixed.frame())
    assert (-there.gain).tolist() == back.gain.tolist()
    assert there.pvalue == back.pvalue
    assert (-there.better).tolist() == back.better.tolist()
    assert datetime.datetime(2024, 1, 1) == there.frame()["first"][0]
    assert "2024-0" in there.summary


def test_classes_have_the_zero_one_loss():
    """By default, from labels, and from a comparison; another loss by name."""
    first, second = (values > 0 for values in (OLD, NEW))
    models = {"old": first.astype(int), "new": second.astype(int)}
    comparison = compare(LABELS, models)
    display = GainOverTimeDisplay.of_result(comparison, time=DAYS)
    gain = (second == LABELS).mean() - (first == LABELS).mean()

    assert "zero_one_loss" == display.loss
    assert gain == pytest.approx(display.finding.estimate)
    X = np.column_stack([OLD, NEW])
    fitted = [LogisticRegression().fit(X[:, k : k + 1], LABELS) for k in (0, 1)]
    proba = [model.predict_proba(X[:, :1]) for model in fitted]
    scored = GainOverTimeDisplay.from_predictions(LABELS, *proba, loss="log_loss")
    assert "log_loss" == scored.loss


def test_estimators_and_fitted_comparators():
    """Both classifiers or regressors are applied in the order of the records."""
    X = np.column_stack([OLD, NEW])
    classifiers = [LogisticRegression(C=c).fit(X, LABELS) for c in (1e-4, 1)]
    one = GainOverTimeDisplay.from_estimators(*classifiers, X, LABELS)
    comparator = PairedComparator(*classifiers, cv="prefit").fit(X, LABELS)
    other = GainOverTimeDisplay.of_result(comparator, time=np.arange(1, N + 1))
    regressors = [LinearRegression(fit_intercept=c).fit(X, Y + 3) for c in (False, True)]
    numbers = GainOverTimeDisplay.from_estimators(*regressors, X, Y + 3)

    assert one.gain.tolist() == other.gain.tolist()
    assert "absolute_error" == numbers.loss
    assert numbers.finding.estimate > 1


def test_splits_in_time_order():
    """The test sets are one series, at the places of their records."""
    X = np.column_stack([OLD, NEW])
    models = LinearRegression(fit_intercept=False), LinearRegression()
    folds = PairedComparator(
        *models, cv=TimeSeriesSplit(4, gap=2), scoring="neg_mean_absolute_error"
    ).fit(X, Y + 3)
    display = GainOverTimeDisplay.of_result(folds)
    row = folds.comparison_.rows[0]

    assert (N * 4 // 5, "Time") == (display.n_times, display.name)
    assert (N // 5, N - 1) == (display.first[0], display.last[-1])
    assert row.difference == pytest.approx(display.finding.estimate)
    assert row.pvalue == pytest.approx(display.finding.pvalue)
    dated = GainOverTimeDisplay.of_result(folds, time=DAYS)
    assert display.gain.tolist() == dated.gain.tolist()
    assert DAYS[display.first[0]] == dated.first[0]


def test_series_are_summed_at_each_time():
    """Records of one time are one point, and groups make the design one of series."""
    time, groups = np.arange(N) // 3, np.arange(N) % 3
    display = GainOverTimeDisplay.from_predictions(Y, OLD, NEW, time=time, groups=groups)

    assert (100, N) == (display.n_times, display.n)
    assert "Diebold-Mariano" in display.finding.title


def test_equal_models():
    """Nothing differs at any time: p = 1, and the band has no width."""
    display = drawn(GainOverTimeDisplay.from_predictions(Y, OLD, OLD))

    assert 1 == display.pvalue
    assert not display.low.any()
    assert "no difference is found" in display.summary


def test_title_names_flags():
    """The summary explains them."""
    walk = np.cumsum(np.random.default_rng(0).normal(size=200))
    ordered = OrderedDifferences.from_differences(walk, measure="absolute_error")
    display = GainOverTimeDisplay.of_result(ordered)

    assert "Flagged: too-few-independent-times" in display._title()
    assert len(display._title()) <= 6
    assert "collect records over a longer time" in display.summary


def test_splits_at_their_times():
    """The pooled predictions of all test sets, at the times of their records."""
    X = np.column_stack([OLD, NEW])
    models = LogisticRegression(C=1e-3), LogisticRegression()
    comparator = PairedComparator(*models, cv=TimeSeriesSplit(4))
    comparison = comparator.fit(X, LABELS, time=DAYS).comparison_
    display = GainOverTimeDisplay.of_result(comparison)

    assert (240, 240) == (display.n_times, display.n)
    assert [DAYS[60], DAYS[-1]] == [display.first[0], display.last[-1]]
    assert comparison.rows[0].pvalue == pytest.approx(display.finding.pvalue)
    positions = GainOverTimeDisplay.of_result(comparator.fit(X, LABELS))
    assert display.gain.tolist() == positions.gain.tolist()
    assert [60, N - 1] == [positions.first[0], positions.last[-1]]


def test_other_designs_and_few_records():
    """Folds have no time order, and a few records say too little."""
    X = np.column_stack([OLD, NEW])
    cv = BlockRegularized5x2CV(random_state=0)
    models = LogisticRegression(C=1e-3), LogisticRegression()
    folds = PairedComparator(*models, cv=cv).fit(X, LABELS)

    with pytest.raises(ValueError, match="hold-out set, or of splits, in time"):
        GainOverTimeDisplay.of_result(folds)
    with pytest.raises(ValueError, match="at least 8"):
        GainOverTimeDisplay.from_predictions(Y[:5], OLD[:5], NEW[:5])
    with pytest.raises(ValueError, match="share of the 300 time points"):
        GainOverTimeDisplay.from_predictions(Y, OLD, NEW, window=3)


def test_many_windows_are_thinned():
    """The largest, the smallest, and those where the side changes are kept."""
    rng = np.random.default_rng(1)
    gains = np.repeat([0.6, -0.6], 2000) + rng.normal(size=4000)
    gains[1500:1510] += 3
    ordered = OrderedDifferences.from_differences(gains)
    moving = fluctuation(ordered)
    display = GainOverTimeDisplay.of_result(ordered, most=20)

    assert 20 <= len(display.gain) <= 30
    assert moving.gains.max() == display.gain.max()
    low, high = moving.band()
    changes = np.flatnonzero(np.diff((low > 0) * 1 - (high < 0)))
    assert 2 <= len(changes)
    starts = set((display.first - 1).tolist())
    assert {*changes.tolist(), *(changes + 1).tolist()} <= starts
    numbers = [("challenger better", 1), ("champion better", 1)]
    for words, least in numbers:
        assert display.frame()["better"].tolist().count(words) >= least
