"""Several losses of numbers, computed while a few records at a time are in the cache."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.arrays import slices_of
from skcompare._core.validation import unknown_name
from skcompare._registry.metrics import NUMBERS, by_columns, record_losses
from skcompare._typing import FloatArray
from skcompare.evidence.core._counting import located
from skcompare.evidence.core._named_losses import forecasts_for, least_target, named_loss
from skcompare.evidence.losses._loss_moments import Row, merged_rows, moment_rows
from skcompare.evidence.losses._record_losses import (
    PART,
    Losses,
    check_losses,
    is_of_each_record,
    part_of_forecast,
    shaped_loss,
)
from skcompare.predictions import EstimatorPredictions

PERCENTAGE = "absolute_percentage_error"


class _Part(NamedTuple):
    """Loss that is computed part by part.

    Attributes
    ----------
    name : str
        Name of the loss, with its options.
    function : callable
        Function of true numbers, and of what is predicted of them.
    forecasts : list of tuple
        What it takes of champion and challenger.
    values : ndarray of shape (2, n_samples) or None
        The losses, where they are kept.
    rows : list
        Moments of the parts.
    """

    name: str
    function: Callable[..., Any]
    forecasts: list[tuple[Any, ...]]
    values: FloatArray | None
    rows: list[Row]

    def of(self, y: FloatArray, rows: slice) -> Losses:
        """Return the losses of some records."""
        n = len(y[rows])
        champion, challenger = (
            shaped_loss(self.name, self.function(y[rows], *part_of_forecast(own, rows)), n)
            for own in self.forecasts
        )
        return Losses(self.name, champion, challenger)


def losses_at_once(
    y: FloatArray,
    roles: Sequence[EstimatorPredictions],
    requested: Mapping[str, Mapping[str, Any]],
    keep_values: bool,
) -> dict[str, dict[str, Any]]:
    """Compute fields of paired losses, by loss, in one pass over the numbers.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True numbers.
    roles : pair of EstimatorPredictions
        Champion and challenger.
    requested : mapping of str to mapping
        Losses with their options.
    keep_values : bool
        Whether the losses are kept.
    """
    losses = {}
    for name, options in requested.items():
        text, function = _function_of(name, options, y)
        values = np.empty((2, len(y))) if keep_values else None
        losses[name] = _Part(text, function, forecasts_for(name, roles), values, [])
    for rows in slices_of(len(y), PART):
        for own in losses.values():
            with located(lambda own=own: own.of(y, slice(None))):  # type: ignore[misc]
                part = own.of(y, rows)
            kept = None if own.values is None else own.values[:, rows]
            own.rows.extend(moment_rows(part.champion, part.challenger, kept, len(y)))
    return {name: _fields(own, y) for name, own in losses.items()}


def _function_of(
    name: str, options: Mapping[str, Any], y: FloatArray
) -> tuple[str, Callable[..., Any]]:
    """Return the name of a loss with its options, and its function of some records."""
    entry = record_losses().get(name)
    known = [own.name for own in record_losses().values() if own.target == NUMBERS]
    if entry is None or entry.target != NUMBERS:
        raise unknown_name("loss of numbers", name, known)
    text, function = named_loss(name, **options)
    if name == PERCENTAGE:
        # The median that it depends on by default is that of all records.
        own = by_columns(entry.expression)  # type: ignore[arg-type]
        least = options.get("least")
        least = least_target(y) if least is None else least
        return text, lambda *columns: own(*columns, least=least)
    if not is_of_each_record(name):
        raise ValueError(
            f"The loss {name!r} of a record depends on the others. Compute it alone, by "
            "PairedLosses.from_predictions."
        )
    return text, function


def _fields(own: _Part, y: FloatArray) -> dict[str, Any]:
    if own.values is not None:
        own.values.setflags(write=False)
    moments = merged_rows(own.rows)
    if not moments.are_moderate:
        check_losses(own.of(y, slice(None)))
    return {"moments": moments, "values": own.values, "loss": own.name}
