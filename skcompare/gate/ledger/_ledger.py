"""Ledger of the looks at a hold-out set, and of the level that each of them spends."""

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
    """Ledger that counts looks at a hold-out set, and spends the level of a gate over them.

    A hundred challengers that are no better, each judged at 0.05 on the same records, let
    some pass almost surely. A ledger gives look k the level alpha_k instead, so that all
    levels add up to alpha at most: the probability that *any* challenger passes that
    should not is at most alpha, whatever the dependence between the looks (Bonferroni's
    inequality). That holds for challengers that are chosen without looking at these
    records. A team that optimises the difference that is reported to it defeats this and
    every other rule [1]_; a blind gate reports nothing to optimise, see
    :meth:`skcompare.gate.Gate.decide`.

    The file has JSON lines that are only added to, the first of which identifies the set.
    A look is written to disk before anything is judged: one that crashes is spent. The
    same predictions by the same conditions are the same look, at the same level, so that
    running a build again costs nothing. Other conditions are another look, and identical
    predictions of champion and challenger are none.

    Parameters
    ----------
    path : str or path-like
        The file; it is created at the first look.
    rule : {"decreasing", "equal"}, optional
        "decreasing" gives look k the part of alpha that is left before it minus the part
        left after it, where alpha / (1 + log2(1 + k)) is left after k looks. The first gets
        a half, and looks never run out. "equal" gives each of `looks` looks alpha / looks,
        and refuses more. By default that of the file, and "decreasing" for a new one.
    looks : int, optional
        Number of looks for "equal".

    Raises
    ------
    ValueError
        If the rule is unknown, or `looks` does not suit it.

    Notes
    -----
    Every line has a hash of the lines before it, so that a line which was edited, removed
    or merged by accident is detected. That is no protection from a person who wants to
    cheat, and lines cut off at the end are not detected either; keep the file under version
    control, whose history shows both. Where the file is missing, a new one begins at
    look 1. Other processes are locked out by a file with the ending `.lock` while a line is
    written.

    A set is recognised by its ids, its groups, and its true labels or, without ids, the
    number of records of each class. A blind ledger contains nothing of the labels.

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
        """Return the level of a look.

        Parameters
        ----------
        number : int
            Number of the look, counted from 1.
        alpha : float
            Level of the gate, which all looks share.

        Returns
        -------
        level : float
            Level of this look; 0 if the rule has no more looks. If this ledger names no
            rule, that of the file applies.
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
        """Return the looks so far.

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
        """Read the ledger, or return None if its file does not exist."""
        path = Path(self.path)
        if not path.exists():
            return None
        with locked(path):
            return read_ledger(path)


def as_ledger(ledger: Any) -> Ledger:
    """Convert a path to a ledger; a ledger is returned unchanged."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)


SAME_SET = {
    "n_records": "records",
    "labels": "true labels",
    "ids": "ids",
    "groups": "groups",
}


@dataclass(frozen=True)
class Taken:
    """Recorded look, and the state of the ledger after it."""

    state: LedgerState
    look: Look
    repeated: bool

    def summary(self, path: Any, *, closed: bool) -> dict[str, Any]:
        """Return the look as a dict for decisions; `closed` forbids further looks."""
        header, n_looks = self.state.header, len(self.state.looks)
        rule, alpha, looks = (header[name] for name in ("rule", "alpha", "looks"))
        closed = closed or n_looks == looks
        next_alpha = None if closed else level_of_look(rule, n_looks + 1, alpha, looks)
        looks_left = None if looks is None else looks - n_looks
        return {
            "number": self.look.number,
            "alpha": self.look.level,
            "rule": rule,
            "total_alpha": alpha,
            "looks_left": 0 if closed else looks_left,
            "alpha_left": 0.0 if closed else left_after(rule, n_looks, alpha, looks),
            "next_alpha": next_alpha,
            "repeated": self.repeated,
            "ledger": os.fspath(path),
        }


def check_ledger_file(
    ledger: Ledger, holdout: Mapping[str, Any], alpha: float, *, blind: bool
) -> None:
    """Raise an error if a ledger is broken, or of another set, level, rule or kind."""
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
    predictions: str,
    names: tuple[str, str],
    *,
    blind: bool,
) -> Taken:
    """Record a look before judging, or return the recorded look that it repeats."""
    path = Path(ledger.path)
    with locked(path):
        state = read_ledger(path)
        if state is not None:
            _check_same(ledger, state.header, holdout, alpha, blind)
            for look in state.looks:
                if (look.gate, look.predictions) == (gate, predictions):
                    return Taken(state, look, repeated=True)
            _check_open(ledger, state)
        new_lines = [] if state is not None else [_header(ledger, holdout, alpha, blind)]
        header = new_lines[0] if state is None else state.header
        last_hash = header["hash"] if state is None else state.last_hash
        number = 1 if state is None else len(state.looks) + 1
        level = level_of_look(header["rule"], number, alpha, header["looks"])
        champion, challenger = map(_short, names)
        look = Look(number, level, gate, predictions, champion, challenger, now())
        fields = [name for name in Look.__slots__ if name not in ("number", "status")]
        line = {"look": number} | {name: getattr(look, name) for name in fields}
        append(path, *new_lines, sealed(line, last_hash))
        looks = () if state is None else state.looks
        return Taken(LedgerState(header, (*looks, look), ""), look, repeated=False)


def finish_look(ledger: Ledger, taken: Taken, status: str) -> str:
    """Record the status of a look, and return the status that was recorded first."""
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
        recorded = looks[number - 1].status
        if recorded is None:
            line = {"result": number, "status": status}
            append(path, sealed(line, state.last_hash))
        return recorded or status


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
    """Check that set, level, rule and kind match the header of the ledger."""
    where = f"The ledger {str(ledger.path)!r}"
    if header["blind"] != blind:
        ledger_kind, look_kind = "blind", "not blind"
        if blind:
            ledger_kind, look_kind = look_kind, ledger_kind
        raise ValueError(
            f"{where} began {ledger_kind}, and this look is {look_kind}. What an open look "
            "tells can be used by all later ones, so that both are not mixed on one "
            f"hold-out set: go on {ledger_kind}, or take new records."
        )
    stored = header["set"]
    differ = [name for key, name in SAME_SET.items() if stored.get(key) != holdout[key]]
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
        looks_text = " of {looks} looks" if header["looks"] else ""
        raise ValueError(
            f'{where} spends by rule="{header["rule"]}"'
            f"{looks_text.format(looks=header['looks'])}. Got rule={ledger.rule!r} and "
            f"looks={ledger.looks!r}. A rule is not changed once looks are taken."
        )


def _check_open(ledger: Ledger, state: LedgerState) -> None:
    """Raise an error if no look is left, or a look of a blind ledger has passed."""
    header, n_looks = state.header, len(state.looks)
    if header["blind"] and state.passed is not None:
        raise ValueError(
            f"The hold-out set of the blind ledger {str(ledger.path)!r} has let a "
            f"challenger pass, at look {state.passed.number}. A further one needs a "
            "new hold-out set, and a new ledger."
        )
    if header["looks"] is not None and n_looks >= header["looks"]:
        raise ValueError(
            f"All {header['looks']} looks of the ledger {str(ledger.path)!r} are taken. "
            "A further one needs a new hold-out set, and a new ledger."
        )


def _same(look: Look, taken: Taken) -> bool:
    own = taken.look
    return (look.gate, look.predictions) == (own.gate, own.predictions)


def _short(name: str) -> str:
    """Truncate a name to 100 characters."""
    return name if len(name) <= 100 else f"{name[:99]}…"
