"""Predictions in files: npz or JSON, never pickle."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from skcompare._core.atomic_write import replaced_on_success
from skcompare._core.design import Design
from skcompare.predictions._predictions import Answers, Predictions

FORMAT = "skcompare.predictions"
VERSION = 1
ARRAYS = ("classes", "y", "records", "bounds", "n_train", "groups")
ANSWER_ARRAYS = ("labels", "proba", "decision", "fit_times", "predict_times")


def save_predictions(predictions: Predictions, path: Any) -> None:
    """Write all arrays and a JSON header; the file appears whole or not at all."""
    target = Path(path)
    writer = {".npz": _write_npz, ".json": _write_json}.get(target.suffix)
    if writer is None:
        raise ValueError(f"`path` must end in .npz or .json. Got {str(path)!r}.")
    with replaced_on_success(target) as unfinished:
        writer(_header(predictions), _arrays(predictions), unfinished)


def load_predictions(path: Any) -> Predictions:
    """Read what :func:`save_predictions` wrote."""
    source = Path(path)
    try:
        if source.suffix == ".json":
            stored = json.loads(source.read_text(encoding="utf-8"))
            header = stored["header"]
            arrays = {
                name: np.array(given["values"], dtype=given["dtype"]).reshape(
                    given["shape"]
                )
                for name, given in stored["arrays"].items()
            }
        else:
            with source.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files if name != "header"}
                header = json.loads(str(stored["header"]))
        if header["format"] != FORMAT or header["version"] != VERSION:
            raise KeyError(f"{header['format']} version {header['version']}")
        return _restored(header, arrays)
    except FileNotFoundError:
        raise
    except (KeyError, ValueError, TypeError, EOFError, OSError, BadZipFile) as error:
        raise ValueError(
            f"{str(path)!r} is not a file of predictions, version {VERSION} ({error}). "
            "Make one by Predictions.save."
        ) from error


def _header(predictions: Predictions) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "design": asdict(predictions.design),
        "fingerprint": predictions.fingerprint,
        "flags": list(predictions.flags),
        "answers": [
            {"name": answer.name, "description": answer.description}
            for answer in predictions.answers
        ],
    }


def _arrays(predictions: Predictions) -> dict[str, np.ndarray]:
    arrays = {name: getattr(predictions, name) for name in ARRAYS}
    for position, answer in enumerate(predictions.answers):
        for name in ANSWER_ARRAYS:
            arrays[f"{position}.{name}"] = getattr(answer, name)
    return {name: array for name, array in arrays.items() if array is not None}


def _write_npz(header: dict[str, Any], arrays: dict[str, np.ndarray], path: Path) -> None:
    with path.open("wb") as file:
        np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type]


def _write_json(header: dict[str, Any], arrays: dict[str, np.ndarray], path: Path) -> None:
    listed = {
        name: {"dtype": array.dtype.str, "shape": array.shape, "values": array.tolist()}
        for name, array in arrays.items()
    }
    path.write_text(json.dumps({"header": header, "arrays": listed}), encoding="utf-8")


def _restored(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Predictions:
    answers = tuple(
        Answers(
            **words,
            **{name: arrays.get(f"{position}.{name}") for name in ANSWER_ARRAYS},  # type: ignore[arg-type]
        )
        for position, words in enumerate(header["answers"])
    )
    return Predictions(
        **{name: arrays.get(name) for name in ARRAYS},  # type: ignore[arg-type]
        answers=answers,
        design=Design(**header["design"]),
        fingerprint=header["fingerprint"],
        flags=tuple(header["flags"]),
    )
