"""Reading of files and frames, and the only calls of narwhals."""
