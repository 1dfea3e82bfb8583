"""How the level of a gate is spent over the looks at one hold-out set."""

import math

DECREASING, EQUAL = "decreasing", "equal"
RULES = (DECREASING, EQUAL)


def level_of_look(rule: str, number: int, alpha: float, looks: int | None) -> float:
    """The level of a look, counted from 1.

    It is what was left before it less what is left after it. Under "decreasing" that is
    alpha log2(1 + 1/k) / ((1 + log2 k) (1 + log2 (k + 1))) for look k, computed without
    subtracting nearly equal numbers.
    """
    if looks is not None:
        return alpha / looks
    step = math.log1p(1 / number) / math.log(2)
    return alpha * step / ((1 + math.log2(number)) * (1 + math.log2(number + 1)))


def left_after(rule: str, taken: int, alpha: float, looks: int | None) -> float:
    """The part of the level that is left after some looks.

    Under "decreasing" it is alpha / (1 + log2 (1 + k)) after k looks: a half after 1, a
    third after 3, a quarter after 7. Of all such series it is a slow one: what is left
    never ends, and look k gets about 1 / (k log2(k)^2) of alpha, many times as much as the
    usual 1/k^2 leaves for a late look.
    """
    if looks is not None:
        return alpha * max(looks - taken, 0) / looks
    return alpha / (1 + math.log2(1 + taken))
