"""Reports of decisions in all formats."""
