"""Losses of two classifiers on the same records, or what is left of them: their moments."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._typing import FloatArray
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._frame_losses import LossFrames
from skcompare.evidence._loss_groups import LossGroups
from skcompare.evidence._loss_moments import LossMoments
from skcompare.evidence._loss_sources import LossSources
from skcompare.evidence._merge import Mergeable
from skcompare.evidence._record_losses import rounded
from skcompare.predictions import SCORES

CLIPPED = "clipped-probabilities"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedLosses(LossSources, LossFrames, Mergeable):
    """Losses of a champion and a challenger, record by record.

    Made by :meth:`from_predictions` from probabilities, by :meth:`from_losses` from other
    losses, such as squared errors, by :meth:`from_moments` from what was published, or by
    :meth:`from_sums` from what was summed where the records are.
    Shards add up. Tests that rank or permute need the losses, others their moments only.

    Parameters
    ----------
    moments : LossMoments
        Number of records, means and centred sums of squares.
    values : ndarray of shape (2, n_samples) or None, default=None
        The losses of champion and challenger.
    groups : LossGroups or None, default=None
        Sums of the differences a group, where records come in groups.
    loss : str, default="losses"
        Name of the loss, with its options.
    clipped : tuple of two int, default=(0, 0)
        Records of each role whose log loss is that of `eps`.
    design : Design or str, default="holdout"
        How the records were collected.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> losses = PairedLosses.from_predictions(
    ...     y_true=[1, 0, 1, 0],
    ...     champion_proba=[0.9, 0.2, 0.6, 0.4],
    ...     challenger_proba=[0.8, 0.1, 0.9, 0.3],
    ... )
    >>> losses
    PairedLosses(n=4, loss='brier', champion=0.0925, challenger=0.0375, design='holdout')
    >>> losses.differences.round(3).tolist()
    [-0.03, 0.03, 0.15, 0.07]

    .. versionadded:: 0.1
    """

    moments: LossMoments
    values: FloatArray | None = None
    groups: LossGroups | None = None
    loss: str = "losses"
    clipped: tuple[int, int] = (0, 0)
    design: Design = HOLDOUT

    wanted: ClassVar[frozenset[str]] = frozenset({SCORES})
    least_records: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "design", as_design(self.design))
        if self.values is not None and self.values.flags.writeable:
            values = np.array(self.values, dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        champion, challenger = self.means
        groups = "" if self.groups is None else f", n_groups={self.groups.n_groups}"
        values = "" if self.values is not None else ", moments only"
        return (
            f"PairedLosses(n={self.n}{groups}, loss={self.loss!r}, "
            f"champion={champion:.4g}, challenger={challenger:.4g}, "
            f"design={self.design.name!r}{values})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairedLosses):
            return NotImplemented
        if self._key != other._key or self.groups != other.groups:
            return False
        if self.values is None or other.values is None:
            return self.values is other.values
        return np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.moments, self.loss, self.clipped, self.design

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the losses come back read-only.
        return PairedLosses, tuple(getattr(self, field.name) for field in fields(self))

    @property
    def n(self) -> int:
        """Number of records."""
        return self.moments.n

    @property
    def means(self) -> tuple[float, float]:
        """Mean losses of champion and challenger."""
        return self.moments.champion, self.moments.challenger

    @property
    def gain(self) -> float:
        """Mean loss of the champion less that of the challenger."""
        return self.moments.gain

    @property
    def flags(self) -> tuple[str, ...]:
        """Caveats about how the losses came about."""
        return (CLIPPED,) if any(self.clipped) else ()

    @property
    def champion(self) -> FloatArray:
        """The champion's loss of each record."""
        return self._kept_values[0]

    @property
    def challenger(self) -> FloatArray:
        """The challenger's loss of each record."""
        return self._kept_values[1]

    @property
    def _kept_values(self) -> FloatArray:
        if self.values is None:
            raise ValueError(
                "These losses were reduced to their moments, and a test that ranks or "
                "permutes them needs them all. Keep them by keep_values=True, or use "
                "paired_t."
            )
        return self.values

    @property
    def differences(self) -> FloatArray:
        """The champion's losses less the challenger's: positive favours the challenger."""
        return self.champion - self.challenger

    @property
    def rounded_differences(self) -> FloatArray:
        """The differences to 12 decimals, for tests that rank them or look for zeros.

        (0.7 - 1)² and 0.3² differ in floating point; rounded, they are tied.
        """
        return rounded(self.differences)

    def swap(self) -> "PairedLosses":
        """The losses with the roles exchanged."""
        values = None if self.values is None else self.values[::-1]
        return replace(
            self,
            moments=self.moments.swap(),
            values=values,
            groups=None if self.groups is None else self.groups.swap(),
            clipped=(self.clipped[1], self.clipped[0]),
        )

    def __add__(self, other: object) -> "PairedLosses":
        if not isinstance(other, PairedLosses):
            return NotImplemented
        check_same_design(self, other)
        if self.loss != other.loss:
            raise ValueError(
                f"Only losses of one kind can be merged. Got {self.loss!r} and "
                f"{other.loss!r}."
            )
        values = groups = None
        if self.values is not None and other.values is not None:
            values = np.concatenate([self.values, other.values], axis=1)
            values.setflags(write=False)
        if self.groups is not None and other.groups is not None:
            groups = self.groups + other.groups
        clipped = (
            self.clipped[0] + other.clipped[0],
            self.clipped[1] + other.clipped[1],
        )
        return PairedLosses(
            self.moments + other.moments, values, groups, self.loss, clipped, self.design
        )

    def to_dict(self) -> dict[str, Any]:
        """Moments, losses, groups and design as plain values."""
        moments = {f.name: getattr(self.moments, f.name) for f in fields(self.moments)}
        return moments | {
            "values": None if self.values is None else self.values.tolist(),
            "groups": None if self.groups is None else self.groups.to_dict(),
            "loss": self.loss,
            "clipped": list(self.clipped),
            "design": self.design.name,
        }
