"""What may be concluded: tests, each a pure function of one piece of evidence."""

from skcompare._registry import PairedTestEntry, paired_test, paired_tests
from skcompare.stats._adjust import adjust_pvalues
from skcompare.stats._bcv_mcnemar import bcv_mcnemar
from skcompare.stats._mcnemar import mcnemar
from skcompare.stats._power import mcnemar_power
from skcompare.stats._result import ConfidenceInterval, PairedResult
from skcompare.stats._sample_size import bcv_mcnemar_sample_size, mcnemar_sample_size

__all__ = [
    "ConfidenceInterval",
    "PairedResult",
    "PairedTestEntry",
    "adjust_pvalues",
    "bcv_mcnemar",
    "bcv_mcnemar_sample_size",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_sample_size",
    "paired_test",
    "paired_tests",
]
