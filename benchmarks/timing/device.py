"""Evidence and metrics of arrays on a device against the same in numpy.

Predictions are made in numpy and brought to torch on the CPU, and to a CUDA device if any.
On the CPU they are read by numpy, as they always are, and then computed by torch as they
would be elsewhere ("by torch"). Each task is timed from arrays that are there already
to the finished evidence in numpy; the least of several runs in turn counts. Run

    python -m benchmarks.timing.device

or with ``--help`` for the options. A ratio above 1 says how many times sooner torch is
done.
"""

import argparse
import os
from functools import partial

# scikit-learn asks for it before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import sklearn

from skcompare.evidence import JointCounts, PairedCalibration, PairedLosses, PlacementValues
from skcompare.evidence.core import _device
from skcompare.metrics import binary_brier_loss, expected_calibration_error

from .made import least_times


def predictions(n, seed=0):
    """True classes of three, two predictions, and two scores of the first class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    labels = [np.where(rng.random(n) < 0.8, y, rng.integers(3, size=n)) for _ in range(2)]
    chances = [rng.beta(2 + (y == 0), 3, size=n) for _ in range(2)]
    return [y, *labels], [(y == 0).astype(np.int64), *chances]


def ranked(y, champion, challenger):
    """Placement values with their sums."""
    return PlacementValues.from_predictions(y, champion, challenger).sums


def moments(y, champion, challenger):
    """Moments of log losses."""
    return PairedLosses.from_predictions(
        y, champion, challenger, loss="log_loss", keep_values=False
    )


def binned(y, champion, challenger):
    """Sums over joint bins of two classifiers."""
    return PairedCalibration.from_predictions(y, champion, challenger, keep_values=False)


TASKS = {
    "JointCounts": (0, JointCounts.from_predictions),
    "PlacementValues": (1, ranked),
    "PairedLosses, moments": (1, moments),
    "PairedCalibration, sums": (1, binned),
    "binary_brier_loss": (1, lambda y, champion, _: binary_brier_loss(y, champion)),
    "calibration error": (
        1,
        lambda y, champion, _: expected_calibration_error(y, champion),
    ),
}


def run(task, by_torch, *arguments):
    """A task, with tensors on the CPU left to torch or not."""
    _device.READ_ON_CPU = not by_torch
    return task(*arguments)


def main():
    """Print a row a task and size."""
    # asv imports all files of this folder, where there may be no torch.
    import torch

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    columns = {"torch cpu": ("cpu", False), "by torch": ("cpu", True)}
    if torch.cuda.is_available():
        columns["torch cuda"] = ("cuda", True)
        print(f"cuda is {torch.cuda.get_device_name()}")
    else:
        print("There is no CUDA device.")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads on the CPU")
    heads = "".join(f"{name:>12}{'ratio':>8}" for name in columns)
    print(f"{'task':<26}{'records':>12}{'numpy':>12}{heads}")
    sklearn.set_config(array_api_dispatch=True)
    for n in map(int, options.records):
        given = predictions(n)
        there = {
            device: [[torch.asarray(one, device=device) for one in each] for each in given]
            for device in {device for device, _ in columns.values()}
        }
        for name, (which, task) in TASKS.items():
            calls = [partial(run, task, False, *given[which])]
            calls += [
                partial(run, task, by_torch, *there[device][which])
                for device, by_torch in columns.values()
            ]
            for call in calls:
                call()
            plain, *others = least_times(options.repeats, *calls)
            words = "".join(f"{time:>10.4f} s{plain / time:>8.2f}" for time in others)
            print(f"{name:<26}{n:>12,}{plain:>10.4f} s{words}")


if __name__ == "__main__":
    main()
