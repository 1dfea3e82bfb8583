"""Losses and calibration from tallies and frames, whose records stay where they are."""

from typing import Any, Self

import numpy as np

from skcompare._typing import ArrayLike
from skcompare.evidence.calibration._bins import SUMS
from skcompare.evidence.tally._tally import Tally
from skcompare.evidence.tally._tally_arrays import tally_frame
from skcompare.evidence.tally._tally_request import Asked

ROLES = ("champion", "challenger")


class LossFrames:
    """The constructors of PairedLosses that leave records where they are."""

    __slots__ = ()

    @classmethod
    def from_tally(cls, tally: Tally, *, loss: str | None = None) -> Self:
        """The moments of the losses of a tally.

        Parameters
        ----------
        tally : Tally
            One that was asked for losses.
        loss : str, optional
            Which of them, where there are several.
        """
        known = tally.plan.losses
        chosen = known[0] if loss is None and len(known) == 1 else loss
        if chosen not in known:
            raise ValueError(
                f"`loss` must be one of the losses of the tally: {', '.join(known) or '-'}."
                f" Got {loss!r}. Ask for it when the tally is made."
            )
        prefix = f"{chosen}."
        names = [one for one in tally.sums if one.startswith(prefix)]
        parts = tally.parts(names)
        sums = {one.removeprefix(prefix): parts.sums[one] for one in names}
        squares = sums["champion_squares"] + sums["challenger_squares"]
        sums["products"] = (squares - sums["gain_squares"]) / 2
        clipped = [int(sums.pop(f"{one}_clipped", np.zeros(1)).sum()) for one in ROLES]
        groups = None
        if tally.groups is not None:
            groups = tally.groups[parts.keys["group"]]
        plan = tally.plan
        words = f"log(eps={plan.eps!r})" if chosen == "log" and plan.eps else chosen
        evidence: Any = cls
        made: Self = evidence.from_sums(
            parts.counts,
            sums,
            groups=groups,
            loss=words,
            clipped=(clipped[0], clipped[1]),
            design=plan.design,
        )
        return made

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
        """The moments of losses on a hold-out set, from columns of frames or files.

        An engine adds up its own records, by one group-by after a look at the labels; see
        :doc:`/user_guide/large_data`. The losses themselves are not kept, so that tests
        that rank or permute them need :meth:`from_predictions`.

        Parameters
        ----------
        frame, id
            As for :meth:`JointCounts.from_frame`.
        y_true : str or tuple
            Column of true labels.
        champion, challenger : str, list of str, or tuple
            Column of the probabilities of `pos_label`; a list of columns, one a class in
            sorted order; or a pair of another frame or file and these.
        loss : str, default="brier_score"
            One of "brier", "multiclass_brier", "brier_score", "log" and "spherical".
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
            Asked(losses=(loss,), eps=eps, pos_label=pos_label),
            id=id,
            groups=groups,
            labels=labels,
        )
        return cls.from_tally(tally)


class CalibrationFrames:
    """The constructors of PairedCalibration that leave records where they are."""

    __slots__ = ()

    @classmethod
    def from_tally(cls, tally: Tally) -> Self:
        """The bins of a tally that was asked for calibration."""
        kind = tally.plan.kind or "binary"
        own = ["y"] if kind == "binary" else ["event_0", "event_1"]
        names = ["bin_0", "bin_1", *own]
        found = tally.cells(names, [f"calibration.{name}" for name in SUMS])
        if kind == "binary":
            events = [(found.keys["y"] == tally.plan.positive).astype(np.int64)] * 2
        else:
            events = [found.keys[name] for name in own]
        cells = np.column_stack([found.keys["bin_0"], found.keys["bin_1"], *events])
        sums = {name: found.sums[f"calibration.{name}"] for name in SUMS}
        evidence: Any = cls
        made: Self = evidence.from_cells(
            cells,
            found.counts,
            sums,
            tally.plan.edges,
            kind=kind,
            design=tally.plan.design,
        )
        return made

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
        """Bin the answers to a hold-out set, from columns of frames or files.

        An engine bins and adds up its own records, by one group-by after a look at the
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
        asked = Asked(
            calibration=True, n_bins=n_bins, edges=edges, kind=kind, pos_label=pos_label
        )
        answers = {"champion": champion, "challenger": challenger}
        return cls.from_tally(
            tally_frame(frame, y_true, answers, asked, id=id, labels=labels)
        )
