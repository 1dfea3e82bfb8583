"""Predictions of classifiers, collected from estimators, arrays, data frames and files."""

from skcompare._registry.metrics import VALUES
from skcompare.predictions._collect import (
    LARGEST_SEED,
    Fitted,
    Split,
    Task,
    askable,
    collect_fitted,
    collect_predictions,
    describe,
    disjoint_split,
    failure_of,
    fit_seeded,
    fitted_clone,
    has_chance,
    predictions_for,
    predictions_of,
    rows_of,
    seeded,
    set_seeds,
    takes_no_seed,
    without_seeds,
)
from skcompare.predictions._fit_cache import memory_of
from skcompare.predictions._forecasts import EACH, INTERVALS, MULTIOUTPUT, OF_NUMBERS
from skcompare.predictions._from_cv import (
    CvSplits,
    SplitInfo,
    cross_validated_pair,
    outputs_of_roles,
    predictions_from_cv_results,
)
from skcompare.predictions._from_frames import (
    KINDS,
    ColumnRoles,
    ColumnValues,
    EngineColumns,
    first_of,
    is_text,
    predictions_from_frame,
    rows_by_id,
    value_of,
    written,
)
from skcompare.predictions._frozen_rules import (
    PREFIT,
    check_roles,
    check_roles_to_fit,
    check_target,
    fitted_pair,
    is_fitted,
    is_frozen,
    is_mixed,
    is_prefit,
    predictions_of_fitted,
    target_of,
)
from skcompare.predictions._item_scores import ItemScores, check_names
from skcompare.predictions._outputs import one_output, one_output_of, weights_of
from skcompare.predictions._predictions import (
    CHALLENGER,
    CHAMPION,
    DECISION,
    LABELS,
    PROBA,
    RANKS,
    ROLES,
    SCORES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    checked_numbers,
    encoded_target,
    fingerprint,
    in_time,
    n_rows,
    one_class,
    one_class_of,
    part_of,
    predictions_from_arrays,
    take_rows,
    what_lacks,
)
from skcompare.predictions._splits_in_time import (
    least_horizon,
    ordered_by,
    times_of,
    why_no_series,
    with_windows,
)
from skcompare.predictions._trainings import (
    each_training,
    predictions_of_trainings,
    read_trainings,
)
from skcompare.predictions._worker_memory import run_tasks

__all__ = [
    "DECISION",
    "LABELS",
    "LARGEST_SEED",
    "PROBA",
    "RANKS",
    "SCORES",
    "EngineColumns",
    "EstimatorPredictions",
    "ItemScores",
    "PairedPredictions",
    "Predictions",
    "collect_fitted",
    "collect_predictions",
    "describe",
    "n_rows",
    "one_class",
    "one_class_of",
    "part_of",
    "predictions_from_arrays",
    "predictions_from_cv_results",
    "predictions_from_frame",
    "seeded",
    "set_seeds",
]
