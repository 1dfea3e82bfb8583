"""Requests for the counts and sums that comparisons and tests need."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skcompare._analysis._tally_evidence import error_of_bins, needs_records
from skcompare._analysis._test_selection import Selection, why_unsuited
from skcompare._analysis.measures import Measure
from skcompare._registry.metrics import loss_of
from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import Tally, TallyRequest
from skcompare.predictions import LABELS

DEFAULT_LOSS = "brier_score"
COUNTED_OPTIONS = tuple(inspect.signature(TallyRequest).parameters)


def requested_by(selection: Selection, measures: Sequence[Measure]) -> TallyRequest:
    """Return the counts and sums that a comparison and its advice need.

    Parameters
    ----------
    selection : Selection
        Choice of the tests, by the classes and kinds of predictions alone.
    measures : sequence of Measure
        Measures to compare.
    """
    needs = _Needs(selection)
    for k, measure in enumerate(measures):
        of_measure = selection.about(measure)
        if measure.label is not None and measure.required != {LABELS}:
            raise needs_records(measure)
        for entry in of_measure.tests_of(measure, k == 0):
            if entry is None:
                needs.add_score(measure)
            else:
                needs.add(entry, of_measure.evidence_options(entry, measure))
    for entry in selection.other_tests(measures):
        needs.add(entry, selection.evidence_options(entry, None))
    return needs.request()


def requested_by_tests(
    tests: Iterable[tuple[PairedTestEntry, Mapping[str, Any]]], selection: Selection
) -> TallyRequest:
    """Return the counts and sums that tests need, with the options of their evidence.

    Parameters
    ----------
    tests : iterable of (PairedTestEntry, mapping)
        Tests that suit the predictions.
    selection : Selection
        The classes and kinds of predictions, and the positive class.
    """
    needs = _Needs(selection)
    for entry, options in tests:
        needs.add(entry, options)
    return needs.request()


def check_holds(tally: Tally, requested: TallyRequest) -> None:
    """Check that a tally contains all requested counts and sums."""
    plan, lacking = tally.plan, []
    missing = [loss for loss in requested.losses if loss not in plan.losses]
    if missing:
        lacking.append(f"losses={tuple(dict.fromkeys((*plan.losses, *missing)))!r}")
    if not plan.labels:
        lacking.append("labels=True")
    if requested.calibration and plan.kind is None:
        lacking.append("calibration=True")
    if requested.ranking and plan.score_bins is None:
        lacking.append("ranking=True")
    if lacking:
        raise ValueError(
            "The tally does not hold all that the comparison needs. Make it by "
            f"TallyRequest with {', '.join(lacking)}, or compare what it holds."
        )


class _Needs:
    """Counts and sums requested so far."""

    def __init__(self, selection: Selection) -> None:
        self.predictions = selection.predictions
        self.losses: dict[str, None] = {}
        self.counts: dict[str, Any] = {"labels": True}
        self.options: dict[str, Any] = {"pos_label": selection.pos_label}

    def add(self, entry: PairedTestEntry, options: Mapping[str, Any]) -> None:
        """Add the counts and sums that a test needs."""
        reason = why_unsuited(entry, self.predictions)
        if reason:
            raise ValueError(
                f"{reason}. Leave {entry.name} out, or pass a greater `collect` where the "
                "records fit in memory, or a sample of them."
            )
        set_options = dict(options)
        counted = getattr(entry.needs, "counted", "labels")
        if counted == "losses":
            self.losses[set_options.pop("loss", DEFAULT_LOSS)] = None
        elif counted != "labels":
            self.counts[counted] = True
        else:
            return
        self._set(entry.name, set_options)

    def add_score(self, measure: Measure) -> None:
        """Add the counts and sums that a measure without test needs."""
        loss = loss_of(measure.metric)
        if measure.required == {LABELS}:
            return
        if loss is not None:
            self.losses[loss.name] = None
        elif error_of_bins(measure) is not None:
            self.counts["calibration"] = True
        elif measure.metric == "roc_auc":
            self.counts["ranking"] = True
        else:
            raise needs_records(measure)

    def request(self) -> TallyRequest:
        """Return the complete request, which always includes labels."""
        return TallyRequest(losses=tuple(self.losses), **self.counts, **self.options)

    def _set(self, test: str, options: dict[str, Any]) -> None:
        for name, value in options.items():
            if name not in COUNTED_OPTIONS:
                raise ValueError(
                    f"{name}={value!r} of {test} needs every record, and these are counted "
                    "where they are. Leave it out, or pass a greater `collect` where the "
                    "records fit in memory."
                )
            if name in self.options and repr(self.options[name]) != repr(value):
                raise ValueError(
                    f"Records are counted in one way. Got {name}={value!r} for {test} and "
                    f"{self.options[name]!r} before. Pass one of them, or a greater "
                    "`collect` where the records fit in memory."
                )
            self.options[name] = value
