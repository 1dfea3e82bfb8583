"""Measures: scores of the predictions of two classifiers."""
