"""Evidence of labels: tables of correct predictions, joint counts, clusters."""
