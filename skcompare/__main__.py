"""Entry point of `python -m skcompare`, which runs the command `skcompare`."""

import sys

from skcompare.cli import main

if __name__ == "__main__":
    sys.exit(main())
