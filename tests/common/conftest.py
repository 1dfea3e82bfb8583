"""Assertions of the common checks explain themselves as those of tests do."""

import pytest

pytest.register_assert_rewrite("tests.common.checks")
