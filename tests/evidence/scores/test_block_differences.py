"""Differences of a score by repetition and block."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skcompare import PairedComparator
from skcompare.evidence import BlockDifferences
from skcompare.metrics import block_differences, resolve_scoring
from skcompare.model_selection import BlockRegularizedMx2CV

HALVES = np.array([[1, 1, 0, 0, 1, 1, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]], dtype=bool)
D = np.array([[1.0, 0, 0, 1, 1, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, -1]])


@pytest.fixture(scope="module")
def pair():
    """Predictions of two classifiers for all halves of the breast cancer records."""
    X, y = load_breast_cancer(return_X_y=True)
    comparator = PairedComparator(
        GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression()), random_state=0,
        scoring=["accuracy", "roc_auc"],
    ).fit(X, y)  # fmt: skip
    return comparator.predictions_.pair("champion", "challenger")


def test_from_records():
    """Blocks are the records that are tested together in all repetitions."""
    blocks = BlockDifferences.from_records(D, HALVES)

    assert [2, 2, 2, 2] == blocks.sizes.tolist()
    assert [[-1, -1, 1, 1], [-1, 1, -1, 1]] == blocks.sides.tolist()
    assert [[0.5, 0, 0, 1], [-0.5, 0, 0, 1]] == blocks.values.tolist()
    assert 8 == blocks.n_records
    assert D.mean() == blocks.mean
    assert np.var(D.mean(axis=0), ddof=1) / 8 == pytest.approx(blocks.variance)
    assert "bcv" == blocks.design.name
    assert (2, 2) == (blocks.design.n_repeats, blocks.design.n_folds)


def test_order_of_records_does_not_matter():
    """Nor does what the first half of a repetition is called, but for the signs."""
    order = np.random.default_rng(0).permutation(8)
    blocks = BlockDifferences.from_records(D, HALVES)
    mixed = BlockDifferences.from_records(D[:, order], HALVES[:, order])
    turned = BlockDifferences.from_records(D, ~HALVES)

    assert blocks == mixed
    assert blocks.own == pytest.approx(turned.own)
    assert sorted(blocks.values.ravel()) == sorted(turned.values.ravel())


def test_strata_leave_deviations_within_classes():
    """Where records of a class are alike, they have no deviations of their own."""
    strata = np.array([0, 1] * 4)[np.argsort(np.argsort(HALVES.sum(axis=0), kind="stable"))]
    d = np.where(strata == 1, 1.0, -1.0) + np.zeros((2, 1))
    within = BlockDifferences.from_records(d, HALVES, strata=strata)

    assert np.zeros((2, 2)).tolist() == within.own.tolist()


def test_groups_are_the_units():
    """Records of a group count together, in variance and deviations."""
    groups = np.array([0, 1, 2, 3, 0, 4, 2, 3])
    blocks = BlockDifferences.from_records(D, HALVES, groups=groups)
    means = D.mean(axis=0) - D.mean()
    sums = np.bincount(groups, means)

    assert "grouped bcv" == blocks.design.name
    assert np.sum(sums**2) * 5 / 4 / 64 == pytest.approx(blocks.variance)


def test_a_group_in_two_blocks_is_refused():
    """The splits did not know of the groups."""
    with pytest.raises(ValueError, match=r"Got a group in several blocks\. Pass"):
        BlockDifferences.from_records(D, HALVES, groups=[0, 0, 1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(
    "halves",
    [
        np.array([[1, 1, 0, 0], [1, 1, 0, 0]]),
        np.array([[1, 1, 1, 0], [1, 1, 0, 0]]),
        np.array([[1, 1, 0, 0]]),
    ],
    ids=["the same twice", "unequal", "one repetition"],
)
def test_other_halves_are_refused(halves):
    """Two repetitions must share half of their blocks."""
    with pytest.raises(ValueError, match=r"must be those of at least 2 repetitions"):
        BlockDifferences.from_records(np.zeros(halves.shape), halves)


def test_values_that_do_not_fit_are_refused():
    """Each in one line that says what came."""
    for change, words in [
        ({"values": np.zeros((2, 3))}, r"`values` .* \(n_repeats=2, n_blocks=4\)"),
        ({"sizes": np.ones(3, dtype=int)}, "n_blocks=3"),
        ({"own": np.zeros((3, 3))}, "`own` "),
        ({"values": np.full((2, 4), np.inf)}, "must be finite"),
        ({"variance": -1.0}, "must not be negative"),
        ({"sizes": np.array([1, 1, 1, 0])}, "Each block must hold a record"),
        ({"sides": np.ones((2, 4))}, "must hold whole numbers"),
    ]:
        with pytest.raises(ValueError, match=words):
            replace(BlockDifferences.from_records(D, HALVES), **change)


def test_swap_pickle_and_files(tmp_path):
    """Swapped roles negate the differences; pickled and stored evidence is the same."""
    blocks = BlockDifferences.from_records(D, HALVES, champion=0.5, challenger=0.75)
    swapped = blocks.swap()

    assert (-blocks.mean, (0.75, 0.5)) == (swapped.mean, swapped.means)
    assert blocks == swapped.swap()
    assert blocks == pickle.loads(pickle.dumps(blocks))
    assert not pickle.loads(pickle.dumps(blocks)).values.flags.writeable
    for name in ("blocks.npz", "blocks.json"):
        blocks.save(tmp_path / name)
        assert blocks == BlockDifferences.load(tmp_path / name)


@pytest.mark.parametrize(
    "measures",
    [
        ["accuracy", "roc_auc", "squared_calibration_error"],
        pytest.param(["neg_log_loss", "f1"], marks=pytest.mark.slow),
    ],
)
def test_of_a_measure(pair, measures):
    """The mean is that of the scores on all halves, weighted by their records."""
    for scoring in measures:
        (measure,) = resolve_scoring(scoring)
        blocks = block_differences(pair, measure)
        collected = pair.predictions
        scores = [[], []]
        for role, predictions in enumerate(pair.roles):
            for part in collected.slices():
                one = replace(
                    predictions,
                    labels=predictions.labels[part],
                    proba=predictions.proba[part],
                    decision=None,
                )
                scores[role].append(_score(measure, one, collected, part))
        weights = collected.n_test / collected.n_test.sum()
        champion, challenger = np.array(scores) @ weights

        assert 8 == len(blocks.sizes)
        assert (champion, challenger) == pytest.approx(blocks.means, rel=1e-9)
        sign = 1 if measure.greater_is_better else -1
        assert sign * (challenger - champion) == pytest.approx(blocks.mean, abs=1e-9)
        if scoring == "accuracy":
            assert blocks.values == pytest.approx(BlockDifferences.from_pair(pair).values)
            assert blocks.own == pytest.approx(BlockDifferences.from_pair(pair).own)


def _score(measure, predictions, collected, part):
    from skcompare._analysis.measures._measures import StoredPredictions, Watch
    from skcompare._analysis.measures._scores import one_score

    classes = collected.classes
    stored = StoredPredictions(
        classes, classes[predictions.labels], predictions.proba, None
    )
    y = classes[collected.y_predicted()[part]]
    rows = np.arange(len(y)).reshape(-1, 1)
    given = measure.scorer, measure.subject, predictions.name, stored
    return one_score(*given, rows, y, Watch())


class Seldom(ClassifierMixin, BaseEstimator):
    """Says 1 where the feature is above a limit, but on some training sets never."""

    def __init__(self, limit=0.0, silent=False):
        self.limit, self.silent = limit, silent

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        # The record with the greatest feature is in one of two training sets.
        self.never_ = self.silent and X[:, 0].max() > 3
        return self

    def predict(self, X):
        return np.where(self.never_, 0, X[:, 0] > self.limit).astype(int)


def test_a_half_without_positive_predictions_is_pooled():
    """The precision of a class that is never predicted on a half comes from all counts."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = (y + rng.normal(0, 0.7, 200)).reshape(-1, 1)
    X[:, 0] = np.minimum(X[:, 0], 2.5)
    X[1, 0] = 4
    comparator = PairedComparator(
        Seldom(0.5), Seldom(0.8, silent=True), scoring="precision[1]", random_state=0
    ).fit(X, y)
    row = comparator.results_["precision[1]"]
    truth = y[comparator.predictions_.records]
    expected = [
        (truth * prediction.labels).sum() / prediction.labels.sum()
        for prediction in comparator.predictions_.estimators
    ]

    assert "pooled-over-splits" in row.flags
    assert expected == pytest.approx([row.champion, row.challenger], rel=1e-12)
    assert 0 < row.pvalue <= 1
    assert row.low <= row.difference <= row.high


def test_splits_that_are_no_halves_are_refused():
    """K folds have no blocks."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="must come in halves"):
        PairedComparator(
            GaussianNB(), GaussianNB(), cv=5, tests="bcv_jackknife_t", random_state=0
        ).fit(X, y)


def test_blocks_are_those_of_the_splitter():
    """Eight blocks of equal size, also where the splitter deals other repetitions."""
    for n_repeats, n_blocks in ((3, 4), (7, 8), (10, 12)):
        y = np.arange(96) % 2
        splitter = BlockRegularizedMx2CV(n_repeats, random_state=0)
        first = [np.isin(np.arange(96), t) for _, t in list(splitter.split(y, y))[::2]]
        blocks = BlockDifferences.from_records(np.zeros((n_repeats, 96)), first)
        assert [96 // n_blocks] * n_blocks == blocks.sizes.tolist()
