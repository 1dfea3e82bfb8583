"""Tests that are valid after every record of a stream."""

from skcompare.stats.sequential._sequential_tests import (
    AnytimeLook,
    AnytimeMonitor,
    anytime_losses,
    anytime_mcnemar,
)

__all__ = ["AnytimeLook", "AnytimeMonitor", "anytime_losses", "anytime_mcnemar"]
