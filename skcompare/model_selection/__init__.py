"""How records are split: block-regularized m × 2 cross-validation."""

from skcompare.model_selection._block_regularized import (
    BlockLayout,
    BlockRegularized5x2CV,
    BlockRegularizedMx2CV,
)

__all__ = ["BlockLayout", "BlockRegularized5x2CV", "BlockRegularizedMx2CV"]
