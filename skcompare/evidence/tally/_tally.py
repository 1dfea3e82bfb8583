"""Tallies: counts and sums of the records of each cell."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import are_equal
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import united_classes
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._counting import sums_of
from skcompare.evidence.core._storage import SAME_CLASSIFIERS, Mergeable


@dataclass(frozen=True, slots=True, eq=False)
class TallyPlan:
    """Plan of a tally, with all defaults resolved.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    labels : bool
        Whether records are counted by predicted labels.
    losses : tuple of str
        The losses whose sums are kept.
    eps : float or None
        The least probability of a true class, for the log loss; scikit-learn's if None.
    kind : {"binary", "top_label"} or None
        The events of calibration, if it is requested.
    edges : pair of ndarray or None
        Edges of the bins of champion and challenger.
    score_bins : pair of ScoreBins or None
        Bins of the scores that are ranked.
    positive : int
        Position of the positive class of binary events.
    ranked : int
        Position of the class of the scores.
    grouped : bool
        Whether records are counted group by group.
    one_scan : bool
        Whether score bins and sums are kept in one table.
    """

    classes: NDArray[Any]
    labels: bool = True
    losses: tuple[str, ...] = ()
    eps: float | None = None
    kind: str | None = None
    edges: tuple[FloatArray, FloatArray] | None = None
    score_bins: tuple[ScoreBins, ScoreBins] | None = None
    positive: int = 1
    ranked: int = 1
    grouped: bool = False
    one_scan: bool = False

    @property
    def needs_proba(self) -> bool:
        """Whether probabilities are needed."""
        return bool(self.losses) or self.kind is not None

    @property
    def design(self) -> Design:
        """Design by which the records were collected."""
        return Design(HOLDOUT.kind, grouped=self.grouped)

    def check_same(self, other: "TallyPlan") -> None:
        """Check that a tally to be merged has the same plan."""
        names = [f.name for f in fields(self) if f.name not in ("classes", "edges")]
        for name in names:
            own, theirs = getattr(self, name), getattr(other, name)
            if own != theirs:
                raise ValueError(
                    f"Only tallies of one plan can be merged. Got {name} {own!r} and "
                    f"{theirs!r}. Pass the same options, and the `score_bins` of one."
                )
        if not are_equal(self.edges, other.edges):
            raise ValueError(
                "Only tallies with the same bins can be merged. Got other edges. Pass the "
                "`edges` of one to the other."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cells that occur, their numbers of records, and sums over the records.

    Attributes
    ----------
    keys : dict of str to ndarray of shape (n_cells,)
        Values that the records of a cell have in common.
    counts : ndarray of shape (n_cells,)
        Number of records.
    sums : dict of str to ndarray of shape (n_cells,)
        Sums over the records.
    """

    keys: dict[str, NDArray[Any]]
    counts: IntArray
    sums: dict[str, FloatArray] = field(default_factory=dict)

    def by(self, names: Sequence[str], sums: Sequence[str] = ()) -> "Cells":
        """Aggregate the cells by some of the keys, sorted."""
        return merged([self], names, sums)


def merged(
    parts: Sequence[Cells],
    names: Sequence[str] | None = None,
    sums: Sequence[str] | None = None,
) -> Cells:
    """Add up equal cells of several parts, sorted by their keys; by default by all."""
    names = list(parts[0].keys) if names is None else names
    sums = list(parts[0].sums) if sums is None else sums
    columns = [np.concatenate([part.keys[name] for part in parts]) for name in names]
    counts = np.concatenate([part.counts for part in parts])
    at, where = _distinct(columns, len(counts))
    n = len(at)
    values = {name: np.concatenate([part.sums[name] for part in parts]) for name in sums}
    return Cells(
        {name: column[at] for name, column in zip(names, columns, strict=True)},
        sums_of(where, counts, n),
        {name: _added(where, value, n) for name, value in values.items()},
    )


def _added(where: IntArray, values: NDArray[Any], n: int) -> FloatArray:
    """Sum values by position."""
    totals: FloatArray = np.bincount(where, values, n).astype(np.float64, copy=False)
    return totals


def _distinct(columns: list[NDArray[Any]], n: int) -> tuple[IntArray, IntArray]:
    """Return a position of each distinct cell, sorted, and of each cell among these."""
    order = np.lexsort(columns[::-1]) if columns else np.arange(n)
    first = np.zeros(n, dtype=bool)
    first[:1] = True
    for column in columns:
        ordered = column[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    where = np.empty(n, dtype=np.intp)
    where[order] = np.cumsum(first) - 1
    return order[first], where


def cells_of_codes(
    digits: dict[str, tuple[Any, int]],
    raw: dict[str, NDArray[Any]],
    sums: dict[str, Any],
    n: int,
) -> Cells:
    """Count and sum records by digits, with their numbers of values, and by raw columns."""
    key = np.zeros(n, dtype=np.int64)
    for code, size in digits.values():
        key *= size
        key += np.asarray(code).astype(np.int64)
    if raw:
        at, where = _distinct([key, *raw.values()], n)
        occupied = key[at]
        raw_keys = [column[at] for column in raw.values()]
    else:
        occupied, where = np.unique(key, return_inverse=True)
        raw_keys = []
    counts = np.bincount(where, minlength=len(occupied))
    keys = decoded(occupied, {name: size for name, (_, size) in digits.items()})
    return Cells(
        keys | dict(zip(raw, raw_keys, strict=True)),
        counts.astype(np.int64),
        {
            name: _added(where, np.broadcast_to(value, n), len(occupied))
            for name, value in sums.items()
        },
    )


def decoded(key: IntArray, sizes: dict[str, int]) -> dict[str, IntArray]:
    """Decode keys into digits."""
    digits = {}
    for name, size in reversed(sizes.items()):
        key, digits[name] = np.divmod(key, size)
    return {name: digits[name] for name in sizes}


@dataclass(frozen=True, slots=True, eq=False)
class Tally(Mergeable):
    """Counts and sums of the records of two classifiers, as needed by tests.

    Made by :func:`tally_frame` on an engine, or by :func:`tally_arrays` from arrays,
    and for batches by both. Tallies of batches add up. Each kind of evidence is made from
    it by `from_tally`.

    Parameters
    ----------
    plan : TallyPlan
        Plan of what was counted.
    tables : tuple of Cells
        The cells: one table, or several that count the same records by other keys.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    names : pair of str
        Names of champion and challenger.
    """

    plan: TallyPlan
    tables: tuple[Cells, ...]
    groups: NDArray[Any] | None = None
    names: tuple[str, ...] = ("champion", "challenger")

    def __repr__(self) -> str:
        cells = sum(len(table.counts) for table in self.tables)
        return f"Tally(n={self.n}, names={list(self.names)}, n_cells={cells})"

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.tables[0].counts.sum())

    @property
    def classes(self) -> NDArray[Any]:
        """Sorted class labels."""
        return self.plan.classes

    def cells(self, names: Sequence[str], sums: Sequence[str] = ()) -> Cells:
        """Return counts and sums by some keys, sorted; raise an error for unknown keys."""
        for table in self.tables:
            if set(names) <= set(table.keys) and set(sums) <= set(table.sums):
                return table.by(names, sums)
        lacking = sorted({*names, *sums} - self._all_names())
        raise ValueError(
            f"This tally does not hold {', '.join(lacking) or 'these keys together'}. It "
            f"has {', '.join(sorted(self._all_names()))}. Make it with what is needed."
        )

    @property
    def sums(self) -> tuple[str, ...]:
        """Names of all sums."""
        return tuple(name for table in self.tables for name in table.sums)

    def parts(self, sums: Sequence[str]) -> Cells:
        """Return some sums by all keys of their table except score bins."""
        for table in self.tables:
            if set(sums) <= set(table.sums):
                names = [key for key in table.keys if not key.startswith("level_")]
                return table.by(names, sums)
        return self.cells(["y"], sums)

    def _all_names(self) -> set[str]:
        return {name for table in self.tables for name in (*table.keys, *table.sums)}

    def __add__(self, other: object) -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        self.plan.check_same(other.plan)
        self._check_same("names", other, SAME_CLASSIFIERS)
        classes = united_classes(self.classes, other.classes)
        if self.plan.needs_proba and len(classes) > min(
            len(self.classes), len(other.classes)
        ):
            raise ValueError(
                "Only tallies of the same classes can be merged, because columns of "
                f"probabilities are about them. Got {self.classes.tolist()} and "
                f"{other.classes.tolist()}. Pass all class labels as `labels`."
            )
        groups = None
        if self.groups is not None and other.groups is not None:
            groups = united_classes(self.groups, other.groups)
        own, theirs = (tally._recoded(classes, groups) for tally in (self, other))
        tables = tuple(map(merged, zip(own, theirs, strict=True)))
        plan = replace(self.plan, classes=classes)
        return Tally(plan, tables, groups, self.names)

    def _recoded(self, classes: NDArray[Any], groups: NDArray[Any] | None) -> list[Cells]:
        """Return the tables with codes for other classes and groups."""
        position = np.searchsorted(classes, self.classes)
        tables = []
        for table in self.tables:
            keys = dict(table.keys)
            for name in ("y", "label_0", "label_1"):
                if name in keys:
                    keys[name] = position[keys[name]]
            if groups is not None and self.groups is not None:
                keys["group"] = np.searchsorted(groups, self.groups)[keys["group"]]
            tables.append(replace(table, keys=keys))
        return tables
