"""Constructors of counts of labels from tallies and data frames."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skcompare.evidence.tally._tally import Tally
from skcompare.evidence.tally._tally_engine import EngineTally
from skcompare.evidence.tally._tally_request import TallyRequest
from skcompare.predictions import arrays_from_frame, columns_on_engine, labels_from_frame


class JointFrames:
    """Constructors of JointCounts from tallies and data frames."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *values: Any, **kwargs: Any) -> None: ...

        @classmethod
        def from_predictions(cls, y_true: Any, champion: Any, challenger: Any) -> Self: ...

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """Construct from a tally of labels."""
        names = ["y", "label_0", "label_1"]
        tallied = tally.cells(names)
        cells = np.column_stack([tallied.keys[name] for name in names])
        return cls(tallied.counts, tally.classes, cells, tally.plan.design)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        id: str | None = None,
    ) -> Self:
        """Count the records of a hold-out set, from columns of data frames or files.

        An engine counts its own records, by one group-by; see
        :doc:`/user_guide/large_data`.

        Parameters
        ----------
        frame : frame, str or path-like
            A frame of pandas, Polars, PyArrow, DuckDB, Dask, PySpark or another library
            that narwhals supports, eager or lazy, a dataset of PyArrow, or the path of a
            `.csv`, `.tsv` or `.parquet` file. Only the named columns are read, as far as
            the format allows.
        y_true, champion, challenger : str or tuple
            Columns of true and predicted labels; a pair `(other_frame, column)` takes
            one from another frame or file.
        id : str, optional
            Column that identifies records, in every frame. Frames are joined by it,
            whatever the order of their records; needed for more than one.

        Raises
        ------
        ValueError
            If there is no such column, a value is missing, or ids do not match.
        MissingDependencyError
            If the library that reads such frames or files is not installed.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import JointCounts
        >>> truth = pd.DataFrame({"id": [1, 2, 3], "y": ["a", "b", "b"]})
        >>> old = pd.DataFrame({"id": [3, 2, 1], "label": ["b", "a", "a"]})
        >>> new = pd.DataFrame({"id": [2, 3, 1], "label": ["b", "b", "a"]})
        >>> joint = JointCounts.from_frame(
        ...     truth, champion=(old, "label"), challenger=(new, "label"), id="id"
        ... )
        >>> joint.contingency_table()
        ContingencyTable(both_correct=2, only_champion=0, only_challenger=1, both_wrong=0)
        """
        columns = {"y_true": y_true, "champion": champion, "challenger": challenger}
        tally = _label_tally(frame, columns, id)
        if tally is not None:
            return cls.from_tally(tally)
        return cls.from_predictions(**labels_from_frame(frame, columns, id=id))


class ClusterFrames:
    """Constructors of ClusterSums from tallies and data frames."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *values: Any, **kwargs: Any) -> None: ...

        @classmethod
        def from_predictions(cls, y_true: Any, *predictions: Any, groups: Any) -> Self: ...

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """Construct from a tally of labels of grouped records."""
        names = ["group", "y", "label_0", "label_1"]
        tallied = tally.cells(names)
        cells = np.column_stack([tallied.keys[name] for name in names])
        return cls(
            None,
            tally.groups,
            tally.plan.design,
            tally.classes,
            cells,
            tallied.counts,
            tally.names,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        groups: Any,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        id: str | None = None,
    ) -> Self:
        """Count the records of a hold-out set by group, from data frames or files.

        An engine counts its own records, by one group-by: one cell for each group and
        pair of predictions comes back. See :doc:`/user_guide/large_data`.

        Parameters
        ----------
        frame, y_true, champion, challenger, id
            As for :meth:`JointCounts.from_frame`.
        groups : str or tuple
            Column of the group (patient, user) of each record.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import ClusterSums
        >>> frame = pd.DataFrame({
        ...     "y": [0, 1, 1, 0],
        ...     "a": [0, 0, 1, 1],
        ...     "b": [0, 1, 1, 1],
        ...     "user": ["ann", "ann", "bob", "bob"],
        ... })
        >>> ClusterSums.from_frame(frame, groups="user").tables.tolist()
        [[1, 0, 1, 0], [1, 0, 0, 1]]
        """
        columns = {"y_true": y_true, "champion": champion, "challenger": challenger}
        tally = _label_tally(frame, columns, id, groups)
        if tally is not None:
            return cls.from_tally(tally)
        predictions = {"champion": champion, "challenger": challenger}
        truth, arrays, group = arrays_from_frame(
            frame, y_true, predictions, id=id, groups=groups
        )
        return cls.from_predictions(truth, *arrays.values(), groups=group)


def _label_tally(
    frame: Any, columns: dict[str, Any], id: str | None, groups: Any = None
) -> Tally | None:
    """Return the tally of labels on an engine, or None to read the records into arrays."""
    predictions = dict(columns)
    truth = predictions.pop("y_true")
    on_engine = columns_on_engine(
        frame, truth, predictions, id=id, groups=groups, lists=False
    )
    if on_engine is None:
        return None
    return EngineTally(on_engine, TallyRequest(labels=True), kind="labels").tally()
