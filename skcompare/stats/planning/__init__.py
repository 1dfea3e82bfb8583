"""Numbers of records needed for a comparison."""

from skcompare.stats.planning._plan_accuracy import AccuracyGoal, Truth
from skcompare.stats.planning._plan_auc import AUCGoal, AUCTruth
from skcompare.stats.planning._plan_losses import LossGoal, LossTruth
from skcompare.stats.planning._plan_time import TimeGoal
from skcompare.stats.planning._records_at_boundary import (
    method_for,
    records_beyond_boundaries,
)
