"""Scores of both roles, on every test set and for resampled records."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from skcompare._analysis.measures._measures import (
    Measure,
    Scorer,
    StoredNumbers,
    StoredPredictions,
    Watch,
    class_order,
    ordered_decision,
    watched,
)
from skcompare._core.design import HOLDOUT
from skcompare._core.validation import positive_class
from skcompare._registry.metrics import STD, loss_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    AreaUnderCurve,
    AveragePrecision,
    BlockDifferences,
    LoopedScore,
    OperatingPoint,
    PairedCalibration,
    PairScore,
    PreparedScore,
    RecordMean,
    ScoreDifferences,
    ScoredPair,
    forecasts_for,
    halves_of,
    mean_over_outputs,
    number_of,
    score_of_outputs,
    shape_of,
    variance_of_mean,
    why_undefined,
)
from skcompare.predictions import (
    LABELS,
    SCORES,
    VALUES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    one_output,
    weights_of,
)
from skcompare.stats.calibration import record_influences, role_sums, squared_errors
from skcompare.stats.scores import BINARY_SCORES, COUNT_SCORES, ResampledCounts, count_score

RATE = 0.9
"""Rate at which sensitivity and specificity are compared by default."""

RANKING_SCORES: dict[str, PairScore] = {
    "roc_auc": AreaUnderCurve(),
    "average_precision": AveragePrecision(),
    "sensitivity_at_specificity": OperatingPoint("sensitivity_at_specificity", RATE),
    "specificity_at_sensitivity": OperatingPoint(
        "specificity_at_sensitivity", RATE, within="negative"
    ),
}

OF_ONE_MODEL = frozenset(
    {
        "pearson_correlation",
        "concordance_correlation",
        "spearman_correlation",
        "kendall_tau",
        "concordance_index",
    }
)
"""Scores of numbers for whose order or line predictions of several models do not mix."""

POOLED_DESIGNS = ("bcv", "random 5x2", "kfold", "repeated kfold", "repeated holdout")
"""Designs whose splits all train on about as many records."""

MISSING = -np.inf
"""Stands for predictions of a kind that only the other classifier has."""

PLAIN_MEAN: PairScore = RecordMean()

SAME = 1e-9
"""Largest difference of a formula's score from the scorer's, relative to the score."""


def scored_pair(
    pair: PairedPredictions, measure: Measure, pos_label: Any = None
) -> ScoredPair:
    """Take the predictions of both roles for tests of any score.

    Means of correct predictions and of record losses, scores of the counts and scores of
    a ranking are computed by formula for many weightings of the records at once; any other
    score by calling its scorer for every resample. The scorer is also called where the
    formula disagrees with it on the unweighted records.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for a hold-out set.
    measure : Measure
        The measure that is compared.
    pos_label : label, optional
        The positive one of two classes.
    """
    scores = PairScores(pair, measure, pos_label)
    looped = scores.looped()
    champion, challenger = (role.formula() for role in scores.roles)
    if champion is None or challenger is None:
        return looped
    formula_pair = ScoredPair.of_predictions(
        pair,
        champion.score,
        champion.y,
        champion.values,
        challenger.values,
        greater_is_better=measure.greater_is_better,
    )
    for value, reference in zip(formula_pair.values, looped.values, strict=True):
        if abs(value - reference) > SAME * max(1.0, abs(reference)):  # False for NaN
            return looped
    return formula_pair


@dataclass(frozen=True)
class OutputsScorer:
    """Scorer of several outputs: the weighted mean of a scorer of one output.

    Parameters
    ----------
    scorer : callable
        Scorer of the stored numbers of one output.
    weights : ndarray of shape (n_outputs,)
        Weights with a sum of 1.
    """

    scorer: Scorer
    weights: FloatArray

    def __call__(self, estimator: StoredNumbers, X: Any, y: FloatArray) -> float:
        """Return the mean score."""
        return sum(
            weight * self.scorer(StoredNumbers(one_output(estimator.stored, k)), X, y[:, k])
            for k, weight in enumerate(self.weights.tolist())
            if weight
        )


def scorer_of_outputs(measure: Measure, weights: FloatArray | None) -> Scorer:
    """Return the scorer of a measure; a user's own scorer takes all outputs at once."""
    if weights is None or measure.metric is None:
        return measure.scorer
    return OutputsScorer(measure.scorer, weights)


class Formula(NamedTuple):
    """Formula of a score, computed for many weightings of the records at once."""

    score: PairScore
    y: IntArray
    values: np.ndarray
    """Arguments of the score from all predictions of a classifier."""

    def of_part(self, part: slice) -> PreparedScore:
        """Return the score on one test set as a function of the weights of its records."""
        y, values = self.y[part], self.values[part]
        return self.score.prepared(y, values, np.arange(len(y)))


class RoleScores:
    """Scores of one classifier by a measure, on all test sets or on some of the records.

    Parameters
    ----------
    predictions : Predictions
        Predictions for all test sets.
    role : EstimatorPredictions
        Those of the classifier.
    measure : Measure
        The measure.
    pos_label : label, optional
        The positive one of two classes.
    """

    def __init__(
        self,
        predictions: Predictions,
        role: EstimatorPredictions,
        measure: Measure,
        pos_label: Any = None,
    ) -> None:
        self.predictions, self.role = predictions, role
        self.measure, self.pos_label = measure, pos_label
        self.classes, self.order = class_order(predictions.classes, pos_label)
        self.weights = weights_of(predictions)
        self.scorer = scorer_of_outputs(measure, self.weights)

    @cached_property
    def formula_or_none(self) -> Formula | None:
        """Formula of the score on any test set, or None without one."""
        try:
            return self.formula()
        except ValueError:
            # The scorer has a positive class, and the formula has none.
            return None

    def formula(self) -> Formula | None:
        """Return the formula of the score, or None if there is none."""
        name, role, classes = self.measure.metric, self.role, self.predictions.classes
        y, score = self.predictions.y_predicted(), PLAIN_MEAN
        values: np.ndarray | None = None
        if name == "accuracy":
            values = (role.known_labels() == y).astype(float)
        elif name is not None and name in COUNT_SCORES:
            label = self.pos_label if name in BINARY_SCORES else None
            score = ResampledCounts(count_score(name, classes, label), len(classes))
            values = role.known_labels()
        elif loss_of(name) is not None:
            score = RecordMean(self.measure.name, (-np.inf, np.inf))
            values = self._losses(y)
        elif (of_numbers := self.measure.number_score) is not None:
            score, values = score_of_outputs(of_numbers, self.weights), role.values
        elif name in RANKING_SCORES and len(classes) == 2:
            positive = self._positive(name)
            score, y = RANKING_SCORES[name], (y == positive).astype(np.int64)
            values = _scores_of(role, positive)
        return None if values is None else Formula(score, y, values)

    def _positive(self, name: str) -> int:
        """Return the position of the positive class of two for a score of a ranking."""
        classes = self.predictions.classes
        if name == "roc_auc" and self.pos_label is None:
            # The AUC is the same for either class, and its scorer accepts any two labels.
            return 1
        return int(classes[1] == positive_class(classes, self.pos_label))

    def _losses(self, y: IntArray) -> FloatArray | None:
        """Loss of each record, negated where greater is better."""
        entry, measure = loss_of(self.measure.metric), self.measure
        if entry is None or (not measure.is_numeric and self.role.proba is None):
            return None
        sign = -1 if measure.greater_is_better else 1
        try:
            forecast: tuple[Any, ...] = (self.role.proba,)
            if measure.is_numeric:
                (forecast,) = forecasts_for(entry.name, [self.role])
            function = partial(entry.function, **dict(measure.options))
            if self.weights is not None:
                function = partial(mean_over_outputs, function, self.weights)
            losses: FloatArray = sign * function(y, *forecast)
        except ValueError:
            # The loss may be for two classes only, where the scorer is for more.
            return None
        return losses

    @property
    def is_pooled(self) -> bool:
        """Whether the score is that of the predictions for all test sets together.

        A root or ratio of mean errors is biased on small test sets, by an amount that may
        differ between regressors, so that its mean over the test sets is not used.
        """
        name, design = self.measure.metric, self.predictions.design
        has_formula = self.measure.number_score is not None
        is_of_errors = has_formula and name not in OF_ONE_MODEL
        return is_of_errors and design.kind in POOLED_DESIGNS

    def of_splits(self, watch: Watch) -> list[float]:
        """Return the score on each test set, or its part in a pooled score.

        A formula that agrees with the scorer on the first test set that has a score
        replaces it on the others.
        """
        pooled = self._parts_of_pooled(watch) if self.is_pooled else None
        if pooled is not None:
            return pooled
        scores: list[float] = []
        agrees = False if self.formula_or_none is None else None
        for part in self.predictions.slices():
            quick = math.nan if agrees is False else self._by_formula(part)
            if agrees and math.isfinite(quick):
                scores.append(quick)
                continue
            score = self.of_part(part, watch)
            if agrees is None and math.isfinite(score):
                agrees = abs(quick - score) <= SAME * max(1.0, abs(score))
            scores.append(score)
        return scores

    def _parts_of_pooled(self, watch: Watch) -> list[float] | None:
        """Return the pooled score plus the influences of each test set, or None.

        With K test sets, the sum of a test set's influences (derivatives by the weights)
        counts K times: the mean over the test sets is the pooled score.
        """
        parts = list(self.predictions.slices())
        n, formula = parts[-1].stop, self.formula_or_none
        if formula is None:
            return None
        score = self.of_part(slice(0, n), watch)
        if math.isnan(score):
            return [math.nan] * len(parts)
        prepared, once = formula.of_part(slice(0, n)), np.ones((1, n), dtype=np.int32)
        value, slopes = float(prepared.values(once)[0]), prepared.slopes(once)
        if slopes is None or not abs(value - score) <= SAME * max(1.0, abs(score)):
            return None
        return [score + len(parts) * float(slopes[0, part].sum()) for part in parts]

    def _by_formula(self, part: slice) -> float:
        """Compute the score on a test set by formula, or return NaN.

        It is NaN where a class has no records, or is never predicted in a score of counts:
        the scorer, called instead, may report that the score is undefined, or warn.
        """
        measure, formula, counted = self.measure, self.formula_or_none, []
        if not (measure.metric == "accuracy" or measure.is_numeric):
            counted.append(self.predictions.y_predicted())
        if measure.metric in COUNT_SCORES and measure.metric != "accuracy":
            counted.append(self.role.known_labels())
        n = len(self.predictions.classes)
        if not all(np.bincount(codes[part], minlength=n).all() for codes in counted):
            return math.nan
        assert formula is not None
        once = np.ones((1, part.stop - part.start), dtype=np.int32)
        return float(formula.of_part(part).values(once)[0])

    def of_part(self, part: slice, watch: Watch, X: Any = None) -> float:
        """Return the score of some of the predictions, or NaN if undefined.

        Without the records themselves the scorer receives their positions.
        """
        predictions, measure = self.predictions, self.measure
        y = predictions.y_predicted()[part]
        y_true = y if predictions.is_numeric else self.classes[self.order[y]]
        if X is None:
            records = predictions.records
            rows = np.arange(part.start, part.stop) if records is None else records[part]
            X = rows.reshape(-1, 1)
        if measure.number_score is not None and self.formula_or_none is not None:
            # scikit-learn's scorers return 0 or 1 where there is nothing to explain.
            reason = why_undefined(self.formula_or_none.of_part(part))
            watch.error = ValueError(reason) if reason else None
            if reason:
                return math.nan
        scored = self._stored(part), X, y_true, watch
        return one_score(self.scorer, measure.subject, self.role.name, *scored)

    def _stored(self, part: slice) -> StoredPredictions | StoredNumbers:
        """Return some predictions as an estimator."""
        role, order = self.role, self.order
        if role.values is not None:
            return StoredNumbers(role.part(part))
        return StoredPredictions(
            self.classes,
            None if role.labels is None else self.classes[order[role.labels[part]]],
            None if role.proba is None else role.proba[part][:, order],
            ordered_decision(role.decision, part, order),
        )

    def columns(self) -> list[FloatArray | None]:
        """Return the needed and available labels, probabilities and decision scores."""
        role, kinds = self.role, self.measure.required
        labels = proba = decision = None
        if VALUES in kinds and role.values is not None:
            labels = _columns_of(role, self.measure)
        if LABELS in kinds and role.labels is not None:
            labels = self.order[role.labels].astype(np.float64).reshape(-1, 1)
        if SCORES in kinds and role.proba is not None:
            proba = role.proba[:, self.order]
        if kinds - {LABELS, VALUES}:
            decision = ordered_decision(role.decision, slice(None), self.order)
        if decision is not None:
            decision = decision.reshape(len(decision), -1)
        if labels is None and proba is None and decision is None:
            raise _lacks_predictions(self.measure.subject, role.name)
        return [labels, proba, decision]


def _columns_of(role: EstimatorPredictions, measure: Measure) -> FloatArray:
    """Return predicted numbers, with what else the measure needs of them, as columns."""
    loss, kinds = loss_of(measure.metric), [VALUES]
    if loss is not None and measure.uncertainty is not None:
        # It raises an error if these are lacking.
        forecasts_for(loss.name, [role])
        kinds.append(measure.uncertainty)
    arrays: list[FloatArray] = [getattr(role, kind) for kind in kinds]
    return np.column_stack([array.reshape(len(array), -1) for array in arrays])


def _padded(part: FloatArray | None, shape: tuple[int, int]) -> FloatArray:
    """Return columns, with missing ones where the other role has more."""
    columns = np.full(shape, MISSING)
    if part is not None:
        columns[:, : part.shape[1]] = part
    return columns


def _scores_of(predictions: EstimatorPredictions, positive: int) -> FloatArray | None:
    """Scores of the positive class, preferably decision scores, as in scikit-learn."""
    if predictions.decision is not None and predictions.decision.ndim == 1:
        return predictions.decision if positive == 1 else -predictions.decision
    return None if predictions.proba is None else predictions.proba[:, positive]


@dataclass(frozen=True)
class _ScorerScore(LoopedScore):
    """Score computed by a scorer from predictions stored as columns of one array.

    Parameters
    ----------
    scorer : callable
        `scorer(estimator, X, y)`; X has the position of each record.
    classes : ndarray of shape (n_classes,)
        Classes of the codes of truth and labels.
    widths : tuple of three int
        Columns of labels, probabilities and decision scores; -inf where a classifier has
        none.
    uncertainty : str or None
        What columns after the predicted numbers are: deviations, quantiles or samples.
    levels : tuple of float
        Levels of quantiles.
    n_outputs : int
        Number of several outputs, or 0 for one number per record.
    """

    scorer: Scorer = max
    classes: Any = ()
    widths: tuple[int, int, int] = (0, 0, 0)
    uncertainty: str | None = None
    levels: tuple[float, ...] = ()
    n_outputs: int = 0

    def outcome(
        self,
        y: IntArray,
        predictions: np.ndarray,
        rows: IntArray,
        watch: Watch | None = None,
    ) -> tuple[float, str]:
        """Return the score of some records, and the reason if it is undefined (NaN)."""
        watch = Watch() if watch is None else watch
        missing = predictions == MISSING
        if (missing.any(axis=0) != missing.all(axis=0)).any():
            # Predictions of different kinds were exchanged, which has no meaning.
            return float("nan"), ""
        y_true = self.classes[y] if len(self.classes) else y
        stored, X, watch.error = self._stored(predictions), rows.reshape(-1, 1), None
        score = one_score(self.scorer, self.name, "a classifier", stored, X, y_true, watch)
        if watch.error is not None:
            return score, str(watch.error)
        undefined = "the scorer warned that it is undefined for these records"
        return score, undefined if watch.undefined else ""

    def _stored(self, predictions: np.ndarray) -> StoredPredictions | StoredNumbers:
        """Return the predictions as an estimator."""
        if not len(self.classes):
            own = predictions[:, predictions[0] != MISSING]
            values = own[:, : self.n_outputs] if self.n_outputs else own[:, 0]
            fields: dict[str, Any] = {VALUES: values, "levels": self.levels}
            if self.uncertainty is not None:
                shape = values.shape if self.uncertainty == STD else (*values.shape, -1)
                others = own[:, self.n_outputs or 1 :].reshape(shape)
                fields[self.uncertainty] = others
            return StoredNumbers(EstimatorPredictions("", "", **fields))
        columns = np.split(predictions, np.cumsum(self.widths)[:-1], axis=1)
        labels, proba, decision = (
            part if part.size and part[0, 0] != MISSING else None for part in columns
        )
        return StoredPredictions(
            self.classes,
            None if labels is None else self.classes[labels[:, 0].astype(np.intp)],
            proba,
            decision[:, 0] if decision is not None and self.widths[2] == 1 else decision,
        )


LEAST_OF_A_CLASS = 10

FEW_IN_A_HALF = "few-of-a-class-in-a-half"
POOLED = "pooled-over-splits"

Contributions = tuple[FloatArray, tuple[float, ...], bool]
"""Contributions of predictions, mean scores, and whether a formula exists."""

CALIBRATION = "squared_calibration_error"


class PairScores:
    """Scores of champion and challenger by a measure, and their differences.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for all test sets.
    measure : Measure
        The measure that is compared.
    pos_label : label or None
        The positive one of two classes.
    """

    def __init__(
        self, pair: PairedPredictions, measure: Measure, pos_label: Any = None
    ) -> None:
        self.pair, self.measure, self.pos_label = pair, measure, pos_label
        self.roles = [
            RoleScores(pair.predictions, role, measure, pos_label) for role in pair.roles
        ]

    def looped(self) -> ScoredPair:
        """Return the pair with a score that calls the measure's scorer."""
        pair, measure, first = self.pair, self.measure, self.roles[0]
        parts = [role.columns() for role in self.roles]
        widths = tuple(
            max(0 if part is None else part.shape[1] for part in both)
            for both in zip(*parts, strict=True)
        )
        score = _ScorerScore(
            measure.subject,
            scorer=first.scorer,
            classes=first.classes,
            widths=widths,  # type: ignore[arg-type]
            uncertainty=measure.uncertainty,
            levels=pair.champion.levels,
            n_outputs=len(pair.predictions.outputs),
        )
        y = pair.predictions.y_predicted()
        y = y if measure.is_numeric else first.order[y]
        arrays = [
            np.hstack(
                [
                    _padded(part, (len(y), width))
                    for part, width in zip(each, widths, strict=True)
                ]
            )
            for each in parts
        ]
        records = pair.predictions.records
        rows = np.arange(len(y)) if records is None else records
        watch = Watch()
        for each in arrays:
            score.outcome(y, each, rows, watch)
        return ScoredPair.of_predictions(
            pair,
            score,
            y,
            *arrays,
            greater_is_better=measure.greater_is_better,
            flags=("scorer-warning",) if watch.warned else (),
        )

    def differences(self, known: dict[Any, Any]) -> ScoreDifferences:
        """Return the differences on all test sets, as :func:`score_differences` does."""
        scored, subject = [], self.measure.subject
        for role in self.roles:
            key = role.role.name, subject
            if key not in known:
                noted = Watch()
                known[key] = role.of_splits(noted), noted
            scored.append(known[key])
        scores, watch = np.array([role_scores for role_scores, _ in scored]), Watch()
        for _, noted in scored:
            watch.warned |= noted.warned
            watch.error = noted.error or watch.error
        undefined = ~np.isfinite(scores).all(axis=0)
        if undefined.all() and watch.error is not None:
            raise ValueError(
                f"scoring {subject!r} is undefined on every test set: {watch.error}"
            ) from watch.error
        scores = np.where(undefined, np.nan, scores)
        return self.differences_of(scores, watch)

    def differences_of(self, scores: Any, watch: Watch) -> ScoreDifferences:
        """Return the differences of scores of champion and challenger on each test set."""
        pair, measure = self.pair, self.measure
        predictions, sign = pair.predictions, 1 if measure.greater_is_better else -1
        champion, challenger = np.reshape(scores, (2, *shape_of(pair.design)))
        flags = ("undefined-in-split",) if np.isnan(scores).any() else ()
        return ScoreDifferences(
            sign * (challenger - champion),
            0 if predictions.n_train is None else predictions.n_train,  # type: ignore[arg-type]
            predictions.n_test,
            self._variances(),
            champion,
            challenger,
            pair.design,
            (*flags, "scorer-warning") if watch.warned else flags,
            measure.subject,
            measure.greater_is_better,
        )

    def _variances(self) -> FloatArray | None:
        """Variances of the mean differences within folds, or None if no test needs them."""
        variances, design = [], self.pair.design
        if design.kind != "kfold" or not _is_mean(self.measure):
            return None
        for part in self.pair.predictions.slices():
            differences = self.contributions(part)
            if differences is None:
                return None
            variances.append(variance_of_mean(differences))
        return np.reshape(variances, shape_of(design))

    def contributions(
        self, part: slice, scores: Sequence[float] | None = None
    ) -> FloatArray | None:
        """Return what the records of a test set contribute to the difference of the scores.

        For a mean over records it is the difference of the record's values. For other
        scores it is the difference of the scores plus the record's influence on it: the
        derivative by the weight of the record, times the number of records. In both cases
        the mean over the test set is the difference of the scores, challenger minus
        champion. None where the score has no formula.

        A formula that disagrees with the `scores` of both roles by the scorer is not used.
        """
        if scores is not None and not np.isfinite(scores).all():
            return None
        if self.measure.metric == CALIBRATION:
            result = _of_calibration(self.pair, self.pos_label, part)
        else:
            result = self._of_formula(part)
        if result is None:
            return None
        values, influence = result
        scores = values if scores is None else scores
        gaps = np.abs(np.subtract(values, scores))
        # The scorer may clip losses of certain but incorrect predictions at another value.
        is_loss = loss_of(self.measure.metric) is not None
        if not is_loss and not (gaps <= SAME * np.maximum(1, np.abs(scores))).all():
            return None
        return influence + (scores[1] - scores[0])

    def _of_formula(self, part: slice) -> "Influences":
        """Return influences by the slopes of a formula, or None without a formula."""
        n = part.stop - part.start
        once = np.ones((1, n), dtype=np.int32)
        results = []
        for role in self.roles:
            formula = role.formula_or_none
            prepared = None if formula is None else formula.of_part(part)
            slopes = None if prepared is None else prepared.slopes(once)
            if prepared is None or slopes is None:
                return None
            results.append((float(prepared.values(once)[0]), slopes[0] * n))
        (champion, champion_influence), (challenger, challenger_influence) = results
        return (champion, challenger), challenger_influence - champion_influence

    def of_splits(self, splits: ScoreDifferences) -> Contributions:
        """Return contributions of predictions, mean scores, and whether a formula exists.

        Without a formula each prediction contributes the difference on its test set.
        """
        predictions, has_formula = self.pair.predictions, True
        both = np.reshape([splits.champion, splits.challenger], (2, -1))
        defined = np.isfinite(both).all(axis=0)
        differences = np.repeat(both[1] - both[0], predictions.n_test)
        for part, scores in zip(predictions.slices(), both.T, strict=True):
            contributions = self.contributions(part, (*scores,))
            if contributions is None:
                has_formula = False
            else:
                differences[part] = contributions
        weights = predictions.n_test * defined
        means = np.where(defined, both, 0) @ weights / weights.sum()
        return differences, tuple(means.tolist()), has_formula

    def pooled(self) -> Contributions:
        """Return the same as `of_splits`, from all predictions together."""
        n = int(self.pair.predictions.n_test.sum())
        means = tuple(role.of_part(slice(0, n), Watch()) for role in self.roles)
        contributions = self.contributions(slice(0, n), means)
        if contributions is None:
            return np.full(n, means[1] - means[0]), means, False
        return contributions, means, True

    def has_few_in_a_half(self) -> bool:
        """Whether a half has few records of a class, for a score that separates classes."""
        if _is_mean(self.measure) or self.measure.is_numeric:
            return False
        predictions = self.pair.predictions
        y, n = predictions.y_predicted(), len(predictions.classes)
        counts = [np.bincount(y[part], minlength=n) for part in predictions.slices()]
        return int(np.min(counts)) < LEAST_OF_A_CLASS


Influences = tuple[tuple[float, float], FloatArray] | None
"""Scores of both roles, and the records' influences on their difference."""


def _is_mean(measure: Measure) -> bool:
    """Whether a measure is a mean over records: of correct predictions or a loss."""
    return measure.metric == "accuracy" or loss_of(measure.metric) is not None


def _of_calibration(pair: PairedPredictions, pos_label: Any, part: slice) -> Influences:
    """Return jackknife influences, because a calibration error sums pairs of records."""
    try:
        calibration = PairedCalibration.from_pair(_split(pair, part), pos_label=pos_label)
        sums = role_sums(calibration, 0), role_sums(calibration, 1)
    except ValueError:
        return None
    return squared_errors(sums), record_influences(sums)


def _split(pair: PairedPredictions, part: slice) -> PairedPredictions:
    """Return the predictions for one test set as those for a hold-out set."""
    y, roles = pair.predictions.y_predicted()[part], (r.part(part) for r in pair.roles)
    test_set = Predictions(pair.predictions.classes, y, tuple(roles), HOLDOUT)
    return PairedPredictions(test_set, *test_set.estimators)


def score_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    known: dict[Any, Any] | None = None,
) -> ScoreDifferences:
    """Score both roles on every test set.

    A test set on which the score of either role is undefined (one class only, for
    example) gives NaN for both, so that their means are over the same test sets. R², RMSE
    and other scores of errors of numbers are those of the predictions for all test sets
    together, because their means over test sets are biased: a test set then has this score
    plus the influences of its records. A callable gives the scores of the test sets.

    `known` holds scores of the same predictions, by names of classifiers and measures:
    scores found there are not computed again, and missing ones are added.
    """
    return PairScores(pair, measure, pos_label).differences({} if known is None else known)


def block_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    known: dict[Any, Any] | None = None,
) -> BlockDifferences:
    """Score both roles on every half, and take the differences block by block.

    A score of counts that is undefined on a test set (precision where nothing is predicted
    positive) is that of the counts of all test sets together. Scores of errors of numbers,
    such as R², always are. Another one is NaN there, and its variance is unknown, as it is
    for a score without a formula.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions of a block-regularized cross-validation.
    measure : Measure
        The measure that is compared.
    pos_label : label, optional
        The positive one of two classes.
    known : dict, optional
        Scores of the same predictions, as for :func:`score_differences`.
    """
    scores = PairScores(pair, measure, pos_label)
    splits = scores.differences({} if known is None else known)
    flags = list(splits.flags)
    if scores.roles[0].is_pooled:
        differences, means, has_formula = scores.pooled()
    elif splits.n_undefined and measure.metric in COUNT_SCORES:
        differences, means, has_formula = scores.pooled()
        if np.isfinite(means).all():
            flags = [POOLED if flag == "undefined-in-split" else flag for flag in flags]
    else:
        differences, means, has_formula = scores.of_splits(splits)
    if scores.has_few_in_a_half():
        flags.append(FEW_IN_A_HALF)
    in_first, place = halves_of(pair)
    sign = 1 if measure.greater_is_better else -1
    blocks = BlockDifferences.from_records(
        sign * differences[place],
        in_first,
        strata=None if measure.is_numeric else pair.predictions.y,
        groups=pair.predictions.groups,
        champion=means[0],
        challenger=means[1],
        flags=tuple(flags),
        score=measure.subject,
        greater_is_better=measure.greater_is_better,
    )
    return blocks if has_formula else replace(blocks, variance=math.nan)


def one_score(
    scorer: Callable[..., Any],
    subject: str,
    name: str,
    stored: Any,
    X: Any,
    y: Any,
    watch: Watch,
) -> float:
    """Return the score of stored predictions, or NaN if undefined.

    `subject` is the measure and `name` the classifier in the text of an error.
    """
    try:
        with watched(watch):
            score = scorer(stored, X, y)
    except ValueError as error:
        watch.error = error
        return float("nan")
    except AttributeError as error:
        raise _lacks_predictions(subject, name) from error
    number = number_of(subject, score)
    return float("nan") if watch.undefined else number


def _lacks_predictions(subject: str, name: str) -> ValueError:
    return ValueError(
        f"scoring {subject!r} needs predictions that {name} does not give. Choose a "
        "classifier with predict_proba, or a measure of labels."
    )
