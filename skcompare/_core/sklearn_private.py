"""The names of scikit-learn that are not public and cannot be avoided, all in one place.

===============================  =====================  ====================================
name                             where it is used       without it
===============================  =====================  ====================================
`_init_callback_context`         progress of a fit      callbacks are not called
`_accept_sample_weight`          asked of each of       AttributeError where weights
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
in them `options`, `constraint`  a list made before
`_parameter_constraints`,        parameters of our      wrong ones are refused in other
`_validate_params`,              estimators and of      words, or where they are used
`Interval`, `StrOptions`,        `cross_compare`
`validate_params`
`_score`, `_score_func`          scorers told classes,  scorers that are called directly:
                                 and share answers      no shared answers, no routing, no
                                                        threshold tuned
`_in_fit`                        scorers against a      a champion would answer binned
                                 champion               records, where a boosting that
                                                        stops early has our scorer
`externals.array_api_compat`     arrays of torch and    the package array-api-compat, where
                                 CuPy                   it is installed
===============================  =====================  ====================================

`sklearn.callback` itself is public from scikit-learn 1.9 on; the method above is the
documented way to support callbacks in an estimator, but has a private name. So have the
documented names of the link to a page.
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
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
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


try:
    from sklearn.utils._repr_html.estimator import _VisualBlock
except ImportError:
    try:  # scikit-learn < 1.7
        from sklearn.utils._estimator_html_repr import _VisualBlock
    except ImportError:  # one that has moved it again
        _VisualBlock = None

try:
    from sklearn.metrics._scorer import _SCORERS
except ImportError:
    _SCORERS = None

DOCUMENTATION = "https://skcompare.github.io/skcompare/"
"""Where the documentation stands, for links from a notebook."""

T = TypeVar("T")


def array_api_compat() -> Any:
    """The package that makes other libraries follow the array API standard.

    scikit-learn brings it from 1.7 on, and asks for it before.
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
    """Hold the parameters of an estimator against its `_parameter_constraints`.

    Raises scikit-learn's `InvalidParameterError`, unless its configuration skips this.
    """
    if not get_config()["skip_parameter_validation"]:
        estimator._validate_params()


def progress_of(
    estimator: Any, n_tasks: int
) -> Callable[[Iterable[T]], Iterator[T]] | None:
    """A wrapper that tells an estimator's callbacks of each finished task.

    None where there is no callback to tell.
    """
    start = getattr(estimator, "_init_callback_context", None)
    if start is None or not getattr(estimator, "_skl_callbacks", None):
        return None
    root = start(max_subtasks=n_tasks).call_on_fit_task_begin(estimator=estimator)

    def told(outcomes: Iterable[T]) -> Iterator[T]:
        for outcome in outcomes:
            task = root.subcontext(task_name="fit and predict")
            task.call_on_fit_task_begin(estimator=estimator)
            task.call_on_fit_task_end(estimator=estimator)
            yield outcome
        root.call_on_fit_task_end(estimator=estimator)

    return told


class DocumentedEstimatorMixin:
    """Links the picture of an estimator in a notebook to its page of our documentation.

    For public classes that have such a picture. It stands before `BaseEstimator` among the
    bases of a class.
    """

    _doc_link_module = "skcompare"
    _doc_link_template = f"{DOCUMENTATION}api/generated/{{public_name}}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"public_name": public_name(type(self))}


class SideBySideMixin(DocumentedEstimatorMixin):
    """Shows the classifiers of an estimator side by side, each under its name.

    scikit-learn finds parameters that are estimators by itself, but none in a list, and
    puts them in the order of the alphabet.
    """

    def _named_estimators(self) -> list[tuple[str, Any]]:
        """The classifiers with their names, in the order to show them in."""
        raise NotImplementedError

    def _shown_estimators(self) -> list[tuple[str, Any, str]]:
        """Names, classifiers, and what is to be said of each."""
        return [(name, estimator, "") for name, estimator in self._named_estimators()]

    if _VisualBlock is not None:

        def _sk_visual_block_(self) -> Any:
            shown = self._shown_estimators()
            return _VisualBlock(
                "parallel",
                # A class in place of an instance has no picture, but must not break this.
                [one.__name__ if isinstance(one, type) else one for _, one, _ in shown],
                names=[
                    f"{name}: {type(estimator).__name__}" + (f" ({said})" if said else "")
                    for name, estimator, said in shown
                ],
                name_details=[str(estimator) for _, estimator, _ in shown],
            )


def public_name(cls: type) -> str:
    """Where users import a class from: the first package on its way that exports it."""
    parts = cls.__module__.split(".")
    ways = [".".join(parts[:depth]) for depth in range(1, len(parts))]
    exporting = (w for w in ways if getattr(sys.modules[w], cls.__name__, None) is cls)
    return f"{next(exporting, cls.__module__)}.{cls.__name__}"


_PlainScorer: Any = type(make_scorer(accuracy_score))

ASKED = ["self", "method_caller", "estimator", "X", "y_true"]
"""First parameters of the method by which a scorer of scikit-learn scores."""

EVERY_KIND = {"accuracy", "r2", "roc_auc"}
"""Names that only a list of all scorers has together: no other parameter takes them."""


class ScorerToldClasses(_PlainScorer):
    """A scorer of scikit-learn that tells its metric the classes of what it scores.

    It is made by :func:`scorer_told_classes`, and otherwise as all scorers are: printed,
    copied, routed and asked by others for its metric.
    """

    @property
    def __name__(self) -> str:
        # Asked for by those who name scores by their scorers.
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
    """Probabilities, a column a class.

    Of two classes scikit-learn hands out one column. It keeps it for the next scorer by the
    method's name, whichever class it is of; a tuple of that name keeps ours apart.
    """
    proba = method_caller(estimator, (method,), X)
    return proba if np.ndim(proba) > 1 else np.column_stack([1 - proba, proba])


def scorer_told_classes(
    metric: Any, response_method: str, sign: int, options: Mapping[str, Any]
) -> Any:
    """A scorer that tells a metric the classes by the keyword `told_classes`.

    None where scikit-learn's scorers score in another way than the one known here.
    """
    score = getattr(_PlainScorer, "_score", None)
    if score is None or list(inspect.signature(score).parameters)[: len(ASKED)] != ASKED:
        return None
    scorer = make_scorer(
        metric, response_method=response_method, greater_is_better=sign > 0, **options
    )
    if getattr(scorer, "_score_func", None) is not metric:
        return None
    # All that a scorer holds was set by the public function, whatever it is called.
    try:
        scorer.__class__ = ScorerToldClasses
    except TypeError:  # a scorer with slots
        return None
    return scorer


def make_known(scorers: Mapping[str, Any], prefix: str) -> list[str]:
    """Add scorers to those that scikit-learn knows by name, and return their names there.

    Nothing is taken from others: a name that is in use gets the prefix. No name is returned
    where scikit-learn keeps its scorers elsewhere than is known here.
    """
    if not isinstance(_SCORERS, dict):
        return []
    named = {
        name if _is_free(name) else f"{prefix}{name}": scorer
        for name, scorer in scorers.items()
    }
    _SCORERS.update(named)
    for names in _lists_of_all_scorers():
        names.update(named)
    return sorted(named)


def _is_free(name: str) -> bool:
    """Whether no scorer has the name but one of ours, if need be of an earlier import."""
    taken = (_SCORERS or {}).get(name)
    ours = __name__.partition(".")[0]
    return taken is None or type(taken).__module__.partition(".")[0] == ours


def _lists_of_all_scorers() -> Iterator[set[str]]:
    """The sets of names that modules made when they were imported, to check names by.

    Modules that are imported later make theirs from what scikit-learn knows then.
    """
    for module in list(sys.modules.values()):
        # Not getattr: it would make a lazy module import what it stands for.
        content = getattr(module, "__dict__", {})
        if content.get("get_scorer_names") is not get_scorer_names:
            continue
        for value in list(content.values()):
            # Not all that is callable: a proxy may fail when it is asked for anything.
            if issubclass(type(value), (type, FunctionType)):
                yield from _lists_in(value)


def _lists_in(checked: Any) -> Iterator[set[str]]:
    """The sets in what a class or a function says of its parameters."""
    for attribute in ("_parameter_constraints", "_skl_parameter_constraints"):
        constraints = getattr(checked, attribute, None)
        if not isinstance(constraints, dict):
            continue
        for allowed in constraints.values():
            for one in allowed if isinstance(allowed, list) else ():
                options = getattr(getattr(one, "constraint", one), "options", None)
                if isinstance(options, set) and options >= EVERY_KIND:
                    yield options


def scores_itself(estimator: Any) -> bool:
    """Whether a boosting is scoring itself while it is fitted, on records it has binned."""
    return getattr(estimator, "_in_fit", False) is True
