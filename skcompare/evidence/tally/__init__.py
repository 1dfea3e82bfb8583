"""Tallies: counts and sums of records, computed by the engine of a data frame."""
