"""What comparators add to twenty fits, which take next to no time here."""

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator, cross_compare

PAIR = GaussianNB(), GaussianNB(var_smoothing=0.1)


class Comparator:
    """A whole comparison of learning algorithms, beside scikit-learn's own loop."""

    params = (10**3, 10**4, 10**5)
    param_names = ("n_samples",)

    def setup(self, n_samples):
        rng = np.random.default_rng(0)
        self.y = rng.integers(2, size=n_samples)
        self.X = rng.standard_normal((n_samples, 10)) + 0.3 * self.y.reshape(-1, 1)
        self.cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0)

    def _compared(self):
        str(PairedComparator(*PAIR, random_state=0).fit(self.X, self.y).comparison_)

    def time_comparator(self, n_samples):
        self._compared()

    def peakmem_comparator(self, n_samples):
        self._compared()

    def time_cross_compare(self, n_samples):
        cross_compare(dict(zip(("one", "two"), PAIR)), self.X, self.y, cv=self.cv)

    def time_bare_loop(self, n_samples):
        for classifier in PAIR:
            cross_validate(classifier, self.X, self.y, cv=self.cv)
