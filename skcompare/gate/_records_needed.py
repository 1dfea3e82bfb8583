"""How many records would settle a condition."""

import math
from collections.abc import Sequence
from typing import Any

from skcompare.evidence import ContingencyTable, JointCounts, PairedCalibration
from skcompare.gate._caution import Cautious
from skcompare.gate._conditions import Condition
from skcompare.gate._no_variation import Still
from skcompare.gate._power_of_calibration import can_resample, records_of_calibration
from skcompare.gate._power_of_counts import Boundary, records_of_counts
from skcompare.gate._power_of_means import records_of_means
from skcompare.gate._power_of_scores import records_of_scores
from skcompare.gate._sides import Side

POWER = 0.8

FEWEST, FEWEST_DISCORDANT = 20, 5
"""What fewer records show, or fewer that tell accuracies apart, is no plan."""

TOO_FEW_TO_PLAN = "these records are too few to say how many would settle it"


def records_needed(
    condition: Condition, test: Any, sides: Sequence[Side], alpha: float
) -> float | None:
    """Records at which a condition would be shown, if what was observed is true.

    With a probability of 80 %: of accuracies by adding the probabilities of all tables, of
    scores of labels by simulation, and of other measures by the normal approximation with
    the skewness that the test allows for, of calibration errors with what resamples say of
    their standard errors. Both boundaries of an equivalence are counted at once. Infinite
    where the observed difference is beyond a boundary, so that no number of records is
    enough; None where nothing is known, or next to nothing.
    """
    if too_few_to_plan(test, sides) or any(
        math.isnan(side.result.estimate) for side in sides
    ):
        return None
    n = float(sides[0].result.n)
    needed = _needed(condition, test, sides, alpha)
    # These records did not settle it, so the answer is never that they are enough.
    if needed is None or math.isinf(needed):
        return needed
    return max(float(math.ceil(needed)), math.floor(n) + 1.0)


def too_few_to_plan(test: Any, sides: Sequence[Side]) -> bool:
    """Whether what was observed says next to nothing of what is true."""
    evidence = test.prepared.evidence
    if sides[0].result.n < FEWEST:
        return True
    if not isinstance(evidence, ContingencyTable) or any(s.boundary for s in sides):
        return False
    return 0 < evidence.n_discordant < FEWEST_DISCORDANT


def _needed(
    condition: Condition, test: Any, sides: Sequence[Side], alpha: float
) -> float | None:
    entry, evidence = test.prepared.entry, test.prepared.evidence
    if entry.name == "mcnemar" and isinstance(evidence, ContingencyTable):
        method = condition.options.get("method")
        return records_of_counts(
            evidence,
            [Boundary(side.boundary, side.direction) for side in sides],
            method,
            condition.exact,
            alpha,
            POWER,
        )
    if entry.name.startswith("anytime") and entry.sample_size is not None:
        return max(_by_the_test(test, side, alpha) for side in sides)
    basis = sides[0].basis
    if isinstance(basis, Still):
        return max(_while_still(side, alpha) for side in sides)
    if isinstance(basis, Cautious) and basis.moves.error == 0:
        return None
    if any(math.isnan(side.pvalue) for side in sides) and not isinstance(basis, Cautious):
        return None
    needed = records_of_means(sides, alpha, POWER)
    options = {**test.prepared.options, **test.options}
    if isinstance(evidence, JointCounts) and isinstance(basis, Cautious):
        return records_of_scores(evidence, options, sides, needed, alpha, POWER)
    if isinstance(evidence, PairedCalibration) and can_resample(evidence, options):
        return records_of_calibration(evidence, sides, needed, alpha, POWER)
    return needed


def _by_the_test(test: Any, side: Side, alpha: float) -> float:
    """By the number of records that a test plans itself."""
    prepared = test.prepared
    options = {**prepared.options, **test.options, "alternative": side.direction}
    needed: float = prepared.entry.sample_size(
        prepared.evidence,
        alpha=alpha,
        power=POWER,
        **options | {"null_value": side.boundary},
    )
    return needed


def _while_still(side: Side, alpha: float) -> float:
    """Records at which differences that stay all alike exclude the boundary."""
    basis = side.basis
    assert isinstance(basis, Still)
    one = basis._replace(n=1).pvalue(side.boundary, side.direction)
    if one >= 1:
        return math.inf
    return float(side.result.n) * math.log(alpha) / math.log(one) / basis.n
