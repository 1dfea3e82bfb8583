"""Scorers: metrics and tests as scikit-learn calls them."""
