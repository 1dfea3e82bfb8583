"""Errors that skcompare raises besides scikit-learn's and Python's own.

Bad input is a `ValueError` or a `TypeError`, as everywhere in scikit-learn.
"""

__all__ = ["EstimatorFailedError", "MissingDependencyError"]


class EstimatorFailedError(RuntimeError):
    """A classifier failed to fit or to predict; the message names it and the split.

    The estimator's own exception is the `__cause__`.

    .. versionadded:: 0.1
    """


class MissingDependencyError(ImportError):
    """An optional package is not installed; the message says how to install it.

    .. versionadded:: 0.1
    """
