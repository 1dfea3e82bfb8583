"""Predictions of classifiers, collected from estimators, arrays, data frames and files."""

from skcompare.predictions._collect import (
    collect_fitted,
    collect_predictions,
    predictions_of,
    takes_no_seed,
)
from skcompare.predictions._cv_splits import (
    CvSplits,
    splits_of_outputs,
    splits_of_pair,
    splits_of_search,
)
from skcompare.predictions._estimator_repr import describe
from skcompare.predictions._fit_predict import (
    DECISION,
    LABELS,
    LARGEST_SEED,
    PROBA,
    RANKS,
    SCORES,
    Outcome,
    Task,
    askable,
    cut,
    failure_of,
    fitted_clone,
    predict,
    rows_of,
    seeded,
    seeded_generators,
    set_seeds,
)
from skcompare.predictions._from_arrays import check_same_order, predictions_from_arrays
from skcompare.predictions._from_cv import (
    cross_validated_pair,
    outputs_of_roles,
    predictions_from_cv_results,
)
from skcompare.predictions._from_frames import (
    ColumnRoles,
    EngineColumns,
    arrays_from_frame,
    columns_on_engine,
    holdout_from_frame,
    labels_from_frame,
    predictions_from_frame,
)
from skcompare.predictions._frozen_rules import (
    CHALLENGER,
    CHAMPION,
    PREFIT,
    ROLES,
    check_role_names,
    check_roles,
    check_target,
    fitted_pair,
    is_fitted,
    is_mixed,
    is_prefit,
    pair_of_fitted,
    predictions_of_fitted,
)
from skcompare.predictions._ids import KINDS, first_of, is_text, some_ids, value_of, written
from skcompare.predictions._indexing import fingerprint, n_rows, take_rows
from skcompare.predictions._predictions import (
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    one_class,
    one_class_of,
    part_of,
    what_lacks,
)
from skcompare.predictions._split_info import Split, SplitInfo, disjoint_split
from skcompare.predictions._worker_memory import blas_within, run_shipped, shipped
from skcompare.predictions.items._item_rows import check_names
from skcompare.predictions.items._item_scores import ItemScores

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
    "arrays_from_frame",
    "collect_fitted",
    "collect_predictions",
    "columns_on_engine",
    "describe",
    "holdout_from_frame",
    "labels_from_frame",
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
