"""Displays of several classifiers."""
