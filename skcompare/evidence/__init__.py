"""Evidence: data summarised for tests, validated once and immutable."""

from skcompare._core.score_bins import ScoreBins
from skcompare._registry.metrics import LossEntry, record_loss, record_losses
from skcompare.evidence._items import NEGATED, item_evidence, why_no_evidence
from skcompare.evidence.calibration._calibration import PairedCalibration
from skcompare.evidence.calibration._cells import (
    NORMS,
    CalibrationBins,
    CalibrationCells,
    CalibrationCurve,
    monotone_bins,
)
from skcompare.evidence.calibration._events import (
    Forecasts,
    collapse_predictions,
    device_forecasts,
)
from skcompare.evidence.core._bins import (
    EPS,
    POWERS,
    ROLES,
    STRATEGIES,
    SUMS,
    Bins,
    Layout,
    bin_codes,
    bin_edges,
    codes_in,
)
from skcompare.evidence.core._counting import sums_of
from skcompare.evidence.core._device import check_weights, space_at, space_of
from skcompare.evidence.core._named_losses import forecasts_for
from skcompare.evidence.core._storage import (
    Checkpoint,
    Storable,
    load_checkpoint,
    load_evidence,
    merge_evidence,
    save_checkpoint,
)
from skcompare.evidence.labels._class_moments import (
    CLASS_SCORES,
    ClassMoments,
    ClassRows,
    ClassScore,
    OutcomeRows,
)
from skcompare.evidence.labels._class_order import ClassColumns, counted_rows, sorted_labels
from skcompare.evidence.labels._clusters import ClusterSums
from skcompare.evidence.labels._contingency import ContingencyTable, PairedBlocks
from skcompare.evidence.labels._joint import MOST_CLASSES, AgreementMatrix, JointCounts
from skcompare.evidence.labels._patterns import CorrectnessPatterns
from skcompare.evidence.losses import _forecast_losses as _forecast_losses
from skcompare.evidence.losses import _number_losses as _number_losses
from skcompare.evidence.losses._joint_losses import JointLosses
from skcompare.evidence.losses._paired_losses import PairedLosses
from skcompare.evidence.losses._record_losses import (
    brier,
    cost,
    mean_over_outputs,
    multiclass_brier,
    rounded,
    spherical,
)
from skcompare.evidence.ranking._cells import combined_cells
from skcompare.evidence.ranking._class_placements import ClassPlacementValues
from skcompare.evidence.ranking._placements import ContrastBounds, PlacementValues
from skcompare.evidence.ranking._ranks import same_ranking
from skcompare.evidence.scores._number_moments import AgreementMoments, CorrelationMoments
from skcompare.evidence.scores._number_scores import (
    NUMBER_SCORES,
    SCORE_FAMILIES,
    NumberScore,
    d2_pinball,
    d2_tweedie,
    number_score,
    score_of_outputs,
)
from skcompare.evidence.scores._root_errors import RootErrors
from skcompare.evidence.scores._scored_pair import (
    AreaUnderCurve,
    AveragePrecision,
    LoopedScore,
    OperatingPoint,
    PairScore,
    PreparedScore,
    RecordMean,
    ScoredPair,
    number_of,
    why_undefined,
)
from skcompare.evidence.scores._scores import (
    BlockDifferences,
    ScoreDifferences,
    degrees_of_freedom,
    halves_of,
    mean_defined,
    shape_of,
    variance_of_mean,
)
from skcompare.evidence.tally._number_tally import NumberPlan
from skcompare.evidence.tally._query import LABELS, EngineNumbers
from skcompare.evidence.tally._tally import (
    RELATIVE,
    ROOTS,
    Cells,
    Tally,
    TallyPlan,
    TallyRequest,
)
from skcompare.evidence.tally._tally_engine import (
    EngineTally,
    tally_arrays,
    tally_frame,
    tally_predictions,
)
from skcompare.evidence.time._ordered_differences import OrderedDifferences, order_of
from skcompare.evidence.trainings._crossed_differences import (
    CrossedDifferences,
    by_training,
    trainings_of,
    without_rounding,
)

__all__ = [
    "AgreementMatrix",
    "AgreementMoments",
    "TallyRequest",
    "BlockDifferences",
    "CalibrationBins",
    "CalibrationCurve",
    "Checkpoint",
    "ClassPlacementValues",
    "ClusterSums",
    "ContingencyTable",
    "ContrastBounds",
    "CorrectnessPatterns",
    "CorrelationMoments",
    "CrossedDifferences",
    "JointCounts",
    "JointLosses",
    "ScoreBins",
    "LossEntry",
    "OrderedDifferences",
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
