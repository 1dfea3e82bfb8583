"""Compare the answers of three or more classifiers on one hold-out set."""

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any

from skcompare._validation import check_alpha, check_choice
from skcompare.comparators._versions import installed_versions
from skcompare.evidence import CorrectnessPatterns
from skcompare.metrics import Measure
from skcompare.predictions import Predictions
from skcompare.reports import ClassifierRow, MultipleComparison, PairRow, decide_among
from skcompare.stats import PairwiseResult, cochran_q, pairwise_mcnemar

__all__ = ["check_several", "compare_several", "of_accuracy"]

KNOWN = {"mcnemar": ("method", "n_resamples", "random_state"), "cochran_q": ("method",)}
"""Tests of several classifiers, and the options that each takes here."""


def check_several(
    tests: Any, measures: Sequence[Measure], *, groups: Any
) -> dict[str, dict[str, Any]]:
    """Options of the tests of several classifiers; refuses what is only for two."""
    asked = [measure.subject for measure in measures]
    if not of_accuracy(measures):
        raise ValueError(
            f"Several classifiers are compared by accuracy. Got scoring {asked}. Pass two "
            "answers to compare by another measure."
        )
    if groups is not None:
        raise ValueError(
            "Several classifiers cannot be compared on grouped records: no test here "
            "allows for both. Pass two answers at a time, and adjust their p-values by "
            "skcompare.stats.adjust_pvalues."
        )
    if isinstance(tests, str):
        tests = {} if tests in ("auto", "all") else [tests]
    if isinstance(tests, Iterable) and not isinstance(tests, Mapping):
        tests = {name: {} for name in tests}
    if not isinstance(tests, Mapping) or not all(
        isinstance(options, Mapping) for options in tests.values()
    ):
        raise TypeError(
            "`tests` must be 'auto', names, or a dict of names and dicts of options. Got "
            f"{tests!r}. Several classifiers have the tests {', '.join(KNOWN)}."
        )
    given = dict(tests)
    for name, options in given.items():
        check_choice("test of several classifiers", name, tuple(KNOWN))
        for option in options:
            check_choice(f"option of {name}", option, KNOWN[name])
    return {name: dict(given.get(name, {})) for name in KNOWN}


def of_accuracy(measures: Sequence[Measure]) -> bool:
    """Whether what is measured is accuracy, of all classes, and nothing else."""
    return [(one.metric, one.label) for one in measures] == [("accuracy", None)]


def compare_several(
    predictions: Predictions,
    options: Mapping[str, Mapping[str, Any]],
    *,
    control: str | None,
    alternative: str,
    alpha: Any,
    adjust: Any,
    start: float,
) -> MultipleComparison:
    """Test all classifiers together and in pairs, and say who wins."""
    alpha = check_alpha(alpha)
    if predictions.y is None:
        raise ValueError(
            "Three or more classifiers are compared by who is right, which needs true "
            "labels. Got none. Pass `y_true`, or two answers at a time."
        )
    patterns = CorrectnessPatterns.from_predictions_of(predictions)
    pairs = pairwise_mcnemar(
        patterns,
        adjust="none" if adjust is None else adjust,
        control=control,
        alternative=alternative,
        confidence_level=1 - alpha,
        **options["mcnemar"],
    )
    omnibus = cochran_q(patterns, **options["cochran_q"])
    classifiers = tuple(
        sorted(
            (ClassifierRow(**part) for part in omnibus.parts), key=lambda row: -row.accuracy
        )
    )
    return MultipleComparison(
        classifiers=classifiers,
        pairs=_rows(pairs),
        omnibus=omnibus,
        conclusion=decide_among(pairs, [row.name for row in classifiers], alpha),
        design=predictions.design,
        n_records=predictions.n_records,
        alpha=alpha,
        interval_level=pairs.interval_level,
        alternative=alternative,
        adjust=pairs.adjust,
        method=pairs.method,
        control=control,
        seconds=perf_counter() - start,
        flags=(*predictions.flags, *pairs.flags),
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
    )


def _rows(pairs: PairwiseResult) -> tuple[PairRow, ...]:
    columns = {
        name: getattr(pairs, name).tolist()
        for name in (
            "difference",
            "low",
            "high",
            "pvalue",
            "adjusted_pvalue",
            "only_champion",
            "only_challenger",
        )
    }
    rows = [
        PairRow(champion, challenger, **dict(zip(columns, values, strict=True)))
        for champion, challenger, *values in zip(
            pairs.champion, pairs.challenger, *columns.values(), strict=True
        )
    ]
    return tuple(sorted(rows, key=lambda row: (row.adjusted_pvalue, row.pvalue)))
