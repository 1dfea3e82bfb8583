"""Errors that skcompare raises besides scikit-learn's and Python's own.

Bad input is a `ValueError` or a `TypeError`, as everywhere in scikit-learn.
"""

__all__ = [
    "ChampionMismatchError",
    "EstimatorFailedError",
    "EstimatorTypeError",
    "EstimatorValueError",
    "MissingDependencyError",
    "WorkerLostError",
]


class ChampionMismatchError(BaseException):
    """A scorer was given records of which its champion knows other features.

    It is no ``Exception``, because scikit-learn's functions take a scorer that fails for a
    score of NaN and go on: a `SequentialFeatureSelector` would then select the first
    features, with nothing but warnings.
    """


class EstimatorFailedError(RuntimeError):
    """A classifier failed to fit or to predict; the message names it and the split.

    The estimator's own exception is the `__cause__`, as text where it happened in another
    process. Where that is a `ValueError` or a `TypeError`, this is one too, so that it is
    caught as one would catch it without us.
    """

    @classmethod
    def of(cls, message: str, cause: BaseException) -> "EstimatorFailedError":
        """The error of the kind of its cause."""
        for kind in (EstimatorValueError, EstimatorTypeError):
            if isinstance(cause, kind.__bases__[1]):
                return kind(message)
        return cls(message)


class EstimatorValueError(EstimatorFailedError, ValueError):
    """An estimator refused its input."""


class EstimatorTypeError(EstimatorFailedError, TypeError):
    """An estimator got input of a type that it does not take."""


class MissingDependencyError(ImportError):
    """An optional package is not installed; the message says how to install it."""


class WorkerLostError(RuntimeError):
    """A worker process ended before its fits were done, so there is no result.

    The scheduler's own exception is the `__cause__`. The comparison left nothing behind and
    can be run again.
    """
