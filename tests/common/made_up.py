"""Checks of values that hypothesis makes up, for slow tests.

Only they load it: it reads every module of the project before it begins.
"""


def check_made_up(check, strategy, n_values):
    """Run a check of one value for many; `strategy` chooses among hypothesis's own."""
    from hypothesis import given, settings, strategies

    chosen = settings(max_examples=n_values, deadline=None, database=None, derandomize=True)
    chosen(given(strategy(strategies))(check))()
