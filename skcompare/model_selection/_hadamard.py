"""Hadamard matrices: square matrices of -1 and 1 whose rows are orthogonal.

Their columns, except the constant one, are a two-level orthogonal array of strength 2, on
which block-regularized cross-validation is based. The orders are 1 and 2, powers of two
(Sylvester), q + 1 and 2 (q + 1) for prime powers q (Paley [1]_), products of these, and,
for gaps below 200, those of four circulant matrices in the array of Goethals and Seidel
[3]_, after Williamson [2]_. Reference [4]_ is a survey.

References
----------
.. [1] R. E. A. C. Paley (1933). "On orthogonal matrices". Journal of Mathematics and
   Physics 12, 311-320.
.. [2] J. Williamson (1944). "Hadamard's determinant theorem and the sum of four
   squares". Duke Mathematical Journal 11, 65-81.
.. [3] J.-M. Goethals and J. J. Seidel (1967). "Orthogonal matrices with zero diagonal".
   Canadian Journal of Mathematics 19, 1001-1010.
.. [4] A. Hedayat and W. D. Wallis (1978). "Hadamard matrices and their applications".
   The Annals of Statistics 6, 1184-1238.
.. [5] W. H. Holzmann, H. Kharaghani and B. Tayfeh-Rezaie (2008). "Williamson matrices up
   to order 59". Designs, Codes and Cryptography 46, 343-352.
.. [6] J. Yang, R. Wang, Y. Song and J. Li (2023). "Block-regularized 5×2 cross-validated
   McNemar's test for comparing two classification algorithms". arXiv:2304.03990.
"""

from collections.abc import Callable
from functools import cache, partial
from itertools import count, product
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.integer[Any]]

# First rows of four circulant matrices whose periodic autocorrelations sum to 0, keyed
# by their length; four of length t make order 4 t. Those of 23, 29 and 43 are symmetric,
# as Williamson had them [2]_. Those of 39 come from four of length 13 by T-sequences of
# length 3. No symmetric four exist for 47 [5]_, and those here come from Turyn-type
# sequences of lengths 16, 16, 16 and 15. The tests check the products of the matrices.
_CIRCULANTS = {
    23: (
        "+--++-+-+------+-+-++--",
        "+-+--+++++----+++++--+-",
        "+-+++--++-+--+-++--+++-",
        "+++++-++---++---++-++++",
    ),
    29: (
        "+++--++-+-+--------+-+-++--++",
        "+++---+++-+-+----+-+-+++---++",
        "+--+-+++++--++--++--+++++-+--",
        "+++-++-+--+++-++-+++--+-++-++",
    ),
    39: (
        "+++-++--+-++++--++----+--+++-------+---",
        "-+----+------+++-++-++--+++-----++-+--+",
        "---+--+---+-+-+-+---------+++--+-++-+++",
        "--++++--+--+-+-+--+-+++-+---+--++-+-++-",
    ),
    43: (
        "+++++-++----+-++--++-++-++--++-+----++-++++",
        "+++---++--+-+-+-++--------++-+-+-+--++---++",
        "++-+-++++-+--+--+++--++--+++--+--+-++++-+-+",
        "+-++-----++++-+-+++-++++-+++-+-++++-----++-",
    ),
    47: (
        "--+++-------+-+---++-++--++-+-++-------++-+-++-",
        "++---+++++++-+-+--++-++--++-+-++--++++--+-+----",
        "++---+++++++-+-+++--+--++--+-+-+-------++-+-++-",
        "++---+++++++-+-+--++-++--++-+-+-++----++-+-++++",
    ),
}

# Columns of order 8 in the sequence of Table III of Yang et al. [6]_, where the blocks
# of level 1 are {1,2,3,4}, {1,3,5,7}, {1,2,5,6}, {1,4,5,8} and {1,3,6,8}. The table
# ends there, and the two remaining columns follow.
_TABLE_III = (4, 1, 2, 3, 5, 6, 7)


def hadamard(order: int) -> NDArray[np.int8]:
    """Construct a normalised Hadamard matrix.

    Parameters
    ----------
    order : int
        Number of rows: 1, 2, or a multiple of 4. Every multiple of 4 up to 200 works.

    Returns
    -------
    matrix : ndarray of shape (order, order), int8
        Entries -1 and 1 with `matrix @ matrix.T == order * eye(order)`; the first row
        and the first column are all 1. For a power of two, entry (i, j) is 1 exactly
        where i AND j has an even number of bits set.

    Raises
    ------
    ValueError
        If no implemented construction gives a matrix of that order.
    """
    build = _builder(order)
    if build is None:
        raise ValueError(
            "`order` must be 1, 2 or a multiple of 4 that Sylvester's, Paley's or "
            f"Williamson's construction reaches. Got {order!r} instead. "
            "`smallest_order` finds the next that works."
        )
    matrix = build().astype(np.int8)
    matrix *= matrix[0]
    matrix *= matrix[:, :1]
    return matrix


def smallest_order(n_columns: int) -> int:
    """Return the order of the smallest Hadamard matrix with enough non-constant columns.

    Parameters
    ----------
    n_columns : int
        Number of columns required.

    Returns
    -------
    order : int
        A multiple of 4, at least `n_columns + 1`, that `hadamard` can make.
    """
    start = 4 * (n_columns // 4 + 1)
    return next(order for order in count(start, 4) if _builder(order) is not None)


@cache
def orthogonal_array(n_columns: int) -> NDArray[np.bool_]:
    """Construct the smallest known two-level orthogonal array of strength 2.

    Parameters
    ----------
    n_columns : int
        Number of columns, at least 1.

    Returns
    -------
    array : ndarray of shape (smallest_order(n_columns), n_columns), bool
        Read-only. Each column is True in half of the rows, and each of the four
        combinations of two columns occurs in a quarter of them. The first row is True.
    """
    order = smallest_order(n_columns)
    columns = _TABLE_III if order == 8 else range(1, order)
    array: NDArray[np.bool_] = hadamard(order)[:, list(columns[:n_columns])] == 1
    array.setflags(write=False)
    return array


@cache
def _builder(order: int) -> Callable[[], IntArray] | None:
    """Return the constructor of the matrix of an order, or None if there is none."""
    if order < 1 or (order > 2 and order % 4):
        return None
    if order & (order - 1) == 0:
        return partial(_sylvester, order)
    if _prime_power(order - 1):
        return partial(_paley_first, order - 1)
    if order % 8 == 4 and _prime_power(order // 2 - 1):
        return partial(_paley_second, order // 2 - 1)
    if order // 4 in _CIRCULANTS:
        return partial(_goethals_seidel, order // 4)
    return _product_builder(order)


def _product_builder(order: int) -> Callable[[], IntArray] | None:
    for factor in range(2, isqrt(order) + 1):
        if order % factor == 0 and _builder(factor) and _builder(order // factor):
            return partial(_kronecker, factor, order // factor)
    return None


def _sylvester(order: int) -> IntArray:
    matrix = np.ones((1, 1), dtype=np.int64)
    while len(matrix) < order:
        matrix = np.kron([[1, 1], [1, -1]], matrix)
    return matrix


def _kronecker(order_a: int, order_b: int) -> IntArray:
    return np.kron(hadamard(order_a), hadamard(order_b))


def _paley_first(q: int) -> IntArray:
    """Matrix of order q + 1 for a prime power q = 4 k + 3 (first of [1]_)."""
    matrix = _bordered(q)
    matrix[1:, 0] = -1
    return matrix + np.eye(q + 1, dtype=np.int64)


def _paley_second(q: int) -> IntArray:
    """Matrix of order 2 (q + 1) for a prime power q = 4 k + 1 (second of [1]_)."""
    conference = np.kron(_bordered(q), [[1, 1], [1, -1]])
    return conference + np.kron(np.eye(q + 1, dtype=np.int64), [[1, -1], [-1, -1]])


def _bordered(q: int) -> IntArray:
    """Compute the quadratic characters of all differences in GF(q), bordered by ones."""
    p, degree = _prime_power(q) or (q, 1)
    place_values = p ** np.arange(degree)
    digits = np.arange(q)[:, np.newaxis] // place_values % p
    differences = (digits[:, np.newaxis] - digits) % p @ place_values
    matrix = np.ones((q + 1, q + 1), dtype=np.int64)
    matrix[0, 0] = 0
    matrix[1:, 1:] = _quadratic_character(p, degree)[differences]
    return matrix


def _quadratic_character(p: int, degree: int) -> IntArray:
    """Quadratic character of GF(p ** degree): 1 for squares, 0 for 0, -1 for the rest.

    An element is numbered by its digits to base p, the coefficients of a polynomial.
    The squares are the even powers of a primitive element.
    """
    q = p**degree
    powers = next(
        powers
        for reduction in product(range(1, p), *[range(p)] * (degree - 1))
        if len(powers := _powers_of_x(p, reduction, q - 1)) == q - 1
    )
    character = np.zeros(q, dtype=np.int64)
    character[powers[0::2]] = 1
    character[powers[1::2]] = -1
    return character


def _powers_of_x(p: int, reduction: tuple[int, ...], n_max: int) -> list[int]:
    """Compute the distinct powers of x, where x ** degree equals `reduction`.

    The constant term of `reduction` is not 0, so x has an inverse. There are q - 1
    powers, all elements but 0, exactly if `reduction` gives a field and x is primitive.
    """
    element = (1,) + (0,) * (len(reduction) - 1)
    powers: list[int] = []
    for _ in range(n_max):
        number = sum(digit * p**place for place, digit in enumerate(element))
        if powers and number == 1:
            break
        powers.append(number)
        shifted = (0, *element[:-1])
        element = tuple(
            (a + element[-1] * b) % p for a, b in zip(shifted, reduction, strict=True)
        )
    return powers


def _prime_power(q: int) -> tuple[int, int] | None:
    """Return (p, degree) with q = p ** degree; None if q is no prime power."""
    if q < 2:
        return None
    p = next((d for d in range(2, isqrt(q) + 1) if q % d == 0), q)
    degree = 0
    while q % p == 0:
        q //= p
        degree += 1
    return (p, degree) if q == 1 else None


def _goethals_seidel(length: int) -> IntArray:
    """Matrix of order 4 * length from four circulant matrices (array of [3]_)."""
    shift = np.arange(length)
    rows = [
        np.array([1 if sign == "+" else -1 for sign in signs])
        for signs in _CIRCULANTS[length]
    ]
    a, b, c, d = (row[(shift - shift[:, np.newaxis]) % length] for row in rows)
    # The columns of all but the first are reversed: this makes products of two of them
    # symmetric, so that the rows of the array are orthogonal.
    br, cr, dr = (block[:, ::-1] for block in (b, c, d))
    bt, ct, dt = (block.T[:, ::-1] for block in (b, c, d))
    return np.block(
        [[a, br, cr, dr], [-br, a, dt, -ct], [-cr, -dt, a, bt], [-dr, ct, -bt, a]]
    )
