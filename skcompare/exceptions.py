"""Errors of skcompare, in addition to those of scikit-learn and Python.

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
    """Error of a scorer whose champion was trained on other features.

    It is not an ``Exception``, because scikit-learn's functions replace the score of a
    failing scorer by NaN and continue: a `SequentialFeatureSelector` would then select the
    first features, with mere warnings.
    """


class EstimatorFailedError(RuntimeError):
    """Error of a classifier that failed to fit or predict; names it and the split.

    The exception of the estimator is the `__cause__`, as text if it was raised in another
    process. If that is a `ValueError` or a `TypeError`, this is one too, so that the same
    `except` clauses catch it as without skcompare.
    """

    @classmethod
    def of(cls, message: str, cause: BaseException) -> "EstimatorFailedError":
        """Error of a type that matches its cause."""
        for kind in (EstimatorValueError, EstimatorTypeError):
            if isinstance(cause, kind.__bases__[1]):
                return kind(message)
        return cls(message)


class EstimatorValueError(EstimatorFailedError, ValueError):
    """Error of an estimator that refused its input."""


class EstimatorTypeError(EstimatorFailedError, TypeError):
    """Error of an estimator that refused the type of its input."""


class MissingDependencyError(ImportError):
    """Error of an optional package that is not installed, with how to install it."""


class WorkerLostError(RuntimeError):
    """Error of a worker process that ended before its fits, so that there is no result.

    The exception of the scheduler is the `__cause__`. The comparison left nothing behind
    and can be run again; with `cache` of a comparator only the fits that are missing run.
    """
