"""Evidence from labels: contingency tables, joint counts and clusters."""
