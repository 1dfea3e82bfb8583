"""Tests of models that were trained several times, for one test set."""

from skcompare.stats.trainings._crossed import (
    TrainingVariance,
    crossed_moments,
    df_of_parts,
    training_variance,
)
