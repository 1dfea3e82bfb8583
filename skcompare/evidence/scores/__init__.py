"""Evidence of scores: on splits, by blocks, and of any function of predictions."""
