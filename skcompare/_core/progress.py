"""Progress of long work as one line on stderr, with the time left."""

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from importlib import import_module
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")


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
    start, stream = perf_counter(), sys.stderr
    is_terminal = stream.isatty()
    for done, item in enumerate(items, 1):
        yield item
        if is_terminal or done * 10 // total > (done - 1) * 10 // total:
            left = round((perf_counter() - start) / done * (total - done))
            text = f"{label}: {done} of {total}, {done / total:.0%}, "
            text += f"{timedelta(seconds=left)} left"
            # Spaces hide what a longer line left.
            end = "\r" if is_terminal and done < total else "\n"
            stream.write(f"{text:<60}{end}")
            stream.flush()
