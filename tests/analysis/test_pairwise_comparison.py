"""Groups of classifiers in a comparison of several."""

import math

from skcompare.reports import ClassifierRow, PairRow, PairwiseComparison


def test_what_has_no_value_is_in_no_group():
    """A classifier whose score is undefined was compared with nothing."""
    compared = PairwiseComparison(
        measure="f1",
        label=None,
        test="score_difference",
        classifiers=(
            ClassifierRow("a", 0.9),
            ClassifierRow("b", 0.8),
            ClassifierRow("c", math.nan),
        ),
        pairs=(
            PairRow("a", "b", -0.1, -0.3, 0.1, 0.3, 0.9),
            PairRow("a", "c", math.nan),
            PairRow("b", "c", math.nan),
        ),
        alpha=0.05,
        interval_level=0.95,
        alternative="two-sided",
        adjust="holm",
    )

    assert (("a", "b"),) == compared.groups
