"""Displays of predictions show the tests that a comparison runs."""

from dataclasses import replace

import numpy as np
import pytest

from skcompare._analysis import PairEngine, Settings
from skcompare._analysis._test_selection import fitting_tests
from skcompare._core.design import Design
from skcompare._registry.metrics import metrics
from skcompare._registry.tests import paired_tests
from skcompare.comparators._compare import compare_pair
from skcompare.metrics import resolve_scoring
from skcompare.plots import CriticalDifferenceDisplay, ForestDisplay
from skcompare.predictions import predictions_from_arrays

RNG = np.random.default_rng(0)
BINARY, TERNARY = RNG.integers(2, size=60), RNG.integers(3, size=60)
PROBA = np.clip(0.3 + 0.4 * BINARY + RNG.normal(0, 0.3, (3, 60)), 0.01, 0.99)
COLLECTED = {
    "probabilities": (BINARY, PROBA),
    "labels": (BINARY, (PROBA > 0.5).astype(int)),
    "three classes": (TERNARY, RNG.dirichlet(np.ones(3), (3, 60))),
}
CASES = [
    ("probabilities", "holdout"),
    ("labels", "grouped"),
    ("three classes", "time ordered"),
]


def collected(kind, design="holdout"):
    """Predictions of three classifiers, as if they had been made by a design."""
    y, predictions = COLLECTED[kind]
    groups = np.repeat(np.arange(20), 3) if design == "grouped" else None
    made = predictions_from_arrays(y, dict(zip("abc", predictions)), groups=groups)
    if design in ("holdout", "grouped"):
        return made
    return replace(made, design=Design(design))


@pytest.mark.parametrize("kind", COLLECTED)
def test_several_have_the_test_of_each_pair(kind):
    """Whatever the measure, the design and the direction."""
    names = {name for test in paired_tests().values() for name in test.designs}
    designs = [Design(n.removeprefix("grouped "), grouped="grouped" in n) for n in names]
    of_classes = [name for name, entry in metrics().items() if entry.target == "classes"]
    measures = resolve_scoring([*of_classes, "roc_auc", "neg_log_loss", "f1"])
    for design in designs:
        predictions = replace(collected(kind), design=design)
        pair = predictions.pair("a", "c")
        for alternative in ("two-sided", "greater"):
            engine = PairEngine(pair, None, alternative, 0.05, None)
            for measure in measures:
                found = fitting_tests(measure, predictions, alternative)
                default = next((e for e in found if e.kind == "difference"), None)

                # Two may have a test without direction, which says nothing of a pair. In
                # the order of time a score may have no influences.
                of_pair = engine.fitting_test(measure)
                if of_pair is None:
                    assert default is None or engine.why_unsuited(default, measure)
                else:
                    assert of_pair is default or of_pair.kind != "difference"


@pytest.mark.parametrize(("kind", "design"), CASES)
def test_pictures_show_the_rows_of_a_comparison(kind, design):
    """Tests, estimates, limits, p-values, and reasons where there is no test."""
    pair = collected(kind, design).pair("a", "b")
    frame = ForestDisplay.of_result(pair).frame()
    scoring = [*frame["measure"]]
    settings = Settings.parse(scoring, "auto", "two-sided", 0.05, "holm", None)
    comparison = compare_pair(pair, settings)

    assert ForestDisplay.of_result(comparison).frame().equals(frame)
    assert [row.test for row in comparison.rows] == frame["test"].tolist()


@pytest.mark.parametrize(("kind", "design"), CASES)
def test_pictures_of_several_show_the_test_of_a_pair(kind, design):
    """Joint tests of all pairs are of the same test."""
    predictions = collected(kind, design)
    for row in ForestDisplay.of_result(predictions.pair("a", "b")).rows:
        display = CriticalDifferenceDisplay.of_result(
            predictions, measure=row.measure, n_resamples=99
        )

        assert row.test == display.several.test
