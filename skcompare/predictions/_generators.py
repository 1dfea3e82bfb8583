"""Random numbers of estimators that take no seed."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.utils import check_random_state


@contextmanager
def seeded_generators(seed: int) -> Iterator[None]:
    """Begin the global generators alike, and leave them as they were.

    An estimator whose `random_state` is None deep inside, where it cannot be set, takes
    numpy's; nets take that of torch, of which only the one on the CPU is looked after, as
    it draws their first weights. Threads share them, so that fits in threads are as random
    as before.
    """
    shared = check_random_state(None)
    numpy_state, python_state = shared.get_state(), random.getstate()
    shared.seed(seed)
    random.seed(seed)
    # Whoever uses torch has imported it.
    of_torch = getattr(sys.modules.get("torch"), "default_generator", None)
    torch_state = None if of_torch is None else of_torch.get_state()
    if of_torch is not None:
        of_torch.manual_seed(seed)
    try:
        yield
    finally:
        shared.set_state(numpy_state)
        random.setstate(python_state)
        if of_torch is not None:
            of_torch.set_state(torch_state)
