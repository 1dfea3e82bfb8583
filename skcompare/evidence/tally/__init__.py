"""Tallies: counts and sums of records, computed where the records are."""
