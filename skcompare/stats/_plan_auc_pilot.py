"""What a pilot says of two AUCs and how they vary together."""

import math
from dataclasses import dataclass

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.stats._score_limits import normal_critical, score_range


@dataclass(frozen=True, slots=True, eq=False)
class AUCPilot:
    """Areas and placement values of two classifiers.

    Attributes
    ----------
    areas : tuple of two floats
        Champion and challenger.
    positives, negatives : ndarray of shape (2, n_positives) and (2, n_negatives)
        Placement values less their means, DeLong's V10 and V01.
    design_effect : float
        How many records of the pilot's groups are worth an unrelated one; at least 1.
    """

    areas: tuple[float, float]
    positives: FloatArray
    negatives: FloatArray
    design_effect: float

    @classmethod
    def of(cls, pilot: object) -> "AUCPilot":
        """Take what is needed from placement values, after checking them."""
        if not isinstance(pilot, PlacementValues):
            raise TypeError(
                "plan_auc_from_pilot needs PlacementValues. Got "
                f"{type(pilot).__name__}. Make them by PlacementValues.from_predictions."
            )
        if pilot.n_scores != 2:
            raise ValueError(
                f"The pilot must have the scores of two classifiers. Got {pilot.n_scores}. "
                "Choose those that are to be compared."
            )
        if min(pilot.n_positives, pilot.n_negatives) < 2:
            raise ValueError(
                "The pilot must have two records of each class. Got "
                f"{pilot.n_positives} positive and {pilot.n_negatives} negative. Use "
                "plan_auc_comparison, which needs no records."
            )
        areas = pilot.aucs
        sides = [np.stack(side) for side in zip(pilot.values(0), pilot.values(1))]
        positives, negatives = (side - areas[:, None] for side in sides)
        first, second = areas.tolist()
        own = cls((first, second), positives, negatives, 1.0)
        if not own.variances(own.kappa)[0] > 0:
            raise ValueError(
                "The difference of the pilot's AUCs does not vary from record to record, "
                "so that it tells nothing of what a comparison takes. Got areas "
                f"{first:g} and {second:g}. Use plan_auc_comparison."
            )
        if pilot.groups is None:
            return own
        codes = pilot.group_codes()
        units = codes[pilot.positive], codes[~pilot.positive]
        effect = own.grouped_variance(*units) / own.variance
        return cls((first, second), positives, negatives, max(1.0, effect))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of positives and negatives."""
        return self.positives.shape[1], self.negatives.shape[1]

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.sizes[0] / sum(self.sizes)

    @property
    def kappa(self) -> float:
        """Negatives for each positive."""
        return self.sizes[1] / self.sizes[0]

    @property
    def variance(self) -> float:
        """DeLong's variance of the difference, of unrelated records."""
        return self.variances(self.kappa)[0] / self.sizes[0]

    def variances(self, kappa: float) -> tuple[float, float]:
        """Variances of the difference, times the number of positives.

        As estimated, and if both areas vary as the champion's does and keep their
        correlation.

        Parameters
        ----------
        kappa : float
            Negatives for each positive of the plan.
        """
        found = np.cov(self.positives) + np.cov(self.negatives) / kappa
        (first, shared), (_, second) = found.tolist()
        unit = math.sqrt(first * second)
        correlation = shared / unit if unit > 0 else 0.0
        at_null = 2 * first * max(0.0, 1 - correlation)
        return self._difference_variance(kappa), at_null

    def _difference_variance(self, kappa: float) -> float:
        # Of the differences themselves, so that equal rankings have exactly none.
        inside, outside = self._differences()
        return float(inside.var(ddof=1) + outside.var(ddof=1) / kappa)

    def _differences(self) -> tuple[FloatArray, FloatArray]:
        """Of each record, challenger less champion."""
        return (
            self.positives[1] - self.positives[0],
            self.negatives[1] - self.negatives[0],
        )

    def grouped_variance(self, inside: IntArray, outside: IntArray) -> float:
        """Variance of the difference for grouped records, by Obuchowski (1997).

        Equations for S10, S01 and S11 of "Nonparametric analysis of clustered ROC curve
        data", Biometrics 53(2), 567-578.

        Parameters
        ----------
        inside, outside : ndarray of shape (n_positives,) and (n_negatives,)
            Group of each positive and of each negative record.
        """
        n_groups = int(max(inside.max(), outside.max())) + 1
        own, others = (
            np.bincount(groups, values / len(values), n_groups)
            for groups, values in zip((inside, outside), self._differences())
        )
        total = _unbiased(len(np.unique(inside))) * float(own @ own)
        total += _unbiased(len(np.unique(outside))) * float(others @ others)
        every = len(np.union1d(inside, outside))
        return total + 2 * _unbiased(every) * float(own @ others)

    def limits(self, level: float) -> tuple[float, float]:
        """DeLong's interval of the difference."""
        error = math.sqrt(self.variance * self.design_effect)
        difference = self.areas[1] - self.areas[0]
        return score_range(
            difference, error, normal_critical, (-1.0, 1.0), level, "two-sided"
        )


def _unbiased(n: int) -> float:
    """What makes a mean of squares of groups a variance."""
    if n < 2:
        raise ValueError(
            f"The pilot must have records of each class in two groups. Got {n}. Collect "
            "more groups, or use plan_auc_comparison with a design effect."
        )
    return n / (n - 1)
