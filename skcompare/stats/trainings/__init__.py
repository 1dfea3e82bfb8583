"""Tests of models that were trained several times, for one test set."""

from skcompare.stats.trainings._crossed import (
    TrainingVariance,
    crossed_df,
    crossed_moments,
    training_variance,
)
