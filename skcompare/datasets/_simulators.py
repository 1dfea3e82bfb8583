"""Simulated data sets of the 5×2 BCV paper, with known accuracies of two classifiers."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skcompare._core.validation import check_count, is_number
from skcompare._typing import FloatArray

IntArray = NDArray[np.int64]

GRID_STEPS = 150
"""Steps of 0.1 on each side of the square [0, 15] × [0, 15], which has 151 points."""


def make_epsilon(
    n_samples: int = 300,
    epsilon: float = 0.1,
    *,
    n_repetitions: int | None = None,
    random_state: Any = None,
) -> tuple[IntArray, IntArray]:
    """Generate losses of two algorithms with equal overall accuracy.

    The epsilon data of [1]_, as defined in [2]_. There are neither records nor training:
    each algorithm errs on each record with a known probability, independently. On the
    first half of the records the champion errs with probability epsilon / 2 and the
    challenger with 3 epsilon / 2, on the second half the reverse. Both then have error
    rate epsilon, so a test that finds a difference is wrong; the share of such tests
    is its type I error.

    Parameters
    ----------
    n_samples : int, default=300
        Number of records, even.
    epsilon : float, default=0.1
        Error rate of both algorithms, in [0, 2/3].
    n_repetitions : int, optional
        Number of data sets to draw at once.
    random_state : int, RandomState instance or None, default=None
        Decides the draw. Pass an int for the same losses at every call.

    Returns
    -------
    champion_loss, challenger_loss : ndarray of shape (n_samples,)
        1 if the algorithm errs and 0 otherwise. Of shape (n_repetitions, n_samples)
        with `n_repetitions`.

    Raises
    ------
    ValueError
        If `n_samples` is odd, because the error rates would then differ, or `epsilon`
        is outside [0, 2/3].

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing
       supervised classification learning algorithms." Neural Computation 10(7),
       1895-1923.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.2.

    Examples
    --------
    >>> from skcompare.datasets import make_epsilon
    >>> champion_loss, challenger_loss = make_epsilon(100_000, 0.1, random_state=0)
    >>> print(f"{champion_loss.mean():.2f} {challenger_loss.mean():.2f}")
    0.10 0.10
    >>> print(f"{champion_loss[:50_000].mean():.2f} {challenger_loss[:50_000].mean():.2f}")
    0.05 0.15
    """
    n_samples = check_count("n_samples", n_samples, least=2)
    if n_samples % 2:
        raise ValueError(
            "`n_samples` must be even: only equal halves give both algorithms the same "
            f"error rate. Got {n_samples}. Use {n_samples + 1}."
        )
    if not is_number(epsilon) or not 0 <= epsilon <= 2 / 3:
        raise ValueError(
            "`epsilon` must be a number in [0, 2/3], because 3 epsilon / 2 is a "
            f"probability. Got {epsilon!r} instead."
        )
    shape: tuple[int, ...] = (n_samples,)
    if n_repetitions is not None:
        shape = (check_count("n_repetitions", n_repetitions), n_samples)
    rng = check_random_state(random_state)
    champion_error = np.repeat([epsilon / 2, 3 * epsilon / 2], n_samples // 2)
    champion_loss = _draw_losses(champion_error, shape, rng)
    # Reversing the champion's rates exchanges the two halves.
    return champion_loss, _draw_losses(champion_error[::-1], shape, rng)


def make_exp6(
    n_samples: int | None = 300, *, random_state: Any = None
) -> tuple[FloatArray, IntArray]:
    """Generate records of six classes with curved boundaries in a square.

    The EXP6 data of [1]_ as defined in equations 16 and 17 of [2]_. Records are drawn with
    equal probability from the 151 × 151 points, 0.1 apart, of the square
    [0, 15] × [0, 15], and may repeat. Three curves divide the square::

        f1(x) = x² - 4 x + 6
        f2(x) = 4 sin(x / 2) + 8
        f3(x) = -(x² - 108 x + 236) / 25

    A point (x1, x2) has the class of the first rule that it satisfies, "above" including
    the curve:

    1. above f1 and above f2;
    2. below f1, above f2 and above f3;
    3. above f1 and below f2;
    4. below f1, below f2 and above f3;
    5. above f2 and below f3;
    6. below f2 and below f3.

    Parameters
    ----------
    n_samples : int or None, default=300
        Number of records. None gives all 22 801 points once, in order, for the exact
        accuracy of a fitted classifier.
    random_state : int, RandomState instance or None, default=None
        Decides the draw. Pass an int for the same records at every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,)
        Classes, 1 to 6. They follow from the points without error, so the best possible
        accuracy is 1.

    Notes
    -----
    Every point satisfies a rule. In equation 16 the rules are printed as if they excluded
    each other, but 4 points satisfy rules 1 and 5, and 162 rules 3 and 6; the first one
    counts here.

    References
    ----------
    .. [1] Kong, E. B. and Dietterich, T. G. (1995). "Error-correcting output coding
       corrects bias and variance." Proceedings of the 12th International Conference on
       Machine Learning, 313-321.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.2.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare.datasets import make_exp6
    >>> X, y = make_exp6(300, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 2), [1, 2, 3, 4, 5, 6])
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> bool(0.8 < tree.score(*make_exp6(None)) < 0.95)
    True
    """
    n_points = (GRID_STEPS + 1) ** 2
    if n_samples is None:
        points = np.arange(n_points)
    else:
        n_samples = check_count("n_samples", n_samples)
        points = check_random_state(random_state).randint(n_points, size=n_samples)
    X = np.column_stack(np.divmod(points, GRID_STEPS + 1)) / 10
    return X, _exp6_classes(X[:, 0], X[:, 1])


def make_simple(
    n_samples: int = 1000, delta: float = 0.0, *, random_state: Any = None
) -> tuple[FloatArray, IntArray]:
    """Generate records of two classes with normal predictors whose means differ by `delta`.

    The simple data of [1]_. A record has either class with probability 1/2, whatever the
    classes of the others. Its one predictor is standard normal in class 0, and normal with
    mean `delta` and variance 1 in class 1.

    With `delta=0` the predictor says nothing about the class. Then every classifier that
    has not seen a record errs on it with probability 1/2, however it was trained, so any
    two algorithms are equally good at every number of records. In [1]_ they are a
    logistic regression and the rule of the more frequent class. As `delta` grows the
    logistic regression errs less often, with probability Phi(-delta / 2) after enough
    training, and the rule of the more frequent class still on half of the records.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of records.
    delta : float, default=0.0
        Distance between the means of the classes, at least 0. In [1]_ it is at most 1.
    random_state : int, RandomState instance or None, default=None
        Decides the draw. Pass an int for the same classes at every call, and for
        predictors that differ between values of `delta` by exactly `delta` in class 1.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        Predictor.
    y : ndarray of shape (n_samples,)
        Classes, 0 and 1. The numbers of the two vary, and in small samples one may be
        missing.

    Raises
    ------
    ValueError
        If `delta` is negative or no finite number.

    Notes
    -----
    In [1]_ the classes are called Y0 and Y1 at first, and Y1 and Y2 where their means are
    stated; here they are 0 and 1.

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.2.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skcompare.datasets import make_simple
    >>> X, y = make_simple(1000, delta=1, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 1), [0, 1])
    >>> model = LogisticRegression().fit(X, y)
    >>> X, y = make_simple(100_000, delta=1, random_state=1)
    >>> print(f"{1 - model.score(X, y):.2f}")  # Phi(-1/2) is 0.31
    0.31
    """
    n_samples = check_count("n_samples", n_samples)
    if not is_number(delta) or not 0 <= delta < math.inf:
        raise ValueError(
            "`delta` must be a finite number of at least 0, the distance between two "
            f"means. Got {delta!r} instead."
        )
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples).astype(np.int64)
    X = rng.standard_normal((n_samples, 1))
    X[y == 1] += delta
    return X, y


def _draw_losses(
    error_rates: FloatArray, shape: tuple[int, ...], rng: np.random.RandomState
) -> IntArray:
    return (rng.uniform(size=shape) < error_rates).astype(np.int64)


def _exp6_classes(x1: FloatArray, x2: FloatArray) -> IntArray:
    # Points of the grid lie on a curve at whole x1 only, where these formulas, in this
    # order of operations, are exact; elsewhere rounding cannot change the side.
    above1 = x2 >= x1**2 - 4 * x1 + 6
    above2 = x2 >= 4 * np.sin(x1 / 2) + 8
    above3 = x2 >= -(x1**2 - 108 * x1 + 236) / 25
    # Equation 16 of the source. The last rule has all remaining points.
    rules = [
        above1 & above2,
        ~above1 & above2 & above3,
        above1 & ~above2,
        ~above1 & ~above2 & above3,
        above2 & ~above3,
    ]
    return np.select(rules, [1, 2, 3, 4, 5], default=6).astype(np.int64)
