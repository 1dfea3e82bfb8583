"""The simulation of a thousand looks at one hold-out set."""

import numpy as np
import pytest

script = pytest.importorskip("benchmarks.validity.sequential.repeated_looks")


def test_gates_decide_as_the_formulas_do():
    """Openly and blindly, through a ledger's file."""
    script.check(seed=1, n_looks=6)


@pytest.mark.parametrize("team", ["independent", "climbing", "voting"])
def test_only_who_is_told_the_difference_passes_falsely(team):
    """Teams that climb pass an open ledger, and no team a blind one more than by chance."""
    opened, told = script.chunk(team, False, 20, 0)
    blind, _ = script.chunk(team, True, 20, 0)

    assert opened[None][-1] > 10
    assert bool(opened["decreasing"][-1] == 20) == (team != "independent")
    assert blind["decreasing"][-1] <= 4
    assert bool(told[-1] / 20 > 0.03) == (team != "independent")


def test_levels_are_those_of_the_ledger():
    """The same at each look without one, and alpha together with one."""
    assert {0.05} == set(script.levels(None).tolist())
    assert 0.05 == pytest.approx(script.levels("equal").sum())
    assert np.all(np.diff(script.levels("decreasing")) < 0)
