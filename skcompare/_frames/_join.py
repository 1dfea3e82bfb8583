"""Lazy frames of one engine, joined by the column that tells records apart."""

from collections.abc import Sequence
from typing import Any

from skcompare._frames._arrays import narwhals_module
from skcompare._frames._engine import Table

ID = "skcompare_id"


def joined_tables(
    tables: Sequence[tuple[Table, Sequence[str]]], id: str
) -> tuple[Table, list[dict[str, str]]]:
    """Some columns of several tables, side by side for each id.

    Parameters
    ----------
    tables : sequence of (Table, sequence of str)
        Tables of one engine and the columns that are taken of each.
    id : str
        Column that each table has.

    Returns
    -------
    table : Table
        The joined table.
    names : list of dict of str to str
        For each table what its columns are called in it.

    Raises
    ------
    ValueError
        If an id is missing or repeated, or a table lacks ids of another one.
    """
    engines = {table.engine for table, _ in tables}
    if len(engines) > 1:
        words = " and ".join(f"{table.words} ({table.engine})" for table, _ in tables)
        raise ValueError(
            f"Frames can only be joined on one engine. Got {words}. Move them to one "
            "engine, or read all of them into memory."
        )
    kinds = {table.kind(id) for table, _ in tables}
    as_text = len(kinds) > 1
    if not kinds <= {"text", "whole"} and as_text:
        words = ", ".join(f"{table.words} has {table.kind(id)}" for table, _ in tables)
        raise ValueError(
            f"Ids must be of one type to be compared: {words}. Convert them to text."
        )
    frames, names = [], []
    for i, (table, columns) in enumerate(tables):
        own = {name: f"skcompare_{i}_{j}" for j, name in enumerate(dict.fromkeys(columns))}
        frames.append(_selected(table, own, id, as_text))
        names.append(own)
    kept = [table for table, _ in tables]
    words = " and ".join(table.words for table in kept)
    is_file = all(table.is_file for table in kept)
    sizes = [_n_unique(table, frame, id) for (table, _), frame in zip(tables, frames)]
    whole = frames[0]
    for i, frame in enumerate(frames[1:], start=1):
        ids = frames[0].select(ID).join(frame.select(ID), on=ID, how="inner")
        n_both = Table(ids, words, is_file=is_file).n_records()
        _check_all(tables[0][0], tables[i][0], id, (sizes[0], sizes[i], n_both))
        whole = whole.join(frame, on=ID, how="inner")
    return Table(whole, words, kept, is_file=is_file), names


def _selected(table: Table, names: dict[str, str], id: str, as_text: bool) -> Any:
    nw = narwhals_module()
    own = nw.col(id).cast(nw.String) if as_text else nw.col(id)
    taken = (nw.col(name).alias(new) for name, new in names.items())
    return table.frame.select(own.alias(ID), *taken)


def _n_unique(table: Table, frame: Any, id: str) -> int:
    """The number of records, each of which must have an id of its own."""
    nw = narwhals_module()
    often = frame.select(ID).group_by(ID).agg(nw.len().alias("often"))
    twice = nw.when(nw.col("often") > 1).then(nw.lit(1)).otherwise(nw.lit(0))
    missing = nw.when(nw.col(ID).is_null()).then(nw.col("often")).otherwise(nw.lit(0))
    counted = often.select(
        nw.col("often"), twice.alias("twice"), missing.alias("missing")
    ).select(nw.col("often").sum(), nw.col("twice").sum(), nw.col("missing").sum())
    found = table.collected(counted)
    n, n_twice, n_missing = (int(found[name].to_list()[0] or 0) for name in found.columns)
    if n_missing:
        raise ValueError(
            f"Column {id!r} of {table.words} must not have missing values. Got "
            f"{n_missing:,} of {n:,} records. Ids tell records apart: drop these."
        )
    if n_twice:
        raise ValueError(
            f"Ids must tell records apart. Column {id!r} of {table.words} has {n_twice:,} "
            "of them more than once. Keep one record of each."
        )
    return n


def _check_all(first: Table, other: Table, id: str, sizes: tuple[int, int, int]) -> None:
    n_first, n_other, n_both = sizes
    lacks = [
        f"{table.words} lacks {n - n_both:,} of them"
        for table, n in ((other, n_first), (first, n_other))
        if n > n_both
    ]
    if lacks:
        raise ValueError(
            f"Column {id!r} of {first.words} and of {other.words} must hold the same ids: "
            f"{' and '.join(lacks)}. Keep the records that all have, so that none is left "
            "out in silence."
        )
