"""Sums that a comparison of numbers is made from where records are summed by an engine."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from skcompare._analysis._test_selection import (
    NOT_READ,
    CountedSchema,
    Selection,
    why_unsuited,
)
from skcompare._analysis.measures import Measure
from skcompare._registry.metrics import (
    QUANTILES,
    STD,
    VALUES,
    keywords_of,
    record_losses,
    tested_loss,
)
from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import (
    RELATIVE,
    ROOTS,
    NumberPlan,
    PairedLosses,
    RootErrors,
    ScoredPair,
    Tally,
    TallyRequest,
)
from skcompare.predictions import EstimatorPredictions

INSTEAD = {
    "d2_absolute_error_score": "neg_mean_absolute_error",
    "d2_pinball_score": "neg_mean_pinball_loss",
    "d2_poisson_score": "neg_mean_poisson_deviance",
    "d2_gamma_score": "neg_mean_gamma_deviance",
    "d2_tweedie_score": "neg_mean_tweedie_deviance",
    "explained_variance": "r2",
}
"""Measures that are sums, in place of others that compare with the best constant."""


@dataclass(frozen=True, eq=False, slots=True)
class CountedNumbers(CountedSchema):
    """Kinds of predicted numbers of records that are to be summed in place.

    Parameters
    ----------
    forecasts : mapping of str to collection
        By regressor, what is predicted: "values", "std", and levels of quantiles. Empty for
        values alone.
    """

    forecasts: Mapping[str, Iterable[Any]] = ()  # type: ignore[assignment]

    @property
    def estimators(self) -> tuple[EstimatorPredictions, ...]:
        """Kinds of predictions of each regressor."""
        return tuple(map(self._estimator, self.scored))

    def _estimator(self, name: str) -> EstimatorPredictions:
        kinds = list(dict(self.forecasts).get(name, ())) or [VALUES]
        levels = tuple(sorted(kind for kind in kinds if not isinstance(kind, str)))
        return EstimatorPredictions(
            name,
            name,
            values=NOT_READ,
            std=NOT_READ if STD in kinds else None,
            quantiles=NOT_READ if levels else None,
            levels=levels,
        )

    def class_counts(self) -> np.ndarray:
        """Number of records of each class: of none."""
        return np.empty(0)


def counted_numbers(
    names: Iterable[str], grouped: bool, forecasts: Mapping[str, Iterable[Any]] = {}
) -> CountedNumbers:
    """Return the kinds of predictions of regressors."""
    return CountedNumbers(
        np.empty(0), dict.fromkeys(names, False), grouped, forecasts=forecasts
    )


def is_summed(measure: Measure) -> bool:
    """Whether the measure of both roles is known from sums."""
    loss = tested_loss(measure.metric)
    name = None if loss is None else loss.name
    return measure.metric in ROOTS or _is_sum(name)


def _is_sum(loss: str | None) -> bool:
    entry = record_losses().get(loss or "")
    return loss in RELATIVE or (entry is not None and entry.expression is not None)


def not_summed(subject: str, advice: str = "") -> ValueError:
    """Return an error for what is not a function of sums over the records."""
    instead = INSTEAD.get(subject)
    choice = f"Choose {instead!r}, pass" if instead else "Leave it out, or pass"
    return ValueError(
        f"{subject!r} is not a function of sums over the records, which are summed on the "
        f"engine. {choice} a greater `collect` where the records fit in memory, or a "
        "sample of them."
    )


def numbers_requested(
    selection: Selection,
    measures: Sequence[Measure] = (),
    tests: Iterable[tuple[PairedTestEntry, Mapping[str, Any]]] = (),
) -> TallyRequest:
    """Return the sums that a comparison of numbers needs.

    The arguments are those of `requested_by`.
    """
    needs = _NumberNeeds(selection)
    for entry, options in tests:
        needs.add(entry, options)
    for k, measure in enumerate(measures):
        if not is_summed(measure):
            raise not_summed(measure.subject)
        for test in selection.tests_of(measure, k == 0):
            if test is None:
                needs.add_score(measure)
            else:
                needs.add(test, selection.evidence_options(test, measure))
    for entry in selection.other_tests(measures):
        needs.add(entry, selection.evidence_options(entry, None))
    return needs.request()


class _NumberNeeds:
    """Sums requested so far."""

    def __init__(self, selection: Selection) -> None:
        self.predictions = selection.predictions
        self.losses: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, None] = {}

    def add(self, entry: PairedTestEntry, options: Mapping[str, Any]) -> None:
        """Add the sums that a test needs."""
        reason = why_unsuited(entry, self.predictions)
        if reason:
            raise ValueError(
                f"{reason}. Leave {entry.name} out, or pass a greater `collect` where the "
                "records fit in memory, or a sample of them."
            )
        if entry.needs is ScoredPair:
            score = str(options.get("score", "r2"))
            if score not in ROOTS:
                raise not_summed(score)
            self.scores[score] = None
            return
        own = dict(options)
        loss = own.pop("loss", "absolute_error")
        if not _is_sum(loss):
            raise not_summed(str(loss))
        takes = keywords_of(record_losses()[loss].expression)
        self._add(loss, {name: own[name] for name in own if name in takes})

    def add_score(self, measure: Measure) -> None:
        """Add the sums that a measure without test needs."""
        if measure.metric in ROOTS:
            self.scores[measure.metric] = None
        else:
            loss: Any = tested_loss(measure.metric)
            self._add(loss.name, dict(measure.options))

    def request(self) -> TallyRequest:
        """Return the complete request, which has one loss at least."""
        return TallyRequest(
            losses=tuple(self.losses) or ("absolute_error",),
            loss_options={name: own for name, own in self.losses.items() if own},
            scores=tuple(self.scores),
        )

    def _add(self, loss: str, options: dict[str, Any]) -> None:
        if self.losses.setdefault(loss, options) != options:
            raise ValueError(
                f"A loss is summed with one choice of its options. Got {options!r} and "
                f"{self.losses[loss]!r} for {loss}. Compare them one at a time, or pass a "
                "greater `collect` where the records fit in memory."
            )


def check_holds_numbers(tally: Tally, requested: TallyRequest) -> None:
    """Check that a tally contains all requested sums."""
    plan = tally.plan
    scores = plan.scores if isinstance(plan, NumberPlan) else ()
    lacking = [name for name in requested.losses if name not in plan.losses]
    lacking += [name for name in requested.scores if name not in scores]
    if lacking:
        raise ValueError(
            "The tally does not hold all that the comparison needs. Make it by "
            f"TallyRequest with the sums of {', '.join(lacking)} too, or compare what it "
            "holds."
        )


def digest_of_numbers(tally: Tally) -> str:
    """Digest of the sums, which depends on the order of the records by rounding only."""
    (cells,) = tally.tables
    digest = blake2b(repr(int(cells.counts.sum())).encode(), digest_size=8)
    for name in sorted(cells.sums):
        digest.update(f"{name} {cells.sums[name].sum():.9g}".encode())
    return digest.hexdigest()


def schema_of_numbers(tally: Tally) -> CountedNumbers:
    """Return the kinds of predictions of a tally of numbers."""
    plan: Any = tally.plan
    needs = {record_losses()[name].needs for name in plan.summed}
    kinds = [VALUES, *([STD] if STD in needs else [])]
    levels = list(plan.levels) if QUANTILES in needs else []
    forecasts = {name: [*kinds, *levels] for name in tally.names}
    return counted_numbers(tally.names, plan.grouped, forecasts)


def summed_values(tally: Tally, measure: Measure) -> list[float]:
    """Return the measure of both roles from a tally."""
    if measure.metric in ROOTS:
        return list(RootErrors.from_tally(tally, measure.metric).values)
    loss = tested_loss(measure.metric)
    if loss is None or not is_summed(measure):
        raise not_summed(measure.subject)
    means = PairedLosses.from_tally(tally, loss=loss.name).means
    if loss.relative:
        return [1.0 - mean for mean in means]
    return [-mean if measure.greater_is_better else mean for mean in means]
