"""Lets `python -m skcompare` do what the command `skcompare` does."""

import sys

from skcompare.cli import main

if __name__ == "__main__":
    sys.exit(main())
