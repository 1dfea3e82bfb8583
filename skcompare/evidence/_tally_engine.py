"""One group-by: what an engine is asked, and what its answer says."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_groups, check_labels, class_codes, encode_labels
from skcompare._core.score_bins import Levels
from skcompare._core.validation import positive_class
from skcompare._typing import ArrayLike, IntArray
from skcompare.evidence._tally import Cells, Tally, merged
from skcompare.evidence._tally_asked import Asked
from skcompare.evidence._tally_levels import chosen_levels
from skcompare.evidence._tally_query import LABELS, PROBA, SCORES, Query
from skcompare.predictions import EngineColumns


class EngineTally:
    """The tally of a table on an engine.

    Parameters
    ----------
    columns : EngineColumns
        Which columns are what.
    asked : Asked
        What is needed.
    labels : array-like of shape (n_classes,) or None
        All class labels, where they are known.
    kind : {"labels", "scores"}, optional
        What all columns are, where it is known: labels, or scores of any range that are
        greater for the positive class. By default labels and probabilities are told apart
        as those in arrays.
    """

    def __init__(
        self,
        columns: EngineColumns,
        asked: Asked,
        labels: ArrayLike | None = None,
        *,
        kind: str | None = None,
    ) -> None:
        self.columns = columns
        self.table = columns.table
        self.asked = asked
        self.labels = None if labels is None else np.unique(check_labels("labels", labels))
        self.names = tuple(columns.answers)
        self._known = kind
        self._kinds = {name: self._kind_of(name) for name in self.names}

    @property
    def kinds(self) -> dict[str, str]:
        """What the columns of each classifier are."""
        return dict(self._kinds)

    def asking(self, asked: Asked, labels: ArrayLike | None) -> "EngineTally":
        """The same for something else that is needed, with all class labels."""
        other = copy(self)
        other.asked = asked
        other.labels = None if labels is None else np.unique(check_labels("labels", labels))
        return other

    def classes(self) -> NDArray[Any]:
        """All classes: those that were named, or those that occur."""
        return self._classes() if self.labels is None else self.labels

    def tally(self) -> Tally:
        """The tally, by one group-by after small looks."""
        self._check_kinds()
        if all(kind == LABELS for kind in self._kinds.values()):
            return self._of_labels()
        classes = self.classes()
        self._check_columns(classes)
        grouped = self.columns.groups is not None
        plan = self.asked.plan(classes, None, grouped)
        if self._known == SCORES:
            label = positive_class(classes, self.asked.pos_label)
            plan = replace(plan, ranked=int(np.flatnonzero(classes == label)[0]))
        if self.asked.ranking:
            plan = replace(plan, levels=self._levels(classes, plan.ranked))
        tables, groups = Query(self.columns, self._kinds, plan).run()
        return Tally(plan, tables, groups, self.names)

    def _said(self, name: str) -> str:
        """What messages call a column."""
        return f"Column {self.columns.known_as[name]!r} of {self.table.words}"

    # What the columns are ---------------------------------------------------------------

    def _kind_of(self, name: str) -> str:
        own = self.columns.answers[name]
        if self._known == SCORES or name in self.columns.proba:
            for column in own:
                if self.table.kind(column) not in ("whole", "fraction", "boolean"):
                    raise ValueError(
                        f"{self._said(column)} must hold numbers, as it is of scores or "
                        f"probabilities. Got {self.table.kind(column)}."
                    )
            return SCORES if self._known == SCORES else PROBA
        (column,) = own
        kind = self.table.kind(column)
        if kind == "date":
            raise ValueError(f"{self._said(column)} must hold labels. Got dates.")
        truth = self.columns.y_true
        if kind != "fraction" or self._known == LABELS:
            return LABELS
        if truth is not None and self.table.kind(truth) == "text":
            return PROBA
        return PROBA if self._has_fractions(column) else LABELS

    def _has_fractions(self, column: str) -> bool:
        """Whether numbers are probabilities and no labels, as for arrays."""
        head = self.table.head([column])[column]
        if (head != np.trunc(head)).any():
            return True
        program = self.table.program({column: (column, "fraction")})
        value = program.column(column)
        unlike = program.floor(value) == value
        key = program.where(unlike, 1, program.where((value < 0.0) | (value > 0.0), 0, 1))
        (whole,), _, _ = self.table.grouped(program, [key], [], [column])
        if 0 in whole:
            return True
        (values,), _ = self.table.counted([column])
        if not np.isin(values, (0, 1)).all():
            return False
        known = self.labels
        if known is None:
            (known,), _ = self.table.counted([self.columns.y_true or column])
        # Zeros and ones beside other labels can only be probabilities.
        return not np.isin(values, known).all()

    def _check_kinds(self) -> None:
        wanting = [name for name, kind in self._kinds.items() if kind == LABELS]
        if wanting and (self.asked.needs_proba or self.asked.ranking):
            raise ValueError(
                f"{wanting[0]} has no probabilities, and losses, calibration and ranking "
                "are made of them. Name columns of probabilities, or ask for labels only."
            )

    def _check_columns(self, classes: NDArray[Any]) -> None:
        """Refuse columns of probabilities that do not go with the classes."""
        for name, kind in self._kinds.items():
            n = len(self.columns.answers[name])
            if kind == PROBA and n > 1 and n != len(classes):
                raise ValueError(
                    f"`{name}` has probabilities of {n} classes, but the labels have "
                    f"{len(classes)}: {classes.tolist()[:10]}. Pass all class labels as "
                    "`labels`."
                )
            if kind == PROBA and n == 1 and len(classes) != 2:
                raise ValueError(
                    f"`{name}` has one column of probabilities, which needs two classes. "
                    f"Got {len(classes)}. Pass a column a class, or all class labels as "
                    "`labels`."
                )
            unnamed = self.asked.pos_label is None and classes.dtype.kind in "US"
            if kind == PROBA and n == 1 and unnamed:
                raise ValueError(
                    f"`{name}` has probabilities of one of {classes.tolist()}. Say of "
                    "which: pass `pos_label`."
                )

    # Looks ------------------------------------------------------------------------------

    def _label_columns(self) -> dict[str, str]:
        """Columns of labels by what messages call them."""
        named = {"y_true": self.columns.y_true}
        for name, kind in self._kinds.items():
            if kind == LABELS:
                named[name] = self.columns.answers[name][0]
            elif name in self.columns.labels:
                named[f"labels of {name}"] = self.columns.labels[name]
        return {name: column for name, column in named.items() if column is not None}

    def _check_head(self, named: dict[str, str]) -> None:
        """Refuse what is no labels before an engine counts millions of values of it."""
        fractions = {n: c for n, c in named.items() if self.table.kind(c) == "fraction"}
        for name, column in fractions.items():
            check_labels(name, self.table.head([column])[column])

    def _classes(self) -> NDArray[Any]:
        """All labels that occur."""
        named = self._label_columns()
        self._check_head(named)
        values, _ = self._counts(list(named.values()))
        found = {
            name: np.unique(check_labels(name, value))
            for name, value in zip(named, values, strict=True)
        }
        return encode_labels(found.pop("y_true"), found, closed=True)[0]

    def _counts(self, columns: Sequence[str]) -> tuple[list[NDArray[Any]], IntArray]:
        program = self.table.program(
            {name: (name, self.table.kind(name)) for name in columns}
        )
        said = [self.columns.known_as[name] for name in columns]
        keys = [program.column(name) for name in columns]
        values, counts, _ = self.table.grouped(program, keys, [], said)
        return values, counts

    def _of_labels(self) -> Tally:
        """The tally of labels only: one group-by of the columns as they are."""
        named = self._label_columns()
        self._check_head(named)
        columns = list(named.values())
        if self.columns.groups is not None:
            columns.append(self.columns.groups)
        values, counts = self._counts(columns)
        labels = {
            name: check_labels(name, value)
            for name, value in zip(named, values, strict=False)
        }
        truth = labels.pop("y_true")
        classes, codes = encode_labels(truth, labels, closed=self.labels is None)
        if self.labels is not None:
            classes, codes = _among(self.labels, truth, labels)
        keys = dict(zip(("y", "label_0", "label_1"), codes, strict=True))
        keys = {name: code.astype(np.int64) for name, code in keys.items()}
        groups = None
        if self.columns.groups is not None:
            groups, keys["group"] = np.unique(check_groups(values[-1]), return_inverse=True)
        plan = self.asked.plan(classes, None, groups is not None)
        cells = merged([Cells(keys, counts)], list(keys), [])
        return Tally(plan, (cells,), groups, self.names)

    def _levels(self, classes: NDArray[Any], ranked: int) -> tuple[Levels, Levels]:
        fixed = self.asked.fixed_levels()
        if fixed is not None:
            return fixed
        first, second = (
            chosen_levels(
                self.table,
                self._ranked_column(name, ranked),
                self.asked.n_levels,
                self._kinds[name] == PROBA,
            )
            for name in self.names
        )
        return first, second

    def _ranked_column(self, name: str, ranked: int) -> str:
        own = self.columns.answers[name]
        # A single column is that of the class that is ranked.
        return own[ranked] if len(own) > 1 else own[0]


def _among(
    classes: NDArray[Any], truth: NDArray[Any], labels: dict[str, NDArray[Any]]
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Classes that were named, and labels as positions among them."""
    codes = [class_codes("y_true", truth, classes)]
    codes += [class_codes(name, own, classes) for name, own in labels.items()]
    return classes, codes
