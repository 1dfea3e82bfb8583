"""Private names of scikit-learn that cannot be avoided, all in one place.

===============================  =====================  ====================================
name                             where it is used       without it
===============================  =====================  ====================================
`_init_callback_context`         progress of a fit      callbacks are not called
`_accept_sample_weight`          read from each of      AttributeError where weights
                                 several scorers        are passed to the fit
`_doc_link_module`,              link to our page in    no link
`_doc_link_template`,            the notebook
`_doc_link_url_param_generator`
`_sk_visual_block_`,             classifiers side by    those that are parameters, in
`_VisualBlock`                   side in the notebook   the order of their names
`_SCORERS`                       names of our scorers   scikit-learn knows no name of ours;
                                                        pass the scorers
`_parameter_constraints`,        a single name, where   a single name is refused, a list of
`_skl_parameter_constraints`;    names are checked by   names works; pass the scorers
in them `options`, `constraint`  a list made earlier
`_parameter_constraints`,        parameters of our      wrong ones are refused in other
`_validate_params`,              estimators and of      terms, or where they are used
`Interval`, `StrOptions`,        `cross_compare`
`validate_params`
`_score`, `_score_func`          scorers that pass      scorers that are called directly:
                                 classes and share      no shared predictions, no routing,
                                 predictions            no tuning of a threshold
`_score_func`, `_kwargs`,        metric and options     a scorer without a name has the
`_sign`, `_response_method`      of `make_scorer`       tests of any score only
`_in_fit`                        scorers against a      a champion would predict binned
                                 champion               records, where a boosting that
                                                        stops early has our scorer
`externals.array_api_compat`     arrays of torch and    the package array-api-compat, where
                                 CuPy                   it is installed
===============================  =====================  ====================================

`sklearn.callback` is public from scikit-learn 1.9 on; the method above is the documented
way to support callbacks in an estimator, but has a private name. So do the documented
names of the link to a page.
"""

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config
from sklearn.metrics import accuracy_score, get_scorer_names, make_scorer
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils._param_validation import validate_params as validate_params

from skcompare.exceptions import MissingDependencyError

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks as with_callbacks
except ImportError:  # scikit-learn < 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Empty mixin for versions of scikit-learn without callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


try:
    from sklearn.utils._repr_html.estimator import _VisualBlock
except ImportError:
    try:  # scikit-learn < 1.7
        from sklearn.utils._estimator_html_repr import _VisualBlock
    except ImportError:  # a version that has moved it again
        _VisualBlock = None

try:
    from sklearn.metrics._scorer import _SCORERS
except ImportError:
    _SCORERS = None

DOCUMENTATION = "https://skcompare.github.io/skcompare/"
"""Address of the documentation, for links from a notebook."""


def array_api_compat() -> Any:
    """Import and return the package `array_api_compat`.

    scikit-learn includes it from 1.7 on, and requires it separately before.
    """
    for name in ("sklearn.externals.array_api_compat", "array_api_compat"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingDependencyError(
        "Computing with arrays of torch or CuPy needs the package array-api-compat, which "
        "scikit-learn brings from 1.7 on. Install it: pip install array-api-compat."
    )


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator against its `_parameter_constraints`.

    Raises scikit-learn's `InvalidParameterError`, unless its configuration skips the check.
    """
    if not get_config()["skip_parameter_validation"]:
        estimator._validate_params()


T = TypeVar("T")


class FitReports:
    """Reports of the fits of an estimator to its callbacks.

    It is sent with the tasks to other processes of this machine, from where the callbacks
    of scikit-learn send their messages back.

    Parameters
    ----------
    estimator : estimator
        The one that has callbacks, and fits others.
    n_tasks : int
        Number of fits.

    Attributes
    ----------
    from_tasks : bool
        Whether the tasks report themselves, which those on another machine cannot.
    """

    def __init__(self, estimator: Any, n_tasks: int) -> None:
        self.from_tasks = True
        # A copy without the results of an earlier fit, with splits that can be sent.
        params = estimator.get_params(deep=False)
        if hasattr(estimator, "cv_"):
            params["cv"] = estimator.cv_
        self.caller = type(estimator)(**params)
        root = estimator._init_callback_context(
            max_subtasks=n_tasks, sequential_subtasks=False
        )
        self.root = root.call_on_fit_task_begin(estimator=estimator)
        callbacks = [type(callback).__name__ for callback in estimator._skl_callbacks]
        self.has_progress_bar = "ProgressBar" in callbacks

    def verbosity(self, verbose: int) -> int:
        """Return `verbose` without a bar beside that of scikit-learn."""
        return 0 if verbose == 1 and self.has_progress_bar else verbose

    @contextmanager
    def of(self, position: int, label: str, fitted: Any = None) -> Iterator[None]:
        """Report one task, and pass the callbacks on to the estimator that it fits.

        An estimator that has no callbacks is one step of the progress.
        """
        task = self.root.subcontext(task_name=label, task_id=position)
        nested: AbstractContextManager[Any] = nullcontext()
        if hasattr(fitted, "set_callbacks"):
            nested = task.propagate_callback_context(fitted)
        with nested:
            task.call_on_fit_task_begin(estimator=self.caller)
            yield
            task.call_on_fit_task_end(estimator=self.caller)

    def followed(self, outcomes: Iterable[T]) -> Iterator[T]:
        """Yield the outcomes, and report those of tasks that could not do so themselves."""
        for position, outcome in enumerate(outcomes):
            if not self.from_tasks:
                with self.of(position, "fit and predict"):
                    pass
            yield outcome
        self.root.call_on_fit_task_end(estimator=self.caller)


def fit_reports(estimator: Any, n_tasks: int) -> FitReports | None:
    """Return the reports of an estimator's fits, or None if there are no callbacks."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    return FitReports(estimator, n_tasks)


class DocumentedEstimatorMixin:
    """Mixin that links the diagram of an estimator to its documentation.

    For public classes with a diagram. The mixin must be before `BaseEstimator` in the list
    of bases.
    """

    _doc_link_module = "skcompare"
    _doc_link_template = f"{DOCUMENTATION}api/generated/{{public_name}}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"public_name": public_name(type(self))}


class SideBySideMixin(DocumentedEstimatorMixin):
    """Mixin that draws the classifiers of an estimator side by side in its diagram.

    scikit-learn shows parameters that are estimators, in alphabetical order, but not those
    in a list.
    """

    def _named_estimators(self) -> list[tuple[str, Any]]:
        """Return names and classifiers in the order of the diagram."""
        raise NotImplementedError

    def _shown_estimators(self) -> list[tuple[str, Any, str]]:
        """Return names, classifiers and remarks for the diagram."""
        return [(name, estimator, "") for name, estimator in self._named_estimators()]

    if _VisualBlock is not None:

        def _sk_visual_block_(self) -> Any:
            shown = self._shown_estimators()
            return _VisualBlock(
                "parallel",
                # A class in place of an instance has no diagram, but must not raise here.
                [est.__name__ if isinstance(est, type) else est for _, est, _ in shown],
                names=[
                    f"{name}: {type(estimator).__name__}"
                    + (f" ({remark})" if remark else "")
                    for name, estimator, remark in shown
                ],
                name_details=[str(estimator) for _, estimator, _ in shown],
            )


def public_name(cls: type) -> str:
    """Return the import path of a class from the outermost package that exports it."""
    parts = cls.__module__.split(".")
    packages = [".".join(parts[:depth]) for depth in range(1, len(parts))]
    exporting = (
        package
        for package in packages
        if getattr(sys.modules[package], cls.__name__, None) is cls
    )
    return f"{next(exporting, cls.__module__)}.{cls.__name__}"


_PlainScorer: Any = type(make_scorer(accuracy_score))

SCORE_PARAMETERS = ["self", "method_caller", "estimator", "X", "y_true"]
"""First parameters of the method `_score` of scikit-learn's scorers."""

EVERY_KIND = {"accuracy", "r2", "roc_auc"}
"""Names that occur together only in a list of all scorers, and in no other parameter."""


class ScorerToldClasses(_PlainScorer):
    """Scorer of scikit-learn that passes the classes to its metric.

    It is made by :func:`scorer_told_classes`, and otherwise works as all scorers do: it
    can be printed, copied and routed, and others can read its metric.
    """

    @property
    def __name__(self) -> str:
        # Read by code that names scores after their scorers.
        return str(self._score_func.__name__)

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        if self._score_func.of_probabilities:
            method_caller = partial(_all_columns, method_caller)
        kwargs["told_classes"] = getattr(estimator, "classes_", None)
        score: float = super()._score(method_caller, estimator, X, y_true, **kwargs)
        return score


def _all_columns(
    method_caller: Any, estimator: Any, method: str, X: Any, pos_label: Any = None
) -> Any:
    """Probabilities with one column per class.

    For two classes scikit-learn returns one column, and caches it for the next scorer under
    the name of the method, whichever class it is of; a tuple of that name keeps ours apart.
    """
    proba = method_caller(estimator, (method,), X)
    return proba if np.ndim(proba) > 1 else np.column_stack([1 - proba, proba])


def scorer_told_classes(
    metric: Any, response_method: str, sign: int, options: Mapping[str, Any]
) -> Any:
    """Make a scorer that passes the classes to a metric as `told_classes`.

    None if scikit-learn's scorers have another method `_score` than the known one.
    """
    score = getattr(_PlainScorer, "_score", None)
    if (
        score is None
        or list(inspect.signature(score).parameters)[: len(SCORE_PARAMETERS)]
        != SCORE_PARAMETERS
    ):
        return None
    scorer = make_scorer(
        metric, response_method=response_method, greater_is_better=sign > 0, **options
    )
    if getattr(scorer, "_score_func", None) is not metric:
        return None
    # All attributes were set by the public function, whatever their names.
    try:
        scorer.__class__ = ScorerToldClasses
    except TypeError:  # a scorer with slots
        return None
    return scorer


def metric_of_scorer(scorer: Any) -> tuple[Any, int, dict[str, Any]] | None:
    """Return metric, sign and options of a scorer that `make_scorer` made of `predict`.

    Options that are the defaults of the metric are left out. None for other scorers.
    """
    if type(scorer) is not _PlainScorer:
        return None
    names = "_score_func", "_sign", "_kwargs", "_response_method"
    metric, sign, options, method = (getattr(scorer, name, None) for name in names)
    if not isinstance(options, dict) or sign not in (1, -1) or method != "predict":
        return None
    try:
        defaults = inspect.signature(metric).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    own = {
        name: value
        for name, value in options.items()
        if name not in defaults or value is not defaults[name].default
    }
    return metric, sign, own


def make_known(scorers: Mapping[str, Any], prefix: str) -> list[str]:
    """Register scorers with scikit-learn, and return their names.

    No other scorer is replaced: a name that is in use gets the prefix. No name is returned
    if scikit-learn keeps its scorers in an unknown place.
    """
    if not isinstance(_SCORERS, dict):
        return []
    renamed = {
        name if _is_free(name) else f"{prefix}{name}": scorer
        for name, scorer in scorers.items()
    }
    _SCORERS.update(renamed)
    for names in _lists_of_all_scorers():
        names.update(renamed)
    return sorted(renamed)


def _is_free(name: str) -> bool:
    """Whether a name is unused, or registered by an earlier import of this package."""
    scorer = (_SCORERS or {}).get(name)
    package = __name__.partition(".")[0]
    return scorer is None or type(scorer).__module__.partition(".")[0] == package


def _lists_of_all_scorers() -> Iterator[set[str]]:
    """Yield the sets of scorer names that modules created at import for validation.

    Modules that are imported later make theirs from the names that are registered by then.
    """
    for module in list(sys.modules.values()):
        # Not getattr, which would make a lazy module import its target.
        content = getattr(module, "__dict__", {})
        if content.get("get_scorer_names") is not get_scorer_names:
            continue
        for value in list(content.values()):
            # Not every callable: a proxy may fail at any access to an attribute.
            if issubclass(type(value), (type, FunctionType)):
                yield from _lists_in(value)


def _lists_in(checked: Any) -> Iterator[set[str]]:
    """Yield sets of scorer names in the parameter constraints of a class or function."""
    for attribute in ("_parameter_constraints", "_skl_parameter_constraints"):
        constraints = getattr(checked, attribute, None)
        if not isinstance(constraints, dict):
            continue
        for allowed in constraints.values():
            for constraint in allowed if isinstance(allowed, list) else ():
                options = getattr(
                    getattr(constraint, "constraint", constraint), "options", None
                )
                if isinstance(options, set) and options >= EVERY_KIND:
                    yield options


def scores_itself(estimator: Any) -> bool:
    """Whether a gradient boosting is being fitted, and scores binned records."""
    return getattr(estimator, "_in_fit", False) is True
