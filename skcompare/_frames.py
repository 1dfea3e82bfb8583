"""Frames as the user's own library makes them; the one place that calls narwhals."""

from collections.abc import Mapping, Sequence
from typing import Any

from skcompare._validation import check_choice
from skcompare.exceptions import MissingDependencyError

__all__ = ["frame_from_columns"]

BACKENDS = ("pandas", "polars", "pyarrow")


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
    check_choice("backend", backend, BACKENDS)
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingDependencyError(
            f"A {backend} frame needs narwhals and {backend}. Install them with "
            "`pip install skcompare[frames]`."
        ) from error
