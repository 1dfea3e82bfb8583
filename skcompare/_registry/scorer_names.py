"""Names of our scorers, registered in scikit-learn without loading their metrics.

``import skcompare`` registers the names in scikit-learn, each with a placeholder of the
scorer. scikit-learn copies the object of a name before it uses it, and the copy is the
scorer itself: the metrics are loaded when the first one is requested, and their scorers
then replace the placeholders.
"""

from collections.abc import Callable
from typing import Any

from skcompare._core.sklearn_private import make_known

GetScorer = Callable[[str], Callable[..., float]]

PREFIX = "skcompare_"
"""Prefix of names that scikit-learn uses for scorers of its own."""

SCORER_NAMES = (
    "accuracy",
    "brier_skill_score",
    "concordance_correlation",
    "concordance_index",
    "d2_gamma_score",
    "d2_poisson_score",
    "kendall_tau",
    "neg_binary_brier_loss",
    "neg_classwise_calibration_error",
    "neg_cost_weighted_loss",
    "neg_expected_calibration_error",
    "neg_maximum_calibration_error",
    "neg_multiclass_brier_loss",
    "neg_smooth_calibration_error",
    "neg_spherical_loss",
    "neg_squared_calibration_error",
    "negative_predictive_value",
    "pearson_correlation",
    "sensitivity",
    "sensitivity_at_specificity",
    "spearman_correlation",
    "specificity",
    "specificity_at_sensitivity",
)
"""Names for all metrics that we register; a test compares them with the registry."""


CHAMPION_SCORERS = ("delong", "gee_precision", "mcnemar")
"""Names of the scorers against a champion whose predictions are routed."""


class NamedScorer:
    """Placeholder that becomes the scorer of its name when copied or pickled.

    It can be called like the scorer, and has the attributes of the scorer.

    Parameters
    ----------
    name : str
        Name of the scorer.
    get_scorer : callable
        Importable function that returns the scorer of a name.
    """

    def __init__(self, name: str, get_scorer: GetScorer) -> None:
        self.name = name
        self.get_scorer = get_scorer

    def __repr__(self) -> str:
        return repr(self.get_scorer(self.name))

    def __reduce__(self) -> tuple[GetScorer, tuple[str]]:
        return self.get_scorer, (self.name,)

    def __call__(self, estimator: Any, X: Any, y: Any, **options: Any) -> float:
        return self.get_scorer(self.name)(estimator, X, y, **options)

    def __getattr__(self, attribute: str) -> Any:
        # Look-ups of special methods must not load anything. Without a name there is no
        # scorer yet.
        if attribute.startswith("__") or attribute in ("name", "get_scorer"):
            raise AttributeError(attribute)
        return getattr(self.get_scorer(self.name), attribute)


def make_names_known(get_scorer: GetScorer) -> list[str]:
    """Register the names of our scorers in scikit-learn, and return those it accepts."""
    names = (*SCORER_NAMES, *CHAMPION_SCORERS)
    return make_known({name: NamedScorer(name, get_scorer) for name in names}, PREFIX)
