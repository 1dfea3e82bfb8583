"""What is known of each role's calibration beside the difference."""

import math
from typing import Any

from skcompare.evidence import PairedCalibration
from skcompare.evidence._calibration_errors import CalibrationBins
from skcompare.evidence._calibration_layout import ROLES
from skcompare.evidence._calibration_outcomes import Forecasts
from skcompare.stats._calibration_reduced import spiegelhalter_sums
from skcompare.stats._calibration_tests import (
    cusum_of,
    spiegelhalter_from,
    spiegelhalter_of,
)
from skcompare.stats._calibration_units import BothSums

DIGITS = 12
MOST_SORTED = 1_000_000
"""Records beyond which the roles' own tests, which sort them, are left out."""


def parts_of(
    calibration: PairedCalibration,
    sums: BothSums,
    errors: tuple[float, float],
) -> tuple[dict[str, Any], ...]:
    """Further errors of each role, and its own tests against perfect calibration.

    The plug-in errors are biased and not tested. The own tests take records as unrelated
    and one event a record, so that groups and classwise events have none.
    """
    own = (
        calibration.groups is None
        and calibration.rows_per_record == 1
        and (calibration.n <= MOST_SORTED or calibration.cells is not None)
    )
    parts: list[dict[str, Any]] = []
    for role, name in enumerate(ROLES):
        count, events, excess = sums[role].totals[:3]
        bins = CalibrationBins(count, events - excess, events)
        values = {
            "squared_calibration_error": errors[role],
            "root_calibration_error": math.sqrt(max(errors[role], 0.0)),
            "expected_calibration_error": bins.error("l1"),
            "debiased_expected_calibration_error": bins.error("l1", debiased=True),
            "maximum_calibration_error": bins.error("max"),
        }
        # Further digits depend on the order of the records.
        part = {"role": name, **{k: round(v, DIGITS) for k, v in values.items()}}
        parts.append(part | _own_tests(calibration, role) if own else part)
    return tuple(parts)


def _own_tests(calibration: PairedCalibration, role: int) -> dict[str, float]:
    """P-values for the hypothesis that one role's probabilities are right."""
    kind = calibration.kind
    if calibration.cells is not None:
        found = spiegelhalter_sums(calibration.cells, role)
        tested = spiegelhalter_from(*found, kind, calibration.n)
        return {"spiegelhalter_pvalue": tested.pvalue}
    forecasts = Forecasts(calibration.proba[role], calibration.outcomes[role])
    return {
        "spiegelhalter_pvalue": spiegelhalter_of(forecasts, kind).pvalue,
        # Simulations would take longer than all else.
        "calibration_cusum_pvalue": cusum_of(forecasts, kind, method="asymptotic").pvalue,
    }
