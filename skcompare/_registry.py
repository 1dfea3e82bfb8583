"""The registries: one entry a test, one entry a metric.

Everything that lists tests or metrics (report rows, scorers, the command line, the
documentation, the common checks) reads it here, so that a test is added in one place.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from skcompare._design import DESIGN_KINDS, Design
from skcompare._typing import Inference, Kind
from skcompare._validation import check_choice, unknown_name

__all__ = [
    "LossEntry",
    "MetricEntry",
    "PairedTestEntry",
    "metric",
    "metrics",
    "paired_test",
    "paired_tests",
    "record_loss",
    "record_losses",
]

ANY_LOSS, ANY_SCORE = "any loss", "any score"
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class PairedTestEntry:
    """All that is known about a test.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    function: Callable[..., Any]
    needs: type
    kind: Kind
    measures: tuple[str, ...]
    designs: tuple[str, ...]
    references: tuple[str, ...]
    inference: Inference
    sample_size: Callable[..., float] | None = None
    plug_in: bool = True

    @property
    def question(self) -> str:
        """What the test answers: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the test takes."""
        return _keywords(self.function)

    @property
    def evidence_options(self) -> tuple[str, ...]:
        """Names of the keyword arguments by which its evidence is made."""
        return _keywords(getattr(self.needs, "from_pair", None))

    def valid_for(self, design: Design) -> bool:
        """Whether the test is valid for evidence collected in this way."""
        return design.name in self.designs

    def match(self, measure: str | None) -> int:
        """How closely the test fits a measure.

        3 by name, 2 for any mean of losses a record, 1 for any score, else 0.
        """
        if measure in self.measures:
            return 3
        if ANY_LOSS in self.measures and loss_of(measure) is not None:
            return 2
        return int(ANY_SCORE in self.measures)


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """All that is known about a metric.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    function: Callable[..., float]
    response_method: str
    greater_is_better: bool
    instead: str = ""

    @property
    def scorer_name(self) -> str:
        """The metric's name on a greater-is-better scale."""
        return self.name if self.greater_is_better else f"neg_{self.name}"

    @property
    def question(self) -> str:
        """What the metric measures: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class LossEntry:
    """All that is known about a loss a record.

    .. versionadded:: 0.1
    """

    name: str
    title: str
    function: Callable[..., Any]
    measures: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the loss takes."""
        return _keywords(self.function)

    @property
    def question(self) -> str:
        """What the loss measures: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


_tests: dict[str, PairedTestEntry] = {}
_metrics: dict[str, MetricEntry] = {}
_losses: dict[str, LossEntry] = {}


def _keywords(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def paired_test(
    name: str,
    *,
    title: str,
    needs: type,
    kind: Kind,
    measures: str | tuple[str, ...],
    designs: tuple[str, ...],
    references: tuple[str, ...],
    inference: Inference | None = None,
    sample_size: Callable[..., float] | None = None,
    plug_in: bool = True,
) -> Callable[[F], F]:
    """Register a function of evidence as a test.

    Parameters
    ----------
    name : str
        The name by which the test is asked for.
    title : str
        What the literature calls it.
    needs : type
        The evidence that it is a function of; its only positional argument.
    kind : {"difference", "ratio", "association", "omnibus", "combination"}
        What its estimate is. The common checks of the kind apply to it.
    measures : str or tuple of str
        What it compares: names of metrics, "any loss" for every mean of losses a record,
        or "any score".
    designs : tuple of str
        The designs that it is valid for, such as "holdout" or "grouped bcv".
    references : tuple of str
        Keys of its sources.
    inference : {"models", "algorithms"}, optional
        What its conclusion is about. By default two trained models where it is valid
        for hold-outs only, and two learning algorithms otherwise.
    sample_size : callable, optional
        `sample_size(evidence, *, alpha, power, alternative, **options)`, the number of
        records at which a difference of the observed size is found.
    plug_in : bool, default=True
        Whether the estimate depends on shares of the records alone, so that every record
        twice leaves it as it is. False for estimates corrected for bias.

    Returns
    -------
    decorator : callable
        The decorated function checks its evidence, and its result carries the test's
        name, what it speaks of, the design, and a flag where the design is not valid.

    .. versionadded:: 0.1
    """
    check_choice("kind", kind, get_args(Kind))
    for design in designs:
        check_choice("design", design.removeprefix("grouped "), DESIGN_KINDS)
    models_only = all(design.removeprefix("grouped ") == "holdout" for design in designs)

    def register(function: F) -> F:
        signature = inspect.signature(function)
        first = next(iter(signature.parameters))

        @wraps(function)
        def run(*positional: Any, **options: Any) -> Any:
            bound = signature.bind(*positional, **options).arguments
            evidence = bound.pop(first)
            if not isinstance(evidence, needs):
                raise TypeError(
                    f"{name} needs {needs.__name__}. Got {type(evidence).__name__}. "
                    f"{_advice(needs)}"
                )
            result = function(evidence, **bound)
            flags = result.flags
            if not entry.valid_for(evidence.design):  # type: ignore[attr-defined]
                flags = (*flags, "invalid-design")
            return replace(
                result,
                test=name,
                inference=entry.inference,
                design=str(evidence.design),  # type: ignore[attr-defined]
                flags=flags,
            )

        entry = PairedTestEntry(
            name=name,
            title=title,
            function=run,
            needs=needs,
            kind=kind,
            measures=(measures,) if isinstance(measures, str) else tuple(measures),
            designs=tuple(designs),
            references=tuple(references),
            inference=inference or ("models" if models_only else "algorithms"),
            sample_size=sample_size,
            plug_in=plug_in,
        )
        _add(_tests, entry, "test")
        return run  # type: ignore[return-value]

    return register


def _advice(needs: type) -> str:
    """How evidence of a type is made, as its own constructor says."""
    make = getattr(needs, "from_predictions", None)
    if make is None:
        return f"Make it by {needs.__name__}."
    parameters = inspect.signature(make).parameters.values()
    taken = [
        f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
        for p in parameters
        if p.kind is not p.KEYWORD_ONLY
    ]
    return f"Make it by {needs.__name__}.from_predictions({', '.join(taken)})."


def metric(
    name: str,
    *,
    response_method: str,
    greater_is_better: bool,
    title: str | None = None,
    instead: str = "",
) -> Callable[[F], F]:
    """Register a function of labels and answers as a metric.

    Parameters
    ----------
    name : str
        The name by which the metric is asked for.
    response_method : {"predict", "predict_proba"}
        What its second argument is: labels of shape (n_samples,), or probabilities of
        shape (n_samples, n_classes). A metric of probabilities gets the order of the
        classes as the keyword `labels`.
    greater_is_better : bool
        False for losses and errors.
    title : str, optional
        Words for reports; the name with spaces by default.
    instead : str, optional
        The metric whose difference is to be tested instead, where this one has a bias
        that differs between classifiers. Tests of any score then leave it alone.

    .. versionadded:: 0.1
    """
    check_choice("response_method", response_method, ("predict", "predict_proba"))

    def register(function: F) -> F:
        words = title or name.replace("_", " ")
        entry = MetricEntry(
            name, words, function, response_method, greater_is_better, instead
        )
        _add(_metrics, entry, "metric")
        return function

    return register


def record_loss(
    name: str, *, title: str | None = None, measures: str | tuple[str, ...] = ()
) -> Callable[[F], F]:
    """Register a loss a record, so that every test of losses runs on its mean.

    Parameters
    ----------
    name : str
        The name by which the loss is asked for.
    title : str, optional
        Words for reports; the name with spaces by default.
    measures : str or tuple of str
        Names of metrics and of scikit-learn's scorers, without ``neg_``, that are the mean
        of this loss.

    Returns
    -------
    decorator : callable
        For a function of the positions of the true classes, of shape (n_samples,), and of
        probabilities with a column a class, that returns a loss a record.

    .. versionadded:: 0.1
    """

    def register(function: F) -> F:
        means = (measures,) if isinstance(measures, str) else tuple(measures)
        words = title or name.replace("_", " ")
        _add(_losses, LossEntry(name, words, function, means), "loss")
        return function

    return register


def _add(registry: dict[str, Any], entry: Any, what: str) -> None:
    if entry.name in registry:
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def paired_tests() -> Mapping[str, PairedTestEntry]:
    """All registered tests by name."""
    return MappingProxyType(_tests)


def metrics() -> Mapping[str, MetricEntry]:
    """All registered metrics by name."""
    return MappingProxyType(_metrics)


def record_losses() -> Mapping[str, LossEntry]:
    """All registered losses a record by name."""
    return MappingProxyType(_losses)


def loss_of(measure: str | None) -> LossEntry | None:
    """The loss a record whose mean a measure is; None where it is no such mean."""
    if measure is None:
        return None
    name = measure.removeprefix("neg_")
    return next((loss for loss in _losses.values() if name in loss.measures), None)


def tested_instead(measure: str | None) -> str:
    """The measure to test instead of a biased one; empty for all others."""
    if measure is None:
        return ""
    entry = _metrics.get(measure) or _metrics.get(measure.removeprefix("neg_"))
    return "" if entry is None else entry.instead


def get_test(name: object) -> PairedTestEntry:
    """The registered test of this name."""
    if not isinstance(name, str) or name not in _tests:
        raise unknown_name("test", name, _tests)
    return _tests[name]


def tests_for(measure: str | None, design: Design | None = None) -> list[PairedTestEntry]:
    """Tests of a measure, valid for a design where one is given; the default one first.

    A test of this very measure comes before tests of any loss and of any score, a test of
    the difference before other kinds, one of few measures before one of many, and the one
    that was registered first before others.
    """
    least = 2 if tested_instead(measure) else 1
    fitting = [entry for entry in _tests.values() if entry.match(measure) >= least]
    if design is not None:
        fitting = [entry for entry in fitting if entry.valid_for(design)]
    return sorted(
        fitting,
        key=lambda entry: (
            -entry.match(measure),
            entry.kind != "difference",
            len(entry.measures),
        ),
    )
