"""Tallies of frames by one group-by of their engine, and of arrays in chunks."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import ArrayOperations, slices_of
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import (
    check_groups,
    check_labels,
    class_codes,
    encode_labels,
    positive_class,
)
from skcompare._io.engine import LARGEST, Table
from skcompare._registry.metrics import NUMBERS
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence.core._counting import groups_of
from skcompare.evidence.tally._number_tally import tally_numbers
from skcompare.evidence.tally._query import (
    LABELS,
    PROBA,
    SCORES,
    EngineNumbers,
    Query,
    finite_score,
)
from skcompare.evidence.tally._tally import (
    Cells,
    Given,
    Tally,
    TallyPlan,
    TallyRequest,
    cells_of_codes,
    check_proba,
    derived,
    merged,
    parts_of,
)
from skcompare.predictions import (
    ColumnRoles,
    EngineColumns,
    EstimatorPredictions,
    Predictions,
    predictions_from_arrays,
)

BUCKETS = 1 << 16
"""Parts of the range of scores whose records are counted, to see the distribution."""

SAMPLE = 20_000
"""Size of the sample to which score bins are fitted."""


def chosen_score_bins(
    table: Table, name: str, n_score_bins: int, is_proba: bool
) -> ScoreBins:
    """Choose the bins of a column of scores.

    The scores themselves where they have at most `n_score_bins` values, else uniform bins
    where these suit the first records, else bins fitted to all.

    Parameters
    ----------
    table : Table
        The frame.
    name : str
        The column.
    n_score_bins : int
        Number of bins.
    is_proba : bool
        Whether scores are probabilities.
    """
    head = table.head([name])[name].astype(np.float64)
    low, high = (0.0, 1.0) if is_proba else (-LARGEST, LARGEST)
    head = head[(head >= low) & (head <= high)]
    uniform = ScoreBins.uniform(n_score_bins)
    # Without any valid value, counting all records reports the fault.
    head_score_bins = ScoreBins.choose(head, n_score_bins) if len(head) else uniform
    if (
        len(np.unique(head)) <= n_score_bins
        and table.few_values(name, n_score_bins) is not None
    ):
        return ScoreBins.distinct()
    if is_proba and head_score_bins == uniform:
        return uniform
    # The first records may not be representative: a file may be sorted.
    counts, least, greatest = _spans(table, name, is_proba)
    if not len(counts):
        return uniform
    if len(counts) <= n_score_bins and np.array_equal(least, greatest):
        return ScoreBins.distinct()
    sample = _spread(counts, least, greatest)
    score_bins = ScoreBins.choose(sample, n_score_bins)
    return ScoreBins.fitted(sample, n_score_bins) if score_bins.is_distinct else score_bins


def _spans(table: Table, name: str, is_proba: bool) -> tuple[NDArray[Any], ...]:
    """Return number of records, least and greatest score in parts of equal width."""
    program = table.program({name: (name, "fraction")})
    score = program.column(name)
    good = finite_score(score, is_proba)
    low, high = 0.0, 1.0
    if not is_proba:
        low, high = table.range(program, program.where(good, score, 0.0))
    # Halves, so that the distance of the greatest numbers is finite.
    width = high / 2 - low / 2
    scale = BUCKETS / 2 / width if width > 0 else 0.0
    scale = scale if np.isfinite(scale) else 0.0
    (clean,) = program.let(program.where(good, score, low))
    part = program.whole(program.floor((clean / 2.0 - low / 2.0) * (2.0 * scale)))
    key = program.where(good, part, -1)
    keys, counts, least, greatest = table.spans(program, key, clean)
    order = np.argsort(keys)
    order = order[keys[order] >= 0]
    return counts[order], least[order], greatest[order]


def _spread(
    counts: NDArray[Any], least: NDArray[Any], greatest: NDArray[Any]
) -> NDArray[np.float64]:
    """Generate a sample of scores, spread in proportion to the records of each part."""
    shares = np.ceil(counts * (SAMPLE / counts.sum())).astype(np.int64)
    position = np.arange(shares.sum()) - np.repeat(np.cumsum(shares) - shares, shares)
    steps = np.repeat(np.maximum(shares - 1, 1), shares)
    along = position / steps
    low, high = np.repeat(least, shares), np.repeat(greatest, shares)
    spread: NDArray[np.float64] = low * (1 - along) + high * along
    return spread


class EngineTally:
    """Tally of a table, computed by its data frame engine.

    Parameters
    ----------
    columns : EngineColumns
        Roles of the columns.
    requested : TallyRequest
        The request.
    labels : array-like of shape (n_classes,) or None
        All class labels, where they are known.
    """

    def __init__(
        self,
        columns: EngineColumns,
        requested: TallyRequest,
        labels: ArrayLike | None = None,
    ) -> None:
        self.columns = columns
        self.table = columns.table
        self.requested = requested
        self.labels = None if labels is None else np.unique(check_labels("labels", labels))
        self.names = tuple(columns.predictions)
        self.kinds = {name: self._kind_of(name) for name in self.names}

    def asking(self, requested: TallyRequest, labels: ArrayLike | None) -> "EngineTally":
        """Return the same tally for another request, with all class labels."""
        tally = copy(self)
        tally.requested = requested
        tally.labels = None if labels is None else np.unique(check_labels("labels", labels))
        return tally

    def classes(self) -> NDArray[Any]:
        """Return the declared classes, or else all classes that occur."""
        if self.labels is not None:
            return self.labels
        columns = self._label_columns()
        values, _ = self._counts(list(columns.values()))
        labels = {
            name: np.unique(check_labels(name, value))
            for name, value in zip(columns, values, strict=True)
        }
        return encode_labels(labels.pop("y_true"), labels, closed=True)[0]

    def tally(self) -> Tally:
        """Compute the tally, by one group-by after small queries."""
        label_only = [name for name, kind in self.kinds.items() if kind == LABELS]
        check_proba(self.requested, label_only)
        if all(kind == LABELS for kind in self.kinds.values()):
            return self._of_labels()
        classes = self.classes()
        self._check_columns(classes)
        grouped = self.columns.groups is not None
        plan = self.requested.plan(classes, None, grouped)
        if self.columns.kind == SCORES:
            label = positive_class(classes, self.requested.pos_label)
            plan = replace(plan, ranked=int(np.flatnonzero(classes == label)[0]))
        if self.requested.ranking:
            plan = replace(plan, score_bins=self._score_bins(classes, plan.ranked))
        tables, groups = Query(self.columns, self.kinds, plan).run()
        return Tally(plan, tables, groups, self.names)

    def _column_label(self, name: str) -> str:
        """Return the name of a column in messages."""
        return f"Column {self.columns.known_as[name]!r} of {self.table.text}"

    # Kinds of columns -------------------------------------------------------------------

    def _kind_of(self, name: str) -> str:
        columns = self.columns.predictions[name]
        if self.columns.kind == SCORES or name in self.columns.proba:
            for column in columns:
                if self.table.kind(column) not in ("whole", "fraction", "boolean"):
                    raise ValueError(
                        f"{self._column_label(column)} must hold numbers, as it is of "
                        f"scores or probabilities. Got {self.table.kind(column)}."
                    )
            return SCORES if self.columns.kind == SCORES else PROBA
        (column,) = columns
        kind = self.table.kind(column)
        if kind == "date":
            raise ValueError(f"{self._column_label(column)} must hold labels. Got dates.")
        truth = self.columns.y_true
        if kind != "fraction" or self.columns.kind == LABELS:
            return LABELS
        if truth is not None and self.table.kind(truth) == "text":
            return PROBA
        return PROBA if self._has_fractions(column) else LABELS

    def _has_fractions(self, column: str) -> bool:
        """Whether a column has probabilities rather than labels, as for arrays."""
        head = self.table.head([column])[column]
        if (head != np.trunc(head)).any():
            return True
        program = self.table.program({column: (column, "fraction")})
        value = program.column(column)
        integral = program.floor(value) == value
        key = program.where(integral, 1, program.where((value < 0.0) | (value > 0.0), 0, 1))
        if 0 in self.table.grouped(program, [key], [], [column]).keys[0]:
            return True
        (values,), _ = self.table.counted([column])
        if not np.isin(values, (0, 1)).all():
            return False
        labels = self.labels
        if labels is None:
            (labels,), _ = self.table.counted([self.columns.y_true or column])
        # Zeros and ones beside other labels can only be probabilities.
        return not np.isin(values, labels).all()

    def _check_columns(self, classes: NDArray[Any]) -> None:
        """Raise an error unless columns of probabilities match the classes."""
        for name, kind in self.kinds.items():
            n = len(self.columns.predictions[name])
            if kind == PROBA and n > 1 and n != len(classes):
                raise ValueError(
                    f"`{name}` has probabilities of {n} classes, but the labels have "
                    f"{len(classes)}: {classes.tolist()[:10]}. Pass all class labels as "
                    "`labels`."
                )
            if kind == PROBA and n == 1 and len(classes) != 2:
                raise ValueError(
                    f"`{name}` has one column of probabilities, which needs two classes. "
                    f"Got {len(classes)}. Pass one column per class, or all class labels "
                    "as `labels`."
                )
            unnamed = self.requested.pos_label is None and classes.dtype.kind in "US"
            if kind == PROBA and n == 1 and unnamed:
                raise ValueError(
                    f"`{name}` has probabilities of one of {classes.tolist()}. Say which: "
                    "pass `pos_label`."
                )

    # Queries ----------------------------------------------------------------------------

    def _label_columns(self) -> dict[str, str]:
        """Return the columns of labels by their names in messages.

        Their first records are checked, before an engine counts all values.
        """
        columns = {"y_true": self.columns.y_true}
        for name, kind in self.kinds.items():
            if kind == LABELS:
                columns[name] = self.columns.predictions[name][0]
            elif name in self.columns.labels:
                columns[f"labels of {name}"] = self.columns.labels[name]
        known = {name: column for name, column in columns.items() if column is not None}
        for name, column in known.items():
            if self.table.kind(column) == "fraction":
                check_labels(name, self.table.head([column])[column])
        return known

    def _counts(self, columns: Sequence[str]) -> tuple[list[NDArray[Any]], IntArray]:
        known_as = [self.columns.known_as[name] for name in columns]
        return self.table.counted(columns, known_as)

    def _of_labels(self) -> Tally:
        """Compute a tally of labels only, by one group-by of the columns."""
        label_columns = self._label_columns()
        columns = list(label_columns.values())
        if self.columns.groups is not None:
            columns.append(self.columns.groups)
        values, counts = self._counts(columns)
        labels = {
            name: check_labels(name, value)
            for name, value in zip(label_columns, values, strict=False)
        }
        truth = labels.pop("y_true")
        classes, codes = encode_labels(truth, labels, closed=self.labels is None)
        if self.labels is not None:
            classes, labels = self.labels, {"y_true": truth, **labels}
            codes = [class_codes(*item, classes) for item in labels.items()]
        keys = dict(zip(("y", "label_0", "label_1"), codes, strict=True))
        keys = {name: code.astype(np.int64) for name, code in keys.items()}
        groups = None
        if self.columns.groups is not None:
            groups, keys["group"] = np.unique(check_groups(values[-1]), return_inverse=True)
        plan = self.requested.plan(classes, None, groups is not None)
        return Tally(plan, (merged([Cells(keys, counts)]),), groups, self.names)

    def _score_bins(
        self, classes: NDArray[Any], ranked: int
    ) -> tuple[ScoreBins, ScoreBins]:
        fixed = self.requested.fixed_score_bins()
        if fixed is not None:
            return fixed
        first, second = (
            chosen_score_bins(
                self.table,
                self._ranked_column(name, ranked),
                self.requested.n_score_bins,
                self.kinds[name] == PROBA,
            )
            for name in self.names
        )
        return first, second

    def _ranked_column(self, name: str, ranked: int) -> str:
        columns = self.columns.predictions[name]
        # A single column is that of the class that is ranked.
        return columns[ranked] if len(columns) > 1 else columns[0]


CHUNK = 1 << 17
"""Records whose columns are in memory at a time."""

FIRST = 20_000
"""Records by which score bins are chosen, as on an engine."""

MOST_PENDING = 1 << 20
"""Cells that wait to be added up."""


def tally_arrays(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    requested: TallyRequest,
    *,
    groups: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a hold-out set, or of a batch of it.

    Parameters
    ----------
    y_true, predictions, groups, labels
        As for :func:`skcompare.predictions.predictions_from_arrays`, with the
        predictions of champion and challenger.
    requested : TallyRequest
        The request.

    Returns
    -------
    tally : Tally
        Tallies of batches add up where classes, bins and `score_bins` are the same: pass
        `labels`, and `score_bins` of `requested`.
    """
    options = {"labels": labels, "pos_label": requested.pos_label}
    collected = predictions_from_arrays(
        y_true, predictions, groups=groups, target=requested.target, **options
    )
    group_labels = None if groups is None else np.unique(check_groups(groups))
    return tally_predictions(collected, requested, group_labels)


def tally_predictions(
    predictions: Predictions, requested: TallyRequest, groups: np.ndarray | None = None
) -> Tally:
    """Count and sum the predictions of two classifiers.

    Parameters
    ----------
    predictions : Predictions
        Of a hold-out set.
    requested : TallyRequest
        The request.
    groups : ndarray of shape (n_groups,), optional
        Labels of the groups, sorted.
    """
    _check_two_names(predictions.names)
    if predictions.is_numeric:
        return tally_numbers(predictions, requested, groups)
    first, second = predictions.estimators
    pair = first, second
    classes = predictions.classes
    record_groups = groups_of(predictions)
    grouped = record_groups is not None
    plan = requested.plan(classes, None, grouped)
    check_proba(requested, [role.name for role in pair if role.proba is None])
    if requested.ranking:
        plan = requested.plan(classes, _score_bins(pair, plan.ranked, requested), grouped)
    y = predictions.y_predicted()
    pending: list[list[Cells]] = []
    for rows in slices_of(len(y), CHUNK):
        pending.append(_counted(plan, y[rows], pair, rows, record_groups))
        if sum(len(table.counts) for tables in pending for table in tables) > MOST_PENDING:
            pending = [_merged(pending)]
    labels = groups
    if record_groups is not None and labels is None:
        labels = np.unique(record_groups)
    return Tally(plan, tuple(_merged(pending)), labels, tuple(role.name for role in pair))


def _check_two_names(names: Sequence[Any]) -> None:
    if len(names) != 2:
        raise ValueError(
            "A tally is about two classifiers, champion and challenger. Got "
            f"{len(names)}: {', '.join(map(str, names))}. Make one for each pair."
        )


def _merged(pending: list[list[Cells]]) -> list[Cells]:
    """Add up the tables of several parts."""
    return list(map(merged, zip(*pending, strict=True)))


def _score_bins(
    pair: tuple[EstimatorPredictions, EstimatorPredictions],
    ranked: int,
    request: TallyRequest,
) -> tuple[ScoreBins, ScoreBins]:
    """Return score bins as requested, distinct for few values, or else chosen by values."""
    fixed = request.fixed_score_bins()
    if fixed is not None:
        return fixed
    pair_score_bins = []
    for predictions in pair:
        score = predictions.proba[:, ranked]  # type: ignore[index]
        few = len(np.unique(score[:FIRST])) <= request.n_score_bins
        if few and len(np.unique(score)) <= request.n_score_bins:
            pair_score_bins.append(ScoreBins.distinct())
            continue
        score_bins = ScoreBins.choose(score[:FIRST], request.n_score_bins)
        if score_bins.is_distinct and len(score) > FIRST:
            # The first records may lack most values.
            score_bins = ScoreBins.choose(score, request.n_score_bins)
        pair_score_bins.append(score_bins)
    return pair_score_bins[0], pair_score_bins[1]


def _counted(
    plan: TallyPlan,
    y: Any,
    pair: tuple[EstimatorPredictions, EstimatorPredictions],
    rows: slice,
    record_groups: Any,
) -> list[Cells]:
    ops = ArrayOperations()
    columns = [
        Given(
            None if predictions.labels is None else predictions.labels[rows],
            None if predictions.proba is None else list(predictions.proba[rows].T),
        )
        for predictions in pair
    ]
    groups = {} if record_groups is None else {"group": record_groups[rows]}
    return [
        cells_of_codes(part.digits, part.raw | groups, part.sums, len(y))
        for part in parts_of(plan, derived(ops, plan, y, columns))
    ]


def tally_frame(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    requested: TallyRequest,
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
) -> Tally:
    """Count and sum the records of a data frame, by its engine if possible.

    Lazy frames of Polars, DuckDB, Dask, PySpark and other engines, datasets of pyarrow and
    large Parquet files are counted by one group-by of their engine, after a query of the
    labels and of the first records. Frames in memory and smaller files are counted here,
    with the same numbers.

    Parameters
    ----------
    frame, y_true, predictions, id, groups
        As for :func:`skcompare.predictions.predictions_from_frame`, with the predictions of
        champion and challenger.
    requested : TallyRequest
        The request.
    labels : array-like of shape (n_classes,), optional
        All class labels. They save the engine a query of the labels.

    Raises
    ------
    ValueError
        If there is no such column; if values are missing, are not classes or not
        probabilities, with the number of such records; if there is no record.

    Examples
    --------
    >>> import pandas as pd
    >>> from skcompare.evidence import TallyRequest, JointCounts, tally_frame
    >>> frame = pd.DataFrame({"y": [0, 1, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> tally = tally_frame(frame, "y", {"old": "a", "new": "b"}, TallyRequest(labels=True))
    >>> tally
    Tally(n=3, names=['old', 'new'], n_cells=3)
    >>> JointCounts.from_tally(tally).contingency_table().only_challenger
    1
    """
    _check_two_names(list(predictions))
    requested.check_groups(groups is not None)
    roles = ColumnRoles(frame, y_true, predictions, id, groups)
    tally = engine_tally(roles, requested, labels)
    if tally is not None:
        return tally
    truth, arrays, group, *_ = roles.read()
    return tally_arrays(truth, arrays, requested, groups=group, labels=labels)  # type: ignore[arg-type]


def engine_tally(
    roles: ColumnRoles, requested: TallyRequest, labels: ArrayLike | None = None
) -> Tally | None:
    """Return the tally of columns on an engine, or None to read them into arrays."""
    columns = roles.on_engine()
    if columns is None:
        return None
    if requested.target == NUMBERS:
        return EngineNumbers(columns, requested).tally()
    return EngineTally(columns, requested, labels).tally()
