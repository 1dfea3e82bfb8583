"""Evidence of rankings: placement values and their sums."""
