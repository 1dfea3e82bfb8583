"""Tallies: records that are counted and summed where they are."""
