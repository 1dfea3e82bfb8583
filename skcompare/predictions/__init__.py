"""What classifiers answered: collected from estimators, or from arrays, frames, files."""

from skcompare.predictions._collect import collect_fitted, collect_predictions
from skcompare.predictions._collect import predictions_of as predictions_of
from skcompare.predictions._collect import takes_no_seed as takes_no_seed
from skcompare.predictions._cv_splits import CvSplits as CvSplits
from skcompare.predictions._cv_splits import splits_of_outputs as splits_of_outputs
from skcompare.predictions._cv_splits import splits_of_pair as splits_of_pair
from skcompare.predictions._cv_splits import splits_of_search as splits_of_search
from skcompare.predictions._estimator_repr import describe
from skcompare.predictions._fit_predict import (
    DECISION,
    LABELS,
    LARGEST_SEED,
    PROBA,
    RANKS,
    SCORES,
    seeded,
    set_seeds,
)
from skcompare.predictions._fit_predict import Outcome as Outcome
from skcompare.predictions._fit_predict import Task as Task
from skcompare.predictions._fit_predict import answer as answer
from skcompare.predictions._fit_predict import askable as askable
from skcompare.predictions._fit_predict import cut as cut
from skcompare.predictions._fit_predict import failure_of as failure_of
from skcompare.predictions._fit_predict import fitted_clone as fitted_clone
from skcompare.predictions._fit_predict import rows_of as rows_of
from skcompare.predictions._fit_predict import seeded_generators as seeded_generators
from skcompare.predictions._from_arrays import check_same_order as check_same_order
from skcompare.predictions._from_arrays import predictions_from_arrays
from skcompare.predictions._from_cv import cross_validated_pair as cross_validated_pair
from skcompare.predictions._from_cv import outputs_of_roles as outputs_of_roles
from skcompare.predictions._from_cv import predictions_from_cv_results
from skcompare.predictions._from_frames import (
    arrays_from_frame,
    holdout_from_frame,
    labels_from_frame,
    predictions_from_frame,
)
from skcompare.predictions._from_frames import check_same_truth as check_same_truth
from skcompare.predictions._from_frames import places_of as places_of
from skcompare.predictions._frozen_rules import CHALLENGER as CHALLENGER
from skcompare.predictions._frozen_rules import CHAMPION as CHAMPION
from skcompare.predictions._frozen_rules import PREFIT as PREFIT
from skcompare.predictions._frozen_rules import ROLES as ROLES
from skcompare.predictions._frozen_rules import answers_of_fitted as answers_of_fitted
from skcompare.predictions._frozen_rules import check_role_names as check_role_names
from skcompare.predictions._frozen_rules import check_roles as check_roles
from skcompare.predictions._frozen_rules import check_target as check_target
from skcompare.predictions._frozen_rules import fitted_pair as fitted_pair
from skcompare.predictions._frozen_rules import is_fitted as is_fitted
from skcompare.predictions._frozen_rules import is_mixed as is_mixed
from skcompare.predictions._frozen_rules import is_prefit as is_prefit
from skcompare.predictions._frozen_rules import pair_of_fitted as pair_of_fitted
from skcompare.predictions._ids import KINDS as KINDS
from skcompare.predictions._ids import first_of as first_of
from skcompare.predictions._ids import is_text as is_text
from skcompare.predictions._ids import some_ids as some_ids
from skcompare.predictions._ids import value_of as value_of
from skcompare.predictions._ids import written as written
from skcompare.predictions._indexing import fingerprint as fingerprint
from skcompare.predictions._indexing import n_rows
from skcompare.predictions._indexing import take_rows as take_rows
from skcompare.predictions._lazy_columns import EngineColumns, columns_on_engine
from skcompare.predictions._predictions import (
    Answers,
    PairedPredictions,
    Predictions,
    one_class,
    one_class_of,
    part_of,
)
from skcompare.predictions._predictions import what_lacks as what_lacks
from skcompare.predictions._split_info import Split as Split
from skcompare.predictions._split_info import ToldOfSplits as ToldOfSplits
from skcompare.predictions._split_info import disjoint_split as disjoint_split
from skcompare.predictions._worker_memory import blas_within as blas_within
from skcompare.predictions._worker_memory import run_shipped as run_shipped
from skcompare.predictions._worker_memory import shipped as shipped
from skcompare.predictions.items._item_rows import check_names as check_names
from skcompare.predictions.items._item_scores import ItemScores

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
