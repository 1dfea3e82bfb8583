"""What pytest must know before it collects the tests."""

# The fixture `pytester` runs pytest within a test. pytest has it, and loads it on demand.
pytest_plugins = ["pytester"]
