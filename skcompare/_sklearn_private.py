"""The names of scikit-learn that are not public and cannot be avoided, all in one place.

============================  =====================  ================================
name                          where it is used       without it
============================  =====================  ================================
`_init_callback_context`      progress of a fit      callbacks are not called
`_accept_sample_weight`       asked of each of       AttributeError where weights
                              several scorers        are passed to the fit
============================  =====================  ================================

`sklearn.callback` itself is public from scikit-learn 1.9 on; the method above is the
documented way to support callbacks in an estimator, but has a private name.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


__all__ = ["CallbackSupportMixin", "progress_of", "with_callbacks"]

T = TypeVar("T")


def progress_of(
    estimator: Any, n_tasks: int
) -> Callable[[Iterable[T]], Iterator[T]] | None:
    """A wrapper that tells an estimator's callbacks of each finished task.

    None where there is no callback to tell.
    """
    start = getattr(estimator, "_init_callback_context", None)
    if start is None or not getattr(estimator, "_skl_callbacks", None):
        return None
    root = start(max_subtasks=n_tasks).call_on_fit_task_begin(estimator=estimator)

    def told(outcomes: Iterable[T]) -> Iterator[T]:
        for outcome in outcomes:
            task = root.subcontext(task_name="fit and predict")
            task.call_on_fit_task_begin(estimator=estimator)
            task.call_on_fit_task_end(estimator=estimator)
            yield outcome
        root.call_on_fit_task_end(estimator=estimator)

    return told
