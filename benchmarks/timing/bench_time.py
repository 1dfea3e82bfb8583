"""Tests of records in time order, beside one transform of their differences."""

import numpy as np

from skcompare.evidence import OrderedDifferences
from skcompare.stats import diebold_mariano

from .made import SIZES


class DieboldMariano:
    """The test from sorted timestamps and losses, and a transform of the same length."""

    params = SIZES
    param_names = ("n_records",)

    def setup(self, n_records):
        self.losses = np.random.default_rng(0).random((2, n_records))
        self.time = np.datetime64("2020-01-01", "ns") + 10**9 * np.arange(n_records)

    def time_from_losses(self, n_records):
        diebold_mariano(OrderedDifferences.from_losses(*self.losses, time=self.time))

    def time_transform(self, n_records):
        np.fft.rfft(self.losses[0])

    def peakmem_from_losses(self, n_records):
        diebold_mariano(OrderedDifferences.from_losses(*self.losses, time=self.time))
