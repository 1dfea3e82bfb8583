"""Registry of tests.

Everything that lists tests (report rows, scorers, the command line, the documentation, the
common checks) uses this registry, so that a test is added in one place.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args, get_origin

from skcompare._core.design import DESIGN_KINDS, IN_TIME, Design, remedy
from skcompare._core.validation import check_choice, unknown_name
from skcompare._registry.metrics import (
    NUMBERS,
    TARGETS,
    Entry,
    add_entry,
    keywords_of,
    reserve_options,
    tested_instead,
    tested_loss,
)
from skcompare._typing import Inference, Kind

ANY_LOSS, ANY_SCORE = "any loss", "any score"

MORE_OPTIONS = "more_options"
"""Method of evidence that names options beside those in its signatures."""

F = TypeVar("F", bound=Callable[..., Any])


def options_of(needs: Any, constructor: str) -> tuple[str, ...]:
    """Names of the options with which evidence of a type is made by a constructor."""
    named = keywords_of(getattr(needs, constructor, None))
    more = getattr(needs, MORE_OPTIONS, None)
    return named if more is None else (*named, *more())


@dataclass(frozen=True, slots=True)
class PairedTestEntry(Entry):
    """Registry entry of a test."""

    needs: type
    kind: Kind
    measures: tuple[str, ...]
    designs: tuple[str, ...]
    references: tuple[str, ...]
    inference: Inference
    sample_size: Callable[..., float] | None = None
    plug_in: bool = True
    n_repeats: int | None = None
    caution: str = ""
    of_records: bool = False
    bounded: bool = False
    preferred: bool = False
    target: str | None = None

    @property
    def evidence_options(self) -> tuple[str, ...]:
        """Names of the keyword arguments for computing the evidence of the test."""
        return options_of(self.needs, "from_pair")

    @property
    def of_numbers(self) -> bool:
        """Whether the test is also for a target of numbers."""
        if self.target is not None:
            return self.target == NUMBERS
        takes_values = getattr(self.needs, "takes_values", False)
        return takes_values or not {ANY_LOSS, ANY_SCORE}.isdisjoint(self.measures)

    def valid_for(self, design: Design) -> bool:
        """Whether the test is valid for evidence of a design."""
        fits = self.n_repeats in (None, design.n_repeats)
        return design.name in self.designs and fits

    def inference_for(self, design: Design | None) -> Inference:
        """Subject of its conclusion for evidence of a design."""
        in_time = design is not None and design.kind == IN_TIME
        return "methods" if in_time else self.inference

    def match(self, measure: str | None) -> int:
        """Rank of how closely the test fits a measure.

        3 by name, 2 for any mean loss of records, 1 for any score, else 0.
        """
        if measure in self.measures:
            return 3
        if ANY_LOSS in self.measures and tested_loss(measure) is not None:
            return 2
        return int(ANY_SCORE in self.measures)

    def lacks_bound(self, measure: str | None) -> bool:
        """Whether the test needs a bound on a measure's losses that is unknown."""
        loss = tested_loss(measure)
        return self.bounded and loss is not None and loss.bound is None


_tests: dict[str, PairedTestEntry] = {}


def paired_test(
    name: str = "",
    *,
    title: str,
    measures: str | tuple[str, ...],
    references: tuple[str, ...],
    needs: type | None = None,
    designs: tuple[str, ...] = ("holdout",),
    kind: Kind = "difference",
    inference: Inference | None = None,
    sample_size: Callable[..., float] | None = None,
    plug_in: bool = True,
    n_repeats: int | None = None,
    caution: str = "",
    of_records: bool = False,
    bounded: bool = False,
    preferred: bool = False,
    target: str | None = None,
) -> Callable[[F], F]:
    """Register a function of evidence as a test.

    Parameters
    ----------
    name : str, optional
        Name by which the test is requested. By default that of the function.
    title : str
        Name of the test in the literature.
    measures : str or tuple of str
        Measures that it compares: names of metrics, "any loss" for every mean loss of
        records, or "any score".
    references : tuple of str
        Keys of its sources.
    needs : type, optional
        Type of the evidence, its only positional argument. By default the annotated one.
    designs : tuple of str, default=("holdout",)
        Designs that it is valid for, such as "holdout" or "grouped bcv".
    kind : {"difference", "ratio", "reduction", "association", "omnibus", "combination"}
        Kind of its estimate, a difference by default. The common checks of the kind apply
        to it.
    inference : {"models", "algorithms", "recipes"}, optional
        Subject of its conclusion. By default two trained models if it is valid for
        hold-outs only, and two learning algorithms otherwise; recipes are about other
        trainings on the same training records. For splits in time order it
        is always two methods of forecasting.
    sample_size : callable, optional
        `sample_size(evidence, *, alpha, power, alternative, **options)`, the number of
        records at which a difference of the observed size is found.
    plug_in : bool, default=True
        Whether the estimate depends on shares of the records alone, so that duplicating
        all records does not change it. False for estimates corrected for bias.
    n_repeats : int, optional
        Number of repetitions that it is defined for, if only one, as 5 in 5×2.
    caution : str, optional
        Code of a flag for all of its results, such as "liberal". The test then runs only
        if it is requested by name, and decides nothing.
    of_records : bool, default=False
        Whether it needs individual records, so that evidence reduced to counts and sums
        is not enough.
    bounded : bool, default=False
        Whether the losses of a record need a bound, which is an option for a loss without
        a known one. The request of "all" tests skips it for such losses.
    preferred : bool, default=False
        Whether it comes first among tests that suit a measure equally well.
    target : {"classes", "numbers"}, optional
        Target of its measures, if these do not show it: tests of any loss and of any score
        are of both, and others of classes.

    Returns
    -------
    decorator : callable
        The decorated function takes its evidence, or arrays of which `from_predictions`
        makes it, as in ``mcnemar(y_true, champion, challenger)``. It checks options of a
        `Literal` type. Its result has the name of the test, its direction, the number of
        records, the null value, the subject of its conclusion, the design, and a flag if
        that is not valid.
    """
    check_choice("kind", kind, get_args(Kind))
    if target is not None:
        check_choice("target", target, TARGETS)
    for design in designs:
        check_choice("design", design.removeprefix("grouped "), DESIGN_KINDS)
    models_only = all(design.removeprefix("grouped ") == "holdout" for design in designs)
    no_effect = 1.0 if kind == "ratio" else 0.0

    def register(function: F) -> F:
        test = name or function.__name__
        signature = inspect.signature(function)
        evidence_type = needs or _annotated_evidence(test, signature)
        if hasattr(evidence_type, MORE_OPTIONS):
            reserve_options(test, keywords_of(function))
        read = _Arguments(test, evidence_type, signature, designs[0])

        @wraps(function)
        def run(*positional: Any, **options: Any) -> Any:
            evidence, options = read(positional, options)
            result = function(evidence, **options)
            design: Design = evidence.design
            flags = (*result.flags, caution) if caution else result.flags
            if not entry.valid_for(design):
                time_flag = ("time-ordered",) * (design.kind == IN_TIME)
                flags = (*flags, "invalid-design", *time_flag)
            known = {
                "test": test,
                "alternative": options.get("alternative", "two-sided"),
                "n": getattr(evidence, "n", None) or evidence.n_records,
                "null_value": float(options.get("null_value", no_effect)),
                "inference": entry.inference_for(design),
                "design": str(design),
                "flags": flags,
            }
            return result.with_fields(**known)

        entry = PairedTestEntry(
            name=test,
            title=title,
            function=run,
            needs=evidence_type,
            kind=kind,
            measures=(measures,) if isinstance(measures, str) else tuple(measures),
            designs=tuple(designs),
            references=tuple(references),
            inference=inference or ("models" if models_only else "algorithms"),
            sample_size=sample_size,
            plug_in=plug_in,
            n_repeats=n_repeats,
            caution=caution,
            of_records=of_records,
            bounded=bounded,
            preferred=preferred,
            target=target,
        )
        add_entry(_tests, entry, "test")
        return run  # type: ignore[return-value]

    return register


def takes_evidence(function: F) -> F:
    """Let a function of evidence that is not a single test be called as tests are.

    It takes arrays of which `from_predictions` makes the evidence as well, and its options
    of a `Literal` type are checked.
    """
    signature = inspect.signature(function)
    name = function.__name__
    read = _Arguments(name, _annotated_evidence(name, signature), signature)

    @wraps(function)
    def run(*positional: Any, **options: Any) -> Any:
        evidence, options = read(positional, options)
        return function(evidence, **options)

    return run  # type: ignore[return-value]


def _annotated_evidence(name: str, signature: inspect.Signature) -> type:
    """Type of evidence that the first parameter of a function is annotated with."""
    evidence_type = next(iter(signature.parameters.values())).annotation
    if isinstance(evidence_type, type) and evidence_type is not inspect.Parameter.empty:
        return evidence_type
    raise TypeError(
        f"The evidence of {name} must be annotated with its type. Got {evidence_type!r}. "
        "Annotate it, or pass `needs`."
    )


class _Arguments:
    """Arguments of a test: evidence, or the arrays that it is made of, and options."""

    def __init__(
        self, name: str, needs: type, signature: inspect.Signature, design: str = ""
    ) -> None:
        self.name, self.needs, self.signature = name, needs, signature
        self.design = design
        self.evidence_name, first = next(iter(signature.parameters.items()))
        # A test that also takes sums in place of records is annotated with both types.
        self.accepted = (needs, *get_args(first.annotation))
        make = getattr(needs, "from_predictions", None)
        arrays = inspect.signature(make).parameters.values() if make else ()
        self.array_names = tuple(
            array.name for array in arrays if array.kind is array.POSITIONAL_OR_KEYWORD
        )
        self.takes_several = any(array.kind is array.VAR_POSITIONAL for array in arrays)
        self.choices = {
            option: get_args(parameter.annotation)
            for option, parameter in signature.parameters.items()
            if get_origin(parameter.annotation) is Literal
        }

    def __call__(
        self, positional: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return the evidence and the options, both checked."""
        if len(positional) > 1 or not options.keys().isdisjoint(self.array_names):
            evidence, options = self._from_arrays(positional, options)
        elif positional and self.evidence_name not in options:
            # Nearly all calls; binding takes longer than some tests.
            evidence = positional[0]
        else:
            options = self.signature.bind(*positional, **options).arguments
            evidence = options.pop(self.evidence_name)
        if not isinstance(evidence, self.accepted):
            raise TypeError(
                f"{self.name} needs {self.needs.__name__}. Got {type(evidence).__name__}. "
                f"{_advice(self.needs)}"
            )
        for option in self.choices.keys() & options.keys():
            check_choice(option, options[option], self.choices[option])
        return evidence, options

    def _from_arrays(
        self, arrays: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Make the evidence of arrays, with the options that the test itself lacks."""
        make = getattr(self.needs, "from_predictions", None)
        if make is None:
            raise TypeError(self._not_of_arrays(len(arrays)))
        if len(arrays) > len(self.array_names) and not self.takes_several:
            without = "" if "y_true" in self.array_names else ", without true values"
            raise TypeError(
                f"{self.name} takes {len(self.array_names)} arrays of predictions"
                f"{without}. Got {len(arrays)}. Write "
                f"{self.name}({', '.join(self.array_names)})."
            )
        of_test = [*self.signature.parameters][1:]
        own = {name: options[name] for name in options if name in of_test}
        others = {name: options[name] for name in options if name not in of_test}
        known = (*of_test, *options_of(self.needs, make.__name__), *self.array_names)
        for name in others.keys() - set(known):
            raise TypeError(str(unknown_name(f"option of {self.name}", name, known)))
        return make(*arrays, **others), own

    def _not_of_arrays(self, n: int) -> str:
        """Return the message for arrays of predictions where the evidence needs more."""
        text = (
            f"{self.name} takes {self.needs.__name__}, which cannot be made of arrays of "
            f"predictions for one test set. Got {n} arguments."
        )
        if self.design:
            return f"{text} Request it by tests={self.name!r} for {remedy(self.design)}."
        return text


def _advice(needs: type) -> str:
    """Advice on making evidence of a type, from the signature of its constructor."""
    constructor = getattr(needs, "from_predictions", None)
    if constructor is None:
        return f"Make it by {needs.__name__}."
    parameters = inspect.signature(constructor).parameters.values()
    plain = (each.replace(annotation=each.empty, default=each.empty) for each in parameters)
    options = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    names = ", ".join(str(each) for each in plain if each.kind not in options)
    return f"Make it by {needs.__name__}.from_predictions({names})."


def paired_tests() -> Mapping[str, PairedTestEntry]:
    """All registered tests by name."""
    return MappingProxyType(_tests)


def sort_tests() -> None:
    """Sort the registered tests by name, with preferred ones first."""
    ordered = dict(
        sorted(_tests.items(), key=lambda item: (not item[1].preferred, item[0]))
    )
    _tests.clear()
    _tests.update(ordered)


def get_test(name: object) -> PairedTestEntry:
    """Return the registered test with this name."""
    tests = paired_tests()
    return tests[check_choice("test", name, tests)]


def tests_for(measure: str | None, design: Design | None = None) -> list[PairedTestEntry]:
    """Tests of a measure, optionally for one design, with the default test first.

    Tests with a caution must be requested by name. A test of this measure comes before
    tests of any loss and of any score, a test of the difference before other kinds, one of
    few measures before one of many, one that needs no bound before one that does, and a
    preferred one before others.
    """
    lowest_match = 2 if tested_instead(measure) else 1
    suitable = [
        entry
        for entry in paired_tests().values()
        if entry.match(measure) >= lowest_match
        and not entry.caution
        and (design is None or entry.valid_for(design))
    ]
    return sorted(
        suitable,
        key=lambda entry: (
            -entry.match(measure),
            entry.kind != "difference",
            len(entry.measures),
            entry.bounded,
        ),
    )
