"""Measures: how the predictions of two classifiers are scored."""
