"""Functions to add entries to a registry, and to read options from signatures."""

import inspect
import re
import sys
from collections.abc import Callable
from functools import lru_cache, update_wrapper, wraps
from typing import Any, TypeVar

from skcompare._core.array_api import on_host

F = TypeVar("F", bound=Callable[..., Any])


class InNumpy:
    """Callable that receives arrays of other libraries as NumPy arrays.

    Parameters
    ----------
    function : callable
        Callable that can be imported by its own name, such as a function of another
        library, or that has no name.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function

    def __reduce__(self) -> tuple[type, tuple[Callable[..., Any]]]:
        return InNumpy, (self.function,)

    def __call__(self, *positional: Any, **keywords: Any) -> Any:
        in_numpy = {name: on_host(value) for name, value in keywords.items()}
        return self.function(*map(on_host, positional), **in_numpy)


def in_numpy(function: F) -> F:
    """Wrap a function so that it receives arrays of other libraries as NumPy arrays.

    The result is a function, for a decorator that replaces the original one. A callable
    that is importable by its name already is pickled by that name.
    """
    run = InNumpy(function)
    if _is_importable(function):
        return run  # type: ignore[return-value]

    @wraps(function)
    def wrapped(*positional: Any, **keywords: Any) -> Any:
        return run(*positional, **keywords)

    return wrapped  # type: ignore[return-value]


def _is_importable(function: Callable[..., Any]) -> bool:
    """Whether a callable is importable by its name, or has no name."""
    name = getattr(function, "__qualname__", None)
    return (
        name is None
        or getattr(sys.modules.get(function.__module__), name, None) is function
    )


@lru_cache(maxsize=1024)
def keywords_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Names of the keyword-only arguments of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY
    )


def first_line(function: Callable[..., Any]) -> str:
    """First line of a docstring, without references."""
    line = (inspect.getdoc(function) or "").partition("\n")[0]
    return re.sub(r" \[\d+\]_", "", line)


def add_entry(registry: dict[str, Any], entry: Any, what: str) -> None:
    """Add an entry under a new name.

    A notebook cell that is run again defines its function again, and the new function
    replaces the old one.
    """
    registered = registry.get(entry.name)
    if registered is not None and _definition(registered.function) != _definition(
        entry.function
    ):
        raise ValueError(
            f"A {what} named {entry.name!r} is registered. Choose another name."
        )
    registry[entry.name] = entry


def _definition(function: Any) -> tuple[str, str] | Any:
    """Module and name of a function, or the object itself for other callables."""
    function = inspect.unwrap(function)
    name = getattr(function, "__qualname__", None)
    return function if name is None else (function.__module__, name)
