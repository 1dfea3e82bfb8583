"""Signatures, as help() and notebooks show them."""

import inspect
from importlib import import_module

import pytest

from skcompare import compare
from tests.frozen.names import ROOMS, members, signature


@pytest.mark.parametrize("room", ROOMS)
def test_types_are_readable(room):
    """No signature has private types of numpy, which print as unions of ten."""
    module = import_module(room)
    for name in module.__all__:
        thing = getattr(module, name)
        shown = [signature(thing)] if callable(thing) else []
        shown += members(thing) if inspect.isclass(thing) else []
        for text in shown:
            assert "numpy._typing" not in text, f"{name}{text}"


def test_arrays_in_a_signature():
    """An array-like has the name that numpy's documentation has."""
    labels = inspect.signature(compare).parameters["labels"]
    assert "labels: numpy.typing.ArrayLike | None = None" == str(labels)
