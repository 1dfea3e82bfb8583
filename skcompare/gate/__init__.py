"""Gates: conditions that a challenger must be shown to meet in continuous integration."""

from skcompare.gate._assertions import GateNotPassed, assert_better
from skcompare.gate._conditions import (
    KINDS,
    AnyOf,
    Condition,
    Equivalent,
    NonInferior,
    Superior,
)
from skcompare.gate._decision import INCONCLUSIVE, GateDecision, Outcome
from skcompare.gate._evaluate import Gate
from skcompare.gate._files import (
    ONE_OF_THEM,
    GateFiles,
    chosen_columns,
    judge_files,
    placed_in,
)
from skcompare.gate._ledger import Ledger
from skcompare.gate._policy import (
    OF_FORECASTS,
    PYPROJECT,
    Columns,
    Policy,
    checked_table,
    find_policy,
    load_policy,
    names_in,
)
from skcompare.gate._proposal import Proposal, non_inferior, propose_policy
from skcompare.gate._skops import load_estimator
from skcompare.gate._truth import has_truth, true_columns

__all__ = [
    "AnyOf",
    "Equivalent",
    "Gate",
    "GateDecision",
    "GateNotPassed",
    "Ledger",
    "NonInferior",
    "Outcome",
    "Policy",
    "Superior",
    "assert_better",
    "load_estimator",
    "load_policy",
]
