"""Base classes, style, layout, labels and tables of displays."""
