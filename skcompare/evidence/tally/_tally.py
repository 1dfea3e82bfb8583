"""Tallies: counts and sums of the records of each cell, and what is asked of them.

The arithmetic is shared by arrays and engines. Its functions take `ops`, the operations
that are not operators: `where(condition, value, otherwise)`, `flag` (1.0 for true, 0.0 for
false), `share` (of a whole number in another), `floor`, `log`, `sqrt`,
and `let(*values)`, which computes values once. Codes are whole numbers in floating point,
which engines convert to integers once, for the key that combines them.
:class:`skcompare._core.arrays.ArrayOperations` has them for arrays, and
:class:`skcompare._io.engine.Program` for lazy frames.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import are_equal
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import (
    check_choice,
    check_count,
    check_pos_label,
    check_switches,
    is_number,
    some_of,
    united_classes,
    unknown_name,
)
from skcompare._registry.metrics import (
    CLASSES,
    NUMBERS,
    keywords_of,
    of_each,
    record_losses,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._bins import (
    DEGREES,
    EPS,
    KINDS,
    Bins,
    cell_sums,
    of_class,
    resolve_kind,
)
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

    def recentred(self, tables: list["Cells"], plan: "TallyPlan") -> list["Cells"]:
        """Return the tables of this plan as those of another one of the same requests."""
        return tables

    def check_same(self, other: "TallyPlan") -> None:
        """Check that a tally to be merged has the same plan."""
        varying = "classes", "edges", "centre"
        names = [f.name for f in fields(self) if f.name not in varying]
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
    maxima : dict of str to ndarray of shape (n_cells,)
        Greatest values of the records.
    """

    keys: dict[str, NDArray[Any]]
    counts: IntArray
    sums: dict[str, FloatArray] = field(default_factory=dict)
    maxima: dict[str, FloatArray] = field(default_factory=dict)

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
    greatest = {
        name: np.concatenate([part.maxima[name] for part in parts])
        for name in parts[0].maxima
    }
    return Cells(
        {name: column[at] for name, column in zip(names, columns, strict=True)},
        sums_of(where, counts, n),
        {name: _added(where, value, n) for name, value in values.items()},
        {name: _greatest(where, value, n) for name, value in greatest.items()},
    )


def _added(where: IntArray, values: NDArray[Any], n: int) -> FloatArray:
    """Sum values by position."""
    totals: FloatArray = np.bincount(where, values, n).astype(np.float64, copy=False)
    return totals


def _greatest(where: IntArray, values: NDArray[Any], n: int) -> FloatArray:
    """Greatest value by position."""
    greatest: FloatArray = np.full(n, -np.inf)
    np.maximum.at(greatest, where, values)
    return greatest


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
    maxima: dict[str, Any] | None = None,
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
        {
            name: _greatest(where, value, len(occupied))
            for name, value in (maxima or {}).items()
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
        theirs = other.plan.recentred(theirs, self.plan)
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


def class_code(ops: Any, label: Any, classes: NDArray[Any], kind: str) -> tuple[Any, Any]:
    """Return whether a label is a class, and the position of the class (0 for others).

    Parameters
    ----------
    ops : operations
    label : column
        Labels as they are in a frame.
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    kind : {"text", "boolean", "whole", "fraction"}
        Kind of the values of the column.
    """
    labels = classes.tolist()
    if kind in ("whole", "fraction") and labels == [*range(labels[0], labels[-1] + 1)]:
        good = (label >= labels[0]) & (label <= labels[-1])
        if kind == "fraction":
            good &= ops.floor(label) == label
        number = label * 1.0
        return good, ops.where(good, number - labels[0] if labels[0] else number, 0.0)
    code: Any = -1.0
    for position, value in enumerate(labels):
        code = ops.where(label == value, float(position), code)
    (code,) = ops.let(code)
    return code >= 0, ops.where(code >= 0, code, 0.0)


def best_class(ops: Any, proba: Sequence[Any]) -> Any:
    """Return the most probable class, the first one in case of ties."""
    if len(proba) == 2:
        return ops.flag(proba[1] > proba[0])
    best, code = proba[0], 0.0
    for position, column in enumerate(proba[1:], start=1):
        beyond = column > best
        code = ops.where(beyond, float(position), code)
        if position < len(proba) - 1:
            best, code = ops.let(ops.where(beyond, column, best), code)
    return code


def largest(ops: Any, proba: Sequence[Any]) -> Any:
    """Return the largest probability."""
    best = proba[0]
    for column in proba[1:]:
        (best,) = ops.let(ops.where(column > best, column, best))
    return best


def bin_code(ops: Any, p: Any, edges: FloatArray) -> Any:
    """Return the bin of a probability, as `bin_codes` does."""
    n = len(edges) - 1
    if not np.array_equal(edges, np.arange(n + 1) / n):
        return reduce(add, (ops.flag(p >= edge) for edge in edges[1:-1].tolist()), p * 0.0)
    # Rounding may lead to a neighbour of the bin, and its edges show it.
    (code,) = ops.let(ops.floor(p * float(n)))
    (code,) = ops.let(code - ops.flag(code >= float(n)))
    (code,) = ops.let(code - ops.flag(p < ops.share(code, n)))
    return code + ops.flag((p >= ops.share(code + 1.0, n)) & (code < n - 1.0))


RELATIVE = {"relative_squared_error": "squared_error"}
"""Losses relative to the variance of the target, and the losses summed for them."""

ROOTS = {
    "neg_root_mean_squared_error": "squared_error",
    "neg_root_mean_squared_log_error": "squared_log_error",
}
"""Scores that are roots of mean losses, and these losses."""


def summable_losses(target: str = CLASSES) -> list[str]:
    """Names of the losses that engines compute, by their expressions."""
    entries = record_losses().values()
    names = [each.name for each in entries if each.expression and each.target == target]
    return names if target == CLASSES else [*names, *RELATIVE]


def takes_eps(loss: str) -> bool:
    """Whether a loss has an option `eps`."""
    entry = record_losses().get(loss)
    return entry is not None and "eps" in keywords_of(entry.expression)


def sums_of_losses(
    ops: Any, name: str, y: Any, probas: Sequence[Sequence[Any]], eps: float | None
) -> dict[str, Any]:
    """Compute the terms of the sums of losses of champion and challenger."""
    loss: Any = record_losses()[name].expression
    options = {"eps": eps} if eps is not None and takes_eps(name) else {}
    champion, challenger = ops.let(
        *(of_each(ops, y, loss(ops, y, proba, **options)) for proba in probas)
    )
    (gain,) = ops.let(champion - challenger)
    sums = {
        "champion": champion,
        "challenger": challenger,
        "gain": gain,
        "champion_squares": champion * champion,
        "challenger_squares": challenger * challenger,
        # The squares of all three also give the products.
        "gain_squares": gain * gain,
    }
    if name == "log_loss":
        for role, proba in zip(("champion", "challenger"), probas, strict=True):
            chance = of_class(ops, y, proba)
            sums[f"{role}_clipped"] = ops.flag(chance < (EPS if eps is None else eps))
    return {f"{name}.{part}": value for part, value in sums.items()}


def sums_of_forecasts(
    ops: Any, proba: tuple[Any, Any], events: tuple[Any, Any]
) -> dict[str, Any]:
    """Compute the terms of the sums of probabilities of events; see :data:`SUMS`."""
    terms = cell_sums(proba, events, DEGREES[0])
    refuted = [name for name in terms if name.endswith("_refuted")]
    return terms | {name: ops.flag(terms[name]) for name in refuted}


ROLES = (0, 1)


@dataclass(frozen=True, slots=True)
class Given:
    """Predictions of one classifier: columns of arrays or of an engine.

    Attributes
    ----------
    label : column or None
        Positions of the predicted classes; by default those of the most probable ones.
    proba : sequence of columns or None
        Probabilities, one column per class.
    score : column or None
        Scores that are ranked, where they are not probabilities.
    """

    label: Any = None
    proba: Sequence[Any] | None = None
    score: Any = None


@dataclass(frozen=True, slots=True)
class Derived:
    """Keys and sums of each record.

    Attributes
    ----------
    digits : dict of str to tuple of (column, int)
        Whole numbers from 0, and how many values there are.
    raw : dict of str to column
        Other keys: scores as they are.
    sums : dict of str to column
        Values that are added up.
    maxima : dict of str to column
        Values of which the greatest is kept.
    """

    digits: dict[str, tuple[Any, int]]
    raw: dict[str, Any]
    sums: dict[str, Any]
    maxima: dict[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        """Number of values of each digit."""
        return {name: size for name, (_, size) in self.digits.items()}


def derived(ops: Any, plan: TallyPlan, y: Any, predictions: Sequence[Given]) -> Derived:
    """Compute the keys and sums of a plan.

    Parameters
    ----------
    ops : operations
        See :mod:`skcompare.evidence.tally._tally`.
    plan : TallyPlan
        Plan of what is counted.
    y : column of whole numbers
        Positions of the true classes.
    predictions : pair of Given
        Predictions of champion and challenger.
    """
    k = len(plan.classes)
    digits: dict[str, tuple[Any, int]] = {"y": (y, k)}
    raw: dict[str, Any] = {}
    sums: dict[str, Any] = {}
    best = [_best(ops, plan, role) for role in predictions]
    if plan.labels:
        labels = [
            own if role.label is None else role.label
            for own, role in zip(best, predictions, strict=True)
        ]
        digits |= {f"label_{role}": (labels[role], k) for role in ROLES}
    for name in plan.losses:
        probas = [role.proba or () for role in predictions]
        sums |= sums_of_losses(ops, name, y, probas, plan.eps)
    if plan.kind is not None:
        _add_calibration(ops, plan, y, predictions, best, digits, sums)
    if plan.score_bins is not None:
        for position, (role, score_bins) in enumerate(
            zip(predictions, plan.score_bins, strict=True)
        ):
            score = role.score if role.proba is None else role.proba[plan.ranked]
            if score_bins.n_score_bins is None:
                raw[f"level_{position}"] = score
            else:
                digits[f"level_{position}"] = (
                    score_bins.codes(score, ops),
                    score_bins.n_score_bins,
                )
    return Derived(digits, raw, sums)


def _best(ops: Any, plan: TallyPlan, predictions: Given) -> Any:
    """Return the positions of the most probable classes, or None if not needed."""
    needed = plan.kind == "top_label" or (plan.labels and predictions.label is None)
    if predictions.proba is None or not needed:
        return None
    return ops.let(best_class(ops, predictions.proba))[0]


def _add_calibration(
    ops: Any,
    plan: TallyPlan,
    y: Any,
    pair: Sequence[Given],
    best: Sequence[Any],
    digits: dict[str, tuple[Any, int]],
    sums: dict[str, Any],
) -> None:
    """Add the bins and events of both classifiers, and sums of their probabilities."""
    probas = [own.proba or () for own in pair]
    if plan.kind == "binary":
        forecasts = [proba[plan.positive] for proba in probas]
        events = list(ops.let(ops.flag(y == plan.positive))) * 2
    else:
        forecasts = list(ops.let(*(largest(ops, proba) for proba in probas)))
        events = list(ops.let(*(ops.flag(own == y) for own in best)))
        # Binary events are known from the true class.
        digits |= {f"event_{role}": (events[role], 2) for role in ROLES}
    for role, edges in enumerate(plan.edges or ()):
        code = bin_code(ops, forecasts[role], edges)
        digits[f"bin_{role}"] = (code, len(edges) - 1)
    terms = sums_of_forecasts(ops, (forecasts[0], forecasts[1]), (events[0], events[1]))
    sums |= {f"calibration.{name}": value for name, value in terms.items()}


def parts_of(plan: TallyPlan, made: Derived) -> list[Derived]:
    """Separate the keys counted by score bins from the sums.

    Score bins make many cells and sums make wide ones. Two tables, a long and a wide one,
    take an engine half the time of one that is both, and less memory.
    """
    score_bins = {name for name in made.digits if name.startswith("level_")} | set(made.raw)
    if plan.one_scan or not score_bins or not made.sums:
        return [made]
    calibration = {name for name in made.digits if name.startswith(("bin_", "event_"))}
    long = {name: value for name, value in made.digits.items() if name not in calibration}
    hidden = score_bins | {"label_0", "label_1"}
    wide = {name: value for name, value in made.digits.items() if name not in hidden}
    return [Derived(long, made.raw, {}), Derived(wide, {}, made.sums)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRequest:
    """Request for the counts and sums that tests need.

    Parameters
    ----------
    labels : bool, default=False
        Counts of predicted labels: JointCounts, and ClusterSums where there are groups.
    losses : sequence of str, default=()
        Losses whose moments are needed: "binary_brier_loss", "multiclass_brier_loss",
        "brier_score", "log_loss", "spherical_loss", or another one that was registered with
        an expression of columns. Of numbers "squared_error", "absolute_error" and others,
        and "relative_squared_error", the squared error over the variance of the target.
    loss_options : mapping of str to mapping, default={}
        Options of losses of numbers, by loss: ``{"pinball_loss": {"alpha": 0.9}}``.
    scores : sequence of str, default=()
        Scores of numbers that are roots of mean losses: "neg_root_mean_squared_error" and
        "neg_root_mean_squared_log_error".
    eps : float, optional
        The least probability of a true class, for the loss "log_loss".
    calibration : bool, default=False
        Bins, events and sums of probabilities: PairedCalibration.
    n_bins, edges, kind
        As for :meth:`PairedCalibration.from_predictions`. Bins have equal width unless
        `edges` are passed.
    ranking : bool, default=False
        Counts of score bins by class: PlacementValues.
    n_score_bins : int, default=512
        Number of score bins; scores with no more different values are ranked exactly.
    score_bins : ScoreBins or pair of ScoreBins, optional
        The score bins, where they are fixed in advance.
    pos_label : label, optional
        The positive one of two classes; 1 by default, else the second.
    one_scan : bool, default=False
        Whether an engine counts score bins and sums probabilities by one group-by, so
        that it scans the records once. Two group-bys, one of many and one of few groups,
        mostly take less time and memory together.
    """

    labels: bool = False
    losses: Sequence[str] = ()
    loss_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scores: Sequence[str] = ()
    eps: float | None = None
    calibration: bool = False
    n_bins: int = 15
    edges: Any = None
    kind: str = "auto"
    ranking: bool = False
    n_score_bins: int = ScoreBins.default
    score_bins: Any = None
    pos_label: Any = None
    one_scan: bool = False

    def __post_init__(self) -> None:
        self._check_losses()
        if self.eps is not None and not (is_number(self.eps) and 0 < self.eps < 0.5):
            raise ValueError(
                f"`eps` must be a number in (0, 0.5) where losses are added up. Got "
                f"{self.eps!r}. Leave it out for scikit-learn's."
            )
        takers = [name for name in self.losses if takes_eps(name)]
        if self.eps is not None and len(takers) > 1:
            raise ValueError(
                f"`eps` is of one loss where losses are added up. Got eps={self.eps!r} and "
                f"{', '.join(takers)}. Leave it out, or read the records into memory."
            )
        check_choice("kind", self.kind, KINDS)
        check_switches(one_scan=self.one_scan)
        check_count("n_score_bins", self.n_score_bins)
        if not (self.labels or self.needs_proba or self.ranking or self.scores):
            raise ValueError(
                "Request at least one of `labels`, `losses`, `calibration` and `ranking`."
            )

    @property
    def target(self) -> str:
        """Target of the losses and scores: "classes" or "numbers"."""
        of_numbers = self.scores or self.losses[:1]
        if of_numbers and (self.scores or self.losses[0] in summable_losses(NUMBERS)):
            return NUMBERS
        return CLASSES

    def _check_losses(self) -> None:
        """Raise an error unless losses and scores are known, and of one target."""
        for name in self.scores:
            if name not in ROOTS:
                raise unknown_name("score of sums", name, ROOTS)
        known = summable_losses(self.target)
        others = summable_losses(NUMBERS if self.target == CLASSES else CLASSES)
        for name in self.losses:
            if name in others:
                raise ValueError(
                    f"All losses of a tally must be of one target. Got {name!r} beside "
                    f"others of {self.target}. Make a tally for each target."
                )
            if name not in known:
                names = known + others * (len(self.losses) == 1)
                message = str(unknown_name("loss of sums", name, names))
                raise ValueError(
                    f"{message} Others need the records in memory: read them, and use "
                    "PairedLosses.from_predictions."
                )
        of_classes = self.labels or self.calibration or self.ranking
        if self.target == NUMBERS and of_classes:
            raise ValueError(
                "Losses of numbers are summed alone. Got labels, calibration or ranking "
                "as well, which are of classes. Leave these out."
            )
        self._check_options()

    def _check_options(self) -> None:
        """Raise an error unless options of losses are of requested losses of numbers."""
        for name, options in self.loss_options.items():
            takes: tuple[str, ...] = ()
            if self.target == NUMBERS and name in self.losses:
                takes = keywords_of(record_losses()[name].expression)
            unknown = [option for option in options if option not in takes]
            if unknown:
                raise ValueError(
                    "`loss_options` must be options of losses of numbers that are "
                    f"requested. Got {unknown[0]!r} of {name}, whose options are "
                    f"{', '.join(takes) or 'none'}. Leave it out."
                )

    @property
    def needs_proba(self) -> bool:
        """Whether probabilities are needed, rather than labels or scores of any scale."""
        return bool(self.losses) or self.calibration

    def check_groups(self, grouped: bool) -> None:
        """Raise an error if calibration or ranking is requested for grouped records."""
        if grouped and (self.calibration or self.ranking):
            raise ValueError(
                "Calibration and ranking of grouped records need the records themselves. "
                "Got `groups` of a frame that is only counted. Read a sample of whole "
                "groups into memory, or leave these measures out."
            )

    def fixed_score_bins(self) -> tuple[ScoreBins, ScoreBins] | None:
        """Return the score bins of champion and challenger, or None if not passed."""
        if self.score_bins is None:
            return None
        pair = (
            (self.score_bins,) * 2
            if isinstance(self.score_bins, ScoreBins)
            else self.score_bins
        )
        if len(pair) != 2 or not all(
            isinstance(score_bins, ScoreBins) for score_bins in pair
        ):
            raise ValueError(
                "`score_bins` must be ScoreBins, or a pair of them for champion and "
                f"challenger. Got {self.score_bins!r}. Make them by ScoreBins.uniform or "
                "ScoreBins.fitted."
            )
        return pair[0], pair[1]

    def plan(
        self,
        classes: NDArray[Any],
        score_bins: tuple[ScoreBins, ScoreBins] | None,
        grouped: bool,
    ) -> TallyPlan:
        """Return the plan of the tally for these classes and score bins."""
        self.check_groups(grouped)
        kind = edges = None
        if self.calibration:
            kind = resolve_kind(self.kind, len(classes))
            if kind == "classwise":
                raise ValueError(
                    "kind='classwise' needs the records in memory. Use kind='top_label', "
                    "or read them and use PairedCalibration.from_predictions."
                )
            bins = Bins(self.n_bins, "uniform", self.edges, 1)
            no_records = np.empty(0)
            edges = bins.layout(no_records, 0)[0], bins.layout(no_records, 1)[0]
        if self.ranking and len(classes) != 2:
            raise ValueError(
                f"Ranking by score bins needs two classes. Got {len(classes)}: "
                f"{some_of(classes)}. Use measures of labels or probabilities."
            )
        losses = tuple(dict.fromkeys(self.losses))
        if "binary_brier_loss" in losses and len(classes) != 2:
            raise ValueError(
                f"The loss 'binary_brier_loss' is for two classes. Got {len(classes)}. Use "
                "loss='multiclass_brier_loss', which sums over the classes."
            )
        return TallyPlan(
            classes,
            self.labels,
            losses,
            None if self.eps is None else float(self.eps),
            kind,
            edges,
            score_bins if self.ranking else None,
            *self._positive(classes),
            grouped,
            self.one_scan,
        )

    def _positive(self, classes: NDArray[Any]) -> tuple[int, int]:
        """Positions of the positive class of binary events and of the ranked class."""
        if not (self.needs_proba or self.ranking):
            return 1, 1
        positive = check_pos_label(self.pos_label, classes)
        if positive is not None:
            return positive, positive
        # Class 1 or True is positive, and otherwise the second one.
        return int(classes.tolist()[0] != 1), 1


def check_proba(requested: TallyRequest, without: Sequence[str]) -> None:
    """Raise an error if probabilities are needed, and classifiers are without them."""
    if without and (requested.needs_proba or requested.ranking):
        raise ValueError(
            f"{without[0]} has no probabilities, and losses, calibration and ranking are "
            "made of them. Name columns of probabilities, or request labels only."
        )
