"""Making splits: linear in the number of records."""

import numpy as np

from skcompare.model_selection import BlockRegularized5x2CV


class BlockRegularizedSplit:
    """All ten splits of 5×2 block-regularized cross-validation."""

    params = (10**3, 10**4, 10**5, 10**6)
    param_names = ("n_samples",)

    def setup(self, n_samples):
        self.X = np.zeros((n_samples, 1))
        self.y = np.random.default_rng(0).integers(2, size=n_samples)
        self.cv = BlockRegularized5x2CV(random_state=0)

    def _split(self):
        for _ in self.cv.split(self.X, self.y):
            pass

    def time_split(self, n_samples):
        self._split()

    def peakmem_split(self, n_samples):
        self._split()
