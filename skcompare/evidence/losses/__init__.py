"""Evidence of the loss of each record."""
