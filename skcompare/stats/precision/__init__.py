"""Tests of precision and of other shares of predictions."""
