"""Files and frames as they enter and leave; the one place that calls narwhals."""
