"""Tests of several classifiers and of all pairs of them."""

from skcompare.stats.several._pairwise import (
    PAIRWISE_ADJUSTMENTS,
    groups_of,
    letters_of,
    pairs_of,
)
