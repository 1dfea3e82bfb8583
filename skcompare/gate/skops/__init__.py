"""Saved estimators, loaded without running code of a file."""
