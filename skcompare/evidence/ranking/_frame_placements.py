"""Constructors of placement values from tallies and data frames."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import check_count
from skcompare.evidence.tally._tally import Tally
from skcompare.evidence.tally._tally_engine import EngineTally
from skcompare.evidence.tally._tally_request import TallyRequest
from skcompare.predictions import arrays_from_frame, columns_on_engine

ROLES = ("champion", "challenger")

COLLECTED = 10_000_000
"""Most records whose scores are collected in order to be sorted."""


class PlacementFrames:
    """Constructors of PlacementValues from tallies and data frames."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *values: Any, **kwargs: Any) -> None: ...

        @classmethod
        def from_predictions(cls, y_true: Any, *scores: Any, **kwargs: Any) -> Self: ...

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """Construct from a tally of rankings."""
        tallied = tally.cells(["y", "level_0", "level_1"])
        scores = [tallied.keys["level_0"], tallied.keys["level_1"]]
        plan = tally.plan
        label = tally.classes[plan.ranked]
        return cls(
            tallied.keys["y"] == plan.ranked,
            np.array(scores, dtype=np.float64),
            tally.names,
            None,
            plan.design,
            label.item(),
            tallied.counts,
            plan.score_bins,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        pos_label: Any = None,
        n_score_bins: int = ScoreBins.default,
        score_bins: Any = None,
        collect: int = COLLECTED,
        id: str | None = None,
        groups: Any = None,
    ) -> Self:
        """Rank the records of a hold-out set, from columns of data frames or files.

        Records in memory are ranked as they are, and those of an engine as well where
        there are at most `collect`: labels and scores are collected and sorted. Of more
        records an engine counts the bins of their scores, by one group-by; areas under
        the curve then have a stated bound on their error, see
        :doc:`/user_guide/large_auc`.

        Parameters
        ----------
        frame, id
            As for :meth:`JointCounts.from_frame`.
        y_true : str or tuple
            Column of true labels, of two classes.
        champion, challenger : str or tuple
            Columns of probabilities of the positive class, or of any scores that are
            greater for it.
        pos_label : label, optional
            The positive class; 1 or True by default.
        n_score_bins : int, default=512
            Bins of the scores of each classifier. Scores with no more different values
            are ranked exactly.
        score_bins : ScoreBins or pair of ScoreBins, optional
            The bins, where they are fixed; records are then counted, however few.
        collect : int, default=10_000_000
            Most records of an engine that are collected. With 0 none are.
        groups : str or tuple, optional
            Column of the group of each record; such records are not counted by bins.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PlacementValues
        >>> frame = pd.DataFrame({
        ...     "y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8], "b": [0.2, 0.3, 0.3, 0.9]
        ... })
        >>> PlacementValues.from_frame(frame).aucs.tolist()
        [0.75, 0.875]
        """
        check_count("collect", collect, least=0)
        score_columns = {"champion": champion, "challenger": challenger}
        columns = columns_on_engine(
            frame, y_true, score_columns, id=id, groups=groups, lists=False
        )
        if columns is None:
            truth, arrays, group = arrays_from_frame(
                frame, y_true, score_columns, id=id, groups=groups
            )
            return cls.from_predictions(
                truth,
                *arrays.values(),
                pos_label=pos_label,
                groups=group,
                score_bins=score_bins,
                names=ROLES,
            )
        if score_bins is None and columns.table.n_records() <= collect:
            truth, *scores, group = columns.read()
            return cls.from_predictions(
                truth, *scores, pos_label=pos_label, groups=group, names=ROLES
            )
        request = TallyRequest(
            ranking=True,
            n_score_bins=n_score_bins,
            score_bins=score_bins,
            pos_label=pos_label,
        )
        request.check_groups(groups is not None)
        return cls.from_tally(EngineTally(columns, request, kind="scores").tally())
