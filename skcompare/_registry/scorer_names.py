"""The names of our scorers, known to scikit-learn without a load of what they compute.

``import skcompare`` gives scikit-learn the names, each with an object that stands for the
scorer. scikit-learn copies what it finds under a name before it uses it, and the copy is
the scorer itself: the metrics are loaded when the first one is asked for, and then take the
places of what stood for them.
"""

from collections.abc import Callable
from typing import Any

from skcompare._core.sklearn_private import make_known

GetScorer = Callable[[str], Callable[..., float]]

PREFIX = "skcompare_"
"""Stands before a name that scikit-learn has given to a scorer of its own."""

SCORER_NAMES = (
    "accuracy",
    "brier_skill_score",
    "neg_brier_loss",
    "neg_classwise_calibration_error",
    "neg_cost_weighted_loss",
    "neg_expected_calibration_error",
    "neg_maximum_calibration_error",
    "neg_multiclass_brier_loss",
    "neg_smooth_calibration_error",
    "neg_spherical_loss",
    "neg_squared_calibration_error",
    "negative_predictive_value",
    "sensitivity",
    "sensitivity_at_specificity",
    "specificity",
    "specificity_at_sensitivity",
)
"""Of all metrics that we register ourselves; a test compares them with the registry."""


CHAMPION_SCORERS = ("delong", "gee_precision", "mcnemar")
"""Names of the scorers against a champion whose answers are routed."""


class NamedScorer:
    """Stands for the scorer of a name, and becomes it when it is copied or pickled.

    Who takes it as it is can score by it, or ask it for what the scorer has.

    Parameters
    ----------
    name : str
        The name of the scorer.
    get_scorer : callable
        A function of a module that returns the scorer of a name.
    """

    def __init__(
        self, name: str, get_scorer: Callable[[str], Callable[..., float]]
    ) -> None:
        self.name = name
        self.get_scorer = get_scorer

    def __repr__(self) -> str:
        return repr(self.get_scorer(self.name))

    def __reduce__(self) -> tuple[Callable[[str], Callable[..., float]], tuple[str]]:
        return self.get_scorer, (self.name,)

    def __call__(self, estimator: Any, X: Any, y: Any, **words: Any) -> float:
        return self.get_scorer(self.name)(estimator, X, y, **words)

    def __getattr__(self, attribute: str) -> Any:
        # Protocols are asked for by such names, and must not load anything. Without a name
        # there is no scorer yet.
        if attribute.startswith("__") or attribute in ("name", "get_scorer"):
            raise AttributeError(attribute)
        return getattr(self.get_scorer(self.name), attribute)


def make_names_known(get_scorer: GetScorer) -> list[str]:
    """Tell scikit-learn the names of our scorers, and return those that it knows."""
    names = (*SCORER_NAMES, *CHAMPION_SCORERS)
    return make_known({name: NamedScorer(name, get_scorer) for name in names}, PREFIX)
