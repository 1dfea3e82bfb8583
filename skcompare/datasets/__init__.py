"""Simulated data on which the truth is known: the simulators of the literature."""

from skcompare.datasets._simulators import make_epsilon, make_exp6, make_simple

__all__ = ["make_epsilon", "make_exp6", "make_simple"]
