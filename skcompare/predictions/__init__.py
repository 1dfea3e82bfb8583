"""What classifiers answered: collected from estimators, or from arrays, frames, files."""

from skcompare.predictions._answer import (
    DECISION,
    LABELS,
    LARGEST_SEED,
    PROBA,
    RANKS,
    SCORES,
    seeded,
    set_seeds,
)
from skcompare.predictions._collect import collect_fitted, collect_predictions
from skcompare.predictions._describe import describe
from skcompare.predictions._from_arrays import predictions_from_arrays
from skcompare.predictions._from_cv import predictions_from_cv_results
from skcompare.predictions._from_frames import (
    arrays_from_frame,
    labels_from_frame,
    predictions_from_frame,
)
from skcompare.predictions._holdout import holdout_from_frame
from skcompare.predictions._item_scores import ItemScores
from skcompare.predictions._on_engine import EngineColumns, columns_on_engine
from skcompare.predictions._one_class import one_class, one_class_of
from skcompare.predictions._part import part_of
from skcompare.predictions._predictions import Answers, PairedPredictions, Predictions
from skcompare.predictions._rows import n_rows

__all__ = [
    "DECISION",
    "LABELS",
    "LARGEST_SEED",
    "PROBA",
    "RANKS",
    "SCORES",
    "Answers",
    "EngineColumns",
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
