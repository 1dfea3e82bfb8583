"""Saved estimators, loaded without running code from the file."""
