"""What classifiers answered: collected from estimators in parallel, or from arrays."""

from skcompare.predictions._answer import DECISION, LABELS, SCORES, seeded, set_seeds
from skcompare.predictions._collect import collect_fitted, collect_predictions
from skcompare.predictions._describe import describe
from skcompare.predictions._from_arrays import predictions_from_arrays
from skcompare.predictions._predictions import Answers, PairedPredictions, Predictions
from skcompare.predictions._rows import n_rows

__all__ = [
    "DECISION",
    "LABELS",
    "SCORES",
    "Answers",
    "PairedPredictions",
    "Predictions",
    "collect_fitted",
    "collect_predictions",
    "describe",
    "n_rows",
    "predictions_from_arrays",
    "seeded",
    "set_seeds",
]
