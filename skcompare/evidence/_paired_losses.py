"""Losses of two classifiers on the same records, or what is left of them: their moments."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from skcompare._design import HOLDOUT, Design, as_design
from skcompare._flags import register_flag
from skcompare._labels import check_groups
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare._validation import check_same_length
from skcompare.evidence._class_columns import ClassColumns
from skcompare.evidence._contingency import check_same_design
from skcompare.evidence._loss_groups import LossGroups
from skcompare.evidence._loss_moments import LossMoments
from skcompare.evidence._merge import Mergeable
from skcompare.evidence._record_losses import (
    EPS,
    check_name,
    checked_loss,
    checked_values,
    n_clipped,
    named_loss,
    rounded,
)
from skcompare.predictions import SCORES, PairedPredictions

__all__ = ["PairedLosses"]

CLIPPED = register_flag(
    "clipped-probabilities",
    "a true class has a probability so small, or 0, that its log loss was computed for a "
    "small probability `eps` instead; the mean depends on this choice",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedLosses(Mergeable):
    """Losses of a champion and a challenger, record by record.

    Made by :meth:`from_predictions` from probabilities, by :meth:`from_losses` from other
    losses, such as squared errors, or by :meth:`from_moments` from what was published.
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

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        champion_proba: ArrayLike,
        challenger_proba: ArrayLike,
        *,
        loss: Any = "brier",
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        groups: ArrayLike | None = None,
        keep_values: bool = True,
        eps: float | None = None,
        cost_matrix: ArrayLike | None = None,
    ) -> "PairedLosses":
        """The losses of probabilities on a hold-out set.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        champion_proba, challenger_proba : array-like of shape (n_samples, n_classes) or \
(n_samples,)
            Probabilities, a column a class in sorted order (in any, where a frame names
            them by the classes); one column is that of `pos_label`.
        loss : str or callable, default="brier"
            A registered loss ("brier" for two classes, "multiclass_brier", "brier_score",
            "log", "spherical", "cost"), or a function of the positions of the true classes
            among the columns and of the probabilities that gives a loss a record.
        labels : array-like of shape (n_classes,), optional
            All class labels, sorted, where `y_true` lacks some of them.
        pos_label : label, optional
            The class that one column is of. By default the greater of two numeric or
            boolean labels; strings have no default.
        groups : array-like of shape (n_samples,), optional
            Group of each record (patient, user); the design is then grouped.
        keep_values : bool, default=True
            False keeps moments only, and sums of groups.
        eps : float, optional
            Of the loss "log": the least probability of a true class.
        cost_matrix : array-like of shape (n_classes, n_classes), optional
            Of the loss "cost": what a decision (column) costs given the truth (row).
        """
        truth = ClassColumns(y_true, labels, pos_label)
        probas = (
            truth.probabilities("champion_proba", champion_proba),
            truth.probabilities("challenger_proba", challenger_proba),
        )
        options = {"eps": eps, "cost_matrix": cost_matrix}
        losses = _of_probabilities(truth.codes, probas, loss, options)
        return losses._with_groups(groups)._kept(keep_values)

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        loss: Any = "brier_score",
        eps: float | None = None,
        cost_matrix: ArrayLike | None = None,
    ) -> "PairedLosses":
        """The losses of the answers to all test sets together.

        The options are those of :meth:`from_predictions`. Groups are positions in the
        sorted labels of the groups, and mean the same in shards of these predictions only.
        """
        predictions = pair.predictions
        codes = predictions.y_answered()
        probas = []
        for role in pair.roles:
            if role.proba is None:
                raise ValueError(
                    f"{role.name} has no probabilities, and a loss is made of them. Use a "
                    "classifier with predict_proba, or measures of labels or ranking."
                )
            probas.append(role.proba)
        options = {"eps": eps, "cost_matrix": cost_matrix}
        losses = _of_probabilities(codes, probas, loss, options)
        own = predictions.groups
        if own is not None and predictions.records is not None:
            own = own[predictions.records]
        return replace(losses._with_groups(own), design=pair.design)

    @classmethod
    def from_losses(
        cls,
        champion: ArrayLike,
        challenger: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        loss: str = "losses",
        keep_values: bool = True,
    ) -> "PairedLosses":
        """Losses as they are, lower being better.

        Parameters
        ----------
        champion, challenger : array-like of shape (n_samples,)
            Loss of each record. Below 1e-150 it counts as 0; above 1e140 it is refused.
        groups : array-like of shape (n_samples,), optional
            Group of each record; the design is then grouped.
        loss : str, default="losses"
            Name of the loss.
        keep_values : bool, default=True
            False keeps moments only, and sums of groups.
        """
        check_name(loss)
        first = checked_values("champion", champion)
        second = checked_values("challenger", challenger)
        check_same_length(champion=first, challenger=second)
        return _of_losses(first, second, loss)._with_groups(groups)._kept(keep_values)

    @classmethod
    def from_moments(
        cls,
        n: int,
        means: Sequence[float],
        *,
        variances: Sequence[float],
        covariance: float | None = None,
        difference_variance: float | None = None,
        loss: str = "losses",
        design: Design | str = HOLDOUT,
    ) -> "PairedLosses":
        """Losses of which no more is known than their moments, as from a publication.

        Parameters
        ----------
        n : int
            Number of records, at least 2.
        means, variances : pair of float
            Of the losses of champion and challenger; variances divide by n - 1.
        covariance, difference_variance : float
            The covariance of the losses or the variance of their differences, one of them.
        loss : str, default="losses"
            Name of the loss.
        design : Design or str, default="holdout"
            How the records were collected.
        """
        moments = LossMoments.from_variances(
            n, means, variances, covariance, difference_variance
        )
        return cls(moments, loss=loss, design=as_design(design))

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

    def _with_groups(self, groups: ArrayLike | None) -> "PairedLosses":
        if groups is None:
            return self
        own = check_groups(groups)
        check_same_length(losses=self.champion, groups=own)
        grouped = Design(self.design.kind, grouped=True)
        return replace(self, groups=LossGroups.of(self.differences, own), design=grouped)

    def _kept(self, keep_values: bool) -> "PairedLosses":
        if keep_values:
            return self
        groups = None if self.groups is None else replace(self.groups, codes=None)
        return replace(self, values=None, groups=groups)


def _of_probabilities(
    codes: IntArray, probas: Sequence[FloatArray], loss: Any, options: dict[str, Any]
) -> PairedLosses:
    name, function = named_loss(loss, **options)
    found = [checked_loss(name, function(codes, proba), len(codes)) for proba in probas]
    losses = _of_losses(found[0], found[1], name)
    if loss != "log":
        return losses
    eps = EPS if options["eps"] is None else options["eps"]
    champion, challenger = (
        n_clipped(codes, proba, own, eps) for proba, own in zip(probas, found, strict=True)
    )
    return replace(losses, clipped=(champion, challenger))


def _of_losses(champion: FloatArray, challenger: FloatArray, loss: str) -> PairedLosses:
    values = np.stack([champion, challenger])
    values.setflags(write=False)
    return PairedLosses(LossMoments.of(*values), values, loss=loss)
