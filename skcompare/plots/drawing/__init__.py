"""Drawing: style, layout, labels and tables of displays."""
