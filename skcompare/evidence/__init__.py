"""The few numbers that a test needs, validated once and frozen."""

from skcompare.evidence._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence._scores import ScoreDifferences

__all__ = ["ContingencyTable", "PairedBlocks", "ScoreDifferences"]
