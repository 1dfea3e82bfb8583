"""Scorers of metrics and tests for scikit-learn."""
