"""Hadamard matrices and orthogonal arrays, multiplied out."""

import numpy as np
import pytest

from skcompare.model_selection._hadamard import hadamard, orthogonal_array, smallest_order


def assert_hadamard(matrix, order):
    """Entries are -1 and 1, rows orthogonal, and the first row and column all 1."""
    # Of whole numbers as floats, BLAS is exact and quick.
    wide = matrix.astype(float)
    assert (order, order) == matrix.shape
    assert np.int8 == matrix.dtype
    assert {1} == set(np.abs(wide).ravel())
    np.testing.assert_array_equal(order * np.eye(order), wide @ wide.T)
    assert (wide[0] == 1).all()
    assert (wide[:, 0] == 1).all()


def test_every_order_up_to_200():
    """Every multiple of 4 up to 200 has a normalised matrix."""
    for order in [1, 2, *range(4, 204, 4)]:
        assert_hadamard(hadamard(order), order)


def test_constructions_beyond_primes():
    """Prime powers and products work, below 200 and above."""
    for order in [244, 252, 344, 100, 164, 232, 400]:
        assert_hadamard(hadamard(order), order)


def test_power_of_two_counts_bits():
    """Entry (i, j) of a power of two is the parity of the bits of i AND j."""
    expected = [[(-1) ** (i & j).bit_count() for j in range(16)] for i in range(16)]

    np.testing.assert_array_equal(expected, hadamard(16))


def test_impossible_order():
    """An order that is no multiple of 4 is refused, with a way on."""
    for order in [-4, 0, 3, 6, 10, 90]:
        with pytest.raises(
            ValueError, match=rf"Got {order} instead. `smallest_order` finds"
        ):
            hadamard(order)


def test_smallest_order_steps_by_four():
    """Up to 199 columns, the smallest order is the next multiple of 4."""
    expected = [4 * -(-(n_columns + 1) // 4) for n_columns in range(1, 200)]

    assert expected == [smallest_order(n_columns) for n_columns in range(1, 200)]


@pytest.mark.parametrize("n_columns", [235, 1000, 5000])
def test_smallest_order_always_exists(n_columns):
    """Orders that cannot be made are skipped."""
    order = smallest_order(n_columns)

    assert 0 == order % 4
    assert n_columns < order < 1.1 * n_columns


def test_array_has_strength_two():
    """Each combination of levels of two columns fills a quarter of the rows."""
    for n_columns in [1, 2, 3, 5, 7, 8, 11, 27, 91]:
        array = orthogonal_array(n_columns)
        n_rows = smallest_order(n_columns)

        assert (n_rows, n_columns) == array.shape
        assert [n_rows // 2] * n_columns == array.sum(axis=0).tolist()
        for first in (array, ~array):
            for second in (array, ~array):
                joint = first.T.astype(int) @ second.astype(int)
                off_diagonal = joint[~np.eye(n_columns, dtype=bool)]
                assert (off_diagonal == n_rows // 4).all()


def test_table_iii():
    """Five columns are Table III of Yang et al. (2023), to the letter."""
    expected = [{1, 2, 3, 4}, {1, 3, 5, 7}, {1, 2, 5, 6}, {1, 4, 5, 8}, {1, 3, 6, 8}]

    for n_columns in (5, 6, 7):
        array = orthogonal_array(n_columns)
        first_halves = [set((np.flatnonzero(column) + 1).tolist()) for column in array.T]
        assert expected == first_halves[:5]
