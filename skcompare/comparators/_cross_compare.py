"""Cross-validation of several classifiers on shared splits."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Number, Real
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning, UnsetMetadataPassedError
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, check_random_state, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skcompare._analysis.measures import named_scoring, resolve_scoring
from skcompare._core.sklearn_private import StrOptions, validate_params
from skcompare._core.validation import some_of, unknown_name
from skcompare._io.columns import frame_from_columns
from skcompare._registry.metrics import NUMBERS, VALUES
from skcompare._typing import IntArray
from skcompare.comparators._comparators import fitting_flags, routing_enabled
from skcompare.comparators._paired_estimator import ClassScorer
from skcompare.comparators._splits import make_splits, resolve_cv
from skcompare.metrics import get_scorer
from skcompare.predictions import (
    LABELS,
    LARGEST_SEED,
    SCORES,
    EstimatorPredictions,
    Fitted,
    Predictions,
    Split,
    Task,
    askable,
    check_roles_to_fit,
    check_target,
    encoded_target,
    failure_of,
    fitted_clone,
    n_rows,
    predictions_for,
    predictions_of,
    rows_of,
    run_tasks,
    take_rows,
    target_of,
    times_of,
)

RAISE = "raise"


@dataclass(frozen=True, slots=True)
class CrossTask:
    """Task of fitting a classifier on a split, with the outputs to compute.

    Parameters
    ----------
    task : Task
        Nothing is `required` of it if predictions are not kept.
    scorer : callable
        Returns a number or a dict of numbers.
    score_params : mapping
        Metadata of the scorer; values of each record are cut to the scored records.
    error_score : number or "raise"
        Value of a score that could not be computed.
    train_score, keep_estimator : bool
        Whether to compute train scores and to return the estimator.
    """

    task: Task
    scorer: Any
    score_params: Mapping[str, Any]
    error_score: Any
    train_score: bool
    keep_estimator: bool


@dataclass(frozen=True, slots=True)
class CrossOutcome:
    """Result of a task; scores are None if the fit failed."""

    fit_time: float
    score_time: float
    test_score: Any = None
    train_score: Any = None
    estimator: Any = None
    predictions: EstimatorPredictions | None = None
    fit_error: str | None = None
    score_errors: tuple[str, ...] = ()


def run_cross_task(cross: CrossTask, X: Any, y: Any, classes: np.ndarray) -> CrossOutcome:
    """Fit a clone on the training records, and score it on the test records."""
    task, start = cross.task, perf_counter()
    try:
        fitted = fitted_clone(task, X, y)
    # Any error of an estimator is raised again with its name, or recorded.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE or task.required:
            raise failure_of(*task.failed_to("fit"), error) from error
        kept = clone(task.estimator) if cross.keep_estimator else None
        return CrossOutcome(
            perf_counter() - start, 0.0, estimator=kept, fit_error=format_exc()
        )
    start = perf_counter()
    errors: list[str] = []
    test_score = _scores(cross, fitted, X, y, task.test, errors)
    score_time = perf_counter() - start
    train_score = None
    if cross.train_score:
        train_score = _scores(cross, fitted, X, y, task.train, errors)
    predictions = None
    if task.required:
        required = askable(fitted.estimator, task.required)
        predictions = predictions_for(task, fitted, X, classes, required)
    kept = fitted.estimator if cross.keep_estimator else None
    times_and_scores = fitted.fit_time, score_time, test_score, train_score
    return CrossOutcome(*times_and_scores, kept, predictions, None, tuple(errors))


def _scores(
    cross: CrossTask, fitted: Fitted, X: Any, y: Any, rows: IntArray, errors: list[str]
) -> Any:
    """Return a score or a dict of scores, with the error score in place of failed ones."""
    params = rows_of(cross.score_params, rows, n_rows(y))
    try:
        records = fitted.select(X, rows)
        scores = cross.scorer(fitted.estimator, records, take_rows(y, rows), **params)
    except UnsetMetadataPassedError:
        # The call is wrong, not the score.
        raise
    # Any error of a scorer is raised again with the name of the classifier, or recorded.
    except (Exception, SystemExit) as error:
        if cross.error_score == RAISE:
            raise failure_of(*cross.task.failed_to("be scored"), error) from error
        errors.append(format_exc())
        return cross.error_score
    if not isinstance(scores, dict):
        return _number(scores, "the score")
    # With several scorers, a failure is text in the place of its score.
    failures = [text for text in scores.values() if isinstance(text, str)]
    errors.extend(failures)
    return {
        name: cross.error_score if isinstance(score, str) else _number(score, name)
        for name, score in scores.items()
    }


def _number(score: Any, name: str) -> Any:
    """Convert the score of a scorer to a plain number, as scikit-learn does."""
    if hasattr(score, "item"):
        with suppress(ValueError):
            score = score.item()
    if not isinstance(score, Number):
        raise ValueError(
            f"Scoring must give a number, or a dict of them. Got {score!r:.60} "
            f"({type(score).__name__}) as {name}."
        )
    return score


def scorers_of(
    estimators: Sequence[tuple[str, Any]], scoring: Any, *, raise_exc: bool
) -> list[Any]:
    """Return a scorer for each estimator; the scorers differ only if `scoring` is None."""
    scorers = []
    for name, estimator in estimators:
        if scoring is None and not hasattr(estimator, "score"):
            raise TypeError(
                f"Without `scoring` each classifier needs a `score` method. {name} "
                f"({type(estimator).__name__}) has none. Pass `scoring`, such as "
                "'accuracy'."
            )
        scorers.append(check_scoring(estimator, scoring, raise_exc=raise_exc))
    return scorers


def _as_scorers(scoring: Any, classes: np.ndarray) -> Any:
    """Convert `scoring` for scikit-learn, with scorers in place of names of metrics."""
    if scoring is None or callable(scoring):
        return scoring
    if isinstance(scoring, str):
        return _scorer_of(scoring, classes)
    pairs = named_scoring(scoring)
    scorers = [scorer for _, scorer in pairs]
    if not isinstance(scoring, Mapping) and any(
        name is not scorer for name, scorer in pairs
    ):
        raise TypeError(
            f"A list of `scoring` must hold names. Got {scorers!r:.100}. "
            "Pass a dict to name scorers."
        )
    return {
        name: _scorer_of(value, classes) if isinstance(value, str) else value
        for name, value in pairs
    }


def _scorer_of(name: str, classes: np.ndarray) -> Any:
    """Return the scorer of a name, after checking that it suits the classes."""
    (measure,) = resolve_scoring(name)
    try:
        measure.check_classes(classes)
    except ValueError as error:
        if not len(classes):
            raise
        reason = error.__cause__ or error
        raise ValueError(
            f"scoring {name!r} does not suit the {len(classes)} classes "
            f"{some_of(classes)}: {reason} Name the class in brackets, such as "
            f"'precision[{classes[-1]}]', or choose a multi-class scorer, such as "
            "'f1_macro'."
        ) from error
    if not measure.greater_is_better:
        raise ValueError(
            f"cross_compare scores as scikit-learn does, so that greater is better. Got "
            f"the loss {name!r}. Pass 'neg_{name}'."
        )
    return get_scorer(name) if measure.label is None else ClassScorer(measure)


INDICES, ESTIMATOR, TEST = "indices", "estimator", "test_"


class CrossComparison(dict[str, Any]):
    """Times and scores of several classifiers on the same splits.

    A dict of arrays as :func:`sklearn.model_selection.cross_validate` returns it, with the
    name of the classifier at the end of each key: ``fit_time_<name>``,
    ``score_time_<name>``, ``test_score_<name>`` or ``test_<metric>_<name>``, on request
    also ``train_..._<name>``, ``estimator_<name>``, and ``indices``, which all share.

    Parameters
    ----------
    outputs : mapping of str to dict
        Output of `cross_validate` for each classifier.
    cv : splitter
        The splitter.
    predictions : Predictions, optional
        Predictions of the classifiers.

    Attributes
    ----------
    names : tuple of str
        The classifiers in the order they were passed.
    cv : splitter
        The splitter; :func:`~skcompare.compare_cv_results` takes the design from it.

    See Also
    --------
    skcompare.cross_compare : Returns it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import cross_compare
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> results = cross_compare(models, X, y, cv=5, random_state=0)
    >>> list(results)[-2:]
    ['test_score_bayes', 'test_score_tree']
    >>> list(results.of("tree"))
    ['fit_time', 'score_time', 'test_score']
    """

    def __init__(
        self,
        outputs: Mapping[str, Mapping[str, Any]],
        *,
        cv: Any = None,
        predictions: Predictions | None = None,
    ) -> None:
        super().__init__()
        self.names = tuple(outputs)
        self.cv = cv
        self._predictions = predictions
        self._keys = {name: tuple(output) for name, output in outputs.items()}
        metrics = [
            key.removeprefix(TEST) for key in self._all_keys() if key.startswith(TEST)
        ]
        check_keys(self.names, metrics)
        for key in self._all_keys():
            for name, output in outputs.items():
                if key in output:
                    self[_flat(key, name)] = output[key]

    def of(self, name: str) -> dict[str, Any]:
        """Return the output of `cross_validate` for one classifier.

        Parameters
        ----------
        name : str
            Name of the classifier.

        Returns
        -------
        output : dict of str to array
            Two of them can be passed to :func:`~skcompare.compare_cv_results` and
            :meth:`skcompare.evidence.ScoreDifferences.from_cv_results`.
        """
        if name not in self._keys:
            raise unknown_name("classifier", name, self.names)
        return {key: self[_flat(key, name)] for key in self._keys[name]}

    @property
    def predictions(self) -> Predictions:
        """Predictions of all classifiers; only with ``return_predictions=True``."""
        if self._predictions is None:
            raise AttributeError(
                "The predictions were not kept. Pass return_predictions=True to "
                "cross_compare."
            )
        return self._predictions

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a data frame of times and scores, with one row per classifier and split.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library whose frame is returned.

        Returns
        -------
        frame : frame
            Columns estimator, split, fit_time, score_time, test_score or test_<metric>,
            and train scores if there are any. A score that a classifier does not have is
            NaN.
        """
        columns: dict[str, list[Any]] = {"estimator": [], "split": []}
        outputs = {name: self.of(name) for name in self.names}
        numbers = [key for key in self._all_keys() if key not in (INDICES, ESTIMATOR)]
        for name, output in outputs.items():
            n_splits = len(output["fit_time"])
            columns["estimator"] += [name] * n_splits
            columns["split"] += range(n_splits)
            for key in numbers:
                values = output.get(key, np.full(n_splits, np.nan))
                columns.setdefault(key, []).extend(np.asarray(values).tolist())
        return frame_from_columns(columns, backend)

    def _all_keys(self) -> list[str]:
        """Keys of all classifiers, in order."""
        return list(dict.fromkeys(key for keys in self._keys.values() for key in keys))


def _flat(key: str, name: str) -> str:
    """Return the key of a classifier's array; the key of the indices is shared by all."""
    return key if key == INDICES else f"{key}_{name}"


def check_keys(names: Sequence[str], metrics: Sequence[str]) -> None:
    """Check that keys are unique, unlike those of metric b of x_y and metric b_x of y."""
    owners: dict[str, tuple[str, str]] = {}
    for name in names:
        for metric in metrics:
            key = _flat(f"test_{metric}", name)
            if key in owners:
                metric_0, name_0 = owners[key]
                raise ValueError(
                    f"{metric_0!r} of {name_0!r} and {metric!r} of {name!r} would have "
                    f"the same key {key!r}. Choose another name for a classifier."
                )
            owners[key] = metric, name


ByName = Mapping[str, Sequence[CrossOutcome]]


def outputs_of(
    by_name: ByName,
    splits: Sequence[Split],
    metrics: tuple[str, ...] | None,
    error_score: Any,
    keep: Mapping[str, bool],
) -> dict[str, dict[str, Any]]:
    """Return the output of `cross_validate` for each classifier."""
    all_outcomes = [outcome for outcomes in by_name.values() for outcome in outcomes]
    trains, tests = zip(*splits)
    outputs = {}
    for name, outcomes in by_name.items():
        output: dict[str, Any] = {
            "fit_time": np.array([outcome.fit_time for outcome in outcomes]),
            "score_time": np.array([outcome.score_time for outcome in outcomes]),
        }
        if keep["estimator"]:
            output["estimator"] = [outcome.estimator for outcome in outcomes]
        if keep["indices"]:
            output["indices"] = {"train": trains, "test": tests}
        for metric in (
            metrics or _outcome_names(outcomes) or _outcome_names(all_outcomes) or (None,)
        ):
            key = "score" if metric is None else metric
            scores = [outcome.test_score for outcome in outcomes]
            output[f"test_{key}"] = _column(scores, metric, error_score)
            if keep["train"]:
                scores = [outcome.train_score for outcome in outcomes]
                output[f"train_{key}"] = _column(scores, metric, error_score)
        outputs[name] = output
    return outputs


def _outcome_names(outcomes: Iterable[CrossOutcome]) -> tuple[str, ...]:
    """Names of the scores that a callable returned; empty if it returned a number."""
    scores = (outcome.test_score for outcome in outcomes)
    return next((tuple(score) for score in scores if isinstance(score, dict)), ())


def _column(scores: Iterable[Any], metric: str | None, error_score: Any) -> np.ndarray:
    """Return scores by one metric, with the error score where a fit or a scorer failed."""

    def value_of(score: Any) -> Any:
        if metric is None:
            return error_score if score is None else score
        return score.get(metric, np.nan) if isinstance(score, dict) else error_score

    return np.array([value_of(score) for score in scores])


def report_failures(by_name: ByName, error_score: Any) -> None:
    """Warn about failed fits and scorers, or raise an error if all fits failed."""
    fit_errors = {
        name: [o.fit_error for o in outcomes if o.fit_error]
        for name, outcomes in by_name.items()
    }
    score_errors = {
        name: [text for outcome in outcomes for text in outcome.score_errors]
        for name, outcomes in by_name.items()
    }
    n_fits = sum(map(len, by_name.values()))
    if sum(map(len, fit_errors.values())) == n_fits:
        raise ValueError(
            f"All {n_fits} fits failed. Pass error_score='raise' to stop at the first.\n\n"
            f"{_listed(fit_errors)}"
        )
    for errors, failed, category in (
        (fit_errors, f"{{}} of {n_fits} fits failed, and their", FitFailedWarning),
        (score_errors, "Scoring failed {} times, and these", UserWarning),
    ):
        if n_failed := sum(map(len, errors.values())):
            warnings.warn(
                f"{failed.format(n_failed)} scores are set to {error_score}. Pass "
                f"error_score='raise' to stop at the first.\n\n{_listed(errors)}",
                category,
                stacklevel=3,
            )


def _listed(errors: Mapping[str, Sequence[str]]) -> str:
    """Format the distinct failures of each classifier with their counts."""
    return "\n".join(
        f"{name}, {count} times:\n{text}"
        for name, texts in errors.items()
        for text, count in Counter(texts).items()
    )


OWN_SCORE = "score"

NamedEstimators = Sequence[tuple[str, Any]]


@validate_params(
    {
        "cv": ["cv_object"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
        "params": [Mapping, None],
        "pre_dispatch": [Integral, str],
        "return_train_score": ["boolean"],
        "return_estimator": ["boolean"],
        "return_indices": ["boolean"],
        "return_predictions": ["boolean"],
        "error_score": [StrOptions({RAISE}), Real],
        "random_state": ["random_state"],
    },
    prefer_skip_nested_validation=False,
)
def cross_compare(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    time: Any = None,
    horizon: int = 1,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: Mapping[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    return_predictions: bool = False,
    error_score: Any = np.nan,
    random_state: Any = None,
) -> CrossComparison:
    """Cross-validate several estimators on the same splits.

    :func:`sklearn.model_selection.cross_validate` for several classifiers, or regressors:
    the splits are made once, the estimators of a split share the seeds of every nested
    `random_state` that is None, and all fits are distributed over the same workers.

    Parameters
    ----------
    estimators : dict of str to estimator, or list of (str, estimator)
        Classifiers or regressors by name. They are never changed.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Records, passed to the estimators unchanged.
    y : array-like of shape (n_samples,)
        Class labels, or numbers.
    groups : array-like of shape (n_samples,), optional
        Group of each record, for the splitter.
    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record, where each split tests later records than it
        trains on; the predictions then have it.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    cv : None, int, splitter or iterable, default=None
        None is :class:`BlockRegularized5x2CV`, ten fits of each classifier; with `time`, 5
        splits of the time points in their order. Anything else as in scikit-learn.
    scoring : str, callable, list of str, or dict, default=None
        As in `cross_validate`; None is each classifier's own `score`. Names of metrics of
        skcompare are accepted too, with a class in brackets for one class against the rest;
        greater is better, so names of losses start with ``neg_``.
    n_jobs, verbose, pre_dispatch
        As in joblib, except that ``verbose=1`` shows a progress bar with the time left.
    params : dict, optional
        With metadata routing on, metadata for the fits, the splitter and the scorers that
        request them. With routing off they go to every fit.
    return_train_score, return_estimator, return_indices : bool, default=False
        Further outputs, as in `cross_validate`.
    return_predictions : bool, default=False
        Keep the predictions of the classifiers; a fit that fails is then an error.
    error_score : "raise" or number, default=np.nan
        Value of the score where a fit or a scorer fails, with a warning.
    random_state : int, RandomState instance or None, default=None
        Decides the default splits and every nested `random_state` that is None.

    Returns
    -------
    results : CrossComparison
        A dict of arrays with the keys of `cross_validate`, each followed by the name of
        the classifier, such as ``test_score_<name>``; ``of(name)`` is the output of
        `cross_validate` for one classifier, ``to_frame()`` a table, ``predictions`` the
        predictions.

    Raises
    ------
    ValueError
        If names are empty or not unique, an estimator is not a classifier, a metric does
        not suit the classes, or all fits failed.
    EstimatorFailedError
        With ``error_score="raise"``, or ``return_predictions=True``, if a fit fails.

    See Also
    --------
    compare_cv_results : A verdict from two of the outputs.
    PairedComparator : Splits, fits and compares two classifiers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skcompare import cross_compare
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> results = cross_compare(models, X, y, scoring="accuracy", random_state=0)
    >>> for name in results.names:
    ...     print(f"{name:6}{results['test_score_' + name].mean():.3f}")
    bayes 0.953
    tree  0.937
    """
    named_estimators = _check_estimators(estimators)
    keep = {
        "train": return_train_score,
        "estimator": return_estimator,
        "indices": return_indices,
    }
    target = target_of(named_estimators)
    y_labels = check_target(y, groups, fitting=True, target=target)
    X, y, groups = indexable(X, y, groups)
    classes, _ = encoded_target(y_labels)
    scoring = _as_scorers(scoring, classes)
    scorers = scorers_of(named_estimators, scoring, raise_exc=error_score == RAISE)
    metrics = tuple(scoring) if isinstance(scoring, dict) else None
    check_keys([name for name, _ in named_estimators], metrics or (OWN_SCORE,))
    rng = check_random_state(random_state)
    times = times_of(time, horizon, len(y_labels))
    splitter = resolve_cv(cv, y_labels, random_state, target, times, horizon)
    routed = _routed(named_estimators, scorers, splitter, params, groups)
    splits = make_splits(splitter, X, y_labels, groups, routed.split, times, horizon)
    seeds = rng.randint(LARGEST_SEED, size=len(splits.pairs)).tolist()
    kinds = frozenset({VALUES} if target == NUMBERS else {LABELS, SCORES})
    responses = kinds if return_predictions else frozenset[str]()
    tasks = [
        CrossTask(
            Task(name, estimator, k, *split, seeds[k], responses, routed.fit[position]),
            scorers[position],
            routed.score[position],
            error_score,
            keep["train"],
            keep["estimator"],
        )
        for k, split in enumerate(splits.pairs)
        for position, (name, estimator) in enumerate(named_estimators)
    ]
    workers = {"n_jobs": n_jobs, "verbose": verbose, "pre_dispatch": pre_dispatch}
    outcomes = run_tasks(run_cross_task, tasks, (X, y), classes, **workers)
    by_name = {
        name: outcomes[k :: len(named_estimators)]
        for k, (name, _) in enumerate(named_estimators)
    }
    report_failures(by_name, error_score)
    predictions = None
    if return_predictions:
        collected = predictions_of(
            named_estimators,
            [[outcome.predictions for outcome in own] for own in by_name.values()],
            X,
            y_labels,
            splits=splits.pairs,
            design=splits.design,
            groups=groups,
            flags=(*splits.flags, *fitting_flags(named_estimators, routed.fit)),
            y_named=y,
        )
        predictions = splits.ordered(collected)
    outputs = outputs_of(by_name, splits.pairs, metrics, error_score, keep)
    return CrossComparison(outputs, cv=splitter, predictions=predictions)


def _check_estimators(estimators: Any) -> list[tuple[str, Any]]:
    """Check the classifiers and return them with their names."""
    pairs = estimators.items() if isinstance(estimators, Mapping) else estimators
    pairs = [*pairs] if isinstance(pairs, Iterable) else [estimators]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise TypeError(
            "`estimators` must be a dict of names to classifiers, or a list of (name, "
            f"classifier). Got {estimators!r:.200}."
        )
    names = [name for name, _ in pairs]
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(
                f"Names of classifiers must be non-empty strings. Got {name!r}."
            )
    if not names or len(set(names)) < len(names):
        raise ValueError(
            f"`estimators` must have at least one classifier, each under another name. Got "
            f"{names}."
        )
    named_estimators = [(name, estimator) for name, estimator in pairs]
    target = target_of(named_estimators)
    check_roles_to_fit(named_estimators, allow_mixed=True, target=target)
    return named_estimators


def _routed(
    estimators: NamedEstimators,
    scorers: Sequence[Any],
    splitter: Any,
    params: Mapping[str, Any] | None,
    groups: Any,
) -> Bunch:
    """Return the metadata routed to the splitter and to each fit and scorer."""
    metadata, n = dict(params or {}), len(estimators)
    if groups is not None and "groups" in metadata:
        raise ValueError(
            "Groups were passed twice, as `groups` and among `params`. Pass them once."
        )
    if not routing_enabled():
        split = {} if groups is None else {"groups": groups}
        return Bunch(split=split, fit=[metadata] * n, score=[{}] * n)
    if groups is not None:
        metadata["groups"] = groups
    router = MetadataRouter(owner="cross_compare")
    parts = [("splitter", splitter, "split")]
    for k, ((_, estimator), scorer) in enumerate(zip(estimators, scorers, strict=True)):
        parts += [(f"estimator_{k}", estimator, "fit"), (f"scorer_{k}", scorer, "score")]
    for name, part, method in parts:
        router.add(
            **{name: part}, method_mapping=MethodMapping().add(caller="fit", callee=method)
        )
    routed = process_routing(router, "fit", **metadata)
    return Bunch(
        split=routed.splitter.split,
        fit=[dict(routed[f"estimator_{k}"].fit) for k in range(n)],
        score=[dict(routed[f"scorer_{k}"].score) for k in range(n)],
    )
