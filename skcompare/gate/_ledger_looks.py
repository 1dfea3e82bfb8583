"""Looks that a ledger writes down: refused, taken, repeated and finished."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skcompare.gate._ledger import Ledger
from skcompare.gate._ledger_file import (
    SCHEMA,
    LedgerState,
    Look,
    append,
    locked,
    now,
    read_ledger,
    sealed,
)
from skcompare.gate._ledger_rules import DECREASING, left_after, level_of_look

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
