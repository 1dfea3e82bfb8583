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
        "n/2": (0.3689, 0.3973, 0.4284, 0.4616, 0.5021, 0.5476, 0.6007, 0.6649, 0.745,
                0.8515, 1.0),
        "2n/3": (0.3748, 0.4036, 0.4342, 0.4672, 0.509, 0.5549, 0.6088, 0.6734, 0.7541,
                 0.8586, 1.0),
        "9n/10": (0.384, 0.4137, 0.4428, 0.4764, 0.517, 0.5605, 0.6124, 0.6755, 0.7551,
                  0.8584, 1.0),
    },
    "letter": {
        "n/2": (25.57, 20.18, 15.92, 12.54, 9.819, 7.592, 5.77, 4.295, 3.07, 2.041, 1.0),
        "2n/3": (19.9, 16.18, 13.13, 10.57, 8.445, 6.655, 5.176, 3.917, 2.885, 1.959, 1.0),
        "9n/10": (17.7, 14.59, 11.94, 9.696, 7.819, 6.213, 4.875, 3.721, 2.786, 1.914, 1.0),
    },
}  # fmt: skip
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


REPETITIONS = 1000

PAPER_WORLDS = ("epsilon", "exp6", "simple", "letter")

TYPE1 = {
    "repeated_holdout_t": (0.478, 0.272, 0.312, 0.385),
    "kfold_t": (0.043, 0.076, 0.109, 0.142),
    "paired_5x2_t": (0.034, 0.050, 0.084, 0.061),
    "corrected_repeated_holdout_t published": (0.053, 0.040, 0.047, 0.075),
    "corrected_repeated_kfold_t published": (0.035, 0.040, 0.063, 0.082),
    "combined_5x2_t": (0.291, 0.156, 0.214, 0.236),
    "blocked_t 3x2 published": (0.087, 0.005, 0.015, 0.013),
    "combined_5x2_f": (0.028, 0.028, 0.060, 0.057),
    "calibrated_5x2_f": (0.035, 0.025, 0.055, 0.042),
    "proportional_z": (0.056, 0.016, 0.014, 0.054),
    "cv_ci_z out": (0.046, 0.062, 0.106, 0.080),
    "mcnemar corrected": (0.031, 0.037, 0.029, 0.062),
    "naive_kfold_mcnemar": (0.000, 0.006, 0.020, 0.039),
    "bcv_mcnemar": (0.025, 0.006, 0.005, 0.015),
}
"""Table V of the paper: shares of its data sets on which a test of level 0.05 finds a
difference between equally good algorithms."""


def published(test, world):
    """The paper's type I error, or None where it does not have the test."""
    return TYPE1[test.key][PAPER_WORLDS.index(world)] if test.key in TYPE1 else None
