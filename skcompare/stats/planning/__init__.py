"""Numbers of records that a comparison takes."""

from skcompare.stats.planning._auc_goal import AUCPlan, AUCPlanScenario
from skcompare.stats.planning._auc_goal import AUCQuestion as AUCQuestion
from skcompare.stats.planning._auc_goal import Truth as Truth
from skcompare.stats.planning._goal import ComparisonPlan, PlanScenario
from skcompare.stats.planning._goal import Question as Question
from skcompare.stats.planning._plan_accuracy import plan_comparison, plan_from_pilot
from skcompare.stats.planning._plan_auc import plan_auc_comparison, plan_auc_from_pilot
from skcompare.stats.planning._records_at_boundary import can_resample as can_resample
from skcompare.stats.planning._records_at_boundary import (
    records_of_calibration as records_of_calibration,
)
from skcompare.stats.planning._records_at_boundary import (
    records_of_means as records_of_means,
)
from skcompare.stats.planning._records_at_boundary import (
    records_of_scores as records_of_scores,
)
from skcompare.stats.planning._records_of_counts import Boundary as Boundary
from skcompare.stats.planning._records_of_counts import method_for as method_for
from skcompare.stats.planning._records_of_counts import (
    records_of_counts as records_of_counts,
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
