"""Types that are used in many signatures."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

Alternative = Literal["two-sided", "less", "greater"]
"""Alternative hypothesis; "greater" means that the challenger is better."""

Kind = Literal["difference", "ratio", "reduction", "association", "omnibus", "combination"]
"""Kind of the estimate of a test; it decides which common checks apply."""

Inference = Literal["models", "algorithms", "methods", "recipes"]
"""Subject of a conclusion: two trained models, two learning algorithms, two methods of
forecasting, which are models as they were trained again and again along a series, or two
recipes of training, over other trainings on the same training records."""

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]
