"""The registries of tests, of metrics and of losses, and the names of their scorers."""
