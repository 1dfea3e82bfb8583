"""File of a ledger: JSON lines that one process at a time adds to."""

import json
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.validation import check_choice, check_count
from skcompare._registry.metrics import FORECASTS
from skcompare.gate._decision import FAILED, INCONCLUSIVE, NOT_PASSED, PASSED
from skcompare.gate._subjects import ItemSubject, Subject, TalliedSubject
from skcompare.predictions import fingerprint, is_text, written

DECREASING, EQUAL = "decreasing", "equal"
RULES = (DECREASING, EQUAL)


def level_of_look(number: int, alpha: float, looks: int | None) -> float:
    """Return the level of a look, counted from 1.

    It is the part left before the look minus the part left after it. Under "decreasing"
    that is alpha log2(1 + 1/k) / ((1 + log2 k) (1 + log2 (k + 1))) for look k, computed
    without subtracting nearly equal numbers.
    """
    if looks is not None:
        return alpha / looks
    step = math.log1p(1 / number) / math.log(2)
    return alpha * step / ((1 + math.log2(number)) * (1 + math.log2(number + 1)))


def left_after(taken: int, alpha: float, looks: int | None) -> float:
    """Return the part of the level that is left after some looks.

    Under "decreasing" it is alpha / (1 + log2 (1 + k)) after k looks: a half after 1, a
    third after 3, a quarter after 7. This series decreases slowly: some level is always
    left, and look k gets about 1 / (k log2(k)^2) of alpha, many times as much as the usual
    1/k^2 leaves for a late look.
    """
    if looks is not None:
        return alpha * max(looks - taken, 0) / looks
    return alpha / (1 + math.log2(1 + taken))


SCHEMA = 1
LOCK_SECONDS = 10.0
"""Time that a process waits for another one that holds the ledger."""

RESTORE = (
    "Restore the file from version control. A ledger is only ever added to; begin a new "
    "one only for records that no decision has used."
)
CHECKED = 1e-9
"""Relative error within which two computers may round a level differently."""

HEADER = {
    "ledger": str,
    "schema": int,
    "version": str,
    "rule": str,
    "looks": int | None,
    "alpha": float,
    "blind": bool,
    "set": dict,
    "started": str,
    "hash": str,
}
RESULT = {"result": int, "status": str, "hash": str}


@dataclass(frozen=True, slots=True)
class Look:
    """Look at a hold-out set, with its level, digests, time and status."""

    number: int
    level: float
    gate: str
    predictions: str
    champion: str
    challenger: str
    time: str
    status: str | None = None


LOOK_FIELDS: dict[str, Any] = {
    f.name: f.type for f in fields(Look) if f.name not in ("number", "status")
}
LOOK: dict[str, Any] = {"look": int, **LOOK_FIELDS, "hash": str}


@dataclass(frozen=True, slots=True)
class LedgerState:
    """Content of a ledger file."""

    header: Mapping[str, Any]
    looks: tuple[Look, ...]
    last_hash: str

    @property
    def passed(self) -> Look | None:
        """First look that passed, or None."""
        return next((look for look in self.looks if look.status == PASSED), None)


def now() -> str:
    """Return the current time in UTC as ISO text, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def sealed(record: Mapping[str, Any], before: str) -> dict[str, Any]:
    """Return a line with a hash that also covers all previous lines."""
    text = before + json.dumps(record, sort_keys=True)
    return {**record, "hash": sha256(text.encode()).hexdigest()[:16]}


def lock_of(path: Path) -> Path:
    """Return the path of the lock file of a ledger."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.lock")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a ledger by creating a lock file in the same folder.

    The lock of a process that was killed is not removed by another one: only a person can
    tell that nobody holds it. Links are followed, so that a ledger has one lock under all
    its names.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(f"Cannot keep a ledger at {str(path)!r}: no such folder.")
    if path.exists() and not path.is_file():
        raise OSError(f"Cannot keep a ledger at {str(path)!r}: it is not a regular file.")
    lock = lock_of(path)
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            break
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise TimeoutError(_lock_message(path, lock)) from None
        except OSError as error:
            raise type(error)(
                f"Cannot keep a ledger at {str(path)!r}: its folder accepts no new files "
                f"({error.strerror})."
            ) from error
        time.sleep(0.01)
    try:
        with suppress(OSError):  # the lock holds even on a full disk
            holder = f"process {os.getpid()} on {socket.gethostname()}"
            os.write(descriptor, holder.encode())
        os.close(descriptor)
        yield
    finally:
        lock.unlink(missing_ok=True)


def _lock_message(path: Path, lock: Path) -> str:
    holder = ""
    with suppress(OSError):
        holder = lock.read_text(encoding="utf-8", errors="replace")[:100]
    return (
        f"The ledger {str(path)!r} is in use by {holder or 'another process'} for more "
        f"than {LOCK_SECONDS:g} seconds. If that process is gone, it was killed while it "
        f"wrote: delete {str(lock)!r} and run again."
    )


def append(path: Path, *records: Mapping[str, Any]) -> None:
    """Append lines to a locked ledger, and wait until they are on disk."""
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    if not path.exists():
        # Whole or not at all: a file without a look would be refused ever after.
        with replaced_on_success(path, synced=True) as unfinished:
            unfinished.write_bytes(lines)
        return
    with open(path, "ab") as file:
        size = file.tell()
        try:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            # On a full disk, remove the partial line, and name the file in the error.
            with suppress(OSError):
                os.truncate(path, size)
            if error.errno is not None:
                error.filename = error.filename or str(path)
            raise


def read_ledger(path: Path) -> LedgerState | None:
    """Read a ledger and check every line, or return None if there is no file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    # Version control on Windows may have changed the line endings.
    data = data.replace(b"\r\n", b"\n")
    if not data:
        raise ValueError(
            f"The ledger {str(path)!r} is empty: its lines were lost. {RESTORE}"
        )
    *lines, rest = data.split(b"\n")
    if rest:
        raise ValueError(
            f"The last line of the ledger {str(path)!r} is not complete: it was cut while "
            "it was written, before anything was decided by it. Remove that line, if "
            "nobody edited the file."
        )
    records, before = [], ""
    for number, line in enumerate(lines, 1):
        record = _parsed(path, number, line)
        content = {key: value for key, value in record.items() if key != "hash"}
        if record != sealed(content, before):
            raise _broken(path, number, "does not follow from the lines before it")
        before = record["hash"]
        records.append(record)
    header, *entries = records
    _check_header(path, header)
    return LedgerState(header, _looks(path, header, entries), before)


def _broken(path: Path, number: int, problem: str) -> ValueError:
    return ValueError(
        f"Line {number} of the ledger {str(path)!r} {problem}: lines were edited, removed "
        f"or merged. {RESTORE}"
    )


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """Parse a line, which must be byte for byte as written."""
    try:
        record = json.loads(line.decode("ascii"))
        same = isinstance(record, dict) and json.dumps(record).encode() == line
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise _broken(path, number, "is not a line of a ledger")
    kinds = HEADER if "ledger" in record else LOOK if "look" in record else RESULT
    newer = "ledger" in record and record.get("schema") != SCHEMA
    if newer and record["ledger"] == "skcompare.gate":
        raise ValueError(
            f"The ledger {str(path)!r} has schema {record.get('schema')!r}, and this "
            f"version of skcompare knows {SCHEMA}. Use the version that wrote it."
        )
    # A bool is an int in Python, but not here.
    fits = record.keys() == kinds.keys() and all(
        isinstance(record[key], kind) and isinstance(record[key], bool) == (kind is bool)
        for key, kind in kinds.items()
    )
    if not fits or ("ledger" in record) != (number == 1):
        raise _broken(path, number, "is not what belongs there")
    return record


def _check_header(path: Path, header: Mapping[str, Any]) -> None:
    looks = header["looks"]
    fits = (
        header["ledger"] == "skcompare.gate"
        and header["rule"] in RULES
        and 0 < header["alpha"] < 0.5
        and (looks is None) == (header["rule"] == DECREASING)
        and (looks is None or looks > 0)
    )
    if not fits:
        raise _broken(path, 1, "is not a header of a ledger")


def _looks(
    path: Path, header: Mapping[str, Any], entries: list[dict[str, Any]]
) -> tuple[Look, ...]:
    """Return the looks in order, with their statuses."""
    alpha, most = header["alpha"], header["looks"]
    statuses = (PASSED, NOT_PASSED) if header["blind"] else (PASSED, FAILED, INCONCLUSIVE)
    looks: list[Look] = []
    for line, entry in enumerate(entries, 2):
        if "look" in entry:
            number = len(looks) + 1
            due = level_of_look(number, alpha, most)
            fits = entry["look"] == number and (most is None or number <= most)
            # The comparison also fails for NaN.
            if not fits or not abs(entry["level"] - due) <= CHECKED * due:
                raise _broken(path, line, "is not the look that is due")
            looks.append(Look(number, **{name: entry[name] for name in LOOK_FIELDS}))
            continue
        at = entry["result"] - 1
        open_look = 0 <= at < len(looks) and looks[at].status is None
        if not open_look or entry["status"] not in statuses:
            raise _broken(path, line, "is not the result of an open look")
        looks[at] = replace(looks[at], status=entry["status"])
    if not looks:
        raise _broken(path, 1, "has no look after it")
    return tuple(looks)


@dataclass(frozen=True)
class Ledger:
    """Ledger that counts looks at a hold-out set, and spends the level of a gate over them.

    If a hundred challengers that are no better are each tested at 0.05 on the same records,
    some almost certainly pass. A ledger gives look k the level alpha_k instead, so that all
    levels add up to alpha at most: the probability that *any* challenger passes that should
    not is at most alpha, whatever the dependence between the looks (Bonferroni's
    inequality). This holds for challengers chosen without using these records. A team that
    optimises the reported difference defeats this and any other rule [1]_; a blind gate
    reports nothing to optimise, see :meth:`skcompare.gate.Gate.decide`.

    The file has JSON lines that are only added to, the first of which identifies the set. A
    look is written to disk before anything is evaluated: one that crashes is spent. The
    same predictions by the same conditions are the same look, at the same level, so that
    running a build again costs nothing. Different conditions are a new look, and identical
    predictions of champion and challenger are not a look.

    Parameters
    ----------
    path : str or path-like
        The file; it is created at the first look.
    rule : {"decreasing", "equal"}, optional
        "decreasing" gives look k the part of alpha that is left before it minus the part
        left after it, where alpha / (1 + log2(1 + k)) is left after k looks. The first gets
        a half, and looks never run out. "equal" gives each of `looks` looks alpha / looks,
        and rejects further ones. By default that of the file, and "decreasing" for a new
        one.
    looks : int, optional
        Number of looks for "equal".

    Raises
    ------
    ValueError
        If the rule is unknown, or `looks` does not suit it.

    Notes
    -----
    Every line has a hash of the lines before it, so that accidental edits, removals or
    merges of lines are detected. That is no protection against deliberate manipulation, and
    lines cut off at the end are not detected either; keep the file under version control,
    whose history shows both. Where the file is missing, a new one begins at look 1. A file
    with the extension `.lock` locks out other processes while a line is written, those of
    other machines on a shared disk too. It does not belong under version control. A process
    that is killed while writing leaves it behind, and the next error names it.

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
        return level_of_look(number, alpha, looks)

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


SAME_SET = {
    "n_records": "records",
    "labels": "true labels",
    "ids": "ids",
    "groups": "groups",
}


@dataclass(frozen=True)
class Taken:
    """Recorded look, with the path of its ledger and the state of that after it."""

    path: Any
    state: LedgerState
    look: Look
    repeated: bool

    def summary(self, *, closed: bool) -> dict[str, Any]:
        """Return the look as a dict for decisions; `closed` forbids further looks."""
        header, n_looks = self.state.header, len(self.state.looks)
        rule, alpha, looks = (header[name] for name in ("rule", "alpha", "looks"))
        closed = closed or n_looks == looks
        next_alpha = None if closed else level_of_look(n_looks + 1, alpha, looks)
        looks_left = None if looks is None else looks - n_looks
        return {
            "number": self.look.number,
            "alpha": self.look.level,
            "rule": rule,
            "total_alpha": alpha,
            "looks_left": 0 if closed else looks_left,
            "alpha_left": 0.0 if closed else left_after(n_looks, alpha, looks),
            "next_alpha": next_alpha,
            "repeated": self.repeated,
            "ledger": os.fspath(self.path),
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
    names: Sequence[str],
    *,
    blind: bool,
) -> Taken:
    """Record a look before judging, or return the recorded look that it repeats."""
    path = Path(ledger.path)
    with locked(path):
        state, new_lines = read_ledger(path), []
        if state is None:
            new_lines = [_header(ledger, holdout, alpha, blind)]
            state = LedgerState(new_lines[0], (), new_lines[0]["hash"])
        _check_same(ledger, state.header, holdout, alpha, blind)
        for look in state.looks:
            if (look.gate, look.predictions) == (gate, predictions):
                return Taken(ledger.path, state, look, repeated=True)
        _check_open(ledger, state)
        number = len(state.looks) + 1
        level = level_of_look(number, alpha, state.header["looks"])
        champion, challenger = map(_short, names)
        look = Look(number, level, gate, predictions, champion, challenger, now())
        line = {"look": number} | {name: getattr(look, name) for name in LOOK_FIELDS}
        append(path, *new_lines, sealed(line, state.last_hash))
        state = replace(state, looks=(*state.looks, look))
        return Taken(ledger.path, state, look, repeated=False)


def finish_look(taken: Taken, status: str) -> str:
    """Record the status of a look, and return the status that was recorded first."""
    path, number = Path(taken.path), taken.look.number
    with locked(path):
        state = read_ledger(path)
        looks = () if state is None else state.looks
        if state is None or len(looks) < number or not _same(looks[number - 1], taken):
            raise ValueError(
                f"Look {number} is no longer in the ledger {str(taken.path)!r}: the "
                "file was replaced during the evaluation. Nothing is decided; "
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
        kinds = {True: "blind", False: "not blind"}
        ledger_kind, look_kind = kinds[header["blind"]], kinds[blind]
        raise ValueError(
            f"{where} began {ledger_kind}, and this look is {look_kind}. What an open look "
            "reports can be used by all later ones, so that the two must not be mixed on "
            f"one hold-out set: continue {ledger_kind}, or take new records."
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
    rule, looks = header["rule"], header["looks"]
    if ledger.rule is not None and (ledger.rule, ledger.looks) != (rule, looks):
        looks_text = f" of {looks} looks" if looks else ""
        raise ValueError(
            f'{where} spends by rule="{rule}"{looks_text}. Got rule={ledger.rule!r} and '
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


class Digests:
    """Digests of a hold-out set, and of predictions for its records or scores of its items.

    Parameters
    ----------
    parts : sequence
        The predictions or scores, with all else that a look depends on.
    groups : ndarray of shape (n_samples,) or None
        Group of each record or item.
    ids : ndarray of shape (n_samples,) or None
        Their ids.
    y : ndarray of shape (n_samples,) or None
        True classes, as positions in `classes`; None for items.
    classes : sequence of str
        Class labels.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        groups: Any,
        ids: Any,
        y: Any = None,
        classes: Sequence[str] = (),
    ) -> None:
        self.parts, self.groups, self.y, self.classes = parts, groups, y, classes
        self.ids = ids = None if ids is None else _plain(ids)
        is_sorted = ids is None or (ids[1:] > ids[:-1]).all()
        self.order: Any = slice(None) if is_sorted else np.argsort(ids)
        self.n = len(ids if y is None else y)

    def of_set(self, *, blind: bool) -> dict[str, Any]:
        """Return values that identify the hold-out set, in any order of its records.

        Without ids they are the number of records of each class, and of each class in each
        group: records in another order must not begin a new ledger. For a blind ledger
        they are the number of records, in all and in each group. Another set that agrees
        in these spends from the same ledger, which costs power and no validity.
        """
        codes, names = self._classes(blind)
        labels = group_digest = None
        if self.ids is not None:
            labels = _digest(self.order, codes, names)
            if self.groups is not None:
                group_digest = _digest(self.order, self.groups)
        else:
            pairs = sorted(zip(names, np.bincount(codes).tolist(), strict=True))
            labels = fingerprint([json.dumps(pairs)])
            if self.groups is not None:
                cells = self.groups.astype(np.int64) * len(names) + codes
                group_digest = fingerprint(*np.unique(cells, return_counts=True))
        return {
            "n_records": self.n,
            "labels": None if blind or self.y is None else labels,
            "ids": None if self.ids is None else _digest(self.order, self.ids),
            "groups": group_digest,
        }

    def _classes(self, blind: bool) -> tuple[NDArray[Any], list[str]]:
        """Return the class of each record, and the names of those that occur, or one."""
        if blind or self.y is None:
            return np.zeros(self.n, dtype=np.intp), [""]
        if self.y.ndim == 2:
            # Numbers of several outputs: each row that occurs is its own.
            rows, codes = np.unique(self.y, axis=0, return_inverse=True)
            return codes.reshape(-1), [repr(row) for row in rows.tolist()]
        present = np.unique(self.y)
        # Numbers have no classes: each that occurs is its own.
        names: Any = self.classes or {value: repr(value) for value in present.tolist()}
        return np.searchsorted(present, self.y), [names[k] for k in present.tolist()]

    def of_predictions(self, *, blind: bool) -> str:
        """Return a digest of predictions or scores, in the order of ids if there are any.

        Numbers are compared to the last digit. Scores reveal what is correct, and those of
        few items could be found by trying all: a blind look at them is never recognised
        again.
        """
        if blind and self.y is None:
            return token_hex(16)
        return _digest(self.order, *self.parts)


def digests_of(subject: Subject, used: Sequence[str]) -> Digests:
    """Return the digests of a subject, including the columns that define slices."""
    if isinstance(subject, ItemSubject):
        scores = subject.data
        arrays = [scores.champion, scores.challenger, scores.attempts, scores.groups]
        columns = _order_of(scores) + _used_columns(scores.columns, used)
        return Digests([*arrays, *columns], scores.groups, scores.items)
    if isinstance(subject, TalliedSubject) and subject.source is not None:
        raise ValueError(
            "A ledger needs every record, but they are counted on the engine. Pass a "
            "greater `collect` where they fit in memory."
        )
    predictions = subject.data
    fixed = predictions.records is None and predictions.bounds is None
    if not fixed or predictions.tally is not None or predictions.y is None:
        got = "predictions that were counted" if fixed else str(subject.data.design)
        raise ValueError(
            "A ledger counts looks at the records of one hold-out set. Got "
            f"{got}. Pass labels and predictions record by record."
        )
    groups, y = predictions.groups, predictions.y
    classes = [str(label) for label in predictions.classes.tolist()]
    roles = [(role.labels, role.proba, role.decision) for role in subject.pair.roles]
    parts: list[Any] = [array for arrays in roles for array in arrays]
    for kind in FORECASTS:
        arrays = [getattr(role, kind) for role in subject.pair.roles]
        parts += [array for array in arrays if array is not None]
    parts += [list(role.levels) for role in subject.pair.roles if role.levels]
    if predictions.outputs:
        # In whatever order a policy names them.
        y = y[:, np.argsort(predictions.outputs)]
    parts += [groups, classes, str(subject.pos_label), *_order_of(predictions)]
    parts += _used_columns(subject.columns, used)
    return Digests(parts, groups, subject.ids, y, classes)


def _order_of(data: Any) -> list[Any]:
    """List the times of records or items and the horizon, if there are times."""
    return [] if data.time is None else [data.time, str(data.horizon)]


def gate_digest(values: dict[str, Any]) -> str:
    """Return a digest of the conditions of a gate, without the level."""
    excluded = ("alpha", "tell_inconclusive")
    conditions = {key: value for key, value in values.items() if key not in excluded}
    return fingerprint([json.dumps(conditions, sort_keys=True, default=repr)])


def _digest(order: Any, *parts: Any) -> str:
    """Return a digest of arrays, sorted by `order`, and of other parts."""
    return fingerprint(*(_ordered(order, part) for part in parts))


def _ordered(order: Any, part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return _plain(part)[order]
    return part if part is None else [part]


def _used_columns(columns: Mapping[str, Any], used: Sequence[str]) -> list[Any]:
    """List the names and the values of the columns that define slices, by name."""
    names = sorted(name for name in columns if name in used)
    return [part for name in names for part in (name, columns[name])]


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Convert an array to a common type of its kind.

    Ids that are whole numbers become integers, also from text of a CSV file.
    """
    if is_text(array):
        texts = written(array).astype(np.str_)
        if all(text.lstrip("-").isdecimal() and len(text) < 19 for text in texts.tolist()):
            numbers = texts.astype(np.int64)
            if np.array_equal(numbers.astype(np.str_), texts):
                return numbers
        return texts
    kind = array.dtype.kind
    if kind in "iu" and int(array.max(initial=0)) <= np.iinfo(np.int64).max:
        return array.astype(np.int64, copy=False)
    return array.astype(np.float64, copy=False) if kind == "f" else array
