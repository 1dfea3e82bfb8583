"""The gate: a build that fails unless the challenger is significantly better."""

from importlib import import_module as _import_module
from sys import modules as _modules
from typing import TYPE_CHECKING

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

# Loaded when first asked for, as the package above: pytest loads the plugin in this folder
# in every run of every project where skcompare is installed.
_HOMES = {
    "AnyOf": "_conditions",
    "Equivalent": "_conditions",
    "Gate": "_gate",
    "GateDecision": "_decision",
    "GateNotPassed": "_failure",
    "Ledger": "_ledger",
    "NonInferior": "_conditions",
    "Outcome": "_outcomes",
    "Policy": "_policy",
    "Superior": "_conditions",
    "assert_better": "_assert_better",
    "load_estimator": "_estimators",
    "load_policy": "_policy",
}

if TYPE_CHECKING:
    from skcompare.gate._assert_better import assert_better
    from skcompare.gate._conditions import AnyOf, Equivalent, NonInferior, Superior
    from skcompare.gate._decision import GateDecision
    from skcompare.gate._estimators import load_estimator
    from skcompare.gate._failure import GateNotPassed
    from skcompare.gate._gate import Gate
    from skcompare.gate._ledger import Ledger
    from skcompare.gate._outcomes import Outcome
    from skcompare.gate._policy import Policy, load_policy
else:
    # Hidden from type checkers, which would take any name at all otherwise.
    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(
                f"module 'skcompare.gate' has no attribute {name!r}",
                name=name,
                obj=_modules[__name__],
            )
        value = getattr(_import_module(f"skcompare.gate.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
