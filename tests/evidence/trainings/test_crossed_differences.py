"""Values of every record by every training of two models."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from skcompare._core.design import Design
from skcompare.evidence import CrossedDifferences, PairedLosses, load_evidence
from skcompare.predictions import EstimatorPredictions, Predictions


def losses(s=4, n=30, seed=0, other=None):
    rng = np.random.default_rng(seed)
    return rng.random((s, n)), rng.random((other or s, n))


def test_numbers_of_trainings_say_what_is_paired():
    """Equal ones are paired unless said otherwise; unequal ones cannot be."""
    equal, unequal = losses(), losses(other=3)

    assert CrossedDifferences.from_losses(*equal).paired
    assert not CrossedDifferences.from_losses(*equal, paired=False).paired
    assert (4, 3) == CrossedDifferences.from_losses(*unequal).n_trainings
    assert "separate trainings" == CrossedDifferences.from_losses(*unequal).design.kind
    with pytest.raises(ValueError, match=r"Got 4 and 3\. Pass paired=False"):
        CrossedDifferences.from_losses(*unequal, paired=True)


def test_shape_and_size_are_checked():
    """Rows are trainings, and huge or missing values are refused."""
    with pytest.raises(ValueError, match=r"shape \(n_trainings, n_samples\).*Got \(3,\)"):
        CrossedDifferences.from_losses([1.0, 2.0, 3.0], [[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=r"NaN|finite|missing"):
        CrossedDifferences.from_losses([[1.0, np.nan]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="size of at most 1e"):
        CrossedDifferences.from_losses([[1.0, 1e150]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"n_samples|one size|same"):
        CrossedDifferences.from_losses([[1.0, 2.0]], [[1.0, 2.0, 3.0]])


def test_influences_have_the_scores_for_means():
    """The mean over the records of each training is its score."""
    influences = losses()
    scores = np.array([0.7, 0.8, 0.75, 0.9])
    crossed = CrossedDifferences.from_influences(
        (scores, influences[0] / 30), (scores + 0.1, influences[1] / 30), measure="roc_auc"
    )

    assert scores == pytest.approx(crossed.champion.mean(axis=1), rel=1e-14)
    assert 0.1 == pytest.approx(crossed.estimate, rel=1e-12)
    with pytest.raises(ValueError, match="not a mean over records"):
        crossed + crossed


def test_shards_files_and_pickles(tmp_path):
    """Shards of records add up; a file and a pickle are equal."""
    champion, challenger = losses()
    whole = CrossedDifferences.from_losses(champion, challenger, loss="brier_score")
    shards = [
        CrossedDifferences.from_losses(
            champion[:, part], challenger[:, part], loss="brier_score"
        )
        for part in (slice(0, 10), slice(10, None))
    ]
    path = tmp_path / "crossed.npz"
    whole.save(path)

    assert whole == sum(shards)
    assert whole == load_evidence(path)
    assert whole == pickle.loads(pickle.dumps(whole))
    assert whole == whole.swap().swap()
    assert -whole.estimate == pytest.approx(whole.swap().estimate, rel=1e-12)


def predictions(records):
    """Two classifiers that predicted these records, one training after the other."""
    n_trainings, n = records.shape
    rng = np.random.default_rng(0)
    roles = []
    for name in ("champion", "challenger"):
        positive = rng.random((n_trainings, n))[np.arange(n_trainings)[:, None], records]
        proba = np.stack([1 - positive.ravel(), positive.ravel()], axis=1)
        roles.append(EstimatorPredictions(name, name, proba.argmax(axis=1), proba))
    return Predictions(
        np.array([0, 1]),
        np.arange(n) % 2,
        tuple(roles),
        Design("paired trainings", n_repeats=n_trainings),
        records.ravel(),
        n * np.arange(n_trainings + 1),
    )


def test_records_in_any_order():
    """Each training may have predicted the records in an order of its own."""
    rng = np.random.default_rng(1)
    straight = np.tile(np.arange(20), (3, 1))
    mixed = rng.permuted(straight, axis=1)
    first, second = (
        CrossedDifferences.from_pair(
            predictions(records).pair("champion", "challenger"), loss="brier_score"
        )
        for records in (straight, mixed)
    )
    alone = PairedLosses.from_pair(predictions(straight).pair("champion", "challenger"))

    assert first == second
    assert alone.champion.reshape(3, 20) == pytest.approx(first.champion)


def test_one_test_set_is_needed():
    """Folds, which test other records, are refused."""
    records = np.arange(20).reshape(2, 10)
    folds = predictions(np.tile(np.arange(20), (2, 1)))
    folds = replace(
        folds,
        records=records.ravel(),
        bounds=np.array([0, 10, 20]),
        estimators=tuple(role.part(slice(0, 20)) for role in folds.estimators),
    )
    with pytest.raises(ValueError, match="one test set, which all of them predict"):
        CrossedDifferences.from_pair(folds.pair("champion", "challenger"))
