"""Constructors of losses and calibration from tallies and data frames."""

from typing import Any, Self

import numpy as np

from skcompare._typing import ArrayLike
from skcompare.evidence.calibration._bins import SUMS
from skcompare.evidence.tally._tally import Tally
from skcompare.evidence.tally._tally_arrays import tally_frame
from skcompare.evidence.tally._tally_request import TallyRequest

ROLES = ("champion", "challenger")


class LossFrames:
    """Constructors of PairedLosses from tallies and data frames."""

    __slots__ = ()

    @classmethod
    def from_tally(cls, tally: Tally, *, loss: str | None = None) -> Self:
        """Construct from a tally with losses.

        Parameters
        ----------
        tally : Tally
            A tally with losses.
        loss : str, optional
            Name of the loss, where the tally has several.
        """
        losses = tally.plan.losses
        chosen = losses[0] if loss is None and len(losses) == 1 else loss
        if chosen not in losses:
            raise ValueError(
                f"`loss` must be one of the losses of the tally: "
                f"{', '.join(losses) or '-'}. Got {loss!r}. "
                "Ask for it when the tally is made."
            )
        prefix = f"{chosen}."
        names = [name for name in tally.sums if name.startswith(prefix)]
        parts = tally.parts(names)
        sums = {name.removeprefix(prefix): parts.sums[name] for name in names}
        squares = sums["champion_squares"] + sums["challenger_squares"]
        sums["products"] = (squares - sums["gain_squares"]) / 2
        clipped = [int(sums.pop(f"{name}_clipped", np.zeros(1)).sum()) for name in ROLES]
        groups = None
        if tally.groups is not None:
            groups = tally.groups[parts.keys["group"]]
        plan = tally.plan
        label = (
            f"{chosen}(eps={plan.eps!r})" if chosen == "log_loss" and plan.eps else chosen
        )
        evidence: Any = cls
        result: Self = evidence.from_sums(
            parts.counts,
            sums,
            groups=groups,
            loss=label,
            clipped=(clipped[0], clipped[1]),
            design=plan.design,
        )
        return result

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        loss: str = "brier_score",
        eps: float | None = None,
        id: str | None = None,
        groups: Any = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Compute moments of losses on a hold-out set, from data frames or files.

        An engine adds up its own records, by one group-by after a query of the labels; see
        :doc:`/user_guide/large_data`. The losses themselves are not kept, so that tests
        that rank or permute them need :meth:`from_predictions`.

        Parameters
        ----------
        frame, id
            As for :meth:`JointCounts.from_frame`.
        y_true : str or tuple
            Column of true labels.
        champion, challenger : str, list of str, or tuple
            Column of the probabilities of `pos_label`; a list of columns, one per class in
            sorted order; or a pair of another frame or file and these.
        loss : str, default="brier_score"
            One of "binary_brier_loss", "multiclass_brier_loss", "brier_score", "log_loss"
            and "spherical_loss".
        eps, labels, pos_label
            As for :meth:`from_predictions`.
        groups : str or tuple, optional
            Column of the group of each record.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PairedLosses
        >>> frame = pd.DataFrame({
        ...     "y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.1, 0.9, 0.3]
        ... })
        >>> round(PairedLosses.from_frame(frame).gain, 3)
        0.055
        """
        tally = tally_frame(
            frame,
            y_true,
            {"champion": champion, "challenger": challenger},
            TallyRequest(losses=(loss,), eps=eps, pos_label=pos_label),
            id=id,
            groups=groups,
            labels=labels,
        )
        return cls.from_tally(tally)


class CalibrationFrames:
    """Constructors of PairedCalibration from tallies and data frames."""

    __slots__ = ()

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """Construct from a tally with calibration."""
        kind = tally.plan.kind or "binary"
        event_names = ["y"] if kind == "binary" else ["event_0", "event_1"]
        names = ["bin_0", "bin_1", *event_names]
        table = tally.cells(names, [f"calibration.{name}" for name in SUMS])
        if kind == "binary":
            events = [(table.keys["y"] == tally.plan.positive).astype(np.int64)] * 2
        else:
            events = [table.keys[name] for name in event_names]
        cells = np.column_stack([table.keys["bin_0"], table.keys["bin_1"], *events])
        sums = {name: table.sums[f"calibration.{name}"] for name in SUMS}
        evidence: Any = cls
        calibration: Self = evidence.from_cells(
            cells,
            table.counts,
            sums,
            tally.plan.edges,
            kind=kind,
            design=tally.plan.design,
        )
        return calibration

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        y_true: Any = "y",
        champion: Any = "a",
        challenger: Any = "b",
        n_bins: int = 15,
        edges: Any = None,
        kind: str = "auto",
        id: str | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Bin the predictions for a hold-out set, from columns of data frames or files.

        An engine bins and adds up its own records, by one group-by after a query of the
        labels; see :doc:`/user_guide/large_data`. The records themselves are not kept.

        Parameters
        ----------
        frame, y_true, champion, challenger, id
            As for :meth:`PairedLosses.from_frame`.
        n_bins : int, default=15
            Number of bins, of equal width.
        edges, labels, pos_label
            As for :meth:`from_predictions`. Bins of equal mass are passed as `edges`.
        kind : {"auto", "binary", "top_label"}, default="auto"
            The events; "auto" is binary for two classes, and top-label for more.

        Examples
        --------
        >>> import pandas as pd
        >>> from skcompare.evidence import PairedCalibration
        >>> frame = pd.DataFrame({
        ...     "y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.1, 0.9, 0.3]
        ... })
        >>> calibration = PairedCalibration.from_frame(frame, n_bins=2)
        >>> round(calibration.error("challenger"), 3)
        0.175
        """
        request = TallyRequest(
            calibration=True, n_bins=n_bins, edges=edges, kind=kind, pos_label=pos_label
        )
        columns = {"champion": champion, "challenger": challenger}
        return cls.from_tally(
            tally_frame(frame, y_true, columns, request, id=id, labels=labels)
        )
