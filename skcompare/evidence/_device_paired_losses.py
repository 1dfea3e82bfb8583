"""Losses of two classifiers on the device of their probabilities, or their moments only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skcompare._core.array_api import is_foreign, on_host
from skcompare._registry.losses import record_losses
from skcompare.evidence._device_losses import device_moments, n_below
from skcompare.evidence._record_losses import EPS, LARGEST, named_loss


def device_losses(
    codes: Any,
    probas: Sequence[Any],
    loss: Any,
    options: Mapping[str, Any],
    keep_values: bool,
) -> dict[str, Any] | None:
    """Fields of paired losses; None where the losses are to be computed in numpy.

    Codes and probabilities are those of :class:`ClassColumns`. Losses that are functions of
    one's own, or are not registered as taking such arrays, get arrays of numpy.
    """
    known = record_losses().get(loss) if isinstance(loss, str) else None
    on_device = all(map(is_foreign, (codes, *probas)))
    if not on_device or known is None or not known.array_api:
        return None
    name, function = named_loss(loss, **options)
    found = [function(codes, proba) for proba in probas]
    moments = device_moments(found[0], found[1], LARGEST)
    if moments is None:
        return None
    clipped = (0, 0)
    if loss == "log":
        eps = EPS if options["eps"] is None else options["eps"]
        clipped = n_below(codes, probas[0], eps), n_below(codes, probas[1], eps)
    values = None
    if keep_values:
        values = np.stack([on_host(losses) for losses in found])
        values.setflags(write=False)
    return {"moments": moments, "values": values, "loss": name, "clipped": clipped}
