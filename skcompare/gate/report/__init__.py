"""The report of a decision in every form."""
