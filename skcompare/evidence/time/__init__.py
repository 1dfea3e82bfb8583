"""Evidence of records in time: differences in order, and of several series."""
