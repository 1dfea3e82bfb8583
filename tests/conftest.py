"""Tests are no examples, so nobody looks for examples in them."""

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Collect a file as tests alone, not once more for its docstrings."""
    collectors = yield
    return [one for one in collectors if type(one) is pytest.Module]
