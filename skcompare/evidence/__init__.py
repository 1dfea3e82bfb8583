"""The few numbers that a test needs, validated once and frozen."""

from skcompare._core.score_bins import Levels
from skcompare._registry.losses import LossEntry, record_loss, record_losses
from skcompare.evidence._agreement import AgreementMatrix
from skcompare.evidence._block_differences import BlockDifferences
from skcompare.evidence._calibration import PairedCalibration
from skcompare.evidence._calibration_errors import CalibrationBins, CalibrationCurve
from skcompare.evidence._class_placements import ClassPlacementValues
from skcompare.evidence._clusters import ClusterSums
from skcompare.evidence._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence._joint import JointCounts
from skcompare.evidence._merge import merge_evidence
from skcompare.evidence._paired_losses import PairedLosses
from skcompare.evidence._patterns import CorrectnessPatterns
from skcompare.evidence._placement_bounds import ContrastBounds
from skcompare.evidence._placements import PlacementValues
from skcompare.evidence._scored_pair import ScoredPair
from skcompare.evidence._scores import ScoreDifferences
from skcompare.evidence._storage import (
    Checkpoint,
    Storable,
    load_checkpoint,
    load_evidence,
    save_checkpoint,
)
from skcompare.evidence._tally import Tally
from skcompare.evidence._tally_arrays import tally_arrays
from skcompare.evidence._tally_asked import Asked
from skcompare.evidence._tally_frame import tally_frame

__all__ = [
    "AgreementMatrix",
    "Asked",
    "BlockDifferences",
    "CalibrationBins",
    "CalibrationCurve",
    "Checkpoint",
    "ClassPlacementValues",
    "ClusterSums",
    "ContingencyTable",
    "ContrastBounds",
    "CorrectnessPatterns",
    "JointCounts",
    "Levels",
    "LossEntry",
    "PairedBlocks",
    "PairedCalibration",
    "PairedLosses",
    "PlacementValues",
    "ScoreDifferences",
    "ScoredPair",
    "Storable",
    "Tally",
    "load_checkpoint",
    "load_evidence",
    "merge_evidence",
    "record_loss",
    "record_losses",
    "save_checkpoint",
    "tally_arrays",
    "tally_frame",
]
