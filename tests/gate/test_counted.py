"""Records that stay on their engine, and items that come scored, are judged like others."""

import numpy as np
import pandas as pd
import pytest

from skcompare.evidence import TallyRequest, tally_frame
from skcompare.gate import AnyOf, Gate, NonInferior, Superior
from skcompare.predictions import ItemScores

pl = pytest.importorskip("polars")

COLUMNS = {"old": "old", "new": "new"}


@pytest.fixture(scope="module")
def frame():
    """Truth, probabilities of few values, and what slices are cut by."""
    rng = np.random.default_rng(3)
    n = 1500
    y = rng.integers(2, size=n)
    old = 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=n))))
    new = 1 / (1 + np.exp(-(1.6 * (y - 0.5) + rng.normal(size=n))))
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "y": y,
            "old": old.round(2),
            "new": new.round(2),
            "site": rng.choice(["north", "south"], n),
            "wave": rng.integers(3, size=n),
            "urgent": rng.random(n) < 0.2,
        }
    )


def test_counted_records_are_judged_as_read_ones(frame):
    """An engine counts what a slice needs, also of two frames joined by id."""
    other = frame.select("id", "new").sample(fraction=1, shuffle=True, seed=1)
    two = {"old": "old", "new": (other.lazy(), "new")}
    left = frame.drop("new").lazy()
    for condition in [
        Superior("accuracy"),
        NonInferior("roc_auc", margin=0.01),
        Superior("f1_macro", where={"site": "north"}),
        NonInferior("precision[1]", margin=0.02, where={"wave": [1, 2], "urgent": True}),
        NonInferior("squared_calibration_error", margin=0.1, where={"site": ["south"]}),
        Superior("accuracy", where={"wave": "1"}),
        Superior("accuracy", where={"site": "east"}),
    ]:
        gate = Gate(condition)
        (read,) = gate.decide(frame, COLUMNS, y_true="y").outcomes
        (counted,) = gate.decide(frame.lazy(), COLUMNS, y_true="y", collect=0).outcomes
        found_by = [counted]
        if condition.where is None or "site" in condition.where:
            found_by += gate.decide(left, two, y_true="y", id="id", collect=0).outcomes

        for found in found_by:
            assert (read.status, read.n_records) == (found.status, found.n_records)
            assert read.reasons[0].startswith(found.reasons[0])
            if read.pvalue is not None:
                assert read.pvalue == pytest.approx(found.pvalue, rel=1e-6)
                assert read.low == pytest.approx(found.low, abs=1e-9)


def test_counted_classifiers_without_skill(frame):
    """What is worse than a classifier that ignores the features does not pass."""
    swapped = frame.with_columns(old=1 - pl.col("old"), new=1 - pl.col("new"))
    gate = Gate(NonInferior("accuracy", margin=0.4))
    (read,) = gate.decide(swapped, COLUMNS, y_true="y").outcomes
    (counted,) = gate.decide(swapped.lazy(), COLUMNS, y_true="y", collect=0).outcomes

    assert "worse-than-no-skill" in counted.flags
    assert (read.flags, read.status, read.reasons) == (
        counted.flags,
        counted.status,
        counted.reasons,
    )


def test_engines_do_not_slice_by_predictions(frame):
    """Columns of predictions make no slices where records are counted, either."""
    gate = Gate(Superior("accuracy", where={"new": [0.9, 0.95]}))
    with pytest.raises(ValueError, match="Column 'new' has the challenger's predictions"):
        gate.decide(frame.lazy(), COLUMNS, y_true="y", collect=0)


def test_any_of_on_an_engine(frame):
    """Several conditions on the same records are counted together."""
    gate = Gate(AnyOf(Superior("accuracy"), Superior("roc_auc", margin=0.5)))
    decision = gate.decide(frame.lazy(), COLUMNS, y_true="y", collect=0)

    assert decision.passed
    assert frame.height == decision.n_records


def test_the_same_predictions_are_found_in_counts(frame):
    """Counts tell that there is nothing to decide, by labels and by losses."""
    lazy = frame.lazy().with_columns(
        said=pl.col("old").round().cast(int), again=pl.col("old").round().cast(int)
    )
    labels = {"old": "said", "new": "again"}
    scores = {"old": "old", "new": "again"}
    gate = Gate(NonInferior("accuracy", margin=0.1))
    same = gate.decide(lazy, labels, y_true="y", collect=0)
    by_loss = Gate(NonInferior("neg_brier_score", margin=0.5))
    lazy = lazy.with_columns(again=pl.col("old"))
    losses = by_loss.decide(lazy, scores, y_true="y", collect=0)

    assert ("same-predictions",) == same.flags[:1] == losses.flags[:1]
    assert not same.passed
    assert not losses.passed


def test_tallies_are_judged_where_they_hold_enough(frame):
    """A tally is judged like the records behind it, and slices of it are refused."""
    tally = tally_frame(frame, "y", COLUMNS, TallyRequest(labels=True))
    decision = Gate(Superior("accuracy")).decide(tally)
    read = Gate(Superior("accuracy")).decide(frame, COLUMNS, y_true="y")

    assert read.outcomes[0].pvalue == decision.outcomes[0].pvalue
    with pytest.raises(ValueError, match="roc_auc needs probabilities"):
        Gate(Superior("roc_auc")).decide(tally)
    losses = tally_frame(
        frame, "y", COLUMNS, TallyRequest(labels=True, losses=["binary_brier_loss"])
    )
    with pytest.raises(ValueError, match="does not hold all"):
        Gate(Superior("roc_auc")).decide(losses)
    with pytest.raises(ValueError, match="Count those of the slice"):
        Gate(Superior("accuracy", where={"site": "north"})).decide(tally)
    with pytest.raises(ValueError, match="predictions as well"):
        Gate(Superior("accuracy")).decide(tally, COLUMNS)


def items_of(rng, rates, attempts):
    """Rows of scores: an attempt at an item each."""
    n = len(rates)
    item = np.repeat(np.arange(n), attempts)
    score = (rng.random(n * attempts) < np.repeat(rates, attempts)).astype(int)
    return pd.DataFrame({"item": item, "score": score, "topic": item % 20})


def test_scored_items_are_judged_by_their_mean():
    """Items, their groups and their slices have the tests of mean scores."""
    for attempts, group, test in [
        (1, None, "mcnemar"),
        (1, "topic", "clustered_mcnemar"),
        (3, None, "paired_t"),
        (3, "topic", "clustered_t"),
    ]:
        rng = np.random.default_rng(attempts)
        rates = rng.random(200) * 0.6
        old, new = (items_of(rng, rates + shift, attempts) for shift in (0.1, 0.3))
        scores = ItemScores.from_frames(old, new, group=group, columns=["topic"])
        gate = Gate(
            Superior("mean_score"),
            NonInferior("mean_score", margin=0.3, where={"topic": [3, 4]}),
            NonInferior("mean_score", margin=0.3, where={"topic": 99}),
        )
        whole, part, none = gate.decide(scores).outcomes

        assert test == whole.row.test == part.row.test
        assert whole.passed
        assert 20 == part.n_records
        assert none.reasons[0].endswith(
            "no item is in the slice: topic has 0, 1, 2, 3, 4, ..."
        )
        assert not gate.decide(ItemScores.from_frames(old, old.copy(), columns=["topic"]))


def test_scored_items_have_the_mean_score_alone():
    """Measures of predictions are refused for scores, and the mean score for
    predictions.
    """
    scores = ItemScores.from_scores([0, 1, 0, 1], [1, 1, 0, 1])
    with pytest.raises(ValueError, match="Choose 'mean_score'"):
        Gate(Superior("accuracy")).decide(scores)
    with pytest.raises(ValueError, match="a measure of items"):
        Gate(Superior("mean_score")).decide([0, 1], {"old": [0, 1], "new": [1, 1]})
    anytime = Gate(Superior("mean_score", anytime=True)).decide(scores)

    assert "anytime_mcnemar" == anytime.outcomes[0].row.test
