"""Tests of labels: counting, and all tests from the counts."""

from skcompare.evidence import ContingencyTable, CorrectnessPatterns, JointCounts
from skcompare.stats import (
    bhapkar,
    bowker,
    cohen_kappa,
    mcnemar,
    pairwise_mcnemar,
    precision_by_class,
    precision_wald,
    score_difference,
    stuart_maxwell,
    symmetry_permutation,
)

from .made import SIZES, labels

OF_MATRIX = {
    "bowker": bowker,
    "stuart_maxwell": stuart_maxwell,
    "bhapkar": bhapkar,
    "cohen_kappa": cohen_kappa,
    "symmetry_permutation": symmetry_permutation,
}
OF_COUNTS = {
    "precision_wald": lambda counts: precision_wald(counts, label=1),
    "precision_by_class": precision_by_class,
    "score_difference": score_difference,
}


class Counting:
    """From arrays to counts."""

    params = (SIZES, (2, 100))
    param_names = ("n_records", "n_classes")

    def setup(self, n_records, n_classes):
        self.given = labels(n_records, n_classes)

    def time_joint(self, n_records, n_classes):
        JointCounts.from_predictions(*self.given)

    def time_table(self, n_records, n_classes):
        ContingencyTable.from_predictions(*self.given)

    def peakmem_joint(self, n_records, n_classes):
        JointCounts.from_predictions(*self.given)


class Words:
    """Labels that are words."""

    params = SIZES
    param_names = ("n_records",)

    def setup(self, n_records):
        self.given = [codes.astype("U4") for codes in labels(n_records)]

    def time_joint(self, n_records):
        JointCounts.from_predictions(*self.given)


class FromCounts:
    """Tests once the records are counted, which none of them looks at again."""

    params = [("mcnemar", *OF_MATRIX, *OF_COUNTS)]
    param_names = ("test",)

    def setup(self, test):
        joint = JointCounts.from_predictions(*labels(10**5))
        if test == "mcnemar":
            self.run, self.evidence = mcnemar, joint.contingency_table()
        elif test in OF_MATRIX:
            self.run, self.evidence = OF_MATRIX[test], joint.agreement_matrix()
        else:
            self.run, self.evidence = OF_COUNTS[test], joint

    def time_test(self, test):
        self.run(self.evidence)


class Several:
    """All pairs of ten classifiers."""

    params = SIZES
    param_names = ("n_records",)

    def setup(self, n_records):
        self.given = labels(n_records, 3, 10)

    def time_pairwise(self, n_records):
        pairwise_mcnemar(CorrectnessPatterns.from_predictions(*self.given))

    def peakmem_pairwise(self, n_records):
        pairwise_mcnemar(CorrectnessPatterns.from_predictions(*self.given))
