"""The registry of tests.

Everything that lists tests (report rows, scorers, the command line, the
documentation, the common checks) reads it here, so that a test is added in one place.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from skcompare._core.design import DESIGN_KINDS, Design
from skcompare._core.validation import check_choice, unknown_name
from skcompare._registry.entries import add_entry, keywords_of
from skcompare._registry.losses import loss_of
from skcompare._registry.metrics import tested_instead
from skcompare._typing import Inference, Kind

ANY_LOSS, ANY_SCORE = "any loss", "any score"
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class PairedTestEntry:
    """All that is known about a test."""

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
    n_repeats: int | None = None
    caution: str = ""
    of_records: bool = False
    bounded: bool = False
    preferred: bool = False

    @property
    def question(self) -> str:
        """What the test answers: the first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword arguments that the test takes."""
        return keywords_of(self.function)

    @property
    def evidence_options(self) -> tuple[str, ...]:
        """Names of the keyword arguments by which its evidence is made."""
        return keywords_of(getattr(self.needs, "from_pair", None))

    def valid_for(self, design: Design) -> bool:
        """Whether the test is valid for evidence collected in this way."""
        fits = self.n_repeats in (None, design.n_repeats)
        return design.name in self.designs and fits

    def match(self, measure: str | None) -> int:
        """How closely the test fits a measure.

        3 by name, 2 for any mean of losses a record, 1 for any score, else 0.
        """
        if measure in self.measures:
            return 3
        if ANY_LOSS in self.measures and loss_of(measure) is not None:
            return 2
        return int(ANY_SCORE in self.measures)

    def lacks_bound(self, measure: str | None) -> bool:
        """Whether the test needs a bound on a measure's losses, and none is known."""
        loss = loss_of(measure)
        return self.bounded and loss is not None and loss.bound is None


_tests: dict[str, PairedTestEntry] = {}


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
    n_repeats: int | None = None,
    caution: str = "",
    of_records: bool = False,
    bounded: bool = False,
    preferred: bool = False,
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
    n_repeats : int, optional
        The one number of repetitions that it is defined for, as 5 in 5×2.
    caution : str, optional
        Code of a flag for all of its results, such as "liberal". The test then runs only
        when it is asked for by name, and decides nothing.
    of_records : bool, default=False
        Whether it looks at the records one by one, so that evidence which was reduced to
        counts and sums is not enough.
    bounded : bool, default=False
        Whether the losses of a record need a bound, which is passed for a loss that has
        none. Tests that are asked for by "all" leave such losses out.
    preferred : bool, default=False
        Whether it comes first among tests that suit a measure equally well.

    Returns
    -------
    decorator : callable
        The decorated function checks its evidence, and its result carries the test's
        name, what it speaks of, the design, and a flag where the design is not valid.
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
            if len(positional) == 1 and first not in options:
                # As nearly all calls are; binding takes longer than some tests.
                evidence, bound = positional[0], options
            else:
                bound = signature.bind(*positional, **options).arguments
                evidence = bound.pop(first)
            if not isinstance(evidence, needs):
                raise TypeError(
                    f"{name} needs {needs.__name__}. Got {type(evidence).__name__}. "
                    f"{_advice(needs)}"
                )
            result = function(evidence, **bound)
            flags = (*result.flags, caution) if caution else result.flags
            design: Design = evidence.design  # type: ignore[attr-defined]
            if not entry.valid_for(design):
                in_time = ("time-ordered",) * (design.kind == "time ordered")
                flags = (*flags, "invalid-design", *in_time)
            return replace(
                result,
                test=name,
                inference=entry.inference,
                design=str(design),
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
            n_repeats=n_repeats,
            caution=caution,
            of_records=of_records,
            bounded=bounded,
            preferred=preferred,
        )
        add_entry(_tests, entry, "test")
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


def paired_tests() -> Mapping[str, PairedTestEntry]:
    """All registered tests by name."""
    return MappingProxyType(_tests)


def sort_tests() -> None:
    """List the tests so far by name, preferred ones first, whichever modules have them."""
    ordered = dict(
        sorted(_tests.items(), key=lambda item: (not item[1].preferred, item[0]))
    )
    _tests.clear()
    _tests.update(ordered)


def get_test(name: object) -> PairedTestEntry:
    """The registered test of this name."""
    tests = paired_tests()
    if not isinstance(name, str) or name not in tests:
        raise unknown_name("test", name, tests)
    return tests[name]


def tests_for(measure: str | None, design: Design | None = None) -> list[PairedTestEntry]:
    """Tests of a measure, valid for a design where one is given; the default one first.

    Tests that call for caution are left to those who name them. A test of this very
    measure comes before tests of any loss and of any score, a test of the difference before
    other kinds, one of few measures before one of many, one that needs no bound before one
    that does, and a preferred one before others.
    """
    least = 2 if tested_instead(measure) else 1
    tests = paired_tests().values()
    fitting = [e for e in tests if e.match(measure) >= least and not e.caution]
    if design is not None:
        fitting = [entry for entry in fitting if entry.valid_for(design)]
    return sorted(
        fitting,
        key=lambda entry: (
            -entry.match(measure),
            entry.kind != "difference",
            len(entry.measures),
            entry.bounded,
        ),
    )
