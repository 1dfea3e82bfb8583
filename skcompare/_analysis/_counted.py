"""Counts that a comparison is made from where records are counted, and what they give."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from skcompare._analysis._counted_numbers import (
    CountedNumbers,
    check_holds_numbers,
    digest_of_numbers,
    numbers_requested,
    schema_of_numbers,
    summed_values,
)
from skcompare._analysis._test_selection import (
    CALIBRATION,
    NOT_READ,
    CountedSchema,
    Selection,
    TalliedPredictions,
    why_unsuited,
)
from skcompare._analysis.measures import (
    Measure,
    PairScores,
    StoredPredictions,
    Watch,
    class_order,
    one_score,
)
from skcompare._registry.metrics import NUMBERS, keywords_of, loss_of
from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import (
    Cells,
    JointCounts,
    NumberPlan,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoreDifferences,
    ScoredPair,
    Tally,
    TallyPlan,
    TallyRequest,
)
from skcompare.predictions import LABELS, PairedPredictions, one_class

DEFAULT_LOSS = "brier_score"
COUNTED_OPTIONS = tuple(inspect.signature(TallyRequest).parameters)


def requested_by(
    selection: Selection,
    measures: Sequence[Measure] = (),
    tests: Iterable[tuple[PairedTestEntry, Mapping[str, Any]]] = (),
) -> TallyRequest:
    """Return the counts and sums that a comparison and its advice need.

    Parameters
    ----------
    selection : Selection
        Choice of the tests, by the classes and kinds of predictions alone.
    measures : sequence of Measure
        Measures to compare.
    tests : iterable of (PairedTestEntry, mapping)
        Further tests that suit the predictions, with the options of their evidence.
    """
    if isinstance(selection.predictions, CountedNumbers):
        return numbers_requested(selection, measures, tests)
    needs = _Needs(selection)
    for entry, options in tests:
        needs.add(entry, options)
    for k, measure in enumerate(measures):
        of_measure = selection.about(measure)
        if measure.label is not None and measure.required != {LABELS}:
            raise needs_records(measure)
        for test in of_measure.tests_of(measure, k == 0):
            if test is None:
                needs.add_score(measure)
            else:
                needs.add(test, of_measure.evidence_options(test, measure))
    for entry in selection.other_tests(measures):
        needs.add(entry, selection.evidence_options(entry, None))
    return needs.request()


def pair_of_tally(
    tally: Tally, required: Callable[[CountedSchema], TallyRequest]
) -> PairedPredictions:
    """Return the predictions of both roles from a tally that holds what is required."""
    schema = schema_of(tally)
    check_holds(tally, required(schema))
    return tallied_pair(tally, schema)


def check_holds(tally: Tally, requested: TallyRequest) -> None:
    """Check that a tally contains all requested counts and sums."""
    plan, lacking = tally.plan, []
    if requested.target == NUMBERS:
        return check_holds_numbers(tally, requested)
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
                    f"{name}={value!r} of {test} needs every record, but they are counted "
                    "on the engine. Leave it out, or pass a greater `collect` where the "
                    "records fit in memory."
                )
            if name in self.options and repr(self.options[name]) != repr(value):
                raise ValueError(
                    f"Records are counted in one way. Got {name}={value!r} for {test} and "
                    f"{self.options[name]!r} before. Pass one of them, or a greater "
                    "`collect` where the records fit in memory."
                )
            self.options[name] = value


def schema_of(tally: Tally) -> CountedSchema:
    """Return the classes and kinds of predictions of a tally."""
    if isinstance(tally.plan, NumberPlan):
        return schema_of_numbers(tally)
    has_proba = tally.plan.needs_proba or tally.plan.score_bins is not None
    scored = dict.fromkeys(tally.names, has_proba)
    return CountedSchema(tally.classes, scored, tally.plan.grouped)


def tallied_pair(tally: Tally, schema: CountedSchema) -> PairedPredictions:
    """Return the predictions of both roles from their counts and sums."""
    roles = schema.estimators
    predictions = TalliedPredictions(
        classes=schema.classes,
        y=NOT_READ,
        estimators=roles,
        design=schema.design,
        fingerprint=_digest(tally),
        tally=tally,
    )
    return PairedPredictions(predictions, *roles)


def tallied_evidence(needs: Any, tally: Tally, options: dict[str, Any]) -> Any:
    """Compute evidence of a type from a tally that was made with the same options."""
    own = keywords_of(needs.from_tally)
    _check_made_with(tally, {name: options[name] for name in options if name not in own})
    return needs.from_tally(
        tally, **{name: options[name] for name in own if name in options}
    )


def _check_made_with(tally: Tally, options: dict[str, Any]) -> None:
    """Check that the tally was made with these options."""
    plan = tally.plan
    for name, value in options.items():
        differs = False
        if name == "pos_label" and value is not None:
            used = {plan.positive} if plan.kind == "binary" else set()
            used |= {plan.ranked} if plan.score_bins is not None else set()
            differs = any(plan.classes[position] != value for position in used)
        elif name == "n_bins" and plan.edges is not None:
            differs = any(len(edges) - 1 != value for edges in plan.edges)
        elif name == "kind" and plan.kind is not None:
            differs = value not in ("auto", plan.kind)
        if differs:
            raise ValueError(
                f"This tally was made otherwise than {name}={value!r} says. Leave the "
                "option out, or count the records with it."
            )


def pair_of_class(pair: PairedPredictions, position: int) -> PairedPredictions:
    """Return the predictions of one class against the rest, as False and True.

    Predictions that were counted have labels only.
    """
    predictions = pair.predictions
    if not isinstance(predictions, TalliedPredictions):
        return one_class(pair, position)
    counts = _of_class(predictions.tally, position)
    return tallied_pair(counts, schema_of(predictions.tally).of_one_class(position))


def _of_class(tally: Tally, position: int) -> Tally:
    names = ("y", "label_0", "label_1") + ("group",) * tally.plan.grouped
    cells = tally.cells(names)
    keys = {
        name: column if name == "group" else (column == position).astype(np.int64)
        for name, column in cells.keys.items()
    }
    plan = TallyPlan(np.array([False, True]), grouped=tally.plan.grouped)
    table = Cells(keys, cells.counts).by(names)
    return Tally(plan, (table,), tally.groups, tally.names)


def _digest(tally: Tally) -> str:
    """Digest of the counts of true labels, independent of the order of the records."""
    if isinstance(tally.plan, NumberPlan):
        return digest_of_numbers(tally)
    cells = tally.cells(["y"])
    digest = blake2b(repr(tally.classes.tolist()).encode(), digest_size=8)
    for array in (cells.keys["y"].astype(np.int64), cells.counts):
        digest.update(array.tobytes())
    return digest.hexdigest()


def tallied_scores(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    needs: type = ScoreDifferences,
) -> Any:
    """Compute the scores of both roles from counts and sums."""
    tally = pair.predictions.tally
    assert tally is not None
    if needs is ScoredPair:
        return ScoredPair.from_tally(tally, score=str(measure.metric))
    watch = Watch()
    scores = _tallied_values(tally, measure, pos_label, watch)
    return PairScores(pair, measure, pos_label).differences_of(scores, watch)


def _tallied_values(
    tally: Tally, measure: Measure, pos_label: Any, watch: Watch
) -> Sequence[float]:
    if isinstance(tally.plan, NumberPlan):
        return summed_values(tally, measure)
    loss, name = loss_of(measure.metric), error_of_bins(measure)
    # A loss may have the name of its negated scorer.
    sign = -1.0 if measure.greater_is_better else 1.0
    if measure.required == {LABELS}:
        return [_of_labels(tally, measure, pos_label, role, watch) for role in (0, 1)]
    if loss is not None:
        losses = PairedLosses.from_tally(tally, loss=loss.name)
        return [sign * mean for mean in losses.means]
    if name is not None:
        bins = PairedCalibration.from_tally(tally)
        return [sign * bins.error(role, **CALIBRATION[name]) for role in (0, 1)]
    if measure.metric == "roc_auc":
        areas: list[float] = PlacementValues.from_tally(tally).aucs.tolist()
        return areas
    raise needs_records(measure)


def _of_labels(
    tally: Tally, measure: Measure, pos_label: Any, role: int, watch: Watch
) -> float:
    """Compute a score of labels, with each cell weighted by its number of records."""
    counts = JointCounts.from_tally(tally)
    classes, order = class_order(counts.classes, pos_label)
    truth, *labels = (classes[order[column]] for column in counts.cells.T)
    stored = StoredPredictions(classes, labels[role], None, None)
    X = np.arange(len(truth)).reshape(-1, 1)
    weighted: Any = partial(measure.scorer, **{"sample_weight": counts.counts})
    try:
        return one_score(
            weighted, measure.subject, tally.names[role], stored, X, truth, watch
        )
    except TypeError as error:
        raise needs_records(measure) from error


def error_of_bins(measure: Measure) -> str | None:
    """Return the calibration metric of a measure or its negated scorer, or None."""
    name = (measure.metric or "").removeprefix("neg_")
    return name if name in CALIBRATION else None


def needs_records(measure: Measure) -> ValueError:
    return ValueError(
        f"scoring {measure.subject!r} needs every record, but they were counted on the "
        "engine. Leave it out, or pass a greater `collect` where the records fit in "
        "memory, or a sample of them."
    )
