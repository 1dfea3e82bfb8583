"""Pictures of comparisons, in scikit-learn's convention of displays.

A display stores numbers that were computed before: `frame()` returns them, `plot()` draws
them, and the constructors `from_estimators`, `from_predictions`, `from_cv_results` and
`from_result` compute and draw at once. matplotlib is loaded when something is drawn.
"""

from importlib import import_module as _import_module
from sys import modules as _modules
from typing import TYPE_CHECKING

# Each display is loaded when it is first asked for: the report needs only some.
_HOMES = {
    "ContingencyDisplay": "_contingency",
    "Display": "_base",
    "PairDisplay": "_base",
}

__all__ = [
    "ContingencyDisplay",
    "Display",
    "PairDisplay",
]

if TYPE_CHECKING:
    from skcompare.plots._base import Display, PairDisplay
    from skcompare.plots._contingency import ContingencyDisplay
else:
    # Hidden from type checkers, which would take any name at all otherwise.
    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(
                f"module 'skcompare.plots' has no attribute {name!r}",
                name=name,
                obj=_modules[__name__],
            )
        value = getattr(_import_module(f"skcompare.plots.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
