"""The few numbers that a test needs, validated once and frozen."""

from skcompare.evidence._agreement import AgreementMatrix
from skcompare.evidence._clusters import ClusterSums
from skcompare.evidence._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence._joint import JointCounts
from skcompare.evidence._patterns import CorrectnessPatterns
from skcompare.evidence._scores import ScoreDifferences

__all__ = [
    "AgreementMatrix",
    "ClusterSums",
    "ContingencyTable",
    "CorrectnessPatterns",
    "JointCounts",
    "PairedBlocks",
    "ScoreDifferences",
]
