"""Measures of a comparison: registered metrics and scikit-learn's scorers.

A measure scores stored predictions, so that nothing is fitted or predicted twice and any
scorer that only calls its estimator's prediction methods can be compared.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, update_wrapper
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    f1_score,
    jaccard_score,
    make_scorer,
    precision_score,
    recall_score,
)
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_scorer_names
from sklearn.utils.metaestimators import available_if

from skcompare._core.sklearn_private import metric_of_scorer, scorer_told_classes
from skcompare._core.validation import (
    check_pos_label,
    positive_class,
    some_of,
    unknown_name,
)
from skcompare._registry.metrics import (
    CLASSES,
    FORECASTS,
    NUMBERS,
    MetricEntry,
    UndefinedRateError,
    loss_of,
    metrics,
    record_losses,
    tested_loss,
)
from skcompare._registry.scorer_names import CHAMPION_SCORERS, PREFIX
from skcompare._typing import IntArray
from skcompare.evidence import (
    NUMBER_SCORES,
    SCORE_FAMILIES,
    NumberScore,
    forecasts_for,
    number_score,
)
from skcompare.predictions import (
    DECISION,
    EACH,
    LABELS,
    MULTIOUTPUT,
    SCORES,
    VALUES,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
    one_output_of,
    weights_of,
)


def _has(name: str) -> Any:
    return lambda stored: getattr(stored, name) is not None


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Fitted classifier that returns stored predictions for any X.

    It has only the methods whose predictions are stored, because scorers check by hasattr.
    """

    def __init__(
        self,
        classes: np.ndarray,
        labels: np.ndarray | None,
        proba: np.ndarray | None,
        decision: np.ndarray | None,
    ) -> None:
        self.classes = self.classes_ = classes
        self.labels = labels
        self.proba = proba
        self.decision = decision

    @available_if(_has("labels"))
    def predict(self, X: Any) -> Any:
        """Return the stored labels."""
        return self.labels

    @available_if(_has("proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the stored probabilities."""
        return self.proba

    @available_if(_has("decision"))
    def decision_function(self, X: Any) -> Any:
        """Return the stored decision scores."""
        return self.decision


class StoredNumbers(RegressorMixin, BaseEstimator):
    """Fitted regressor that returns stored numbers for any X.

    Parameters
    ----------
    stored : EstimatorPredictions
        The numbers, with their deviations, quantiles or samples.
    """

    def __init__(self, stored: EstimatorPredictions) -> None:
        self.stored = stored

    def predict(self, X: Any) -> Any:
        """Return the stored numbers."""
        return self.stored.values

    def __sklearn_is_fitted__(self) -> bool:
        return True


class Probe(ClassifierMixin, BaseEstimator):
    """A classifier that records the calls of a scorer, with or without decision scores."""

    def __init__(self, with_decision: bool) -> None:
        self.classes_ = np.array([0, 1])
        self.with_decision = with_decision or None
        self.requested: set[str] = set()

    def predict(self, X: Any) -> Any:
        """Return four fixed labels."""
        self.requested.add(LABELS)
        return np.array([0, 1, 1, 0])

    def predict_proba(self, X: Any) -> Any:
        """Return four fixed pairs of probabilities."""
        self.requested.add(SCORES)
        return np.array([[0.7, 0.3], [0.4, 0.6], [0.6, 0.4], [0.8, 0.2]])

    @available_if(_has("with_decision"))
    def decision_function(self, X: Any) -> Any:
        """Return four fixed decision scores."""
        self.requested.add(DECISION)
        return np.array([-1.0, 1.0, -0.5, -2.0])


def class_order(classes: np.ndarray, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes for scorers, and the position of each stored code among them.

    With a positive label they are 0 and 1, so that every binary scorer recognises it.
    """
    positive = check_pos_label(pos_label, classes)
    if positive is None:
        return classes, np.arange(len(classes))
    return np.array([0, 1]), np.array([1, 0]) if positive == 0 else np.array([0, 1])


def ordered_decision(
    decision: np.ndarray | None, part: slice, order: np.ndarray
) -> np.ndarray | None:
    if decision is None:
        return None
    if decision.ndim == 2:
        return decision[part][:, order]
    return decision[part] if order[0] == 0 else -decision[part]


@dataclass
class Watch:
    """Record of the warnings and errors of scorers.

    `undefined` is about the last call; `warned` and `error` about all of them.
    """

    undefined: bool = False
    warned: bool = False
    error: ValueError | None = None


@contextmanager
def watched(watch: Watch | None = None) -> Iterator[None]:
    """Record the warnings of a scorer instead of passing them on.

    Metrics that are undefined warn and return 0 or NaN, depending on the metric; such a
    score must not count as a number. Other warnings are caveats about the data.
    """
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        yield
    if watch is not None:
        kinds = [issubclass(warning.category, UndefinedMetricWarning) for warning in caught]
        watch.undefined = any(kinds)
        watch.warned |= not all(kinds)


WEIGHT = "sample_weight"
"""Keyword of metrics that is passed as metadata."""

NO_CLASSES = object()
"""Stands for the classes where the caller of a metric is not a scorer of this package."""


def entry_of(name: str) -> MetricEntry | None:
    """Return the metric of a name, with or without negation or our prefix, or None."""
    plain = name.removeprefix(PREFIX)
    if plain in metrics():
        return metrics()[plain]
    entry = metrics().get(plain.removeprefix("neg_"))
    return None if entry is None or entry.greater_is_better else entry


LOOPED_NUMBERS = frozenset({"neg_max_error", "neg_median_absolute_error"})
"""Scorers of scikit-learn of numbers that are computed in a loop over resamples."""


def target_of(name: str) -> str:
    """Target of a measure by its name: "classes" or "numbers"."""
    entry, loss = entry_of(name), tested_loss(name)
    if entry is not None:
        return entry.target
    if loss is not None:
        return loss.target
    of_numbers = {*NUMBER_SCORES, *SCORE_FAMILIES, *LOOPED_NUMBERS}
    return NUMBERS if name in of_numbers else CLASSES


def scorer_names() -> set[str]:
    """Names of the scorers of all registered metrics, and of those against a champion."""
    # A list, because another thread may register a metric at the same time.
    entries = list(metrics().values())
    return {*(entry.scorer_name for entry in entries), *CHAMPION_SCORERS}


def known_names() -> set[str]:
    """Names of all scorers of this package and of scikit-learn."""
    theirs = {name.removeprefix(PREFIX) for name in get_sklearn_scorer_names()}
    return theirs | scorer_names()


def scorer_of(entry: MetricEntry, options: Mapping[str, Any]) -> Any:
    """Return a scorer of a metric on a greater-is-better scale.

    It is one of scikit-learn's own scorers if the classes can be passed to that, and
    otherwise one that uses public names only.
    """
    metric, sign = ClassMetric(entry), 1 if entry.greater_is_better else -1
    scorer = scorer_told_classes(metric, entry.response_method, sign, options)
    return DirectScorer(metric, sign, options) if scorer is None else scorer


signature_of = lru_cache(maxsize=1024)(inspect.signature)


class ClassMetric:
    """Registered metric that receives the classes of the scored classifier.

    A test set may lack a class and then look like another problem, so the classes of the
    classifier count. The signature has no `labels`, because callers who find it there
    would pass other ones, or none.

    Parameters
    ----------
    entry : MetricEntry
        The metric.
    """

    def __init__(self, entry: MetricEntry) -> None:
        update_wrapper(self, entry.function)
        # scikit-learn prints it, and a callable object has none.
        self.__name__ = entry.name
        self.entry = entry
        signature = signature_of(entry.function)
        takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
        self.takes_labels = takes_any or "labels" in signature.parameters
        kept = [p for name, p in signature.parameters.items() if name != "labels"]
        self.__signature__ = signature.replace(parameters=kept)

    def __repr__(self) -> str:
        return self.entry.name

    def __reduce__(self) -> tuple[type, tuple[MetricEntry]]:
        return ClassMetric, (self.entry,)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of options other than labels, predictions, classes and weights."""
        parameters = list(self.__signature__.parameters.values())[2:]
        by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return tuple(p.name for p in parameters if p.kind in by_name and p.name != WEIGHT)

    @property
    def of_probabilities(self) -> bool:
        """Whether the metric scores probabilities rather than labels."""
        return self.entry.response_method == "predict_proba"

    def __call__(
        self,
        y_true: Any,
        predictions: Any,
        *,
        told_classes: Any = NO_CLASSES,
        **options: Any,
    ) -> float:
        """Compute the metric of labels, or of probabilities with one column per class."""
        if told_classes is NO_CLASSES:
            return self._at_threshold(y_true, predictions, options)
        return self.entry.function(
            y_true, predictions, **self._with_classes(told_classes, options)
        )

    def _with_classes(self, classes: Any, options: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords of the metric, including those for the classes."""
        if self.of_probabilities:
            return {"labels": classes, **options} if self.takes_labels else options
        if classes is None or "pos_label" not in self.__signature__.parameters:
            return options
        positive = positive_class(np.asarray(classes), options.get("pos_label"))
        return {**options, "pos_label": positive}

    def _at_threshold(self, y_true: Any, labels: Any, options: dict[str, Any]) -> float:
        """Compute the metric for callers outside a scorer, such as threshold tuning."""
        if self.of_probabilities:
            raise ValueError(
                f"{self.entry.scorer_name} scores probabilities. Got labels, as those that "
                "TunedThresholdClassifierCV makes by each threshold. Choose a metric of "
                "labels, such as 'balanced_accuracy'."
            )
        try:
            return self.entry.function(y_true, labels, **options)
        except UndefinedRateError as error:
            # The outermost thresholds give all records one label; the others still count.
            warnings.warn(f"{error} It counts as 0.", UndefinedMetricWarning, stacklevel=3)
            return 0.0


@dataclass(frozen=True)
class DirectScorer:
    """Scorer of a registered metric that uses only the public API of scikit-learn.

    It scores stored predictions, and all estimators where the classes cannot be passed to
    scikit-learn's own scorers.
    """

    metric: ClassMetric
    sign: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        options = dict(self.options, told_classes=getattr(estimator, "classes_", None))
        if sample_weight is not None:
            options[WEIGHT] = sample_weight
        predictions = getattr(estimator, self.metric.entry.response_method)(X)
        return self.sign * self.metric(y, predictions, **options)

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this on each of several scorers, with routing off.
        return WEIGHT in inspect.signature(self.metric).parameters


@dataclass(frozen=True)
class LossScorer:
    """Scorer of the mean of a registered loss of numbers, of stored predictions.

    Parameters
    ----------
    loss : str
        Name of the loss.
    sign : {1, -1}
        -1 where greater is better.
    """

    loss: str
    sign: int

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        (forecast,) = forecasts_for(self.loss, [estimator.stored])
        losses = record_losses()[self.loss].function(np.asarray(y), *forecast)
        return self.sign * float(np.mean(losses))


Scorer = Callable[[Any, Any, Any], float]

OF_CLASS = re.compile(r"(\w+)\[(.+)\]", re.DOTALL)
"""Pattern of a measure of one class against the rest, such as precision[malignant]."""


PROBED = np.array([0, 1, 0, 1])
"""True labels of the records with which scorers are probed."""


@dataclass(frozen=True, slots=True)
class MacroAverage:
    """Mean of a score over the classes that occur among the true labels.

    scikit-learn adds the classes that only a classifier predicts, so that each of
    two classifiers would be scored by classes of its own.
    """

    score: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(self, y_true: Any, y_pred: Any) -> float:
        return self.score(y_true, y_pred, labels=np.unique(y_true), average="macro")


MACRO_AVERAGES = {
    "f1_macro": MacroAverage(f1_score),
    "jaccard_macro": MacroAverage(jaccard_score),
    "precision_macro": MacroAverage(precision_score),
    "recall_macro": MacroAverage(recall_score),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A score of one classifier's predictions for one test set.

    Parameters
    ----------
    name : str
        The key in reports.
    greater_is_better : bool
        False for losses, whose differences are negated.
    required : frozenset of {"labels", "scores", "decision", "values", ...}
        Predictions that it needs.
    scorer : callable
        `scorer(estimator, X, y)`, where the estimator returns stored predictions.
    metric : str or None
        Name of the metric, by which its tests are found; None for a scorer without a
        known name.
    label : str or None
        The class of the measure, as text: that class is positive, and all others are the
        rest. Of predicted numbers the output of several, or how these are averaged.
    options : tuple of pairs of str and object
        Options of the loss or score, by name.
    """

    name: str
    greater_is_better: bool
    required: frozenset[str]
    scorer: Scorer
    metric: str | None = None
    label: str | None = None
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def subject(self) -> str:
        """Name of the measure, followed by its class in brackets if there is one."""
        return self.name if self.label is None else f"{self.name}[{self.label}]"

    @property
    def is_numeric(self) -> bool:
        """Whether the measure is of predicted numbers, not of classes."""
        return VALUES in self.required

    @property
    def number_score(self) -> NumberScore | None:
        """Score of numbers that is a smooth function of the records, or None."""
        return number_score(self.metric, (value for _, value in self.options))

    @property
    def uncertainty(self) -> str | None:
        """Kind of uncertainty of forecasts that it needs beside their numbers, or None."""
        return next((kind for kind in FORECASTS if kind in self.required - {VALUES}), None)

    def position(self, classes: np.ndarray) -> int:
        """Position of the measure's class among the classes."""
        names = [str(label) for label in classes.tolist()]
        if self.label not in names:
            raise ValueError(
                f"scoring {self.subject!r} is about a class that does not occur. "
                f"Classes: {some_of(classes)}."
            )
        return names.index(self.label)

    @property
    def is_of_each(self) -> bool:
        """Whether the measure stands for those of each of several outputs."""
        return self.is_numeric and self.label == EACH

    def of_outputs(self, predictions: Predictions) -> Predictions:
        """Return predicted numbers of the measure's output, or with its weights.

        A name of an output, of scikit-learn's averages, or a weight for each output stands
        in brackets.
        """
        outputs, label = predictions.outputs, self.label
        if not outputs:
            raise ValueError(
                f"scoring {self.subject!r} is about several outputs, and the predictions "
                "are of one. Leave the brackets out."
            )
        if label in outputs:
            return one_output_of(predictions, outputs.index(label))
        numbers = str(label).split(",")
        multioutput: Any = label
        if label not in MULTIOUTPUT:
            try:
                multioutput = [float(number) for number in numbers]
            except ValueError:
                numbers = []
            if len(numbers) < 2:
                raise ValueError(
                    f"scoring {self.subject!r} is about an output that does not occur. "
                    f"Outputs: {some_of(np.array(outputs))}."
                )
        weights = weights_of(predictions, multioutput, self.metric)
        return replace(predictions, weights=weights)

    def check_classes(self, classes: np.ndarray) -> None:
        """Raise an error before fitting if a named scorer cannot score these classes."""
        if self.is_numeric:
            return
        if self.label is not None:
            self.position(classes)
            classes = np.array([0, 1])
        if self.metric is None:
            return
        if not len(classes):
            raise ValueError(
                f"scoring {self.subject!r} is of classes, and the predictions are numbers. "
                "Choose a measure of numbers, such as 'r2'."
            )
        try:
            self.of_right_predictions(classes, np.arange(len(classes)))
        except ValueError as error:
            reason = str(error).rstrip(".")  # scikit-learn may end it with a point
            raise ValueError(
                f"scoring {self.subject!r} does not suit the {len(classes)} classes "
                f"{some_of(classes)}: {reason}. For two string classes pass `pos_label`; "
                "for more classes choose a multi-class scorer, such as 'f1_macro'."
            ) from error

    @property
    def needs_proba(self) -> bool:
        """Whether the scorer needs probabilities and cannot use decision scores."""
        if SCORES not in self.required:
            return False
        return self._needs_more(None) and not self._needs_more(np.eye(2)[PROBED])

    def _needs_more(self, proba: np.ndarray | None) -> bool:
        """Whether the scorer needs more than labels, decision scores and `proba`."""
        stored = StoredPredictions(np.array([0, 1]), PROBED, proba, 2.0 * PROBED - 1)
        try:
            with watched():
                self.scorer(stored, np.arange(len(PROBED)).reshape(-1, 1), PROBED)
        except AttributeError:
            return True
        # It may reject the data.
        except Exception:
            return False
        return False

    def of_right_predictions(self, classes: np.ndarray, codes: np.ndarray) -> float:
        """Score correct and certain predictions for two records of each class in `codes`.

        NaN where the scorer warns, as about a class without records.
        """
        y_true = np.repeat(classes[codes], 2)
        proba = np.repeat(np.eye(len(classes))[codes], 2, axis=0)
        decision = proba[:, 1] if len(classes) == 2 else proba
        stored, watch = StoredPredictions(classes, y_true, proba, decision), Watch()
        with watched(watch):
            score = self.scorer(stored, np.arange(len(y_true)).reshape(-1, 1), y_true)
        return float("nan") if watch.undefined or watch.warned else float(score)


def measures_of_outputs(
    measures: Iterable[Measure], predictions: Predictions
) -> tuple[Measure, ...]:
    """Replace measures of each output by one per output.

    The first measure, on which the verdict is based, becomes its mean over the outputs,
    followed by those of each.
    """
    expanded: dict[str, Measure] = {}
    for k, measure in enumerate(measures):
        own = [measure]
        if measure.is_of_each:
            if not predictions.outputs:
                measure.of_outputs(predictions)
            labels = (*((None,) if k == 0 else ()), *predictions.outputs)
            own = [replace(measure, label=label) for label in labels]
        for each in own:
            expanded.setdefault(each.subject, each)
    return tuple(expanded.values())


DEFAULT_SCORING: Mapping[str, str | tuple[str, ...]] = {
    CLASSES: "accuracy",
    NUMBERS: ("r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"),
}
"""Measures of a target where none is named, the primary one first."""


def resolve_scoring(scoring: Any, target: str = CLASSES) -> tuple[Measure, ...]:
    """Return the measures of a `scoring` argument, with the primary one first.

    Parameters
    ----------
    scoring : str, callable, list of str, dict or None
        Names of metrics of this package or of scikit-learn's scorers, a scorer
        `scorer(estimator, X, y)`, or a dict of names and either of them. A name with a
        class, such as "precision[malignant]", is about that class against the rest. None
        stands for the default measures of the target.
    target : {"classes", "numbers"}, default="classes"
        The target of scorers without a name, unless another one is of numbers by name. A
        scorer of numbers that `make_scorer` made of a metric of scikit-learn is the measure
        of that metric, with its options.
    """
    scoring = DEFAULT_SCORING[target] if scoring is None else scoring
    named = named_scoring(scoring)
    measures = tuple(_measure(*item, target) for item in named)
    if target == CLASSES and any(measure.is_numeric for measure in measures):
        # Scorers without a name are of the same target as those with one.
        measures = tuple(_measure(*item, NUMBERS) for item in named)
    subjects = [measure.subject for measure in measures]
    if len(set(subjects)) < len(subjects):
        raise ValueError(
            f"`scoring` must have each measure once. Got {subjects}, where a class in "
            "brackets belongs to the name. Choose other names in the dict."
        )
    numeric = [measure.subject for measure in measures if measure.is_numeric]
    if 0 < len(numeric) < len(measures):
        raise ValueError(
            f"All of `scoring` must be about one target. Got {', '.join(numeric)}, of "
            "predicted numbers, with measures of classes. Compare them one at a time."
        )
    return measures


def named_scoring(scoring: Any) -> list[tuple[str, Any]]:
    """Return the names and scorers of a `scoring` argument, with unique names."""
    if isinstance(scoring, Mapping):
        pairs = [(str(name), value) for name, value in scoring.items()]
    elif isinstance(scoring, str) or callable(scoring):
        pairs = [(_name_of(scoring), scoring)]
    elif isinstance(scoring, Iterable):
        pairs = [(_name_of(item), item) for item in scoring]
    else:
        raise TypeError(
            "`scoring` must be a name, a scorer, a list of names or a dict. Got "
            f"{type(scoring).__name__}. Pass scoring='accuracy' for accuracy."
        )
    names = [name for name, _ in pairs]
    if not names or len(set(names)) < len(names):
        raise ValueError(
            f"`scoring` must have at least one name, each once. Got {names}. Pass a dict "
            "to name scorers."
        )
    return pairs


def _name_of(scorer: Any) -> str:
    return scorer if isinstance(scorer, str) else getattr(scorer, "__name__", "score")


def _measure(name: str, value: Any, target: str) -> Measure:
    if not isinstance(value, str):
        _check_scorer(name, value)
        recognised = _of_scorer(name, value) if target == NUMBERS else None
        if recognised is not None:
            return recognised
        numbers = frozenset({VALUES})
        required = numbers if target == NUMBERS else _needed_predictions(value)
        return Measure(name, True, required, value)
    match = OF_CLASS.fullmatch(value)
    if match is not None:
        measured, label = match.groups()
        measure = _measure(measured if name == value else name, measured, target)
        return replace(measure, label=label)
    entry = entry_of(value)
    if entry is not None:
        # A loss by its own name is the loss itself.
        plain = value.removeprefix(PREFIX)
        negated = plain != entry.name
        scorer: Scorer = DirectScorer(ClassMetric(entry), -1 if negated else 1)
        kind = LABELS if entry.response_method == "predict" else SCORES
        kind = VALUES if target_of(value) == NUMBERS else kind
        greater = entry.greater_is_better or negated
        return Measure(name, greater, frozenset({kind}), scorer, plain)
    if value.removeprefix(PREFIX) in CHAMPION_SCORERS:
        raise ValueError(
            f"scoring={value!r} scores a classifier against a champion, for scikit-learn's "
            "functions. Here the classifiers are compared by measures, such as 'accuracy', "
            "and by tests, which `tests` names."
        )
    loss = loss_of(value)
    if loss is not None and loss.target == NUMBERS:
        greater = value.startswith(NEGATED)
        of_loss = LossScorer(loss.name, -1 if greater else 1)
        return Measure(name, greater, frozenset({VALUES, loss.needs}), of_loss, value)
    try:
        scorer = _known_scorer(value)
    except (ValueError, KeyError):
        known = known_names().union(metrics(), _names_of_losses())
        raise unknown_name("scoring", value, known) from None
    is_numeric = target_of(value) == NUMBERS
    required = frozenset({VALUES}) if is_numeric else _needed_by_name(value)
    return Measure(name, True, required, scorer, value)


def _of_scorer(name: str, scorer: Any) -> Measure | None:
    """Return the measure of a scorer made of scikit-learn's metrics of numbers, or None.

    A loss is one also where `make_scorer` was not told so.
    """
    metric, sign, options = metric_of_scorer(scorer) or (None, 1, {})
    plain = getattr(metric, "__name__", "")
    if metric is None or getattr(sklearn.metrics, plain, None) is not metric:
        return None
    plain, options = _without_family(plain, options)
    names = (plain, plain.removesuffix("_score"), f"{NEGATED}{plain}")
    known = next((own for own in names if target_of(own) == NUMBERS), None)
    loss = loss_of(known)
    takes = OF_FAMILY if known in SCORE_FAMILIES else getattr(loss, "options", ())
    is_error = loss is not None or str(known).startswith(NEGATED)
    if known is None or not {*options} <= {*takes} or (sign < 0 and not is_error):
        return None
    if loss is not None and sign < 0:
        known = f"{NEGATED}{plain}"
    elif loss is None and sign > 0 and is_error:
        # It has no name that is not negated.
        known = None
    greater = sign < 0 or not is_error
    own = tuple(options.items())
    return Measure(name, greater, frozenset({VALUES}), scorer, known, options=own)


OF_FAMILY = ("alpha", "power")
"""Options of the scores of :data:`SCORE_FAMILIES`, of which each has one."""

OF_POWER = {0: "r2_score", 1: "d2_poisson_score", 2: "d2_gamma_score"}
"""Names of scores of scikit-learn that d2_tweedie_score is for some powers."""


def _without_family(plain: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the score of a family by a name of its own, if it has one."""
    rest = {name: value for name, value in options.items() if name not in OF_FAMILY}
    if plain == "d2_tweedie_score":
        power = options.get("power", 0)
        if power in OF_POWER:
            return OF_POWER[power], rest
        # Elsewhere the deviance has another domain.
        return (plain if 1 < power < 2 else ""), options
    if plain == "d2_pinball_score" and options.get("alpha", 0.5) == 0.5:
        return "d2_absolute_error_score", rest
    return plain, options


NEGATED = "neg_"
"""Prefix of a loss on a greater-is-better scale."""


def _names_of_losses() -> set[str]:
    """Names of the means of all registered losses of numbers, on that scale."""
    losses = [loss for loss in record_losses().values() if loss.target == NUMBERS]
    return {
        mean if loss.relative else f"{NEGATED}{mean}"
        for loss in losses
        for mean in loss.measures
    }


def _known_scorer(name: str) -> Any:
    average = MACRO_AVERAGES.get(name)
    return get_sklearn_scorer(name) if average is None else make_scorer(average)


@cache
def _needed_by_name(name: str) -> frozenset[str]:
    """Kinds of predictions that a scorer of scikit-learn needs, which is probed once."""
    return _needed_predictions(_known_scorer(name))


def _check_scorer(name: str, scorer: Any) -> None:
    if not callable(scorer):
        raise TypeError(f"The scorer {name!r} must be a name or callable. Got {scorer!r}.")
    try:
        parameters = list(inspect.signature(scorer).parameters)
    except (TypeError, ValueError):
        return
    if parameters[:1] == ["y_true"]:
        raise TypeError(
            f"{name!r} is a metric of labels, and no scorer(estimator, X, y). Wrap it by "
            "sklearn.metrics.make_scorer, or pass its name."
        )


def _needed_predictions(scorer: Scorer) -> frozenset[str]:
    """Determine the kinds of predictions that a scorer needs, by probing the scorer.

    Probabilities are preferred to decision scores, so these are offered only to a scorer
    that takes nothing else.
    """
    requested: set[str] = set()
    for with_decision in (False, True):
        probe = Probe(with_decision)
        try:
            with watched():
                scorer(probe, np.arange(4).reshape(-1, 1), PROBED)
            return frozenset(probe.requested or {LABELS, SCORES})
        except AttributeError:
            # It may have called a method that this probe does not have.
            requested |= probe.requested
        # A scorer may reject the probe's data; the methods called until then count.
        except Exception:
            return frozenset(requested | probe.requested or {LABELS, SCORES})
    return frozenset(requested | {DECISION})


WORSE_THAN_NO_SKILL = "worse-than-no-skill"


def value_without_skill(
    measure: Measure | None, predictions: Predictions, pos_label: Any = None
) -> float | None:
    """Value of a measure for a classifier that uses no feature, or None if unknown.

    Of a negated loss it is the loss, and of an average precision the share of the
    positive class, which `pos_label` names.
    """
    if measure is None or measure.metric is None or measure.label is not None:
        return None
    counts = predictions.class_counts()
    if not counts.sum():
        return None
    of_class = counts / counts.sum()
    shares = of_class[of_class > 0]
    name = measure.metric.removeprefix("neg_")
    if name == "accuracy":
        return float(shares.max())
    if name == "balanced_accuracy":
        return 1 / len(shares)
    if name.startswith("roc_auc"):
        return 0.5
    if name == "matthews_corrcoef":
        return 0.0
    if name == "binary_brier_loss":
        return float(shares.prod()) if len(shares) == 2 else None
    if name in ("multiclass_brier_loss", "brier_score"):
        return float(1 - (shares**2).sum())
    if name == "log_loss":
        return float(-(shares * np.log(shares)).sum())
    if name == "average_precision" and len(shares) == 2:
        positive = positive_class(predictions.classes, pos_label)
        return float(of_class[predictions.classes == positive][0])
    return None


def are_worse_than_no_skill(
    measure: Measure | None,
    pair: PairedPredictions,
    values: tuple[float | None, float | None],
    greater_is_better: bool,
    pos_label: Any = None,
) -> list[bool]:
    """Whether champion and challenger are each worse than a classifier without skill.

    Scores alone do not show it: a classifier that weighs rare classes has a lower accuracy
    than the share of the most common class, and an overconfident one a larger loss than
    the shares of the classes. Columns or classes are reversed where its predictions also
    agree with the truth less than by chance.

    Parameters
    ----------
    measure : Measure or None
        The measure of the scores.
    pair : PairedPredictions
        With the true labels.
    values : pair of float or None
        Scores of both, which may be losses, or negated ones.
    greater_is_better : bool
        Whether they are scores, where the greater is better, and not losses.
    pos_label : label, optional
        The positive one of two classes.
    """
    predictions = pair.predictions
    least = None
    if predictions.y is not None or predictions.tally is not None:
        least = value_without_skill(measure, predictions, pos_label)
    if measure is None or least is None:
        return [False, False]
    if greater_is_better and str(measure.metric).startswith("neg_"):
        least = -least
    by_labels = measure.required == {LABELS}
    return [
        value is not None
        and (value < least if greater_is_better else value > least)
        and not _agrees_more_than_by_chance(predictions, role, by_labels)
        for role, value in zip(pair.roles, values, strict=True)
    ]


def _agrees_more_than_by_chance(
    predictions: Predictions, classifier: EstimatorPredictions, by_labels: bool
) -> bool:
    """Whether labels or probabilities agree with the truth more than by chance."""
    # As in Cohen's kappa.
    n_classes = len(predictions.classes)
    if predictions.tally is not None:
        k = [role.name for role in predictions.estimators].index(classifier.name)
        cells = predictions.tally.cells(["y", f"label_{k}"])
        y, labels = cells.keys["y"], cells.keys[f"label_{k}"]
        return _labels_agree(y, labels, cells.counts, n_classes)
    y = predictions.y_predicted().astype(np.intp)
    if classifier.labels is not None and (by_labels or classifier.proba is None):
        return _labels_agree(y, classifier.labels, np.ones(len(y)), n_classes)
    if classifier.proba is None:
        return False
    true_proba = np.take_along_axis(classifier.proba, y[:, np.newaxis], axis=1)
    shares = np.bincount(y, minlength=n_classes) / len(y)
    return bool(true_proba.mean() >= shares @ classifier.proba.mean(axis=0))


def _labels_agree(y: IntArray, labels: IntArray, counts: Any, n_classes: int) -> bool:
    """Whether labels agree with the truth at least as often as by chance."""
    n = counts.sum()
    true, predicted = (np.bincount(a, counts, n_classes) / n for a in (y, labels))
    return bool(counts[y == labels].sum() / n >= true @ predicted)
