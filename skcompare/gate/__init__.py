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
_HOMES = {
    "lock_of": "ledger._ledger_file",
    "judge_subject": "_with_ledger",
    "TrainSettings": "_policy_sections",
    "find_policy": "_policy",
    "PYPROJECT": "_policy",
    "INCONCLUSIVE": "_outcomes",
    "GateFiles": "_file_columns",
    "subject_from_files": "_files",
    "are_one_file": "_file_columns",
    "Condition": "_conditions",
    "AnyOf": "_conditions",
    "Equivalent": "_conditions",
    "Gate": "_gate",
    "GateDecision": "_decision",
    "GateNotPassed": "_exceptions",
    "Ledger": "ledger._ledger",
    "NonInferior": "_conditions",
    "Outcome": "_outcomes",
    "Policy": "_policy",
    "Superior": "_conditions",
    "assert_better": "_assert_better",
    "load_estimator": "_skops",
    "load_policy": "_policy",
}

if TYPE_CHECKING:
    from skcompare.gate._assert_better import assert_better
    from skcompare.gate._conditions import (
        AnyOf,
        Condition,
        Equivalent,
        NonInferior,
        Superior,
    )
    from skcompare.gate._decision import GateDecision
    from skcompare.gate._exceptions import GateNotPassed
    from skcompare.gate._file_columns import GateFiles, are_one_file
    from skcompare.gate._files import subject_from_files
    from skcompare.gate._gate import Gate
    from skcompare.gate._outcomes import INCONCLUSIVE, Outcome
    from skcompare.gate._policy import PYPROJECT, Policy, find_policy, load_policy
    from skcompare.gate._policy_sections import TrainSettings
    from skcompare.gate._skops import load_estimator
    from skcompare.gate._with_ledger import judge_subject
    from skcompare.gate.ledger._ledger import Ledger
    from skcompare.gate.ledger._ledger_file import lock_of
else:
    # Hidden from type checkers, which would accept any name otherwise.
    __getattr__, __dir__ = _attach(__name__, _HOMES, __all__)
