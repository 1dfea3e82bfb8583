"""Tests of scores, probabilities and losses, from the arrays."""

import numpy as np

from skcompare.evidence import (
    ClassPlacementValues,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoredPair,
)
from skcompare.metrics import (
    binary_brier_loss,
    expected_calibration_error,
    score_decomposition,
    smooth_calibration_error,
)
from skcompare.stats import (
    bootstrap_difference,
    calibration_difference,
    delong,
    delong_joint,
    delong_ovr,
    loss_permutation,
    paired_t,
    permutation_difference,
    wilcoxon,
)

from .made import SIZES, class_probabilities, probabilities, scores


class DeLong:
    """Two AUCs with their covariance, and several."""

    params = SIZES
    param_names = ("n_records",)

    def setup(self, n_records):
        self.two, self.eight = scores(n_records), scores(n_records, 8)

    def time_two(self, n_records):
        delong(PlacementValues.from_predictions(*self.two))

    def peakmem_two(self, n_records):
        delong(PlacementValues.from_predictions(*self.two))

    def time_eight(self, n_records):
        delong_joint(PlacementValues.from_predictions(*self.eight))


KINDS = {
    "probabilities": lambda score: 1 / (1 + np.exp(-score)),
    "single precision": np.float32,
    "two decimals": lambda score: np.round(score, 2),
    "heavy tails": lambda score: np.sinh(4 * score),
}


class KindsOfScores:
    """DeLong's test of scores that are ordered in other ways."""

    params = list(KINDS)
    param_names = ("kind",)

    def setup(self, kind):
        y, *pair = scores(SIZES[-1])
        self.given = y, *map(KINDS[kind], pair)

    def time_delong(self, kind):
        delong(PlacementValues.from_predictions(*self.given))


class DeLongOfClasses:
    """Mean one-vs-rest AUCs."""

    params = SIZES[:2]
    param_names = ("n_records",)

    def setup(self, n_records):
        self.given = class_probabilities(n_records)

    def time_ovr(self, n_records):
        delong_ovr(ClassPlacementValues.from_predictions(*self.given))


class Calibration:
    """Errors of one classifier, and the test of two."""

    params = SIZES
    param_names = ("n_records",)

    def setup(self, n_records):
        self.y, self.first, self.second = probabilities(n_records)

    def time_brier(self, n_records):
        binary_brier_loss(self.y, self.first)

    def time_expected_error(self, n_records):
        expected_calibration_error(self.y, self.first)

    def time_smooth_error(self, n_records):
        smooth_calibration_error(self.y, self.first)

    def time_decomposition(self, n_records):
        score_decomposition(self.y, self.first)

    def _difference(self):
        calibration_difference(
            PairedCalibration.from_predictions(self.y, self.first, self.second)
        )

    def time_difference(self, n_records):
        self._difference()

    def peakmem_difference(self, n_records):
        self._difference()


class Losses:
    """Losses of two classifiers, from probabilities to p-values."""

    params = (SIZES, ("binary_brier_loss", "log_loss"))
    param_names = ("n_records", "loss")

    def setup(self, n_records, loss):
        self.given = probabilities(n_records)

    def _tested(self, loss):
        paired_t(PairedLosses.from_predictions(*self.given, loss=loss))

    def time_paired_t(self, n_records, loss):
        self._tested(loss)

    def peakmem_paired_t(self, n_records, loss):
        self._tested(loss)


class Resampling:
    """Tests that draw, 199 times."""

    params = SIZES[:2]
    param_names = ("n_records",)

    def setup(self, n_records):
        self.pair = ScoredPair.from_predictions(*scores(n_records), score="roc_auc")
        given = probabilities(n_records)
        self.losses = PairedLosses.from_predictions(*given)
        self.calibration = PairedCalibration.from_predictions(*given)

    def time_bootstrap(self, n_records):
        bootstrap_difference(self.pair, n_resamples=199).confidence_interval()

    def time_calibration(self, n_records):
        calibration_difference(self.calibration, method="bootstrap", n_resamples=199)

    def time_permutation(self, n_records):
        permutation_difference(self.pair, n_resamples=199)

    def time_wilcoxon(self, n_records):
        wilcoxon(self.losses)

    def time_sign_permutation(self, n_records):
        loss_permutation(self.losses, n_resamples=199)
