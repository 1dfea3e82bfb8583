"""Evidence and scores of predictions known only by counts and sums."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from skcompare._analysis.measures import (
    Measure,
    StoredPredictions,
    Watch,
    class_order,
    differences_of,
    one_score,
)
from skcompare._core.design import HOLDOUT, Design
from skcompare._registry.metrics import keywords_of, loss_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    Cells,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoreDifferences,
    Tally,
    TallyPlan,
)
from skcompare.predictions import (
    LABELS,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    one_class,
)

CALIBRATION: dict[str, dict[str, Any]] = {
    "expected_calibration_error": {"norm": "l1"},
    "maximum_calibration_error": {"norm": "max"},
    "squared_calibration_error": {"norm": "l2", "squared": True, "debiased": True},
}
"""Metrics that are calibration errors of bins, with the options of the error."""


@dataclass(frozen=True, eq=False, slots=True)
class CountedSchema:
    """Classes and kinds of predictions of records that are to be counted in place.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    scored : mapping of str to bool
        Whether each of the two classifiers has probabilities.
    grouped : bool, default=False
        Whether the records come in groups.
    """

    classes: np.ndarray
    scored: Mapping[str, bool]
    grouped: bool = False

    @property
    def estimators(self) -> tuple["TalliedEstimatorPredictions", ...]:
        """Kinds of predictions of each classifier."""
        return tuple(
            TalliedEstimatorPredictions(name, name, scored=has)
            for name, has in self.scored.items()
        )

    @property
    def design(self) -> Design:
        """Design of the collection of the records."""
        return Design(HOLDOUT.kind, grouped=self.grouped)

    @property
    def y(self) -> tuple[()]:
        """True labels, which exist and are not read."""
        return ()

    def class_counts(self) -> FloatArray:
        """Number of records of each class: not known, and taken to be enough."""
        return np.full(len(self.classes), np.inf)

    def of_one_class(self, position: int) -> "CountedSchema":
        """Return the schema of one class against the rest, of which labels are counted."""
        labels_only = dict.fromkeys(self.scored, False)
        return CountedSchema(np.array([False, True]), labels_only, self.grouped)


@dataclass(frozen=True, eq=False, slots=True)
class TalliedEstimatorPredictions(EstimatorPredictions):
    """Predictions of one classifier known only by a tally."""

    scored: bool = False

    @property
    def has_labels(self) -> bool:
        """Whether there are labels; always true for the tally of a comparison."""
        return True

    @property
    def has_proba(self) -> bool:
        """Whether the classifier has probabilities."""
        return self.scored

    @property
    def has_decision(self) -> bool:
        """Whether there are decision scores; always false, as data frames have none."""
        return False


@dataclass(frozen=True, eq=False, slots=True)
class TalliedPredictions(Predictions):
    """Predictions known only by counts and sums, without individual records."""

    counted: Tally = field(kw_only=True)

    @property
    def tally(self) -> Tally:
        """Counts and sums of the records."""
        return self.counted

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.counted.n

    @property
    def n_tested(self) -> int:
        """Number of tested records, which are all records."""
        return self.n_records

    @property
    def n_test(self) -> IntArray:
        """Number of test records of each split."""
        return np.array([self.n_records])

    def class_counts(self) -> IntArray:
        """Number of records of each true class, of shape (n_classes,)."""
        cells = self.counted.cells(["y"])
        counts = np.zeros(len(self.classes), dtype=np.int64)
        counts[cells.keys["y"]] = cells.counts
        return counts


def schema_of(tally: Tally) -> CountedSchema:
    """Return the classes and kinds of predictions of a tally."""
    has_proba = tally.plan.needs_proba or tally.plan.score_bins is not None
    scored = dict.fromkeys(tally.names, has_proba)
    return CountedSchema(tally.classes, scored, tally.plan.grouped)


def tallied_pair(tally: Tally, schema: CountedSchema) -> PairedPredictions:
    """Return the predictions of both roles from their counts and sums."""
    roles = schema.estimators
    predictions = TalliedPredictions(
        classes=schema.classes,
        y=np.empty(0, dtype=np.int64),
        estimators=roles,
        design=schema.design,
        fingerprint=_digest(tally),
        counted=tally,
    )
    return PairedPredictions(predictions, *roles)


def tallied_evidence(needs: Any, tally: Tally, options: dict[str, Any]) -> Any:
    """Compute evidence of a type from a tally that was made with the same options."""
    own = keywords_of(needs.from_tally)
    _check_options(tally, {name: options[name] for name in options if name not in own})
    return needs.from_tally(
        tally, **{name: options[name] for name in own if name in options}
    )


def _check_options(tally: Tally, options: dict[str, Any]) -> None:
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
    cells = tally.cells(["y"])
    digest = blake2b(repr(tally.classes.tolist()).encode(), digest_size=8)
    for array in (cells.keys["y"].astype(np.int64), cells.counts):
        digest.update(array.tobytes())
    return digest.hexdigest()


def tallied_scores(
    pair: PairedPredictions, measure: Measure, pos_label: Any = None
) -> ScoreDifferences:
    """Compute the scores of both roles from counts and sums."""
    tally = pair.predictions.tally
    assert tally is not None
    watch = Watch()
    scores = _values(tally, measure, pos_label, watch)
    return differences_of(pair, measure, pos_label, scores, watch)


def _values(
    tally: Tally, measure: Measure, pos_label: Any, watch: Watch
) -> tuple[float, float]:
    loss, name = loss_of(measure.metric), error_of_bins(measure)
    # A loss may have the name of its negated scorer.
    sign = -1.0 if measure.greater_is_better else 1.0
    if measure.required == {LABELS}:
        first, second = (
            _of_labels(tally, measure, pos_label, role, watch) for role in (0, 1)
        )
        return first, second
    if loss is not None:
        champion, challenger = PairedLosses.from_tally(tally, loss=loss.name).means
        return sign * champion, sign * challenger
    if name is not None:
        bins = PairedCalibration.from_tally(tally)
        first, second = (sign * bins.error(role, **CALIBRATION[name]) for role in (0, 1))
        return first, second
    if measure.metric == "roc_auc":
        first, second = PlacementValues.from_tally(tally).aucs.tolist()
        return first, second
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
        f"scoring {measure.subject!r} needs every record, and these were counted where "
        "they are. Leave it out, or pass a greater `collect` where the records fit in "
        "memory, or a sample of them."
    )
