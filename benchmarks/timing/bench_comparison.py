"""Times of the steps behind a comparison, without any fit."""

import numpy as np

from skcompare import compare
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import bcv_mcnemar, mcnemar


class Compare:
    """A hold-out comparison of labels, from arrays to the printed report."""

    params = ([10**3, 10**5], ["integers", "strings"])
    param_names = ("n_records", "labels")

    def setup(self, n_records, labels):
        rng = np.random.default_rng(0)
        names = np.array(["a", "b", "c"]) if labels == "strings" else np.arange(3)
        self.y = names[rng.integers(3, size=n_records)]
        self.predictions = {
            name: np.where(
                rng.random(n_records) < 0.8, self.y, names[rng.integers(3, size=n_records)]
            )
            for name in ("old", "new")
        }

    def time_report(self, n_records, labels):
        str(compare(self.y, self.predictions))

    def peakmem_report(self, n_records, labels):
        str(compare(self.y, self.predictions))


class Tests:
    """One test with its interval."""

    params = ["mid-p", "exact", "asymptotic", "corrected"]
    param_names = ("method",)

    def setup(self, method):
        self.table = ContingencyTable(15_000, 2_500, 1_500, 1_000)
        self.blocks = PairedBlocks([[[7_500, 1_250, 750, 500]] * 2] * 5)

    def time_mcnemar(self, method):
        mcnemar(self.table, method=method).confidence_interval()

    def time_bcv_mcnemar(self, method):
        bcv_mcnemar(self.blocks).confidence_interval()
