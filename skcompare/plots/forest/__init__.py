"""Displays of differences and ratios with their intervals."""
