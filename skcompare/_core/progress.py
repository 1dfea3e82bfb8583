"""Progress of long work as one line on stderr, with the time left."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from importlib import import_module
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from skcompare._core.validation import check_count

T = TypeVar("T")
P = ParamSpec("P")

AFTER = 1.0
"""Seconds after which work of unknown length has a bar."""


@dataclass(slots=True)
class _Shown:
    """Progress of one call, with whether one of its bars is on the screen."""

    has_bar: bool = False


_shown: ContextVar[_Shown | None] = ContextVar("_shown", default=None)


@contextmanager
def shown_progress(verbose: int) -> Iterator[None]:
    """Let long work within show a bar if `verbose` is 1."""
    if verbose != 1:
        yield
        return
    token = _shown.set(_Shown())
    try:
        yield
    finally:
        _shown.reset(token)


def with_progress(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function show a bar of long work if its keyword `verbose` is 1."""

    @wraps(function)
    def showing(*args: P.args, **options: P.kwargs) -> T:
        verbose: Any = options.get("verbose", 0)
        if not isinstance(verbose, bool):
            check_count("verbose", verbose, least=0)
        with shown_progress(verbose):
            return function(*args, **options)

    return showing


def tracked(items: Iterable[T], label: str, total: int) -> Iterable[T]:
    """Return items as they are; where progress is shown, with a bar if they take long.

    Parameters
    ----------
    items : iterable
        Parts of the work.
    label : str
        The work, such as "Resampling".
    total : int
        Number of items, at least about.
    """
    shown = _shown.get()
    if shown is None or shown.has_bar:
        return items
    return _late_bar(items, label, total, shown)


def _late_bar(items: Iterable[T], label: str, total: int, shown: _Shown) -> Iterator[T]:
    """Yield items, with a bar over those that are left after `AFTER` seconds."""
    start, iterator = perf_counter(), iter(items)
    for done, item in enumerate(iterator, 1):
        yield item
        if perf_counter() - start > AFTER and done < total:
            break
    else:
        return
    # One at a time: rich refuses a second one, and others would share a line.
    # If the work is interrupted, this may end long after the call, whose progress it is.
    shown.has_bar = True
    try:
        yield from progress_bar(label, total - done)(iterator)
    finally:
        shown.has_bar = False


def progress_bar(label: str, total: int) -> Callable[[Iterable[T]], Iterator[T]]:
    """Return a wrapper of iterables that shows how many items have come, of how many.

    The bar is that of rich or tqdm, if one of them is installed, and else plain text.

    Parameters
    ----------
    label : str
        The work, such as "Fits".
    total : int
        Number of items.
    """

    def shown(items: Iterable[T]) -> Iterator[T]:
        for bar in (_rich_bar, _tqdm_bar):
            try:
                iterator = bar(items, label, total)
            except ImportError:
                continue
            return iterator
        return _plain_bar(items, label, total)

    return shown


def _rich_bar(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    console: Any = import_module("rich.console").Console(stderr=True)
    bar: Iterator[T] = import_module("rich.progress").track(
        items, label, total=total, console=console
    )
    return bar


def _tqdm_bar(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    bar: Iterable[T] = import_module("tqdm").tqdm(items, label, total, file=sys.stderr)
    return iter(bar)


def _plain_bar(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Write a line that is overwritten, or ten lines if stderr is not a terminal."""
    start, stream, done = perf_counter(), sys.stderr, 0
    is_terminal = stream.isatty()
    for done, item in enumerate(items, 1):
        yield item
        if is_terminal or done * 10 // total > (done - 1) * 10 // total:
            left = round((perf_counter() - start) / done * (total - done))
            # The total of what is read is an estimate.
            total = max(done, total)
            text = f"{label}: {done} of {total}, {done / total:.0%}, "
            text += f"{timedelta(seconds=left)} left"
            # Spaces hide what a longer line left.
            end = "\r" if is_terminal and done < total else "\n"
            stream.write(f"{text:<60}{end}")
            stream.flush()
    if is_terminal and done < total:
        stream.write("\n")
