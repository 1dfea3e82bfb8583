"""Entries of a registry: how they are added, and what is read off their functions."""

import inspect
import sys
from collections.abc import Callable
from functools import update_wrapper, wraps
from typing import Any, TypeVar

from skcompare._core.array_api import on_host

F = TypeVar("F", bound=Callable[..., Any])


class InNumpy:
    """A callable that gets arrays of other libraries as arrays of numpy.

    Parameters
    ----------
    function : callable
        One that is found by its own name, such as a function of another library, or that
        has no name.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function

    def __reduce__(self) -> tuple[type, tuple[Callable[..., Any]]]:
        return InNumpy, (self.function,)

    def __call__(self, *positional: Any, **named: Any) -> Any:
        in_numpy = {name: on_host(value) for name, value in named.items()}
        return self.function(*map(on_host, positional), **in_numpy)


def in_numpy(function: F) -> F:
    """A function that gets arrays of other libraries as arrays of numpy.

    It is a function again, for a decorator that puts it in the place of the first one. What
    has its place already keeps it, and is pickled from there.
    """
    run = InNumpy(function)
    if _has_place(function):
        return run  # type: ignore[return-value]

    @wraps(function)
    def wrapped(*positional: Any, **named: Any) -> Any:
        return run(*positional, **named)

    return wrapped  # type: ignore[return-value]


def _has_place(function: Callable[..., Any]) -> bool:
    """Whether a callable needs no place, as an object, or is in its own already."""
    name = getattr(function, "__qualname__", None)
    return (
        name is None
        or getattr(sys.modules.get(function.__module__), name, None) is function
    )


def keywords_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def add_entry(registry: dict[str, Any], entry: Any, what: str) -> None:
    """Add an entry under a name of its own.

    A cell of a notebook that is run again defines its function again, which takes the place
    of what it was.
    """
    known = registry.get(entry.name)
    if known is not None and _written_at(known.function) != _written_at(entry.function):
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def _written_at(function: Any) -> tuple[str, str] | Any:
    """Where a function was defined; for other callables the object itself."""
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", None)
    return function if name is None else (function.__module__, name)
