"""Tests of mean losses per record."""

from skcompare.stats.losses._paired_t import clustered_t, loss_permutation, paired_t
from skcompare.stats.losses._wilcoxon import wilcoxon

__all__ = ["clustered_t", "loss_permutation", "paired_t", "wilcoxon"]
