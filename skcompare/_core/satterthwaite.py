"""Degrees of freedom of estimated variances, by Satterthwaite's rule."""

ROUNDING = 1e-12


def degrees_of_freedom(square: float, fourth: float, n: int, scale: float = 1.0) -> float:
    """Degrees of freedom of a sum of squares: twice its square over its variance.

    Parameters
    ----------
    square, fourth : float
        Sums of the second and fourth powers of the deviations of units: a few large ones
        are worth few degrees.
    n : int
        Number of units; they have n - 1 degrees at most, and 1 at least.
    scale : float, default=1.0
        The variance in use over that of the deviations, where it is larger and varies as
        much.
    """
    spread = fourth - square**2 / n
    most = max(1.0, n - 1.0)
    if spread <= ROUNDING * fourth:
        return most
    return min(max(1.0, 2 * (scale * square) ** 2 / spread), most)
