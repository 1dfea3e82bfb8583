"""Gates: conditions that a challenger must be shown to meet in continuous integration."""

from typing import TYPE_CHECKING

from skcompare._lazy import attach as _attach

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

# Loaded on first use, as in the package above: pytest loads the plugin in this folder in
# every run of every project where skcompare is installed.
_NAMES = {
    "_conditions": ("KINDS", "AnyOf", "Condition", "Equivalent", "NonInferior", "Superior"),
    "_decision": ("INCONCLUSIVE", "GateDecision", "Outcome"),
    "_files": ("GateFiles", "judge_files"),
    "_gate": ("Gate", "GateNotPassed", "assert_better"),
    "_ledger": ("Ledger",),
    "_policy": ("PYPROJECT", "Policy", "find_policy", "load_policy"),
    "_skops": ("load_estimator",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from skcompare.gate._conditions import (
        KINDS,
        AnyOf,
        Condition,
        Equivalent,
        NonInferior,
        Superior,
    )
    from skcompare.gate._decision import INCONCLUSIVE, GateDecision, Outcome
    from skcompare.gate._files import GateFiles, judge_files
    from skcompare.gate._gate import Gate, GateNotPassed, assert_better
    from skcompare.gate._ledger import Ledger
    from skcompare.gate._policy import PYPROJECT, Policy, find_policy, load_policy
    from skcompare.gate._skops import load_estimator
else:
    # Hidden from type checkers, which would accept any name otherwise.
    __getattr__, __dir__ = _attach(__name__, _HOMES, __all__)
