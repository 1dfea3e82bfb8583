"""Registries of tests, metrics and losses, and the names of their scorers."""
