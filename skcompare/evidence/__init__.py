"""The few numbers that a test needs, validated once and frozen."""

from skcompare._core.score_bins import Levels
from skcompare._registry.losses import LossEntry, record_loss, record_losses
from skcompare.evidence._class_order import ClassColumns as ClassColumns
from skcompare.evidence._class_order import sorted_labels as sorted_labels
from skcompare.evidence._counting import sums_of as sums_of
from skcompare.evidence._device import space_of as space_of
from skcompare.evidence._items import NEGATED as NEGATED
from skcompare.evidence._items import item_evidence as item_evidence
from skcompare.evidence._items import why_no_evidence as why_no_evidence
from skcompare.evidence._storage import (
    Checkpoint,
    Storable,
    load_checkpoint,
    load_evidence,
    merge_evidence,
    save_checkpoint,
)
from skcompare.evidence.calibration._bins import POWERS as POWERS
from skcompare.evidence.calibration._bins import ROLES as ROLES
from skcompare.evidence.calibration._bins import STRATEGIES as STRATEGIES
from skcompare.evidence.calibration._bins import SUMS as SUMS
from skcompare.evidence.calibration._bins import Bins as Bins
from skcompare.evidence.calibration._bins import Layout as Layout
from skcompare.evidence.calibration._bins import bin_codes as bin_codes
from skcompare.evidence.calibration._bins import bin_edges as bin_edges
from skcompare.evidence.calibration._bins import codes_in as codes_in
from skcompare.evidence.calibration._bins import monotone_bins as monotone_bins
from skcompare.evidence.calibration._calibration import PairedCalibration
from skcompare.evidence.calibration._cells import CalibrationCells as CalibrationCells
from skcompare.evidence.calibration._device_calibration import device_bins as device_bins
from skcompare.evidence.calibration._device_calibration import (
    device_forecasts as device_forecasts,
)
from skcompare.evidence.calibration._errors import NORMS as NORMS
from skcompare.evidence.calibration._errors import CalibrationBins, CalibrationCurve
from skcompare.evidence.calibration._events import Forecasts as Forecasts
from skcompare.evidence.calibration._events import collapse_answers as collapse_answers
from skcompare.evidence.labels._agreement import MOST_CLASSES as MOST_CLASSES
from skcompare.evidence.labels._agreement import AgreementMatrix
from skcompare.evidence.labels._class_moments import CLASS_SCORES as CLASS_SCORES
from skcompare.evidence.labels._class_moments import ClassMoments as ClassMoments
from skcompare.evidence.labels._class_moments import ClassRows as ClassRows
from skcompare.evidence.labels._class_moments import OutcomeRows as OutcomeRows
from skcompare.evidence.labels._clusters import ClusterSums
from skcompare.evidence.labels._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence.labels._device_labels import counted_rows as counted_rows
from skcompare.evidence.labels._joint import JointCounts
from skcompare.evidence.labels._patterns import CorrectnessPatterns
from skcompare.evidence.losses._device_losses import class_totals as class_totals
from skcompare.evidence.losses._device_losses import mean_loss as mean_loss
from skcompare.evidence.losses._paired_losses import PairedLosses
from skcompare.evidence.losses._record_losses import EPS as EPS
from skcompare.evidence.losses._record_losses import brier as brier
from skcompare.evidence.losses._record_losses import cost as cost
from skcompare.evidence.losses._record_losses import multiclass_brier as multiclass_brier
from skcompare.evidence.losses._record_losses import rounded as rounded
from skcompare.evidence.losses._record_losses import spherical as spherical
from skcompare.evidence.ranking._cells import combined_cells as combined_cells
from skcompare.evidence.ranking._class_placements import ClassPlacementValues
from skcompare.evidence.ranking._placements import ContrastBounds, PlacementValues
from skcompare.evidence.scores._block_differences import BlockDifferences
from skcompare.evidence.scores._block_differences import halves_of as halves_of
from skcompare.evidence.scores._scored_pair import ScoredPair
from skcompare.evidence.scores._scores import ScoreDifferences
from skcompare.evidence.scores._scores import mean_defined as mean_defined
from skcompare.evidence.scores._scores import shape_of as shape_of
from skcompare.evidence.scores._scores import variance_of_mean as variance_of_mean
from skcompare.evidence.scores._vectorised_scores import AreaUnderCurve as AreaUnderCurve
from skcompare.evidence.scores._vectorised_scores import (
    AveragePrecision as AveragePrecision,
)
from skcompare.evidence.scores._vectorised_scores import LoopedScore as LoopedScore
from skcompare.evidence.scores._vectorised_scores import OperatingPoint as OperatingPoint
from skcompare.evidence.scores._vectorised_scores import PairScore as PairScore
from skcompare.evidence.scores._vectorised_scores import PreparedScore as PreparedScore
from skcompare.evidence.scores._vectorised_scores import RecordMean as RecordMean
from skcompare.evidence.scores._vectorised_scores import number_of as number_of
from skcompare.evidence.tally._tally import Cells as Cells
from skcompare.evidence.tally._tally import Tally
from skcompare.evidence.tally._tally import TallyPlan as TallyPlan
from skcompare.evidence.tally._tally_arrays import tally_arrays, tally_frame
from skcompare.evidence.tally._tally_arrays import tally_predictions as tally_predictions
from skcompare.evidence.tally._tally_engine import LABELS as LABELS
from skcompare.evidence.tally._tally_engine import EngineTally as EngineTally
from skcompare.evidence.tally._tally_request import Asked

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
