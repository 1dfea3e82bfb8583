"""Verbal scales of effect sizes, from the textbook's Tables 14.3 and 14.5.

The limits of kappa are those of Landis and Koch (1977), "The measurement of observer
agreement for categorical data", Biometrics 33(1), 159-174. The textbook calls any kappa
below 0 systematic disagreement, which an interval around 0 does not say. It has no number
for "close to 0"; the limits of disagreement, and those beside 0 of Yule's Q and of
correlations, are a choice made here. A perfect Q is worded after its formula: the textbook
says that one is right exactly when the other is (Q = 1) or is not (Q = -1), which Q does
not say.
"""

import math

DECIMALS = 12
"""Decimals to which an estimate is rounded before it is compared with a limit."""

Scale = tuple[tuple[float, str], ...]

DISAGREEMENT: Scale = (
    (0.05, "the two behave nearly identically on these records"),
    (0.5, "the two differ on some of these records"),
    (math.inf, "the two differ on many of these records"),
)

KAPPA: Scale = (
    (0.0, "less agreement than by chance"),
    (10**-DECIMALS, "no agreement beyond chance"),
    (0.2, "slight agreement beyond chance"),
    (0.4, "fair agreement beyond chance"),
    (0.6, "moderate agreement beyond chance"),
    (0.8, "substantial agreement beyond chance"),
    (math.inf, "almost perfect agreement beyond chance"),
)

WORSE_THAN_CHANCE = "worse than chance: the two disagree systematically"
"""Reading of a kappa whose interval of level `LEVEL` is below 0."""

LEVEL = 0.95

YULE_Q: Scale = (
    (-0.05, "errors tend to fall on different records, which helps an ensemble"),
    (0.05, "errors are about independent"),
    (math.inf, "errors tend to fall on the same records"),
)

PEARSON: Scale = (
    (-0.05, "large losses tend to fall on different records, which helps an ensemble"),
    (0.05, "losses are about uncorrelated, which helps an ensemble"),
    (0.6, "losses are mildly correlated; an ensemble may gain a little"),
    (math.inf, "losses are strongly correlated; an ensemble has little to gain"),
)

SPEARMAN: Scale = (
    (-0.05, "what is hard for one tends to be easy for the other, which helps an ensemble"),
    (0.05, "the two rank records by difficulty about unrelatedly, which helps an ensemble"),
    (
        0.6,
        "the two rank records by difficulty a little alike; an ensemble may gain a little",
    ),
    (math.inf, "the same records are hard for both; an ensemble has little to gain"),
)

NEVER_ALONE = "perfect positive association: one of the two is never right alone"
"""Q = 1: a cell of disagreement is empty, and the other need not be."""

NEVER_BOTH = (
    "perfect negative association: the two are never both wrong, or never both right"
)
"""Q = -1: a cell of agreement is empty, and the other need not be."""


def kappa_reading(kappa: float, pvalue: float) -> str:
    """Describe a value of kappa, given the p-value of its test against 0."""
    if kappa < 0 and pvalue < 1 - LEVEL:
        return WORSE_THAN_CHANCE
    return reading(KAPPA, kappa)


def reading(scale: Scale, estimate: float) -> str:
    """Describe an estimate on a verbal scale; empty if the estimate is undefined.

    A scale pairs each text with the limit that estimates are below.
    """
    if math.isnan(estimate):
        return ""
    rounded = round(estimate, DECIMALS)
    return next(text for limit, text in scale if rounded < limit)
