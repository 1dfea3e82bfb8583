"""Scores of systems item by item."""
