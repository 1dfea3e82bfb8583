"""Names for the types that appear in many signatures."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import NDArray

Alternative = Literal["two-sided", "less", "greater"]
"""Which way a test looks; "greater" means that the challenger is better."""

Kind = Literal["difference", "ratio", "association", "omnibus", "combination"]
"""What a test's estimate is; it decides which common checks apply."""

Inference = Literal["models", "algorithms"]
"""Whether a test speaks of two trained models or of two learning algorithms."""

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]
