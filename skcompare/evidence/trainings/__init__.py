"""Evidence of models that were trained several times, for one test set."""
