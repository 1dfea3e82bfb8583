"""Evidence of shards that adds up."""

from typing import TypeVar

__all__ = ["Mergeable"]

E = TypeVar("E", bound="Mergeable")


class Mergeable:
    """Evidence with `+`, so that `sum(shards)` is the evidence of all records."""

    __slots__ = ()

    def __radd__(self: E, other: object) -> E:
        # sum() starts with the number 0.
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented
