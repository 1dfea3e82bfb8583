"""Numbers of records needed for a comparison."""

from skcompare.stats.planning._plan_accuracy import (
    AccuracyGoal,
    ComparisonPlan,
    PlanScenario,
    Truth,
    plan_comparison,
    plan_from_pilot,
)
from skcompare.stats.planning._plan_auc import (
    AUCGoal,
    AUCPlan,
    AUCPlanScenario,
    AUCTruth,
    plan_auc_comparison,
    plan_auc_from_pilot,
)
from skcompare.stats.planning._records_at_boundary import (
    method_for,
    records_beyond_boundaries,
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
