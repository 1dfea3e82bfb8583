"""The gate as a test: pytest fails unless the challenger is shown to be good enough."""


def test_challenger_may_replace_the_champion(gate):
    """All conditions of the policy are shown to hold."""
    gate.policy("gate.toml").check("champion.csv", "challenger.csv")
