"""Evidence of labels: contingency tables, joint counts and clusters."""
