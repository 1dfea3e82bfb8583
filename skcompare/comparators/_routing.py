"""Whether scikit-learn routes metadata."""

from sklearn import get_config

__all__ = ["routing_enabled"]


def routing_enabled() -> bool:
    """Whether metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])
