"""Tests of all pairs at once, with shared computations.

They give the same p-values as the tests of single pairs, and support "max-t".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skcompare._analysis import POS_LABEL
from skcompare._core.design import HOLDOUT, Design
from skcompare._registry.tests import PairedTestEntry, get_test
from skcompare.evidence import ClusterSums, CorrectnessPatterns, PlacementValues
from skcompare.metrics import Measure
from skcompare.predictions import Predictions
from skcompare.stats import (
    PairwiseResult,
    pairwise_delong,
    pairwise_mcnemar,
    pairwise_precision,
)

MAX_T = "max-t"
DRAWS = ("n_resamples", "random_state")
"""Options of the resampling of "max-t"."""


@dataclass(frozen=True, slots=True)
class Family:
    """Joint test of all pairs of classifiers by one measure.

    Parameters
    ----------
    test : str
        The registered test whose p-values it gives.
    measures : tuple of str
        The measures that it compares.
    options : tuple of str
        Options of the test that it takes as well.
    run : callable
        `run(predictions, measure, **options)` returns the pairs.
    """

    test: str
    measures: tuple[str, ...]
    options: tuple[str, ...]
    run: Callable[..., PairwiseResult]

    @property
    def entry(self) -> PairedTestEntry:
        """Registry entry of the test."""
        return get_test(self.test)

    @property
    def free_options(self) -> tuple[str, ...]:
        """Options that can be requested, including those of the resampling for "max-t"."""
        return (*self.options, *DRAWS)

    def takes(self, options: Mapping[str, Any]) -> bool:
        """Whether the joint test accepts these options."""
        return set(options) <= set(self.free_options)


def _mcnemar(predictions: Predictions, measure: Measure, **options: Any) -> PairwiseResult:
    return pairwise_mcnemar(CorrectnessPatterns.from_predictions_of(predictions), **options)


def _delong(
    predictions: Predictions, measure: Measure, *, pos_label: Any = None, **options: Any
) -> PairwiseResult:
    placements = PlacementValues.from_predictions_of(predictions, pos_label=pos_label)
    return pairwise_delong(placements, **options)


def _precision(
    predictions: Predictions, measure: Measure, *, pos_label: Any = None, **options: Any
) -> PairwiseResult:
    # The class is that of the measure or `pos_label`.
    sums = ClusterSums.from_predictions_of(predictions)
    score: Any = measure.metric
    return pairwise_precision(sums, label=pos_label, score=score, **options)


OF_ONE_CLASS = ("precision", "recall", "specificity", "negative_predictive_value")

_FAMILIES = (
    Family("mcnemar", ("accuracy",), ("method",), _mcnemar),
    Family("delong", ("roc_auc",), (POS_LABEL,), _delong),
)
_FAMILIES_OF_DRAWS = (
    *_FAMILIES,
    Family("gee_precision", OF_ONE_CLASS, (POS_LABEL,), _precision),
)


def family_of(
    entry: PairedTestEntry, predictions: Predictions, options: Mapping[str, Any]
) -> Family | None:
    """Return the family that runs a test on all pairs, or None if there is none."""
    if predictions.design.name != "holdout":
        return None
    families = (f for f in _FAMILIES if f.test == entry.name and f.takes(options))
    return next(families, None)


def max_t_family(measure: Measure, design: Design = HOLDOUT) -> Family:
    """Return the family that adjusts the p-values of a measure by "max-t"."""
    for family in _FAMILIES_OF_DRAWS:
        metrics: Sequence[str] = family.measures
        if measure.metric in metrics and family.entry.valid_for(design):
            return family
    subjects = [name for family in _FAMILIES_OF_DRAWS for name in family.measures]
    raise ValueError(
        f"adjust='max-t' is for {', '.join(subjects)} on a hold-out. Got "
        f"{measure.subject} and {design}. Choose 'holm', which is valid for every test."
    )


def options_of_several(adjust: Any) -> Mapping[str, tuple[str, ...]]:
    """Return the additional options that tests accept with this adjustment."""
    is_max_t = isinstance(adjust, str) and adjust == MAX_T
    return {family.test: DRAWS for family in _FAMILIES_OF_DRAWS} if is_max_t else {}
