"""Simulated data sets from the literature, with known truth."""

from skcompare.datasets._simulators import make_epsilon, make_exp6, make_simple

__all__ = ["make_epsilon", "make_exp6", "make_simple"]
