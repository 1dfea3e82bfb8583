"""What pairs of classes contribute to Bowker's statistic, as a picture needs it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._typing import IntArray


def pair_of(part: Mapping[str, Any], statistic: float, alpha: float) -> dict[str, Any]:
    """A pair of classes, in the direction that is the more frequent one."""
    roles = (part["champion"], part["challenger"])
    counts = (part["count"], part["reverse_count"])
    if counts[1] > counts[0]:
        roles, counts = roles[::-1], counts[::-1]
    return {
        "champion": roles[0],
        "challenger": roles[1],
        "records": counts[0],
        "reverse": counts[1],
        "contribution": part["contribution"],
        "share": part["contribution"] / statistic if statistic else 0.0,
        "pvalue": part["pvalue"],
        "adjusted_pvalue": part["adjusted_pvalue"],
        "marked": part["adjusted_pvalue"] < alpha,
    }


def most_disagreeing(counts: IntArray, most: int) -> IntArray:
    """Positions of the classes with the most disagreements, in the order of the classes."""
    apart = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    return np.sort(np.argsort(-apart, kind="stable")[:most])
