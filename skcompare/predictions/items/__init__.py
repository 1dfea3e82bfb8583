"""Item-level scores of two systems."""
