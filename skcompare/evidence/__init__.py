"""The few numbers that a test needs, validated once and frozen."""

from skcompare._registry import LossEntry, record_loss, record_losses
from skcompare.evidence._agreement import AgreementMatrix
from skcompare.evidence._calibration import PairedCalibration
from skcompare.evidence._calibration_errors import CalibrationBins, CalibrationCurve
from skcompare.evidence._class_placements import ClassPlacementValues
from skcompare.evidence._clusters import ClusterSums
from skcompare.evidence._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence._joint import JointCounts
from skcompare.evidence._paired_losses import PairedLosses
from skcompare.evidence._patterns import CorrectnessPatterns
from skcompare.evidence._placements import PlacementValues
from skcompare.evidence._scored_pair import ScoredPair
from skcompare.evidence._scores import ScoreDifferences

__all__ = [
    "AgreementMatrix",
    "CalibrationBins",
    "CalibrationCurve",
    "ClassPlacementValues",
    "ClusterSums",
    "ContingencyTable",
    "CorrectnessPatterns",
    "JointCounts",
    "LossEntry",
    "PairedBlocks",
    "PairedCalibration",
    "PairedLosses",
    "PlacementValues",
    "ScoreDifferences",
    "ScoredPair",
    "record_loss",
    "record_losses",
]
