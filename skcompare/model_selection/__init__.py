"""Splitters for block-regularized m × 2 cross-validation and repeated random hold-outs."""

from skcompare.model_selection._splitters import (
    BlockLayout,
    BlockRegularized5x2CV,
    BlockRegularizedMx2CV,
    HalvesShuffleSplit,
    ReplicatedShuffleSplit,
    ShuffleLayout,
)

__all__ = [
    "BlockLayout",
    "BlockRegularized5x2CV",
    "BlockRegularizedMx2CV",
    "HalvesShuffleSplit",
    "ReplicatedShuffleSplit",
    "ShuffleLayout",
]
