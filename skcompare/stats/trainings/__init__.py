"""Tests of models that were trained several times, for one test set."""

from skcompare.stats.trainings._crossed import (
    crossed_df,
    crossed_moments,
    training_variance,
)
