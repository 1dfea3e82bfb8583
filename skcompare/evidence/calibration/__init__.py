"""Evidence of calibration: bins, cells and their sums."""
