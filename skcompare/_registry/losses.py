"""Registry of losses of each record, for tests of losses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from skcompare._registry.entries import add_entry, first_line, in_numpy, keywords_of

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class LossEntry:
    """Registry entry of a loss of each record."""

    name: str
    title: str
    function: Callable[..., Any]
    measures: tuple[str, ...]
    array_api: bool = False
    bound: float | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments of the loss."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """Description of the loss, from the first line of its docstring."""
        return first_line(self.function)


_losses: dict[str, LossEntry] = {}


def record_loss(
    name: str,
    *,
    title: str | None = None,
    measures: str | tuple[str, ...] | None = None,
    array_api: bool = False,
    bound: float | None = None,
) -> Callable[[F], F]:
    """Register a loss of each record, whose mean the tests of losses compare.

    Parameters
    ----------
    name : str
        Name by which the loss is requested: that of its mean.
    title : str, optional
        Title for reports; the name with spaces by default.
    measures : str or tuple of str
        Names of metrics and of scikit-learn's scorers, without ``neg_``, that are the mean
        of this loss; by default its own name.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it receives them as NumPy arrays.
    bound : float, optional
        Largest difference between two losses of a record, without options. Tests for
        bounded losses require it as an option if it is not known.

    Returns
    -------
    decorator : callable
        For a function of the positions of the true classes, of shape (n_samples,), and of
        probabilities with one column per class, that returns the loss of each record.
    """

    def register(function: F) -> F:
        means = name if measures is None else measures
        means = (means,) if isinstance(means, str) else tuple(means)
        text = title or name.replace("_", " ")
        wrapped = function if array_api else in_numpy(function)
        entry = LossEntry(name, text, wrapped, means, array_api, bound)
        add_entry(_losses, entry, "loss")
        return wrapped

    return register


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses of each record, by name."""
    return MappingProxyType(_losses)


def loss_of(measure: str | None) -> LossEntry | None:
    """Registered loss whose mean is the measure, or None if there is none."""
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    losses = record_losses().values()
    return next((loss for loss in losses if name in loss.measures), None)
