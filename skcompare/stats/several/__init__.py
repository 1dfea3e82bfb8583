"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._max_t import max_t, unit_influences, units_of_trainings
from skcompare.stats.several._pairwise import pairs_of
