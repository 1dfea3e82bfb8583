"""Losses of parts of the records, known by their sums."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import check_same_length
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence._agreement import check_whole
from skcompare.evidence._loss_moments import LossMoments

LOSS_SUMS = (
    "champion",
    "challenger",
    "gain",
    "champion_squares",
    "challenger_squares",
    "gain_squares",
    "products",
)
"""The sums of losses that every part has beside its number of records.

`gain` is the champion's loss less the challenger's, subtracted record by record, because of
two sums the difference would not keep its digits; `products` the product of both losses.
"""

ROUNDING = 2.0**-52
"""Share of a term that its double may be off."""

FEW_TERMS = 16
"""Sums of so few terms are off as sums of none."""

CONTRARY = 1e-6
"""Sums that are apart by such a share of their size are not of the same losses."""


def checked_counts(counts: ArrayLike) -> IntArray:
    """Records of each part as a vector."""
    found = np.atleast_1d(check_whole("counts", counts))
    if found.ndim != 1 or not found.any():
        raise ValueError(
            "`counts` must be records of each part, of shape (n_parts,), not all 0. Got "
            f"shape {found.shape}, {int(found.sum())} records."
        )
    return found


def checked_sums(sums: Mapping[str, ArrayLike], counts: IntArray) -> dict[str, FloatArray]:
    """The sums as vectors, which are of the same losses as far as one can see."""
    if set(sums) != set(LOSS_SUMS):
        raise ValueError(
            f"`sums` must have {', '.join(LOSS_SUMS)}. Got {', '.join(map(str, sums))}."
        )
    found = {
        name: np.atleast_1d(np.asarray(sums[name], dtype=np.float64)) for name in LOSS_SUMS
    }
    check_same_length({"counts": counts}, found)
    if not all(np.isfinite(values).all() for values in found.values()):
        raise ValueError(
            "`sums` must be finite. Got others: check the probabilities, or leave `eps` of "
            "the log loss above 0."
        )
    squares = found["champion_squares"] + found["challenger_squares"]
    size = np.sqrt(np.maximum(counts * squares, 0.0))
    apart = found["gain"] - (found["champion"] - found["challenger"])
    joined = found["gain_squares"] - squares + 2 * found["products"]
    # The root of a mean square is no less than a mean (Cauchy and Schwarz).
    large = np.abs(found["champion"]) + np.abs(found["challenger"]) - 2 * size
    for distance, scale in (
        (np.abs(apart), size),
        (np.abs(joined), squares),
        (large, size),
    ):
        if (distance > CONTRARY * scale).any():
            raise ValueError(
                "`sums` must be of the same losses: `gain` those of champion less "
                "challenger, `squares` and `products` of each record, then summed. Got "
                "sums that no losses have."
            )
    return found


def moments_from_sums(counts: IntArray, sums: Mapping[str, FloatArray]) -> LossMoments:
    """The moments of all records, from counts and sums of parts that were checked.

    The parts are centred one by one, and then the means of the parts, so that only
    variation within a part that is small beside its mean loses digits. A part's variation
    that is within rounding of its sums counts as none.
    """
    some = counts > 0
    size = counts[some].astype(np.float64)
    means, within = {}, {}
    for name in ("champion", "challenger", "gain"):
        mean, square = sums[name][some] / size, sums[f"{name}_squares"][some]
        left = square - size * mean**2
        means[name] = mean
        within[name] = np.where(left > ROUNDING * (FEW_TERMS + size) * square, left, 0.0)
    champion, challenger = means["champion"], means["challenger"]
    together = sums["products"][some] - size * champion * challenger
    together = np.where(within["champion"] * within["challenger"] > 0, together, 0.0)
    centres, rests, apart = zip(
        *(_centred(size, each) for each in means.values()), strict=True
    )
    squares = [
        float(own.sum() + size @ (between * between))
        for own, between in zip(within.values(), apart, strict=True)
    ]
    products = float(together.sum() + size @ (apart[0] * apart[1]))
    n = int(counts.sum())
    return LossMoments(
        n,
        champion=centres[0],
        challenger=centres[1],
        gain=centres[2],
        champion_squares=squares[0],
        challenger_squares=squares[1],
        gain_squares=squares[2],
        products=products,
        rests=(rests[0], rests[1], rests[2]),
    )


def _centred(size: FloatArray, means: FloatArray) -> tuple[float, float, NDArray[Any]]:
    """The mean of all, what it is more than its double, and the means beyond it."""
    total = size.sum()
    mean = float(size @ means / total)
    beyond = means - mean
    rest = float(size @ beyond / total)
    return mean, rest, beyond - rest
