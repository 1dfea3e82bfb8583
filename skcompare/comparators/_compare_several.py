"""Comparison of the predictions of several classifiers."""

from time import perf_counter
from typing import Any

from skcompare._analysis import SeveralEngine
from skcompare._registry.tests import get_test
from skcompare.comparators._settings import Settings, installed_versions
from skcompare.predictions import Predictions
from skcompare.reports import MultipleComparison, decide_among


def compare_several(
    predictions: Predictions,
    settings: Settings,
    *,
    n_fits: int = 0,
    start: float,
    random_state: int | None = None,
) -> MultipleComparison:
    """Test all classifiers together and in pairs by every measure, with a verdict."""
    shared: dict[str, Any] = {
        name: getattr(settings, name)
        for name in ("control", "alternative", "alpha", "adjust")
    }
    comparisons = tuple(
        comparison
        for k, measure in enumerate(settings.measures)
        for comparison in SeveralEngine(
            predictions,
            measure,
            settings.requested,
            pos_label=settings.pos_label,
            **shared,
        ).comparisons(k == 0)
    )
    primary = comparisons[0]
    inference = None if primary.test is None else get_test(primary.test).inference
    if "mixed-frozen" in predictions.flags:
        # About trained models and learning algorithms, as the caveat says.
        inference = None
    return MultipleComparison(
        comparisons=comparisons,
        conclusion=decide_among(primary, inference),
        descriptions={role.name: role.description for role in predictions.estimators},
        design=predictions.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        seconds=perf_counter() - start,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
        **shared,
    )
