"""Registered losses by name: their functions, and what they need of predictions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from skcompare._core.arrays import on_host
from skcompare._core.validation import unknown_name
from skcompare._registry.metrics import QUANTILES, STD, VALUES, record_losses
from skcompare._typing import FloatArray, IntArray
from skcompare.predictions import EstimatorPredictions

LARGEST = 1e140
"""The sum of the squares of larger losses overflows."""

Loss = Callable[[IntArray, FloatArray], FloatArray]


def named_loss(loss: object, **options: Any) -> tuple[str, Loss]:
    """Return the name of a loss with its options, and its function.

    Options that are None are left out.
    """
    passed = {name: on_host(value) for name, value in options.items() if value is not None}
    if callable(loss):
        if passed:
            raise ValueError(
                f"A loss of your own takes no options. Got {', '.join(passed)}. Bind them "
                "to it, for example by functools.partial."
            )
        return _name_of(loss), loss
    entries = record_losses()
    if not isinstance(loss, str) or loss not in entries:
        raise unknown_name("loss", loss, entries)
    entry = entries[loss]
    for name in passed:
        if name not in entry.options:
            raise ValueError(
                f"The loss {loss!r} takes no option {name!r}. Its options: "
                f"{', '.join(entry.options) or 'none'}. Leave it out."
            )
    text = ", ".join(f"{name}={_plain(value)!r}" for name, value in passed.items())
    return f"{loss}({text})" if text else loss, partial(entry.function, **passed)


def target_of(loss: object) -> str | None:
    """Return the target of a registered loss, or None for others, which state none."""
    entry = record_losses().get(loss) if isinstance(loss, str) else None
    return None if entry is None else entry.target


def forecasts_for(
    loss: object, roles: Sequence[EstimatorPredictions]
) -> list[tuple[Any, ...]]:
    """Return what a loss of numbers needs of the predictions of each regressor."""
    entry = record_losses().get(loss) if isinstance(loss, str) else None
    needs = VALUES if entry is None else entry.needs
    for role in roles:
        if getattr(role, needs) is None:
            raise ValueError(
                f"The loss {loss!r} needs {needs}, and {role.name} predicts none. Pass "
                "them beside the predicted numbers, or choose another loss."
            )
    if needs == STD:
        return [(role.values, role.std) for role in roles]
    if needs == QUANTILES:
        first, *others = (role.levels for role in roles)
        if any(levels != first for levels in others):
            raise ValueError(
                f"The loss {loss!r} compares quantiles of the same levels. Got "
                f"{' and '.join(str(role.levels) for role in roles)}. Pass the same levels "
                "of all models, and leave out the others."
            )
        return [(role.quantiles, role.levels) for role in roles]
    return [(getattr(role, needs),) for role in roles]


def _name_of(loss: Any) -> str:
    """Return the name of a user-defined loss, which may be a partial function."""
    name = getattr(getattr(loss, "func", loss), "__name__", "")
    return name if name.isidentifier() else "own loss"


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


NEAR_ZERO = 1e-3
"""Share of the median absolute target below which a target is near zero.

Such a record counts as a thousand records of the median target or more, so that a few
records, and the errors of measurement of their targets, decide the mean.
"""


def least_target(y: FloatArray) -> float:
    """Absolute target below which a target is near zero."""
    return NEAR_ZERO * float(np.median(np.abs(y))) if len(y) else 0.0
