"""Frames as the user's own library makes them; the one place that calls narwhals."""

from collections.abc import Mapping, Sequence
from typing import Any

from skcompare.exceptions import MissingDependencyError

__all__ = ["frame_from_columns"]


def frame_from_columns(
    columns: Mapping[str, Sequence[Any]], backend: str = "pandas"
) -> Any:
    """A native frame from named columns.

    Parameters
    ----------
    columns : mapping of str to sequence
        Columns of equal length.
    backend : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library whose frame is returned.
    """
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingDependencyError(
            f"A {backend} frame needs narwhals and {backend}. Install them with "
            "`pip install skcompare[frames]`."
        ) from error
