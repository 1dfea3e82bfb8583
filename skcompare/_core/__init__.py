"""Designs, labels, checks of input and formatting, which every other package stands on."""
