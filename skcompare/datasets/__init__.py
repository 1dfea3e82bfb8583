"""Simulated data of the literature, for which the truth is known."""

from skcompare.datasets._simulators import make_epsilon, make_exp6, make_simple

__all__ = ["make_epsilon", "make_exp6", "make_simple"]
