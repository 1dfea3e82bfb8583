"""Style, layout, labels and tables of displays."""
