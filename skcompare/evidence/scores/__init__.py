"""Evidence of scores: by split, by block, and for any function of predictions."""
