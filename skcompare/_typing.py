"""Types that are used in many signatures."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike

    IntArray = NDArray[np.integer[Any]]
    FloatArray = NDArray[np.float64]
else:
    # Those of numpy print as unions and generics of private names, in every signature that
    # `help` and notebooks show.
    class ArrayLike:
        """Stand-in for :data:`numpy.typing.ArrayLike` in signatures."""

        __module__ = "numpy.typing"

    IntArray = FloatArray = np.ndarray

Alternative = Literal["two-sided", "less", "greater"]
"""Alternative hypothesis; "greater" means that the challenger is better."""

Kind = Literal["difference", "ratio", "reduction", "association", "omnibus", "combination"]
"""Kind of the estimate of a test; it decides which common checks apply."""

Inference = Literal["models", "algorithms", "methods", "recipes"]
"""Subject of a conclusion: two trained models, two learning algorithms, two methods of
forecasting, which are models as they were trained again and again along a series, or two
recipes of training, over other trainings on the same training records."""
