"""Evidence of labels: tables of right and wrong, joint counts, clusters."""
