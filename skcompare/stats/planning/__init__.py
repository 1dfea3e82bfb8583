"""Numbers of records needed for a comparison."""

from skcompare.stats.planning._auc_goal import AUCPlan, AUCPlanScenario, AUCQuestion, Truth
from skcompare.stats.planning._goal import ComparisonPlan, PlanScenario, Question
from skcompare.stats.planning._plan_accuracy import plan_comparison, plan_from_pilot
from skcompare.stats.planning._plan_auc import plan_auc_comparison, plan_auc_from_pilot
from skcompare.stats.planning._records_at_boundary import (
    can_resample,
    records_of_calibration,
    records_of_means,
    records_of_scores,
)
from skcompare.stats.planning._records_of_counts import (
    Boundary,
    method_for,
    records_of_counts,
)

__all__ = [
    "AUCPlan",
    "AUCPlanScenario",
    "ComparisonPlan",
    "PlanScenario",
    "plan_auc_comparison",
    "plan_auc_from_pilot",
    "plan_comparison",
    "plan_from_pilot",
]
