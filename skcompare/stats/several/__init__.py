"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._pairwise import pairs_of
