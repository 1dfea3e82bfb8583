"""Levels that are so small that no p-value of a number of resamples is below them."""

import math
from collections.abc import Sequence

from skcompare.gate._sides import SMALLEST, Once, Side


def too_few_resamples(test: Once, sides: Sequence[Side], alpha: float) -> str:
    """Why nothing could pass at this level, whatever the records; empty if it could.

    A p-value that counts R resamples is not below about 1 / (R + 1). Its interval then
    excludes no more at the level than at any smaller one, which is nothing.
    """
    for side in sides:
        details, options = side.result.details, {**test.prepared.options, **test.options}
        if not {"resamples", "monte_carlo_error"} & set(details):
            continue
        if math.isnan(side.pvalue) or side.pvalue < alpha:
            continue
        at_level = side.result.confidence_interval(1 - alpha)
        if at_level == side.result.confidence_interval(1 - SMALLEST):
            known = details.get("resamples", options.get("n_resamples"))
            count = "so few" if known is None else f"{known:,.0f}"
            return (
                f"{count} resamples have no p-value below a level of {alpha:.2g}, so that "
                f"nothing can pass: ask for more than {math.ceil(1 / alpha):,} by "
                "n_resamples in the options of the condition, or for another test"
            )
    return ""
