"""Splitters for block-regularized m × 2 cross-validation and repeated random hold-outs."""

from skcompare.model_selection._block_regularized import (
    BlockLayout,
    BlockRegularized5x2CV,
    BlockRegularizedMx2CV,
)
from skcompare.model_selection._shuffle_splits import (
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
