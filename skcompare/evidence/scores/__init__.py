"""Evidence of scores: by split, by block, and by any function of predictions."""
