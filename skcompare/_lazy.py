"""Names of a package that are loaded when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str,
    homes: Mapping[str, str],
    names: Collection[str],
    packages: Collection[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Name of the package.
    homes : mapping of str to str
        Module of each name, below the package.
    names : collection of str
        Names that are listed: its ``__all__``.
    packages : collection of str, default=()
        Packages below it that are attributes, too.
    """
    module = sys.modules[package]

    def load(name: str) -> Any:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name not in homes:
            # With the last two, Python suggests a similar name.
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=module)
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(module, name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(module), *names, *packages})

    return load, listed
