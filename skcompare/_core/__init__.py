"""Designs, labels, checks of input and formatting, used by every other package."""
