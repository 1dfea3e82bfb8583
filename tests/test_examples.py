"""The examples run, and end with a conclusion."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.skipif(not EXAMPLES, reason="the examples are not here")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, capsys):
    """An example runs as it stands and prints its conclusion last."""
    runpy.run_path(str(path), run_name="__main__")
    *_, conclusion = capsys.readouterr().out.splitlines()

    assert conclusion.endswith(".")
