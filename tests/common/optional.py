"""Cases that need a library which may be missing."""

import pytest


def made(cases, names=None):
    """Names of the cases with what each makes, without those that would skip the test.

    A library that is missing takes its own cases out of a loop, and leaves the others.
    """
    for name in cases if names is None else names:
        try:
            case = cases[name]()
        except pytest.skip.Exception:
            continue
        yield name, case
