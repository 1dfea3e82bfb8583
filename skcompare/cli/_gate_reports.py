"""Reports of a gate: in which formats, and in files that are checked beforehand."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skcompare._core.atomic_write import write_text
from skcompare.gate import GateDecision
from skcompare.gate._same_file import are_one_file

REPORTS: dict[str, Callable[[GateDecision], str]] = {
    "text": str,
    "markdown": GateDecision.to_markdown,
    "json": GateDecision.to_json,
    "junit": GateDecision.to_junit,
    "html": GateDecision.to_html,
}

JOB_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable of the environment that names the summary of a job."""


def check_targets(targets: Mapping[str, str], kept: Sequence[str]) -> None:
    """Refuse reports that cannot be written, before anything is judged.

    Parameters
    ----------
    targets : mapping of str to str
        The file of each report, by its format.
    kept : sequence of str
        Files that must not be overwritten.
    """
    seen: list[str] = []
    written: dict[str, Path] = {}
    for name, path in targets.items():
        if not path:
            raise ValueError(f"--{name} needs the name of a file. Got an empty one.")
        for other in kept:
            if are_one_file(path, other):
                raise ValueError(
                    f"--{name} {path!r} would overwrite {other!r}, which the gate needs. "
                    "Name another file."
                )
        real = Path(os.path.realpath(path))
        if real.exists() and not real.is_file() and not real.is_dir():
            # A pipe or a device takes what comes.
            continue
        if any(are_one_file(path, one) for one in seen):
            raise ValueError(f"Two reports cannot be in one file. Got {path!r} twice.")
        seen.append(path)
        _check_folder(name, path, real)
        written[name] = real
    for name, real in written.items():
        _check_writable(name, targets[name], real)


def _check_folder(name: str, path: str, real: Path) -> None:
    if real.is_dir():
        raise IsADirectoryError(f"--{name} {path!r} is a folder. Name a file in it.")
    if not real.parent.is_dir():
        raise FileNotFoundError(f"--{name}: cannot write {path!r}: no such folder.")


def _check_writable(name: str, path: str, real: Path) -> None:
    # Reports are written to a file beside, which takes their place; permissions alone do
    # not tell whether it can be made.
    beside = real.with_name(f".{real.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        beside.touch(exist_ok=False)
        beside.unlink()
    except OSError as error:
        raise type(error)(
            f"--{name}: cannot write {path!r}: its folder takes no new file of this name "
            f"({error.strerror})."
        ) from error


def write_reports(decision: GateDecision, targets: Mapping[str, str]) -> None:
    """Write each report whole or not at all.

    The summary of a job is what its steps add to, so that this one is added at its end.
    """
    texts = {path: REPORTS[name](decision) for name, path in targets.items()}
    summary = os.environ.get(JOB_SUMMARY)
    names = {path: name for name, path in targets.items()}
    for path, text in texts.items():
        before = ""
        if summary and os.path.isfile(path) and are_one_file(path, summary):
            before = Path(path).read_text(encoding="utf-8")
            before += "" if not before or before.endswith("\n") else "\n"
        end = "" if text.endswith("\n") else "\n"
        try:
            write_text(path, f"{before}{text}{end}")
        except OSError as error:
            words = error.strerror or str(error)
            raise type(error)(
                f"--{names[path]}: cannot write {path!r}: {words}."
            ) from error
