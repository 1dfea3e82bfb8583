"""Evidence of losses: values for each record, and their moments."""
