"""Bits along records, a row a classifier: packed, joined, and counted by words."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import IntArray

Bits = NDArray[np.uint8]

MOST_WORDS = 1023
"""Words of 64 bits whose bits a 16-bit number can count."""

_count_bits = getattr(np, "bitwise_count", None)  # numpy >= 2.0


def compared(truth: NDArray[Any], answers: Iterable[NDArray[Any]]) -> Bits:
    """1 where an answer is the true label, packed along the records."""
    right = np.empty(len(truth), dtype=bool)
    # One array of answers at a time, so that what is right stays in the cache.
    return np.array([np.packbits(np.equal(one, truth, out=right)) for one in answers])


def concatenated(first: Bits, n_first: int, second: Bits, n_second: int) -> Bits:
    """The bits of some records and then those of others."""
    full, rest = divmod(n_first, 8)
    bits = np.zeros((len(first), -(-(n_first + n_second) // 8)), dtype=np.uint8)
    bits[:, : first.shape[1]] = first
    # The second ones begin within the last octet of the first, or right after it.
    bits[:, full : full + second.shape[1]] |= second >> rest
    if rest:
        carried = second[:, : bits.shape[1] - full - 1] << (8 - rest)
        bits[:, full + 1 : full + 1 + carried.shape[1]] |= carried
    return bits


def joint_counts(bits: Bits) -> IntArray:
    """Records at which two rows both are 1, for every two rows."""
    words = _as_words(bits)
    k, n_parts, _ = words.shape
    sums = np.zeros((k, k, n_parts), dtype=np.uint16)
    # Memory that is taken once costs less than that of each row anew.
    both = np.empty_like(words)
    for i in range(k):
        np.bitwise_and(words[i], words[i:], out=both[i:])
        sums[i, i:] = _ones(both[i:])
    joint = sums.sum(axis=-1, dtype=np.int64)
    return np.maximum(joint, joint.T)


def count_mixed(bits: Bits) -> int:
    """Records at which some rows are 1 and others 0."""
    some = np.bitwise_or.reduce(bits) ^ np.bitwise_and.reduce(bits)
    return int(_ones(_as_words(some[np.newaxis])).sum(dtype=np.int64))


def _as_words(bits: Bits) -> NDArray[np.uint64]:
    """Words of shape (rows, parts, at most MOST_WORDS), with bits 0 at the end."""
    n_words = -(-bits.shape[1] // 8)
    n_parts = -(-n_words // MOST_WORDS)
    padded = np.zeros((len(bits), 8 * n_parts * -(-n_words // n_parts)), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64).reshape(len(bits), n_parts, -1)


def _ones(words: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Bits that are 1 over the last axis, in a type that sums twice as fast as longer."""
    if _count_bits is None:
        counts = _ones_of_16()[words.view(np.uint16)]
    else:
        counts = _count_bits(words)
    return np.add.reduce(counts, axis=-1, dtype=np.uint16)


@cache
def _ones_of_16() -> Bits:
    """Bits that are 1 in each number of 16 bits."""
    octets = np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2)
    return np.unpackbits(octets, axis=1).sum(axis=1, dtype=np.uint8)


def distinct_columns(block: Bits) -> tuple[Bits, IntArray]:
    """Different columns as rows, sorted, and how often each occurs; not packed."""
    octets = np.packbits(block, axis=0)
    padded = np.zeros((block.shape[1], -(-len(octets) // 8) * 8), dtype=np.uint8)
    padded[:, : len(octets)] = octets.T
    # As numbers with the first bit in front they sort like the columns.
    words = padded.view(">u8").astype(np.uint64)
    if words.shape[1] == 1:
        # Sorting numbers is many times faster than sorting rows.
        values, counts = np.unique(words, return_counts=True)
        words = values[:, np.newaxis]
    else:
        words, counts = np.unique(words, axis=0, return_counts=True)
    octets = words.astype(">u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=len(block)), counts
