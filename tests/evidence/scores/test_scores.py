"""Scores of every split."""

import numpy as np
import pytest

from skcompare._core.design import Design
from skcompare.evidence import ScoreDifferences

NAN = float("nan")


def test_shapes():
    """Sizes of training and test sets are spread over the splits; scores are kept."""
    scores = ScoreDifferences([[0.1, 0.3], [-0.1, 0.1]], 50, [50, 51, 50, 51])

    assert (2, 2) == scores.values.shape
    assert [50] * 4 == scores.n_train.tolist()
    assert [50, 51, 50, 51] == scores.n_test.tolist()
    assert 0.1 == pytest.approx(scores.mean)
    assert "unknown" == scores.design.name


def test_mean_over_defined_splits():
    """Undefined splits are counted and left out of the means."""
    scores = ScoreDifferences(
        [0.1, NAN, 0.3], 9, 3, champion=[0.5, NAN, 0.5], challenger=[0.6, 0.9, 0.8]
    )

    assert 0.2 == pytest.approx(scores.mean)
    assert 1 == scores.n_undefined
    assert 0.5 == np.nanmean(scores.champion)


def test_undefined_everywhere():
    """Then the mean is undefined, without a warning."""
    assert np.isnan(ScoreDifferences([NAN, NAN], 9, 3).mean)


def test_swap():
    """Differences are negated and scores exchanged; twice is as before."""
    scores = ScoreDifferences(
        [0.1, -0.2],
        9,
        3,
        variances=[0.01, 0.02],
        champion=[0.5, 0.7],
        challenger=[0.6, 0.5],
        design=Design("kfold", n_folds=2),
    )
    swapped = scores.swap()

    assert [-0.1, 0.2] == swapped.values.tolist()
    assert [0.6, 0.5] == swapped.champion.tolist()
    assert [0.5, 0.7] == swapped.challenger.tolist()
    assert [0.01, 0.02] == swapped.variances.tolist()
    assert scores.design == swapped.design
    assert scores.values.tolist() == swapped.swap().values.tolist()


def test_swapped_zeros_are_equal():
    """No difference is the same in either direction, with no sign at 0."""
    scores = ScoreDifferences([0.0, -0.0, 0.0], 8, 4)

    assert scores == scores.swap()
    assert not np.signbit(scores.swap().values).any()
    assert "0.0000" == f"{scores.swap().mean:.4f}"


def test_values_are_frozen():
    """The arrays are read-only copies."""
    given = np.array([0.1, 0.2])
    scores = ScoreDifferences(given, 9, 3)
    given[0] = 9

    assert [0.1, 0.2] == scores.values.tolist()
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0] = 1


def test_bad_shape():
    """A number, nothing, and three dimensions are refused."""
    for values in [0.5, [], [[]], [[[0.1]]]]:
        with pytest.raises(ValueError, match="`values` must have shape"):
            ScoreDifferences(values, 9, 3)


@pytest.mark.parametrize("name", ["variances", "champion", "challenger"])
def test_shapes_must_agree(name):
    """What is known of each split has the shape of the differences."""
    with pytest.raises(ValueError, match=rf"`{name}` must have the shape of `values`"):
        ScoreDifferences([0.1, 0.2], 9, 3, **{name: [0.1, 0.2, 0.3]})


@pytest.mark.parametrize("sizes", [[9, 9, 9], [[9], [9]]])
def test_sizes_must_fit(sizes):
    """Sizes of another number of splits are refused."""
    with pytest.raises(ValueError):
        ScoreDifferences([0.1, 0.2], sizes, 3)


@pytest.mark.parametrize("once", ["kfold", "holdout"])
def test_rows_of_a_design_that_is_done_once_are_refused(once):
    """Ten rows are ten repetitions, whose correction is another one."""
    with pytest.raises(ValueError, match=rf"Done again and again it is 'repeated {once}'"):
        ScoreDifferences(np.zeros((10, 10)), n_train=90, n_test=10, design=once)
