"""File of a ledger: JSON lines that one process at a time adds to."""

import json
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from skcompare._core.atomic_write import replaced_on_success
from skcompare.gate._outcomes import FAILED, INCONCLUSIVE, NOT_PASSED, PASSED

DECREASING, EQUAL = "decreasing", "equal"
RULES = (DECREASING, EQUAL)


def level_of_look(rule: str, number: int, alpha: float, looks: int | None) -> float:
    """Return the level of a look, counted from 1.

    It is the part left before the look minus the part left after it. Under "decreasing"
    that is alpha log2(1 + 1/k) / ((1 + log2 k) (1 + log2 (k + 1))) for look k, computed
    without subtracting nearly equal numbers.
    """
    if looks is not None:
        return alpha / looks
    step = math.log1p(1 / number) / math.log(2)
    return alpha * step / ((1 + math.log2(number)) * (1 + math.log2(number + 1)))


def left_after(rule: str, taken: int, alpha: float, looks: int | None) -> float:
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
LOOK = {
    "look": int,
    "level": float,
    "gate": str,
    "predictions": str,
    "champion": str,
    "challenger": str,
    "time": str,
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
        raise OSError(f"Cannot keep a ledger at {str(path)!r}: it is no plain file.")
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
                f"Cannot keep a ledger at {str(path)!r}: its folder takes no new files "
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
        raise _broken(path, number, "is no line of a ledger")
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
        raise _broken(path, 1, "is no header of a ledger")


def _looks(
    path: Path, header: Mapping[str, Any], entries: list[dict[str, Any]]
) -> tuple[Look, ...]:
    """Return the looks in order, with their statuses."""
    rule, alpha, most = (header[name] for name in ("rule", "alpha", "looks"))
    statuses = (PASSED, NOT_PASSED) if header["blind"] else (PASSED, FAILED, INCONCLUSIVE)
    looks: list[Look] = []
    for line, entry in enumerate(entries, 2):
        if "look" in entry:
            number = len(looks) + 1
            due = level_of_look(rule, number, alpha, most)
            fits = entry["look"] == number and (most is None or number <= most)
            # The comparison also fails for NaN.
            if not fits or not abs(entry["level"] - due) <= CHECKED * due:
                raise _broken(path, line, "is not the look that is due")
            fields = {k: v for k, v in entry.items() if k not in ("look", "hash")}
            looks.append(Look(number, **fields))
            continue
        at = entry["result"] - 1
        open_look = 0 <= at < len(looks) and looks[at].status is None
        if not open_look or entry["status"] not in statuses:
            raise _broken(path, line, "is no result of an open look")
        fields = {name: getattr(looks[at], name) for name in Look.__slots__}
        looks[at] = Look(**{**fields, "status": entry["status"]})
    if not looks:
        raise _broken(path, 1, "has no look after it")
    return tuple(looks)
