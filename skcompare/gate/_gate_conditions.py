"""The conditions of a gate, with its level."""

from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.validation import check_alpha, check_count
from skcompare.gate._condition_checks import Written, check_distinct
from skcompare.gate._conditions import AnyOf, Condition


@dataclass(frozen=True, init=False, repr=False)
class GateConditions(Written):
    """What a gate asks for, as those who judge by it read it."""

    conditions: tuple[Condition | AnyOf, ...]
    alpha: float = 0.05
    min_records: int | None = None
    min_discordant: int | None = None
    tell_inconclusive: bool = False

    def __init__(
        self,
        *conditions: Condition | AnyOf,
        alpha: float = 0.05,
        min_records: int | None = None,
        min_discordant: int | None = None,
        tell_inconclusive: bool = False,
    ) -> None:
        strange = [c for c in conditions if not isinstance(c, Condition | AnyOf)]
        if not conditions or strange:
            got = ", ".join(type(one).__name__ for one in strange) or "no condition"
            raise ValueError(
                f"A gate needs conditions: Superior, NonInferior, Equivalent or AnyOf. Got "
                f"{got}."
            )
        alpha = check_alpha(alpha)
        if alpha >= 0.5:
            raise ValueError(
                f"`alpha` of a gate must be below 1/2. Got {alpha!r}. 0.05 is usual."
            )
        least = {"min_records": min_records, "min_discordant": min_discordant}
        for name, value in least.items():
            if value is not None:
                check_count(name, value)
        if not isinstance(tell_inconclusive, bool):
            raise TypeError(
                f"`tell_inconclusive` must be True or False. Got {tell_inconclusive!r}."
            )
        check_distinct(conditions)
        values: dict[str, Any] = {"conditions": tuple(conditions), "alpha": alpha, **least}
        values["tell_inconclusive"] = tell_inconclusive
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that slices are cut by, each once."""
        names = (name for leaf in self.leaves for name in leaf.where or ())
        return tuple(dict.fromkeys(names))

    @property
    def leaves(self) -> tuple[Condition, ...]:
        """All single conditions, also those of which any is enough."""
        return tuple(
            leaf
            for one in self.conditions
            for leaf in (one.conditions if isinstance(one, AnyOf) else (one,))
        )

    def at_level(self, alpha: float) -> Self:
        """The same conditions at another level.

        Parameters
        ----------
        alpha : float
            Level, below 1/2.

        Returns
        -------
        gate : Gate
            A new gate; this one stays as it is.

        Raises
        ------
        ValueError
            If `alpha` is not between 0 and 1/2.
        """
        names = ("min_records", "min_discordant", "tell_inconclusive")
        given = {name: getattr(self, name) for name in names}
        return type(self)(*self.conditions, alpha=alpha, **given)

    def to_dict(self) -> dict[str, Any]:
        """The gate as plain values, as a policy file has it.

        Returns
        -------
        values : dict
            Keys as in a policy file; conditions are a list by the key "condition".
        """
        values: dict[str, Any] = {"alpha": self.alpha}
        for name in ("min_records", "min_discordant", "tell_inconclusive"):
            if getattr(self, name):
                values[name] = getattr(self, name)
        return values | {"condition": [one.to_dict() for one in self.conditions]}
