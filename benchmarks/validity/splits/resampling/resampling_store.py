"""Chunks of simulated data sets on disk, so that a run that stopped goes on."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import sklearn


class Store:
    """A folder with the tables of one world by chunk, or none at all.

    The first chunks also have the splits of the costly tests. The settings stand beside
    the chunks; a run with others is refused, because it would mix two studies.
    """

    def __init__(self, folder, world, settings):
        self.folder = None if folder is None else Path(folder) / world
        if self.folder is None:
            return
        versions = {"numpy": np.__version__, "scikit-learn": sklearn.__version__}
        required = json.loads(json.dumps(settings | versions))
        path = self.folder / "settings.json"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(required, indent=1)
            self._write(path.name, lambda file: file.write(text.encode()))
        stored = json.loads(path.read_text())
        apart = [key for key in required | stored if required.get(key) != stored.get(key)]
        if apart:
            raise SystemExit(
                f"{self.folder} was made with other settings: {', '.join(apart)} differ. "
                "Use the same ones, or another folder."
            )

    def load(self, number, *, costly):
        """Tables of a chunk, or None. Without `costly`, those of either kind will do."""
        for kind in ("costly",) if costly else ("plain", "costly"):
            path = self._path(number, kind)
            if path is not None and path.exists():
                with np.load(path) as chunk:
                    return chunk["tables"]
        return None

    def save(self, number, tables, *, costly):
        path = self._path(number, "costly" if costly else "plain")
        if path is not None:
            self._write(path.name, lambda file: np.savez_compressed(file, tables=tables))

    def _path(self, number, kind):
        if self.folder is None:
            return None
        return self.folder / f"{kind}_{number:05d}.npz"

    def _write(self, name, write):
        """Write a file whole or not at all."""
        handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.replace(temporary, self.folder / name)
