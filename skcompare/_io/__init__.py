"""Reading of files and data frames, including all calls of narwhals."""
