"""A ledger: the looks at one hold-out set, and the level that each of them spends."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skcompare._core.validation import check_choice, check_count
from skcompare.gate.ledger._ledger_file import (
    DECREASING,
    EQUAL,
    RULES,
    SCHEMA,
    LedgerState,
    Look,
    append,
    left_after,
    level_of_look,
    locked,
    now,
    read_ledger,
    sealed,
)


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


SAME_SET = {
    "n_records": "records",
    "labels": "true labels",
    "ids": "ids",
    "groups": "groups",
}


@dataclass(frozen=True)
class Taken:
    """A look that was written down, with the ledger as it then was."""

    state: LedgerState
    look: Look
    repeated: bool

    def told(self, path: Any, *, closed: bool) -> dict[str, Any]:
        """What a decision tells of it; `closed` if no further look is allowed."""
        header, taken = self.state.header, len(self.state.looks)
        rule, alpha, looks = (header[name] for name in ("rule", "alpha", "looks"))
        closed = closed or taken == looks
        following = None if closed else level_of_look(rule, taken + 1, alpha, looks)
        left = None if looks is None else looks - taken
        return {
            "number": self.look.number,
            "alpha": self.look.level,
            "rule": rule,
            "total_alpha": alpha,
            "looks_left": 0 if closed else left,
            "alpha_left": 0.0 if closed else left_after(rule, taken, alpha, looks),
            "next_alpha": following,
            "repeated": self.repeated,
            "ledger": os.fspath(path),
        }


def check_ledger_file(
    ledger: Ledger, holdout: Mapping[str, Any], alpha: float, *, blind: bool
) -> None:
    """Refuse a ledger that is broken, or of another set, level, rule or kind."""
    path = Path(ledger.path)
    with locked(path):
        state = read_ledger(path)
    if state is not None:
        _check_same(ledger, state.header, holdout, alpha, blind)


def take_look(
    ledger: Ledger,
    holdout: Mapping[str, Any],
    alpha: float,
    gate: str,
    answers: str,
    names: tuple[str, str],
    *,
    blind: bool,
) -> Taken:
    """Write a look down before anything is judged, or find the one that it repeats."""
    path = Path(ledger.path)
    with locked(path):
        state = read_ledger(path)
        if state is not None:
            _check_same(ledger, state.header, holdout, alpha, blind)
            for look in state.looks:
                if (look.gate, look.answers) == (gate, answers):
                    return Taken(state, look, repeated=True)
            _check_open(ledger, state)
        new = [] if state is not None else [_header(ledger, holdout, alpha, blind)]
        header = new[0] if state is None else state.header
        before = header["hash"] if state is None else state.last_hash
        number = 1 if state is None else len(state.looks) + 1
        level = level_of_look(header["rule"], number, alpha, header["looks"])
        champion, challenger = map(_short, names)
        look = Look(number, level, gate, answers, champion, challenger, now())
        fields = [name for name in Look.__slots__ if name not in ("number", "status")]
        line = {"look": number} | {name: getattr(look, name) for name in fields}
        append(path, *new, sealed(line, before))
        looks = () if state is None else state.looks
        return Taken(LedgerState(header, (*looks, look), ""), look, repeated=False)


def finish_look(ledger: Ledger, taken: Taken, status: str) -> str:
    """Write down what became of a look; returns what was written down first."""
    path, number = Path(ledger.path), taken.look.number
    with locked(path):
        state = read_ledger(path)
        looks = () if state is None else state.looks
        if state is None or len(looks) < number or not _same(looks[number - 1], taken):
            raise ValueError(
                f"Look {number} is no longer in the ledger {str(ledger.path)!r}: the "
                "file was replaced while the look was judged. Nothing is decided; "
                "restore it from version control."
            )
        first = looks[number - 1].status
        if first is None:
            line = {"result": number, "status": status}
            append(path, sealed(line, state.last_hash))
        return first or status


def _header(
    ledger: Ledger, holdout: Mapping[str, Any], alpha: float, blind: bool
) -> dict[str, Any]:
    from skcompare._version import __version__

    header = {
        "ledger": "skcompare.gate",
        "schema": SCHEMA,
        "version": __version__,
        "rule": ledger.rule or DECREASING,
        "looks": ledger.looks,
        "alpha": float(alpha),
        "blind": blind,
        "set": dict(holdout),
        "started": now(),
    }
    return sealed(header, "")


def _check_same(
    ledger: Ledger,
    header: Mapping[str, Any],
    holdout: Mapping[str, Any],
    alpha: float,
    blind: bool,
) -> None:
    """Refuse another set, level, rule or kind than those that the ledger began with."""
    where = f"The ledger {str(ledger.path)!r}"
    if header["blind"] != blind:
        first, this = "blind", "not blind"
        if blind:
            first, this = this, first
        raise ValueError(
            f"{where} began {first}, and this look is {this}. What an open look tells "
            "can be used by all later ones, so that both are not mixed on one "
            f"hold-out set: go on {first}, or take new records."
        )
    began = header["set"]
    differ = [words for key, words in SAME_SET.items() if began.get(key) != holdout[key]]
    if differ:
        raise ValueError(
            f"{where} counts looks at another hold-out set: the {' and '.join(differ)} "
            "differ. Use the records that it began with, read the same way, or begin a "
            "new ledger for new records."
        )
    if header["alpha"] != alpha:
        raise ValueError(
            f"{where} spends alpha={header['alpha']:g}. Got a gate with "
            f"alpha={alpha:g}. One hold-out set has one level: use that of the ledger."
        )
    if ledger.rule is not None and (ledger.rule, ledger.looks) != (
        header["rule"],
        header["looks"],
    ):
        words = " of {looks} looks" if header["looks"] else ""
        raise ValueError(
            f'{where} spends by rule="{header["rule"]}"'
            f"{words.format(looks=header['looks'])}. Got rule={ledger.rule!r} and "
            f"looks={ledger.looks!r}. A rule is not changed once looks are taken."
        )


def _check_open(ledger: Ledger, state: LedgerState) -> None:
    """Refuse a further look where the rule has none left, or a blind one passed."""
    header, taken = state.header, len(state.looks)
    if header["blind"] and state.passed is not None:
        raise ValueError(
            f"The hold-out set of the blind ledger {str(ledger.path)!r} has let a "
            f"challenger pass, at look {state.passed.number}. A further one needs a "
            "new hold-out set, and a new ledger."
        )
    if header["looks"] is not None and taken >= header["looks"]:
        raise ValueError(
            f"All {header['looks']} looks of the ledger {str(ledger.path)!r} are taken. "
            "A further one needs a new hold-out set, and a new ledger."
        )


def _same(look: Look, taken: Taken) -> bool:
    mine = taken.look
    return (look.gate, look.answers) == (mine.gate, mine.answers)


def _short(name: str) -> str:
    """A name that fits a line."""
    return name if len(name) <= 100 else f"{name[:99]}…"
