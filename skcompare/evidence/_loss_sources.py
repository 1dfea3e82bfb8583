"""Where paired losses come from: probabilities, losses, moments, sums."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skcompare._core.array_api import all_on_host, on_host
from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.labels import check_groups
from skcompare._core.validation import check_same_length
from skcompare._typing import ArrayLike
from skcompare.evidence._agreement import check_whole
from skcompare.evidence._class_columns import ClassColumns
from skcompare.evidence._device import space_of
from skcompare.evidence._device_paired_losses import device_losses
from skcompare.evidence._loss_groups import LossGroups
from skcompare.evidence._loss_moments import LossMoments
from skcompare.evidence._loss_parts import (
    Losses,
    Parted,
    can_be_parted,
    losses_of,
    parted_losses,
)
from skcompare.evidence._loss_sums import checked_counts, checked_sums, moments_from_sums
from skcompare.evidence._record_losses import check_name, checked_values
from skcompare.predictions import PairedPredictions


class LossSources:
    """The constructors of PairedLosses that are named after their source."""

    __slots__ = ()

    if TYPE_CHECKING:
        # PairedLosses is a dataclass, and has them.
        def __init__(self, *values: Any, **named: Any) -> None: ...

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
    ) -> Self:
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
            False keeps moments only, and sums of groups. The losses of arrays are then
            made a few records at a time, but for those of your own functions.
        eps : float, optional
            Of the loss "log": the least probability of a true class.
        cost_matrix : array-like of shape (n_classes, n_classes), optional
            Of the loss "cost": what a decision (column) costs given the truth (row).
        """
        answers = {"champion_proba": champion_proba, "challenger_proba": challenger_proba}
        there = space_of(**answers)
        if there is None:
            answers = {name: on_host(values) for name, values in answers.items()}
        truth = ClassColumns(y_true, labels, pos_label, there=there)
        options = {"eps": eps, "cost_matrix": cost_matrix}
        if can_be_parted(answers, loss):
            found = parted_losses(truth, answers, loss, options, groups, keep_values)
            if keep_values:
                return cls._parted(found)._with_groups(groups)
            design = HOLDOUT if groups is None else Design("holdout", grouped=True)
            return cls._parted(found, design)
        probas = [truth.probabilities(*answer) for answer in answers.items()]
        kept = keep_values or groups is not None
        made = device_losses(truth.codes, probas, loss, options, kept)
        if made is not None:
            return cls(**made)._with_groups(groups)._kept(keep_values)
        codes, *probas = all_on_host(truth.codes, *probas)
        losses = cls._of(losses_of(codes, probas, loss, options))
        return losses._with_groups(groups)._kept(keep_values)

    @classmethod
    def from_pair(
        cls,
        pair: PairedPredictions,
        *,
        loss: Any = "brier_score",
        eps: float | None = None,
        cost_matrix: ArrayLike | None = None,
    ) -> Self:
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
        losses = cls._of(losses_of(codes, probas, loss, options))
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
    ) -> Self:
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
        losses = cls._of(Losses(loss, first, second))
        return losses._with_groups(groups)._kept(keep_values)

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
    ) -> Self:
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

    @classmethod
    def from_sums(
        cls,
        counts: ArrayLike,
        sums: Mapping[str, ArrayLike],
        *,
        groups: ArrayLike | None = None,
        loss: str = "losses",
        clipped: tuple[int, int] = (0, 0),
        design: Design | str = HOLDOUT,
    ) -> Self:
        """Losses that were summed where the records are, as by a group-by.

        Means and squares are merged part by part, so that the result is that of the
        records to 12 digits where losses vary within parts about as much as they are
        large, as those of probabilities do. Variation within a part that is nothing but
        rounding of its sums counts as none.

        Parameters
        ----------
        counts : array-like of shape (n_parts,), or int
            Records of each part, or of all.
        sums : mapping of str to array-like of shape (n_parts,), or to float
            Sums over the records of each part: "champion" and "challenger" of the losses,
            "gain" of the champion's less the challenger's, "champion_squares",
            "challenger_squares" and "gain_squares" of the squares of these three, and
            "products" of the product of both losses.
        groups : array-like of shape (n_parts,), optional
            Group of the records of each part; several parts may be of one group. The
            design is then grouped.
        loss : str, default="losses"
            Name of the loss.
        clipped : pair of int, default=(0, 0)
            Records of champion and challenger whose log loss is that of `eps`.
        design : Design or str, default="holdout"
            How the records were collected.

        Raises
        ------
        ValueError
            If a sum is missing or not finite, or the sums are not of the same losses.

        Examples
        --------
        >>> from skcompare.evidence import PairedLosses
        >>> sums = {"champion": 0.37, "challenger": 0.15, "gain": 0.22}
        >>> squares = {"champion_squares": 0.0533, "challenger_squares": 0.0099}
        >>> sums |= squares | {"gain_squares": 0.0292, "products": 0.017}
        >>> losses = PairedLosses.from_sums(4, sums, loss="brier")
        >>> [round(mean, 4) for mean in losses.means], losses.values
        ([0.0925, 0.0375], None)
        """
        check_name(loss)
        size = checked_counts(counts)
        found = checked_sums(sums, size)
        own, chosen = None, as_design(design)
        if groups is not None:
            labels = np.atleast_1d(check_groups(groups))
            check_same_length(counts=size, groups=labels)
            own = LossGroups.of(found["gain"], labels, size)
            chosen = Design(chosen.kind, grouped=True)
        clips = check_whole("clipped", clipped)
        if clips.shape != (2,):
            raise ValueError(
                "`clipped` must be a pair, records of champion and challenger. Got "
                f"{clipped!r}."
            )
        if (clips > size.sum()).any():
            raise ValueError(
                "`clipped` must be no more than the records of `counts`. Got "
                f"{clips.tolist()} of {int(size.sum())}. Count records, not classes."
            )
        moments = moments_from_sums(size, found)
        return cls(moments, None, own, loss, (int(clips[0]), int(clips[1])), chosen)

    @classmethod
    def _of(cls, losses: Losses) -> Self:
        values = np.stack([losses.champion, losses.challenger])
        values.setflags(write=False)
        moments = LossMoments.of(*values)
        return cls(moments, values, loss=losses.name, clipped=losses.clipped)

    @classmethod
    def _parted(cls, found: Parted, design: Design = HOLDOUT) -> Self:
        if found.values is not None:
            found.values.setflags(write=False)
        return cls(
            found.moments, found.values, found.groups, found.name, found.clipped, design
        )

    def _with_groups(self: Any, groups: ArrayLike | None) -> Any:
        if groups is None:
            return self
        own = check_groups(groups)
        check_same_length(losses=self.champion, groups=own)
        grouped = Design(self.design.kind, grouped=True)
        return replace(self, groups=LossGroups.of(self.differences, own), design=grouped)

    def _kept(self: Any, keep_values: bool) -> Any:
        if keep_values:
            return self
        groups = None if self.groups is None else replace(self.groups, codes=None)
        return replace(self, values=None, groups=groups)
