"""Counting the columns of a frame, in whatever library it is."""

import tempfile
from pathlib import Path

from skcompare.evidence import JointCounts

from .made import SIZES, labels

KINDS = ("pandas", "polars", "polars lazy", "pyarrow", "parquet")


class FromFrame:
    """Joint counts of three columns."""

    params = (SIZES[1:], KINDS)
    param_names = ("n_records", "kind")

    def setup(self, n_records, kind):
        columns = dict(zip("yab", labels(n_records)))
        try:
            self.frame = self._made(kind, columns)
        except ImportError as error:
            # How a benchmark of asv is left out.
            raise NotImplementedError from error

    def _made(self, kind, columns):
        if kind == "pandas":
            import pandas as pd

            return pd.DataFrame(columns)
        if kind == "pyarrow":
            import pyarrow as pa

            return pa.table(columns)
        import polars as pl

        if kind == "parquet":
            self.folder = tempfile.TemporaryDirectory()
            path = Path(self.folder.name) / "answers.parquet"
            pl.DataFrame(columns).write_parquet(path)
            return path
        frame = pl.DataFrame(columns)
        return frame.lazy() if kind == "polars lazy" else frame

    def teardown(self, n_records, kind):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def time_counts(self, n_records, kind):
        JointCounts.from_frame(self.frame)

    def peakmem_counts(self, n_records, kind):
        JointCounts.from_frame(self.frame)
