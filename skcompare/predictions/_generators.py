"""Random numbers of estimators that take no seed."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.utils import check_random_state

__all__ = ["seeded_generators"]


@contextmanager
def seeded_generators(seed: int) -> Iterator[None]:
    """Begin the global generators alike, and leave them as they were.

    An estimator whose `random_state` is None deep inside, where it cannot be set, takes
    numpy's; nets take that of torch. Threads share them, so that fits in threads are as
    random as before.
    """
    shared = check_random_state(None)
    numpy_state, python_state = shared.get_state(), random.getstate()
    torch = sys.modules.get("torch")
    torch_state = None if torch is None else torch.get_rng_state()
    shared.seed(seed)
    random.seed(seed)
    if torch is not None:
        torch.manual_seed(seed)
    try:
        yield
    finally:
        shared.set_state(numpy_state)
        random.setstate(python_state)
        if torch is not None:
            torch.set_rng_state(torch_state)
