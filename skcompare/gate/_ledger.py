"""A ledger: the looks at one hold-out set, and the level that each of them spends."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skcompare._core.validation import check_choice, check_count
from skcompare.gate._ledger_file import LedgerState, locked, read_ledger
from skcompare.gate._ledger_rules import DECREASING, EQUAL, RULES, level_of_look


@dataclass(frozen=True)
class Ledger:
    """Counts the looks at one hold-out set, and spends the level of a gate over them.

    A hundred challengers that are no better, each judged at 0.05 on the same records, let
    some pass almost surely. A ledger gives look k the level alpha_k instead, so that all
    levels add up to alpha at most: the probability that *any* challenger passes that
    should not is at most alpha, whatever the looks have in common (Bonferroni's
    inequality). That holds for challengers that are chosen without looking at these
    records. A team that climbs on the difference that it is told defeats this and every
    other rule [1]_; a blind gate tells nothing to climb on, see
    :meth:`skcompare.gate.Gate.decide`.

    The file is of JSON lines that are only added to, the first of which names the set.
    A look is written, and on disk, before anything is judged: one that crashes is spent.
    The same answers by the same conditions are the same look, at the same level, so that
    running a build again costs nothing. Other conditions are another look, and answers
    that are the same for champion and challenger are none.

    Parameters
    ----------
    path : str or path-like
        The file; it is begun at the first look.
    rule : {"decreasing", "equal"}, optional
        "decreasing" gives look k what is left of alpha before it less what is left after
        it, where alpha / (1 + log2(1 + k)) is left after k looks. The first gets a half,
        and looks never run out. "equal" gives each of `looks` looks alpha / looks, and
        refuses more. By default that of the file, and "decreasing" for a new one.
    looks : int, optional
        Number of looks for "equal".

    Raises
    ------
    ValueError
        If the rule is unknown, or `looks` does not go with it.

    Notes
    -----
    Every line has a hash of the lines before it, so that a line which was edited, removed
    or merged by accident is found. That is no protection from a person who wants to cheat,
    and lines cut off at the end are not found either; keep the file under version control,
    whose history shows both. Where the file is missing, a new one begins at look 1. Other
    processes are kept away by a file with the ending `.lock` while a line is written.

    A set is known again by its ids, its groups, and its true labels or, without ids, how
    many records each class has. A blind ledger holds nothing of the labels.

    References
    ----------
    .. [1] Blum, A. and Hardt, M. (2015). "The Ladder: a reliable leaderboard for machine
       learning competitions." Proceedings of the 32nd International Conference on Machine
       Learning, PMLR 37, 1006-1014.

    Examples
    --------
    >>> from skcompare.gate import Ledger
    >>> ledger = Ledger("looks.jsonl")
    >>> [round(ledger.level(k, alpha=0.05), 5) for k in (1, 2, 10, 100)]
    [0.025, 0.00566, 0.00036, 1e-05]
    >>> Ledger("looks.jsonl", rule="equal", looks=20).level(7, alpha=0.05)
    0.0025

    .. versionadded:: 0.1
    """

    path: Any
    rule: str | None = None
    looks: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | os.PathLike) or not os.fspath(self.path):
            raise ValueError(
                f"The `path` of a ledger must name a file. Got {self.path!r} instead."
            )
        if self.rule is not None:
            check_choice("`rule`", self.rule, RULES)
        if self.looks is not None:
            check_count("looks", self.looks)
        if (self.rule == EQUAL) != (self.looks is not None):
            raise ValueError(
                f'`looks` is the number of looks of rule="equal", and of no other. Got '
                f"rule={self.rule!r} and looks={self.looks!r}."
            )

    def level(self, number: int, alpha: float) -> float:
        """The level of a look.

        Parameters
        ----------
        number : int
            Which look, counted from 1.
        alpha : float
            Level of the gate, which all looks share.

        Returns
        -------
        level : float
            Level of this look; 0 where the rule has no more looks. The rule is that of
            the file where this ledger names none.
        """
        check_count("number", number)
        rule, looks = self.rule, self.looks
        state = self._state() if rule is None else None
        if state is not None:
            rule, looks = state.header["rule"], state.header["looks"]
        if looks is not None and number > looks:
            return 0.0
        return level_of_look(rule or DECREASING, number, alpha, looks)

    def history(self) -> list[dict[str, Any]]:
        """The looks so far.

        Returns
        -------
        looks : list of dict
            Each with its "number", "level", "time", the names of "champion" and
            "challenger", and its "status": None where it was not finished, and "passed" or
            "not passed" of a blind ledger.
        """
        state = self._state()
        names = ("number", "level", "time", "champion", "challenger", "status")
        looks = () if state is None else state.looks
        return [{name: getattr(look, name) for name in names} for look in looks]

    def _state(self) -> LedgerState | None:
        """What the file says; None where there is none, also where no lock can be made."""
        path = Path(self.path)
        if not path.exists():
            return None
        with locked(path):
            return read_ledger(path)


def as_ledger(ledger: Any) -> Ledger:
    """A ledger, or that of a path."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)
