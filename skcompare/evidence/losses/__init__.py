"""Evidence of losses per record."""
