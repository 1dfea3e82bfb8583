"""Whether scikit-learn routes metadata, and what is refused where it does not."""

from collections.abc import Iterable

from sklearn import get_config


def routing_enabled() -> bool:
    """Whether metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])


def refuse_unrouted(names: Iterable[str]) -> None:
    """Refuse metadata that can be passed on by routing only."""
    if given := ", ".join(names):
        raise ValueError(
            f"{given} can be passed with metadata routing on only. Turn it on by "
            "sklearn.set_config(enable_metadata_routing=True) and let the classifiers "
            "request it."
        )
