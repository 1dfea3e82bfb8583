"""Frames and files as they enter and leave; the one place that calls narwhals."""

from skcompare._frames._columns import (
    Source,
    check_column,
    columns_of,
    frame_from_columns,
    is_source,
    source_of,
)
from skcompare._frames._engine import Table, table_of
from skcompare._frames._join import joined_tables
from skcompare._frames._program import Program

__all__ = [
    "Program",
    "Source",
    "Table",
    "check_column",
    "columns_of",
    "frame_from_columns",
    "is_source",
    "joined_tables",
    "source_of",
    "table_of",
]
