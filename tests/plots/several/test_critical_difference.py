"""Groups of classifiers that cannot be distinguished as a picture."""

import itertools
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import BlockRegularized5x2CV, MultipleComparator, MultipleComparison, compare
from skcompare._analysis import both_ways
from skcompare.evidence import CorrectnessPatterns, PlacementValues
from skcompare.plots import CriticalDifferenceDisplay, ForestDisplay, PairwiseDisplay
from skcompare.plots.drawing._labels import lanes_of, spread
from skcompare.plots.drawing._style import CHAMPION
from skcompare.plots.several._critical_difference import _Plan
from skcompare.predictions import predictions_from_arrays
from skcompare.reports import ClassifierRow, PairRow, PairwiseComparison
from skcompare.stats import pairwise_delong, pairwise_mcnemar

N = 400
RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=N)
PREDICTIONS = {
    name: np.where(RNG.random(N) < share, Y, 1 - Y)
    for name, share in {"A": 0.92, "B": 0.9, "C": 0.7, "D": 0.68, "E": 0.5}.items()
}


def several(values, told_apart=(), **options):
    """Classifiers with these values, the first best, of which some pairs differ."""
    names = tuple(f"m{k}" for k in range(len(values)))
    pairs = tuple(
        PairRow(
            one,
            other,
            values[j] - values[i],
            adjusted_pvalue=0.01 if (i, j) in told_apart else 0.5,
        )
        for (i, one), (j, other) in combinations(enumerate(names), 2)
    )
    given = {
        "measure": "accuracy",
        "label": None,
        "test": "mcnemar",
        "classifiers": tuple(map(ClassifierRow, names, values)),
        "pairs": pairs,
        "alpha": 0.05,
        "interval_level": 0.95,
        "alternative": "two-sided",
        "adjust": "max-t",
    }
    return PairwiseComparison(**{**given, **options})


def bars(ax):
    """The bars of groups, as their ends, and the marks on them."""
    own = [line for line in ax.get_lines() if line.get_color() == CHAMPION]
    drawn = [line for line in own if line.get_marker() == "None"]
    marks = [line for line in own if line.get_marker() == "o"]
    return [line.get_xdata().tolist() for line in drawn], [
        m.get_xdata().tolist() for m in marks
    ]


def test_groups_are_those_of_max_t():
    """By default pairs are tested on shared records and adjusted by max-t."""
    display = CriticalDifferenceDisplay.from_predictions(Y, PREDICTIONS)
    comparison = compare(Y, PREDICTIONS, adjust="max-t")

    assert comparison.groups == display.groups
    assert [("A", "B"), ("C", "D"), ("E",)] == list(display.groups)
    for made in (
        CriticalDifferenceDisplay.of_result(comparison),
        CriticalDifferenceDisplay.of_result(comparison.comparisons[0]),
        CriticalDifferenceDisplay.of_result(
            MultipleComparison.from_json(comparison.to_json()), measure="accuracy"
        ),
    ):
        assert display.frame().equals(made.frame())


def test_bars_join_the_members_of_each_group():
    """A bar goes from its first to its last member, and each one has a mark."""
    display = CriticalDifferenceDisplay.from_predictions(Y, PREDICTIONS)
    slots = _Plan(display.several, display.groups).slots.tolist()
    drawn, marks = bars(display.ax_)

    assert [[slots[1], slots[2]], [slots[3], slots[4]]] == drawn
    assert drawn == marks


def test_a_member_between_two_others_is_left_out():
    """A bar over a classifier that differs from a member has no mark on it."""
    display = CriticalDifferenceDisplay.of_result(several([0.9, 0.8, 0.7], {(0, 1)})).plot()
    slots = _Plan(display.several, display.groups).slots.tolist()
    drawn, marks = bars(display.ax_)

    assert (("m0", "m2"), ("m1", "m2")) == display.groups
    assert [[slots[0], slots[1]], [slots[0], slots[2]]] == drawn
    assert drawn == marks


def test_no_bar_where_all_differ(text_of):
    """Then there is no group of two, and the picture says so."""
    apart = set(combinations(range(3), 2))
    display = CriticalDifferenceDisplay.of_result(several([0.9, 0.8, 0.7], apart)).plot()
    words = " ".join(text_of(display.figure_))

    assert ([], []) == bars(display.ax_)
    assert "No bars, because all pairs differ" in words
    assert "Each two differ at 0.05." in display.summary


def test_equal_classifiers():
    """Equal values have one point of the axis, lines of their own, and one bar."""
    display = CriticalDifferenceDisplay.of_result(several([0.8] * 6)).plot()
    plan = _Plan(display.several, display.groups)

    assert 1 == len(bars(display.ax_)[0])
    assert 6 == len(set(plan.slots.tolist()))


@pytest.mark.slow
def test_text_of_equals_fit(overlaps):
    """Where all are in one place, their names are not."""
    display = CriticalDifferenceDisplay.of_result(several([0.8] * 6)).plot()

    assert ([], []) == overlaps(display.figure_)


def test_lines_do_not_cross():
    """However close the values are, no line from value to name crosses another one."""
    for n, gap in itertools.product([2, 3, 20], [0.0, 1e-6, 0.01]):
        values = [0.9 - gap * (k // 2) for k in range(n)]
        plan = _Plan(several(values), ())
        levels = [plan.level(k) for k in range(n)]
        left, right = range(plan.n_left), range(plan.n_left, n)

        assert np.diff(plan.slots).min() > 0.04
        assert 0 < plan.slots.min()
        assert plan.slots.max() < 1
        # A line goes out below the ends of those that it passes.
        assert all(levels[k] < levels[k + 1] for k in left[:-1])
        assert all(levels[k] > levels[k + 1] for k in right[:-1])


def test_lower_is_better():
    """The axis of a loss descends, so that the best is on the right all the same."""
    made = several([0.1, 0.2, 0.4], measure="log_loss", greater_is_better=False)
    display = CriticalDifferenceDisplay.of_result(made).plot()
    words = display.ax_.get_xticklabels()
    places = {float(each.get_text()): each.get_position()[0] for each in words}

    assert sorted(places, reverse=True) == sorted(places, key=places.get)
    assert "lower is better" in display.ax_.get_xlabel()


def test_says_what_it_is(text_of):
    """Measure, records, level, adjustment, and that the axis has no ranks."""
    display = CriticalDifferenceDisplay.from_predictions(Y, PREDICTIONS)
    words = " ".join(" ".join(text_of(display.figure_)).split())

    assert "accuracy on 400 records; the best on the right →" in words
    assert "mcnemar, p adjusted by max-t ≥ 0.05" in words
    assert "values of accuracy, not mean ranks" in words


def test_control_has_marks_instead_of_bars():
    """What is better, worse or not distinguished from the control has its mark."""
    display = CriticalDifferenceDisplay.from_predictions(Y, PREDICTIONS, control="C")
    frame = display.frame()
    marks = [
        line.get_marker()
        for line in display.ax_.get_lines()
        if line.get_color() == CHAMPION
    ]

    assert () == display.groups
    assert ["better", "better", "control", "not distinguished", "worse"] == (
        frame["beside control"].tolist()
    )
    assert {"^": 2, "v": 1, "s": 1} == {m: marks.count(m) for m in "^vs"}


def test_results_of_tests_and_comparators():
    """Functions of all pairs, AUCs among them, and fitted comparators are drawn."""
    X, y = load_iris(return_X_y=True)
    named = [("dummy", DummyClassifier()), ("bayes", GaussianNB()), ("more", GaussianNB())]
    comparator = MultipleComparator(named, random_state=0).fit(X, y)
    scores = [RNG.normal(shift * Y) for shift in (0.0, 2.0)]
    scores.append(scores[1] + RNG.normal(0, 0.1, N))
    areas = PlacementValues.from_predictions(Y, *scores)
    patterns = CorrectnessPatterns.from_predictions(
        Y, *PREDICTIONS.values(), names=PREDICTIONS
    )
    fitted = CriticalDifferenceDisplay.of_result(comparator)
    of_areas = CriticalDifferenceDisplay.of_result(pairwise_delong(areas))

    assert comparator.groups_ == fitted.groups
    assert "roc_auc" == of_areas.several.subject
    assert 2 == len(of_areas.groups)
    assert [("A", "B"), ("C", "D"), ("E",)] == list(
        CriticalDifferenceDisplay.of_result(pairwise_mcnemar(patterns)).groups
    )


def test_from_estimators_and_cv_results(text_of):
    """Other designs have their own test or none, and then there are no groups."""
    X, y = load_iris(return_X_y=True)
    named = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    named["tree"] = DecisionTreeClassifier(max_depth=2, random_state=0)
    keep = {"return_estimator": True, "return_indices": True}
    ways = {"bcv": BlockRegularized5x2CV(random_state=0), "folds": 3}
    outputs = {
        way: {name: cross_validate(one, X, y, cv=cv, **keep) for name, one in named.items()}
        for way, cv in ways.items()
    }
    fitted = [(name, one.fit(X, y)) for name, one in named.items()]
    hold_out = CriticalDifferenceDisplay.from_estimators(fitted, X, y)
    blocks = CriticalDifferenceDisplay.from_cv_results(outputs["bcv"], X, y, cv=ways["bcv"])
    folds = CriticalDifferenceDisplay.from_cv_results(outputs["folds"], X, y)

    assert (("bayes", "tree"), ("dummy",)) == tuple(
        map(tuple, map(sorted, hold_out.groups))
    )
    assert ("bcv_jackknife_t", "holm") == (blocks.several.test, blocks.several.adjust)
    assert 2 == len(blocks.groups)
    assert "mcnemar" != folds.several.test
    with pytest.raises(ValueError, match="max-t"):
        CriticalDifferenceDisplay.from_cv_results(outputs["folds"], X, y, adjust="max-t")
    with pytest.raises(ValueError, match="name of its own"):
        CriticalDifferenceDisplay.from_estimators([*fitted, fitted[0]], X, y)


def test_nothing_tested(text_of):
    """Without a valid test there are values, no bars, and the reason."""
    made = several([0.9, 0.8], test=None, note="no test is valid for this design")
    display = CriticalDifferenceDisplay.of_result(made).plot()
    words = " ".join(text_of(display.figure_))

    assert () == display.groups
    assert "nothing was tested: no test is valid for this design." in words


def test_undefined_values_are_named(text_of):
    """A classifier without a value is on no axis, but in the words."""
    made = several([0.9, 0.8, np.nan])
    display = CriticalDifferenceDisplay.of_result(made).plot()
    words = " ".join(text_of(display.figure_))

    assert "Without a value of accuracy: m2." in words
    assert "nan" not in words


def test_refused():
    """What are no several classifiers is refused with what to do."""
    with pytest.raises(TypeError, match="ForestDisplay"):
        CriticalDifferenceDisplay.of_result(compare(Y, dict(list(PREDICTIONS.items())[:2])))
    with pytest.raises(ValueError, match="have run already"):
        CriticalDifferenceDisplay.of_result(several([0.9, 0.8]), adjust="holm")
    with pytest.raises(ValueError, match="At least two"):
        CriticalDifferenceDisplay.from_predictions(Y, {"A": PREDICTIONS["A"]})


def test_losses_pair_by_pair():
    """A mean loss is tested pair by pair, by the same test as a comparison."""
    scores = {
        name: np.clip(0.5 + gain * (Y - 0.5) + RNG.normal(0, 0.1, N), 0.01, 0.99)
        for name, gain in {"A": 0.6, "B": 0.58, "C": 0.1}.items()
    }
    predictions = predictions_from_arrays(Y, scores)
    display = CriticalDifferenceDisplay.of_result(predictions, measure="binary_brier_loss")
    expected = compare(Y, scores, scoring="binary_brier_loss")

    assert expected.groups == display.groups
    for one, other in zip(expected.classifiers, display.several.classifiers, strict=True):
        assert one.value == pytest.approx(other.value)
    assert both_ways(expected.comparisons[0])["C", "A"].difference < 0
    assert 3 == len(ForestDisplay.of_result(display.several).rows)


def test_places_are_spread():
    """Places keep their order and their distance, and move as little as they can."""
    assert [0.1, 0.5, 0.9] == pytest.approx(spread([0.1, 0.5, 0.9], 0.1, 0, 1).tolist())
    assert [0.45, 0.55] == pytest.approx(spread([0.5, 0.5], 0.1, 0, 1).tolist())
    assert [0.0, 0.1, 0.2] == pytest.approx(spread([0, 0, 0], 0.1, 0, 1).tolist())
    assert [0.0, 0.5, 1.0] == pytest.approx(spread([0.9, 0.9, 1.0], 0.7, 0, 1).tolist())
    assert [] == spread([], 0.1, 0, 1).tolist()


def test_lanes_do_not_overlap():
    """Spans that share a place have lanes of their own."""
    assert [0, 1, 0, 2] == lanes_of([(0, 2), (1, 4), (3, 5), (4, 6)])


def test_untested_is_not_said_to_be_alike():
    """Beside a control, too, what was not tested or has no p-value has words of its own."""
    pairs = (
        PairRow("m1", "m0", 0.1, adjusted_pvalue=float("nan")),
        PairRow("m1", "m2", -0.1, adjusted_pvalue=0.5),
    )
    options = {"control": "m1", "pairs": pairs}
    found = CriticalDifferenceDisplay.of_result(several([0.9, 0.8, 0.7], **options))
    nothing = several([0.9, 0.8, 0.7], test=None, note="no test is valid", **options)
    untested = CriticalDifferenceDisplay.of_result(nothing)
    found.plot()

    beside = "beside control"
    assert ["undefined", "control", "not distinguished"] == found.frame()[beside].tolist()
    assert "1 not distinguished, 1 undefined" in found.summary
    assert ["not tested", "control", "not tested"] == untested.frame()[beside].tolist()


def test_classifiers_without_a_value_are_in_no_group():
    """They are not said to be like the others, of which the groups stay the largest."""
    nan = float("nan")
    display = CriticalDifferenceDisplay.of_result(several([0.9, 0.8, nan], [(0, 1)]))

    assert (("m0",), ("m1",)) == display.groups
    assert "" == display.frame()["groups"].iloc[2]
    assert "Each two differ" in display.summary


@pytest.mark.parametrize("measure", ["log_loss", "neg_log_loss"])
def test_values_are_those_of_the_measure(measure):
    """A negated loss is negative and more of it is better; differences are the same."""
    rng = np.random.default_rng(0)
    predictions = {
        name: np.clip(Y + rng.normal(0, s, N), 0.1, 0.9)
        for name, s in [("A", 0.9), ("B", 0.4)]
    }
    collected = predictions_from_arrays(Y, predictions)
    found = CriticalDifferenceDisplay.of_result(collected, measure=measure).several
    names = [row.name for row in found.classifiers]
    losses = [log_loss(Y, predictions[name]) for name in names]

    assert ["B", "A"] == names
    assert found.greater_is_better is measure.startswith("neg_")
    sign = -1 if found.greater_is_better else 1
    assert [sign * loss for loss in losses] == pytest.approx(
        [row.value for row in found.classifiers]
    )
    (pair,) = found.pairs
    assert losses[1] - losses[0] == pytest.approx(abs(pair.difference))
    assert ("B", "A") == pair.beats(0.05)


@pytest.mark.parametrize(
    ("measure", "values", "last"),
    [("accuracy", [1.0, 1.0], 1.0), ("neg_brier_score", [-0.1, -0.2], -0.1)],
)
def test_ticks_are_values_that_there_can_be(measure, values, last):
    """The axis of perfect classifiers has no accuracy above 1."""
    display = CriticalDifferenceDisplay.from_result(several(values, measure=measure))
    words = [float(tick.get_text()) for tick in display.ax_.get_xticklabels()]

    assert len(words) > 2
    assert last == max(words)


@pytest.mark.parametrize("display", [CriticalDifferenceDisplay, PairwiseDisplay])
def test_caveats_are_in_the_summary(display):
    """Who cannot see the remarks below the picture learns of them."""
    flagged = display.of_result(several([0.9, 0.8], flags=("invalid-design",)))

    assert "invalid-design: " in flagged.summary
