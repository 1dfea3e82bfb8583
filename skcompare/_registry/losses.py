"""The registry of losses per record, which tests of losses run on."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from skcompare._registry.entries import add_entry, in_numpy, keywords_of

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class LossEntry:
    """All that is known about a loss a record."""

    name: str
    title: str
    function: Callable[..., Any]
    measures: tuple[str, ...]
    array_api: bool = False
    bound: float | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the loss takes."""
        return keywords_of(self.function)

    @property
    def question(self) -> str:
        """What the loss measures: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


_losses: dict[str, LossEntry] = {}


def record_loss(
    name: str,
    *,
    title: str | None = None,
    measures: str | tuple[str, ...] = (),
    array_api: bool = False,
    bound: float | None = None,
) -> Callable[[F], F]:
    """Register a loss a record, so that every test of losses runs on its mean.

    Parameters
    ----------
    name : str
        The name by which the loss is asked for.
    title : str, optional
        Words for reports; the name with spaces by default.
    measures : str or tuple of str
        Names of metrics and of scikit-learn's scorers, without ``neg_``, that are the mean
        of this loss.
    array_api : bool, default=False
        Whether the function takes arrays of torch, CuPy and other libraries itself. By
        default it gets them as arrays of numpy.
    bound : float, optional
        The most by which two losses of a record can differ, without options. Tests for
        bounded losses ask for it where it is not known.

    Returns
    -------
    decorator : callable
        For a function of the positions of the true classes, of shape (n_samples,), and of
        probabilities with a column a class, that returns a loss a record.
    """

    def register(function: F) -> F:
        means = (measures,) if isinstance(measures, str) else tuple(measures)
        words = title or name.replace("_", " ")
        given = function if array_api else in_numpy(function)
        entry = LossEntry(name, words, given, means, array_api, bound)
        add_entry(_losses, entry, "loss")
        return given

    return register


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses a record by name."""
    return MappingProxyType(_losses)


def loss_of(measure: str | None) -> LossEntry | None:
    """The loss a record whose mean a measure is; None where it is no such mean."""
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    losses = record_losses().values()
    return next((loss for loss in losses if name in loss.measures), None)
