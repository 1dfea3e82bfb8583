"""Scores of two classifiers on every split."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from skcompare._design import UNKNOWN, Design, as_design
from skcompare._typing import FloatArray, IntArray

__all__ = ["ScoreDifferences"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreDifferences:
    """Differences of a score between two classifiers, on every split.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_folds) or (n_splits,)
        Score of the challenger less that of the champion, greater being better. NaN
        where the score is undefined on a test set.
    n_train, n_test : int or array-like of shape (n_splits,)
        Records that each split trains and tests on; 0 training records where the
        classifiers came trained.
    variances : array-like of the shape of `values`, optional
        Variance of each difference within its test set.
    champion, challenger : array-like of the shape of `values`, optional
        The scores themselves.
    design : Design or str, default="unknown"
        How the records were split.
    flags : tuple of str
        Caveats about how the scores came about.

    .. versionadded:: 0.1
    """

    values: FloatArray
    n_train: IntArray
    n_test: IntArray
    variances: FloatArray | None = None
    champion: FloatArray | None = None
    challenger: FloatArray | None = None
    design: Design = UNKNOWN
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = _readonly(self.values)
        if values.ndim not in (1, 2) or values.size == 0:
            raise ValueError(
                "`values` must have shape (n_repeats, n_folds) or (n_splits,). Got "
                f"{values.shape}."
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "design", as_design(self.design))
        for name in ("variances", "champion", "challenger"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _of_shape(name, given, values.shape))
        for name in ("n_train", "n_test"):
            sizes = np.broadcast_to(np.asarray(getattr(self, name)), values.size)
            object.__setattr__(self, name, sizes.astype(np.int64))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the values come back read-only.
        return ScoreDifferences, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def mean(self) -> float:
        """Mean difference over the splits on which it is defined; NaN where on none."""
        return mean_defined(self.values)

    @property
    def means(self) -> tuple[float, float]:
        """Mean score of champion and challenger; NaN where the scores are not known."""
        return mean_defined(self.champion), mean_defined(self.challenger)

    @property
    def n_undefined(self) -> int:
        """Number of splits on which the difference is undefined."""
        return int(np.isnan(self.values).sum())

    def swap(self) -> "ScoreDifferences":
        """The differences with the roles exchanged."""
        return ScoreDifferences(
            -self.values,
            self.n_train,
            self.n_test,
            self.variances,
            self.challenger,
            self.champion,
            self.design,
            self.flags,
        )


def mean_defined(values: FloatArray | None) -> float:
    """Mean of the values that are not NaN; NaN where there is none."""
    if values is None:
        return float("nan")
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


def _readonly(values: Any) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _of_shape(name: str, values: Any, shape: tuple[int, ...]) -> FloatArray:
    array = _readonly(values)
    if array.shape != shape:
        raise ValueError(
            f"`{name}` must have the shape of `values`, {shape}. Got {array.shape}."
        )
    return array
