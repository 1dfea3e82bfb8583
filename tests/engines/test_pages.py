"""Blocks of the pages that need packages which only the tests of engines have."""

import numpy as np
import pytest

from doc.tests.pages import GUIDE, blocks

PAGE = GUIDE / "array_api.rst"


@pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not here")
def test_arrays_of_torch(monkeypatch, capsys):
    """What array_api.rst shows runs with tensors on the CPU, and prints both results."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_strict")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    y = np.random.default_rng(0).integers(2, size=200)
    old, new = (np.random.default_rng(seed).random((200, 2)) for seed in (1, 2))
    names = {name: torch.asarray(v) for name, v in {"y": y, "old": old, "new": new}.items()}
    (block,) = [block for block in blocks(PAGE) if block.language == "python"]

    exec(compile(block.code, str(block), "exec"), names)

    printed = capsys.readouterr().out
    assert printed.startswith("mcnemar")
    assert "delong" in printed
