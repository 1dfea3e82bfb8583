"""Strengths of the challengers: where both learners are equally good, and from there on.

The constants of EXP6 and letter are printed by

    python -m benchmarks.validity.splits.resampling.resampling --calibrate 4000 --data
    FOLDER
"""

from functools import cache

ALIKE = {
    "epsilon": (0.1,),
    "simple": (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1.0),
}
"""Worlds where both are equally good at the first strength, whatever the training size."""

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The challenger's lead along a power curve, as a share of that at strength 1."""

CURVES = {
    "exp6": {
        "n/2": (
            0.3689,
            0.3973,
            0.4284,
            0.4616,
            0.5021,
            0.5476,
            0.6007,
            0.6649,
            0.745,
            0.8515,
            1.0,
        ),
        "2n/3": (
            0.3748,
            0.4036,
            0.4342,
            0.4672,
            0.509,
            0.5549,
            0.6088,
            0.6734,
            0.7541,
            0.8586,
            1.0,
        ),
        "9n/10": (
            0.384,
            0.4137,
            0.4428,
            0.4764,
            0.517,
            0.5605,
            0.6124,
            0.6755,
            0.7551,
            0.8584,
            1.0,
        ),
    },
    "letter": {
        "n/2": (25.57, 20.18, 15.92, 12.54, 9.819, 7.592, 5.77, 4.295, 3.07, 2.041, 1.0),
        "2n/3": (19.9, 16.18, 13.13, 10.57, 8.445, 6.655, 5.176, 3.917, 2.885, 1.959, 1.0),
        "9n/10": (17.7, 14.59, 11.94, 9.696, 7.819, 6.213, 4.875, 3.721, 2.786, 1.914, 1.0),
    },
}
"""Strengths at these shares for each number of training records."""

PAPER_STRENGTH = {"exp6": 0.3838, "letter": 17.63}
"""Strengths at which both err equally often after training on all n records: the paper's
way, which makes one setting serve all tests."""


@cache
def strengths_of(name):
    """All strengths at which a world is simulated, in ascending order."""
    if name in ALIKE:
        return ALIKE[name]
    of_curves = {value for curve in CURVES[name].values() for value in curve}
    return tuple(sorted(of_curves | {PAPER_STRENGTH[name]}))


def position(name, strength):
    return strengths_of(name).index(strength)


def curve_of(name, size):
    """Positions of the strengths of a power curve of tests that train on `size`."""
    values = ALIKE[name] if name in ALIKE else CURVES[name][size]
    return [position(name, value) for value in values]


def null_of(name, size):
    """Position of the strength at which both are equally good after training on `size`."""
    return curve_of(name, size)[0]
